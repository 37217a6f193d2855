"""A list of rows in columns, for tables of a few thousand rows that seldom change."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, overload

from rich.style import Style
from textual.message import Message
from textual.strip import Strip

from studio.ui import cells
from studio.ui.widgets.line_list import LineList, on_ground


@dataclass(frozen=True, slots=True)
class Column:
    """One column."""

    title: str
    width: int = 0
    """Cells; 0 for what the others leave, shared by all columns that have 0."""
    right: bool = False
    """Whether it is set to the right, as numbers are."""
    ink: str = ""
    """``muted``, ``good`` or ``warning``."""
    from_columns: int = 0
    """How wide the list must be for the column to be shown."""


class DrawnRows(Sequence[Sequence[str]]):
    """Rows whose texts are made when they are drawn, for lists that may be as long as a book."""

    def __init__(self, count: int, row: Callable[[int], Sequence[str]]) -> None:
        """Have ``count`` rows; ``row`` makes the texts of one."""
        self._count, self._row = count, row

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, place: int) -> Sequence[str]: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Sequence[str]]: ...

    def __getitem__(self, place: int | slice) -> Sequence[str] | Sequence[Sequence[str]]:
        if isinstance(place, slice):
            return [self._row(at) for at in range(*place.indices(self._count))]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._row(place % self._count)


class ColumnList(LineList):
    """Rows of texts; the cursor is told by messages."""

    DEFAULT_CSS = """
    ColumnList {
        & > .column-list--muted { color: $text-muted; }
        & > .column-list--good { color: $text-success; }
        & > .column-list--warning { color: $text-warning; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "column-list--muted",
        "column-list--good",
        "column-list--warning",
    }
    HEADER = 1
    SCROLL_OFF = 1

    @dataclass
    class Moved(Message):
        """The cursor has come to another row."""

        list: ColumnList
        index: int

    @dataclass
    class Activated(Message):
        """A double click on a row."""

        list: ColumnList
        index: int

    def __init__(
        self,
        columns: Sequence[Column],
        *,
        empty: str = "",
        id: str | None = None,  # noqa: A002 (Textual's word)
    ) -> None:
        """A list without rows; see `show`."""
        super().__init__(empty=empty, id=id)
        self._columns = tuple(columns)
        self._rows: Sequence[Sequence[str]] = ()

    def show(self, rows: Sequence[Sequence[str]], *, cursor: int | None = None) -> None:
        """Show rows: a text for each column.

        Args:
            rows: All of them.
            cursor: Where the cursor goes; where it is, or as near as there are rows, without.
        """
        self._rows = rows
        self.rows_changed()
        wanted = self.validate_cursor(self.cursor if cursor is None else cursor)
        self.set_reactive(LineList.cursor, wanted)
        self.reveal(wanted)

    def count(self) -> int:
        """How many rows there are."""
        return len(self._rows)

    def cursor_moved(self) -> None:
        """Post `Moved`."""
        if self._rows:
            self.post_message(self.Moved(self, self.cursor))

    def activate(self) -> None:
        """Post `Activated`."""
        if self._rows:
            self.post_message(self.Activated(self, self.cursor))

    def draw_header(self, columns: int) -> Strip:
        """The titles of the columns."""
        style = self.style("line-list--header")
        texts = [column.title for column in self._columns]
        base = self.rich_style
        pieces = [(text, style) for text, _ in self._laid_out(texts, columns)]
        return Strip(on_ground([(" ", Style.null()), *pieces], base)).adjust_cell_length(
            columns, base
        )

    def draw_row(self, index: int, columns: int) -> Strip:
        """One row."""
        base = self.ground(index)
        pieces: list[tuple[str, Style]] = [
            ("▌" if index == self.cursor else " ", self.style("line-list--bar"))
        ]
        for text, column in self._laid_out(self._rows[index], columns):
            ink = self.style(f"column-list--{column.ink}") if column.ink else Style.null()
            pieces.append((text, ink))
        return Strip(on_ground(pieces, base)).adjust_cell_length(columns, base)

    def _laid_out(self, texts: Sequence[str], columns: int) -> list[tuple[str, Column]]:
        """The cells of a line, each with the blank behind it."""
        shown = [
            (text, column)
            for text, column in zip(texts, self._columns, strict=True)
            if columns >= column.from_columns
        ]
        taken = sum(column.width for _, column in shown) + len(shown) + 1
        flexible = sum(not column.width for _, column in shown)
        share = max(4, (columns - taken) // max(1, flexible))
        return [
            (
                cells.fit(cells.clean(text), column.width or share, right=column.right) + " ",
                column,
            )
            for text, column in shown
        ]
