"""Clips on their way to the disk: rounded, judged and written by threads, told in their order."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from studio.narration.making import Made, keep
from studio.narration.worker import Job
from studio.project.model import NewTake
from studio.project.project import Project

MOST_UNWRITTEN = 24
"""Clips that wait to be written, beyond which workers get no more jobs."""

WRITERS = 2
"""Threads that write clips; more than one, because writing waits for the disk."""


class ClipWriter:
    """Writes clips while the engines go on."""

    def __init__(
        self,
        project: Project,
        on_written: Callable[[Job, asyncio.Future[NewTake]], None],
        on_room: Callable[[], None],
    ) -> None:
        """Prepare; the threads start with the first clip.

        Args:
            project: Where clips are kept.
            on_written: Told on the event loop what has become of each, in the order in which they
                came: takes are numbered as they were made.
            on_room: Told when `full` is over.
        """
        self._project = project
        self._on_written = on_written
        self._on_room = on_room
        self._writing: deque[tuple[Job, asyncio.Future[NewTake]]] = deque()
        self._threads = ThreadPoolExecutor(WRITERS, thread_name_prefix="clips")

    @property
    def busy(self) -> bool:
        """Whether a clip is on its way."""
        return bool(self._writing)

    @property
    def full(self) -> bool:
        """Whether so many are on their way that no more should be made."""
        return len(self._writing) >= MOST_UNWRITTEN

    def write(self, job: Job, made: Made) -> None:
        """Begin to write what a worker has made of a job."""
        loop = asyncio.get_running_loop()
        written = loop.run_in_executor(self._threads, keep, self._project, job, made)
        self._writing.append((job, written))
        written.add_done_callback(self._written)

    def close(self) -> None:
        """End the threads; nothing may be on its way."""
        self._threads.shutdown()

    def _written(self, _: asyncio.Future[NewTake]) -> None:
        """A clip is on disk, or cannot be; it waits until those before it are there too."""
        was_full = self.full
        while self._writing and self._writing[0][1].done():
            self._on_written(*self._writing.popleft())
        if was_full and not self.full:
            self._on_room()
