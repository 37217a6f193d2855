"""What the screen says: true when it is read, with the keys in force, and in view."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from screens_text import screen_text
from studio_rig import HEART, Rig, ToneDirector, book, make_project, open_rig

from studio.errors import BadInput
from studio.narration.status import NarrationStatus
from studio.project.folders import config_folder
from studio.project.model import State
from studio.project.project import Project
from studio.ui.screens.filtering import FilterScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def footer(rig: Rig) -> str:
    return screen_text(rig.app).splitlines()[-1]


async def search(rig: Rig, text: str) -> None:
    await rig.press("slash")
    await rig.press("ctrl+u", *text, "enter")


# Answers.


async def test_an_answer_is_gone_with_the_next_key(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("space")
        assert "has no take yet" in rig.notice
        await rig.press("r")
        await rig.narrated()
        assert "has no take yet" not in rig.notice


async def test_what_nobody_asked_for_stays(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.until(lambda: "The queue is done; 1 flagged, ! goes there." in rig.notice)
        await rig.press("j", "j")
        assert "The queue is done" in rig.notice


async def test_the_only_problem_is_told_and_so_is_none_in_a_filter(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.until(lambda: "1 flagged" in rig.notice)
        await rig.press("exclamation_mark")
        await rig.until(lambda: rig.line.state() is State.FLAGGED)
        assert "the only" not in rig.notice
        await rig.press("exclamation_mark")
        await rig.until(lambda: "This is the only segment that failed" in rig.notice)
        await rig.press("f", "tab", *"-flagged", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 17)
        await rig.press("exclamation_mark")
        await rig.until(lambda: "No segment that the filter shows failed" in rig.notice)


async def test_waiting_for_a_take_is_over_when_it_plays(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("r", "space")
        await rig.until(lambda: "plays as soon as" in rig.notice)
        rig.director.hold.set()
        await rig.until(lambda: rig.player.played)
        assert "plays as soon as" not in rig.notice


# The queue.


async def test_r_brings_a_waiting_segment_to_the_front(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("g", "b")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        await rig.press("G", "r")
        assert "comes next" in rig.notice
        rig.director.hold.set()
        await rig.narrated()
        made = sorted(rig.project.all_takes(), key=lambda take: take.id)
        places = [take.segment for take in made].index(rig.line.uid)
        assert places <= 2, "it went behind the bulk work"
        assert rig.line.takes == 1


async def test_r_on_a_paused_queue_makes_the_one_that_is_asked_for(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("g", "b")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        await rig.press("S")
        await rig.until(lambda: not rig.screen.session.rows.narrating)
        rig.director.hold.set()
        await rig.press("G", "r")
        await rig.until(lambda: rig.line.takes == 1, "for the one segment")
        assert rig.director.paused
        assert rig.screen.session.waiting > 5


async def test_capital_r_on_a_waiting_segment_says_what_it_did(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("g", "b")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        await rig.press("G", "R")
        assert "another seed" in rig.notice


# Clips that were lost.


async def test_a_lost_clip_is_said_each_time_and_r_makes_it_again(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        take = rig.project.takes(rig.line.uid)[0]
        clip = rig.project.clip_path(take)
        clip.write_bytes(clip.read_bytes()[:100])
        for _ in range(2):
            await rig.press("space")
            await rig.until(lambda: "damaged" in rig.notice)
            await rig.press("escape")
        assert "damaged" not in screen_text(rig.app), "the player's line is not about one clip"
        clip.unlink()
        await rig.press("r")
        await rig.narrated()
        await rig.until(lambda: clip.is_file(), "for the clip")
        await rig.press("space")
        await rig.until(lambda: rig.player.played)


# Searching and filtering.


async def test_what_a_search_says(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("n")
        assert "/ begins a search" in rig.notice
        await search(rig, "(zz")
        await rig.until(lambda: "no regular expression" in rig.notice)
        assert "not in any segment" in rig.notice
        await search(rig, "")
        await rig.until(lambda: "The search is over" in rig.notice)


async def test_the_filters_say_what_to_press_in_a_low_window(folder: Path) -> None:
    async with open_rig(folder, size=(80, 24)) as rig:
        await rig.press("f")
        await rig.until(lambda: isinstance(rig.app.screen, FilterScreen))
        await rig.pilot.pause()
        assert "enter shows them" in screen_text(rig.app)


# Keys.


async def test_the_footer_is_about_the_pane_with_the_focus(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        assert footer(rig).startswith(" space play")
        await rig.press("t")
        assert footer(rig).startswith(" enter choose · space play · esc back")
        await rig.press("escape", "e")
        assert "enter keep · esc leave · ctrl-o $EDITOR" in footer(rig)
        assert "approve" not in footer(rig), "its key would be a letter of the text"
        assert footer(rig).rstrip().endswith("f1 keys"), "a question mark would be one, too"
        await rig.press("escape")
        await rig.until(lambda: footer(rig).startswith(" space play"))


async def test_hints_name_the_keys_in_force(folder: Path) -> None:
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(
        '[keys]\n"segment.narrate" = "f5"\n"segment.play" = "f6"\n"listen.on" = "f7"\n'
        '"narrate.chapter" = "f8"\n"queue.stop" = "f9"\n"editor.save" = "f10"\n'
    )
    async with open_rig(folder) as rig:
        shown = screen_text(rig.app)
        assert "f5 narrates this segment" in shown
        assert "f6 plays this segment, f7 from here on" in shown
        assert "f5" in shown.partition("No engine is running.")[2]
        await rig.press("e")
        assert "f10 keeps" in screen_text(rig.app)
        await rig.press("escape")
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("f8")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        await rig.press("f9")
        await rig.until(lambda: "f9 goes on" in screen_text(rig.app), "for the pause")
        rig.director.hold.set()


# Focus.


async def test_a_list_without_rows_shows_that_it_has_the_focus(folder: Path) -> None:
    async with open_rig(folder) as rig:
        takes = rig.screen.take_list

        def ground() -> object:
            style = next(iter(takes.render_line(1))).style
            return style.bgcolor, style.reverse  # the one or the other, by the terminal's colours

        plain = ground()
        await rig.press("t")
        assert rig.app.focused is takes
        assert ground() != plain


@pytest.mark.parametrize("key", ["1", "3", "4", "t"])
async def test_the_focus_is_never_out_of_view(folder: Path, key: str) -> None:
    async with open_rig(folder, size=(80, 24)) as rig:
        await rig.press(key)
        await rig.pilot.pause()
        focused = rig.app.focused
        assert focused is not None
        assert focused.region.area > 0
        await rig.press("escape")
        assert rig.app.focused is rig.screen.grid
        assert rig.screen.session.rows.state_of(rig.line) is State.DRAFT


# Without a director.


async def test_a_broken_configuration_stops_narration_and_nothing_else(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = Rig._director
    broken = True

    def director(rig: Rig, *args: Any) -> ToneDirector:
        if broken:
            raise BadInput("config.toml cannot be read: line 1. Correct it or move it away.")
        return make(rig, *args)

    monkeypatch.setattr(Rig, "_director", director)
    async with open_rig(folder) as rig:
        await rig.until(lambda: "config.toml cannot be read" in rig.notice)
        await rig.press("j", "m")
        assert rig.line.mark
        await rig.press("r")
        await rig.until(lambda: "config.toml cannot be read" in rig.notice)
        shown = screen_text(rig.app)
        assert "stopped: config.toml" in " ".join(shown.replace("▎", " ").split())
        await rig.press("S")
        assert rig.app.is_running
        broken = False
        await rig.press("S")
        await rig.narrated()
        assert rig.line.takes == 1
        assert "stopped" not in screen_text(rig.app)


async def test_stop_and_go_on_tries_again_after_a_fault(folder: Path) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await rig.press("r")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        session = rig.screen.session
        fault = NarrationStatus(stopped_because="The engine cannot be started.", queued=1)
        rig.director.on_status(fault)
        panel = rig.screen.engine_panel
        await rig.until(lambda: "S tries again." in "".join(map(str, panel.lines(200))))
        assert "cannot be started" in rig.notice
        await rig.press("S")
        assert not session.director.paused
        assert "Going on" in rig.notice
        rig.director.hold.set()


async def test_the_keys_page_names_what_the_configuration_calls_them(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("question_mark", *"chapter")
        assert "narrate.chapter" in screen_text(rig.app)


# In view.


async def test_long_titles_leave_the_counts_in_view(tmp_path: Path) -> None:
    long = "A Title That Goes On and On " * 8
    chapter = replace(book(1)[0], title=long)
    folder = tmp_path / "long"
    Project.create(
        folder, title=long, author="", language="en-US", voice=HEART, chapters=[chapter]
    ).close()
    for size in ((120, 36), (80, 24), (60, 20)):
        async with open_rig(folder, size=size) as rig:
            header = screen_text(rig.app).splitlines()[0]
            assert "0 of 5 ready" in header, "a scene break needs no take"
            assert "1 A Title" in header
            assert header.startswith(" A Title"), "the book is named before the program"


async def test_stop_shows_that_the_sound_stopped(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        await rig.press("space")
        await rig.until(lambda: "playing" in screen_text(rig.app))
        await rig.until(lambda: "take 1 of segment 1" in screen_text(rig.app))
        await rig.press("S")
        await rig.until(lambda: not rig.player.playing)
        await rig.until(lambda: "take 1 of segment 1" not in screen_text(rig.app))
