"""What printed pages leave in a plain text: page numbers and running heads.

A number alone on a line may as well be a chapter's. It is a page's where it says so (``[Pg 12]``),
or where numbers count on through the text and stand in the middle of sentences or at page breaks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from studio.book.coverage import Ledger, count
from studio.book.marks import CLOSING_QUOTES
from studio.book.numerals import roman_value
from studio.book.readers.headings import is_chapter_line

_CERTAIN = re.compile(
    r"[\[{(]\s?(?:pg|page|p)\.?\s?(?:\d{1,5}|[ivxlcdm]{1,9})\s?[\]})]|\{\d{1,5}\}"
    r"|page \d{1,5}(?: of \d{1,5})?|[-–—~]\s?\d{1,5}\s?[-–—~]",
    re.IGNORECASE,
)
_PAGE_MARK = r"[\[{]\s?(?:Pg|pg|PG)\.?\s?(?:\d{1,5}|[ivxlcdm]{1,9})\s?[\]}]"
_INLINE = re.compile(rf"(?<=\S)[ \t]?{_PAGE_MARK}|{_PAGE_MARK}(?=[ \t]{{0,9}}\S)")
_BARE = re.compile(r"\[?(?:(?P<digits>\d{1,5})|(?P<roman>[ivxlc]{1,9}))\]?")
_PAGE = "\f"
_CHAIN = 3
"""Fewer numbers than this prove nothing."""
_HEAD_TIMES = 3
_HEAD_LENGTH = 60
_NUMBERED_HEAD = re.compile(r"(?:(\d{1,5})\s{1,20})?(\D{3,60}?)(?:\s{1,20}(\d{1,5}))?")
_ENDED = re.compile(rf"[.!?…:。！？][{re.escape(CLOSING_QUOTES)})\]*_]{{0,4}}$")


def without_furniture(text: str, ledger: Ledger) -> str:
    """Take off page numbers and running heads, and join what they part.

    Args:
        text: The whole text, its lines as they stand, pages parted by form feeds or not.
        ledger: Takes the account of what was taken off.

    Returns:
        The text without form feeds.
    """

    def drop(match: re.Match[str]) -> str:
        ledger.skip("page number", count(match[0]))
        return ""

    text = _INLINE.sub(drop, text)
    lines = text.replace(_PAGE, f"\n{_PAGE}\n").split("\n")
    numbers = _page_numbers(lines)
    heads = _running_heads(lines, numbers)
    if not numbers and not heads and _PAGE not in lines:
        return text
    for rule, places in (("page number", numbers), ("running head", heads)):
        for at in places:
            ledger.skip(rule, count(lines[at]))
    return "\n".join(_closed(lines, numbers | heads))


def _page_numbers(lines: Sequence[str]) -> set[int]:
    """The lines that are page numbers."""
    found: set[int] = set()
    chains: dict[int, list[int]] = {}
    best: list[int] = []
    bare: list[int] = []
    for at, line in enumerate(lines):
        text = line.strip()
        if not 0 < len(text) <= 20:
            continue
        if _CERTAIN.fullmatch(text):
            found.add(at)
        elif match := _BARE.fullmatch(text):
            bare.append(at)
            value = _value(match["digits"] or match["roman"])
            chain = chains.pop(value - 1, None) or chains.pop(value - 2, None) or []
            chain.append(at)
            if value:
                chains[value] = chain
                best = chain if len(chain) > len(best) else best
    solid = _solid(lines, set(), pages=True)
    found.update(_at_feet(lines, [at for at in bare if _ends_page(lines, solid, at)]))
    at_pages = sum(_at_page(lines, solid, at) for at in best)
    amid = any(_breaks_off(lines, solid, at) for at in best)
    if len(best) >= _CHAIN and (amid or at_pages * 2 > len(best)):
        found.update(best)
    return found


def _at_feet(lines: Sequence[str], last: Sequence[int]) -> Sequence[int]:
    """Which numbers that are the last lines of pages are those pages' numbers.

    They are no chapters' numbers. One alone, or some that do not rise, may end a paragraph.
    """
    values = [_value(lines[at].strip("[] \t")) for at in last]
    if len(last) == 1:
        text = _solid(lines, {last[0]}, pages=False)
        return last if _breaks_off(lines, text, last[0]) else []
    # They may begin again, as behind a preface that is counted in Roman numbers.
    falls = sum(low >= high for low, high in pairwise(values))
    return last if falls * 3 <= len(values) else []


def _value(text: str) -> int:
    """The value of a number in figures or in small Roman ones."""
    return int(text) if text.isdigit() else roman_value(text.upper())


def _running_heads(lines: Sequence[str], numbers: set[int]) -> set[int]:
    """The lines that stand at the head or foot of page after page."""
    breaks = [at for at, line in enumerate(lines) if line == _PAGE or at in numbers]
    places: dict[int, str] = {}
    solid = _solid(lines, numbers, pages=True)
    for page, at in enumerate(breaks):
        for page_of, near in enumerate(_around(solid, at), page):
            if near is not None and lines[near] != _PAGE:
                places[near] = _head_key(lines[near], page_of)
    counts = Counter(places.values())
    heads: set[int] = set()
    first: set[str] = set()
    for at, key in sorted(places.items()):
        if not key or counts[key] < _HEAD_TIMES:
            continue
        # A chapter's own heading may be the first of its running heads.
        if key not in first and is_chapter_line(lines[at]):
            first.add(key)
            continue
        heads.add(at)
    # Sections that all begin alike are no pages: a page breaks off somewhere in a sentence.
    text = _solid(lines, heads | numbers, pages=False)
    if len(heads) < _HEAD_TIMES or not any(_breaks_off(lines, text, at) for at in breaks):
        return set()
    return heads


def _head_key(line: str, page: int) -> str:
    """What a running head is known by on every page; empty for what cannot be one.

    Args:
        line: The line.
        page: Which page it is on; a number in the head has to count with it.
    """
    text = line.strip()
    if len(text) > _HEAD_LENGTH or text[-1:] in ".,;!?…":
        return ""
    if is_chapter_line(text):
        return text
    match = _NUMBERED_HEAD.fullmatch(text)
    if not match or not any(map(str.isalpha, match[2])):
        return ""
    number = match[1] or match[3]
    offset = f" {int(number) - page}" if number else ""
    return match[2].strip().casefold() + offset


def _solid(lines: Sequence[str], gone: set[int], *, pages: bool) -> list[int]:
    """The lines that hold something beside what is gone; page breaks too, if they matter."""
    return [
        at
        for at, line in enumerate(lines)
        if (line.strip() and at not in gone) or (pages and line == _PAGE)
    ]


def _around(solid: Sequence[int], at: int) -> tuple[int | None, int | None]:
    """The nearest of some lines before and after a line that is none of them, or is one."""
    place = bisect_left(solid, at)
    after = place + (place < len(solid) and solid[place] == at)
    return (
        solid[place - 1] if place else None,
        solid[after] if after < len(solid) else None,
    )


def _breaks_off(lines: Sequence[str], solid: Sequence[int], at: int) -> bool:
    """Whether a sentence goes on over a line that is no text."""
    before, after = _around(solid, at)
    return before is not None and after is not None and _goes_on(lines[before], lines[after])


def _at_page(lines: Sequence[str], solid: Sequence[int], at: int) -> bool:
    """Whether a line is the first or last of its page."""
    return any(near is not None and lines[near] == _PAGE for near in _around(solid, at))


def _ends_page(lines: Sequence[str], solid: Sequence[int], at: int) -> bool:
    """Whether a line is the last of its page, and not the only one."""
    before, after = _around(solid, at)
    ends = after is not None and lines[after] == _PAGE
    return ends and before is not None and lines[before] != _PAGE


def _goes_on(before: str, after: str) -> bool:
    """Whether a sentence goes on from one line to another."""
    return not _ENDED.search(before.rstrip()) and after.lstrip()[:1].islower()


def _closed(lines: Sequence[str], gone: set[int]) -> list[str]:
    """The lines without those that are gone; a sentence that they parted is whole again."""
    kept: list[str] = []
    gap: list[str] = []
    parted = False
    for at, line in enumerate(lines):
        if at in gone or line == _PAGE:
            parted = True
            # A page break parts paragraphs unless a sentence runs over it.
            gap += ["", ""] if line == _PAGE else [""]
        elif not line.strip():
            gap.append(line)
        else:
            if not (parted and kept and _goes_on(kept[-1], line)):
                kept += gap
            kept.append(line)
            gap, parted = [], False
    return kept + gap
