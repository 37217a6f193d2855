"""Which chapters and segments a command is about."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.errors import BadInput
from studio.project.model import Chapter, Segment, State
from studio.project.project import Project

UNFINISHED = frozenset({State.FAILED, State.DRAFT, State.STALE, State.QUEUED})
"""States that narration is for."""


def chapters_of(project: Project, wanted: Sequence[int]) -> tuple[Chapter, ...]:
    """The chapters with these numbers, in book order; all of them where none is named.

    Raises:
        BadInput: The book has no chapter of that number.
    """
    chapters = project.chapters()
    if not wanted:
        return chapters
    known = {chapter.number for chapter in chapters}
    for number in wanted:
        if number not in known:
            raise BadInput(
                f"“{project.info.title}” has no chapter {number}; "
                f"it has {len(chapters)}, numbered 1 to {len(chapters)}."
            )
    return tuple(chapter for chapter in chapters if chapter.number in set(wanted))


def segment_range(text: str) -> tuple[int, int]:
    """Read ``A-B`` or ``A``.

    Raises:
        BadInput: It is neither.
    """
    match = re.fullmatch(r"\s*(\d{1,9})(?:\s*[-–]\s*(\d{1,9}))?\s*", text)
    if match is None:
        raise BadInput(f"“{text}” is no range of segments; write it as 12 or as 12-40.")
    first = int(match.group(1))
    last = int(match.group(2) or first)
    if first < 1 or last < first:
        raise BadInput(f"“{text}” is no range of segments: it must run upwards from 1.")
    return first, last


def segments_of(
    project: Project, chapters: Sequence[int], span: str | None
) -> tuple[list[Segment], tuple[Chapter, ...]]:
    """The segments that a command's ``--chapter`` and ``--segments`` name, and their chapters.

    Raises:
        BadInput: A chapter does not exist, or the range holds no segment.
    """
    picked = chapters_of(project, chapters)
    ids = {chapter.id for chapter in picked}
    segments = [segment for segment in project.segments() if segment.chapter in ids]
    if span is not None:
        first, last = segment_range(span)
        segments = [segment for segment in segments if first <= segment.number <= last]
        if not segments:
            raise BadInput(f"No segment of the chosen chapters lies in {span}.")
    return segments, picked
