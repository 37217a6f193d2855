"""The history as a list: readable, of any length, and every point of it can be gone to."""

from __future__ import annotations

from pathlib import Path

import pytest
from screens_text import assert_golden, screen_text, settle
from studio_rig import Rig, make_project, open_rig

from studio.project.project import Project
from studio.ui.screens.past import PastScreen


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


async def listed(rig: Rig) -> None:
    await rig.press("H")
    await rig.until(lambda: isinstance(rig.app.screen, PastScreen), "for the list")
    await settle(rig.pilot)


async def test_the_oldest_of_500_steps_and_back_to_the_newest(folder: Path) -> None:
    project = Project.open(folder)
    uid = project.segments()[0].uid
    for number in range(500):
        project.set_note(uid, f"note {number}")
    project.close()
    async with open_rig(folder) as rig:
        await listed(rig)
        assert "500" in screen_text(rig.app)
        await rig.press("end", "up", "enter")  # the beginning comes last
        await rig.until(lambda: rig.line.note == "note 0")
        assert "Back at: note on segment 1" in rig.notice
        await listed(rig)
        assert "499 of them undone" in screen_text(rig.app)
        await rig.press("home", "enter")
        await rig.until(lambda: rig.line.note == "note 499")
        await listed(rig)
        await rig.press("end", "enter")
        await rig.until(lambda: rig.line.note == "")
        assert "beginning" in rig.notice


async def test_escape_changes_nothing_and_an_empty_history_says_so(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("H")
        await rig.until(lambda: "Nothing was changed yet" in rig.notice)
        await rig.press("m")
        await rig.until(lambda: rig.line.mark)
        await listed(rig)
        await rig.press("end", "escape")
        await settle(rig.pilot)
        assert rig.line.mark


async def test_undoing_many_goes_to_the_first_of_them(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "v", "j", "m", "escape", "escape", "G", "u")
        await rig.until(lambda: not any(row.mark for row in rig.screen.session.rows.all))
        assert rig.line.number == 3


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
async def test_the_list_looks_as_it_did(
    folder: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rig(folder, size) as rig:
        await rig.press("m", "j", "d", "u", "m")
        await rig.until(lambda: rig.line.mark)
        await rig.press("u")
        await rig.until(lambda: not rig.line.mark)
        entries = rig.project.history()
        fixed = [type(it)(it.id, it.label, "2026-03-01T10:00:00", it.undone) for it in entries]
        await rig.app.push_screen(PastScreen(fixed))
        await settle(rig.pilot)
        assert_golden(rig.app, f"history_{size[0]}")
