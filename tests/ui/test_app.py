"""The application around the screens: a person's keys, themes, faults, what is imported."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from screens_text import screen_text, settle
from studio_rig import make_project, open_rig

from studio.project.folders import config_folder
from studio.ui.app import StudioApp


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def configure(text: str) -> None:
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(text, encoding="utf-8")


async def test_a_persons_keys_act_and_are_shown(folder: Path) -> None:
    configure(
        '[keys]\n"segment.mark" = "z"\n"segment.narrate" = "R"\n"segment.reseed" = "r"\n'
        '"narrate.chapter" = "f7"\n"history.list" = "g h"\n"move.down" = "f8"\n'
    )
    async with open_rig(folder) as rig:
        await rig.press("m")
        assert not rig.line.mark
        await rig.press("z")
        assert rig.line.mark
        await rig.press("f8")
        assert rig.line.number == 2
        await rig.press("R")
        await rig.narrated()
        assert rig.line.takes == 1
        await rig.press("g", "h")
        await rig.until(lambda: "History" in screen_text(rig.app))
        await rig.press("escape")
        assert "R again · r new seed" in screen_text(rig.app)
        await rig.press("f7")
        session = rig.screen.session
        await rig.until(lambda: session.chapters[0].done == session.chapters[0].segments)


async def test_bad_keys_are_named_at_the_start_and_ignored(folder: Path) -> None:
    configure('[keys]\n"segment.sing" = "x"\n"segment.play" = "r"\n')
    async with open_rig(folder) as rig:
        await settle(rig.pilot)
        told = [notice.message for notice in rig.app._notifications]
        assert len(told) == 2
        assert any("segment.sing is not an action" in sentence for sentence in told)
        await rig.press("r")
        await rig.narrated()
        assert rig.line.takes == 1


async def test_a_broken_configuration_does_not_stop_the_studio(folder: Path) -> None:
    configure("[keys\n")
    async with open_rig(folder) as rig:
        told = [notice.message for notice in rig.app._notifications]
        assert any("cannot be read" in sentence for sentence in told)
        assert rig.line.number == 1


@pytest.mark.parametrize("theme", ["rhapsode-dark", "rhapsode-light", "ansi-dark", "ansi-light"])
async def test_every_theme_shows_the_same_words(folder: Path, theme: str) -> None:
    async with open_rig(folder) as rig:
        before = screen_text(rig.app)
        rig.app.theme = theme
        await settle(rig.pilot)
        assert screen_text(rig.app) == before


async def test_without_colour_everything_is_said_in_words(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        shown = screen_text(rig.app)
        assert "● ready" in shown
        assert "○ draft" in shown


async def test_ctrl_c_says_how_to_quit(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("ctrl+c")
        assert rig.notice == "q quits."
        assert rig.app.is_running


def test_importing_the_interface_loads_no_model_and_no_heavy_library() -> None:
    code = (
        "import sys, studio.ui.app, studio.ui.screens.export\n"
        "heavy = {'scipy', 'av', 'torch', 'onnxruntime', 'onnx', 'mlx', 'transformers'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_folder_may_be_left_out() -> None:
    assert StudioApp().session is None
