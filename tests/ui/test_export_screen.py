"""The export window: what is missing, what is written, and leaving it half-way."""

from __future__ import annotations

from pathlib import Path

import pytest
import soundfile
from screens_text import screen_text
from studio_rig import make_project, open_rig

from studio.ui.screens.export import ExportScreen


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
