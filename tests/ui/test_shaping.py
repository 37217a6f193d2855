"""Selecting and shaping segments with the keys: what they do, what they say, what undo gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from screens_text import assert_golden, screen_text, settle
from studio_rig import Rig, make_project, open_rig
from textual import events

from studio.project.model import Kind, Segment, State
from studio.ui.screens.prompt import Confirm
from studio.ui.screens.shape_form import ShapeForm
from studio.ui.widgets.segment_grid import SegmentGrid
from studio.ui.widgets.spoken_editor import SpokenEditor
from studio.ui.widgets.word_cursor import WordCursor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def burst(rig: Rig, *keys: str) -> None:
    """Send keys without a pause between them."""
    for key in keys:
        rig.app.post_message(events.Key(key, key if len(key) == 1 else None))


def selected(rig: Rig) -> list[int]:
    return [it.number for it in rig.screen.session.rows.selected_segments()]


def texts(rig: Rig) -> list[str]:
    return [it.spoken for it in rig.screen.session.rows.all]


def picture(rig: Rig) -> list[Segment]:
    return list(rig.screen.session.rows.all)


# Selecting.


async def test_a_range_grows_shrinks_and_stays_once_it_is_fixed(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "v", "j", "j", "k")
        assert selected(rig) == [2, 3]
        await rig.press("g", "g")
        assert selected(rig) == [1, 2], "it grows to the other side of where it began"
        await rig.press("v", "G")
        assert selected(rig) == [1, 2]
        assert "2 selected" in screen_text(rig.app)


async def test_shift_extends_and_a_plain_move_leaves_the_range_as_it_is(folder: Path) -> None:
    async with open_rig(folder) as rig:
        burst(rig, "shift+down", "shift+down", "j", "j")
        await rig.until(lambda: rig.line.number == 5)
        assert selected(rig) == [1, 2, 3]
        await rig.press("shift+down", "shift+up", "shift+up")
        assert selected(rig) == [1, 2, 3, 4, 5]


async def test_escape_takes_back_the_range_then_the_selection_then_the_filter(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("m", "f", "j", "j", "j", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 1)
        await rig.press("x", "v")
        assert selected(rig) == [1]
        await rig.press("escape")
        assert selected(rig) == [1], "what was selected before the range"
        await rig.press("escape")
        assert selected(rig) == []
        assert rig.screen.session.rows.filter is not None
        await rig.press("escape")
        await rig.until(lambda: rig.screen.session.rows.filter is None)


async def test_x_toggles_and_goes_on_and_ctrl_a_takes_what_is_shown(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("x", "j", "x")
        assert selected(rig) == [1, 3]
        await rig.press("k", "x")
        assert selected(rig) == [1]
        await rig.press("ctrl+a")
        assert len(selected(rig)) == 18
        await rig.press("ctrl+a")
        assert selected(rig) == []


async def test_a_selection_survives_a_filter_an_edit_and_its_own_use(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("v", "j", "v", "m")
        await rig.until(lambda: sum(it.mark for it in picture(rig)) == 2)
        await rig.press("G", "e", "x", "enter")
        await rig.until(lambda: texts(rig)[-1].endswith("x"))
        await rig.press("f", "j", "j", "j", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 2)
        assert selected(rig) == [1, 2]
        await rig.press("m")
        await rig.until(lambda: not any(it.mark for it in picture(rig)))
        assert "Unmarked 2 segments" in rig.notice
        await rig.press("u")
        await rig.until(lambda: sum(it.mark for it in picture(rig)) == 2)


# Doing something to many.


async def test_r_narrates_what_a_selection_lacks_and_says_what_was_left_out(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("v", "j", "j", "j", "j", "r")
        await rig.until(lambda: "Queued 3 segments of the selection" in rig.notice)
        assert "1 would sound the same and 1 is a scene break" in rig.notice
        rig.director.hold.set()
        await rig.narrated()
        assert [it.takes for it in picture(rig)[:6]] == [1, 1, 1, 1, 0, 0]
        await rig.press("R")
        await rig.narrated()
        await rig.until(lambda: [it.takes for it in picture(rig)[:6]] == [2, 2, 2, 2, 0, 0])
        await rig.press("u")
        await rig.until(lambda: [it.take_number for it in picture(rig)[:4]] == [1, 1, 1, 1])


async def test_a_large_selection_asks_with_its_time_and_size(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("studio.ui.screens.making.LARGE", 3)
    async with open_rig(folder) as rig:
        for key in ("r", "R"):
            await rig.press("ctrl+a", key)
            await rig.until(lambda: isinstance(rig.app.screen, Confirm))
            assert "Narrate 15 segments" in screen_text(rig.app)
            await rig.press("escape", "escape")
            assert rig.screen.session.waiting == 0
        await rig.press("ctrl+a", "r", "y")
        await rig.until(lambda: all(it.takes for it in picture(rig) if it.spoken))


async def test_a_range_that_grows_touches_what_it_passes_and_no_more(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rig(folder) as rig:
        await rig.press("ctrl+a", "escape", "v", "G", "k")
        rows, asked = rig.screen.session.rows, []
        row = rows.row
        monkeypatch.setattr(rows, "row", lambda index: (asked.append(index), row(index))[1])
        rig.screen.grid.cursor = 14
        rig.screen.grow_range(SegmentGrid.CursorMoved("", 14))
        assert selected(rig) == list(range(1, 16))
        assert set(asked) <= {14, 15, 16}


async def test_the_search_finds_what_was_inserted_and_typed(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "i", *"A kestrel", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 19)
        await rig.press("G", "e", *" kestrel", "enter")
        await rig.until(lambda: rig.line.edited)
        await rig.press("home", "slash", *"kes+trel$", "enter")
        await rig.until(lambda: rig.line.number == 3)
        assert "1 of 2" in rig.notice
        await rig.press("n")
        assert rig.line.number == 19


async def test_a_selection_narrated_twenty_times_fast_has_one_take_each(folder: Path) -> None:
    async with open_rig(folder) as rig:
        burst(rig, "v", "j", "j", *"r" * 20)
        await rig.until(lambda: all(it.takes for it in picture(rig)[:3]))
        await rig.narrated()
        assert [it.takes for it in picture(rig)[:4]] == [1, 1, 1, 0]


async def test_a_selection_during_a_pause_is_narrated_alone(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.pause()
        waiting = [it.uid for it in picture(rig)[6:]]
        await rig.screen.session.do(rig.project.enqueue, waiting)
        await rig.press("v", "j", "r")
        await rig.until(lambda: all(it.takes for it in picture(rig)[:2]))
        await rig.until(lambda: rig.director is not None and rig.director.paused)
        assert sum(it.takes for it in picture(rig)[6:]) <= 1


async def test_a_approves_what_can_be_and_names_the_rest(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r", "j", "r", "j", "r")
        await rig.narrated()
        await rig.press("e", "x", "enter")
        await rig.until(lambda: picture(rig)[2].state() is State.STALE)
        await rig.press("ctrl+a", "a")
        await rig.until(lambda: "Approved 2 segments" in rig.notice)
        assert "12 have no take and 1 is stale" in rig.notice
        await rig.press("u")
        await rig.until(lambda: not any(it.approved for it in picture(rig)))


async def test_deleting_says_how_to_get_it_back_and_keeps_the_place(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = picture(rig)
        await rig.press("j", "v", "j", "j", "d")
        await rig.until(lambda: len(rig.screen.session.rows) == 15)
        assert rig.notice == "Deleted 3 segments; u brings them back."
        assert rig.line.uid == before[4].uid
        assert selected(rig) == []
        await rig.press("u")
        await rig.until(lambda: picture(rig) == before)
        await rig.press("ctrl+a", "d")
        await rig.until(lambda: "leave at least one" in rig.notice)


# Splitting and joining.


async def test_splitting_before_a_word_and_joining_again(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = texts(rig)
        await rig.press("j", "s")
        assert isinstance(rig.app.focused, WordCursor)
        await rig.press("home", "l", "l", "l", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 19)
        assert texts(rig)[1:3] == ["She had waited", before[1].removeprefix("She had waited ")]
        assert rig.app.focused is rig.screen.grid
        await rig.press("J")
        await rig.until(lambda: texts(rig) == before)
        await rig.press("u", "u")
        await rig.until(lambda: texts(rig) == before)


async def test_letters_do_nothing_else_while_a_word_is_chosen(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = picture(rig)
        burst(rig, "j", "s", *"amrdgcxq!Ju", "escape", "m")
        await rig.until(lambda: rig.line.mark)
        assert [it.mark for it in picture(rig)] == [n == 1 for n in range(18)]
        assert [it.spoken for it in before] == texts(rig)
        assert rig.screen.session.waiting == 0


async def test_keys_right_behind_a_split_act_on_its_first_part(folder: Path) -> None:
    async with open_rig(folder) as rig:
        burst(rig, "j", "s", "home", "l", "enter", "m", "r")
        await rig.until(lambda: len(rig.screen.session.rows) == 19)
        await rig.narrated()
        first, second = picture(rig)[1:3]
        assert (first.spoken, first.mark, first.takes) == ("She", True, 1)
        assert (second.mark, second.takes) == (False, 0)


async def test_a_typed_text_is_split_where_it_was_typed(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "e")
        rig.screen.query_one(SpokenEditor).text = "She had now waited, oh, eleven years for it."
        await rig.press("enter")
        await rig.until(lambda: rig.line.edited)
        await rig.press("s", "home", *["l"] * 5, "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 19)
        assert texts(rig)[1:3] == ["She had now waited, oh,", "eleven years for it."]
        assert picture(rig)[2].source.startswith("eleven years")


async def test_a_run_is_joined_as_one_step_and_gaps_are_refused(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = picture(rig)
        await rig.press("j", "v", "j", "j", "J")
        await rig.until(lambda: len(rig.screen.session.rows) == 16)
        assert rig.line.number == 2
        assert "Joined segments 2 to 4" in rig.notice
        await rig.press("u")
        await rig.until(lambda: picture(rig) == before)
        await rig.press("escape", "x", "j", "x", "J")
        await rig.until(lambda: "has gaps" in rig.notice)
        await rig.press("escape", "5", "escape", "home", "j", "j", "j", "v", "j", "J")
        await rig.until(lambda: "scene break" in rig.notice)
        assert picture(rig) == before


# Inserting.


async def test_an_inserted_segment_is_there_only_once_it_was_kept(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = picture(rig)
        burst(rig, "j", "i", *"Oh", "escape", "i", "enter")
        await settle(rig.pilot)
        assert picture(rig) == before
        burst(rig, "i", *"Oh", "enter", "r")
        await rig.until(lambda: len(rig.screen.session.rows) == 19)
        await rig.narrated()
        new = picture(rig)[2]
        assert (new.spoken, new.inserted, new.takes) == ("Oh", True, 1)
        assert rig.line.uid == new.uid
        shown = screen_text(rig.app)
        assert "inserted" in shown
        assert "  Oh  " in shown
        await rig.press("u", "u")
        await rig.until(lambda: len(rig.screen.session.rows) == 18)


async def test_quitting_keeps_a_text_that_is_being_inserted(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "i", *"Oh", "ctrl+q")
        await rig.until(lambda: rig.app.return_value == 0)
        assert texts(rig)[2] == "Oh"


# Kind, pause, speed.


async def test_the_form_applies_what_was_changed_as_one_step(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = picture(rig)
        await rig.press("j", "v", "j", "j", "c")
        await rig.until(lambda: isinstance(rig.app.screen, ShapeForm))
        await rig.press("right", "tab", *"750", "tab", "ctrl+u", *"1.2", "enter")
        await rig.until(lambda: picture(rig)[1].pause_ms == 750)
        now = picture(rig)
        assert [it.kind for it in now[1:4]] == [Kind.HEADING] * 3
        assert [(it.pause_ms, it.speed) for it in now[1:4]] == [(750, 1.2)] * 3
        await rig.press("u")
        await rig.until(lambda: picture(rig) == before)


async def test_the_form_leaves_alone_what_was_not_touched(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "c", "tab", *"300", "enter")
        await rig.until(lambda: rig.line.pause_ms == 300)
        await rig.press("v", "j", "c", "enter")
        await settle(rig.pilot)
        assert [it.pause_ms for it in picture(rig)[1:3]] == [300, None]
        await rig.press("c", "tab", *"book", "enter")
        await rig.until(lambda: rig.screen.session.rows.all[1].pause_ms is None)


async def test_the_pause_of_a_scene_break_and_what_is_no_pause(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "j", "j", "c", *"soon", "enter")
        await rig.until(lambda: "whole number of milliseconds" in screen_text(rig.app))
        await rig.press("ctrl+u", *"2500", "enter")
        await rig.until(lambda: rig.line.pause_ms == 2500)
        assert "2.5s" in screen_text(rig.app)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
async def test_what_shaping_looks_like(folder: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size) as rig:
        await rig.press("j", "s")
        await settle(rig.pilot)
        assert_golden(rig.app, f"split_{size[0]}")
        await rig.press("escape", "i", *"A new line.")
        await rig.pilot.pause(0.1)
        await settle(rig.pilot)
        assert_golden(rig.app, f"insert_{size[0]}")
        await rig.press("escape", "v", "j", "j", "c")
        await settle(rig.pilot)
        assert_golden(rig.app, f"shape_{size[0]}")
        await rig.press("escape", "f", "tab", *'marked "harrow"')
        await rig.pilot.pause(0.3)
        await settle(rig.pilot)
        assert_golden(rig.app, f"filter_{size[0]}")
