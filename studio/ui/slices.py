"""Work over all rows of a long book, in slices between which keys are served.

A thread would not do: it shares one interpreter with the event loop, which would wait for its turn
at every step; and the rows may not change under it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from time import thread_time
from typing import TypeVar

from studio.ui.filters import Filter
from studio.ui.rows import Rows

T = TypeVar("T")

SLICE = 500
"""Segments that are looked at without a pause for keys."""
LONG_SECONDS = 0.02
"""Processor time of a part that is felt."""


async def slices(items: Sequence[T]) -> AsyncIterator[tuple[int, Sequence[T]]]:
    """The items in parts, each with the place of its first; others are served in between.

    Where a part takes long, as with a pattern that is tried in many ways, the next is smaller.
    """
    start, size = 0, SLICE
    while start < len(items):
        begun = thread_time()
        yield start, items[start : start + size]
        start += size
        size = max(1, size // 4) if thread_time() - begun > LONG_SECONDS else min(SLICE, size * 2)
        await asyncio.sleep(0)


async def matching(rows: Rows, chosen: Filter) -> list[int]:
    """The places that a filter keeps; of the rows as they are when all of them were looked at."""
    while True:
        edition, places = rows.edition, list[int]()
        async for start, part in slices(rows.all):
            if rows.edition != edition:
                break
            places += rows.matching(chosen, part, start)
        else:
            if rows.edition == edition:
                return places


async def counts(rows: Rows) -> list[int]:
    """How many segments each of the filters that are offered would show."""
    totals = rows.counts(())
    async for _, part in slices(rows.all):
        totals = [one + more for one, more in zip(totals, rows.counts(part), strict=True)]
    return totals
