"""What a person hears: a clip, a join, or the chapter from somewhere on; and where they are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum, auto
from functools import partial
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from studio.errors import StudioError
from studio.project.model import Kind, Segment, Take
from studio.project.project import Project
from studio.ui.onward import Walk
from studio.ui.whereabouts import Spot

if TYPE_CHECKING:
    # Imported where something is played: a book is on the screen before the sound's modules are.
    from studio.sound.assembly import Timeline
    from studio.sound.source import AudioSource, ClipSource


P = ParamSpec("P")
T = TypeVar("T")

SPEEDS = (0.75, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)
"""Speeds of listening."""
MOST_VOLUME = 1.5
"""How loud it gets."""
THREADS = 4
"""Calls to the player at a time: where its device hangs, nothing else shall wait for it."""
CLOSE_SECONDS = 2.0
"""How long the end waits for what is being laid out, on a disk that hangs."""


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
    on_notice: Callable[[str], None]
    volume: float
    """1 for as it is."""
    device: str | None
    """What it plays on; None for the system's own."""

    @property
    def position(self) -> float:
        """Seconds into the sound, at any speed."""

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

    def set_speed(self, speed: float) -> None:
        """Play faster or slower; may take a moment."""

    def set_device(self, device: str | None) -> None:
        """Play on another device; may take a moment."""

    def devices(self) -> tuple[str, ...]:
        """Names of the devices; may take a moment."""

    def close(self) -> None:
        """Stop and end what belongs to it."""


