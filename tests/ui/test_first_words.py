"""The first words: once, in view, with the keys in force; and what a place asks to be said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from screens_text import screen_text
from studio_rig import Rig, make_project, open_rig
from textual.widgets import Static

from studio import awake
from studio.project import places
from studio.project.folders import config_folder
from studio.ui import wakefulness

SIZES = [(80, 24), (120, 36), (200, 60)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def tour(rig: Rig) -> Static:
    return rig.screen.query_one("#tour", Static)


def shown(rig: Rig) -> list[str]:
    """The lines of the tour that can be read on the screen."""
    region = tour(rig).content_region
    lines = screen_text(rig.app).splitlines()[region.y : region.bottom]
    return [line[region.x : region.right].strip() for line in lines]


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_once_and_never_over_the_keys(folder: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size, tour=True) as rig:
        await rig.until(lambda: tour(rig).display)
        lines = shown(rig)
        assert 3 <= len(lines) <= 5
        for line, words in zip(lines, str(tour(rig).content).splitlines(), strict=True):
            assert line == words.strip(), "nothing is cut off or wrapped"
        assert "g c narrates the chapter" in lines[0]
        whole = screen_text(rig.app)
        assert "? keys" in whole.splitlines()[-1], "the keys are in view"
        assert "1 heading" in whole or "The Landing" in whole
        covered = tour(rig).region
        for name in ("#footer", "#grid", "#segment", "#takes", "#player"):
            assert not rig.screen.query_one(name).region.overlaps(covered)
        place = rig.screen.grid.cursor
        await rig.press("j")
        assert not tour(rig).display
        assert rig.screen.grid.cursor == place + 1, "the key does what it does"
    async with open_rig(folder, size, tour=True) as rig:
        assert not tour(rig).display, "told once is enough"


async def test_it_comes_again_from_the_commands(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("colon")
        await rig.press(*"first words", "enter")
        await rig.until(lambda: tour(rig).display)
        await rig.press("escape")
        assert not tour(rig).display


async def test_with_the_keys_in_force(folder: Path) -> None:
    config_folder().mkdir(parents=True)
    (config_folder() / "config.toml").write_text(
        '[keys]\n"narrate.chapter" = "f7"\n"segment.approve" = []\n', encoding="utf-8"
    )
    async with open_rig(folder, tour=True) as rig:
        await rig.until(lambda: tour(rig).display)
        assert "f7 narrates the chapter" in shown(rig)[0]
        assert not any("approves" in line for line in shown(rig))


async def test_a_place_that_is_no_good_is_told_once(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(places, "warning", lambda place: f"{place.name} lies on a network disk.")
    async with open_rig(folder) as rig:
        await rig.until(lambda: "ferry lies on a network disk" in rig.notice)
    async with open_rig(folder) as rig:
        await rig.press("j")
        assert "network" not in rig.notice


@pytest.fixture
def said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """What a program in place of the system's has recorded: ``begin`` and ``end``."""
    log = tmp_path / "log"
    command = ["sh", "-c", f"echo begin >> {log}; cat; echo end >> {log}"]
    monkeypatch.setattr(awake, "program", lambda: command)
    monkeypatch.setattr(awake.sys, "platform", "linux")
    monkeypatch.setattr(wakefulness, "LINGER_SECONDS", 0.05)
    return lambda: log.read_text().split() if log.exists() else []


async def test_the_machine_is_kept_awake_while_the_queue_runs(
    folder: Path, said: Callable[[], list[str]]
) -> None:
    async with open_rig(folder) as rig:
        assert rig.director is not None or rig.screen.session.director
        assert said() == []
        rig.director.hold.clear()
        await rig.press("g", "c")
        await rig.until(lambda: said() == ["begin"])
        rig.director.hold.set()
        await rig.until(lambda: said() == ["begin", "end"])
        rig.director.hold.clear()
        await rig.press("g", "b")
        await rig.until(lambda: said() == ["begin", "end", "begin"])
        await rig.press("S")
        await rig.until(lambda: said()[3:] == ["end"], "a paused queue is no work")
        rig.director.hold.clear()
        await rig.press("S")
        await rig.until(lambda: said()[4:] == ["begin"])
    assert said()[5:] == ["end"], "and it ends with the book"


async def test_the_machine_is_kept_awake_while_an_export_is_written(
    folder: Path, said: Callable[[], list[str]]
) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.narrated()
        await rig.until(lambda: said() == ["begin", "end"])
        await rig.press("E", "ctrl+e")
        await rig.until(lambda: list(folder.glob("exports/*.wav")))
        await rig.until(lambda: said() == ["begin", "end"] * 2)
