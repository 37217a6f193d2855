"""Where the ear is while the book is listened to onward: segment, chapter, seconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.project.model import Chapter, Segment
from studio.sound.pauses import PauseRules, after

CHARACTERS_PER_SECOND = 15.0
"""What a segment without a take is reckoned with."""


@dataclass(frozen=True, slots=True)
class Spot:
    """Where the ear is."""

    uid: str
    number: int
    at: float
    """Seconds into the segment and the silence after it."""
    length: float
    """Their length; 0 where nothing is laid out yet."""
    chapter: Chapter | None
    in_chapter: float | None
    """Seconds into the chapter, as far as that is known."""
    chapter_length: float
    waits: str
    """What is waited for, in a few words, or nothing."""


def seconds_of(segment: Segment) -> float:
    """How long a segment is, or is going to be."""
    return segment.seconds or len(segment.spoken) / CHARACTERS_PER_SECOND


def chapter_times(segments: Sequence[Segment], rules: PauseRules) -> tuple[dict[str, float], float]:
    """When each segment of a chapter begins, and how long the chapter is, in seconds."""
    starts = {}
    at = rules.head / 1000
    for place, segment in enumerate(segments):
        starts[segment.uid] = at
        following = segments[place + 1] if place + 1 < len(segments) else None
        at += seconds_of(segment) + after(segment, following, rules) / 1000
    return starts, at + rules.tail / 1000
