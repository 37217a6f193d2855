"""What is written down during a soak: samples to a file, fewer of them in memory for the curves."""

from __future__ import annotations

import json
import os
import statistics
import time
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from io import FileIO
from pathlib import Path
from typing import Any

from engine import memory
from studio.errors import MachineFault
from studio.narration.status import NarrationStatus

MOST_POINTS = 1_000
"""Samples kept in memory; beyond it every second one is dropped."""

RECORD_CAP = 16 * 1024 * 1024
"""Bytes of a record before it is moved aside as ``NAME.1``, where the one before it ends."""

WARM_CLIPS = 50
"""Clips after which the studio counts as warm, a tenth of the run where that is less."""

KINDS = {
    "grew": "for growth",
    "held": "at the ceiling",
    "made": "after its clips",
    "became": "for slowness",
}
"""The first word of a recycle's reason, and the kind of reason it tells."""


@dataclass(frozen=True, slots=True)
class WorkerSample:
    """One worker at one moment; sizes in bytes."""

    engine: str
    number: int
    state: str
    clips: int
    footprint: int
    baseline: int
    """0 before its first clip."""
    budget: int
    """0 for no limit."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Everything at one moment; sizes in bytes, times in seconds."""

    seconds: float
    """Since the soak began."""
    clips: int
    """Lines that are recorded: made, or failed."""
    workers: tuple[WorkerSample, ...]
    studio: int
    """Footprint of this process."""
    swap: int
    free: int
    rtf_now: float
    rtf_rolling: float
    recycles: int
    crashes: int


class Record:
    """A file of JSON lines that never takes more than twice its cap."""

    def __init__(self, path: Path, cap: int = RECORD_CAP) -> None:
        """Begin a new file.

        Raises:
            MachineFault: It cannot be written.
        """
        self._path = path
        self._cap = cap
        self._file = self._open()
        self._size = 0

    def write(self, event: str, facts: Mapping[str, Any]) -> None:
        """Add one line, which another program can read at once.

        Raises:
            MachineFault: The disk is full or cannot be written to.
        """
        line = json.dumps({"event": event, **facts}, ensure_ascii=False).encode() + b"\n"
        try:
            if self._size + len(line) > self._cap:
                self._file.close()
                os.replace(self._path, self._path.with_name(self._path.name + ".1"))
                self._file = self._open()
                self._size = 0
            self._file.write(line)
        except OSError as error:
            raise self._fault(error) from error
        self._size += len(line)

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def _open(self) -> FileIO:
        try:
            return self._path.open("wb", buffering=0)
        except OSError as error:
            raise self._fault(error) from error

    def _fault(self, error: OSError) -> MachineFault:
        return MachineFault(
            f"The record {self._path} cannot be written ({error.strerror}); "
            f"name another file with --record, or make room."
        )


class Watch:
    """Samples a run and remembers what its verdict needs."""

    def __init__(
        self,
        clips: int,
        every: float,
        record: Record | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Begin to count time.

        Args:
            clips: Clips of the whole run.
            every: Seconds between two samples while no clip is recorded.
            record: Where samples are written; None for nowhere.
            clock: Monotonic seconds; a test's own.
        """
        self.points: list[Sample] = []
        """Samples from the beginning to now, thinned out evenly."""
        self.recycled = array("d")
        """When each recycle was seen, in seconds."""
        self.crashed = array("d")
        self.reasons: Counter[str] = Counter()
        """Recycles by the kind of their reason."""
        self.last_recycle = ""
        self.baselines: dict[tuple[str, int], int] = {}
        """Warm baselines in bytes by engine and worker, of those that were seen."""
        self.studio_highest = 0
        """Highest footprint of this process in bytes."""
        self.swap_highest = 0
        self.fault = ""
        """Why what was asked for is not written, or empty."""
        self._warm = min(WARM_CLIPS, max(1, clips // 10))
        self._every = every
        self._record = record
        self._clock = clock
        self._started = clock()
        self._stride = 1
        self._taken = 0
        self._last = -every
        self._gauge = memory.Gauge()
        self._recent: tuple[str, ...] = ()
        self._counts = (0, 0)

    @property
    def seconds(self) -> float:
        """Time since the beginning."""
        return self._clock() - self._started

    def status(self, status: NarrationStatus, clips: int) -> None:
        """Look at a snapshot, and sample it where the last sample is old enough."""
        self._events(status)
        if self.seconds - self._last >= self._every:
            self.sample(status, clips)

    def sample(self, status: NarrationStatus, clips: int) -> None:
        """Take a sample.

        Args:
            status: The narration side, now.
            clips: Lines that are recorded in the project.
        """
        sample = Sample(
            seconds=round(self.seconds, 3),
            clips=clips,
            workers=tuple(
                WorkerSample(
                    engine=worker.engine,
                    number=worker.number,
                    state=worker.state.value,
                    clips=worker.clips,
                    footprint=worker.footprint,
                    baseline=worker.baseline,
                    budget=worker.budget,
                )
                for worker in status.workers
            ),
            studio=self._studio(),
            swap=status.swap_used,
            free=status.free_memory,
            rtf_now=round(status.rtf_now, 5),
            rtf_rolling=round(status.rtf_rolling, 5),
            recycles=status.recycles,
            crashes=status.crashes,
        )
        self._last = sample.seconds
        for worker in sample.workers:
            if worker.baseline:
                self.baselines[worker.engine, worker.number] = worker.baseline
        self.studio_highest = max(self.studio_highest, sample.studio)
        self.swap_highest = max(self.swap_highest, sample.swap)
        self._write("sample", asdict(sample))
        self._keep(sample)

    @property
    def studio_growth(self) -> int:
        """Bytes that this process has gained from the first fifth of its warm time to the last.

        Medians: clips on their way to the disk are a few MB that come and go.
        """
        warm = [sample.studio for sample in self.points if sample.clips >= self._warm]
        part = len(warm) // 5
        if not part:
            return 0
        return max(0, round(statistics.median(warm[-part:]) - statistics.median(warm[:part])))

    def _write(self, event: str, facts: Mapping[str, Any]) -> None:
        """Record something; a full disk ends the record and not the run."""
        if self._record is None:
            return
        try:
            self._record.write(event, facts)
        except MachineFault as error:
            self.fault = str(error)
            self._record = None

    def _studio(self) -> int:
        try:
            return self._gauge.read()
        except OSError:
            return 0

    def _keep(self, sample: Sample) -> None:
        """Remember every so-many-th sample, so that memory does not grow with the run."""
        if self._taken % self._stride == 0:
            self.points.append(sample)
            if len(self.points) > MOST_POINTS:
                del self.points[1::2]
                self._stride *= 2
        self._taken += 1

    def _events(self, status: NarrationStatus) -> None:
        """Note recycles and crashes since the last snapshot."""
        now = self.seconds
        recycles, crashes = self._counts
        self.recycled.extend([now] * (status.recycles - recycles))
        self.crashed.extend([now] * (status.crashes - crashes))
        self._counts = (status.recycles, status.crashes)
        known = set(self._recent)
        for text in status.recent_recycles:
            if text not in known:
                reason = text.partition(": ")[2]
                self.reasons[KINDS.get(reason.partition(" ")[0], reason)] += 1
                self.last_recycle = text
                self._write("recycle", {"seconds": round(now, 3), "what": text})
        self._recent = status.recent_recycles
