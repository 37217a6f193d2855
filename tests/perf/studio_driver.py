"""Run the studio on a book as its command does, watched from inside; started by the benchmarks.

``studio_driver.py LOG empty`` runs an application without anything instead. What is seen goes to
the file named, one JSON object a line: ``painted`` is the process's CPU time at which the first
segment was handed to the terminal; ``gap`` is a stretch in which the event loop did not come round,
in seconds, with the time of its end and the CPU the process used meanwhile.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any, TextIO

from textual.app import App, ComposeResult
from textual.drivers.linux_driver import LinuxDriver
from textual.widgets import Static

FIRST_WORDS = "When the ferry"
"""What the first segment of the book begins with, and nothing else."""
BEAT = 0.005
"""Seconds between two looks at the clock."""
NOTE = 0.025
"""The shortest gap that is written down, in seconds."""


class Empty(App[None]):
    """Textual with one line of text."""

    def compose(self) -> ComposeResult:
        yield Static(FIRST_WORDS)


def tell(log: TextIO, **facts: float) -> None:
    """Write a line at once."""
    print(json.dumps(facts), file=log, flush=True)


def clock_first_paint(log: TextIO) -> None:
    """Note the CPU time at which the first words are written; then stand out of the way."""
    write = LinuxDriver.write

    def noting(driver: LinuxDriver, data: str) -> None:
        if FIRST_WORDS in data:
            tell(log, painted=time.process_time())
            LinuxDriver.write = write  # type: ignore[method-assign]
        write(driver, data)

    LinuxDriver.write = noting  # type: ignore[method-assign]


async def watch(log: TextIO) -> None:
    """Look at the clock for ever."""
    last, cpu = time.monotonic(), time.process_time()
    while True:
        await asyncio.sleep(BEAT)
        now, used = time.monotonic(), time.process_time()
        if (gap := now - last - BEAT) > NOTE:
            tell(log, gap=gap, at=now, cpu=used - cpu)
        last, cpu = now, used


def watched(
    run: Callable[[Any], Coroutine[Any, Any, None]], log: TextIO
) -> Callable[[Any], Coroutine[Any, Any, None]]:
    """The studio's own run, with the watch beside it."""

    async def both(app: Any) -> None:
        watching = asyncio.create_task(watch(log))
        try:
            await run(app)
        finally:
            watching.cancel()

    return both


def main(log: TextIO, folder: str) -> int:
    """Run, as ``rhapsode open FOLDER`` would."""
    clock_first_paint(log)
    if folder == "empty":
        Empty().run()
        return 0
    from studio.cli import main as command

    if "--watch" in sys.argv:
        import studio.ui.app as studio

        studio._run = watched(studio._run, log)
    return command(["open", folder])


if __name__ == "__main__":
    with Path(sys.argv[1]).open("w") as opened:
        sys.exit(main(opened, sys.argv[2]))
