"""The editor for what a segment says: one paragraph, enter keeps it, escape does not."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.events import Paste
from textual.message import Message
from textual.widgets import TextArea

from studio.ui.typing_fields import InOrder


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

    async def _on_paste(self, event: Paste) -> None:
        """Pasted lines become one paragraph."""
        event.prevent_default()
        event.stop()
        self.replace(" ".join(event.text.splitlines()), *self.selection)


def one_paragraph(text: str) -> str:
    """A text with single spaces where it had white space, none at its ends."""
    return " ".join(text.split())
