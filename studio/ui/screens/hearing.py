"""Listening in the studio: a segment, its takes, a join, the chapter from here on."""

from __future__ import annotations

from collections.abc import Sequence

from textual import on, work

from studio.errors import StudioError
from studio.project.model import Change, Kind, Segment, Take
from studio.ui import formats
from studio.ui.listening import Playing, load_clip, the_join
from studio.ui.messages import SoundEnded, SoundNotice, Trouble
from studio.ui.onward import Walk, rate_of_whole
from studio.ui.screens.tuning import Tuning
from studio.ui.whereabouts import Spot
from studio.ui.widgets.player_line import PlayerLine
from studio.ui.widgets.take_list import TakeList

SEEK_SECONDS = 2.0


class Hearing(Tuning):
    """The actions of the group Listen."""

    wanted_uid: str = ""
    """The segment to play as soon as its new take is there."""
    _no_sound: str = ""
    """Why nothing can be played, once that was found out."""

    # A segment.

    @work(exclusive=True, group="sound")
    async def action_segment_play(self) -> None:
        """Play the segment's chosen take, or stop the sound."""
        if self.listening.active:
            await self.listening.stop()
            self.show_sound()
            return
        segment = self.current
        if segment is not None and self.wanted_uid == segment.uid:
            self.wanted_uid = ""
            self.say(f"Segment {segment.number} will not be played by itself.")
            return
        if segment is not None and self._can_be_heard(segment):
            await self._play_chosen(segment)

    def _can_be_heard(self, segment: Segment) -> bool:
        """Whether there is something to play; says what to press where there is not."""
        narrating = segment.uid in self.session.rows.narrating
        if segment.kind is Kind.SCENE_BREAK:
            self.say("A scene break is silence; there is nothing to hear.")
        elif segment.queued or narrating:
            # An old clip must never pass for the one that was just asked for.
            self.wanted_uid = segment.uid
            if self.session.director.paused and not narrating:
                self.say(f"The queue is paused; {self.key('queue.stop')} goes on.")
            else:
                self.say(f"Segment {segment.number} plays as soon as it is narrated.")
        elif segment.chosen is None:
            again = self.key("segment.narrate")
            why = f" ({segment.failure})" if segment.failure else ""
            self.say(f"Segment {segment.number} has no take yet{why}; {again} narrates it.")
        else:
            return True
        return False

    async def _play_chosen(self, segment: Segment) -> None:
        takes = await self.session.takes(segment.uid)
        take = next((take for take in takes if take.id == segment.chosen), None)
        if take is None:
            return
        if segment.stale:
            what = " and ".join(segment.stale)
            self.say(
                f"Stale: its {what} changed since; {self.key('segment.narrate')} narrates it anew.",
                kind="warning",
            )
        await self.play_take(segment, take)

    async def play_take(
        self, segment: Segment, take: Take, *, start: float = 0.0, label: str = ""
    ) -> None:
        """Play a take, from a second on and under a name where that is wanted."""
        try:
            source = await self.session.read(load_clip, self.session.project, take)
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        try:
            await self.listening.play_clip(source, segment, take, start=start, label=label)
        except StudioError as error:
            self._tell_silence(error)
        self.show_sound()

    @on(TakeList.TakePlayed)
    def play_take_of_list(self, event: TakeList.TakePlayed) -> None:
        """Space in the list of takes: play that one, or stop it."""
        event.stop()
        self._toggle_take(event.take_id)

    @work(exclusive=True, group="sound")
    async def _toggle_take(self, take_id: int) -> None:
        same = self.listening.active and self.listening.take == take_id
        if self.listening.active:
            await self.listening.stop()
        take = next((take for take in self.takes if take.id == take_id), None)
        segment = self.session.rows.get(self.takes_of)
        if not same and take is not None and segment is not None:
            await self.play_take(segment, take)
        self.show_sound()

    def play_when_ready(self, touched: frozenset[str]) -> None:
        """Play the segment that was waited for, if its take has just come."""
        uid = self.wanted_uid
        if not uid or uid not in touched:
            return
        segment = self.session.rows.get(uid)
        if segment is None or segment.queued or uid in self.session.rows.narrating:
            return
        self.wanted_uid = ""
        self.forget_answer()
        if segment.failure:
            self.say(
                f"Segment {segment.number} could not be narrated: {segment.failure}", kind="error"
            )
        elif segment.chosen is not None:
            self.play_segment(segment)

    @work(exclusive=True, group="sound")
    async def play_segment(self, segment: Segment) -> None:
        """Play the chosen take of a segment."""
        await self._play_chosen(segment)

    # More than a segment.

    @work(exclusive=True, group="sound")
    async def action_listen_on(self) -> None:
        """Listen from the segment on; the cursor follows until it is moved."""
        segment = self.current
        if self.listening.what is Playing.ONWARD:
            await self.listening.stop()
            self.show_sound()
            return
        if segment is None:
            return
        if segment.chosen is None and segment.kind is not Kind.SCENE_BREAK:
            if not self.wishes.narrate_ahead or segment.failure:
                self._can_be_heard(segment)
                return
        try:
            walk = await self._walk_from(segment)
            self.grid.following = True
            await self.listening.play_onward(walk, segment)
        except StudioError as error:
            self.grid.following = False
            self._tell_silence(error)
        self.show_sound()

    async def _walk_from(self, segment: Segment) -> Walk:
        """Get ready to lay out the book from a segment on."""
        from studio.sound.onward import Onward

        rows = self.chapter_rows(segment)
        # The whole has the rate that the export gives the chapter.
        chosen = [row.chosen for row in rows if row.chosen is not None]
        rate = await self.session.read(rate_of_whole, self.session.project, chosen)
        return Walk(
            self.session,
            Onward(rate),
            segment,
            narrate_ahead=self.wishes.narrate_ahead,
            tell=lambda sentence: self.say(sentence, kind="warning", lasting=True),
        )

    @work(exclusive=True, group="sound")
    async def action_listen_join(self) -> None:
        """Listen to the end of the segment, its pause and the start of the next."""
        if (segment := self.current) is not None:
            await self._play_join(segment)

    @work(exclusive=True, group="sound")
    async def action_listen_join_before(self) -> None:
        """Listen to the end of the segment before, its pause and the start of this one."""
        segment = self.current
        if segment is None:
            return
        rows = self.chapter_rows(segment)
        before = [row for row in rows if row.number < segment.number]
        spoken = [row for row in before if row.kind is not Kind.SCENE_BREAK]
        if not spoken:
            self.say("The chapter begins with this segment; there is no join before it.")
            return
        await self._play_join(spoken[-1])

    async def _play_join(self, segment: Segment) -> None:
        """Play the join after a segment."""
        try:
            source = await self.session.read(
                the_join, self.session.project, self.chapter_rows(segment), segment
            )
        except StudioError as error:
            self.say(str(error), kind="error")
            return
        if source is None:
            self.say("A join needs a take of the segment before it and of the one after.")
            return
        try:
            await self.listening.play_join(source, segment)
        except StudioError as error:
            self._tell_silence(error)
        self.show_sound()

    def chapter_rows(self, segment: Segment) -> Sequence[Segment]:
        """All segments of the segment's chapter, whatever the filter shows."""
        chapter = self.session.chapter_of(segment)
        if chapter is None:
            return [segment]
        return self.session.rows.all[chapter.first - 1 : chapter.first - 1 + chapter.segments]

    def action_listen_back(self) -> None:
        """Two seconds back."""
        self._seek(-SEEK_SECONDS)

    def action_listen_forward(self) -> None:
        """Two seconds forward."""
        self._seek(SEEK_SECONDS)

    def _seek(self, seconds: float) -> None:
        if self.listening.active:
            self.listening.seek_by(seconds)
            self.show_sound()
        else:
            self.say(f"Nothing plays; {self.key('segment.play')} plays the segment.")

    @on(PlayerLine.SeekRequested)
    def seek_to_click(self, event: PlayerLine.SeekRequested) -> None:
        """A click on the bar."""
        event.stop()
        self.listening.seek_within(event.seconds)

    def hear_change(self, change: Change) -> None:
        """The book has changed: what was waited for may be there, what comes may be another."""
        self.play_when_ready(change.segments)
        if self.listening.walk is not None:
            self.listening.walk.look_again(settings=bool(change.settings))

    # What the player tells.

    @on(SoundNotice)
    def tell_notice(self, event: SoundNotice) -> None:
        """The sound goes on, but not as it was asked for."""
        event.stop()
        self.say(event.sentence, kind="warning", lasting=True)

    @on(SoundEnded)
    def sound_ended(self, event: SoundEnded) -> None:
        """It was heard to its end; where a segment lacked a take, say so."""
        missing = None if event.fault else self.listening.missing
        if not self.listening.ended(event.number):
            return
        if event.fault:
            self.say(event.fault, kind="warning", lasting=True)
        self.grid.following = False
        if missing is not None:
            self.grid.move_to_uid(missing.uid)
            self.say(
                f"Segment {missing.number} has no take yet;"
                f" {self.key('segment.narrate')} narrates it, "
                f"{self.key('narrate.chapter')} all that the chapter lacks.",
                lasting=True,
            )
        self.show_sound()

    def show_sound(self) -> None:
        """Bring the player's line up to date, and the cursor where it follows."""
        listening = self.listening
        spot = listening.spot() if listening.active else None
        if spot is None:
            self.grid.following = False
            position, duration, label = listening.position, listening.duration, listening.label
        else:
            self.grid.follow(spot.uid)
            position, duration, label = spot.at, spot.length, _place(spot)
        waits = spot.waits if spot is not None else ""
        if waits and self.session.director.paused:
            waits += f", {self.key('queue.stop')} goes on"
        self.player_line.show(
            position,
            duration,
            listening.active,
            label,
            speed=listening.speed,
            volume=listening.volume,
            waits=waits,
        )

    def _tell_silence(self, error: StudioError) -> None:
        """Say once at length why there is no sound, then leave it in the player's line."""
        if str(error) != self._no_sound:
            self.say(str(error), kind="warning")
        self._no_sound = str(error)
        self.player_line.set_empty(f"{str(error).split(';')[0].rstrip('.')}.")

    @on(Trouble)
    def tell_trouble(self, event: Trouble) -> None:
        """Something went wrong elsewhere."""
        event.stop()
        self.say(event.sentence, kind="error")


def _place(spot: Spot) -> str:
    """Where listening onward has come, for the player's line."""
    label = f"segment {spot.number}" if not spot.waits else ""
    if spot.chapter is not None:
        # What waits names its segment itself.
        label = f"{'' if spot.waits else f'{spot.number} · '}chapter {spot.chapter.number}"
        if spot.in_chapter is not None:
            now, whole = formats.duration(spot.in_chapter), formats.duration(spot.chapter_length)
            label += f" {now} of {whole}"
    return label
