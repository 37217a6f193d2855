"""Spent workers make room for others; where memory allows, a successor is loaded first.

Whether one is spent `recycling` decides; here it drains, is succeeded and goes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Protocol

from studio.engines.catalogue import EngineSpec
from studio.narration.engine_log import RotatingLog
from studio.narration.recycling import Advice, room_for_spare
from studio.narration.status import WorkerState
from studio.narration.worker import Worker

RECENT_RECYCLES = 16
"""Recycles whose reasons are kept to be told."""


class Owner(Protocol):
    """Who has the workers; the pool."""

    def replace(self) -> None:
        """A worker will not last: load its successor."""

    def retire(self, worker: Worker) -> None:
        """End a worker that has drained."""


class Succession:
    """Which workers of an engine go, which take their place, and how many have gone."""

    def __init__(
        self,
        spec: EngineSpec,
        workers: Sequence[Worker],
        log: RotatingLog,
        free_memory: Callable[[], int],
        owner: Owner,
    ) -> None:
        """Prepare.

        Args:
            spec: The engine.
            workers: Those that run; the owner adds and removes.
            log: Where recycles are noted.
            free_memory: Bytes the system has available.
            owner: Who has the workers.
        """
        self.recycles = 0
        self.recent: deque[str] = deque(maxlen=RECENT_RECYCLES)
        """Which workers were recycled of late, and why."""
        self._spec = spec
        self._workers = workers
        self._log = log
        self._free_memory = free_memory
        self._owner = owner

    def between_clips(self, worker: Worker, *, running: bool) -> str:
        """Recycle a worker that is spent; retire one that has drained.

        Args:
            worker: The worker, which has just answered.
            running: Whether more is to be made, so that a successor is of use.

        Returns:
            What a person should know of the worker; empty where it does well.
        """
        if worker.state is WorkerState.DRAINING:
            self._retire_if_drained(worker)
            return ""
        decision = worker.gauge.decide(len(worker.jobs) + 1, worker.lead)
        if decision.advice is Advice.WARN:
            warning = f"Worker {worker.number} {decision.reason}."
            self._log.note(warning)
            return warning
        if decision.advice is not Advice.RECYCLE or worker.expected:
            return ""
        worker.leaving = decision.reason
        if decision.urgent or not (worker.replaced or (running and self._spare_fits(worker))):
            if not decision.early:  # Else it makes the clips that still fit.
                self._drain(worker)
        elif not worker.replaced:
            worker.replaced = True
            self._owner.replace()
        return ""

    def arrived(self) -> None:
        """A successor is ready: the worker it was loaded for takes no more jobs."""
        for worker in self._workers:
            if worker.replaced and worker.state in (WorkerState.READY, WorkerState.NARRATING):
                self._drain(worker)
                return

    def _spare_fits(self, worker: Worker) -> bool:
        """Whether a successor may be loaded beside this worker."""
        others = [other for other in self._workers if other.replaced]
        return (
            self._spec.spare
            and not others
            and room_for_spare(worker.gauge.baseline, self._free_memory())
        )

    def _drain(self, worker: Worker) -> None:
        """Give a worker nothing more; it goes when it has made what it holds."""
        worker.drain()
        self._retire_if_drained(worker)

    def _retire_if_drained(self, worker: Worker) -> None:
        """End a worker that has no job left."""
        if worker.state is WorkerState.DRAINING and not worker.jobs:
            self.recycles += 1
            self.recent.append(f"recycled worker {worker.number}: {worker.leaving}")
            self._log.note(self.recent[-1])
            self._owner.retire(worker)
