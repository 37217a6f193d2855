"""When a worker is replaced on purpose: a pure policy over what its clips reported.

Memory is *footprint* (docs/architecture.md), never resident size. Nothing here measures, waits or
acts: `Gauge` is told what a clip cost and says what should happen next.
"""

from __future__ import annotations

import statistics
from collections import deque
from dataclasses import dataclass
from enum import StrEnum

MB = 1024 * 1024

DRIFT_CLIPS = 20
"""Clips of the first window and of the last one that are compared for drift."""

FEWEST_STEPS = 5
"""Clips whose growth must be known before anything is foretold from it."""

SPARE_ROOM = 1.2
"""Free memory that a spare needs, in baselines."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one worker may use before it is replaced; 0 means no limit."""

    budget: int = 0
    """Bytes of growth above the baseline."""
    ceiling: int = 0
    """Bytes of footprint, whatever the baseline."""
    max_clips: int = 0
    """Clips made."""
    drift: float = 1.3
    """Slowdown from the first clips to the last ones that is worth a warning."""
    recycle_on_drift: bool = False
    """Whether that slowdown recycles the worker."""


class Advice(StrEnum):
    """What to do after a clip."""

    GO_ON = "go on"
    WARN = "warn"
    RECYCLE = "recycle"


@dataclass(frozen=True, slots=True)
class Decision:
    """What to do, and why in words that follow “recycled worker 7: ”."""

    advice: Advice
    reason: str = ""
    urgent: bool = False
    """Whether the worker must not be given another clip, spare or not."""
    early: bool = False
    """Whether it may go on as before where no spare can be loaded."""


class Gauge:
    """The measurements of one worker and the decision they lead to."""

    def __init__(self, limits: Limits) -> None:
        """Start before the first clip.

        Args:
            limits: What the worker may use.
        """
        self.limits = limits
        self.baseline = 0
        """Footprint in bytes after the first successful clip, 0 before it."""
        self.footprint = 0
        """Latest footprint in bytes."""
        self.clips = 0
        """Successful clips."""
        self._first: list[tuple[float, float]] = []
        self._last: deque[tuple[float, float]] = deque(maxlen=DRIFT_CLIPS)
        self._steps: deque[int] = deque(maxlen=DRIFT_CLIPS)
        self._warned = False

    def measured(self, footprint: int) -> None:
        """Take a reading that belongs to no successful clip: never the baseline."""
        if footprint > 0:
            self.footprint = footprint

    def made(self, footprint: int, cpu_seconds: float, audio_seconds: float) -> None:
        """Take the report of one successful clip.

        Args:
            footprint: Bytes charged to the process after it; 0 where it cannot be read.
            cpu_seconds: Processor time of its synthesis.
            audio_seconds: Length of the clip.
        """
        self.clips += 1
        if self.baseline and footprint > 0:
            self._steps.append(footprint - self.footprint)
        self.measured(footprint)
        if self.baseline == 0:
            self.baseline = max(footprint, 0)
        if audio_seconds > 0 and cpu_seconds > 0:
            cost = (audio_seconds, cpu_seconds)
            if len(self._first) < DRIFT_CLIPS:
                self._first.append(cost)
            else:
                self._last.append(cost)

    @property
    def growth(self) -> int:
        """Bytes above the baseline, at least 0."""
        return max(0, self.footprint - self.baseline) if self.baseline else 0

    @property
    def step(self) -> int:
        """Bytes that a clip usually adds, at least 0; 0 until enough clips are known.

        The median: a jump that comes once, such as a graph compiled for a new length, says nothing
        of the next clip and must not end a worker early.
        """
        if len(self._steps) < FEWEST_STEPS:
            return 0
        return max(0, round(statistics.median(self._steps)))

    @property
    def slowdown(self) -> float:
        """Processor time of the last clips over what the first ones predict for their lengths.

        1.0 until both windows are full.
        """
        if len(self._first) < DRIFT_CLIPS or len(self._last) < DRIFT_CLIPS:
            return 1.0
        fixed, per_second = _fit(self._first)
        expected = sum(fixed + per_second * audio for audio, _ in self._last)
        return sum(cpu for _, cpu in self._last) / expected if expected > 0 else 1.0

    def decide(self, held: int = 0, lead: int = 0) -> Decision:
        """What to do now, between two clips.

        A worker that grows steadily is recycled before it passes its budget, not after.

        Args:
            held: Clips that it will make in any case if it is given another one now.
            lead: Clips that it will make while a successor is loaded.
        """
        limits = self.limits
        if limits.ceiling and self.footprint >= limits.ceiling:
            reason = f"held {_mb(self.footprint)} of at most {_mb(limits.ceiling)}"
            return Decision(Advice.RECYCLE, reason, urgent=True)
        if limits.budget and (decision := self._budgeted(held, lead)) is not None:
            return decision
        if limits.max_clips and self.clips >= limits.max_clips:
            return Decision(Advice.RECYCLE, f"made {self.clips} clips of {limits.max_clips}")
        slower = self.slowdown
        if slower <= limits.drift:
            return Decision(Advice.GO_ON)
        reason = f"became {(slower - 1) * 100:.0f} % slower over {self.clips} clips"
        if limits.recycle_on_drift:
            return Decision(Advice.RECYCLE, reason)
        if self._warned:
            return Decision(Advice.GO_ON)
        self._warned = True
        return Decision(Advice.WARN, reason)

    def _budgeted(self, held: int, lead: int) -> Decision | None:
        """What the budget says; None while it leaves room."""
        growth, step, budget = self.growth, self.step, self.limits.budget
        if growth > budget:
            reason = f"grew {_mb(growth)} over {_mb(budget)}"
            return Decision(Advice.RECYCLE, reason, urgent=True)
        reason = f"grew {_mb(growth)} of {_mb(budget)}"
        if growth + held * step > budget:
            return Decision(Advice.RECYCLE, reason, urgent=True)
        # A successor that takes long to load must not shorten every life to almost nothing.
        if growth > budget // 2 and growth + (held + lead) * step > budget:
            return Decision(Advice.RECYCLE, reason, early=True)
        return None


def room_for_spare(baseline: int, free: int) -> bool:
    """Whether a second copy fits beside the first.

    Args:
        baseline: Footprint of one worker in bytes; 0 while unknown, which leaves no room.
        free: Bytes the system has available.
    """
    return baseline > 0 and free >= SPARE_ROOM * baseline


def _fit(costs: list[tuple[float, float]]) -> tuple[float, float]:
    """Least squares of ``cpu = fixed + per_second × audio``, with neither part negative.

    A short clip costs more per second than a long one, so plain RTF would call a run of short
    lines a slowdown.
    """
    count = len(costs)
    mean_audio = sum(audio for audio, _ in costs) / count
    mean_cpu = sum(cpu for _, cpu in costs) / count
    spread = sum((audio - mean_audio) ** 2 for audio, _ in costs)
    if spread > 1e-9:
        slope = sum((audio - mean_audio) * (cpu - mean_cpu) for audio, cpu in costs) / spread
        fixed = mean_cpu - slope * mean_audio
        if slope >= 0 and fixed >= 0:
            return fixed, slope
        if slope < 0:
            return mean_cpu, 0.0
    return 0.0, mean_cpu / mean_audio


def _mb(size: int) -> str:
    """Bytes as ``2,061 MB``."""
    return f"{size / MB:,.0f} MB"
