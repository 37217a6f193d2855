"""What a person hears: a clip, a join, or the chapter from somewhere on; and where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, Protocol

from studio.errors import StudioError
from studio.project.model import Kind, Segment, Take
from studio.project.project import Project

if TYPE_CHECKING:
    # Imported where something is played: a book is on the screen before the sound's modules are.
    from studio.sound.assembly import Timeline
    from studio.sound.source import AudioSource, ClipSource


class Playing(Enum):
    """What is being played."""

    NOTHING = auto()
    CLIP = auto()
    JOIN = auto()
    ONWARD = auto()


class Sound(Protocol):
    """What is needed of a player; tests bring one without a device."""

    on_end: Callable[[], None]
    on_fault: Callable[[str], None]

    @property
    def position(self) -> float:
        """Seconds into the sound."""

    @property
    def duration(self) -> float:
        """Its length in seconds."""

    @property
    def playing(self) -> bool:
        """Whether it sounds at this moment."""

    def play(self, source: AudioSource, start_frame: int = 0) -> None:
        """Begin."""

    def stop(self) -> None:
        """Be silent."""

    def seek(self, seconds: float) -> None:
        """Go to a place."""


@dataclass(frozen=True, slots=True)
class Onward:
    """A stretch of a chapter that is ready to be listened to."""

    timeline: Timeline
    start: int
    """Frame to begin at."""
    missing: Segment | None
    """The segment it stops before, because that has no take."""


class Listening:
    """The player, and what is known of the sound it plays."""

    def __init__(
        self, make_player: Callable[[], Sound], on_end: Callable[[int, str], None]
    ) -> None:
        """Play through the player that ``make_player`` makes when something is played.

        Args:
            make_player: Makes what makes the sound.
            on_end: Told which playing ended, and why if it broke off; called from a thread.
        """
        self._make_player = make_player
        self._made: Sound | None = None
        self._on_end = on_end
        self._timeline: Timeline | None = None
        self.number = 0
        self.what = Playing.NOTHING
        self.label = ""
        self.uid = ""
        """The segment whose take plays, or from which on it plays."""
        self.take: int | None = None
        self.missing: Segment | None = None

    @property
    def _player(self) -> Sound:
        if self._made is None:
            self._made = self._make_player()
        return self._made

    @property
    def position(self) -> float:
        """Seconds into the sound."""
        return self._player.position if self.what is not Playing.NOTHING else 0.0

    @property
    def duration(self) -> float:
        """Length of the sound in seconds."""
        return self._player.duration if self.what is not Playing.NOTHING else 0.0

    @property
    def active(self) -> bool:
        """Whether something plays."""
        return self.what is not Playing.NOTHING

    async def play_clip(
        self,
        source: ClipSource,
        segment: Segment,
        take: Take,
        *,
        start: float = 0.0,
        label: str = "",
    ) -> None:
        """Play one take.

        Args:
            source: Its sound.
            segment: Whose take it is.
            take: The take.
            start: Second to begin at; the beginning where the take is over by then.
            label: What the player's line says of it; which take it is where that is empty.
        """
        said = label or f"take {take.number} of segment {segment.number}"
        self._begin(Playing.CLIP, said, segment.uid)
        self.take = take.id
        frame = int(start * source.rate)
        await self._play(source, frame if frame < source.frames else 0)

    async def play_join(self, source: AudioSource, segment: Segment) -> None:
        """Play the end of a segment and the start of the next."""
        self._begin(Playing.JOIN, f"the join after segment {segment.number}", segment.uid)
        await self._play(source)

    async def play_onward(self, onward: Onward, segment: Segment) -> None:
        """Play the chapter from a segment on."""
        self._begin(Playing.ONWARD, f"from segment {segment.number} on", segment.uid)
        self._timeline, self.missing = onward.timeline, onward.missing
        await self._play(onward.timeline, onward.start)

    def current_uid(self) -> str | None:
        """The segment that sounds now, while listening onward."""
        timeline = self._timeline
        if timeline is None or self.what is not Playing.ONWARD:
            return None
        return timeline.pieces[timeline.piece_at(int(self.position * timeline.rate))].label

    def seek_by(self, seconds: float) -> None:
        """Go back or forward in what plays."""
        self.seek_to(self.position + seconds)

    async def stop(self) -> None:
        """Be silent, and forget what played."""
        self.number += 1
        self._forget()
        if self._made is not None:
            await asyncio.to_thread(self._made.stop)

    def seek_to(self, seconds: float) -> None:
        """Go to a place in what plays."""
        if self.active:
            self._player.seek(max(0.0, min(seconds, self.duration)))

    def ended(self, number: int) -> bool:
        """Take note that a playing ended; False where it is not the one that plays now."""
        if number != self.number:
            return False
        self._forget()
        return True

    async def _play(self, source: AudioSource, start: int = 0) -> None:
        """Begin, off the event loop: opening a device takes its time.

        Raises:
            MachineFault: Nothing can be played; the sentence says why.
        """
        number = self.number
        try:
            await asyncio.to_thread(self._player.play, source, start)
        except StudioError:
            if number == self.number:
                self._forget()
            raise

    def _begin(self, what: Playing, label: str, uid: str) -> None:
        self.number += 1
        self._forget()
        self.what, self.label, self.uid = what, label, uid
        # Bound now: an end that arrives after the next sound began says which one it was.
        self._player.on_end = partial(self._on_end, self.number, "")
        self._player.on_fault = partial(self._on_end, self.number)

    def _forget(self) -> None:
        self.what, self.label, self.uid = Playing.NOTHING, "", ""
        self._timeline, self.take, self.missing = None, None, None


def load_clip(project: Project, take: Take) -> ClipSource:
    """Decode a take's clip."""
    from studio.sound.source import ClipSource

    return ClipSource.from_pcm(*project.read_clip(take))


def onward(project: Project, chapter: Sequence[Segment], start: Segment) -> Onward | None:
    """Lay out a chapter from a segment on, as the export would, up to the first without a take.

    Returns:
        What can be heard, or None where the segment itself has no take.
    """
    heard, missing = _heard(chapter, start)
    timeline = _timeline(project, heard)
    if timeline is None:
        return None
    place = [segment.uid for segment in heard].index(start.uid)
    return Onward(timeline, int(timeline.starts[place]), missing)


def the_join(project: Project, chapter: Sequence[Segment], at: Segment) -> AudioSource | None:
    """The join after a segment, or None where the segment or the one after it has no take."""
    from studio.sound.assembly import join

    heard, _ = _heard(chapter, at)
    place = [segment.uid for segment in heard].index(at.uid) if at in heard else -1
    timeline = _timeline(project, heard)
    spoken_after = any(segment.chosen is not None for segment in heard[place + 1 :])
    if timeline is None or place < 0 or not spoken_after:
        return None
    return join(timeline, place)


def _heard(chapter: Sequence[Segment], start: Segment) -> tuple[Sequence[Segment], Segment | None]:
    """The segments from ``start`` to the first that lacks a take, and that one.

    What stands before ``start`` is left out: it may lack takes, and nobody asked for it.
    """
    begin = next(place for place, segment in enumerate(chapter) if segment.uid == start.uid)
    for place, segment in enumerate(chapter[begin:], begin):
        if segment.chosen is None and segment.kind is not Kind.SCENE_BREAK:
            return chapter[begin:place], segment
    return chapter[begin:], None


def _timeline(project: Project, segments: Sequence[Segment]) -> Timeline | None:
    from studio.sound.plan import chosen_timeline

    if all(segment.chosen is None for segment in segments):
        return None
    return chosen_timeline(project, segments)
