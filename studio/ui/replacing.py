"""Find and replace over spoken texts: pure, from segments to what would become of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.book.patterns import check_replacement, quick
from studio.lean import without_garbage
from studio.project.model import Kind, Segment
from studio.ui.patience import in_time

LONGEST_SECONDS = 5.0
"""Processor time for one look through a book; of plain patterns the longest takes a tenth of it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is looked for, and what takes its place."""

    find: str
    put: str
    regex: bool = False
    match_case: bool = False


@dataclass(frozen=True, slots=True)
class Replacement:
    """What would become of one segment."""

    uid: str
    number: int
    before: str
    after: str
    hits: int
    """How often it was found."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search and its replacement would change."""

    changed: tuple[Replacement, ...] = ()
    emptied: tuple[int, ...] = ()
    """Numbers of segments that would have nothing left to say; they stay as they are."""

    @property
    def hits(self) -> int:
        """How often it was found in what would change."""
        return sum(item.hits for item in self.changed)


@without_garbage()
def replacements(segments: Iterable[Segment], wanted: Wanted) -> Found:
    """Find a text and put another in its place.

    Args:
        segments: Where to look; only what is spoken counts.
        wanted: What to look for.

    Returns:
        The segments whose text would be another, in the order given.

    Raises:
        BadInput: The pattern or what is to be put in its place cannot be used, or it takes longer
            than `LONGEST_SECONDS`.
    """
    if not wanted.find:
        return Found()
    pattern = quick(
        wanted.find if wanted.regex else re.escape(wanted.find), match_case=wanted.match_case
    )
    # `Match.expand` would read it anew for each hit, which takes longer than all the rest.
    template = wanted.put if wanted.regex else wanted.put.replace("\\", r"\\")
    check_replacement(pattern, template)
    changed: list[Replacement] = []
    emptied: list[int] = []
    for segment in in_time(segments, LONGEST_SECONDS, wanted.find):
        if segment.kind is Kind.SCENE_BREAK:
            continue
        before = segment.spoken
        after, hits = pattern.subn(template, before)
        if not hits or (after := " ".join(after.split())) == before:
            continue
        if after:
            changed.append(Replacement(segment.uid, segment.number, before, after, hits))
        else:
            emptied.append(segment.number)
    return Found(tuple(changed), tuple(emptied))


def named(numbers: Sequence[int], most: int = 4) -> str:
    """Segments by their numbers, for a sentence: ``segments 3, 7 and 12``, at most a few."""
    shown = [f"{number:,}" for number in numbers]
    if len(shown) == 1:
        return f"segment {shown[0]}"
    if len(shown) > most:
        return f"segments {', '.join(shown[:most])} and {len(shown) - most:,} more"
    return f"segments {', '.join(shown[:-1])} and {shown[-1]}"
