"""What a take is made of and how it was made; the recipe can be copied from here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studio.ui import cells, inks
from studio.ui.action import EVERYWHERE, RECIPE
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.recipe_text import Details, groups
from studio.ui.screens.own_keys import own_keys
from studio.ui.screens.window import Window

NAME = 12
"""Cells of the column of names."""


class RecipeScreen(Window[str | None]):
    """The facts in groups; answers ``choose``, ``remake`` or ``replay`` where the studio is to do
    that."""

    ACTIONS_OF: ClassVar[str] = RECIPE
    # What is valid everywhere is the application's, which a window over a screen does not see.
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(RECIPE),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "recipe.tcss"

    def __init__(
        self,
        details: Details,
        keys: Keys,
        *,
        play: Callable[[], None],
        star: Callable[[], Awaitable[Details]],
    ) -> None:
        """Show a take.

        Args:
            details: What is known of it.
            keys: The keys in force.
            play: Plays the take, or stops it.
            star: Stars it or takes the star off; gives what is known of it then.
        """
        super().__init__()
        self._details, self._keys = details, keys
        self._play, self._star = play, star

    def compose(self) -> ComposeResult:
        """The title, the facts, the answer to the last key, the keys."""
        yield Static(id="recipe-title", markup=False)
        with VerticalScroll(id="recipe-body", can_focus=False):
            yield Static(id="recipe-facts", markup=False)
        yield Static(id="recipe-told", markup=False)
        yield own_keys(RECIPE, self._keys)

    def on_mount(self) -> None:
        """Write what is known."""
        self._show()

    def on_resize(self) -> None:
        """The words break elsewhere now."""
        self._show()

    def _show(self) -> None:
        self.query_one("#recipe-title", Static).update(Content(self._details.title))
        body = self.query_one("#recipe-body", VerticalScroll)
        columns = max(20, body.scrollable_content_region.width or self.size.width - 4)
        self.query_one("#recipe-facts", Static).update(self._page(columns))

    def _page(self, columns: int) -> Content:
        """All groups, each fact wrapped beside its name."""
        lines: list[Content] = []
        for heading, facts in groups(self._details):
            lines += [Content(""), Content.styled(heading, "bold $accent")]
            for name, value in facts:
                parts = cells.wrap(value, columns - NAME - 3) or [""]
                for place, part in enumerate(parts):
                    shown = cells.fit(name if place == 0 else "", NAME)
                    ink = "$text-warning" if part[:1] in ("≠", "!") else ""
                    lines.append(Content.assemble((f"  {shown} ", inks.MUTED), (part, ink)))
        return Content("\n").join(lines[1:])

    def _tell(self, sentence: str) -> None:
        self.query_one("#recipe-told", Static).update(Content(sentence))

    # Scrolling.

    def action_recipe_down(self) -> None:
        """A line down."""
        self.query_one("#recipe-body").scroll_down(animate=False)

    def action_recipe_up(self) -> None:
        """A line up."""
        self.query_one("#recipe-body").scroll_up(animate=False)

    def action_recipe_page_down(self) -> None:
        """A page down."""
        self.query_one("#recipe-body").scroll_page_down(animate=False)

    def action_recipe_page_up(self) -> None:
        """A page up."""
        self.query_one("#recipe-body").scroll_page_up(animate=False)

    # What can be done with the take.

    def action_recipe_copy(self) -> None:
        """Copy the recipe as JSON."""
        self.app.copy_to_clipboard(self._details.recipe_json)
        self._tell(f"Copied: the recipe of take {self._details.take.number}, as JSON.")

    def action_recipe_path(self) -> None:
        """Copy where the clip is."""
        self.app.copy_to_clipboard(self._details.path)
        self._tell(f"Copied: {self._details.path}")

    def action_recipe_play(self) -> None:
        """Hear it, or stop it."""
        self._play()

    async def action_recipe_star(self) -> None:
        """Star it, or take the star off."""
        self._details = await self._star()
        self._show()
        told = (
            "has a star: cleaning keeps it" if self._details.take.star else "has no star any more"
        )
        self._tell(f"Take {self._details.take.number} {told}.")

    def action_recipe_choose(self) -> None:
        """Choose it, and go back."""
        self.dismiss("choose")

    def action_recipe_remake(self) -> None:
        """Make it again, and go back."""
        if self._details.take.recorded:
            number = self._details.take.number
            self._tell(f"Take {number} is a recording; no engine can make it again.")
        else:
            self.dismiss("remake")

    def action_recipe_replay(self) -> None:
        """Voice its speech tokens again, and go back."""
        if self._details.tokens:
            self.dismiss("replay")
        else:
            number = self._details.take.number
            self._tell(f"Take {number} keeps no speech tokens, so it cannot be voiced again.")

    def action_recipe_close(self) -> None:
        """Go back."""
        self.dismiss(None)
