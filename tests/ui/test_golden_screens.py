"""Every screen and state of it as text, at 80×24 and at 120×36, over one scripted book."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from screens_text import assert_golden, screen_text
from scripted_book import at, fresh_book, nothing_by_chance, still, worked_book
from studio_rig import Rig, open_rig
from textual.command import CommandPalette
from textual.screen import Screen
from ui_fakes import STATUS, WORKER

from studio.narration.status import WorkerState
from studio.project.library import Recent
from studio.project.project import Project
from studio.ui.screens.export import ExportScreen
from studio.ui.screens.filtering import FilterScreen
from studio.ui.screens.prompt import Choose, Confirm, Prompt
from studio.ui.screens.voice_pick import VoicePick

Size = tuple[int, int]
STATES = {
    2: "approved",
    3: "flagged",
    4: "stale",
    5: "scene_break",
    6: "takes",
    7: "failed",
    8: "noted",
}
"""By number: what is to be seen at a segment of the worked book."""
BUSY = replace(WORKER, state=WorkerState.NARRATING)
ASKING: tuple[tuple[tuple[str, ...], type[Screen[object]], str], ...] = (
    (("o",), Prompt, "note"),
    (("slash",), Prompt, "search"),
    (("g", "i"), Prompt, "recording"),
)
SIZES = pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The worked book, made once."""
    return worked_book(tmp_path_factory.mktemp("book") / "ferry")


@pytest.fixture
def book(worked: Path, tmp_path: Path) -> Path:
    """A worked book of one's own."""
    return Path(shutil.copytree(worked, tmp_path / "ferry"))


@pytest.fixture
def new_book(tmp_path: Path) -> Path:
    """The book as it was imported."""
    return fresh_book(tmp_path / "ferry")


@pytest.fixture(autouse=True)
def fixed() -> Iterator[None]:
    with nothing_by_chance():
        yield


async def on_top(rig: Rig, kind: type[Screen[object]]) -> None:
    """Wait for a window."""
    await rig.until(lambda: isinstance(rig.app.screen, kind), f"for {kind.__name__}")


def gathered(rig: Rig) -> bool:
    """Whether the palette has all its commands: it shows the first of them earlier."""
    running = (it for it in rig.app.workers if "gather" in it.group and not it.is_finished)
    return not any(running)


async def look(rig: Rig, name: str) -> None:
    """Wait until the screen rests, then compare it with its file."""
    await still(rig)
    look_at(rig, name)


def look_at(rig: Rig, name: str) -> None:
    """Compare the screen with its file."""
    assert_golden(rig.app, f"{name}_{rig.app.size.width}")


# The studio.


