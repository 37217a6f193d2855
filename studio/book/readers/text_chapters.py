"""Which lines of a plain text are headings and lists of contents, by what stands around them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from studio.book.marks import speakable
from studio.book.readers import headings
from studio.book.readers.contents import contents_end, is_contents_head

CENTRED = 8
"""From this indent on, in characters, a line alone is set apart on purpose."""
_CONTENTS_LINES = 3
_NAMED_CHAPTERS = 2
"""So many chapters that are named prove that a book names its chapters."""


@dataclass(slots=True)
class Run:
    """Lines between blank lines."""

    lines: list[str]
    blanks_before: int


def chapter_runs(runs: Sequence[Run]) -> dict[int, tuple[str, int]]:
    """Which runs open with a heading or are a list of contents.

    Args:
        runs: The whole text.

    Returns:
        By index of the run, its kind (``chapter``, ``subtitle``, ``contents``) and how many of its
        lines are meant.
    """
    found: dict[int, tuple[str, int]] = {}
    counting = _counted_runs(runs)
    lines = [run.lines for run in runs]
    head = next(
        (at for at, one in enumerate(lines) if len(one) == 1 and is_contents_head(one[0])), None
    )
    contents = range(head, contents_end(lines, head)) if head is not None else range(0)
    held = _held(runs)
    often = headings.said_often(run.lines[0] for run in runs)
    for index, run in enumerate(runs):
        first = run.lines[0]
        if index in contents or _is_contents(run):
            found[index] = ("contents", len(run.lines))
        elif headings.is_chapter_line(first) and index not in held:
            found[index] = ("chapter", _title_lines(run))
        elif index in counting or _stands_apart(runs, index):
            found[index] = ("chapter", len(run.lines))
        elif index - 1 in found and _is_subtitle(runs, index, found, often):
            found[index] = ("subtitle", len(run.lines))
    return found


def _held(runs: Sequence[Run]) -> set[int]:
    """Lines that look like chapters' names, but below which a sentence goes on."""
    named = [
        index
        for index, run in enumerate(runs[:-1])
        if len(run.lines) == 1 and headings.is_chapter_line(run.lines[0])
    ]
    held = {
        index
        for index in named
        if runs[index].lines[0].lstrip()[:1].isupper()
        and runs[index + 1].lines[0].lstrip()[:1].islower()
    }
    # Some write everything in small letters.
    return held if len(held) < len(named) or len(named) == 1 else set()


def _title_lines(run: Run) -> int:
    """How many lines of a run that opens with a chapter line are its heading."""
    count = 1
    while count < min(len(run.lines), 3) and (
        headings.is_loud(run.lines[count]) or headings.looks_like_title(run.lines[count])
    ):
        count += 1
    # A run of titles to its end is a heading; titles that go on into text are the text.
    return count if count == len(run.lines) or headings.is_loud(run.lines[count - 1]) else 1


def _is_contents(run: Run) -> bool:
    """Whether a run is a list of chapter titles."""
    if len(run.lines) < _CONTENTS_LINES:
        return False
    entries = (
        run.lines[1:] if run.lines[0].strip().lower().rstrip(":.") == "contents" else run.lines
    )
    return all(
        headings.is_contents_line(line) or headings.is_chapter_line(line) for line in entries
    )


def _counted_runs(runs: Sequence[Run]) -> frozenset[int]:
    """Runs of one line that count 1, 2, 3 through the book: bare or titled numbers.

    They may begin again in each part of the book. Within chapters that are named they count
    sections.
    """
    chain: list[int] = []
    named = last = 0
    anew = False
    for index, run in enumerate(runs[:-1]):
        line = run.lines[0]
        if headings.is_chapter_line(line):
            listed = headings.is_chapter_line(runs[index + 1].lines[0])
            named += headings.names_chapter(line) and not listed
            anew = anew or headings.names_part(line)
        elif len(run.lines) == 1 and (value := headings.counted(line)):
            begins = value == last + 1 or (anew and value == 1)
            if begins and (not chain or index > chain[-1] + 1):
                chain.append(index)
                last, anew = value, False
    return frozenset(chain) if len(chain) > 1 and named < _NAMED_CHAPTERS else frozenset()


def _stands_apart(runs: Sequence[Run], index: int) -> bool:
    """Whether a line alone is a title by where it stands: after a gap, in capitals or centred."""
    run = runs[index]
    if len(run.lines) > 1 or run.blanks_before < 2 or index + 1 == len(runs):
        return False
    line = run.lines[0]
    indent = len(line) - len(line.lstrip())
    return headings.is_loud(line) or (
        indent >= CENTRED and speakable(line) and headings.looks_like_title(line)
    )


def _is_subtitle(
    runs: Sequence[Run], index: int, found: dict[int, tuple[str, int]], often: Collection[str]
) -> bool:
    """Whether a run after a bare chapter number is that chapter's title."""
    run, before = runs[index], runs[index - 1]
    bare = found[index - 1][0] == "chapter" and (
        headings.only_number(before.lines[0]) or headings.counted(before.lines[0]) > 0
    )
    short = len(run.lines) == 1 and index + 1 < len(runs)
    line = run.lines[0]
    title = bare and short and line.strip().casefold() not in often
    return title and (headings.looks_like_title(line) or headings.is_loud(line))
