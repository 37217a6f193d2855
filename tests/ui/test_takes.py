"""Takes in the studio: comparing, several seeds, recipes, takes made again, recordings, copies."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import soundfile
from screens_text import screen_text, settle
from studio_rig import RATE, Rig, make_project, open_rig

from studio.project.folders import config_folder
from studio.project.model import State, Take
from studio.ui.preferences import Preferences
from studio.ui.screens.prompt import Confirm, Prompt
from studio.ui.screens.recipe import RecipeScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def takes(rig: Rig) -> tuple[Take, ...]:
    return rig.project.takes(rig.line.uid)


async def with_takes(rig: Rig, count: int) -> None:
    """Give the segment under the cursor so many takes; the last is chosen."""
    await rig.press("r")
    await rig.narrated()
    for _ in range(count - 1):
        await rig.press("R")
        await rig.narrated()
    await rig.until(lambda: len(rig.screen.takes) == count)
    rig.screen.forget_answer()


async def heard(rig: Rig, count: int) -> None:
    """Wait until so many sounds were played."""
    await rig.until(lambda: len(rig.player.played) == count)
    await rig.pilot.pause()


def label(rig: Rig) -> str:
    return rig.screen.listening.label


# A/B.


async def test_a_b_plays_the_last_two_in_turn_from_the_same_place(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 3)
        _, second, third = takes(rig)
        await rig.press("equals_sign")
        await heard(rig, 1)
        assert rig.screen.listening.take == second.id
        assert label(rig) == "▸A take 2 · B take 3"
        assert rig.player.played[0][1] == 0
        rig.player.position = 0.05
        await rig.press("equals_sign")
        await heard(rig, 2)
        assert rig.screen.listening.take == third.id
        assert label(rig) == "A take 2 · ▸B take 3"
        assert rig.player.played[1][1] == round(0.05 * RATE), "from where the other was"
        assert rig.screen.take_list.take_id == third.id, "the cursor shows what is heard"
        await rig.until(lambda: "▸B take 3" in screen_text(rig.app))
        rig.player.end()
        await rig.until(lambda: not rig.screen.listening.active)
        await rig.press("equals_sign")
        await heard(rig, 3)
        assert rig.screen.listening.take == second.id
        assert rig.player.played[2][1] == 0, "what was over begins again"


async def test_a_b_needs_two_takes_and_says_how_to_get_them(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("equals_sign")
        assert "no take yet; + makes several" in rig.notice
        await with_takes(rig, 1)
        await rig.press("equals_sign")
        await rig.until(lambda: "has one take" in rig.notice)
        assert rig.player.played == []


async def test_the_one_heard_is_chosen_and_goes_on(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        first, second = takes(rig)
        assert rig.line.chosen == second.id
        await rig.press("equals_sign")
        await heard(rig, 1)
        await rig.press("K")
        await rig.until(lambda: rig.line.chosen == first.id)
        assert len(rig.player.played) == 1, "what is heard already does not begin again"
        assert rig.notice == "Take 1 of segment 1 is chosen."
        await rig.press("u")
        await rig.until(lambda: rig.line.chosen == second.id)


async def test_nothing_heard_is_nothing_chosen(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        await rig.press("K")
        assert "No take is heard" in rig.notice


async def test_escape_ends_a_b_before_anything_else(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 3)
        await rig.press("t", "k", "equals_sign")
        await heard(rig, 1)
        await rig.press("escape")
        assert not rig.screen.listening.active
        assert rig.app.focused is rig.screen.take_list, "one layer at a time"
        await rig.press("escape")
        assert rig.app.focused is rig.screen.grid


async def test_among_the_takes_any_two_are_compared(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 4)
        first, second, _, fourth = takes(rig)
        await rig.press("t", "equals_sign")
        assert "move it to the one to compare" in rig.notice, "the cursor is on the chosen one"
        await rig.press("home", "equals_sign")
        await heard(rig, 1)
        assert label(rig) == "▸A take 4 · B take 1"
        assert rig.screen.take_list.take_id == fourth.id
        await rig.press("equals_sign")
        await heard(rig, 2)
        assert label(rig) == "A take 4 · ▸B take 1"
        await rig.press("j", "equals_sign")
        await heard(rig, 3)
        assert label(rig) == "A take 1 · ▸B take 2", "the one heard against the one pointed at"
        assert rig.screen.listening.take == second.id
        await rig.press("enter")
        await rig.until(lambda: rig.line.chosen == second.id)
        assert first.id != rig.line.chosen


async def test_a_new_take_is_one_of_the_last_two(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        await rig.press("equals_sign", "R")
        await rig.narrated()
        await rig.press("equals_sign")
        await rig.until(lambda: label(rig).endswith("B take 3"))
        assert label(rig) == "▸A take 2 · B take 3"


async def test_without_sound_the_reason_is_said_and_nothing_is_promised(folder: Path) -> None:
    async with open_rig(folder, refusal="There is no sound device; connect one.") as rig:
        await with_takes(rig, 2)
        await rig.press("equals_sign")
        await rig.until(lambda: "no sound device" in rig.notice)
        await rig.press("g", "t")
        await settle(rig.pilot)
        assert "in turn" not in rig.notice
        assert rig.screen._turn == []


# All in turn.


async def test_all_takes_in_turn_with_the_cursor(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 3)
        for place, take in enumerate(takes(rig), 1):
            if place == 1:
                await rig.press("g", "t")
            await heard(rig, place)
            assert rig.screen.listening.take == take.id
            assert rig.screen.take_list.take_id == take.id
            assert label(rig) == f"take {take.number}, {place} of 3"
            rig.player.end()
        await rig.until(lambda: not rig.screen.listening.active)
        assert rig.screen._turn == []


async def test_a_stop_ends_the_turn(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        await rig.press("g", "t")
        await heard(rig, 1)
        await rig.press("space")
        await rig.until(lambda: not rig.screen.listening.active)
        rig.player.end()
        await settle(rig.pilot)
        assert len(rig.player.played) == 1


# Several seeds.


async def test_new_seeds_are_proposed_and_the_chosen_take_stays(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 1)
        (chosen,) = takes(rig)
        await rig.press("plus")
        await rig.until(lambda: "new takes" in rig.notice)
        assert rig.notice.startswith("3 new takes of segment 1; ")
        assert "like" in rig.notice
        assert rig.line.chosen == chosen.id
        assert len({take.seed for take in takes(rig)}) == 4
        await rig.until(lambda: len(rig.screen.takes) == 4 and rig.screen._standing.best)
        best = rig.screen._standing.best
        assert best is not None
        line = next(text for text in screen_text(rig.app).splitlines() if "◆ best" in text)
        assert f" {best.number} " in line


async def test_a_draft_gets_the_best_and_one_undo_takes_it_back(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("plus")
        await rig.until(lambda: "new takes" in rig.notice)
        assert "which the checks like best, is chosen" in rig.notice
        assert rig.screen.session.rows.state_of(rig.line) is State.READY
        await rig.press("u")
        await rig.until(lambda: rig.line.chosen is None)
        assert len(takes(rig)) == 3


async def test_failures_among_new_seeds_are_told(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        await with_takes(rig, 1)
        rig.director.failing.add(rig.line.uid)
        await rig.press("plus")
        await rig.until(lambda: "failed" in rig.notice)
        assert "3 takes failed: the engine cannot say this" in rig.notice
        assert rig.screen.session.rows.state_of(rig.line) is State.READY


async def test_new_seeds_of_a_selection(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rows = rig.screen.session.rows
        uids = [segment.uid for segment in rows.all[:5]]
        rows.select(uids)
        await rig.press("plus")
        await rig.until(lambda: "new takes" in rig.notice)
        assert rig.notice.startswith("12 new takes of 4 segments")
        assert [len(rig.project.takes(uid)) for uid in uids] == [3, 3, 3, 3, 0]
        assert len(rig.project.history()) == 1


async def test_emptying_the_queue_tells_of_what_has_come(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("plus")
        await rig.until(lambda: rig.screen.session.status.narrating)
        await rig.press("g", "x")
        await rig.until(lambda: not rig.line.queued)
        rig.director.hold.set()
        await rig.until(lambda: "new take" in rig.notice)
        assert rig.notice.startswith("1 new take of segment 1"), "what was in progress is kept"
        assert len(takes(rig)) == 1
        await rig.press("plus")
        await rig.until(lambda: "3 new takes" in rig.notice)


async def test_in_a_pause_new_seeds_alone_are_narrated(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("g", "b")
        await rig.until(lambda: rig.screen.session.status.narrating)
        await rig.press("S")
        await rig.until(lambda: rig.director is not None and rig.director.paused)
        rig.director.hold.set()
        waiting = len(rig.project.queue())
        await rig.press("G", "plus")
        await rig.until(lambda: len(takes(rig)) == 3)
        await rig.until(lambda: rig.director is not None and rig.director.paused)
        assert waiting - len(rig.project.queue()) <= 1, "the rest of the queue waits"


async def test_how_many_seeds_is_a_setting(folder: Path) -> None:
    configured("seeds = 5")
    async with open_rig(folder) as rig:
        await rig.press("plus")
        await rig.until(lambda: "new takes" in rig.notice)
        assert len(takes(rig)) == 5


@pytest.mark.parametrize("value", ["0", "9", "true", '"many"', "2.5"])
def test_a_number_of_seeds_that_cannot_be_is_named(value: str) -> None:
    configured(f"seeds = {value}")
    wishes = Preferences.load()
    assert wishes.seeds == 3
    (problem,) = wishes.problems
    assert "[ui] seeds must be a number from 1 to 8." in problem


def configured(line: str) -> None:
    """Write the interface's table of config.toml."""
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(f"[ui]\n{line}\n", encoding="utf-8")