@SIZES
async def test_a_segment_in_each_state(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        for number, name in STATES.items():
            await at(rig, number)
            await look(rig, f"desk_{name}")
        await at(rig, 1)
        await rig.press("m")
        await rig.until(lambda: rig.line.mark)
        await rig.press("u")
        await rig.until(lambda: not rig.line.mark)
        await look(rig, "desk_undone")


@SIZES
async def test_what_is_not_begun_or_not_there(new_book: Path, size: Size) -> None:
    async with open_rig(new_book, size) as rig:
        await look(rig, "desk_drafts")
        await rig.press("g")
        await look(rig, "desk_sequence")
        await rig.press("escape", "slash", *"sailor", "enter")
        await rig.until(lambda: "is not in any" in rig.notice)
        await look(rig, "desk_no_hit")
        await rig.press("v", "right_square_bracket", "k", "d")
        await rig.until(lambda: len(rig.screen.session.rows) == 7)
        await look(rig, "desk_chapter_deleted")
        await rig.press("ctrl+a", "d")
        await rig.until(lambda: "leave at least one" in rig.notice)
        await look(rig, "desk_all_refused")


@SIZES
async def test_narrating(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await at(rig, 7)
        await rig.press("g", "c")
        await rig.until(lambda: rig.screen.session.rows.narrating)
        (uid,) = rig.screen.session.rows.narrating
        rig.director.on_status(replace(STATUS, queued=5, workers=(BUSY,), narrating={uid}))
        await rig.until(lambda: rig.screen.session.status.queued == 5)
        await rig.until(lambda: "Queued" in rig.notice)
        await look(rig, "desk_narrating")
        await rig.press("4")
        await look(rig, "desk_engine")
        await rig.press("escape", "q")
        await on_top(rig, Confirm)
        await look(rig, "quit")


@SIZES
async def test_a_queue_that_was_left_over(book: Path, size: Size) -> None:
    with Project.open(book) as project:
        project.enqueue([segment.uid for segment in project.segments()][8:12])
    async with open_rig(book, size) as rig:
        await rig.until(lambda: "S goes on" in rig.notice)
        await look(rig, "desk_left_over")


@SIZES
async def test_selecting_and_finding(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await at(rig, 2)
        await rig.press("x", "j", "x", "j", "x")
        await look(rig, "desk_selected")
        await rig.press("escape", "v", "j", "j")
        await look(rig, "desk_range")
        await rig.press("escape", "slash", *"harrow", "enter")
        await rig.until(lambda: "of 2" in rig.notice)
        await look(rig, "desk_hit")
        await rig.press("escape", "escape", "f", "j", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 3)
        await look(rig, "desk_filtered")


@SIZES
async def test_typing_and_words(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await at(rig, 4)
        await rig.press("e")
        await rig.until(lambda: rig.screen.panel.editing)
        await look(rig, "desk_editing")
        await rig.press("escape", "L")
        await rig.until(lambda: rig.screen.panel.choosing)
        await rig.press("l", "shift+right")
        await look(rig, "desk_phrase")


@SIZES
async def test_what_cannot_be_shown_or_written(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await rig.press("f")
        await on_top(rig, FilterScreen)
        await rig.until(lambda: "Conditions: " in screen_text(rig.app))
        await rig.until(lambda: "17  everything" in screen_text(rig.app))
        await look(rig, "filter_begun")
        await rig.press(*"jjjjj", "enter")
        await rig.until(lambda: "nothing would be shown" in screen_text(rig.app))
        await look(rig, "filter_nothing")
        await rig.press("escape", "E")
        await on_top(rig, ExportScreen)
        await rig.until(lambda: "without a take" in screen_text(rig.app))
        await look(rig, "export_lacking")


# Takes and sound.


@SIZES
async def test_takes_by_ear(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await at(rig, 6)
        await rig.press("t", "k")
        await look(rig, "takes_listed")
        await rig.press("equals_sign")
        await rig.until(lambda: rig.player.played)
        await look(rig, "takes_compared")
        await rig.press("escape", "escape", "g", "d")
        await on_top(rig, Choose)
        await look(rig, "device")


@SIZES
async def test_listening_onward(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        rig.screen.session.director.pause()
        await at(rig, 4)
        await rig.press("p")
        await rig.until(lambda: rig.player.played)
        await rig.until(lambda: "chapter 1" in str(rig.screen.player_line.render()))
        await look(rig, "desk_listening")
        await rig.press("escape", "escape")
        await at(rig, 9)
        await rig.press("p")
        await rig.until(lambda: "waits for segment 9" in str(rig.screen.player_line.render()))
        await look(rig, "desk_listening_waits")


# Windows over the studio.


@SIZES
async def test_windows_that_ask(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await at(rig, 8)
        for key, kind, name in ASKING:
            await rig.press(*key)
            await on_top(rig, kind)
            await look(rig, name)
            await rig.press("escape")
            await rig.until(lambda: rig.app.screen is rig.screen)


@SIZES
async def test_keys_and_commands(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await rig.press("question_mark", *"take")
        await look(rig, "help_filtered")
        await rig.press("escape", "colon")
        await on_top(rig, CommandPalette)
        await rig.until(lambda: gathered(rig) and "· space" in screen_text(rig.app))
        await look(rig, "palette")
        await rig.press(*"seed")
        await rig.until(lambda: gathered(rig) and "· space" not in screen_text(rig.app))
        await look(rig, "palette_found")


@SIZES
async def test_the_first_words(new_book: Path, size: Size) -> None:
    async with open_rig(new_book, size, tour=True) as rig:
        await rig.until(lambda: rig.screen.query_one("#tour").display)
        await look(rig, "tour")


@SIZES
async def test_voices_are_given(book: Path, size: Size) -> None:
    async with open_rig(book, size) as rig:
        await at(rig, 4)
        await rig.press("x", "x", "V")
        await on_top(rig, VoicePick)
        await look(rig, "voice_pick")


# The library.


@SIZES
async def test_a_library_with_books(size: Size, monkeypatch: pytest.MonkeyPatch) -> None:
    books = [
        Recent(Path("/books/the-ferry"), "The Ferry", "2026-03-01T11:20:00+00:00", False),
        Recent(
            Path("/books/nights"), "A Thousand and One Nights", "2026-02-26T08:00:00+00:00", False
        ),
        Recent(Path("/disk/lost"), "The Lost Book", "2025-12-24T18:00:00+00:00", True),
    ]
    monkeypatch.setattr("studio.ui.screens.library.recent", lambda: tuple(books))
    monkeypatch.setattr(
        "studio.ui.screens.library._progress",
        lambda folder: (12, 17) if folder == books[0].folder else (40_000, 50_000),
    )
    async with open_rig(None, size) as rig:
        await rig.until(lambda: screen_text(rig.app).count("%") == 2)
        look_at(rig, "library_books")
        await rig.press("o")
        await on_top(rig, Prompt)
        look_at(rig, "library_folder")
