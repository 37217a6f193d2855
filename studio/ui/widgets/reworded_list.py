"""The segments that a rule of the lexicon changes, each with the first place where it does."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import ClassVar, Protocol

from rich.style import Style
from textual.strip import Strip

from studio.ui import cells
from studio.ui.widgets.line_list import LineList, on_ground

NUMBER = 7
"""Cells of a segment's number."""


class Reworded(Protocol):
    """One segment; `studio.project.lexicon` has such."""

    @property
    def number(self) -> int:
        """Its place in the book."""
        ...

    @property
    def before(self) -> str:
        """What is spoken now."""
        ...

    @property
    def after(self) -> str:
        """What would be spoken."""
        ...


class RewordedList(LineList):
    """One line a segment: number, what stands before the hit, the hit, what stands behind."""

    DEFAULT_CSS = """
    RewordedList {
        & > .reworded-list--before { color: $text-muted; text-style: underline; }
        & > .reworded-list--after { color: $text-accent; text-style: bold underline; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {"reworded-list--before", "reworded-list--after"}
    SCROLL_OFF = 1

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 (Textual's word)
        """A list without rows; see `show`."""
        super().__init__(id=id)
        self._rows: Sequence[Reworded] = ()

    def show(self, rows: Sequence[Reworded], empty: str) -> None:
        """Show segments.

        Args:
            rows: In the order of the book.
            empty: What to say where there are none.
        """
        self._rows = rows
        self.set_empty(empty)
        self.rows_changed()
        self.move_to(0)

    def count(self) -> int:
        """How many segments there are."""
        return len(self._rows)

    def draw_row(self, index: int, columns: int) -> Strip:
        """One segment."""
        base = self.ground(index) if self.has_focus else self.rich_style
        return Strip(on_ground(self.pieces(index, columns), base)).adjust_cell_length(columns, base)

    def pieces(self, index: int, columns: int) -> list[tuple[str, Style]]:
        """The parts of a row, not wider than told: number, text ahead, the hit, text behind."""
        row, muted = self._rows[index], self.style("line-list--muted")
        left, old, new, right, more = first_change(cells.clean(row.before), cells.clean(row.after))
        further = f" and {more} more" if more else ""
        room = columns - NUMBER - 3 - len(further)
        new = cells.crop(new, room // 3)
        old = cells.crop(old, room // 3)
        side = max(0, room - cells.width(old) - cells.width(new))
        ahead = _tail(left, max(side // 2, side - cells.width(right)))
        return [
            (f"{row.number:>{NUMBER - 1},} ", muted),
            (ahead, Style.null()),
            (old, self.style("reworded-list--before")),
            (" → ", muted),
            (new, self.style("reworded-list--after")),
            (cells.crop(right, side - cells.width(ahead)), Style.null()),
            (further, muted),
        ]


def first_change(before: str, after: str) -> tuple[str, str, str, str, int]:
    """Where two texts first differ, word by word.

    Args:
        before: A text.
        after: The same text, changed in some places.

    Returns:
        What stands before the place, the old words, the new words, what stands behind them, and
        how many more places there are.
    """
    old, new = re.findall(r"\s+|\S+", before), re.findall(r"\s+|\S+", after)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    differ = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    if not differ:
        return before, "", "", "", 0
    _, start, end, begin, stop = differ[0]
    return (
        "".join(old[:start]),
        "".join(old[start:end]),
        "".join(new[begin:stop]),
        "".join(old[end:]),
        len(differ) - 1,
    )


def _tail(text: str, columns: int) -> str:
    """The end of a text in at most so many cells; a cut is marked."""
    if cells.width(text) <= columns:
        return text
    kept, used = len(text), 1
    while kept and used + cells.width(text[kept - 1]) <= columns:
        kept -= 1
        used += cells.width(text[kept])
    return "…" + text[kept:].lstrip() if columns > 1 else ""
