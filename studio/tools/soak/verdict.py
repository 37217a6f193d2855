"""What a soak has shown, worked out from the takes themselves."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from studio.engines.catalogue import Catalogue
from studio.narration.recycling import MB
from studio.narration.verify import Difference
from studio.project.model import Segment, Take
from studio.project.project import Project
from studio.tools.soak.running import Ran
from studio.tools.soak.watching import Watch
from studio.wording import duration

FIFTH = 0.2
"""Part of the clips at the beginning, and at the end, whose RTF is compared."""

MOST_REASONS = 5
"""Failures that are told in words."""


@dataclass(frozen=True, slots=True)
class Growth:
    """The worker whose memory went furthest beyond its budget; sizes in bytes."""

    engine: str = ""
    worker: int = 0
    baseline: int = 0
    growth: int = 0
    """Highest footprint above the baseline."""
    budget: int = 0
    """0 for no limit."""
    step: int = 0
    """Mean growth of a clip."""

    @property
    def over(self) -> int:
        """Bytes beyond the budget; 0 within it or without one."""
        return max(0, self.growth - self.budget) if self.budget else 0


@dataclass(frozen=True, slots=True)
class Takes:
    """What the takes of a project say, in one pass over them."""

    made: int
    audio: float
    """Seconds."""
    synthesis: float
    """Seconds of wall time inside the narrator."""
    digest: str
    """SHA-256 over the PCM hashes in the order of the lines."""
    lost: tuple[int, ...]
    """Numbers of lines without a take."""
    doubled: tuple[int, ...]
    """Numbers of lines with more than one."""
    failures: tuple[str, ...]
    rtf_first: float
    rtf_last: float
    footprints: Mapping[tuple[str, int], Sequence[int]]
    """Bytes by engine and worker, in the order in which the clips were recorded."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a soak."""

    asked: int
    takes: Takes
    seconds: float
    status_recycles: int
    crashes: int
    reasons: Mapping[str, int]
    growth: Growth
    studio_growth: int
    """Bytes that this process has gained, as `Watch.studio_growth` counts."""
    studio_highest: int
    swap_highest: int
    checked: int
    """Clips that a fresh worker narrated again."""
    differences: tuple[str, ...]
    problems: tuple[str, ...]
    """What is wrong in the project's folder."""
    expected: str = ""
    """Digest of an earlier run; empty for none."""
    stopped: str = ""
    """Why narration could not go on, or empty."""
    unwritten: str = ""
    """Why the record or the chart is not complete, or empty."""

    @property
    def faults(self) -> list[str]:
        """Everything that must not be, in a few words each; empty if all is well."""
        found = {
            "lost": len(self.takes.lost),
            "doubled": len(self.takes.doubled),
            "different": len(self.differences),
            "damaged": len(self.problems),
        }
        faults = [f"{count:,} {what}" for what, count in found.items() if count]
        if self.expected and self.expected != self.takes.digest:
            faults.append("other bytes than expected")
        return faults

    def data(self) -> dict[str, Any]:
        """The facts for programs."""
        takes = self.takes
        return {
            "asked": self.asked,
            "made": takes.made,
            "lost": list(takes.lost),
            "doubled": list(takes.doubled),
            "failures": list(takes.failures),
            "checked": self.checked,
            "differences": list(self.differences),
            "problems": list(self.problems),
            "digest": takes.digest,
            "expected": self.expected or None,
            "wall_seconds": round(self.seconds, 3),
            "audio_seconds": round(takes.audio, 3),
            "recycles": self.status_recycles,
            "recycle_reasons": dict(self.reasons),
            "crashes": self.crashes,
            "worker": {**asdict(self.growth), "over": self.growth.over},
            "studio_growth": self.studio_growth,
            "studio_highest": self.studio_highest,
            "swap_highest": self.swap_highest,
            "rtf_first": round(takes.rtf_first, 5),
            "rtf_last": round(takes.rtf_last, 5),
            "stopped": self.stopped or None,
            "unwritten": self.unwritten or None,
            "well": not self.faults,
        }

    def lines(self) -> list[str]:
        """The verdict for people."""
        takes = self.takes
        said = [
            f"{self.asked:,} clips were asked for and {takes.made:,} made: {len(takes.lost):,} "
            f"lost, {len(takes.doubled):,} doubled; {duration(takes.audio)} of audio in "
            f"{duration(self.seconds)}.",
            self._again(),
            self._memory(),
            self._recycled(),
            f"Studio: grew by {_mb(self.studio_growth)} once it was warm; it held at most "
            f"{_mb(self.studio_highest)}. Swap in use: at most {_mb(self.swap_highest)}.",
            f"RTF: {takes.rtf_first:.4f} over the first fifth of the clips, {takes.rtf_last:.4f} "
            f"over the last.",
            f"Digest: {takes.digest}",
        ]
        said += [f"Failed: {reason}" for reason in takes.failures]
        said += [f"Differs: {reason}" for reason in self.differences[:MOST_REASONS]]
        said += [f"Damaged: {reason}" for reason in self.problems[:MOST_REASONS]]
        if self.expected and self.expected != takes.digest:
            said.append(f"The digest was expected to be {self.expected}.")
        if self.stopped:
            said.append(f"Narration stopped: {self.stopped}")
        if self.unwritten:
            said.append(f"Not all of it was written: {self.unwritten}")
        faults = self.faults
        said.append(
            f"Not as it must be: {', '.join(faults)}."
            if faults
            else "Nothing was lost, doubled or different."
        )
        return [line for line in said if line]

    def _again(self) -> str:
        if not self.checked:
            return ""
        same = self.checked - len(self.differences)
        return f"A fresh worker narrated {self.checked} of them again: {same} gave the same bytes."

    def _memory(self) -> str:
        growth = self.growth
        if not growth.worker:
            return "Worker memory: not measured."
        least = f"Worker memory: grew by at most {_mb(growth.growth)} above {_mb(growth.baseline)}"
        if not growth.budget:
            return f"{least}, without a budget."
        if not growth.over:
            return f"{least}, within its budget of {_mb(growth.budget)}."
        return (
            f"{least}, {_mb(growth.over)} over its budget of {_mb(growth.budget)}; "
            f"a clip of that worker adds {_mb(growth.step)}."
        )

    def _recycled(self) -> str:
        why = ", ".join(f"{count:,} {reason}" for reason, count in self.reasons.items())
        return (
            f"Workers were recycled {self.status_recycles:,} times{f' ({why})' if why else ''} "
            f"and crashed {self.crashes:,} times."
        )


