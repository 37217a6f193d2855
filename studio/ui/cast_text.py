"""How a cast is drawn: who says a line and how that is known, and what applying it has done."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from studio.project.model import Segment
from studio.ui import formats, inks
from studio.ui.casting import Cast
from studio.ui.keys import Keys


def row(cast: Cast, segment: Segment) -> tuple[str, str, str, str]:
    """A line in the list: whether it is cast, its number, how its speaker is known, its text."""
    tick = "–" if segment.uid in cast.left_out else "✓"
    text = segment.source or segment.spoken
    return tick, f"{segment.number:,}", evidence(cast, segment), text


def line(cast: Cast, segment: Segment) -> Content:
    """A line in full, below who says it and how that is known."""
    found = cast.found.get(segment.uid)
    sure = f" ({found.confidence})" if found and found.confidence else ""
    mixed = " · speech and narration" if found and found.mixed else ""
    head = f"{cast.role(segment.uid)}: {evidence(cast, segment)}{sure}{mixed}"
    return Content.assemble((f"{head}\n", inks.MUTED), segment.source or segment.spoken)


def evidence(cast: Cast, segment: Segment) -> str:
    """How it is known who says a segment, in a few words."""
    if segment.uid in cast.corrected:
        return "you said so"
    found = cast.found.get(segment.uid)
    if found is None:
        return segment.kind.value
    if not found.speaker:
        names = {said.speaker for said in found.said if said.speaker}
        return "several speak" if len(names) > 1 else "unknown"
    return found.evidence


def applied(changed: Sequence[Segment], split: int, keys: Keys) -> str:
    """What applying a cast has done.

    Args:
        changed: The segments that it changed, as they are now.
        split: How many segments of the book it has split.
        keys: The keys in force.
    """
    stale = sum(bool(it.stale) for it in changed)
    told = f"{formats.count(len(changed), 'segment')} changed"
    if split:
        told += f", {split:,} of the book’s split"
    if stale:
        again = keys.shown("narrate.failed")
        told += f"; {stale:,} stale, {again} narrates them anew"
    if split and (drafts := sum(it.chosen is None for it in changed)):
        told += f"; {drafts:,} without a take, {keys.shown('narrate.book')} narrates them"
    return f"{told}; {keys.shown('history.undo')} takes it back."