class Listening:
    """The player, and what is known of the sound it plays."""

    def __init__(
        self,
        make_player: Callable[[], Sound],
        on_end: Callable[[int, str], None],
        on_notice: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        """Play through the player that ``make_player`` makes when something is played.

        Args:
            make_player: Makes what makes the sound.
            on_end: Told which playing ended, and why if it broke off; called from a thread.
            on_notice: Told what is not as it was asked for; called from a thread.
        """
        self._make_player = make_player
        self._made: Sound | None = None
        self._on_end = on_end
        self._on_notice = on_notice
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sound")
        self._laying: set[asyncio.Task[None]] = set()
        self._opened = False
        """Whether the player plays this sound; while it is opened it tells of the one before."""
        self._begins_at = self._lasts = 0.0
        self.walk: Walk | None = None
        """What lays out the sound that goes onward."""
        self.volume = 1.0
        self.speed = 1.0
        self.device: str | None = None
        self.number = 0
        self.what = Playing.NOTHING
        self.label = ""
        self.uid = ""
        """The segment whose take plays, or from which on it plays."""
        self.take: int | None = None

    @property
    def _player(self) -> Sound:
        if self._made is None:
            self._made = self._make_player()
            self._made.on_notice = self._on_notice
            self._made.volume, self._made.device = self.volume, self.device
        return self._made

    @property
    def position(self) -> float:
        """Seconds into the sound."""
        if self.what is Playing.NOTHING:
            return 0.0
        return self._player.position if self._opened else self._begins_at

    @property
    def duration(self) -> float:
        """Length of the sound in seconds."""
        return self._player.duration if self._opened else self._lasts

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

    async def play_alone(self, source: AudioSource, label: str) -> None:
        """Play what is no take of the book: a voice's sample, a word."""
        self._begin(Playing.CLIP, label, "")
        await self._play(source)

    async def play_onward(self, walk: Walk, segment: Segment) -> None:
        """Play the book from a segment on, as it is laid out."""
        self._begin(Playing.ONWARD, f"from segment {segment.number} on", segment.uid)
        self.walk = walk
        await asyncio.shield(self._by_itself(self._lay_out_and_open(walk, self.number)))

    async def _lay_out_and_open(self, walk: Walk, number: int) -> None:
        try:
            await walk.begin()
        except StudioError:
            if number == self.number:
                self._forget()
            raise
        if number == self.number:
            self._by_itself(walk.run())
            await self._open(walk.source, 0, number)

    @property
    def missing(self) -> Segment | None:
        """The segment that listening onward ends before, because that has no take."""
        return None if self.walk is None else self.walk.missing

    def spot(self) -> Spot | None:
        """What sounds now, while listening onward."""
        return None if self.walk is None else self.walk.spot(self.position)

    def current_uid(self) -> str | None:
        """The segment that sounds now, while listening onward."""
        spot = self.spot()
        return None if spot is None else spot.uid

    def take_of(self, uid: str) -> int | None:
        """The take of a segment that sounds now, by itself or while listening onward."""
        if self.walk is None:
            return self.take if self.uid == uid else None
        span = self.walk.source.span(int(self.position * self.walk.source.rate))
        return span[0].take if span is not None and span[0].label == uid else None

    def seek_by(self, seconds: float) -> None:
        """Go back or forward in what plays."""
        self.seek_to(self.position + seconds)

    async def stop(self) -> None:
        """Be silent, and forget what played."""
        self.number += 1
        self._forget()
        if self._made is not None:
            await self._call(self._made.stop)

    async def close(self) -> None:
        """Be silent for good."""
        self.number += 1
        self._forget()
        if self._made is not None:
            await self._call(self._made.close)
        if self._laying:
            await asyncio.wait(self._laying, timeout=CLOSE_SECONDS)
        self._threads.shutdown(wait=False)

    def seek_to(self, seconds: float) -> None:
        """Go to a place in what plays; onward, back is to what the book is by now."""
        if not self.active:
            return
        end = self.duration
        if self.walk is not None:
            source = self.walk.source
            # At the very beginning nothing is behind the ear, but some of it is on its way there.
            if seconds <= self.position:
                self.walk.go_back_to(int(max(0.0, seconds) * source.rate))
            else:
                end = source.end / source.rate
        self._player.seek(max(0.0, min(seconds, end)))

    def seek_within(self, seconds: float) -> None:
        """Go to a place in what the player's line shows: onward, that is the segment."""
        spot = self.spot()
        before = 0.0 if spot is None else self.position - spot.at
        self.seek_to(before + seconds)

    def hear_again(self) -> None:
        """Onward, begin the segment anew, with the take that is chosen now."""
        self.seek_within(0.0)

    # How it sounds.

    def set_volume(self, volume: float) -> None:
        """Make it louder or softer, at once."""
        self.volume = volume
        if self._made is not None:
            self._made.volume = volume

    async def set_speed(self, speed: float) -> None:
        """Make it faster or slower at the same pitch, what plays now included."""
        self.speed = speed
        if self._made is not None:
            await self._call(self._made.set_speed, speed)

    async def set_device(self, device: str | None) -> None:
        """Play on another device, what plays now included.

        Raises:
            MachineFault: Nothing can be played there; the sentence says why.
        """
        self.device = device
        if self._made is not None:
            await self._call(self._made.set_device, device)

    async def devices(self) -> tuple[str, ...]:
        """Names of the devices that can be played on.

        Raises:
            MachineFault: There is no sound system; the sentence says why.
        """
        return await self._call(self._player.devices)

    def ended(self, number: int) -> bool:
        """Take note that a playing ended; False where it is not the one that plays now."""
        if number != self.number:
            return False
        self._forget()
        return True

    async def _play(self, source: AudioSource, start: int = 0) -> None:
        """Begin, in one piece: another key may end who asked for it, but not half of it.

        Raises:
            MachineFault: Nothing can be played; the sentence says why.
        """
        self._begins_at, self._lasts = start / source.rate, source.frames / source.rate
        await asyncio.shield(self._by_itself(self._open(source, start, self.number)))

    async def _open(self, source: AudioSource, start: int, number: int) -> None:
        """Begin, off the event loop: opening a device takes its time."""
        if number != self.number:
            return
        try:
            await self._call(self._sound, self._player, source, start)
        except StudioError:
            if number == self.number:
                self._forget()
            raise
        self._opened = self.active and number == self.number

    def _by_itself(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Do something as a task of its own, which is waited for at the end."""
        task = asyncio.create_task(work)
        self._laying.add(task)
        task.add_done_callback(self._done_with)
        return task

    def _done_with(self, task: asyncio.Task[None]) -> None:
        self._laying.discard(task)
        if not task.cancelled():
            task.exception()  # told to whoever still waits for it

    def _sound(self, player: Sound, source: AudioSource, start: int) -> None:
        """Begin, in a thread."""
        player.set_speed(self.speed)
        player.play(source, start)

    async def _call(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the player in a thread of its own."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, partial(call, *args, **kwargs))

    def _begin(self, what: Playing, label: str, uid: str) -> None:
        self.number += 1
        self._forget()
        self.what, self.label, self.uid = what, label, uid
        # Bound now: an end that arrives after the next sound began says which one it was.
        self._player.on_end = partial(self._on_end, self.number, "")
        self._player.on_fault = partial(self._on_end, self.number)

    def _forget(self) -> None:
        self.what, self.label, self.uid = Playing.NOTHING, "", ""
        if self.walk is not None:
            self.walk.end()
        self.walk, self.take = None, None
        self._opened = False
        self._begins_at = self._lasts = 0.0


def load_clip(project: Project, take: Take) -> ClipSource:
    """Decode a take's clip."""
    from studio.sound.source import ClipSource

    return ClipSource.from_pcm(*project.read_clip(take))


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
    from studio.sound.levels import factors, levels
    from studio.sound.plan import chosen_timeline

    if all(segment.chosen is None for segment in segments):
        return None
    return chosen_timeline(project, segments, gains=factors(levels(project)))
