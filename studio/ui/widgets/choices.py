"""A list to choose from whose keys may come before it is laid out."""

from __future__ import annotations

from textual.widgets import OptionList


class Choices(OptionList):
    """Textual's list, in which a page can be turned at any moment.

    How high a page is it knows only once it has its place on the screen; until then a page is all
    there is, which is what a window shows that opens under fast hands.
    """

    def action_page_up(self) -> None:
        """A page up; to the first while no page is known."""
        if self.scrollable_content_region:
            super().action_page_up()  # type: ignore[no-untyped-call]
        else:
            self.action_first()

    def action_page_down(self) -> None:
        """A page down; to the last while no page is known."""
        if self.scrollable_content_region:
            super().action_page_down()  # type: ignore[no-untyped-call]
        else:
            self.action_last()
