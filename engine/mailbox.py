"""What comes in and what goes out: jobs in their order, events whole, from any thread."""

from __future__ import annotations

import fcntl
import os
import threading
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import TypeAlias

from engine import wire
from engine.registry import Cancelled


@dataclass(frozen=True, slots=True)
class Audition:
    """A request to listen, with the sound that came with it."""

    request: wire.Hear
    sound: bytes

    @property
    def id(self) -> int:
        """The request's number."""
        return self.request.id


Job: TypeAlias = wire.Load | wire.PrepareVoice | wire.Narrate | Audition
"""A request that waits for its turn."""

_PIPE = 1 << 20


class Outlet:
    """The events' way out: whole messages, from any thread."""

    def __init__(self, descriptor: int) -> None:
        """Write to a file descriptor that nothing else writes to.

        Where the system allows it, a pipe is made large enough for a clip of ten seconds: then the
        next one is begun while the studio still reads this one.
        """
        if hasattr(fcntl, "F_SETPIPE_SZ"):
            with suppress(OSError):  # not a pipe, or the user has too many large ones
                fcntl.fcntl(descriptor, fcntl.F_SETPIPE_SZ, _PIPE)
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def send(self, event: wire.Event, payload: bytes = b"") -> None:
        """Write one event; when nobody reads any more, the process ends."""
        header = wire.encode(event, payload)
        with self._lock:
            self._write(header)
            if payload:
                self._write(payload)

    def leave(self, event: wire.Bye, code: int) -> None:
        """Write the last event and end the process; what others would still say is not said."""
        self._lock.acquire()  # never released: a half-written message would follow the last one
        self._write(wire.encode(event))
        os._exit(code)

    def _write(self, data: bytes) -> None:
        """Write all of it."""
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._descriptor, view) :]
        except OSError:
            os._exit(0)


class Inbox:
    """Jobs in order, those that are being worked on, and which of these were dropped."""

    def __init__(self) -> None:
        """Start empty."""
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._running: set[int] = set()
        self._dropped: set[int] = set()

    def put(self, job: Job) -> None:
        """Queue a job."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify()

    def take(self) -> Iterator[Job]:
        """Every job in its turn, forever; a job is running until it is said to have `ended`."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._jobs)
                job = self._jobs.popleft()
                self._running.add(job.id)
            yield job

    def more(self, most: int) -> list[wire.Narrate]:
        """Narrations at the head of the queue, running from now on; those that wait, and no more.

        Args:
            most: How many at most.
        """
        found: list[wire.Narrate] = []
        with self._changed:
            while self._jobs and len(found) < most:
                job = self._jobs[0]
                if not isinstance(job, wire.Narrate):
                    break
                self._jobs.popleft()
                self._running.add(job.id)
                found.append(job)
        return found

    def ended(self, job: Job) -> None:
        """A job has its last answer: to drop it now changes nothing."""
        with self._changed:
            self._running.discard(job.id)
            self._dropped.discard(job.id)

    def drop(self, target: int) -> bool:
        """Drop a job: out of the queue (True), or, if it is running, at its next check point."""
        with self._changed:
            if target in self._running:
                self._dropped.add(target)
                return False
            kept = [job for job in self._jobs if job.id != target]
            found = len(kept) < len(self._jobs)
            self._jobs = deque(kept)
            return found

    def dropped(self, number: int) -> bool:
        """Whether a running job has been dropped."""
        return number in self._dropped

    def check(self, number: int) -> None:
        """A check point.

        Raises:
            Cancelled: The running job has been dropped.
        """
        if number in self._dropped:
            raise Cancelled
