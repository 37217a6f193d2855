"""The export window: what is missing, what is written, and leaving it half-way."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
import soundfile
from screens_text import screen_text
from studio_rig import Rig, make_project, open_rig

from studio.ui.screens.export import ExportScreen
from studio.ui.screens.help import HelpScreen
from studio.ui.screens.prompt import Confirm


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry", chapters=2)


async def test_a_complete_chapter_is_written(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        session = rig.screen.session
        await rig.until(lambda: session.chapters[0].done == session.chapters[0].segments)
        await rig.press("E", "enter")
        await rig.until(lambda: "written:" in screen_text(rig.app))
    (path,) = (folder / "exports").glob("*.wav")
    assert soundfile.info(path).samplerate == 24_000


async def test_rate_depth_and_book_are_honoured(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("g", "b")
        await rig.until(lambda: all(it.done == it.segments for it in rig.screen.session.chapters))
        await rig.press("E")
        for choice, place in (("what", 1), ("rate", 1), ("bits", 1)):
            list(rig.app.screen.query(f"#{choice} Choice").results())[place].value = True
        await rig.pilot.pause()
        await rig.press("ctrl+e")
        await rig.until(lambda: "2 files in" in screen_text(rig.app))
    files = sorted((folder / "exports").glob("*.wav"))
    assert len(files) == 2
    for path in files:
        info = soundfile.info(path)
        assert (info.samplerate, info.subtype) == (44_100, "PCM_24")


async def test_gaps_must_be_wanted(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        await rig.narrated()
        await rig.press("E")
        assert "4 segments without a take: 2–4, 6" in screen_text(rig.app)
        await rig.press("enter")
        assert "Segments are missing" in screen_text(rig.app)
        assert not (folder / "exports").exists() or not any((folder / "exports").iterdir())
        await rig.press("space", "ctrl+e")
        await rig.until(lambda: "written:" in screen_text(rig.app))
    assert len(list((folder / "exports").glob("*.wav"))) == 1


async def test_the_window_closes_and_the_studio_goes_on(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("E", "escape", "j")
        assert not isinstance(rig.app.screen, ExportScreen)
        assert rig.line.number == 2


async def test_keys_that_are_valid_everywhere_are_valid_here(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await opened(rig)
        await rig.press("question_mark")
        await rig.until(lambda: isinstance(rig.app.screen, HelpScreen), "for the keys")
        assert "Write the chosen chapters" in screen_text(rig.app)
        await rig.press("escape")
        assert isinstance(rig.app.screen, ExportScreen)


async def test_quitting_asks_while_it_writes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go_on = threading.Event()

    def slowly(*args: Any) -> list[Any]:
        go_on.wait(10)
        args[3](0.5)  # tells the progress, and hears that nobody wants it any more
        return []

    monkeypatch.setattr("studio.commands.exporting.export_chapters", slowly)
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.narrated()
        await opened(rig)
        await rig.press("ctrl+e")
        await rig.until(lambda: "Writing" in screen_text(rig.app))
        await rig.press("ctrl+q")
        await rig.until(lambda: isinstance(rig.app.screen, Confirm), "to be asked")
        assert "export is being written" in screen_text(rig.app)
        await rig.press("escape")
        go_on.set()


async def test_a_fault_while_writing_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*args: Any) -> list[Any]:
        raise RuntimeError("not foreseen")

    monkeypatch.setattr("studio.commands.exporting.export_chapters", break_down)
    async with open_rig(folder) as rig:
        await rig.press("g", "c")
        await rig.narrated()
        await opened(rig)
        await rig.press("ctrl+e")
        await rig.until(lambda: "fault in Rhapsode" in screen_text(rig.app), "for the end")
        assert not rig.app.screen.query_one("#start").disabled


async def opened(rig: Rig) -> None:
    """Open the window."""
    await rig.press("E")
    await rig.until(lambda: isinstance(rig.app.screen, ExportScreen))
