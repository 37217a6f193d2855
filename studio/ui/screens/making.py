"""Narrating in the studio: segments, chapters, the book, and the queue."""

from __future__ import annotations

import asyncio
import shutil
from collections import Counter
from collections.abc import Sequence
from functools import partial

from textual import work

from studio.errors import StudioError
from studio.project.model import Kind, Segment, State, Take
from studio.ui import formats
from studio.ui.screens.prompt import Confirm
from studio.ui.screens.studio_base import StudioBase

LARGE = 200
"""Segments from which a bulk run is announced with its time and its size before it begins."""


class Making(StudioBase):
    """The actions of the group Narrate."""

    _bulk: bool = False
    """Whether bulk work was asked for and is not done yet."""

    async def action_segment_narrate(self) -> None:
        """Narrate what is selected, or the segment, where that would give something new."""
        if self.session.rows.selection:
            self._narrate_selected(self.targets, new_seeds=False)
            return
        if (segment := self._spoken_segment()) is None:
            return
        state = self.session.rows.state_of(segment)
        if state in (State.QUEUED, State.NARRATING):
            # Asked for again even so: what the engine has been given may be an older text.
            alone = self.session.waiting <= 1 and not self.session.director.paused
            await self._narrate_segment(segment, new_seed=False)
            already = state is State.NARRATING or alone
            where = f"is {state.value} already" if already else "comes next"
            self.say(f"Segment {segment.number} {where}.")
        elif _asks_for_a_take(segment, state):
            await self._narrate_segment(segment, new_seed=False)
        elif (lost := await self._lost_take(segment)) is not None:
            await self._bring_back(segment, lost)
        else:
            self.say(
                f"Segment {segment.number} would sound the same again;"
                f" {self.key('segment.reseed')} narrates it with a new seed."
            )

    def _narrate_selected(self, segments: Sequence[Segment], *, new_seeds: bool) -> None:
        """Narrate what of a selection gives something new; the rest is counted and explained."""
        wanted: list[Segment] = []
        left: Counter[tuple[str, str]] = Counter()
        for segment in segments:
            state = self.session.rows.state_of(segment)
            if segment.kind is Kind.SCENE_BREAK:
                left["is a scene break", "are scene breaks"] += 1
            elif new_seeds or _asks_for_a_take(segment, state):
                wanted.append(segment)
            else:
                left["would sound the same", "would sound the same"] += 1
        reasons = formats.reasons(left)
        new = f"; {self.key('segment.reseed')} gives new seeds" if not new_seeds else ""
        self._narrate(
            wanted,
            "the selection",
            f"Nothing to narrate: {reasons}{new}." if reasons else "Nothing is selected.",
            new_seeds=new_seeds,
            left=reasons,
        )

    async def _lost_take(self, segment: Segment) -> Take | None:
        """The chosen take, if its clip is missing or damaged."""
        takes = await self.session.takes(segment.uid)
        take = next((take for take in takes if take.id == segment.chosen), None)
        if take is None:
            return None
        try:
            await self.session.read(self.session.project.read_clip, take)
        except StudioError:
            return take
        return None

    async def _bring_back(self, segment: Segment, take: Take) -> None:
        """Make a lost clip again: with its seed, or where that would give another, of its kept
        speech tokens."""
        voiced = await self.session.read(self.session.project.replayed_takes, {segment.uid})
        if not voiced:
            await self._narrate_segment(segment, new_seed=False)
            return
        try:
            await self.session.voice_again(segment, take)
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        self.say(f"Voicing the lost take {take.number} of segment {segment.number} again.")

    async def action_segment_reseed(self) -> None:
        """Narrate what is selected, or the segment, with new seeds."""
        if self.session.rows.selection:
            self._narrate_selected(self.targets, new_seeds=True)
        elif (segment := self._spoken_segment()) is not None:
            waits = self.session.rows.state_of(segment) is State.QUEUED
            await self._narrate_segment(segment, new_seed=True)
            if waits:
                self.say(f"Segment {segment.number} comes next, with another seed.")

    def _spoken_segment(self) -> Segment | None:
        segment = self.current
        if segment is not None and segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break is silence; there is nothing to narrate.")
            return None
        return segment

    async def _narrate_segment(self, segment: Segment, *, new_seed: bool) -> None:
        try:
            await self.session.narrate_segment(segment, new_seed=new_seed)
        except StudioError as error:
            self.say(str(error), kind="error")

    def action_narrate_chapter(self) -> None:
        """Narrate what the chapter lacks."""
        if (chapter := self.session.chapter_of(self.current)) is not None:
            name = f"chapter {chapter.number}"
            self._narrate(self.session.lacking(chapter.id), name, f"{name} lacks nothing.")

    def action_narrate_book(self) -> None:
        """Narrate what the book lacks."""
        self._narrate(self.session.lacking(), "the book", "The book lacks nothing.")

    def action_narrate_failed(self) -> None:
        """Narrate all failed and stale segments again."""
        nothing = "No segment failed and none is stale."
        self._narrate(self.session.failed_and_stale(), "failed and stale segments", nothing)

    def _narrate(
        self,
        segments: Sequence[Segment],
        what: str,
        nothing: str,
        *,
        new_seeds: bool = False,
        left: str = "",
    ) -> None:
        """Narrate several segments, or say why there are none."""
        if segments:
            self._queue_bulk(segments, what, new_seeds, left)
        else:
            self.say(nothing[0].upper() + nothing[1:])

    # The description is ours, or Textual would spell out every one of the segments.
    @work(exclusive=True, group="narrate", description="narrate")
    async def _queue_bulk(
        self, segments: Sequence[Segment], what: str, new_seeds: bool, left: str
    ) -> None:
        """Queue bulk work: what is asked for, how long it takes, and whether there is room."""
        lines = f"{len(segments):,} segment{'s' * (len(segments) != 1)}"
        try:
            await self.session.must_repeat(segments)
            estimate = await self.session.estimate(segments)
            needed, seconds = estimate.bytes, estimate.seconds_wall
            free = shutil.disk_usage(self.session.project.folder).free
            if needed > free:
                self.say(
                    f"{lines} need about {needed // 1_000_000:,} MB and the disk has"
                    f" {free // 1_000_000:,} MB free; make room, or narrate less.",
                    kind="error",
                )
                return
            about = f", about {formats.duration(max(1.0, seconds))}" if seconds else ""
            size = f"{max(1, needed // 1_000_000):,} MB"
            long = await self.refused(segments)
            if len(segments) >= LARGE and not await self._agreed(
                f"{lines}{about} and {size}", long
            ):
                return
            label = f"narrated {lines} of {what}{' with new seeds' if new_seeds else ''}"
            # A few lines that were picked out are waited for, as a single one is.
            first = what == "the selection" and len(segments) < LARGE
            asked = self.session.narrate(segments, label, first=first, new_seeds=new_seeds)
            await asyncio.shield(asked)  # another key must not cut off what the project answers
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        self._bulk = True
        rest = f" Left out: {left}." if left else ""
        self.say(f"Queued {lines} of {what}{about}; {self.key('queue.stop')} stops.{rest}{long}")

    def tell_end_of_bulk(self) -> None:
        """Ring the bell when a bulk run is over: nobody sits beside a long one."""
        if not self._bulk or self.session.waiting:
            return
        self._bulk = False
        self.app.bell()
        rows = self.session.rows
        counts = {
            state.value: len(rows.in_state((state,))) for state in (State.FAILED, State.FLAGGED)
        }
        left = ", ".join(f"{count:,} {name}" for name, count in counts.items() if count)
        end = f"; {left}, {self.key('go.problem')} goes there" if left else ""
        self.say(f"The queue is done{end}.", lasting=True)

    async def _agreed(self, size: str, long: str) -> bool:
        """Ask before a long run; ``long`` says what of it an engine will refuse."""
        question = f"Narrate {size}? You can go on working meanwhile.{long}"
        return await self.app.push_screen_wait(Confirm(question, yes="narrate", no="not now"))

    # The mark.

    async def action_book_reproducible(self) -> None:
        """Mark the book as reproducible, or take the mark away."""
        project = self.session.project
        on = not (await self.session.read(project.settings)).reproducible
        if await self.change(partial(project.set_settings, reproducible=on)) is not None:
            told = "is marked reproducible: each take follows from its recipe alone"
            if on and (batched := await self.session.read(project.batched)):
                told = f"{told}, but for {len(batched):,} made in batches before"
            self.say(f"The book {told if on else 'is not marked reproducible any more'}.")

    # The queue.

    async def action_queue_clear(self) -> None:
        """Take everything out of the queue."""
        self._bulk = False
        waiting = self.session.waiting
        await self.session.do(self.session.project.clear_queue)
        lines = f"{waiting:,} segment{'s' * (waiting != 1)}"
        self.say(
            f"The queue is empty; {lines} went out of it." if waiting else "The queue is empty."
        )

    @work(group="stop")
    async def action_queue_stop(self) -> None:
        """Stop the sound and the clip in progress, or go on."""
        sounded = self.listening.active
        if sounded:
            await self.listening.stop()
            self.show_sound()
        director, session = self.session.director, self.session
        waiting, stands = session.waiting, bool(session.status.stopped_because)
        if (director.paused or stands) and not session.status.narrating:
            if waiting:
                session.go_on()
                self.say("Going on with the queue.")
            elif not sounded:
                self.say("Nothing waits in the queue.")
        elif waiting or session.status.narrating:
            await session.stop()
            self.say(
                f"Stopped; the queue is kept. {self.key('queue.stop')} goes on,"
                f" {self.key('queue.clear')} empties it."
            )
        elif not sounded:
            self.say("Nothing is running.")


def _asks_for_a_take(segment: Segment, state: State) -> bool:
    """Whether narrating it with its seed gives something new.

    What is queued counts, too: the engine may have been given an older text.
    """
    return state in _WANTING or segment.elsewhere


_WANTING = frozenset({State.DRAFT, State.FAILED, State.STALE, State.QUEUED, State.NARRATING})
