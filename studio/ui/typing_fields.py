"""Where letters are text, and not keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key
from textual.widget import Widget
from textual.widgets import Input, TextArea

if TYPE_CHECKING:
    _Field = Widget
else:
    # No widget of its own: Textual takes a widget's looks from its first base that is one.
    _Field = object


def is_typing(focused: Widget | None) -> bool:
    """Whether letters are for what has the focus alone, so that no bare one may act elsewhere."""
    return isinstance(focused, Input | TextArea) or bool(getattr(focused, "owns_letters", False))


MOVES = frozenset({"app.focus_next", "app.focus_previous"})
"""What goes from one field of a form to another."""


def to_other_field(focused: Widget | None, key: str) -> str:
    """The action by which a key goes to another field; empty where it means something else.

    It has to be done before the next key is sent anywhere: letters go to what has the focus.
    """
    for node in () if focused is None else (focused, focused.screen):
        if bound := node._bindings.key_to_bindings.get(key, ()):
            actions = {binding.action for binding in bound}
            return actions.pop() if actions <= MOVES and len(actions) == 1 else ""
    return ""


class InOrder(_Field):
    """A text field in which keys act in the order they were typed; goes before Textual's class.

    Textual writes letters at once but sends bound keys (backspace, home) up to the application
    first, so letters that follow quickly, as over a slow line, would overtake them.
    """

    async def _on_key(self, event: Key) -> None:
        """Act at once on a key of the field's own."""
        for binding in self._bindings.key_to_bindings.get(event.key, ()):
            if not binding.priority and not event.is_printable:
                event.stop()
                event.prevent_default()
                await self.run_action(binding.action)
                return


class Line(InOrder, Input):
    """One line to type in."""


class FormLine(Line):
    """One line of several: ↑ and ↓ go to the field above and below."""

    # Textual's own would scroll the one line there is.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down", "app.focus_next", show=False, id="form.down"),
        Binding("up", "app.focus_previous", show=False, id="form.up"),
    ]
