"""Pages and a contents list become chapters; every block lands in exactly one of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from studio.book.kinds import Kind
from studio.book.manuscript import Block, ChapterText
from studio.book.readers.headings import is_chapter_line
from studio.book.readers.reading import PageBlock

LABEL_LENGTH = 200
"""Chapter labels are cut here, in characters; headings are spoken in full."""
_PART = re.compile(
    r"(?:part|book|volume|teil|buch|band|partie|livre|tome|parte|libro)\b", re.IGNORECASE
)
_BY_LINE = re.compile(r"(?:written )?(?:by|von|par|por) [A-ZÀ-ÖØ-Þ]|BY [A-Z]")
_LONGEST_BY_LINE = 80
_TOP_LEVELS = 2
"""A page that opens with a heading of these levels starts a chapter, listed or not."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where a chapter starts, and what the contents list calls it, if it does."""

    at: int
    """Index into all blocks of the book."""
    title: str
    apart: bool = False
    """Whether what starts here is no chapter of the story, and so has no number."""


def by_starts(blocks: Sequence[Block], starts: Sequence[Start]) -> tuple[ChapterText, ...]:
    """Cut a book's blocks where chapters start.

    Args:
        blocks: All blocks of the book, in order.
        starts: In any order; several at one place are one chapter. Text before the first is a
            chapter too.

    Returns:
        The chapters that have something to say, each with a label.
    """
    titles: dict[int, list[str]] = {0: []}
    apart = {start.at for start in starts if start.apart}
    for start in sorted(starts, key=lambda start: start.at):
        titles.setdefault(start.at, [])
        if start.title and start.title not in titles[start.at]:
            titles[start.at].append(start.title)
    bounds = [*sorted(titles), len(blocks)]
    chapters: list[ChapterText] = []
    waiting: list[str] = []
    number = 0
    for first, end in pairwise(bounds):
        part = _trimmed(blocks[first:end])
        waiting += titles[first]
        if not part:
            # Nothing is said here, so the title has no chapter to stand for.
            waiting = []
            continue
        number += first not in apart
        chapters.append(ChapterText(_label(waiting, part, number), part))
        waiting = []
    return tuple(chapters)


def _trimmed(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """A chapter's blocks without scene breaks at its ends or side by side."""
    kept: list[Block] = []
    for block in blocks:
        if block.kind is Kind.SCENE_BREAK and (not kept or kept[-1].kind is Kind.SCENE_BREAK):
            continue
        kept.append(block)
    while kept and kept[-1].kind is Kind.SCENE_BREAK:
        kept.pop()
    return tuple(kept)


def _label(titles: Sequence[str], blocks: Sequence[Block], number: int) -> str:
    """What lists show for a chapter."""
    text = " · ".join(titles)
    if not text:
        headings = []
        for block in blocks:
            if block.kind is not Kind.HEADING:
                break
            headings.append(block.text)
        text = " · ".join(headings[:2]) or f"Chapter {number}"
    return text if len(text) <= LABEL_LENGTH else text[: LABEL_LENGTH - 1].rstrip() + "…"


def heading_starts(items: Sequence[PageBlock], offset: int = 0) -> list[Start]:
    """Where chapters start by the headings alone.

    The chapters' level is the highest that occurs twice, or the next where that one only counts
    parts. A higher heading directly before one of them belongs to that chapter.

    Args:
        items: Blocks with heading levels.
        offset: Index of the first of them in the book.

    Returns:
        Starts without titles, so that labels come from the headings.
    """
    counts = Counter(item.level for item in items if item.level)
    level = _chapter_level(items, counts)
    starts = []
    previous = False
    for index, item in enumerate(items):
        starts_here = 0 < item.level <= level
        if starts_here and (not previous or _is_by_line(items[index - 1].block.text)):
            starts.append(Start(offset + index, ""))
        previous = starts_here
    return starts


def _is_by_line(text: str) -> bool:
    """Whether a heading names an author: it ends the title, and belongs to no chapter."""
    return _BY_LINE.match(text) is not None and len(text) <= _LONGEST_BY_LINE


def _chapter_level(items: Sequence[PageBlock], counts: Counter[int]) -> int:
    """The heading level that chapters have."""
    levels = sorted(counts)
    for place, level in enumerate(levels):
        texts = [item.block.text for item in items if item.level == level]
        only_parts = place + 1 < len(levels) and all(map(_PART.match, texts))
        if len(texts) > 1 and not only_parts:
            return level
    return levels[0] if levels else 0


def opens_with_heading(items: Sequence[PageBlock]) -> bool:
    """Whether a page opens like a chapter: with a heading, or with a line that names one."""
    return bool(items) and (
        0 < items[0].level <= _TOP_LEVELS or is_chapter_line(items[0].block.text)
    )
