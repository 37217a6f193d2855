"""What the narration side tells of itself: frozen snapshots for the engine panel and progress."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class WorkerState(StrEnum):
    """Where one engine process stands. Only *ready* and *narrating* accept work."""

    STARTING = "starting"
    LOADING = "loading"
    READY = "ready"
    NARRATING = "narrating"
    DRAINING = "draining"
    STOPPING = "stopping"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """One worker, now."""

    number: int
    """Counts up over the life of the pool; never used twice."""
    engine: str
    state: WorkerState
    pid: int
    footprint: int
    """Bytes, 0 before the first measurement."""
    baseline: int
    """Bytes after its first successful request, 0 before."""
    budget: int
    """Bytes of growth allowed above the baseline, 0 for no limit."""
    device_memory: int
    clips: int
    """Clips it has made."""
    loading: float
    """Load progress, 0 to 1."""
    device: str
    """Such as ``cpu fp32``."""
    stages: tuple[str, ...] = ()
    """The stage that each begun job is in, in the order of the jobs; of one that overlaps two."""


@dataclass(frozen=True, slots=True)
class NarrationStatus:
    """Everything the engine panel shows; a new one about every 250 ms while anything happens."""

    workers: tuple[WorkerStatus, ...] = ()
    paused: bool = False
    queued: int = 0
    """Segments waiting, those in progress included."""
    narrating: frozenset[str] = frozenset()
    """Uids of segments being narrated at this moment."""
    rtf_now: float = 0.0
    """RTF of the last clip; 0 before the first."""
    rtf_rolling: float = 0.0
    """Synthesis seconds over audio seconds of the last 20 clips."""
    rtf_chapter: float = 0.0
    """The same over the clips of the chapter that was narrated last."""
    made: int = 0
    """Clips made since the studio opened."""
    audio_made: float = 0.0
    """Seconds of audio made since the studio opened."""
    eta: float | None = None
    """Seconds until the queue is empty, model load left out; None while unknown."""
    recycles: int = 0
    crashes: int = 0
    last_recycle: str = ""
    """Such as ``recycled worker 7: grew 2,061 MB over 2,048 MB``."""
    recent_recycles: tuple[str, ...] = ()
    """The latest of them, oldest first: more than happen between two snapshots."""
    voice_notes: tuple[str, ...] = ()
    """What engines say of the voices that they have prepared, each once, oldest first."""
    last_problem: str = ""
    """The last crash or failure, in plain words."""
    free_memory: int = 0
    """Bytes the system has available."""
    swap_used: int = 0
    stopped_because: str = ""
    """Why narration cannot go on (engine missing, too many crashes), in plain words."""
