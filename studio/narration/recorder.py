"""Results on their way into the project: gathered for a moment, then one transaction."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence
from typing import Protocol

from studio.errors import StudioError
from studio.project.desk import Desk
from studio.project.model import Change, Failure, NewTake, QueueItem, Reuse
from studio.project.project import Project

BATCH_SECONDS = 0.1
"""Least time between two transactions while more is coming."""


class Owner(Protocol):
    """Who is told; the director."""

    def in_progress(self) -> bool:
        """Whether more results are coming."""

    def recorded(self, items: Sequence[QueueItem], change: Change) -> None:
        """Results of these items are in the project."""

    def halt(self, reason: str) -> None:
        """Nothing can be recorded; results are kept until `Recorder.resume`."""


class Recorder:
    """Records takes and failures in batches."""

    def __init__(self, project: Project, desk: Desk, owner: Owner) -> None:
        """Prepare; `run` does the work.

        Args:
            project: Where results go.
            desk: The project's thread.
            owner: Who is told.
        """
        self._project = project
        self._desk = desk
        self._owner = owner
        self._waiting: list[NewTake | Reuse | Failure] = []
        self._recording = False
        self._blocked = False
        self._came = asyncio.Event()
        self._last = 0.0

    @property
    def busy(self) -> bool:
        """Whether something is being, or can still be, recorded."""
        return self._recording or (bool(self._waiting) and not self._blocked)

    def add(self, *results: NewTake | Reuse | Failure) -> None:
        """Take results to be recorded."""
        self._waiting += results
        if results:
            self._came.set()

    def resume(self) -> None:
        """Try again after the machine was in the way."""
        self._blocked = False
        if self._waiting:
            self._came.set()

    async def run(self) -> None:
        """Record for ever; what is being recorded when this is cancelled is still finished."""
        while True:
            await self._came.wait()
            await self._fill()
            self._came.clear()
            await asyncio.shield(self._record())

    async def _fill(self) -> None:
        """Let a batch fill up, unless nothing more is coming: a single line waits for nobody."""
        until = self._last + BATCH_SECONDS
        while self._owner.in_progress() and (left := until - time.monotonic()) > 0:
            self._came.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._came.wait()
        self._last = time.monotonic()

    async def _record(self) -> None:
        """One transaction."""
        results, self._waiting = self._waiting, []
        takes = [result for result in results if not isinstance(result, Failure)]
        failures = [result for result in results if isinstance(result, Failure)]
        self._recording = True
        try:
            change = await self._desk(self._project.record, takes, failures)
        except StudioError as error:
            self._waiting = results + self._waiting
            self._blocked = True
            self._recording = False
            self._owner.halt(str(error))
            return
        self._recording = False
        self._owner.recorded([result.item for result in results], change)
