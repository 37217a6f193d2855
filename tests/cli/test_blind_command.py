"""`rhapsode blind`: what came of blind comparisons."""

from __future__ import annotations

from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.project.project import Project
from studio.review.blind import Pair


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    text = "\n\n".join(f"Line {number} was said aloud." for number in range(12))
    (tmp_path / "ferry.md").write_text(f"# The Landing\n\n{text}\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    return tmp_path / "ferry"


def compare(folder: Path, what: str, seed: int, wrong: int, answers: int = 10) -> None:
    """Answer a test, the first questions wrongly."""
    with Project.open(folder) as project:
        uids = [it.uid for it in project.segments() if it.source]
        takes = tuple((uid, 2 * at, 2 * at + 1) for at, uid in enumerate(uids))
        test = project.begin_blind(Pair(what, "hibari", "cosyvoice3", takes), seed, 10)
        for it in test.trials[:answers]:
            said = it.x if it.number > wrong else "ab"["ba".index(it.x)]
            project.answer_blind(test.id, it.number, said)


def test_nothing_was_compared_yet(folder: Path) -> None:
    assert done("blind", folder, cwd=folder.parent)["tests"] == []
    assert "palette" in rhapsode("blind", folder, cwd=folder.parent).out


def test_scores_are_listed_with_how_sure_they_are(folder: Path) -> None:
    compare(folder, "engine", seed=1, wrong=1)
    compare(folder, "engine", seed=2, wrong=4, answers=8)
    compare(folder, "take", seed=3, wrong=0, answers=3)
    compare(folder, "take", seed=4, wrong=0, answers=0)
    data = done("blind", folder, cwd=folder.parent)
    assert [(it["differ_in"], it["right"], it["answered"]) for it in data["tests"]] == [
        ("take", 3, 3),
        ("engine", 4, 8),
        ("engine", 9, 10),
    ]
    last = data["tests"][2]
    assert last["p"] == pytest.approx(11 / 1024)
    assert {last["a"], last["b"]} == {"hibari", "cosyvoice3"}
    assert last["verdict"].endswith("You hear the difference.")
    assert [it["right"] for it in last["answers"]] == [False, *[True] * 9]
    assert all(it["segment"] for it in last["answers"])
    (both,) = data["together"]
    assert (both["tests"], both["right"], both["answered"]) == (2, 13, 18)
    ran = rhapsode("blind", folder, cwd=folder.parent)
    assert "9 of 10" in ran.out
    assert "The newest: 3 of 3 right" in ran.out
    assert "So few answers say little" in ran.out
    assert "cosyvoice3 and hibari, 2 tests together: 13 of 18 right" in ran.out


def test_segments_that_are_gone_are_told_as_that(folder: Path) -> None:
    compare(folder, "engine", seed=1, wrong=0, answers=2)
    with Project.open(folder) as project:
        project.delete([it.uid for it in project.segments() if it.source][1:])
    data = done("blind", folder, cwd=folder.parent)
    assert None in {it["segment"] for it in data["tests"][0]["answers"]}
    assert rhapsode("blind", folder, cwd=folder.parent).code == 0
