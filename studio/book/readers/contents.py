"""Contents lists in plain text: their titles are labels, and nobody reads them aloud."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.book.readers import headings

_HEAD = re.compile(
    r"(?:table of )?contents[.:]?|inhalt(?:sverzeichnis)?|table des matières|índice", re.I
)
_PAGE = re.compile(r"[\s.…·]{2,}\d{1,4}\s*$")
_NOT_LETTERS = re.compile(r"[\W_]+")
_FEWEST = 2


def is_contents_head(line: str) -> bool:
    """Whether a line is the heading of a contents list."""
    return _HEAD.fullmatch(line.strip()) is not None


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
    end = head + 1
    while end < len(runs) and all(map(_could_be_entry, runs[end])):
        entries = [_folded(line) for line in runs[end]]
        if entries[0] in seen:
            break
        seen.update(entries)
        end += 1
    later = {_folded(line) for lines in runs[end:] for line in lines}
    found = sum(entry in later for entry in seen)
    return end if found >= _FEWEST and found * 2 >= len(seen) else head


def _could_be_entry(line: str) -> bool:
    """Whether a line reads like a title, with or without its page."""
    title = _PAGE.sub("", line)
    return (
        headings.is_contents_line(line)
        or headings.is_chapter_line(title)
        or headings.is_loud(title)
        or headings.counted(title) > 0
        or headings.looks_like_title(title)
    )


def _folded(line: str) -> str:
    """A title as it is compared: letters and digits in small letters, without its page."""
    return _NOT_LETTERS.sub(" ", _PAGE.sub("", line)).strip().casefold()
