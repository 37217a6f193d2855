"""What stands around the lines: header, chapters, status line, the engine's figures, the keys."""

from __future__ import annotations

from textual.content import Content
from textual.widgets import Static

from studio.project.model import Chapter
from studio.ui import cells, inks
from studio.ui.actions import ACTIONS, BY_ID, Action, for_screen
from studio.ui.keys import show_key
from studio.ui.screens.selecting import Selecting
from studio.ui.widgets.key_footer import KeyFooter
from studio.ui.widgets.status_line import StatusLine

ALSO = {"takes": ("takes.compare", "takes.keep", "takes.star", "takes.recipe", "takes.remake")}
"""By pane: keys of the whole screen that are meant for what is under the pane's cursor."""


class Frame(Selecting):
    """Where a person is in the book, how narration stands, and what may be pressed."""

    _told_stop: str = ""
    _warnings_told: int = 0
    """How many of the engines' warnings of voices were said."""
    _chapters_shown: tuple[Chapter, ...] = ()
    _header = Content("")

    def show_counts(self) -> None:
        """Header, chapters, status: where the cursor is, and what is shown and selected."""
        session, chapter = self.session, self.session.chapter_of(self.current)
        if session.chapters is not self._chapters_shown:
            self._chapters_shown = session.chapters
            self.chapter_list.set_chapters(session.chapters)
        self.chapter_list.current = chapter.id if chapter else None
        self.query_one(StatusLine).show(chapter, session.status)
        title = Content.assemble((" Rhapsode", "bold $accent"), f" · {session.title}")
        chosen = session.rows.filter
        counts = f"only {cells.crop(chosen.label, 40)}: {len(session.rows):,}" if chosen else ""
        if selected := self.selected_words():
            counts = f"{selected} · {counts}" if counts else selected
        width = self.size.width
        told = (counts, "bold $warning") if counts else (counts_line(chapter), inks.MUTED)
        # The counts are news and stay; a long title gives way, the book's as much as the chapter's.
        free = width - cells.width(told[0])
        most = max(12, (free - 16) * 2 // 3, free - 6 - cells.width(cells.clean(session.title)))
        here = f"{cells.crop(f'{chapter.number} {chapter.title}', most)}   " if chapter else ""
        right = Content.assemble((here, "bold"), told, " ")
        room = max(8, width - right.cell_length - 1)
        if title.cell_length > room:
            title = Content(f" {session.title}")  # whose book it is tells more than whose program
        title = title.truncate(room, ellipsis=True)
        gap = " " * max(1, width - title.cell_length - right.cell_length)
        line = title + Content(gap) + right
        if line != self._header:
            self._header = line
            self.query_one("#header", Static).update(line, layout=False)

    def show_status(self) -> None:
        """The engine's figures; why narration stopped and what spoils a voice is said once."""
        status = self.session.status
        self.engine_panel.show(status)
        self.query_one(StatusLine).show(None, status)
        if status.stopped_because and status.stopped_because != self._told_stop:
            self.say(status.stopped_because, kind="error")
        self._told_stop = status.stopped_because
        if warnings := status.voice_notes[self._warnings_told :]:
            self.say(" ".join(warnings), kind="warning", lasting=True)
        self._warnings_told = len(status.voice_notes)

    def show_keys(self) -> None:
        """The footer, from the table: the keys of the pane with the focus, then those of all."""
        focused = self.focused.id if self.focused is not None else None
        typing = self.panel.editing or self.panel.choosing
        pane = "editor" if self.panel.editing else "words" if self.panel.choosing else focused
        own = [action for action in ACTIONS if pane and action.pane == pane]
        own += [BY_ID[name] for name in ALSO.get(pane or "", ())]
        offered: list[Action] = []
        if not typing:
            offered = [action for action in for_screen(self.ACTIONS_OF) if action.footer]
            offered.sort(key=lambda action: action.footer)
        if own and not typing:
            own.insert(2, BY_ID["back"])
        taken = {self.keys.shown(action.id) for action in own}
        pairs = [(self.keys.shown(action.id), action.label) for action in own]
        for action in offered:
            shown = self.keys.shown(action.id)
            if shown and shown not in taken and action.id != "app.keys":
                if action.id == "takes.before":
                    shown = f"{shown} {self.keys.shown('takes.after')}".strip()
                pairs.append((shown, "takes" if action.id == "takes.before" else action.label))
        # In the editor a bare key is a letter of the text: only f1 and its like ask for the keys.
        asks = [key for key in self.keys.of["app.keys"] if len(key) > 1 or not typing]
        help_key = (show_key(asks[0]), "keys") if asks else ("", "")
        self.query_one(KeyFooter).show(pairs, help_key=help_key)


def counts_line(current: Chapter | None) -> str:
    """The header's counts: of the current chapter, such as ``31 of 48 approved · 3 flagged``."""
    if current is None:
        return ""
    problems = {"flagged": current.flagged, "stale": current.stale, "failed": current.failed}
    named = [f"{count} {name}" for name, count in problems.items() if count]
    head = f"{current.approved} of {current.spoken} approved"
    if not current.approved and current.done < current.segments:
        head = f"{current.ready} of {current.spoken} ready"
    return " · ".join([head, *named])
