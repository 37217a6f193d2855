"""A book opens where a person left it."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_rig import make_project, open_rig

from studio.project.project import Project
from studio.ui import mirror


async def leave_at(folder: Path, keys: tuple[str, ...]) -> str:
    """Open a book, move, close it; returns where."""
    async with open_rig(folder) as rig:
        await rig.press(*keys)
        return rig.line.uid


@pytest.mark.parametrize("long", [False, True])
async def test_the_place_is_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, long: bool
) -> None:
    if long:  # read in two steps, the beginning first
        monkeypatch.setattr(mirror, "LONG", 10)
        monkeypatch.setattr(mirror, "BEGINNING", 2)
    folder = make_project(tmp_path / "book")
    place = await leave_at(folder, ("G", "k"))
    for _ in range(2):
        async with open_rig(folder) as rig:
            await rig.until(lambda: rig.line.uid == place, "for the place of last time")
            assert rig.screen.panel.segment is not None
            await rig.until(lambda: rig.screen.panel.segment.uid == place)


async def test_a_place_that_is_gone_is_the_beginning(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "book")
    place = await leave_at(folder, ("G",))
    with Project.open(folder) as project:
        project.delete([place])
    async with open_rig(folder) as rig:
        assert rig.line.number == 1
        await rig.press("j")
        assert rig.line.number == 2


async def test_the_place_is_no_step_of_the_history(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "book")
    await leave_at(folder, ("j",))
    with Project.open(folder) as project:
        assert project.place()
        assert project.history() == ()
