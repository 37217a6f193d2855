"""Chapters and engine in one line, for screens without room for their panels."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from studio.narration.status import NarrationStatus
from studio.project.model import Chapter
from studio.ui import cells, formats, inks
from studio.ui.widgets.engine_panel import WORKER_STYLES, summary

_TITLE_LEAST = 12
_BETWEEN = " · "


class StatusLine(Widget):
    """Where the book is and what the engine does; the least important parts are left out first."""

    DEFAULT_CSS = """
    StatusLine { height: 1; width: 1fr; }
    """

    def __init__(
        self,
        *,
        empty: str = "No chapter is open.",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """An empty line; see `show`."""
        super().__init__(id=id, classes=classes)
        self._empty = empty
        self._chapter: Chapter | None = None
        self._status = NarrationStatus()

    def show(self, chapter: Chapter | None = None, status: NarrationStatus | None = None) -> None:
        """Show a chapter, a snapshot, or both.

        Args:
            chapter: The chapter that the cursor is in; None leaves it as it is.
            status: The newest snapshot; None leaves it as it is.
        """
        new = (chapter or self._chapter, status or self._status)
        if new != (self._chapter, self._status):
            self._chapter, self._status = new
            if self.region:  # not where the panels have room and this line is hidden
                self.refresh()

    def render(self) -> Content:
        """The line."""
        columns = self.content_size.width
        parts = self._parts()
        title = f"{self._chapter.number} {self._chapter.title}" if self._chapter else self._empty
        title = cells.clean(title)
        while parts:
            # Each part has a rank; the highest number goes first when room is short.
            taken = sum(cells.width(text) + len(_BETWEEN) for text, _, _ in parts)
            if columns - 2 - taken >= min(_TITLE_LEAST, cells.width(title)):
                break
            parts.remove(max(parts, key=lambda part: part[2]))
        taken = sum(cells.width(text) + len(_BETWEEN) for text, _, _ in parts)
        line = Content.assemble(" ", (cells.crop(title, max(0, columns - 2 - taken)), "bold"))
        for text, style, _ in parts:
            line = line + Content.assemble((_BETWEEN, inks.FAINT), (text, style))
        return line

    def _parts(self) -> list[tuple[str, str, int]]:
        """Text, style and rank of everything after the title, in order."""
        parts: list[tuple[str, str, int]] = []
        chapter, status = self._chapter, self._status
        if chapter is not None:
            style = inks.GOOD if chapter.approved >= chapter.spoken else ""
            parts.append((f"{chapter.approved}/{chapter.spoken} ✓", style, 1))
            if chapter.flagged:
                parts.append((f"{chapter.flagged} !", inks.WARNING, 3))
            if chapter.stale:
                parts.append((f"{chapter.stale} ~", "$text-warning", 4))
            if chapter.failed:
                parts.append((f"{chapter.failed} ✗", inks.ERROR, 2))
        if status.stopped_because:
            parts.append(("✗ stopped", inks.ERROR, 0))
        elif status.paused and status.queued:
            parts.append(("❚❚ paused", inks.WARNING, 0))
        if workers := summary(status.workers):
            style = WORKER_STYLES.get(status.workers[0].state, inks.WARNING)
            parts.append((workers, style, 6))
        if status.rtf_rolling:
            parts.append((f"rtf {formats.rtf(status.rtf_rolling)}", inks.MUTED, 7))
        if status.queued:
            left = "" if status.eta is None else f" {formats.duration(status.eta)}"
            parts.append((f"q{status.queued:,}{left}", "", 5))
        return parts
