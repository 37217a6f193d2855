"""Takes: side by side by ear, several at once, their recipes, recordings."""

from __future__ import annotations

from textual import on

from studio.project.model import Segment
from studio.ui.screens.showing_takes import ShowingTakes
from studio.ui.widgets.take_list import TakeList


class Comparing(ShowingTakes):
    """The actions that compare takes and make more of them."""

    # One take after the other.

    async def action_takes_before(self) -> None:
        """Choose the take before."""
        await self._step_take(-1)

    async def action_takes_after(self) -> None:
        """Choose the next take."""
        await self._step_take(1)

    async def _step_take(self, step: int) -> None:
        segment = self.current
        if segment is None:
            return
        takes = await self.session.takes(segment.uid)
        if not takes:
            again = self.key("segment.narrate")
            self.say(f"Segment {segment.number} has no take yet; {again} narrates it.")
            return
        if len(takes) == 1 and segment.chosen is not None:
            new = self.key("segment.reseed")
            self.say(f"Segment {segment.number} has one take; {new} makes another.")
            return
        ids = [take.id for take in takes]
        place = ids.index(segment.chosen) if segment.chosen in ids else (-1 if step > 0 else 0)
        take = takes[(place + step) % len(takes)]
        await self._choose(segment, take.id)

    @on(TakeList.TakeChosen)
    async def choose_from_list(self, event: TakeList.TakeChosen) -> None:
        """Enter in the list of takes."""
        event.stop()
        segment = self.session.rows.get(self.takes_of)
        if segment is not None:
            await self._choose(segment, event.take_id)
            self.grid.focus()

    async def _choose(self, segment: Segment, take_id: int) -> None:
        """Choose a take; if one of the segment's is playing, go on with the chosen one."""
        sounding = self.listening.active and self.listening.uid == segment.uid
        sounding = sounding and self.listening.take is not None
        await self.change(self.session.project.choose_take, segment.uid, take_id)
        if sounding and (now := self.session.rows.get(segment.uid)) is not None:
            self.play_segment(now)
