"""The chapters of a book and how far each is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.segment import Segment as Piece
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from studio.project.model import Chapter
from studio.ui import cells
from studio.ui.widgets.line_list import LineList

BAR = 4
"""Cells of a progress bar."""
_WIDE_BAR_FROM = 40
"""A list this wide has room for a bar of twice the length."""


def bar(chapter: Chapter, length: int) -> tuple[int, int, int]:
    """How much of a chapter's bar is approved, done but not approved, and missing.

    Args:
        chapter: The chapter.
        length: Cells of the bar.

    Returns:
        The three lengths. A part shows as full only when nothing is missing from it, and
        something done is never shown as nothing.
    """
    total = max(1, chapter.segments)
    breaks = chapter.segments - chapter.spoken
    approved = chapter.approved + (breaks if chapter.approved == chapter.spoken else 0)
    filled = chapter.done * length // total
    if chapter.done > breaks and not filled:
        filled = 1
    first = min(filled, approved * length // total)
    return first, filled - first, length - filled


class ChapterList(LineList):
    """Chapters with their counts; the current one has the bar at its left."""

    DEFAULT_CSS = """
    ChapterList {
        & > .chapter-list--current { text-style: bold; }
        & > .chapter-list--approved { color: $text-success; }
        & > .chapter-list--done { color: $text-primary; }
        & > .chapter-list--missing { color: $text-disabled; }
        & > .chapter-list--problem { color: $text-warning; text-style: bold; }
        & > .chapter-list--failed { color: $text-error; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "chapter-list--current",
        "chapter-list--approved",
        "chapter-list--done",
        "chapter-list--missing",
        "chapter-list--problem",
        "chapter-list--failed",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Go to the chapter", show=False, id="chapters.choose"),
    ]
    SCROLL_OFF = 1

    @dataclass
    class ChapterChosen(Message):
        """A person wants to go to a chapter."""

        chapter_id: int

    def __init__(
        self,
        *,
        empty: str = "No chapters: the manuscript had no text.",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """A list without chapters; see `set_chapters`."""
        super().__init__(empty=empty, id=id, classes=classes)
        self._chapters: tuple[Chapter, ...] = ()
        self._current: int | None = None

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """What is shown."""
        return self._chapters

    @property
    def current(self) -> int | None:
        """`Chapter.id` of the chapter that the grid is in."""
        return self._current

    @current.setter
    def current(self, chapter_id: int | None) -> None:
        """Mark another chapter; the cursor goes with it unless a person is moving about here."""
        if chapter_id == self._current:
            return
        first, before = self._current is None, self._current
        self._current = chapter_id
        self.refresh_indexes(
            place
            for place, chapter in enumerate(self._chapters)
            if chapter.id in (before, chapter_id)
        )
        if first or not self.has_focus:
            self._go_to_current()

    def set_chapters(self, chapters: Sequence[Chapter]) -> None:
        """Show these chapters; the cursor stays where it is.

        Args:
            chapters: All of them, in order.
        """
        self._chapters = tuple(chapters)
        self.rows_changed()
        self.cursor = self.cursor  # back into the list if that became shorter

    def on_blur(self) -> None:
        """Left without choosing: the cursor returns to where the grid is."""
        self._go_to_current()

    def _go_to_current(self) -> None:
        """Put the cursor on the current chapter."""
        for index, chapter in enumerate(self._chapters):
            if chapter.id == self._current:
                self.move_to(index)

    def action_choose(self) -> None:
        """Post `ChapterChosen` for the row under the cursor."""
        if self._chapters:
            self.post_message(self.ChapterChosen(self._chapters[self.cursor].id))

    def clicked(self) -> None:
        """A click goes there at once."""
        self.action_choose()

    def count(self) -> int:
        """How many chapters there are."""
        return len(self._chapters)

    def draw_row(self, index: int, columns: int) -> Strip:
        """One chapter: number, title, problems, bar."""
        chapter = self._chapters[index]
        current = chapter.id == self._current
        base = self.ground(index) if self.has_focus or current else self.rich_style
        pieces = [(text, base + style) for text, style in self._pieces(chapter, current, columns)]
        strip = Strip([Piece(text, style) for text, style in pieces])
        return strip.adjust_cell_length(columns, base)

    def _pieces(self, chapter: Chapter, current: bool, columns: int) -> list[tuple[str, Style]]:
        """The parts of a row from left to right."""
        length = BAR * 2 if columns >= _WIDE_BAR_FROM else BAR
        digits = max(2, len(str(len(self._chapters))))
        problems, problem_style = self._problems(chapter)
        room = columns - 1 - digits - 1 - (len(problems) + 1 if problems else 0) - length - 2
        approved, done, missing = bar(chapter, length)
        title = self.style("chapter-list--current") if current else Style.null()
        pieces = [
            ("▌" if current else " ", self.style("line-list--bar")),
            (f"{chapter.number:>{digits}} ", self.style("line-list--muted")),
            (cells.fit(chapter.title or "(no title)", max(0, room)) + " ", title),
        ]
        if problems:
            pieces.append((problems + " ", problem_style))
        return [
            *pieces,
            ("█" * approved, self.style("chapter-list--approved")),
            ("▓" * done, self.style("chapter-list--done")),
            ("░" * missing, self.style("chapter-list--missing")),
        ]

    def _problems(self, chapter: Chapter) -> tuple[str, Style]:
        """What needs a person most: failed before flagged before stale."""
        if chapter.failed:
            return f"{chapter.failed}✗", self.style("chapter-list--failed")
        if chapter.flagged:
            return f"{chapter.flagged}!", self.style("chapter-list--problem")
        if chapter.stale:
            return f"{chapter.stale}~", self.style("chapter-list--problem")
        return "", Style.null()
