"""Contents lists in plain text: their titles are labels, and nobody reads them aloud."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.book.readers import headings

_HEAD = re.compile(
    r"(?:table of )?contents[.:]?|inhalt(?:sverzeichnis)?|table des matières|índice", re.I
)
_PAGE = re.compile(r"[\s.…·]{2,}\d{1,4}\s*$")
_COLUMNS = re.compile(
    r"(?:(?:chapter|chap\.?|kapitel|chapitre|cap[ií]tulo)\s{1,60})?(?:page|seite|p[aá]gina)s?[.:]?"
    r"|chap(?:ter|\.)?s?",
    re.IGNORECASE,
)
"""What stands above the columns of a list."""
_NUMBERED = re.compile(
    r"(?:(?:chapter|chap|kapitel|chapitre|cap[ií]tulo) )?(?:[ivxlc]{1,7}|\d{1,3}) (?=\S)"
)
"""The number that a folded title opens with."""
_NOT_LETTERS = re.compile(r"[\W_]+")
_FEWEST = 2


def is_contents_head(line: str) -> bool:
    """Whether a line is the heading of a contents list."""
    return _HEAD.fullmatch(line.strip()) is not None


def is_column_head(line: str) -> bool:
    """Whether a line only says what stands in the columns of a list below it."""
    return _COLUMNS.fullmatch(line.strip()) is not None


def without_page(line: str) -> str:
    """A line of a contents list without the page and the dots that lead to it."""
    return _PAGE.sub("", line)


def contents_end(runs: Sequence[Sequence[str]], head: int) -> int:
    """Where the list under a contents heading ends.

    Args:
        runs: The lines of each stretch between blank lines.
        head: Index of the stretch that is the heading.

    Returns:
        Index of the first stretch after the list; ``head`` where no list follows. Its lines are
        titles that stand in the text again, so the list ends where the first one does.
    """
    seen: set[str] = set()
    known: set[str] = set()
    end = head + 1
    while end < len(runs) and all(map(_could_be_entry, runs[end])):
        entries = [_folded(line) for line in runs[end] if not is_column_head(line)]
        if entries and entries[0] in known:
            if end - 1 > head + 1 and all(map(_is_label, runs[end - 1])):
                # A number that stands above its title in the text goes with it.
                end -= 1
                seen.difference_update(map(_folded, runs[end]))
            break
        seen.update(entries)
        known.update(name for entry in entries for name in _names(entry))
        end += 1
    later = {name for lines in runs[end:] for line in lines for name in _names(_folded(line))}
    found = sum(not later.isdisjoint(_names(entry)) for entry in seen)
    return end if found >= _FEWEST and found * 2 >= len(seen) else head


def _names(title: str) -> set[str]:
    """What a title may be called: with its number and without; a bare number only as it is."""
    return {title, _NUMBERED.sub("", title, 1) or title}


def _is_label(line: str) -> bool:
    """Whether a line is a chapter's number and no title."""
    return headings.only_number(line) or headings.is_number(line)


def _could_be_entry(line: str) -> bool:
    """Whether a line reads like a title, with or without its page."""
    title = _PAGE.sub("", line)
    return (
        headings.is_contents_line(line)
        or is_column_head(line)
        or headings.is_chapter_line(title)
        or headings.is_loud(title)
        or headings.counted(title) > 0
        or headings.looks_like_title(title)
    )


def _folded(line: str) -> str:
    """A title as it is compared: letters and digits in small letters, without its page."""
    return _NOT_LETTERS.sub(" ", _PAGE.sub("", line)).strip().casefold()
