"""The mark of a book in the studio: set from the palette, and kept before anything is queued."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_rig import make_project, open_rig


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("[engines.hibari.options]\nbatch = 4\n")
    return make_project(tmp_path / "ferry")


async def test_a_marked_book_is_refused_before_anything_is_queued(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.app.run_action("screen.book_reproducible")
        await rig.until(lambda: "is marked reproducible: each take" in rig.notice)
        assert rig.project.settings().reproducible
        assert "reproducible = true\n" in (folder / "project.toml").read_text()
        for keys in (("r",), ("R",), ("g", "c"), ("g", "b"), ("+",)):
            rig.screen.forget_answer()
            await rig.press(*keys)
            await rig.until(lambda: "the engine hibari takes up to 4 lines together" in rig.notice)
            assert not rig.project.queue()
        await rig.press("u")
        await rig.until(lambda: not rig.project.settings().reproducible)
        await rig.press("r")
        await rig.narrated()
        assert rig.line.chosen is not None


async def test_the_mark_is_taken_away_again(folder: Path) -> None:
    async with open_rig(folder) as rig:
        rig.project.set_settings(reproducible=True)
        await rig.app.run_action("screen.book_reproducible")
        await rig.until(lambda: "is not marked reproducible any more" in rig.notice)
        assert not rig.project.settings().reproducible


async def test_the_mark_holds_at_once_for_what_waits(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was prepared ahead is dropped, and what was refused is looked at again."""
    async with open_rig(folder) as rig:
        assert rig.director is not None
        rig.director.together = 4
        await rig.press("r")
        await rig.narrated()
        woken: list[bool] = []
        real = rig.director.wake
        monkeypatch.setattr(
            rig.director,
            "wake",
            lambda: (woken.append(rig.project.settings().reproducible), real()),
        )
        await rig.app.run_action("screen.book_reproducible")
        await rig.until(lambda: "but for 1 made in batches before" in rig.notice)
        await rig.press("u")
        await rig.until(lambda: not rig.project.settings().reproducible)
        await rig.until(lambda: woken == [True, False])
