"""Candidates beside the ordinary row of the queue, and old takes that are made again."""

from __future__ import annotations

import pytest
from bookmaking import narrate_all, narrated

from studio.errors import BadInput
from studio.project.model import Failure, Kind, QueueItem, Segment, State
from studio.project.project import Project


def row(project: Project, uid: str) -> Segment:
    return project.segments_by_uid([uid])[uid]


def made(project: Project, item: QueueItem, **changes: object) -> None:
    """Record what a director would hand in for an item that may be a take made again."""
    if item.remake is not None:
        changes = {**project.take(item.remake).recipe, **changes}
    project.record([narrated(project, item, **changes)])


def test_candidates_stand_beside_the_ordinary_row(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:2])
    change = project.enqueue(uids[:2], candidates=3)
    assert change.segments == frozenset(uids[:2])
    queue = project.queue()
    assert project.queue_size()[0] == len(queue) == 2 + 6
    assert [item.candidate for item in queue].count(True) == 6
    for uid in uids[:2]:
        seeds = [item.seed for item in queue if item.segment == uid]
        assert len(set(seeds)) == 4
        assert row(project, uid).state() is State.QUEUED
    assert len({item.group for item in queue if item.candidate}) == 1
    project.enqueue(uids[:1], candidates=1)
    project.enqueue(uids[:1])
    assert len(project.queue()) == 9
    assert project.clear_queue().segments == frozenset(uids[:2])
    assert project.queue() == ()


def test_candidates_can_go_first(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    project.enqueue([uids[4]], candidates=2, first=True)
    assert [item.segment for item in project.next_items(3)] == [uids[4], uids[4], uids[0]]


@pytest.mark.parametrize("count", [-1, 100])
def test_too_many_candidates_are_refused(project: Project, uids: list[str], count: int) -> None:
    with pytest.raises(BadInput, match="between 1 and 99"):
        project.enqueue(uids, candidates=count)
    assert project.queue() == ()


def test_a_candidate_is_chosen_only_where_nothing_current_is(
    project: Project, uids: list[str]
) -> None:
    current, stale, draft = uids[:3]
    project.enqueue([current, stale])
    narrate_all(project)
    project.edit_spoken(stale, "Other words.")
    before = row(project, current)
    project.enqueue(uids[:3], candidates=1)
    steps = len(project.history())
    narrate_all(project)
    assert row(project, current).chosen == before.chosen
    assert row(project, current).seed == before.seed
    assert [row(project, uid).takes for uid in uids[:3]] == [2, 2, 1]
    assert [row(project, uid).state() for uid in uids[:3]] == [State.READY] * 3
    assert len(project.history()) == steps + 1
    project.undo()
    assert row(project, draft).chosen is None
    assert row(project, stale).stale == ("text",)
    assert row(project, current).chosen == before.chosen


def test_candidates_that_nobody_chose_are_no_step(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    before = project.history()
    project.enqueue(uids[:1], candidates=2)
    narrate_all(project)
    assert project.history() == before
    assert row(project, uids[0]).takes == 3


def test_the_failure_of_a_candidate_is_one_only_without_a_good_take(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    project.enqueue(uids[:2], candidates=1)
    project.record([], [Failure(item, "too long") for item in project.queue()])
    assert project.queue() == ()
    assert [row(project, uid).failure for uid in uids[:2]] == ["", "too long"]


def test_a_take_made_again_is_kept_and_never_chosen(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    (take,) = project.takes(uids[0])
    project.edit_spoken(uids[0], "Other words.")
    project.enqueue(uids[:1], new_seeds=True)
    narrate_all(project)
    chosen, steps = row(project, uids[0]).chosen, project.history()
    for _ in range(2):
        project.enqueue(uids[:1], remake=take.id)
    (item,) = project.queue()
    assert (item.remake, item.seed, item.candidate) == (take.id, take.seed, False)
    # These very bytes are there already: no take is doubled.
    made(project, item)
    assert row(project, uids[0]).takes == 2
    project.enqueue(uids[:1], remake=take.id)
    (item,) = project.queue()
    made(project, item, engine_version="2")
    assert project.queue() == ()
    assert row(project, uids[0]).takes == 3
    assert row(project, uids[0]).chosen == chosen
    assert project.history() == steps
    project.enqueue(uids[:1], remake=take.id)
    project.record([], [Failure(project.queue()[0], "refused")])
    assert (project.queue(), row(project, uids[0]).failure) == ((), "")


def test_a_take_made_again_does_not_take_the_place_of_what_is_asked_for(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    (take,) = project.takes(uids[0])
    project.enqueue(uids[:1], remake=take.id)
    project.enqueue(uids[:1], new_seeds=True)
    again = next(item for item in project.queue() if item.remake is not None)
    made(project, again)
    (left,) = project.queue()
    assert left.remake is None
    assert not left.candidate


def test_only_a_take_of_the_segment_can_be_made_again(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    take = project.takes(uids[0])[0].id
    with pytest.raises(BadInput, match="Segment 2 has no take"):
        project.enqueue([uids[1]], remake=take)
    silent = [s.uid for s in project.segments() if s.kind is Kind.SCENE_BREAK]
    assert not project.enqueue(silent, remake=take)
    assert not project.enqueue(silent, candidates=2)
    assert project.queue() == ()


def test_what_waits_for_a_cleaned_take_goes_with_it(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:1], candidates=2)
    narrate_all(project)
    other = next(t for t in project.takes(uids[0]) if t.id != row(project, uids[0]).chosen)
    project.enqueue(uids[:1], remake=other.id)
    project.clean(dry_run=False)
    assert project.queue() == ()


def test_what_waits_and_asks_for_something_else_is_told(project: Project, uids: list[str]) -> None:
    project.enqueue(uids[:3])
    assert project.edit_spoken(uids[0], "Other words.").queue
    assert project.split(uids[1], 5).queue
    assert not project.mark(uids[:3]).queue
    assert not project.edit_spoken(uids[4], "Other words.").queue
    assert not project.delete([]).queue
    assert project.delete([uids[2]]).queue
    assert [item.segment for item in project.queue()] == uids[:2]


def test_what_is_asked_for_in_place_of_a_take_or_has_just_come(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[:1])
    narrate_all(project)
    first = row(project, uids[0]).chosen
    assert first is not None
    assert not project.asked_anew(uids[0], first)
    project.enqueue(uids[:1], candidates=2)
    assert not project.asked_anew(uids[0], first), "candidates stand beside it"
    project.enqueue(uids[:1], new_seeds=True)
    assert project.asked_anew(uids[0], first)
    narrate_all(project)
    assert project.asked_anew(uids[0], first), "it is there, and whoever looks does not know yet"
    assert not project.asked_anew(uids[0], row(project, uids[0]).chosen or 0)
