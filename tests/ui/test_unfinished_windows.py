"""Keys that come while a window is only being put together: they are for the whole of it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from studio_rig import make_project, open_rig
from textual import events
from textual.app import App
from textual.css.query import NoMatches

from studio.ui.screens.window import Window


@pytest.fixture(autouse=True)
def slow_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows take their time, as on a machine that does something else beside."""
    compose = Window._compose

    async def slowly(window: Window[Any]) -> None:
        await asyncio.sleep(0.1)
        await compose(window)

    monkeypatch.setattr(Window, "_compose", slowly)


@pytest.mark.parametrize("opens", [("V",), ("f",), ("c",), ("H",), ("C",), ("g", "v")])
async def test_a_window_can_be_left_before_it_stands(tmp_path: Path, opens: tuple[str]) -> None:
    async with open_rig(make_project(tmp_path / "ferry", 1)) as rig:
        await rig.opened()
        for key in (*opens, "j", "escape", "escape", "j"):
            rig.app.post_message(events.Key(key, key if len(key) == 1 else None))
        await rig.until(lambda: rig.line.number > 1, "for the cursor to move")
        assert rig.app.is_running
        assert rig.app.screen is rig.screen


async def test_what_work_misses_in_a_closed_window_is_no_fault() -> None:
    app: App[None] = App()
    window: Window[None] = Window()
    async with app.run_test():
        await app.push_screen(window)
        with pytest.raises(NoMatches):
            await window._while_it_stands(lambda: window.query_one("#gone"))
        await window.dismiss()
        assert await window._while_it_stands(lambda: window.query_one("#gone")) is None
