"""Makes the pictures of the documentation from the real studio on the real sample book.

Run from the project's root: ``.venv/bin/python docs/screenshots.py``. The text in the pictures is
the screen's own; only the addresses of web fonts are taken out: they show without a network.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parent
FONT = "Fira Code, DejaVu Sans Mono, Menlo, Consolas, monospace"


def without_addresses(svg: str) -> str:
    """The picture with fonts of the reader's own machine."""
    svg = re.sub(r"@font-face\s*\{.*?\}|<!--.*?-->", "", svg, flags=re.DOTALL)
    svg = re.sub(r"font-family:\s*Fira Code[^;]*;", f"font-family: {FONT};", svg)
    return re.sub(r"terminal-\d+", "terminal-studio", svg)


async def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition, with an end."""
    for _ in range(600):
        if condition():
            return
        await asyncio.sleep(0.1)
    sys.exit(f"The pictures could not be made: waited in vain for {what}.")


async def take_pictures(folder: Path) -> None:
    """Work on the sample a little and take its picture in two sizes."""
    from textual.app import App

    from studio.ui.app import StudioApp

    app: App[int] = StudioApp(folder)
    async with app.run_test(size=(120, 36)) as pilot:

        def idle() -> bool:
            session = getattr(app, "session", None)
            status = session.status if session is not None else None
            return bool(status is not None and status.made and not status.queued)

        await pilot.pause(1.0)
        await pilot.press("g", "c")
        await until(idle, "chapter one")
        await pilot.press(*"aaaaa")
        await pilot.press("R")
        await pilot.pause(2.5)
        await pilot.press("m", "j", "e")
        await pilot.pause(0.3)
        await pilot.press("home", *"And ", "enter")
        await pilot.pause(1.0)
        await pilot.press("k")
        await pilot.pause(1.0)
        save(app, "studio.svg")
        await pilot.resize_terminal(80, 24)
        await pilot.pause(1.0)
        save(app, "studio-80x24.svg")


def save(app: object, name: str) -> None:
    """Write one picture."""
    svg = app.export_screenshot(title="rhapsode")  # type: ignore[attr-defined]
    (HERE / name).write_text(without_addresses(svg), encoding="utf-8")
    print(HERE / name)


def main() -> None:
    """Make a project of the sample in a folder of its own, and picture it."""
    with tempfile.TemporaryDirectory(prefix="rhapsode-pictures-") as home:
        os.environ["RHAPSODE_HOME"] = str(Path(home) / "home")
        os.environ["TEXTUAL_ANIMATIONS"] = "none"
        os.environ["TEXTUAL_COLOR_SYSTEM"] = "truecolor"  # whatever terminal this is run in
        os.chdir(home)
        from studio.commands.sample import copy_sample

        asyncio.run(take_pictures(copy_sample()))


if __name__ == "__main__":
    main()
