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

STAGES_PER_CLIP = 5
"""Stage limits that a whole clip may take."""


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

    def suspects(self, key: Hashable) -> bool:
        """Whether the job was begun when a worker died: it must have nothing beside it."""
        return self.killed[key] > 0

    def transient(self, key: Hashable) -> bool:
        """The job failed in a way that may pass; returns whether the job must be failed."""
        self.failed[key] += 1
        return self.failed[key] > MAX_RETRIES

    def settle(self, key: Hashable) -> None:
        """The job is over; forget it."""
        self.killed.pop(key, None)
        self.failed.pop(key, None)


class Stopwatch:
    """Counts time that was spent, not time that has passed.

    Time counts only in small ticks, so that a laptop's sleep or a stopped studio is not taken for
    a stalled engine, and not at all while the engine itself is stopped (state T).
    """

    def __init__(self) -> None:
        """Begin with no time gone."""
        self.spent = 0.0
        """Seconds that counted."""
        self._ticked: float | None = None

    def tick(self, now: float, *, stopped: bool = False) -> float:
        """Let time pass; returns the seconds of it that count.

        Args:
            now: A monotonic clock, in seconds.
            stopped: Whether the system has stopped the process.
        """
        before, self._ticked = self._ticked, now
        gap = now - before if before is not None else 0.0
        counts = gap if not stopped and 0.0 <= gap <= CLOCK_JUMP else 0.0
        self.spent += counts
        return counts


class StallWatch:
    """Says when a worker with work has shown no progress for too long.

    Each stage may take its limit, and a whole clip a few of them: an engine that reports stages
    for ever and never finishes is as stalled as a silent one.
    """

    def __init__(self, *, factor: float = 20.0, floor: float = 30.0, first: float = 180.0) -> None:
        """Begin with no time gone.

        Args:
            factor: How many times the expected seconds one stage may take.
            floor: The shortest limit, in seconds.
            first: The shortest limit while nothing is known of this engine's speed.
        """
        self._factor = factor
        self._floor = floor
        self._first = max(first, floor)
        self._watch = Stopwatch()
        self._silent = 0.0
        self._clip = 0.0

    @property
    def silent(self) -> float:
        """Seconds of work without progress."""
        return self._silent

    @property
    def clip(self) -> float:
        """Seconds of work since a request was last answered."""
        return self._clip

    def progress(self) -> None:
        """A stage event came."""
        self._silent = 0.0

    def answered(self) -> None:
        """A request was answered: a clip, a voice, or why not."""
        self._silent = self._clip = 0.0

    def limit(self, expected: float, audio: float = 0.0) -> float:
        """Seconds of silence that are allowed.

        Args:
            expected: Wall seconds the current job should take, 0 while unknown.
            audio: Seconds that its text should sound; what counts while the speed is unknown.
        """
        if expected > 0:
            return max(self._floor, self._factor * expected)
        return max(self._first, self._factor * audio)

    def tick(
        self,
        now: float,
        expected: float,
        audio: float = 0.0,
        *,
        busy: bool,
        stopped: bool = False,
    ) -> bool:
        """Let time pass; returns whether the worker has stalled.

        Args:
            now: A monotonic clock, in seconds.
            expected: Wall seconds the current job should take, 0 while unknown.
            audio: Seconds that its text should sound.
            busy: Whether the worker has work; an idle one cannot stall.
            stopped: Whether the system has stopped its process.
        """
        gap = self._watch.tick(now, stopped=stopped)
        if not busy:
            self.answered()
            return False
        self._silent += gap
        self._clip += gap
        limit = self.limit(expected, audio)
        return self._silent > limit or self._clip > STAGES_PER_CLIP * limit
