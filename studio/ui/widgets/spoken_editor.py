"""The editor for what a segment says: one paragraph, enter keeps it, escape does not."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import ClassVar

from rich.text import Text
from textual.binding import Binding, BindingType
from textual.document._document import Location
from textual.events import Paste
from textual.message import Message
from textual.widgets import TextArea

from studio.ui.typing_fields import InOrder
from studio.ui.word_spans import glyph_edges, words


class SpokenEditor(InOrder, TextArea):
    """A text area without line ends; it owns every letter while it has the focus."""

    DEFAULT_CSS = """
    SpokenEditor {
        height: auto;
        min-height: 1;
        max-height: 12;
        margin: 0 1 0 9;
        padding: 0;
        border: none;
        &:focus { border: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # Before the text area's own: a segment is one paragraph, so enter has nothing to insert.
        Binding("enter", "save", "Keep", priority=True, id="editor.save"),
        Binding("escape", "leave", "Leave it", priority=True, id="editor.leave"),
        Binding("ctrl+o", "outside", "$EDITOR", priority=True, id="editor.outside"),
        # Terminals send alt-b and alt-f as ctrl-← and ctrl-→.
        Binding("ctrl+left,alt+left", "cursor_word_left", "Word left", id="editor.word-before"),
        Binding("ctrl+right,alt+right", "cursor_word_right", "Word right", id="editor.word-after"),
        Binding("ctrl+w,alt+backspace", "delete_word_left", "Rub out", id="editor.erase-word"),
    ]

    @dataclass
    class Saved(Message):
        """Enter was pressed."""

        text: str

    @dataclass
    class Left(Message):
        """Escape was pressed."""

    @dataclass
    class Outside(Message):
        """The text is to be edited in $EDITOR."""

        text: str

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 (Textual's word)
        """An empty editor."""
        super().__init__(
            soft_wrap=True, show_line_numbers=False, tab_behavior="focus", compact=True, id=id
        )
        self.cursor_blink = False  # nothing in the studio flashes
        self.settled = asyncio.Event()
        """Set while nothing typed here is on its way: what it left with is kept, or was dropped."""
        self.settled.set()

    def start(self, text: str) -> None:
        """Begin with a text, the cursor at its end and nothing to undo.

        Args:
            text: Any text; line ends become spaces.
        """
        self.load_text(one_paragraph(text))
        self.move_cursor(self.document.end)

    def action_save(self) -> None:
        """Post `Saved`, once the letters typed before it are in the text."""
        self.settled.clear()
        self.call_later(lambda: self.post_message(self.Saved(one_paragraph(self.text))))

    def action_leave(self) -> None:
        """Post `Left`."""
        self.settled.clear()
        self.post_message(self.Left())

    def action_outside(self) -> None:
        """Post `Outside`, once the letters typed before it are in the text."""
        self.call_later(lambda: self.post_message(self.Outside(one_paragraph(self.text))))

    # The cursor stands between glyphs, and words are what they are in the text's own script.

    def get_cursor_left_location(self) -> Location:
        """One glyph to the left."""
        row, column = self.cursor_location
        edges = glyph_edges(self.document[row])
        place = bisect_left(edges, column) - 1
        return (row, edges[place]) if place >= 0 else super().get_cursor_left_location()

    def get_cursor_right_location(self) -> Location:
        """One glyph to the right."""
        row, column = self.cursor_location
        edges = glyph_edges(self.document[row])
        place = bisect_right(edges, column)
        return (row, edges[place]) if place < len(edges) else super().get_cursor_right_location()

    def get_cursor_word_left_location(self) -> Location:
        """To the start of the word, or of the one before."""
        row, column = self.cursor_location
        if row and not column:
            return super().get_cursor_word_left_location()
        starts = [start for start, _ in words(self.document[row]) if start < column]
        return row, starts[-1] if starts else 0

    def get_cursor_word_right_location(self) -> Location:
        """To the start of the next word."""
        row, column = self.cursor_location
        line = self.document[row]
        if column == len(line):
            return super().get_cursor_word_right_location()
        return row, next((start for start, _ in words(line) if start > column), len(line))

    def get_line(self, line_index: int) -> Text:
        """A line as it is painted: direction marks take no cell, and would turn it round."""
        return Text(self.document.get_line(line_index).translate(_UNSEEN), end="", no_wrap=True)

    async def _on_paste(self, event: Paste) -> None:
        """Pasted lines become one paragraph."""
        event.prevent_default()
        event.stop()
        lines = " ".join(event.text.splitlines())
        self.replace(lines.translate(_CONTROLS), *self.selection)


_UNSEEN = dict.fromkeys(
    (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), "\u200b"
)
"""Direction marks and what is painted for them, as wide: nothing."""
_CONTROLS = dict.fromkeys((*range(0x20), 0x7F, *range(0x80, 0xA0)), " ")
"""Characters that nothing can speak and that a terminal obeys."""


def one_paragraph(text: str) -> str:
    """A text with single spaces where it had white space or controls, none at its ends."""
    return " ".join(text.translate(_CONTROLS).split())
