"""Looks at workers now and then and ends those that have stalled or do not get ready."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import islice

import psutil

from studio.narration.status import WorkerState
from studio.narration.worker import Worker

TICK = 0.25
"""Seconds between two looks."""

NOTICEABLE = 1.0
"""Seconds of silence after which it is worth asking whether the system has stopped a process."""


class StallGuard:
    """Watches the workers of one pool."""

    def __init__(self, name: str, workers: Sequence[Worker], clock: Callable[[], float]) -> None:
        """Prepare; `begin` starts looking.

        Args:
            name: The engine's name, for messages.
            workers: The pool's own list, which changes.
            clock: Monotonic seconds.
        """
        self._name = name
        self._workers = workers
        self._clock = clock
        self._pace = 0.0
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """Start looking; harmless to repeat."""
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._look())

    async def end(self) -> None:
        """Stop looking."""
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def learn(self, wall: float, audio: float) -> None:
        """Take how long a clip has taken.

        Args:
            wall: Seconds of synthesis.
            audio: Seconds that its text was expected to sound.
        """
        pace = wall / max(audio, 0.1)
        self._pace = pace if self._pace == 0 else 0.9 * self._pace + 0.1 * pace

    async def _look(self) -> None:
        """Look at every worker, again and again."""
        while True:
            for worker in list(self._workers):
                self._look_at(worker)
            await asyncio.sleep(TICK)

    def _look_at(self, worker: Worker) -> None:
        """Let a worker's watches tick; end it if it has stalled, or does not get ready."""
        if worker.state in (WorkerState.STARTING, WorkerState.LOADING):
            self._look_at_load(worker)
            return
        watch = worker.watch
        busy = bool(worker.jobs)
        # What is begun together ends together, so patience is for all that may be.
        batch = islice(worker.jobs, worker.card.together if busy else 0)
        audio = sum(job.seconds for job in batch)
        # Reading the state costs a system call, so only once silence has become noticeable.
        stopped = busy and watch.silent > NOTICEABLE and _is_stopped(worker.link.pid)
        expected = self._pace * audio
        if watch.tick(self._clock(), expected, audio, busy=busy, stopped=stopped):
            silent = watch.silent > watch.limit(expected, audio)
            worker.link.strike(
                f"The engine {self._name} showed no progress for {watch.silent:.0f} seconds "
                "and was ended."
                if silent
                else f"The engine {self._name} worked on one clip for {watch.clip:.0f} seconds "
                "without finishing it and was ended."
            )

    def _look_at_load(self, worker: Worker) -> None:
        """Let the time tick in which a worker must have greeted, or loaded."""
        loading = worker.loading
        stopped = loading.spent > NOTICEABLE and _is_stopped(worker.link.pid)
        loading.tick(self._clock(), stopped=stopped)
        allowed = worker.load_deadline
        if loading.spent > allowed:
            what = "greeted" if worker.state is WorkerState.STARTING else "loaded its model"
            worker.link.strike(
                f"The engine {self._name} has not {what} within {allowed:.0f} seconds "
                "and was ended; load_deadline in config.toml gives it longer."
            )


def _is_stopped(pid: int) -> bool:
    """Whether the system has stopped a process (state T)."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False
