"""Headings that a manuscript sets as plain paragraphs: told by what they say.

Many word processors' files and old web pages have no headings at all, only lines in bold. They are
taken for headings where they name chapters, and only where nothing better says where those start.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import groupby

from studio.book.coverage import Ledger
from studio.book.kinds import Kind
from studio.book.manuscript import Block
from studio.book.marks import CLOSING_QUOTES, fold
from studio.book.readers import headings
from studio.book.readers.blocks import opens_speech, undrawn
from studio.book.readers.chapters import Start
from studio.book.readers.reading import PageBlock

_FEWEST_NAMED = 2
_FEWEST_COUNTED = 3
_FEWEST_SET = 4
_LONGEST_NUMBER = 100
_LEAST_BETWEEN = 120
"""Characters that a chapter with a number and a title has at least, on average."""
_LONGEST_RUN = 2
"""More lines in a row that name chapters are a list of contents."""
_ENDS = frozenset(".!?…。！？")
_SETTABLE = frozenset((Kind.PROSE, Kind.VERSE))


def set_headings(items: Sequence[PageBlock], ledger: Ledger) -> None:
    """Make headings of the paragraphs that name chapters, in a text that has none.

    In a text that sets everything as headings, sentences are paragraphs.

    Args:
        items: Its blocks; those that become headings get a level.
        ledger: Takes the account of what is drawn around them.
    """
    if sum(item.level > 0 for item in items) > 1:
        _unset_sentences(items)
        return
    runs = _named_runs(items)
    found = [at for run in runs for at in run]
    if len(runs) < _FEWEST_NAMED:
        found = _counted(items, [])
    elif not any(headings.names_chapter(items[at].block.text) for at in found):
        # Parts, a prologue: the chapters between them may be counted.
        found = sorted({*found, *_counted(items, found)})
    level = 1 + max((item.level for item in items), default=0)
    blocks = [item.block for item in items]
    often = headings.said_often(block.text for block in blocks)
    below = [at + 1 for at in found if _is_title_below(blocks, at, often)]
    for at in found:
        _set(items, at, level, ledger)
    for at in below:
        _set(items, at, level, ledger)


def _named_runs(items: Sequence[PageBlock]) -> list[list[int]]:
    """Where paragraphs name chapters; those that stand side by side, as a part's, together."""
    runs: list[list[int]] = []
    for at, item in enumerate(items):
        if not _names_chapter(item):
            continue
        if runs and runs[-1][-1] == at - 1:
            runs[-1].append(at)
        else:
            runs.append([at])
    runs = [run for run in runs if len(run) <= _LONGEST_RUN and run[-1] + 1 < len(items)]
    # A sentence that goes on below the line holds it, unless the whole text is in small letters.
    upper = [run for run in runs if not _goes_on(items, run[-1])]
    runs = upper if upper or len(runs) == 1 else runs
    names = Counter(fold(items[at].block.text).casefold() for run in runs for at in run)
    return [
        run
        for run in runs
        # What is named side by side and stands in the text again is a list of it.
        if len(run) == 1 or not all(names[fold(items[at].block.text).casefold()] > 1 for at in run)
    ]


def _goes_on(items: Sequence[PageBlock], at: int) -> bool:
    """Whether a sentence goes on from a line, which has a capital, to the paragraph below it."""
    return items[at].block.text[:1].isupper() and items[at + 1].block.text[:1].islower()


def _unset_sentences(items: Sequence[PageBlock]) -> None:
    """Make paragraphs of the sentences in a text that is set as headings from end to end."""
    texts = [item for item in items if item.block.kind is not Kind.SCENE_BREAK]
    if len(texts) < _FEWEST_SET or not all(item.level for item in texts):
        return
    for item in texts:
        text = item.block.text
        if len(text) > headings.TITLE_LENGTH or (
            text.rstrip(CLOSING_QUOTES)[-1:] in _ENDS and not headings.is_chapter_line(text)
        ):
            kind = Kind.DIALOGUE if opens_speech(text) else Kind.PROSE
            item.block = replace(item.block, kind=kind)
            item.level = 0


def with_openings(blocks: Sequence[Block], starts: Sequence[Start]) -> list[Block]:
    """A book's blocks, of which those that open a chapter and only name it are headings.

    Args:
        blocks: All blocks of the book.
        starts: Where chapters start in them.
    """
    made = list(blocks)
    often = headings.said_often(block.text for block in blocks)
    for at, group in groupby(sorted(starts, key=lambda start: start.at), lambda start: start.at):
        if at >= len(made) or made[at].kind not in _SETTABLE:
            continue
        titles = {fold(start.title).casefold() for start in group if start.title}
        text = made[at].text
        names = headings.is_chapter_line(text) or headings.is_number(text)
        if not names and fold(text).casefold() not in titles:
            continue
        made[at] = replace(made[at], kind=Kind.HEADING)
        if _is_title_below(made, at, often):
            made[at + 1] = replace(made[at + 1], kind=Kind.HEADING)
    return made


def _names_chapter(item: PageBlock) -> bool:
    """Whether a paragraph is a chapter's name by a word for it."""
    return (
        not item.level
        and item.block.kind in _SETTABLE
        and (headings.is_chapter_line(item.block.text))
    )


def _counted(items: Sequence[PageBlock], named: Sequence[int]) -> list[int]:
    """Paragraphs that count 1, 2, 3 through the book, bare or with titles; anew in each part.

    Args:
        items: The blocks.
        named: Which of them name chapters or parts.
    """
    chain: list[int] = []
    parts = {at for at in named if headings.names_part(items[at].block.text)}
    last, anew, bare = 0, False, True
    for at, item in enumerate(items):
        anew = anew or at in parts
        if item.block.kind not in _SETTABLE or item.level:
            continue
        value = headings.counted(item.block.text) if len(item.block.text) < _LONGEST_NUMBER else 0
        wanted = value == last + 1 or (anew and value == 1)
        if value and wanted and (not chain or at > chain[-1] + 1):
            chain.append(at)
            last, anew = value, False
            bare = bare and headings.is_number(item.block.text)
    # Numbers amid sentences are those of printed pages, and short texts are lists.
    below = (items[at + 1].block.text if at + 1 < len(items) else "" for at in chain)
    amid = any(text[:1].islower() for text in below)
    said = sum(len(item.block.text) for item in items[chain[0] :]) if chain else 0
    listed = not bare and said < _LEAST_BETWEEN * len(chain)
    return chain if len(chain) >= _FEWEST_COUNTED and not (amid or listed) else []


def _is_title_below(blocks: Sequence[Block], at: int, often: Collection[str]) -> bool:
    """Whether the paragraph after a chapter's bare number is its title."""
    text = blocks[at].text
    if at + 2 >= len(blocks) or not (headings.only_number(text) or headings.is_number(text)):
        return False
    below = blocks[at + 1]
    listed = headings.is_chapter_line(below.text) and below.text.split()[0] == text.split()[0]
    if listed or below.text.casefold() in often:
        return False
    return below.kind in _SETTABLE and (
        headings.looks_like_title(below.text) or headings.is_loud(below.text)
    )


def _set(items: Sequence[PageBlock], at: int, level: int, ledger: Ledger) -> None:
    """Make a paragraph a heading."""
    text = undrawn(items[at].block.text, ledger)
    items[at].block = replace(items[at].block, kind=Kind.HEADING, text=text)
    items[at].level = level
