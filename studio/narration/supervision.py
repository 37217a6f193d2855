"""What to do about crashes, failures and stalls: pure rules with an injected clock."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field

MAX_CRASHES = 5
"""Crashes without a clip between them after which the engine is left alone."""

MAX_KILLED = 2
"""Workers that one segment may take down before it is failed."""

MAX_RETRIES = 2
"""Times a transient failure is tried again."""

LONGEST_BACKOFF = 30.0
"""Seconds; the longest wait before a restart."""

CLOCK_JUMP = 5.0
"""A gap between two ticks longer than this, in seconds, is sleep or a stopped studio, not work."""


@dataclass(slots=True)
class Supervisor:
    """Counts crashes in a row and says when to start again."""

    crashes: int = 0
    """Crashes since the beginning."""
    in_a_row: int = 0

    def crashed(self) -> float | None:
        """One more crash; returns seconds to wait before a restart, or None to give up."""
        self.crashes += 1
        self.in_a_row += 1
        if self.in_a_row >= MAX_CRASHES:
            return None
        return backoff(self.in_a_row)

    def succeeded(self) -> None:
        """A clip came: whatever was wrong is over."""
        self.in_a_row = 0

    def forgive(self) -> None:
        """A person asked to go on: count from the beginning."""
        self.in_a_row = 0


def backoff(in_a_row: int) -> float:
    """Seconds before the restart that follows this many crashes in a row.

    The first restart is immediate: one crash is bad luck and nobody should wait for it.
    """
    return 0.0 if in_a_row <= 1 else min(LONGEST_BACKOFF, 0.5 * 2.0 ** (in_a_row - 2))


@dataclass(slots=True)
class Charges:
    """What each job has cost so far; a job is anything with a stable key."""

    killed: Counter[Hashable] = field(default_factory=Counter)
    failed: Counter[Hashable] = field(default_factory=Counter)

    def killed_worker(self, key: Hashable, *, begun: bool) -> bool:
        """A worker died with this job; returns whether the job must be failed.

        Args:
            key: The job.
            begun: Whether the job's own stage had begun; one that only waited is not charged.
        """
        if begun:
            self.killed[key] += 1
        return self.killed[key] >= MAX_KILLED

    def transient(self, key: Hashable) -> bool:
        """The job failed in a way that may pass; returns whether the job must be failed."""
        self.failed[key] += 1
        return self.failed[key] > MAX_RETRIES

    def settle(self, key: Hashable) -> None:
        """The job is over; forget it."""
        self.killed.pop(key, None)
        self.failed.pop(key, None)


class StallWatch:
    """Says when a worker with work has shown no progress for too long.

    Time counts only in small ticks, so that a laptop's sleep or a stopped studio is not taken for
    a stalled engine, and not at all while the engine itself is stopped (state T).
    """

    def __init__(self, *, factor: float = 20.0, floor: float = 30.0, first: float = 180.0) -> None:
        """Begin with no time gone.

        Args:
            factor: How many times the expected seconds may pass.
            floor: The shortest limit, in seconds.
            first: The limit while nothing is known of this engine's speed.
        """
        self._factor = factor
        self._floor = floor
        self._first = first
        self._silent = 0.0
        self._ticked: float | None = None

    @property
    def silent(self) -> float:
        """Seconds of work without progress."""
        return self._silent

    def progress(self) -> None:
        """A clip or a stage event came."""
        self._silent = 0.0

    def limit(self, expected: float) -> float:
        """Seconds of silence that are allowed.

        Args:
            expected: Wall seconds the current job should take, 0 while unknown.
        """
        return max(self._floor, self._factor * expected) if expected > 0 else self._first

    def tick(self, now: float, expected: float, *, busy: bool, stopped: bool = False) -> bool:
        """Let time pass; returns whether the worker has stalled.

        Args:
            now: A monotonic clock, in seconds.
            expected: Wall seconds the current job should take, 0 while unknown.
            busy: Whether the worker has work; an idle one cannot stall.
            stopped: Whether the system has stopped its process.
        """
        before, self._ticked = self._ticked, now
        if not busy:
            self._silent = 0.0
            return False
        gap = now - before if before is not None else 0.0
        if not stopped and 0.0 <= gap <= CLOCK_JUMP:
            self._silent += gap
        return self._silent > self.limit(expected)
