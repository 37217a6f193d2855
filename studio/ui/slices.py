"""Work over all rows of a long book, in slices between which keys are served.

A thread would not do: it shares one interpreter with the event loop, which would wait for its turn
at every step; and the rows may not change under it.
"""

from __future__ import annotations

import asyncio
import re
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
SEARCH_SECONDS = 1.0
"""Processor time that a search may take; the whole of a long book takes a tenth of it."""
FILTER_SECONDS = 2.0
"""Processor time that a filter may take; it may ask for several things of each segment."""
TRIES = 3
"""How often a search begins anew because texts changed under it, before it lets nothing between."""


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
    """The places that a filter keeps; of the rows as they are when all of them were looked at.

    Raises:
        BadInput: It takes too long, by a pattern that is tried in many ways.
    """
    while True:
        edition, left, places = rows.edition, FILTER_SECONDS, list[int]()
        async for start, part in slices(rows.all):
            if rows.edition != edition:
                break
            begun = thread_time()
            places += rows.matching(chosen, part, start, left)
            left -= thread_time() - begun
        else:
            if rows.edition == edition:
                return places


async def counts(rows: Rows) -> list[int]:
    """How many segments each of the filters that are offered would show."""
    totals = rows.counts(())
    async for _, part in slices(rows.all):
        totals = [one + more for one, more in zip(totals, rows.counts(part), strict=True)]
    return totals


async def hits(rows: Rows, wanted: re.Pattern[str]) -> Sequence[int]:
    """Where segments are shown whose source or spoken text has a hit, in order; looked for once.

    Raises:
        BadInput: It takes too long.
    """
    known = rows.known_hits(wanted)
    for _ in range(TRIES):
        if known is not None:
            return known
        texts, left, found = rows.texts, SEARCH_SECONDS, list[int]()
        async for start, part in slices(rows.shown):
            if rows.texts != texts:
                break
            begun = thread_time()
            found += rows.hits(wanted, start, part, left)
            left -= thread_time() - begun
        if rows.texts == texts:
            rows.keep_hits(wanted, found)
        known = rows.known_hits(wanted)
    if known is not None:
        return known
    found = rows.hits(wanted, 0, rows.shown, SEARCH_SECONDS)
    rows.keep_hits(wanted, found)
    return found
