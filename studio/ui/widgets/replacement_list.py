"""The segments that a replacement would change, each with a tick that can be taken off."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment as Piece
from textual.message import Message
from textual.strip import Strip

from studio.ui.replacing import Replacement
from studio.ui.widgets.reworded_list import RewordedList

_TICK = 3
"""Cells of the tick."""


class ReplacementList(RewordedList):
    """One line a segment, as the lexicon shows its changes, behind a tick."""

    class Moved(Message):
        """The cursor has come to another row."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's word)
        """A list without rows; see `show_replacements`."""
        super().__init__(id=id)
        self._replacements: Sequence[Replacement] = ()
        self._left_out: set[str] = set()

    def show_replacements(self, rows: Sequence[Replacement], empty: str) -> None:
        """Show other rows, all of them ticked.

        Args:
            rows: In the order of the book.
            empty: What to say where there are none.
        """
        self._replacements = rows
        self._left_out.clear()
        self.show(rows, empty)

    @property
    def ticked(self) -> list[Replacement]:
        """What is to be replaced."""
        return [row for row in self._replacements if row.uid not in self._left_out]

    @property
    def here(self) -> Replacement | None:
        """The row under the cursor."""
        return self._replacements[self.cursor] if self._replacements else None

    def toggle(self) -> None:
        """Leave the row under the cursor out, or take it in again, and go on to the next."""
        if (row := self.here) is not None:
            self._left_out ^= {row.uid}
            self.refresh_row(self.cursor)
            self.move_by(1)

    def cursor_moved(self) -> None:
        """Say so."""
        self.post_message(self.Moved())

    def draw_row(self, index: int, columns: int) -> Strip:
        """The tick, then the change."""
        base = self.ground(index) if self.has_focus else self.rich_style
        tick = " – " if self._replacements[index].uid in self._left_out else " ✓ "
        row = super().draw_row(index, max(0, columns - _TICK))
        return Strip.join([Strip([Piece(tick, base)], _TICK), row])