def read(project: Project) -> Takes:
    """Count what was made; its calls block."""
    segments = project.segments()
    tally = _Tally({name: voice.engine for name, voice in project.voices().items()})
    for take in project.all_takes():
        tally.add(take)
    hashes = (tally.hashes.get(segment.uid, "-") for segment in segments)
    fifth = max(1, round(len(tally.costs) * FIFTH))
    return Takes(
        made=len(tally.costs),
        audio=sum(audio for _, audio in tally.costs),
        synthesis=sum(wall for wall, _ in tally.costs),
        digest=hashlib.sha256("\n".join(hashes).encode()).hexdigest(),
        lost=tuple(s.number for s in segments if not s.takes),
        doubled=tuple(s.number for s in segments if s.takes > 1),
        failures=tuple(_failures(segments)),
        rtf_first=_rtf(tally.costs[:fifth]),
        rtf_last=_rtf(tally.costs[-fifth:]),
        footprints=tally.footprints,
    )


def judge(
    project: Project,
    catalogue: Catalogue,
    takes: Takes,
    ran: Ran,
    watch: Watch,
    *,
    asked: int,
    checked: int,
    differences: Sequence[Difference],
    expected: str,
) -> Verdict:
    """Put the verdict together.

    Args:
        project: The throw-away project.
        catalogue: The engines with the limits they had.
        takes: As `read` gives them.
        ran: How the run went.
        watch: What was seen beside it.
        asked: Clips that were asked for.
        checked: Clips narrated again by a fresh worker.
        differences: What came out otherwise there.
        expected: Digest of an earlier run, or empty.
    """
    problems = [problem.what for problem in project.problems() if problem.serious]
    numbers = {segment.uid: segment.number for segment in project.segments()}
    return Verdict(
        asked=asked,
        takes=takes,
        seconds=ran.seconds,
        status_recycles=ran.status.recycles,
        crashes=ran.status.crashes,
        reasons=dict(watch.reasons),
        growth=_worst(takes, watch, catalogue),
        studio_growth=watch.studio_growth,
        studio_highest=watch.studio_highest,
        swap_highest=watch.swap_highest,
        checked=checked,
        differences=tuple(
            f"line {numbers[difference.take.segment]}: {difference.why}"
            for difference in differences
        ),
        problems=tuple(problems),
        expected=expected,
        stopped=ran.status.stopped_because,
        unwritten=watch.fault,
    )


@dataclass(slots=True)
class _Tally:
    """Sums over takes, oldest first."""

    engines: Mapping[str, str]
    """Engines by voice."""
    hashes: dict[str, str] = field(default_factory=dict)
    costs: list[tuple[float, float]] = field(default_factory=list)
    """Synthesis and audio seconds of each."""
    footprints: dict[tuple[str, int], list[int]] = field(default_factory=dict)

    def add(self, take: Take) -> None:
        known = take.provenance
        self.hashes.setdefault(take.segment, take.pcm_hash)
        self.costs.append((float(known.get("seconds", 0.0)), take.seconds))
        size = int(known.get("footprint", 0))
        if size > 0:
            key = (self.engines[take.voice], int(known.get("worker", 0)))
            self.footprints.setdefault(key, []).append(size)


def _worst(takes: Takes, watch: Watch, catalogue: Catalogue) -> Growth:
    """The worker that went furthest beyond its budget; without budgets, that grew most."""
    found = []
    for (engine, worker), sizes in takes.footprints.items():
        # A worker that lived between two looks: its smallest clip can only overstate the growth.
        baseline = watch.baselines.get((engine, worker)) or min(sizes)
        growth = max(0, max(sizes) - baseline)
        budget = catalogue[engine].budget_mb * MB
        step = growth // max(1, len(sizes) - 1)
        found.append(Growth(engine, worker, baseline, growth, budget, step))
    return max(found, key=lambda growth: (growth.over, growth.growth), default=Growth())


def _failures(segments: Sequence[Segment]) -> list[str]:
    failed = [segment for segment in segments if segment.failure]
    said = [f"line {segment.number}: {segment.failure}" for segment in failed[:MOST_REASONS]]
    more = len(failed) - len(said)
    return said + ([f"{more:,} lines more"] if more else [])


def _rtf(costs: Sequence[tuple[float, float]]) -> float:
    audio = sum(seconds for _, seconds in costs)
    return sum(wall for wall, _ in costs) / audio if audio else 0.0


def _mb(size: int) -> str:
    """Bytes as ``61.3 MB``, or ``2,061 MB`` where a tenth says nothing."""
    return f"{size / MB:,.1f} MB" if size < 100 * MB else f"{size / MB:,.0f} MB"
