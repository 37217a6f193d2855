"""A new edition of a book of 20,000 segments: figures are printed, a generous bound is asserted."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "project"))

from bookmaking import make

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.project import Project

pytestmark = pytest.mark.perf

CHAPTERS, LINES = 40, 500
MOST = 10.0
"""Seconds of CPU for an update."""


def line(number: int, word: str = "clock") -> SegmentDraft:
    """One line; every tenth is the same."""
    text = (
        "Nobody said a word to anybody."
        if number % 10 == 0
        else f"Nobody in the village remembered who had wound the old {word}, number {number}."
    )
    return SegmentDraft(Kind.PROSE, text, text, number % 4 == 0, number)


def edition(order: list[int], mended: set[int]) -> list[ChapterDraft]:
    """Chapters in an order, some of their lines changed."""
    return [
        ChapterDraft(
            f"Chapter {chapter}",
            tuple(
                line(number, "watch" if number in mended else "clock")
                for number in range(chapter * LINES, (chapter + 1) * LINES)
            ),
        )
        for chapter in order
    ]


def cpu(what: str, call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    used = time.process_time() - start
    print(f"{what:<44}{used:9.2f} s CPU")
    return used


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return make(tmp_path / "book", chapters=edition([*range(CHAPTERS)], set()))


def test_an_update_of_a_long_book(project: Project) -> None:
    mended = set(range(7, CHAPTERS * LINES, 43))
    order = [CHAPTERS - 1, *range(5), *range(6, CHAPTERS - 1), CHAPTERS]
    new = edition(order, mended)
    with project:
        assert cpu("the same edition compared", lambda: project.compared(new)) < MOST
        assert (
            cpu("a chapter moved, one gone, 1 of 43 lines mended", lambda: project.update_book(new))
            < MOST
        )
        assert cpu("undone", project.undo) < MOST
        other = edition([*range(CHAPTERS + 1, 2 * CHAPTERS)], set())
        assert cpu("another book altogether", lambda: project.update_book(other)) < MOST
