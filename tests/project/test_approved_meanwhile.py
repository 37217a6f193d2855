"""A take that a person approves while another one is on its way stays the chosen one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bookmaking import narrate_all, narrated

from studio.errors import BadInput
from studio.project.beside import beside_lines
from studio.project.model import Change, Failure, QueueItem, Reuse, Segment, State
from studio.project.project import Project


@pytest.fixture
def uid(project: Project, uids: list[str]) -> str:
    """A segment with a take."""
    project.enqueue(uids[:1])
    narrate_all(project)
    return uids[0]


def row(project: Project, uid: str) -> Segment:
    return project.segments_by_uid([uid])[uid]


def ask(project: Project, uid: str) -> QueueItem:
    """Ask for a new seed; what the director takes up of it."""
    project.enqueue([uid], new_seeds=True, first=True)
    return project.next_items(1)[0]


def lines(project: Project, change: Change) -> list[str]:
    uids = [outcome.item.segment for outcome in change.outcomes]
    return beside_lines(change.outcomes, project.segments_by_uid(uids))


def test_a_take_approved_after_another_was_asked_for_stays(project: Project, uid: str) -> None:
    old = row(project, uid)
    item = ask(project, uid)
    project.approve([uid])
    steps = project.history()
    change = project.record([narrated(project, item)])
    now = row(project, uid)
    assert (now.chosen, now.seed, now.takes) == (old.chosen, old.seed, 2)
    assert now.state() is State.APPROVED
    assert project.queue() == ()
    assert project.history() == steps
    assert lines(project, change) == ["Segment 1: the new take is kept beside the approved one."]
    assert not project.asked_anew(uid, old.chosen or 0)


def test_it_stays_if_it_is_approved_before_the_director_takes_the_other_up(
    project: Project, uid: str
) -> None:
    project.enqueue([uid], new_seeds=True)
    project.approve([uid])
    assert not project.asked_anew(uid, row(project, uid).chosen or 0), "nobody waits for it"
    narrate_all(project)
    assert row(project, uid).state() is State.APPROVED
    assert row(project, uid).takes == 2


def test_a_new_seed_for_an_approved_segment_takes_its_place(project: Project, uid: str) -> None:
    project.approve([uid])
    item = ask(project, uid)
    change = project.record([narrated(project, item)])
    assert row(project, uid).take_number == 2
    assert row(project, uid).state() is State.READY
    assert not change.outcomes


def test_approving_again_what_was_approved_before_says_this_one(project: Project, uid: str) -> None:
    project.approve([uid])
    item = ask(project, uid)
    project.approve([uid])
    project.record([narrated(project, item)])
    assert row(project, uid).state() is State.APPROVED


def test_what_is_asked_for_after_the_approval_is_chosen_and_what_was_before_is_not(
    project: Project, uid: str
) -> None:
    first = ask(project, uid)
    project.approve([uid])
    second = ask(project, uid)
    assert project.asked_anew(uid, row(project, uid).chosen or 0)
    project.record([narrated(project, first)])
    assert row(project, uid).take_number == 1
    assert project.queue() == (second,)
    project.record([narrated(project, second)])
    assert row(project, uid).take_number == 3
    assert row(project, uid).state() is State.READY


def test_the_same_asked_for_again_after_the_approval_is_chosen(project: Project, uid: str) -> None:
    item = ask(project, uid)
    project.approve([uid])
    project.enqueue([uid], first=True)
    project.record([narrated(project, item)])
    assert row(project, uid).take_number == 2


def test_an_approval_that_is_taken_back_holds_nothing(project: Project, uid: str) -> None:
    for take_back in (lambda: project.approve([uid], on=False), project.undo):
        before = row(project, uid).take_number
        item = ask(project, uid)
        project.approve([uid])
        take_back()
        project.record([narrated(project, item)])
        assert row(project, uid).take_number == before + 1


def test_an_approval_that_is_redone_holds_again(project: Project, uid: str) -> None:
    item = ask(project, uid)
    project.approve([uid])
    project.undo()
    project.redo()
    project.record([narrated(project, item)])
    assert row(project, uid).state() is State.APPROVED


def test_undoing_the_approval_later_leaves_the_take_that_was_chosen(
    project: Project, uid: str
) -> None:
    item = ask(project, uid)
    project.approve([uid])
    project.record([narrated(project, item)])
    project.undo()
    assert (row(project, uid).take_number, row(project, uid).approved) == (1, None)
    project.choose_take(uid, project.takes(uid)[1].id)
    assert row(project, uid).take_number == 2


def test_an_approved_take_that_has_become_stale_makes_room(project: Project, uid: str) -> None:
    project.enqueue([uid], new_seeds=True)
    project.approve([uid])
    project.edit_spoken(uid, "Other words.")
    narrate_all(project)
    assert row(project, uid).take_number == 2
    assert row(project, uid).state() is State.READY


def test_what_comes_after_the_queue_was_emptied_is_kept_beside(project: Project, uid: str) -> None:
    item = ask(project, uid)
    project.clear_queue()
    project.approve([uid])
    change = project.record([narrated(project, item)])
    assert row(project, uid).state() is State.APPROVED
    assert row(project, uid).takes == 2
    assert lines(project, change) == ["Segment 1: the new take is kept beside the approved one."]


def test_a_take_that_is_there_already_is_not_chosen_either(project: Project, uid: str) -> None:
    narrated_first = row(project, uid).chosen or 0
    project.record([narrated(project, ask(project, uid))])
    item = ask(project, uid)
    project.approve([uid])
    change = project.record([Reuse(item, narrated_first)])
    assert row(project, uid).take_number == 2
    assert row(project, uid).state() is State.APPROVED
    assert lines(project, change)


def test_the_approved_take_itself_is_no_other(project: Project, uid: str) -> None:
    project.enqueue([uid])
    (item,) = project.queue()
    project.approve([uid])
    assert not project.record([Reuse(item, row(project, uid).chosen or 0)]).outcomes
    assert row(project, uid).state() is State.APPROVED


def test_a_failure_nobody_needs_is_told_and_no_state(project: Project, uid: str) -> None:
    item = ask(project, uid)
    project.approve([uid])
    change = project.record([], [Failure(item, "It is too long.")])
    assert row(project, uid).state() is State.APPROVED
    assert lines(project, change) == [
        "Segment 1: the new take failed and the approved one stays: It is too long."
    ]
    project.record([], [Failure(ask(project, uid), "It is too long.")])
    assert row(project, uid).state() is State.FAILED


def test_many_approved_at_once_are_told_in_one_line(project: Project, uids: list[str]) -> None:
    project.enqueue(uids)
    narrate_all(project)
    project.enqueue(uids, new_seeds=True)
    project.approve(uids[:3])
    change = project.record([narrated(project, item) for item in project.queue()])
    numbers = [row(project, it).take_number for it in uids]
    assert numbers == [1] * 3 + [2] * (len(uids) - 3)
    assert lines(project, change) == [
        "Segments 1–3: the new takes are kept beside the approved ones."
    ]


def test_the_best_candidate_does_not_displace_what_was_approved_meanwhile(
    project: Project, uids: list[str]
) -> None:
    project.enqueue(uids[:1], candidates=3)
    first, *others = project.queue()
    project.record([replace(narrated(project, first), findings=("clipped",))])
    project.approve(uids[:1])
    change = project.record([narrated(project, item) for item in others])
    assert row(project, uids[0]).state() is State.APPROVED
    assert row(project, uids[0]).take_number == 1
    assert [it.beside for it in change.outcomes] == [False, False], "told as candidates"


def test_a_take_made_again_is_told_as_that(project: Project, uid: str) -> None:
    take = row(project, uid).chosen or 0
    project.enqueue([uid], remake=take)
    (item,) = project.queue()
    project.approve([uid])
    change = project.record([narrated(project, item, engine_version="2")])
    assert row(project, uid).state() is State.APPROVED
    assert not lines(project, change)


def test_the_approval_outlives_the_program(project: Project, uid: str) -> None:
    project.enqueue([uid], new_seeds=True)
    project.approve([uid])
    project.close()
    with Project.open(project.folder) as again:
        narrate_all(again)
        assert row(again, uid).state() is State.APPROVED
        assert row(again, uid).takes == 2


def test_the_take_that_was_seen_is_approved_and_the_one_that_came_is_beside_it(
    project: Project, uid: str
) -> None:
    seen = row(project, uid)
    project.record([narrated(project, ask(project, uid))])
    assert row(project, uid).chosen != seen.chosen
    project.approve([uid], seen={uid: seen.chosen or 0})
    now = row(project, uid)
    assert (now.chosen, now.seed, now.approved) == (seen.chosen, seen.seed, seen.chosen)
    project.undo()
    assert (row(project, uid).take_number, row(project, uid).approved) == (2, None)


def test_one_that_was_seen_and_is_stale_is_not_approved(project: Project, uid: str) -> None:
    seen = row(project, uid)
    project.edit_spoken(uid, "Other words.")
    project.enqueue([uid])
    narrate_all(project)
    before = row(project, uid)
    with pytest.raises(BadInput, match="Segment 1 has got another take meanwhile"):
        project.approve([uid], seen={uid: seen.chosen or 0})
    assert row(project, uid) == before
