"""The library: recent projects, the sample book, a manuscript of one's own."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from screens_text import assert_golden, screen_text, settle
from studio_rig import Rig, make_project, open_rig
from textual.widgets import OptionList

from studio.project.library import remember
from studio.ui.screens.library import LibraryScreen
from studio.ui.screens.picking import PickingScreen
from studio.ui.screens.prompt import Report
from studio.ui.screens.studio import StudioScreen


async def take_all(rig: Rig) -> None:
    """Import the manuscript that was named, with the pieces that start ticked."""
    await rig.until(lambda: isinstance(rig.app.screen, PickingScreen), "for the pieces")
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, Report), "for the report")


def in_studio(rig: Rig) -> bool:
    return isinstance(rig.app.screen, StudioScreen)


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
async def test_a_first_start_says_what_to_press(size: tuple[int, int]) -> None:
    async with open_rig(None, size) as rig:
        await settle(rig.pilot)
        assert_golden(rig.app, f"library_{size[0]}")


async def test_the_sample_book_is_copied_and_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with open_rig(None) as rig:
        await rig.press("s")
        await rig.until(lambda: in_studio(rig), "for the sample")
        await rig.opened()
        assert rig.project.folder.is_relative_to(tmp_path)
        assert rig.line.number == 1


async def test_recent_projects_with_progress_and_the_missing_one_dimmed(tmp_path: Path) -> None:
    here, gone = make_project(tmp_path / "here"), make_project(tmp_path / "gone")
    remember(here, "The Ferry")
    remember(gone, "The Lost Book")
    shutil.rmtree(gone)
    async with open_rig(None) as rig:
        await rig.until(lambda: "  0 %" in screen_text(rig.app), "scene breaks are no progress")
        assert "not there now" in screen_text(rig.app)
        assert rig.app.screen.query_one(OptionList).highlighted == 1, "the one that is there"
        await rig.press("enter")
        await rig.until(lambda: in_studio(rig))
        await rig.opened()
        assert rig.project.folder == here


async def test_a_manuscript_is_imported_with_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    book = tmp_path / "my book.md"
    book.write_text("# One\n\nIt rained. Nobody came.\n\n# Two\n\nIt rained again.\n", "utf-8")
    async with open_rig(None) as rig:
        await rig.press(
            "n", *[("space" if c == " " else c) for c in "my book"], "full_stop", "m", "d"
        )
        await rig.press("enter")
        await take_all(rig)
        assert "2 chapters" in screen_text(rig.app)
        await rig.press("enter")
        await rig.until(lambda: in_studio(rig))
        await rig.opened()
        assert len(rig.screen.session.chapters) == 2


async def test_a_mistyped_path_is_mended_and_not_typed_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tale.md").write_text("# One\n\nIt rained.\n", "utf-8")
    async with open_rig(None) as rig:
        await rig.press("n", *"tale", "enter")
        await rig.until(lambda: "✗" in screen_text(rig.app))
        await rig.press("n", "end", "full_stop", "m", "d", "enter")
        await take_all(rig)


async def test_what_cannot_be_opened_is_said_in_the_library(tmp_path: Path) -> None:
    async with open_rig(None) as rig:
        await rig.press("o", *"nowhere", "enter")
        await rig.until(lambda: "✗" in screen_text(rig.app))
        assert isinstance(rig.app.screen, LibraryScreen)


async def test_a_wrong_path_is_answered_with_what_to_press(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "book").write_text("It rained.", "utf-8")
    async with open_rig(None) as rig:
        for typed, said in (
            ("nowhere", "There is no folder nowhere"),
            ("empty", "empty holds no project; n makes one of a book"),
            ("book", "book is a file; n makes a project of a book"),
        ):
            await rig.press("o", *typed, "enter")
            await rig.until(lambda said=said: said in screen_text(rig.app), f"for “{said}”")


async def test_a_book_that_was_taken_in_before_gets_another_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tale.md").write_text("# One\n\nIt rained.\n", "utf-8")
    (tmp_path / "tale").mkdir()
    (tmp_path / "one").mkdir()
    async with open_rig(None) as rig:
        await rig.press("n", *"tale", "full_stop", "m", "d", "enter")
        await take_all(rig)
        assert "-2" in screen_text(rig.app)
        await rig.press("enter")
        await rig.until(lambda: in_studio(rig))
        await rig.opened()


async def test_leaving_a_book_frees_it(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "ferry")
    async with open_rig(folder) as rig:
        await rig.screen.action_book_library()
        await rig.until(lambda: isinstance(rig.app.screen, LibraryScreen))
        await rig.until(lambda: rig.app.session is None)
        await rig.press("enter")
        await rig.until(lambda: in_studio(rig), "to open it again")
