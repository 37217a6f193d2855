"""Takes by ear: one after the other, two side by side, all of them in turn; and choosing one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from textual import on, work

from studio.project.model import Segment, Take
from studio.ui.messages import SoundEnded
from studio.ui.screens.more_takes import MoreTakes
from studio.ui.widgets.take_list import TakeList

PAUSE_SECONDS = 0.6
"""Silence between takes that are heard in turn: long enough to tell them apart."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two takes of a segment, one of which is heard."""

    a: Take
    b: Take
    heard: Take
    newest: int
    """`Take.id` of the segment's last take when the two were picked."""

    @property
    def ids(self) -> tuple[int, int]:
        """Both takes."""
        return self.a.id, self.b.id

    @property
    def other(self) -> Take:
        """The one that is not heard."""
        return self.b if self.heard.id == self.a.id else self.a

    @property
    def label(self) -> str:
        """Which of which is heard: ``▸A take 2 · B take 3``."""
        here, there = ("▸", "") if self.heard.id == self.a.id else ("", "▸")
        return f"{here}A take {self.a.number} · {there}B take {self.b.number}"


class Comparing(MoreTakes):
    """The actions that compare takes and choose among them."""

    def __init__(self) -> None:
        """Nothing is compared yet."""
        super().__init__()
        self._pair: Pair | None = None
        self._turn: list[Take] = []
        self._turn_number = 0

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
            self.say_no_take(segment)
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

    async def action_takes_keep(self) -> None:
        """Choose the take that is heard, or was heard last while two are compared."""
        segment = self.current
        pair = self._pair_of(segment)
        heard = self.listening.take if self.listening.active else None
        # What is heard may belong to a segment that the cursor has left.
        whose = segment if heard is None else self.session.rows.get(self.listening.uid)
        if heard is None and pair is not None:
            heard = pair.heard.id
        if heard is None or whose is None:
            play, compare = self.key("segment.play"), self.key("takes.compare")
            self.say(f"No take is heard; {play} plays one, {compare} compares two.")
            return
        await self._choose(whose, heard)
        if (now := self.session.rows.get(whose.uid)) is not None and now.chosen == heard:
            self.say(f"Take {now.take_number} of segment {now.number} is chosen.")

    async def choose_take(self, segment: Segment, take: Take) -> None:
        """Choose a take from elsewhere."""
        await self._choose(segment, take.id)

    async def _choose(self, segment: Segment, take_id: int) -> None:
        """Choose a take; if another of the segment's is playing, go on with the chosen one."""
        sounding = self.listening.active and self.listening.uid == segment.uid
        sounding = sounding and self.listening.take not in (None, take_id)
        await self.change(self.session.project.choose_take, segment.uid, take_id)
        if self.listening.current_uid() == segment.uid:
            self.listening.hear_again()
        elif sounding and (now := self.session.rows.get(segment.uid)) is not None:
            self.play_segment(now)

    # Two side by side.

    @work(exclusive=True, group="sound")
    async def action_takes_compare(self) -> None:
        """Hear one of two takes, then the other from the same place, and so on."""
        segment = self.current
        if segment is None:
            return
        takes = await self.session.takes(segment.uid)
        if len(takes) < 2:
            seeds = self.key("segment.seeds")
            has = "one take" if takes else "no take yet"
            self.say(f"Segment {segment.number} has {has}; {seeds} makes several to compare.")
            return
        pair = self._next_pair(segment, takes)
        if pair is None:
            self.say("The cursor is on the chosen take; move it to the one to compare it with.")
            return
        among = self.listening.active and self.listening.take in pair.ids
        start = self.listening.position if among else 0.0
        self._pair, self._turn = pair, []
        await self.play_take(segment, pair.heard, start=start, label=pair.label)
        self.take_list.follow(pair.heard.id)
        if not self.listening.active:
            return  # why nothing is heard was said
        compare, keep = self.key("takes.compare"), self.key("takes.keep")
        name = "A" if pair.heard.id == pair.a.id else "B"
        self.say(
            f"{name}, take {pair.heard.number}: {compare} plays the other from the same place,"
            f" {keep} chooses, {self.key('back')} ends."
        )

    def _next_pair(self, segment: Segment, takes: Sequence[Take]) -> Pair | None:
        """What is to be heard now; None where the cursor names one take only."""
        by_id = {take.id: take for take in takes}
        newest = takes[-1].id
        now = self._pair_of(segment)
        if now is not None and not by_id.keys() >= set(now.ids):
            now = None
        if self.focused is not self.take_list:
            if now is not None and now.newest == newest:
                return replace(now, heard=now.other)
            return Pair(takes[-2], takes[-1], takes[-2], newest)
        under = by_id.get(self.take_list.take_id or 0)
        if under is None:
            return None
        if now is not None and under.id in now.ids:
            return replace(now, heard=now.other)
        sounds = self.listening.active and self.listening.uid == segment.uid
        heard = by_id.get(self.listening.take or 0) if sounds else None
        if heard is not None and heard.id != under.id:
            return Pair(heard, under, under, newest)
        first = by_id.get(segment.chosen or 0)
        if first is None or first.id == under.id:
            return None
        return Pair(first, under, first, newest)

    def _pair_of(self, segment: Segment | None) -> Pair | None:
        """The two takes that are compared, if they are this segment's."""
        pair = self._pair
        return pair if pair and segment and pair.a.segment == segment.uid else None

    async def end_comparing(self) -> bool:
        """Hear no more of two takes, or of all in turn; False where nothing was compared."""
        compared = self._pair_of(self.current) is not None or bool(self._turn)
        self._pair, self._turn = None, []
        if compared and self.listening.active:
            await self.listening.stop()
            self.show_sound()
        return compared

    # All in turn.

    @work(exclusive=True, group="sound")
    async def action_takes_turn(self) -> None:
        """Hear every take of the segment, the oldest first."""
        segment = self.current
        if segment is None:
            return
        takes = await self.session.takes(segment.uid)
        if not takes:
            self.say_no_take(segment)
            return
        self._pair, self._turn = None, list(takes)
        await self._hear_next()
        if self.listening.active:
            keep = self.key("takes.keep")
            self.say(f"All takes in turn; {keep} chooses the one heard, {self.key('back')} ends.")

    async def _hear_next(self) -> None:
        take = self._turn.pop(0)
        segment = self.session.rows.get(take.segment)
        if segment is None:
            self._turn = []
            return
        place = segment.takes - len(self._turn)
        label = f"take {take.number}, {place} of {segment.takes}"
        await self.play_take(segment, take, label=label)
        self._turn_number = self.listening.number
        self.take_list.follow(take.id)
        if not self.listening.active:
            self._turn = []  # why nothing is heard was said

    @on(SoundEnded)
    def wait_for_next(self, event: SoundEnded) -> None:
        """One of the takes was heard to its end: a short silence, then the next."""
        if event.number != self._turn_number:
            return
        if event.fault:
            self._turn = []
        elif self._turn:
            self.set_timer(PAUSE_SECONDS, self._go_on_in_turn)

    @work(exclusive=True, group="sound")
    async def _go_on_in_turn(self) -> None:
        """Play the next, unless something else was played or everything was stopped meanwhile."""
        if self.listening.number != self._turn_number or self.listening.active:
            self._turn = []
        elif self._turn:
            await self._hear_next()
