"""Screens as text, and the files they are compared with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from textual.app import App
from textual.pilot import Pilot
from textual.strip import Strip

GOLDEN = Path(__file__).with_name("golden")


def strips(app: App[Any]) -> list[Strip]:
    """The lines of the screen as they are painted; the one place that knows the compositor."""
    return app.screen._compositor.render_strips()


def screen_text(app: App[Any]) -> str:
    """The screen as text."""
    return "\n".join(strip.text for strip in strips(app))


def assert_rows_fill(app: App[Any], columns: int) -> None:
    """Every painted line is exactly as wide as the screen, counted in cells from its text."""
    for number, strip in enumerate(strips(app)):
        assert cell_len(strip.text) == columns, f"line {number}: {strip.text!r}"
        assert strip.cell_length == columns


def assert_golden(app: App[Any], name: str) -> None:
    """Compare the screen with its file; ``RHAPSODE_UPDATE_GOLDEN=1`` writes the file instead."""
    assert_rows_fill(app, app.size.width)
    path = GOLDEN / f"{name}.txt"
    shown = "\n".join(line.rstrip() for line in screen_text(app).splitlines()) + "\n"
    if os.environ.get("RHAPSODE_UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(shown, encoding="utf-8")
    assert path.is_file(), f"no golden screen {path.name}: run with RHAPSODE_UPDATE_GOLDEN=1"
    assert shown == path.read_text(encoding="utf-8")


async def settle(pilot: Pilot[Any]) -> None:
    """Let messages that are on their way arrive, then the repaint that they ask for."""
    await pilot.pause()
    await pilot.pause()
