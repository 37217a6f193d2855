"""An edition that prints the same words with other signs: nothing is narrated anew."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from bookmaking import HEART, narrate_all
from editions import Draft, drafts_of

from studio.book.glyphs import folded, same_print
from studio.project.model import State
from studio.project.project import Project

PLAIN = [
    '"It\'s late," she said.',
    "'Go!'",
    "He ran -- and fell...",
    "Nothing here has signs.",
    '"No," he said. "Don\'t."',
]
PRINTED = [
    "“It’s late,” she said.",
    "‘Go!’",
    "He ran—and fell…",
    "Nothing here has signs.",
    "“No,” he said. “Don’t.”",
]


def chapter(lines: list[str]) -> list[Draft]:
    return [Draft("One", [[line] for line in lines])]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project.create(
        tmp_path / "book",
        title="The Ferry",
        author="",
        language="en-US",
        voice=HEART,
        chapters=drafts_of(chapter(PLAIN)),
    )
    made.enqueue([segment.uid for segment in made.segments()])
    narrate_all(made)
    made.approve([segment.uid for segment in made.segments()])
    return made


def test_takes_and_approvals_stay_and_the_source_is_the_new_one(project: Project) -> None:
    with project:
        before = {segment.uid: segment for segment in project.segments()}
        found = project.compared(drafts_of(chapter(PRINTED)))
        assert (found.unchanged, len(found.changed), len(found.new), len(found.gone)) == (
            6,
            0,
            0,
            0,
        )
        assert [each.after for each in found.reprinted] == [*PRINTED[:3], PRINTED[4]]
        project.update_book(drafts_of(chapter(PRINTED)))
        after = list(project.segments())
        assert [segment.source for segment in after[1:]] == PRINTED
        for segment in after:
            assert segment.state() is State.APPROVED
            assert segment.chosen == before[segment.uid].chosen
            assert segment.spoken == before[segment.uid].spoken
        assert not project.compared(drafts_of(chapter(PRINTED)))
        project.undo()
        assert [segment.source for segment in project.segments()][1:] == PLAIN


def test_what_is_read_otherwise_is_changed(project: Project) -> None:
    with project:
        lines = [*PLAIN[:3], "Nothing here has signs!", *PLAIN[4:]]
        found = project.compared(drafts_of(chapter(lines)))
        assert [each.after for each in found.changed] == ["Nothing here has signs!"]
        assert not found.reprinted


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("He-she", "He—she", False),
        ("He -- she", "He—she", True),
        ("He - she", "He — she", True),
        ("well-known", "well‑known", True),
        ("Wait. . . .", "Wait….", True),
        ("ﬁne", "fine", True),
        ("extra\u00adordinary", "extraordinary", True),
        ("''Go,''", "“Go,”", True),
        ("«Oui\u00a0»", "«Oui »", True),
        ("Go.", "Go!", False),
        ("Go", "go", False),
        ("cafe", "café", False),
    ],
)
def test_which_signs_are_the_same(left: str, right: str, same: bool) -> None:
    assert same_print(left, right) is same


@pytest.mark.parametrize("unit", [" ", ". ", " - ", "-", "'", "…"])
def test_time_grows_with_length_alone(unit: str) -> None:
    start = time.process_time()
    folded(unit * 40_000)
    assert time.process_time() - start < 2
