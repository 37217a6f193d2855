"""A window over the studio that is closed once, however fast the keys come that close it."""

from __future__ import annotations

from typing import TypeVar

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen

T = TypeVar("T")


class Window(ModalScreen[T]):
    """A window that answers with a result."""

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Close the window; where it is closed already, or another lies over it, do nothing.

        Textual would close whatever is on top: for a second enter that was on its way, the studio.
        """
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)
