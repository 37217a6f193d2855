"""One run of a soak: a queue through the real director, watched from beside."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from dataclasses import dataclass

from studio.engines.catalogue import Catalogue
from studio.narration.director import Director
from studio.narration.status import NarrationStatus
from studio.project.desk import Desk
from studio.project.model import Change
from studio.project.project import Project

Tell = Callable[[NarrationStatus, int], None]
"""Told a snapshot and how many clips are recorded."""

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass(slots=True)
class Ran:
    """How a run went."""

    status: NarrationStatus
    """The last snapshot."""
    seconds: float = 0.0
    """From the start of the first process to the last record."""
    first_at: float = 0.0
    """Seconds until the first clips were recorded: the first load is in it."""
    first: frozenset[str] = frozenset()
    """Uids of the lines that those were."""
    interrupted: bool = False


async def run(
    project: Project,
    catalogue: Catalogue,
    *,
    workers: int | None = None,
    on_status: Tell = lambda status, clips: None,
    on_clips: Tell = lambda status, clips: None,
) -> Ran:
    """Narrate the queue until it is made or cannot be; no process is left behind.

    Args:
        project: The throw-away project.
        catalogue: Its engines.
        workers: Processes per engine; None for what each engine's configuration says.
        on_status: Called about every 250 ms.
        on_clips: Called when clips have been recorded.
    """
    loop = asyncio.get_running_loop()
    interrupted = asyncio.Event()
    for number in _SIGNALS:
        loop.add_signal_handler(number, interrupted.set)
    try:
        return await _run(project, catalogue, workers, on_status, on_clips, interrupted)
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)


async def _run(
    project: Project,
    catalogue: Catalogue,
    workers: int | None,
    on_status: Tell,
    on_clips: Tell,
    interrupted: asyncio.Event,
) -> Ran:
    loop = asyncio.get_running_loop()
    started = loop.time()
    ran = Ran(NarrationStatus())
    clips = 0

    def told(status: NarrationStatus) -> None:
        if ran.seconds:
            return  # A worker that goes as the run is over is nobody's recycle.
        ran.status = status
        on_status(status, clips)

    def recorded(change: Change) -> None:
        nonlocal clips
        clips += len(change.segments)
        if not ran.first:
            ran.first_at, ran.first = loop.time() - started, change.segments
        on_clips(ran.status, clips)

    desk = Desk()
    director = Director(
        project, desk, catalogue, workers=workers, on_change=recorded, on_status=told
    )
    running = asyncio.create_task(director.run())
    idle = asyncio.create_task(director.until_idle())
    stop = asyncio.create_task(interrupted.wait())
    try:
        await asyncio.wait({idle, stop, running}, return_when=asyncio.FIRST_COMPLETED)
        ran.interrupted = interrupted.is_set()
        ran.status = director.status
        ran.seconds = loop.time() - started
    finally:
        await director.close()
        for task in (idle, stop):
            task.cancel()
        await asyncio.gather(idle, stop, return_exceptions=True)
        desk.close()
    await running
    return ran
