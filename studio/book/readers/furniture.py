"""What printed pages leave in a plain text: page numbers and running heads.

A number alone on a line may as well be a chapter's. It is a page's where it says so (``[Pg 12]``),
or where numbers count on through the text and stand in the middle of sentences or at page breaks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from studio.book.coverage import Ledger, count
from studio.book.marks import CLOSING_QUOTES
from studio.book.numerals import roman_value
from studio.book.readers.headings import is_chapter_line

_CERTAIN = re.compile(
    r"[\[{(]\s?(?:pg|page|p)\.?\s?(?:\d{1,5}|[ivxlcdm]{1,9})\s?[\]})]|\{\d{1,5}\}"
    r"|page \d{1,5}(?: of \d{1,5})?|[-–—~]\s?\d{1,5}\s?[-–—~]",
    re.IGNORECASE,
)
_INLINE = re.compile(r"[ \t]?[\[{]\s?(?:Pg|pg|PG)\.?\s?(?:\d{1,5}|[ivxlcdm]{1,9})\s?[\]}]")
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
    for at, line in enumerate(lines):
        text = line.strip()
        if not 0 < len(text) <= 20:
            continue
        if _CERTAIN.fullmatch(text):
            found.add(at)
        elif match := _BARE.fullmatch(text):
            value = int(match["digits"]) if match["digits"] else roman_value(match["roman"].upper())
            chain = chains.pop(value - 1, None) or chains.pop(value - 2, None) or []
            chain.append(at)
            if value:
                chains[value] = chain
                best = chain if len(chain) > len(best) else best
    at_pages = sum(_at_page(lines, at) for at in best)
    amid = sum(_interrupts(lines, at) for at in best)
    if len(best) >= _CHAIN and (amid or at_pages * 2 > len(best)):
        found.update(best)
    return found


def _running_heads(lines: Sequence[str], numbers: set[int]) -> set[int]:
    """The lines that stand at the head or foot of page after page."""
    breaks = [at for at, line in enumerate(lines) if line == _PAGE or at in numbers]
    places: dict[int, str] = {}
    for at in breaks:
        for step in (1, -1):
            near = _next_line(lines, at, step, numbers)
            if near is not None and (key := _head_key(lines[near])):
                places[near] = key
    counts = Counter(places.values())
    heads: set[int] = set()
    first: set[str] = set()
    for at, key in sorted(places.items()):
        if counts[key] < _HEAD_TIMES:
            continue
        # A chapter's own heading may be the first of its running heads.
        if key not in first and is_chapter_line(lines[at]):
            first.add(key)
            continue
        heads.add(at)
    return heads if len(heads) >= _HEAD_TIMES else set()


def _head_key(line: str) -> str:
    """What a running head is known by on every page; empty for what cannot be one."""
    text = line.strip()
    if len(text) > _HEAD_LENGTH or text[-1:] in ".,;!?…":
        return ""
    if is_chapter_line(text):
        return text
    match = _NUMBERED_HEAD.fullmatch(text)
    # "Day 1" opens a chapter; the head of a book's first page has no number.
    if not match or "1" in {match[1], match[3]} or not any(map(str.isalpha, match[2])):
        return ""
    return match[2].strip().casefold()


def _next_line(lines: Sequence[str], at: int, step: int, skipped: set[int]) -> int | None:
    """The nearest line with text, if no other page is before it."""
    at += step
    while 0 <= at < len(lines):
        if lines[at] == _PAGE:
            return None
        if lines[at].strip() and at not in skipped:
            return at
        at += step
    return None


def _at_page(lines: Sequence[str], at: int) -> bool:
    """Whether a line is the first or last of its page."""
    for step in (1, -1):
        near = at + step
        while 0 <= near < len(lines) and not lines[near].strip() and lines[near] != _PAGE:
            near += step
        if 0 <= near < len(lines) and lines[near] == _PAGE:
            return True
    return False


def _interrupts(lines: Sequence[str], at: int) -> bool:
    """Whether a line stands in the middle of a sentence."""
    before = _next_line(lines, at, -1, set())
    after = _next_line(lines, at, 1, set())
    return before is not None and after is not None and _goes_on(lines[before], lines[after])


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
