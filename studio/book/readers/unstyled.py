"""Headings that a manuscript sets as plain paragraphs: told by what they say.

Many word processors' files and old web pages have no headings at all, only lines in bold. They are
taken for headings where they name chapters, and only where nothing better says where those start.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from studio.book.kinds import Kind
from studio.book.manuscript import Block
from studio.book.marks import fold
from studio.book.readers import headings
from studio.book.readers.chapters import Start
from studio.book.readers.reading import PageBlock

_FEWEST_NAMED = 2
_FEWEST_COUNTED = 3
_LONGEST_RUN = 2
"""More lines in a row that name chapters are a list of contents."""
_SETTABLE = frozenset((Kind.PROSE, Kind.VERSE))


def set_headings(items: Sequence[PageBlock]) -> None:
    """Make headings of the paragraphs that name chapters, in a text that has none.

    Args:
        items: Its blocks; those that become headings get a level.
    """
    if sum(item.level > 0 for item in items) > 1:
        return
    named = [at for at, item in enumerate(items) if _names_chapter(item)]
    runs: list[list[int]] = []
    for at in named:
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    found = [
        at for run in runs for at in run if len(run) <= _LONGEST_RUN and run[-1] + 1 < len(items)
    ]
    if len(found) < _FEWEST_NAMED:
        found = _counted(items)
    level = 1 + max((item.level for item in items), default=0)
    for at in found:
        _set(items, at, level)
        if _is_title_below([item.block for item in items], at):
            _set(items, at + 1, level)


def with_openings(blocks: Sequence[Block], starts: Sequence[Start]) -> list[Block]:
    """A book's blocks, of which those that open a chapter and only name it are headings.

    Args:
        blocks: All blocks of the book.
        starts: Where chapters start in them.
    """
    made = list(blocks)
    for at, group in groupby(sorted(starts, key=lambda start: start.at), lambda start: start.at):
        if at >= len(made) or made[at].kind not in _SETTABLE:
            continue
        titles = {fold(start.title).casefold() for start in group if start.title}
        text = made[at].text
        names = headings.is_chapter_line(text) or headings.is_number(text)
        if not names and fold(text).casefold() not in titles:
            continue
        made[at] = replace(made[at], kind=Kind.HEADING)
        if _is_title_below(made, at):
            made[at + 1] = replace(made[at + 1], kind=Kind.HEADING)
    return made


def _names_chapter(item: PageBlock) -> bool:
    """Whether a paragraph is a chapter's name by a word for it."""
    return (
        not item.level
        and item.block.kind in _SETTABLE
        and (headings.is_chapter_line(item.block.text))
    )


def _counted(items: Sequence[PageBlock]) -> list[int]:
    """Paragraphs that are bare numbers and count 1, 2, 3 through the book."""
    chain: list[int] = []
    for at, item in enumerate(items):
        text = item.block.text
        if item.block.kind not in _SETTABLE or item.level or not headings.is_number(text):
            continue
        if headings.counted(text) == len(chain) + 1 and (not chain or at > chain[-1] + 1):
            chain.append(at)
    # Numbers amid sentences are those of printed pages.
    below = (items[at + 1].block.text if at + 1 < len(items) else "" for at in chain)
    amid = any(text[:1].islower() for text in below)
    return chain if len(chain) >= _FEWEST_COUNTED and not amid else []


def _is_title_below(blocks: Sequence[Block], at: int) -> bool:
    """Whether the paragraph after a chapter's bare number is its title."""
    text = blocks[at].text
    if at + 2 >= len(blocks) or not (headings.only_number(text) or headings.is_number(text)):
        return False
    below = blocks[at + 1]
    return below.kind in _SETTABLE and (
        headings.looks_like_title(below.text) or headings.is_loud(below.text)
    )


def _set(items: Sequence[PageBlock], at: int, level: int) -> None:
    """Make a paragraph a heading."""
    items[at].block = replace(items[at].block, kind=Kind.HEADING)
    items[at].level = level
