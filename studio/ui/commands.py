"""The command palette: every action of the screen below it, from the table."""

from __future__ import annotations

from functools import partial

from textual.command import DiscoveryHit, Hit, Hits, Provider

from studio.ui.actions import Action, for_screen
from studio.ui.keys import Keys


class ActionCommands(Provider):
    """Offers what the table holds for the screen the palette was opened from."""

    async def discover(self) -> Hits:
        """Everything, before a letter is typed."""
        for action in self._offered():
            yield DiscoveryHit(self._title(action), partial(self._run, action), help=action.help)

    async def search(self, query: str) -> Hits:
        """What matches the letters in its name, or has the words in its help."""
        matcher = self.matcher(query)
        words = query.casefold().split()
        for action in self._offered():
            title = self._title(action)
            score = matcher.match(title)
            # A sentence is long enough to have almost any letters somewhere, in their order.
            if all(word in action.help.casefold() for word in words):
                score = max(score, matcher.match(action.help) * 0.6)
            if score > 0:
                yield Hit(
                    score, matcher.highlight(title), partial(self._run, action), help=action.help
                )

    def _offered(self) -> list[Action]:
        name = str(getattr(self.screen, "ACTIONS_OF", ""))
        return [action for action in for_screen(name) if action.palette]

    def _title(self, action: Action) -> str:
        keys: Keys | None = getattr(self.app, "keys", None)
        shown = keys.shown(action.id) if keys else ""
        title = f"{action.label[0].upper()}{action.label[1:]}"
        return f"{title} · {shown}" if shown else title

    async def _run(self, action: Action) -> None:
        where = "app" if action.screen == "everywhere" else "screen"
        await self.screen.run_action(f"{where}.{action.method}")
