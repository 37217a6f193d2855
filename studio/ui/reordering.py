"""The rows of a long book after segments came, went or moved, made beside those that are shown.

Only the chapters that are not what they were are read; the others are taken over and numbered
anew, a slice at a time, so that keys are never kept waiting for a whole book.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.lean import set_aside
from studio.project.model import Chapter, Segment
from studio.project.rows import renumbered
from studio.ui.rows import Rows
from studio.ui.slices import slices


async def reorder(
    rows: Rows, chapters: Sequence[Chapter], read: Mapping[int, Sequence[Segment]]
) -> int:
    """Bring the rows to a new order; they change at once, at the end.

    Args:
        rows: The rows; nothing else may give them segments meanwhile.
        chapters: The chapters of the book as it is now, in order.
        read: By `Chapter.id`, the segments of those that are not as they were.

    Returns:
        By how much the number of segments in the queue has grown.
    """
    spans, kept, segments = rows.spans(), set[int](), list[Segment]()
    for chapter in chapters:
        part = read.get(chapter.id)
        if part is None:
            kept.add(chapter.id)
        segments += rows.all[spans[chapter.id]] if part is None else part
    gone = (it for name, span in spans.items() if name not in kept for it in rows.all[span])
    queued = sum(it.queued for part in read.values() for it in part) - sum(it.queued for it in gone)
    places, chosen, shown = dict[str, int](), rows.filter, list[int]()
    async for start, part in slices(segments):
        new = _numbered(part, start + 1)
        segments[start : start + len(part)] = new
        places.update({it.uid: place for place, it in enumerate(new, start)})
        if chosen is not None:
            shown += rows.matching(chosen, new, start)
    known = shown if chosen is not None and rows.filter is chosen else None
    rows.replace(segments, places, known)
    return queued


def _numbered(part: Sequence[Segment], first: int) -> Sequence[Segment]:
    """Segments with the numbers of their places."""
    if all(it.number == number for number, it in enumerate(part, first)):
        return part
    moved = [
        it if it.number == number else renumbered(it, number)
        for number, it in enumerate(part, first)
    ]
    set_aside()
    return moved
