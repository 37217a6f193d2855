"""Listening through the book: what comes next is decided as late as possible, from the rows.

A segment that is narrated again, edited, deleted or moved while others are heard is heard as it is
when its turn comes. What lacks a take is narrated ahead of the ear, and waited for.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeAlias

from studio.errors import StudioError
from studio.project.model import Kind, Origin, Segment
from studio.project.project import Project
from studio.sound.pauses import PauseRules, after
from studio.ui.services import Session
from studio.ui.turns import Turn, Turns
from studio.ui.whereabouts import Spot, chapter_times, seconds_of

if TYPE_CHECKING:
    # Imported where something is played: a book is on the screen before the sound's modules are.
    from studio.sound.onward import Laid, Onward
    from studio.sound.source import Samples

Gains: TypeAlias = Mapping[Origin, float]
"""What clips are multiplied by, by `Take.origin`: each that is known has one."""

LAID_SECONDS = 5.0
"""How much is laid out ahead of what was read; it can be taken back until it is read."""
AHEAD_SEGMENTS = 3
"""Segments that are narrated ahead of the ear, at the least,"""
AHEAD_SECONDS = 20.0
"""and how much sound they make together, at the least;"""
MOST_AHEAD = 12
"""and how many are looked at, at the most."""
LOOK_SECONDS = 0.15
"""How often it is looked whether more must be laid out."""

log = logging.getLogger(__name__)


class Walk:
    """Lays out the book from a segment on, in front of an ear that follows."""

    def __init__(
        self,
        session: Session,
        source: Onward,
        start: Segment,
        *,
        narrate_ahead: bool,
        tell: Callable[[str], None],
    ) -> None:
        """Begin at a segment; `begin` and `run` do the work.

        Args:
            session: The open book.
            source: What to lay out into.
            start: The first segment to be heard.
            narrate_ahead: Whether to narrate what lacks a take.
            tell: Told in one sentence what is skipped, or heard though it is stale.
        """
        self.source = source
        self.waiting: Segment | None = None
        """The segment without which nothing more can be laid out."""
        self.missing: Segment | None = None
        """The segment that it ends before, where nothing is narrated ahead."""
        self.rules = PauseRules()
        self._session = session
        self._turns = Turns(session, narrate_ahead=narrate_ahead, tell=tell)
        self._tell = tell
        self._due = start.uid
        self._done: Segment | None = None
        self._seen: dict[str, Segment] = {start.uid: start}
        self._before = ""
        self._told: set[tuple[str, str]] = set()
        self._generation = 0
        self._old_rules = True
        self._gains: Gains = {}
        self._changed = self._over = False
        self._stirred = asyncio.Event()
        self._heard = start.uid
        self._reckoned = ""
        self._times: tuple[dict[str, float], float] = ({}, 0.0)

    # What the screen asks.

    async def begin(self) -> None:
        """Lay out the beginning; `run` goes on."""
        await self._lay_out()

    async def run(self) -> None:
        """Lay out what the ear will need next, and have narrated what it will need then."""
        try:
            while not self._over:
                await self.look()
                await self._reckon()
                with suppress(TimeoutError):
                    async with asyncio.timeout(LOOK_SECONDS):
                        await self._stirred.wait()
                self._stirred.clear()
        except StudioError as error:
            self._tell(str(error))
        except Exception:
            log.exception("listening onward ended")
            self._tell("Listening ended by a fault in Rhapsode; the log has the details.")
        self.source.finish()

    async def look(self) -> None:
        """Do what is to be done now."""
        if self._changed:
            self._changed = False
            await self._take_back()
        await self._lay_out()
        await self._turns.ask(self._ahead())

    def end(self) -> None:
        """Nobody listens any more; what is being done is finished."""
        self._over = True
        self._stirred.set()

    def look_again(self, *, settings: bool) -> None:
        """The book has changed: what nobody has read yet may have to be taken back.

        Args:
            settings: Whether its settings did, too.
        """
        self._changed = True
        self._old_rules |= settings
        self._stirred.set()

    def go_back_to(self, frame: int) -> None:
        """Lay out anew, as the book is now, from the segment on that a frame belongs to."""
        laid = self.source.rewind(frame)
        if laid is not None:
            self._generation += 1
            self._due, self._done, self._before = laid.label, None, ""
            self.waiting = self.missing = None
            self._stirred.set()

    def spot(self, seconds: float) -> Spot:
        """Where the ear is at a second of the whole."""
        rate = self.source.rate
        frame = int(seconds * rate)
        span = self.source.span(frame)
        if (frame + 2 >= self.source.end and not self.source.finished) or span is None:
            # What comes next is not laid out yet.
            uid = self._due if self._done is None else self._done.uid
            return self._spot(uid, 0.0, 0.0)
        laid, end = span
        return self._spot(laid.label, (frame - laid.start) / rate, (end - laid.start) / rate)

    def _spot(self, uid: str, at: float, length: float) -> Spot:
        self._heard = uid
        segment = self._session.rows.get(uid) or self._seen.get(uid)
        times = self._times if uid in self._times[0] else None
        return Spot(
            uid=uid,
            number=segment.number if segment is not None else 0,
            at=at,
            length=length,
            chapter=self._session.chapter_of(segment),
            in_chapter=times[0][uid] + at if times else None,
            chapter_length=times[1] if times else 0.0,
            waits=self._why_waiting() if not length else "",
        )

    def _why_waiting(self) -> str:
        """What is waited for, in a few words, or nothing."""
        if self.waiting is None:
            return ""
        status = self._session.status
        why = ""
        if status.stopped_because:
            why = ": narration has stopped"
        elif self._turns.paused(self.waiting):
            why = ": narration is paused"
        return f"waits for segment {self.waiting.number}{why}"

    async def _reckon(self) -> None:
        """Work out when the segments of the chapter that is heard begin."""
        heard, session = self._heard, self._session
        segment = session.rows.get(heard)
        if heard == self._reckoned or segment is None:
            return
        self._reckoned = heard
        chapter = session.chapter_of(segment)
        if chapter is not None:
            first = chapter.first - 1
            rows = session.rows.all[first : first + chapter.segments]
            # A chapter may have thousands of segments.
            self._times = await asyncio.to_thread(chapter_times, rows, self.rules)

    # Laying out.

    async def _lay_out(self) -> None:
        source = self.source
        while not source.finished and source.end - source.taken < LAID_SECONDS * source.rate:
            if not await self._step():
                break
            # A thousand failed segments without a pause between them are laid out without a wait.
            await asyncio.sleep(0)

    async def _step(self) -> bool:
        """Lay out the next piece; False where it must be waited for."""
        await self._read_rules()
        if self._done is not None:
            self._lay_silence(self._done)
            return True
        segment = self._now_due()
        if segment is None:
            self.source.finish()
            return True
        turn = await self._turns.of(segment)
        self.waiting = segment if turn is Turn.WAIT else None
        if turn is Turn.PLAY:
            await self._lay_clip(segment)
        elif turn is Turn.SKIP:
            why = segment.failure or "it was taken out of the queue"
            self._tell_once(segment, f"Segment {segment.number} is skipped: {why}")
            self._add(segment, None, None)
        elif turn is Turn.END:
            self.missing = segment
            self.source.finish()
        return turn is not Turn.WAIT

    def _now_due(self) -> Segment | None:
        """The segment whose turn it is: what was due may be gone, or others stand before it now."""
        segment = self._session.rows.get(self._due)
        if self._before or segment is None:
            segment = self._next_after(self._seen[self._before or self._due])
        if segment is not None:
            self._due = segment.uid
        return segment

    async def _read_rules(self) -> None:
        if self._old_rules:
            settings = await self._session.read(self._session.project.settings)
            self.rules, self._old_rules = settings.pauses, False

    async def _lay_clip(self, segment: Segment) -> None:
        generation = self._generation
        samples: Samples | None = None
        if segment.chosen is not None and segment.kind is not Kind.SCENE_BREAK:
            project = self._session.project
            try:
                origin = (await self._session.read(project.take, segment.chosen)).origin
                if origin not in self._gains:
                    self._gains = await self._session.read(_gains, project)
                samples = await self._session.read(
                    _samples, project, segment.chosen, self.source.rate, self._gains
                )
            except StudioError as error:
                self._tell_once(segment, str(error))
        now = self._session.rows.get(segment.uid)
        if generation == self._generation and now is not None and now.chosen == segment.chosen:
            if segment.stale or segment.failure:
                self._tell_old(segment)
            self._add(segment, samples, segment.chosen)

    def _add(self, segment: Segment, samples: Samples | None, take: int | None) -> None:
        self._seen[segment.uid] = self._done = segment
        self.source.add_clip(segment.uid, _nothing() if samples is None else samples, take)

    def _lay_silence(self, done: Segment) -> None:
        following, frames = self._silence_after(done)
        self.source.add_silence(done.uid, frames)
        self._done, self._before = None, done.uid
        if following is None:
            self.source.finish()
        else:
            self._due = following.uid

    def _silence_after(self, segment: Segment) -> tuple[Segment | None, int]:
        """What follows a segment now, and for how many frames it is silent before."""
        from studio.sound.assembly import in_frames

        rate, rules = self.source.rate, self.rules
        now = self._session.rows.get(segment.uid) or segment
        following = self._next_after(segment)
        if following is not None and following.chapter == now.chapter:
            return following, in_frames(after(now, following, rules), rate)
        frames = in_frames(rules.tail, rate)
        return following, frames + (in_frames(rules.head, rate) if following is not None else 0)

    def _next_after(self, segment: Segment) -> Segment | None:
        """The segment that follows; of one that is gone, what stands in its place."""
        rows = self._session.rows
        if (now := rows.get(segment.uid)) is not None:
            self._seen[segment.uid] = now  # with the place that it has by now
            return rows.after(segment.uid)
        return rows.instead_of(segment.uid)

    def _tell_old(self, segment: Segment) -> None:
        what = " and ".join(segment.stale)
        why = f"its {what} changed since" if what else segment.failure
        self._tell_once(segment, f"Segment {segment.number} is heard in its old take: {why}")

    def _tell_once(self, segment: Segment, sentence: str) -> None:
        key = (segment.uid, sentence)
        if key not in self._told:
            self._told.add(key)
            self._tell(sentence if sentence.endswith(".") else f"{sentence}.")

    # What changed meanwhile.

    async def _take_back(self) -> None:
        """Take back, of what nobody has read, all from the first piece on that is not right now."""
        await self._read_rules()
        pieces = self.source.not_read()
        for place, laid in enumerate(pieces):
            before = pieces[place - 1] if place else None
            if laid.start < self.source.taken or await self._still_right(laid, before):
                continue
            # With the clip goes the silence before it, which hangs on both its neighbours.
            whole = before is not None and before.silence and self.source.cut(before)
            if whole or self.source.cut(laid):
                self._stand_before(before if whole and before is not None else laid, before)
                return

    async def _still_right(self, laid: Laid, before: Laid | None) -> bool:
        """Whether a piece would be laid out like this now."""
        segment = self._seen[laid.label]
        if laid.silence:
            return self._silence_after(segment)[1] == laid.frames
        now = self._session.rows.get(laid.label)
        if before is not None:
            following = self._next_after(self._seen[before.label])
            if following is None or following.uid != laid.label:
                return False
        if now is None:
            return False
        turn = await self._turns.of(now)
        take = now.chosen if turn is Turn.PLAY else None
        return turn in (Turn.PLAY, Turn.SKIP) and take == laid.take

    def _stand_before(self, laid: Laid, before: Laid | None) -> None:
        """Go on with a piece that was taken back."""
        self._generation += 1
        self.waiting = self.missing = None
        if laid.silence:
            self._done = self._seen[laid.label]
            return
        self._done, self._due, self._before = None, laid.label, ""
        if before is not None:
            self._before = before.label
            following = self._next_after(self._seen[before.label])
            if following is None:
                self.source.finish()
            else:
                self._due = following.uid

    def _ahead(self) -> Iterator[Segment]:
        """The segments that come next, as far as narrating ahead looks."""
        rows = self._session.rows
        segment = self._done or rows.get(self._due)
        seconds = 0.0
        for count in range(MOST_AHEAD):
            if segment is None or (count >= AHEAD_SEGMENTS and seconds >= AHEAD_SECONDS):
                return
            yield segment
            seconds += seconds_of(segment)
            segment = self._next_after(segment)


def rate_of_whole(project: Project, chosen: Sequence[int]) -> int:
    """The rate of the whole that some takes make; for the desk."""
    from studio.sound.plan import rate_of

    return rate_of(map(project.take, chosen))


def _gains(project: Project) -> Gains:
    """What brings the voices of several models to one loudness, as in the export; for the desk."""
    from studio.sound.levels import factors, levels

    return {**dict.fromkeys(project.chosen_by_origin(), 1.0), **factors(levels(project))}


def _samples(project: Project, take_id: int, rate: int, gains: Gains) -> Samples:
    """A take's clip, ready to be laid out; for the desk."""
    from studio.sound.assembly import amplified, ready_clip

    take = project.take(take_id)
    pcm, its_rate = project.read_clip(take)
    clip = ready_clip(pcm, its_rate, rate)
    gain = gains.get(take.origin, 1.0)
    return clip if gain == 1.0 else amplified(clip, gain)


def _nothing() -> Samples:
    import numpy as np

    return np.zeros(0, np.float32)
