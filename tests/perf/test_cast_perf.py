"""A cast for 20,000 segments of speech and narration: figures are printed, a bound is asserted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "project"))

from bookmaking import HEART, make

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.model import Voice
from studio.ui.casting import Cast, apply, find

pytestmark = pytest.mark.perf

CHAPTERS, LINES = 40, 500
MOST = 20.0
"""Seconds of CPU for splitting every segment of the book and giving each part its voice."""
WORDS = ("mill", "door", "lamp", "river", "bell", "letter", "coin", "table", "cellar", "rope")


def line(number: int) -> SegmentDraft:
    """Speech and narration in one segment, no two alike."""
    one, two, three, four, five = (WORDS[number // 10**place % 10] for place in range(5))
    text = (
        f"“I was at the {one} by the {two} and the {three}, or the {four} of the {five},”"
        f" said Anna Berg, and she went to the {three} of the {four} and the {five}."
    )
    return SegmentDraft(Kind.PROSE, text, text, number % 4 == 0, number)


def cpu(what: str, call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    used = time.process_time() - start
    print(f"{what:<44}{used:9.2f} s CPU")
    return used


def test_a_book_of_20000_segments_is_cast_and_split_in_one_step(tmp_path: Path) -> None:
    chapters = [
        ChapterDraft(f"Chapter {n}", tuple(line(n * LINES + k) for k in range(LINES)))
        for n in range(CHAPTERS)
    ]
    with make(tmp_path / "book", chapters=chapters) as project:
        project.put_voice(Voice(id="anna", engine=HEART.engine, speaker="anna"))
        segments = project.segments()
        cast = Cast(segments, find(segments, "en-US"), voices={"Anna Berg": "anna"}, split=True)
        wanted = cast.wanted()
        assert len(wanted.pieces) == CHAPTERS * LINES
        used = cpu("cast and split 20,000 segments", lambda: apply(project, wanted, "cast"))
        now = project.segments()
        assert [segment.voice for segment in now[:4]] == ["anna", "heart", "anna", "heart"]
        assert len(now) == 2 * CHAPTERS * LINES
        cpu("undo", project.undo)
        assert project.segments() == segments
        assert used < MOST
