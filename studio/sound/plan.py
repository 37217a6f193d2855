"""From the segments of a chapter to its timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from studio.errors import Incomplete
from studio.project.model import Kind, Origin, Segment, Take
from studio.sound.assembly import Piece, Timeline
from studio.sound.pauses import PauseRules, after
from studio.sound.source import Pcm
from studio.wording import number_runs

GAP_SECONDS = 1
"""Silence in place of a segment without a clip."""


@dataclass(frozen=True, slots=True)
class Clip:
    """What is known of a segment's clip before it is decoded."""

    frames: int
    rate: int
    load: Callable[[], tuple[Pcm, int]]
    """Decodes it: int16 of shape (frames, channels), and the rate."""
    gain: float = 1.0
    """What its samples are multiplied by; see `levels`."""


DEFAULT_RATE = 24_000
"""Hz of a timeline without any clip."""


class Settings(Protocol):
    """What a timeline needs of a book's settings."""

    @property
    def pauses(self) -> PauseRules:
        """The book's pauses."""


class ClipStore(Protocol):
    """What `chosen_clips` and `chosen_timeline` need of a project."""

    def settings(self) -> Settings:
        """Give the book's settings."""

    def take(self, take_id: int) -> Take:
        """Give a take by its id."""

    def read_clip(self, take: Take) -> tuple[Pcm, int]:
        """Decode a take's clip."""


class MissingSegments(Incomplete):
    """Segments that ought to be heard have no clip."""

    def __init__(self, numbers: Sequence[int], where: str = "") -> None:
        """Name the segments by their numbers in the book; ``where`` says of what, if anything."""
        self.numbers = tuple(numbers)
        one = len(self.numbers) == 1
        prefix = f"{where}: " if where else ""
        super().__init__(
            f"{prefix}segment{'' if one else 's'} {number_runs(numbers)} "
            f"{'has' if one else 'have'} no clip; narrate {'it' if one else 'them'} "
            "or use --partial"
        )


def chosen_clips(
    store: ClipStore, gains: Mapping[Origin, float] = MappingProxyType({})
) -> Callable[[Segment], Clip | None]:
    """Look up the clip of a segment's chosen take; None without one.

    Args:
        store: The project.
        gains: What clips are multiplied by, by `Take.origin`; see `levels.factors`.
    """

    def lookup(segment: Segment) -> Clip | None:
        """Describe the clip; it is decoded only when it is read."""
        if segment.chosen is None:
            return None
        take = store.take(segment.chosen)
        gain = gains.get(take.origin, 1.0) if gains else 1.0
        return Clip(take.frames, take.rate, lambda: store.read_clip(take), gain)

    return lookup


def chapter_timeline(
    segments: Sequence[Segment],
    rules: PauseRules,
    clip: Callable[[Segment], Clip | None],
    rate: int,
    *,
    partial: bool = False,
    where: str = "",
) -> Timeline:
    """Lay out a chapter, one piece per segment in the given order.

    Args:
        segments: All segments of the chapter, in book order.
        rules: The book's pauses.
        clip: Looks up a segment's clip without decoding it; see `chosen_clips`.
        rate: Rate of the result in Hz.
        partial: Put `GAP_SECONDS` of silence (and the usual pause) where a clip is missing;
            `Timeline.gaps` then names those segments by uid.
        where: What the segments belong to, for the message, such as ``chapter 2``.

    Raises:
        MissingSegments: Clips are missing and ``partial`` is not set.
    """
    found = [None if it.kind is Kind.SCENE_BREAK else clip(it) for it in segments]
    missing = [
        segment.number
        for segment, its in zip(segments, found, strict=True)
        if its is None and segment.kind is not Kind.SCENE_BREAK
    ]
    if missing and not partial:
        raise MissingSegments(missing, where)
    followers = [*segments[1:], None]
    pieces = [
        _piece(segment, its, after(segment, following, rules), rate)
        for segment, its, following in zip(segments, found, followers, strict=False)
    ]
    return Timeline(pieces, rate, head_ms=rules.head, tail_ms=rules.tail)


def chosen_timeline(
    store: ClipStore,
    segments: Sequence[Segment],
    *,
    partial: bool = False,
    where: str = "",
    gains: Mapping[Origin, float] = MappingProxyType({}),
) -> Timeline:
    """Lay out the chosen takes of segments with the book's pauses, at the rate of `rate_of`.

    Args:
        store: The project.
        segments: In book order, usually a chapter.
        partial: As for `chapter_timeline`.
        where: As for `chapter_timeline`.
        gains: As for `chosen_clips`.

    Raises:
        MissingSegments: Clips are missing and ``partial`` is not set.
    """
    lookup = chosen_clips(store, gains)
    clips = {segment.uid: lookup(segment) for segment in segments}
    rate = rate_of(store.take(it.chosen) for it in segments if it.chosen is not None)
    return chapter_timeline(
        segments,
        store.settings().pauses,
        lambda segment: clips[segment.uid],
        rate,
        partial=partial,
        where=where,
    )


def rate_of(takes: Iterable[Take]) -> int:
    """The rate of a whole: that of the engine that made its first take.

    A recording decides nothing, for one made over a telephone would take the heights from a
    chapter; where there is nothing else, the finest of them does.
    """
    finest = 0
    for take in takes:
        if not take.recorded:
            return take.rate
        finest = max(finest, take.rate)
    return finest or DEFAULT_RATE


def _piece(segment: Segment, clip: Clip | None, pause_ms: int, rate: int) -> Piece:
    """Make the piece of a segment: its clip, nothing for a scene break, or a gap."""
    if clip is not None:
        return Piece(clip.frames, clip.rate, clip.load, pause_ms, segment.uid, gain=clip.gain)
    if segment.kind is Kind.SCENE_BREAK:
        return Piece(0, rate, None, pause_ms, segment.uid)
    return Piece(GAP_SECONDS * rate, rate, None, pause_ms, segment.uid, missing=True)
