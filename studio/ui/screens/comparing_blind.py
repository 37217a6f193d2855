"""From the studio into a blind comparison: what is compared is chosen first."""

from __future__ import annotations

import asyncio
from secrets import randbits

from textual import work

from studio.errors import StudioError
from studio.project.model import Kind
from studio.review import blind
from studio.ui import formats
from studio.ui.screens.prompt import Choose, Report
from studio.ui.screens.studio_base import StudioBase

MOST_OFFERED = 12
"""Pairs that are offered; the fewest takes are left out first."""


class ComparingBlind(StudioBase):
    """The action of comparing blindly."""

    @work(exclusive=True, group="blind")
    async def action_takes_blind(self) -> None:
        """Choose what is compared, and compare it."""
        from studio.ui.screens.blind import BlindScreen

        project = self.session.project
        selected = [it.uid for it in self.targets if it.kind is not Kind.SCENE_BREAK]
        takes = await self.session.read(project.comparable)
        # In a thread of its own, for a long book's take a second: the book goes on meanwhile.
        pairs = (await asyncio.to_thread(blind.pairs, takes, frozenset(selected)))[:MOST_OFFERED]
        earlier = await self.session.read(project.blind_tests)
        if not pairs and not earlier:
            self.say(
                "There is nothing to compare yet: narrate the same segments with two engines, "
                f"voices or settings, or make two takes of one ({self.key('segment.reseed')})."
            )
            return
        choices = [_named(it) for it in pairs]
        if earlier:
            choices.append(f"earlier results ({len(earlier)})")
        hint = f"up to {blind.MOST_TRIALS} questions · enter begins · esc leaves"
        chosen = await self.app.push_screen_wait(Choose("Compare blindly", choices, hint=hint))
        if chosen is None:
            return
        if chosen == len(pairs):
            lines = [_result(it) for it in reversed(earlier)]
            await self.app.push_screen_wait(Report("Blind comparisons", lines))
            return
        seed = randbits(32)
        try:
            test = await self.session.read(project.begin_blind, pairs[chosen], seed)
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        await self.listening.stop()
        await self.app.push_screen_wait(BlindScreen(test, self.session, self.listening, self.keys))
        self.show_sound()


def _named(pair: blind.Pair) -> str:
    """A pair in a line."""
    kind = blind.ASPECTS.get(pair.what, "")
    what = f"{kind}: {pair.first} and {pair.second}" if kind else f"{pair.first} and {pair.second}"
    return f"{what}   {formats.count(len(pair.takes), 'segment')}"


def _result(test: blind.Test) -> str:
    """A result in a line."""
    answers = len(test.answered)
    return f"{test.made[:10]}  {test.a} / {test.b}: {test.right} of {answers}, p {test.p:.3f}"
