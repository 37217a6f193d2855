"""The history as a list of any length: what was done, what is undone, and the way to each point."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from rich.segment import Segment as Piece
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.widgets import Static

from studio.project.model import HistoryEntry
from studio.ui import cells, formats
from studio.ui.screens.window import Window
from studio.ui.widgets.line_list import LineList

BEGINNING = "as it was before all of this"


class PastList(LineList):
    """The steps, the newest first, and below them the beginning."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "choose", show=False, id="past.go")]

    class Chosen(Message):
        """Enter was pressed on a row, or it was double-clicked."""

    def __init__(self, entries: Sequence[HistoryEntry]) -> None:
        """Show ``entries`` with the cursor on the last one done."""
        super().__init__(id="past")
        self._entries = entries
        self.now = next((n for n, it in enumerate(entries) if not it.undone), len(entries))
        """The row that the book stands at."""

    def on_mount(self) -> None:
        """Begin where the book stands."""
        self.rows_changed()
        self.move_to(self.now, center=True)

    def count(self) -> int:
        """The steps and the beginning."""
        return len(self._entries) + 1

    def draw_row(self, index: int, columns: int) -> Strip:
        """One step: here or not, when, what, and whether it is undone."""
        base = self.ground(index)
        here = "▶ " if index == self.now else "  "
        if index == len(self._entries):
            text, done = f"{'':16}  {BEGINNING}", True
        else:
            entry = self._entries[index]
            done = not entry.undone
            time = entry.made.replace("T", " ")[:16]
            text = f"{time}  {entry.label}{'' if done else ' (undone)'}"
        style = base if done else base + self.style("line-list--muted")
        return Strip([Piece(cells.fit(f" {here}{text}", columns), style)], columns)

    def activate(self) -> None:
        """A double click goes there."""
        self.post_message(self.Chosen())

    def action_choose(self) -> None:
        """Enter goes there."""
        self.post_message(self.Chosen())


class PastScreen(Window[int | None]):
    """Answers with how many steps to go: above 0 to undo, below 0 to redo; None to stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "close", show=False, id="dialog.close")
    ]
    CSS_PATH = "dialogs.tcss"

    def __init__(self, entries: Sequence[HistoryEntry]) -> None:
        """Show all ``entries``, the newest first."""
        super().__init__()
        self._entries = entries

    def compose(self) -> ComposeResult:
        """The list, and what to press."""
        undone = sum(entry.undone for entry in self._entries)
        title = f"History, the newest first: {formats.count(len(self._entries), 'step')}"
        title += f", {undone:,} of them undone" if undone else ""
        with Vertical(classes="dialog"):
            yield Static(Content(title), classes="dialog-title")
            yield PastList(self._entries)
            yield Static(
                Content("enter goes back, or forward, to a step · esc stays"),
                classes="dialog-hint",
            )

    @on(PastList.Chosen)
    def go(self, event: PastList.Chosen) -> None:
        """To the step under the cursor."""
        event.stop()
        steps = self.query_one(PastList)
        self.dismiss(steps.cursor - steps.now)

    def action_close(self) -> None:
        """Stay."""
        self.dismiss(None)
