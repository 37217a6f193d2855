"""The command palette as fast hands need it: what is typed behind its key is typed into it."""

from __future__ import annotations

from textual.await_complete import AwaitComplete
from textual.command import CommandInput, CommandList, CommandPalette


class Palette(CommandPalette):
    """Textual's palette, which may be typed into before it is laid out."""

    def dismiss(self, result: None = None) -> AwaitComplete:
        """Close it once, as `studio.ui.screens.window` says."""
        return super().dismiss(result) if self.app.screen is self else AwaitComplete()

    def on_mount(self) -> None:
        """Take the keys at once; the letters behind the key that opened it are on their way."""
        self.set_focus(self.query_one(CommandInput))

    def _action_command_list(self, action: str) -> None:
        """Move in the list, once it has a place on the screen: before, it knows no page."""
        if self.query_one(CommandList).scrollable_content_region:
            super()._action_command_list(action)