# Stars.


async def test_a_star_on_the_chosen_take_and_on_the_one_pointed_at(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        await rig.press("asterisk")
        await rig.until(lambda: [take.star for take in takes(rig)] == [False, True])
        assert "Take 2 of segment 1 has a star" in rig.notice
        await rig.press("t", "home", "asterisk")
        await rig.until(lambda: [take.star for take in takes(rig)] == [True, True])
        await rig.until(lambda: screen_text(rig.app).count("★") == 2)
        await rig.press("asterisk")
        await rig.until(lambda: [take.star for take in takes(rig)] == [False, True])


# Made again.


async def test_a_take_made_again_is_the_same(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        await rig.press("t", "home", "g", "r")
        await rig.until(lambda: "same bytes" in rig.notice)
        assert rig.notice == "Take 1 of segment 1 made again: the same bytes."
        assert len(takes(rig)) == 2


async def test_other_bytes_are_kept_and_explained(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        await with_takes(rig, 1)
        (chosen,) = takes(rig)
        rig.director.drift = 1
        await rig.press("g", "r")
        await rig.until(lambda: "other bytes" in rig.notice)
        assert "(kept as take 2)" in rig.notice
        assert "another build (other script)" in rig.notice
        assert rig.line.chosen == chosen.id


async def test_a_lost_clip_is_back(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 1)
        (take,) = takes(rig)
        rig.project.clip_path(take).unlink()
        await rig.press("g", "r")
        await rig.until(lambda: "same bytes" in rig.notice)
        assert rig.project.clip_path(take).is_file()


# Recordings.


def record(path: Path, quiet: float = 0.0, loud: float = 1.0) -> Path:
    wave = 0.3 * np.sin(np.arange(round(loud * 44_100)) * 0.05)
    silence = np.zeros(round(quiet * 44_100))
    soundfile.write(path, np.concatenate([silence, wave, silence]), 44_100)
    return path


async def answered(rig: Rig, text: str) -> None:
    """Open the prompt for a recording and answer it."""
    await rig.press("g", "i")
    await rig.until(lambda: isinstance(rig.app.screen, Prompt))
    rig.app.screen.query_one("Input").value = text  # type: ignore[attr-defined]
    await rig.press("enter")


async def test_a_recording_becomes_the_chosen_take_and_plays(folder: Path, tmp_path: Path) -> None:
    mine = record(tmp_path / "my take.wav")
    content = mine.read_bytes()
    async with open_rig(folder) as rig:
        await with_takes(rig, 1)
        (made,) = takes(rig)
        await answered(rig, f"'{mine}' ")
        await heard(rig, 1)
        assert "my take.wav is take 2 of segment 1, and chosen" in rig.notice
        recorded = takes(rig)[1]
        assert recorded.recorded
        assert recorded.findings, "the checks judge it: too long, and a steady sound"
        assert rig.line.chosen == recorded.id
        assert rig.screen.listening.take == recorded.id
        await rig.until(lambda: "recorded" in screen_text(rig.app))
        assert mine.read_bytes() == content
        await rig.press("g", "r")
        assert "is a recording; no engine" in rig.notice
        await rig.press("u")
        await rig.until(lambda: rig.line.chosen == made.id)


@pytest.mark.parametrize(("answer", "seconds"), [("y", 1.1), ("escape", 2.1)])
async def test_silence_at_the_ends_is_offered_to_be_cut(
    folder: Path, tmp_path: Path, answer: str, seconds: float
) -> None:
    mine = record(tmp_path / "mine.wav", quiet=0.55)
    async with open_rig(folder) as rig:
        await answered(rig, mine.as_uri())
        await rig.until(lambda: isinstance(rig.app.screen, Confirm))
        await rig.until(lambda: "0.5 s before and 0.5 s after" in screen_text(rig.app))
        await rig.press(answer)
        await heard(rig, 1)
        assert takes(rig)[0].seconds == pytest.approx(seconds, abs=0.03)
        assert ("without 0.5 s" in rig.notice) is (answer == "y")


async def test_what_cannot_be_a_take_is_asked_for_again(folder: Path, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("no sound")
    async with open_rig(folder) as rig:
        await answered(rig, str(text))
        await rig.until(lambda: "no sound that can be read" in screen_text(rig.app))
        assert rig.app.screen.query_one("Input").value == str(text)  # type: ignore[attr-defined]
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
        assert takes(rig) == ()


# Recipes and copies.


async def test_the_recipe_is_shown_and_copied(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 2)
        await rig.press("t", "home", "I")
        await rig.until(lambda: isinstance(rig.app.screen, RecipeScreen))
        await settle(rig.pilot)
        shown = screen_text(rig.app)
        first, second = takes(rig)
        assert "Take 1 of segment 1" in shown
        assert f"≠ {second.seed}" in shown, "its seed is not the segment's"
        assert str(first.seed) in shown
        await rig.press("y")
        assert json.loads(rig.app.clipboard) == first.recipe
        await rig.press("Y")
        assert rig.app.clipboard == str(rig.project.clip_path(first))
        await rig.press("space")
        await heard(rig, 1)
        assert rig.screen.listening.take == first.id
        await rig.press("asterisk")
        await rig.until(lambda: takes(rig)[0].star)
        assert "★" in screen_text(rig.app)
        await rig.press("enter")
        await rig.until(lambda: rig.line.chosen == first.id)
        assert rig.app.screen is rig.screen


async def test_a_take_is_made_again_from_its_recipe_page(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await with_takes(rig, 1)
        await rig.press("I")
        await rig.until(lambda: isinstance(rig.app.screen, RecipeScreen))
        await rig.press("r")
        await rig.until(lambda: "same bytes" in rig.notice)


async def test_text_and_path_are_copied(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("Y")
        assert "no take yet" in rig.notice
        await with_takes(rig, 1)
        await rig.press("y")
        assert rig.app.clipboard == rig.line.spoken
        assert rig.notice == "Copied: the spoken text of segment 1."
        await rig.press("Y")
        await rig.until(lambda: rig.notice.startswith("Copied: /"))
        assert rig.app.clipboard == str(rig.project.clip_path(takes(rig)[0]))
        rig.screen.session.rows.select([row.uid for row in rig.screen.session.rows.all[:5]])
        await rig.press("y")
        assert rig.app.clipboard.count("\n") == 3, "the scene break has no text"


async def test_the_list_says_how_each_take_differs(folder: Path) -> None:
    async with open_rig(folder, size=(200, 40)) as rig:
        await with_takes(rig, 2)
        session = rig.screen.session
        await session.do(session.project.edit_spoken, rig.line.uid, "Another text.")
        await rig.press("r")
        await rig.narrated()
        await rig.until(lambda: len(rig.screen.takes) == 3)
        await rig.until(lambda: "≠ text, seed" in screen_text(rig.app))
        last = next(t for t in screen_text(rig.app).splitlines() if "▌  3" in t)
        assert "≠" not in last


@pytest.mark.parametrize("key", ["equals_sign", "I", "asterisk", "K", "y", "Y", "plus"])
async def test_a_scene_break_has_no_takes(folder: Path, key: str) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "j", "j")
        assert rig.line.spoken == ""
        await rig.press(key)
        await rig.until(lambda: rig.notice)
        assert takes(rig) == ()
        assert not rig.line.queued
