"""`a` approves the take that a person had before them, whatever narration brings meanwhile."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from pathlib import Path
from time import monotonic

import pytest
from studio_rig import Rig, make_project, open_rig
from textual import events

from studio.project.model import Change, State
from studio.ui.seen import REMEMBERED, Seen


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    """The cursor on a segment with one take."""
    async with open_rig(make_project(tmp_path / "ferry")) as rig:
        await rig.press("j", "r")
        await rig.until(lambda: rig.line.takes == 1, "for the first take")
        await rig.narrated()
        yield rig


def first_of(rig: Rig) -> tuple[str, int]:
    assert rig.line.chosen is not None
    return rig.line.uid, rig.line.chosen


async def record_behind_the_rows(rig: Rig, uid: str) -> Change:
    """A take is in the book, and the rows have not heard of it."""
    assert rig.director is not None
    await rig.screen.session.read(rig.project.enqueue, [uid], new_seeds=True)
    (item,) = await rig.screen.session.read(rig.project.next_items, 1)
    return await rig.screen.session.read(rig.director._record, item)


async def test_a_take_that_the_rows_do_not_know_is_kept_beside(rig: Rig) -> None:
    uid, first = first_of(rig)
    change = await record_behind_the_rows(rig, uid)
    await rig.press("a")
    await rig.until(lambda: "Segment 2: the new take is kept beside" in rig.notice)
    rig.screen.session.mirror.report(change)
    now = rig.screen.session.rows.get(uid)
    assert now is not None
    assert (now.chosen, now.approved, now.takes) == (first, first, 2)
    assert rig.line.number == 3, "the approval was done"
    await rig.press("u")
    await rig.until(lambda: "Undid: approved segment 2" in rig.notice)
    assert rig.screen.session.rows.get(uid).approved is None  # type: ignore[union-attr]


async def test_a_take_that_is_not_on_the_screen_yet_is_not_approved(rig: Rig) -> None:
    uid, first = first_of(rig)
    key = events.Key("a", "a")
    change = await record_behind_the_rows(rig, uid)
    rig.screen.session.mirror.report(change)
    await rig.until(lambda: rig.line.chosen != first, "for the rows to know")
    await rig.until(lambda: rig.screen.session.seen._changed[uid].painted < math.inf)
    rig.app.post_message(key)  # pressed before all that
    await rig.until(lambda: "kept beside the approved one" in rig.notice)
    now = rig.screen.session.rows.get(uid)
    assert now is not None
    assert (now.chosen, now.approved) == (first, first)


async def test_what_is_on_the_screen_is_approved(rig: Rig) -> None:
    uid, first = first_of(rig)
    await rig.press("R")
    await rig.until(lambda: rig.line.takes == 2)
    await rig.narrated()
    await rig.until(lambda: rig.screen.session.seen._changed[uid].painted < math.inf)
    await rig.press("a")
    await rig.until(lambda: rig.line.number == 3)
    now = rig.screen.session.rows.get(uid)
    assert now is not None
    assert rig.screen.session.rows.state_of(now) is State.APPROVED
    assert now.approved == now.chosen != first


async def test_a_first_take_that_nobody_saw_is_not_approved(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "ferry")) as rig:
        uid, key = rig.line.uid, events.Key("a", "a")
        rig.screen.session.mirror.report(await record_behind_the_rows(rig, uid))
        await rig.until(lambda: rig.line.chosen is not None)
        rig.app.post_message(key)
        await rig.until(lambda: "Segment 1 has just got its take; space plays it." in rig.notice)
        assert rig.line.approved is None
        assert rig.line.number == 1


async def test_one_that_comes_while_the_one_before_sounds_is_asked_for_once(rig: Rig) -> None:
    uid, first = first_of(rig)
    await rig.press("space")
    await rig.until(lambda: rig.player.playing)
    await rig.press("R")
    await rig.until(lambda: rig.line.takes == 2)
    await rig.narrated()
    await rig.until(lambda: rig.screen.session.seen._changed[uid].painted < math.inf)
    await rig.press("a")
    await rig.until(lambda: "K chooses the one that sounds" in rig.notice)
    assert rig.line.approved is None
    await rig.press("a")
    await rig.until(lambda: rig.line.number == 3)
    now = rig.screen.session.rows.get(uid)
    assert now is not None
    assert now.approved == now.chosen != first


async def test_the_keys_of_a_person_are_meant(rig: Rig) -> None:
    """What a person has chosen by a key is approved by the next, painted or not."""
    uid, first = first_of(rig)
    await rig.press("R")
    await rig.until(lambda: rig.line.takes == 2)
    await rig.narrated()
    rig.app.post_message(events.Key("comma", ","))
    rig.app.post_message(events.Key("a", "a"))
    await rig.until(lambda: rig.line.number == 3)
    now = rig.screen.session.rows.get(uid)
    assert now is not None
    assert (now.chosen, now.approved) == (first, first)


async def test_a_selection_is_approved_as_it_was_seen(rig: Rig) -> None:
    uid, first = first_of(rig)
    await rig.press("k", "r")
    await rig.until(lambda: rig.line.takes == 1)
    await rig.narrated()
    await rig.press("x", "x")
    change = await record_behind_the_rows(rig, uid)
    await rig.press("a")
    await rig.until(lambda: "Approved 2 segments. Segment 2: the new take" in rig.notice)
    rig.screen.session.mirror.report(change)
    now = rig.screen.session.rows.get(uid)
    assert now is not None
    assert (now.chosen, now.approved) == (first, first)


def test_several_changes_before_one_is_painted_are_one() -> None:
    seen = Seen()
    seen.note("a", 1)
    seen.note("a", 2)
    assert seen.chosen("a", 3, monotonic()) == 1
    seen.painted(["a", "b"])
    assert seen.chosen("a", 3, monotonic() + 1) == 3
    seen.note("a", 3)
    assert seen.chosen("a", 4, monotonic() + 1) == 3


def test_what_is_on_the_screen_is_forgotten_after_a_while() -> None:
    seen = Seen()
    for number in range(3 * REMEMBERED):
        seen.note(str(number), 1)
        seen.painted([str(number)])
    seen.note("new", 1)
    seen.painted([])
    assert len(seen._changed) == REMEMBERED + 1
