"""One of a few choices on one line: ← → choose another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Key
from textual.message import Message
from textual.widget import Widget


class TurnField(Widget, can_focus=True):
    """A choice that is turned through."""

    DEFAULT_CSS = """
    TurnField { height: 1; width: 1fr; }
    TurnField:focus { text-style: reverse; }
    TurnField:disabled { color: $text-disabled; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("right,l,space", "turn(1)", show=False, id="form.after"),
        Binding("left,h", "turn(-1)", show=False, id="form.before"),
    ]

    class Changed(Message):
        """Another choice was made."""

    def __init__(self, choices: Sequence[str], at: int, *, id: str) -> None:  # noqa: A002
        """Begin with one of the choices.

        Args:
            choices: What there is to choose from.
            at: Place of the first choice.
            id: Widget id.
        """
        super().__init__(id=id)
        self._choices = tuple(choices)
        self.at = at
        """Place of the choice that is made."""

    def action_turn(self, step: int) -> None:
        """The next choice, or the one before."""
        self.at = (self.at + step) % len(self._choices)
        self.refresh()
        self.post_message(self.Changed())

    def on_key(self, event: Key) -> None:
        """Letters end here: in a form somebody may type on, and q would close the book."""
        if event.character and event.character.isalnum() and not self._bound(event.key):
            event.stop()

    def _bound(self, key: str) -> bool:
        return key in self._bindings.key_to_bindings

    def on_click(self, event: Click) -> None:
        """A click turns on."""
        event.stop()
        self.action_turn(1)

    def render(self) -> Content:
        """The choice between arrows."""
        return Content(f"‹ {self._choices[self.at]} ›")
