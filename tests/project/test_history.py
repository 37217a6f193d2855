"""Results that arrive in the background, and the list of steps."""

from __future__ import annotations

from pathlib import Path

import pytest
from bookmaking import make, narrate_all, narrated

from studio.project.model import Segment
from studio.project.project import Project


def chosen(project: Project, uids: list[str]) -> list[int | None]:
    rows = project.segments_by_uid(uids)
    return [rows[uid].chosen for uid in uids]


def labels(project: Project) -> list[tuple[str, bool]]:
    return [(entry.label, entry.undone) for entry in reversed(project.history())]


def test_the_results_of_a_group_are_one_step(project: Project, uids: list[str]) -> None:
    project.enqueue(uids, label="narrated chapter 1")
    for item in project.queue():
        project.record([narrated(project, item)])
    assert labels(project) == [("narrated chapter 1", False)]
    project.undo()
    assert chosen(project, uids) == [None] * 6
    assert all(segment.takes == 1 for segment in project.segments() if segment.uid in uids)
    project.redo()
    assert None not in chosen(project, uids)


def test_two_groups_in_one_batch_are_two_steps(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:3], label="first")
    project.enqueue(uids[3:], label="second")
    narrate_all(project)
    assert labels(project) == [("first", False), ("second", False)]


def test_a_result_joins_its_group_past_unrelated_steps(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:2], label="narrated")
    first, second = project.queue()
    project.record([narrated(project, first)])
    project.mark([uids[5]])
    project.record([narrated(project, second)])
    assert labels(project) == [("narrated", False), ("marked segment 7", False)]
    project.undo()
    assert None not in chosen(project, uids[:2])
    project.undo()
    assert chosen(project, uids[:2]) == [None, None]


def test_a_result_past_a_step_on_its_row_is_a_step_of_its_own(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[:2], label="narrated")
    first, second = project.queue()
    project.record([narrated(project, first)])
    project.set_seed(uids[1], 5)
    project.record([narrated(project, second)])
    steps = [label for label, _ in labels(project)]
    assert steps == ["narrated", "seed of segment 2: 5", "narrated"]
    project.undo()
    segment = project.segments_by_uid(uids)[uids[1]]
    assert (segment.seed, segment.chosen) == (5, None)


def test_a_background_result_keeps_what_can_be_redone(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1], label="narrated")
    (item,) = project.queue()
    project.set_note(uids[0], "a")
    project.edit_spoken(uids[1], "Other words.")
    project.undo()
    project.undo()
    project.record([narrated(project, item)])
    assert [undone for _, undone in labels(project)] == [False, True, True]
    project.redo()
    project.redo()
    rows = project.segments_by_uid(uids)
    assert (rows[uids[0]].note, rows[uids[1]].spoken) == ("a", "Other words.")
    assert rows[uids[0]].chosen is not None
    for _ in range(3):
        project.undo()
    assert chosen(project, uids[:1]) == [None]
    assert project.can_undo is None


def test_a_background_result_ends_what_conflicts_with_it(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    project.enqueue(uids[:1], new_seeds=True)
    (item,) = project.queue()
    new = narrated(project, item)
    project.undo()
    project.record([new])
    assert project.can_redo is None
    assert project.can_undo is not None
    project.undo()
    assert chosen(project, uids[:1]) == [None]


def test_a_step_of_a_person_ends_what_could_be_redone(project: Project, uids: list[str]) -> None:
    project.mark(uids)
    project.undo()
    project.set_note(uids[0], "other")
    assert project.can_redo is None
    assert labels(project) == [("note on segment 1", False)]


def test_undo_after_a_group_was_narrated_twice_brings_back_the_earlier_takes(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids)
    narrate_all(project)
    earlier = chosen(project, uids)
    project.enqueue(uids, new_seeds=True)
    narrate_all(project)
    assert set(chosen(project, uids)).isdisjoint(earlier)
    project.undo()
    assert chosen(project, uids) == earlier
    assert all(len(project.takes(uid)) == 2 for uid in uids)


def test_the_history_goes_on_after_closing(tmp_path: Path) -> None:
    def spoken(segments: list[Segment]) -> str:
        return segments[1].spoken

    with make(tmp_path / "book") as project:
        before = spoken(project.segments())
        project.edit_spoken(project.segments()[1].uid, "New.")
    with Project.open(tmp_path / "book") as project:
        assert project.can_undo == "edited segment 2"
        project.undo()
        assert spoken(project.segments()) == before
    with Project.open(tmp_path / "book") as project:
        assert project.can_redo == "edited segment 2"
        project.redo()
        assert spoken(project.segments()) == "New."
    with Project.open(tmp_path / "book", read_only=True) as reader:
        assert reader.can_undo == "edited segment 2"
        assert reader.history(limit=1)[0].label == "edited segment 2"


def test_a_change_names_what_it_touched(project: Project, uids: list[str]) -> None:
    change = project.mark(uids[:2])
    assert change.segments == frozenset(uids[:2])
    assert change.history
    assert not change.structure
    assert not change.settings
    undone = project.undo()
    assert undone is not None
    assert undone.segments == change.segments
    assert project.set_settings(title="T").settings


def test_a_command_that_fails_leaves_no_step(
    project: Project, uids: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("broken")

    monkeypatch.setattr(project._session.history, "_append", broken)
    with pytest.raises(RuntimeError):
        project.mark(uids)
    monkeypatch.undo()
    assert project.history() == ()
    assert not any(segment.mark for segment in project.segments())
    project.set_note(uids[0], "after")
    project.undo()
    assert project.can_undo is None
