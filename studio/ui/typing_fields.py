"""Where letters are text, and not keys."""

from __future__ import annotations

from textual.widget import Widget
from textual.widgets import Input, TextArea


def is_typing(focused: Widget | None) -> bool:
    """Whether a text field has the focus, so that no bare letter may act."""
    return isinstance(focused, Input | TextArea)
