"""The studio's keys on a real project: what they do, what they say, what they never do."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from screens_text import assert_golden, screen_text, settle
from studio_rig import Rig, make_project, open_rig, tone
from textual import events

from studio.project.model import State
from studio.project.project import Project
from studio.ui.actions import ACTIONS
from studio.ui.screens.past import PastScreen
from studio.ui.screens.prompt import Confirm
from studio.ui.widgets.spoken_editor import SpokenEditor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def state(rig: Rig) -> State:
    return rig.screen.session.rows.state_of(rig.line)


async def narrate_first(rig: Rig, count: int = 2) -> None:
    """Narrate the first segments, and go back to the first."""
    for _ in range(count):
        await rig.press("r", "j")
    await rig.narrated()
    await rig.press("home")


# Moving.


async def test_moving_by_hand(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "k")
        assert rig.line.number == 2
        await rig.press("G")
        assert rig.line.number == 18
        await rig.press("g", "g")
        assert rig.line.number == 1
        await rig.press("right_square_bracket")
        assert rig.line.number == 7
        await rig.press("j", "left_square_bracket")
        assert rig.line.number == 7
        await rig.press("left_square_bracket")
        assert rig.line.number == 1


async def test_a_sequence_shows_what_may_follow_and_other_keys_end_it(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "g")
        assert "c narrate chapter" in rig.notice
        await rig.press("k")
        assert rig.line.number == 3, "the key after g must not act by itself"
        assert "narrate chapter" not in rig.notice
        await rig.press("k")
        assert rig.line.number == 2


async def test_panes_by_tab_and_by_number(folder: Path) -> None:
    async with open_rig(folder) as rig:
        for key, pane in (("tab", "takes"), ("tab", "chapters"), ("shift+tab", "takes")):
            await rig.press(key)
            assert rig.app.focused is not None
            assert rig.app.focused.id == pane
        for key, pane in (("1", "chapters"), ("2", "grid"), ("3", "takes"), ("t", "takes")):
            await rig.press(key)
            assert rig.app.focused is not None
            assert rig.app.focused.id == pane
        await rig.press("escape")
        assert rig.app.focused is rig.screen.grid


async def test_enter_in_the_chapters_goes_there(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("1", "j", "j", "enter")
        await settle(rig.pilot)
        assert rig.line.number == 13
        assert rig.app.focused is rig.screen.grid


# Narrating.


async def test_r_shows_the_segment_queued_before_the_engine_answers(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("r")
        assert state(rig) in (State.QUEUED, State.NARRATING)
        rig.director.hold.set()
        await rig.narrated()
        assert state(rig) is State.READY
        assert rig.line.takes == 1


async def test_r_keeps_the_seed_and_capital_r_draws_another(folder: Path) -> None:
    async with open_rig(folder) as rig:
        seed = rig.line.seed
        await rig.press("r")
        await rig.narrated()
        assert rig.line.seed == seed
        await rig.press("r")
        assert "would sound the same" in rig.notice
        await rig.press("R")
        await rig.narrated()
        assert rig.line.takes == 2
        assert rig.line.take_number == 2
        assert rig.line.seed != seed


async def test_r_twenty_times_makes_one_take(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press(*["r"] * 20)
        await rig.narrated()
        assert rig.line.takes == 1


async def test_the_cursor_stays_on_its_segment_while_the_chapter_is_narrated(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j")
        uid = rig.line.uid
        await rig.press("g", "c")
        session = rig.screen.session
        await rig.until(lambda: session.chapters[0].done == session.chapters[0].segments)
        assert rig.line.uid == uid
        assert all(row.takes == 0 for row in rig.screen.session.rows.all if row.number > 6)


async def test_stop_keeps_the_queue_and_stop_again_goes_on(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("g", "b")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        await rig.press("S")
        await rig.until(lambda: not rig.screen.session.rows.narrating)
        assert "S goes on" in rig.notice
        assert rig.director.paused
        assert rig.screen.session.waiting == 15
        rig.director.hold.set()
        await rig.press("S")
        await rig.narrated()
        assert all(
            state is State.READY or "whispered" in row.source
            for row in rig.screen.session.rows.all
            if (state := row.state())
        )


async def test_one_segment_asked_for_during_a_pause_does_not_start_the_queue(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        await rig.screen.session.do(
            rig.project.enqueue, [row.uid for row in rig.screen.session.rows.all if row.number > 6]
        )
        await rig.narrated()
        rig.director.hold.clear()
        rig.director.pause()
        await rig.screen.session.do(
            rig.project.enqueue, [row.uid for row in rig.screen.session.rows.all if row.number < 5]
        )
        await rig.press("end", "R")
        rig.director.hold.set()
        await rig.until(lambda: rig.line.takes == 2)
        await rig.until(lambda: rig.director is not None and rig.director.paused)
        assert rig.screen.session.waiting >= 3


async def test_g_x_empties_the_queue(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.pause()
        await rig.screen.session.do(rig.project.enqueue, [rig.line.uid])
        await rig.press("g", "x")
        assert rig.screen.session.waiting == 0
        assert "1 segment went out of it" in rig.notice


async def test_a_queue_left_over_waits_and_says_how_to_go_on(folder: Path) -> None:
    project = Project.open(folder)
    project.enqueue([project.segments()[0].uid])
    project.close()
    async with open_rig(folder) as rig:
        assert rig.director is not None
        assert rig.director.paused
        assert "S goes on" in rig.notice
        await rig.press("S")
        await rig.narrated()
        assert rig.line.takes == 1


async def test_the_end_of_a_bulk_run_is_told_with_a_bell(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rig(folder) as rig:
        rung: list[bool] = []
        monkeypatch.setattr(rig.app, "bell", lambda: rung.append(True))
        assert rig.director is not None
        rig.director.failing.add(rig.screen.session.rows.all[3].uid)
        await rig.press("r")
        await rig.narrated()
        assert not rung, "a single segment is no bulk run"
        await rig.press("g", "c")
        await rig.until(lambda: rung)
        assert "The queue is done; 1 failed" in rig.notice


async def test_a_failure_is_shown_and_found(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        await rig.press("j")
        rig.director.failing.add(rig.line.uid)
        await rig.press("r")
        await rig.narrated()
        assert state(rig) is State.FAILED
        await rig.until(lambda: "the engine cannot say this" in screen_text(rig.app))
        await rig.press("G", "exclamation_mark")
        assert rig.line.number == 2


# Listening.


async def test_space_plays_the_chosen_take_and_stops_it(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_first(rig)
        await rig.press("space")
        await rig.until(lambda: rig.player.played)
        source, _ = rig.player.played[0]
        heard = np.rint(source.read(0, source.frames) * 32768).astype(np.int16)
        assert np.array_equal(heard, tone(rig.line.seed, rig.line.spoken)[:, 0])
        await rig.press("space")
        await rig.until(lambda: not rig.player.playing)
        assert len(rig.player.played) == 1


async def test_space_without_a_take_says_what_to_press(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("space")
        await rig.until(lambda: "r narrates it" in rig.notice)
        assert not rig.player.played


async def test_space_right_after_r_waits_for_the_new_take(folder: Path) -> None:
    """An old clip must never pass for the one that was just asked for."""
    async with open_rig(folder) as rig:
        await narrate_first(rig)
        assert rig.director is not None
        await rig.press("e")
        rig.screen.query_one(SpokenEditor).text = "A dog, not a cat."
        await rig.press("enter")
        await rig.until(lambda: state(rig) is State.STALE)
        rig.director.hold.clear()
        await rig.press("r", "space")
        await settle(rig.pilot)
        assert not rig.player.played
        rig.director.hold.set()
        await rig.until(lambda: rig.player.played, "for the new take")
        source, _ = rig.player.played[0]
        assert source.frames == len(tone(rig.line.seed, "A dog, not a cat."))


async def test_space_on_a_stale_segment_plays_it_and_says_so(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_first(rig)
        await rig.press("e")
        rig.screen.query_one(SpokenEditor).text = "Another text."
        await rig.press("enter")
        await rig.until(lambda: state(rig) is State.STALE)
        await rig.press("space")
        await rig.until(lambda: rig.player.played)
        assert "Stale" in rig.notice


async def test_without_a_device_one_notice_and_everything_else_works(folder: Path) -> None:
    async with open_rig(folder, refusal="No sound device was found.") as rig:
        await narrate_first(rig)
        await rig.press("space")
        await rig.until(lambda: "No sound device" in rig.notice)
        await rig.press("a")
        await rig.until(lambda: rig.screen.session.rows.all[0].approved is not None)
        assert "No sound device" in screen_text(rig.app)


async def test_the_join_needs_both_sides(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_first(rig, 2)
        await rig.press("P")
        await rig.until(lambda: len(rig.player.played) == 1)
        await rig.press("j", "P")
        await rig.until(lambda: "A join needs a take" in rig.notice)


async def test_seeking(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_first(rig, 3)
        await rig.press("P")
        await rig.until(lambda: rig.player.played)
        await rig.press("l")
        assert rig.player.position == pytest.approx(min(2, rig.player.duration))
        await rig.press("h", "h")
        assert rig.player.position == 0


# Takes, judgement, text.


async def test_stepping_takes_chooses_them_with_their_seeds(folder: Path) -> None:
    async with open_rig(folder) as rig:
        first = rig.line.seed
        await rig.press("r")
        await rig.narrated()
        await rig.press("R")
        await rig.narrated()
        await rig.press("comma")
        assert (rig.line.take_number, rig.line.seed) == (1, first)
        await rig.press("full_stop")
        assert rig.line.take_number == 2
        await rig.press("u")
        assert rig.line.take_number == 1


async def test_the_list_of_takes_plays_and_chooses(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        await rig.press("R")
        await rig.narrated()
        await rig.until(lambda: len(rig.screen.takes) == 2)
        await rig.press("t", "k", "space")
        await rig.until(lambda: rig.player.played)
        assert rig.line.take_number == 2, "hearing is not choosing"
        await rig.press("enter")
        await rig.until(lambda: rig.line.take_number == 1)
        assert rig.app.focused is rig.screen.grid


async def test_approving_goes_to_the_next_that_is_not_approved(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("a")
        assert "no take to approve" in rig.notice
        await narrate_first(rig, 3)
        await rig.press("a", "a")
        assert rig.line.number == 3
        assert [row.state() for row in rig.screen.session.rows.all[:2]] == [State.APPROVED] * 2
        await rig.press("u")
        assert rig.line.number == 2
        assert state(rig) is State.READY
        await rig.press("ctrl+r")
        assert state(rig) is State.APPROVED


async def test_a_take_approved_while_another_is_narrated_stays(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        await narrate_first(rig)
        approved = rig.line.chosen
        rig.director.hold.clear()
        await rig.press("R")
        await rig.until(lambda: state(rig) is State.NARRATING)
        await rig.press("a")
        rig.director.hold.set()
        await rig.until(lambda: "kept beside" in rig.notice)
        assert rig.notice == "Segment 1: the new take is kept beside the approved one."
        await rig.press("g", "g")
        await rig.until(lambda: rig.line.takes == 2 and not rig.line.queued)
        assert (rig.line.chosen, state(rig)) == (approved, State.APPROVED)
        rig.director.hold.clear()
        await rig.press("R")
        await rig.until(lambda: state(rig) is State.NARRATING)
        await rig.press("a")
        rig.director.hold.set()
        await rig.until(lambda: rig.project.segments()[0].takes == 3)
        assert rig.project.segments()[0].chosen == approved, "“this one” was said once more"


async def test_a_stale_take_cannot_be_approved(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await narrate_first(rig)
        await rig.press("e")
        rig.screen.query_one(SpokenEditor).text = "Another text."
        await rig.press("enter", "a")
        assert "is stale" in rig.notice
        assert rig.line.approved is None


async def test_letters_are_text_while_a_segment_is_edited(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("e", *"arqgc!", "ctrl+r", "enter")
        await rig.until(lambda: not rig.screen.panel.editing)
        assert rig.line.spoken == "The Landingarqgc!"
        assert rig.screen.session.waiting == 0
        await rig.press("e", "x", "escape")
        assert rig.line.spoken == "The Landingarqgc!"
        await rig.press("u")
        assert rig.line.spoken == "The Landing"
        assert "Undid: edited segment 1" in rig.notice


async def test_a_click_beside_the_editor_keeps_the_text(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("e", "x")
        await rig.pilot.click("#grid", offset=(20, 5))
        await rig.until(lambda: rig.screen.session.rows.all[0].spoken == "The Landingx")
        assert not rig.screen.panel.editing


async def test_without_an_editor_a_plain_notice(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("EDITOR", raising=False)
    async with open_rig(folder) as rig:
        await rig.press("ctrl+o")
        assert "Neither $VISUAL nor $EDITOR is set" in rig.notice


async def test_undo_of_a_narration_brings_back_the_take_before(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        await rig.press("R")
        await rig.narrated()
        await rig.press("u")
        assert (rig.line.take_number, rig.line.takes) == (1, 2)
        await rig.press("u")
        assert rig.line.chosen is None
        await rig.press("u")
        assert "Nothing to undo" in rig.notice
        await rig.press("ctrl+r", "ctrl+r")
        assert rig.line.take_number == 2


async def test_the_history_list_goes_back_to_a_step(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("m", "j", "m", "j", "m", "H")
        await rig.until(lambda: isinstance(rig.app.screen, PastScreen))
        await rig.press("j", "j", "enter")
        await rig.until(
            lambda: [row.mark for row in rig.screen.session.rows.all[:3]] == [True, False, False]
        )


async def test_a_note_is_kept(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("o", *"loud", "enter")
        await rig.until(lambda: rig.line.note == "loud")


# Finding.


async def test_search_is_case_blind_until_a_capital_and_walks_round(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("slash", *"harrow", "enter")
        await rig.until(lambda: rig.line.number == 4)
        assert "1 of 3" in rig.notice
        await rig.press("n")
        assert rig.line.number == 10
        await rig.press("N", "N")
        assert rig.line.number == 16
        await rig.press("slash", *"HARROW", "enter")
        await rig.until(lambda: "is not in any segment" in rig.notice)


async def test_letters_right_behind_a_key_belong_to_its_dialog(folder: Path) -> None:
    """Typed faster than a dialog opens, they must neither act on the book nor be lost."""
    async with open_rig(folder) as rig:
        for key in ("slash", *"harm", "enter"):
            rig.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await rig.until(lambda: "“harm” is not in any segment" in rig.notice)
        for key in ("e", *"rag", "enter"):
            rig.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await rig.until(lambda: rig.line.spoken == "The Landingrag")
        assert rig.screen.session.waiting == 0
        assert not rig.line.mark


async def test_search_finds_what_is_only_spoken_and_survives_a_broken_pattern(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("slash", *"Doctor", "enter")
        await rig.until(lambda: rig.line.number == 4)
        await rig.press("slash", "ctrl+u", "left_parenthesis", "2", "enter")
        await rig.until(lambda: "no regular expression" in rig.notice)
        assert "(2" in rig.line.source


async def test_a_filter_keeps_the_cursor_and_what_was_fixed_in_it(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.narrated()
        await rig.press("j", "j")
        uid = rig.line.uid
        await rig.press("f", "j", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 1)
        assert rig.line.uid == uid
        await rig.press("a")
        assert len(rig.screen.session.rows) == 1, "it must not vanish under the cursor"
        await rig.press("escape")
        await rig.until(lambda: len(rig.screen.session.rows) == 18)
        assert rig.line.uid == uid


# The rest.


async def test_quitting_asks_only_while_work_is_running(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("r")
        await rig.until(lambda: rig.screen.session.busy)
        await rig.press("q")
        await rig.until(lambda: isinstance(rig.app.screen, Confirm))
        await rig.press("escape")
        assert rig.app.is_running
        rig.director.hold.set()
        await rig.narrated()
        await rig.press("q")
        await rig.until(lambda: rig.app.return_value == 0)


async def test_quitting_keeps_an_open_edit(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("e", "x", "ctrl+q")
        await rig.until(lambda: rig.app.return_value == 0)
    project = Project.open(folder)
    assert project.segments()[0].spoken == "The Landingx"
    project.close()


async def test_every_action_of_the_table_has_a_method(folder: Path) -> None:
    async with open_rig(folder) as rig:
        for action in ACTIONS:
            if action.pane or action.screen not in ("studio", "everywhere"):
                continue
            owner = rig.app if action.screen == "everywhere" else rig.screen
            assert hasattr(owner, f"action_{action.method}"), action.id


async def test_the_palette_runs_an_action(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("colon")
        await rig.pilot.pause(0.2)
        await rig.press(*"mark")
        await rig.until(lambda: "Mark" in screen_text(rig.app))
        await rig.pilot.pause(0.3)
        await rig.press("enter")
        await rig.until(lambda: rig.line.mark)


async def test_the_palette_finds_words_of_a_sentence_and_no_scattered_letters(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("colon")
        await rig.until(lambda: "Play" in screen_text(rig.app))
        await rig.press(*"import")
        await rig.until(lambda: "Close this book" in screen_text(rig.app))
        found = screen_text(rig.app)
        assert "Hear the last two" not in found, "i, m, p, o, r, t stand in it, far apart"
        assert "up to ×2" not in found


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
async def test_the_studio_looks_as_it_did(folder: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size) as rig:
        await rig.press("g", "c")
        await rig.until(lambda: "The queue is done" in rig.notice)
        await rig.press("a", "a", "m")
        await rig.until(lambda: rig.screen.session.chapters[0].approved == 2)
        await rig.until(lambda: rig.screen.takes_of == rig.line.uid and rig.screen.takes)
        await rig.pilot.pause(0.2)
        await rig.press("escape")
        await settle(rig.pilot)
        assert_golden(rig.app, f"studio_{size[0]}")
        await rig.press("question_mark")
        await settle(rig.pilot)
        assert_golden(rig.app, f"help_{size[0]}")
        await rig.press("escape", "E")
        await settle(rig.pilot)
        assert_golden(rig.app, f"export_{size[0]}")
