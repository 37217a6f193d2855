"""One engine process's life: started, loaded, given jobs two deep, drained, stopped."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

from engine import wire
from studio.engines import cards
from studio.engines.catalogue import EngineSpec, engine_environment
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import EngineGone, LinkError
from studio.narration.link import Answer, Link
from studio.narration.recycling import MB, Gauge, Limits
from studio.narration.status import WorkerState, WorkerStatus
from studio.narration.supervision import StallWatch, Stopwatch
from studio.project.recipe import wire_text

DEPTH = 2
"""Jobs one worker holds, so that taking a clip never idles the narrator; of an engine that takes
several together, so many batches and one job more."""

PACE_CLIPS = 20
"""Clips whose pace tells how many more fit into the time that a load takes."""

HELLO_SECONDS = 60.0
"""Seconds until a process must have greeted."""


class LoadFailed(Exception):
    """The engine runs and says that it cannot load."""

    def __init__(self, reason: str, *, transient: bool) -> None:
        """Keep the engine's own reason.

        Args:
            reason: Plain words.
            transient: Whether another try may help.
        """
        super().__init__(reason)
        self.transient = transient


@dataclass(eq=False, slots=True)
class Job:
    """One narration to be made; compared by identity."""

    key: Hashable
    """Stable over retries; what failures are counted by."""
    text: str
    language: str
    voice: wire.Voice
    seed: int
    speed: float = 1.0
    tokens: tuple[int, ...] = ()
    """Speech tokens of an earlier take, where these are to be voiced again."""
    seconds: float = 3.0
    """Audio seconds it will take, roughly."""
    tag: Any = None
    """The client's own."""
    begun: bool = False
    """Whether the engine has entered its first stage."""
    request: int = 0
    """Its id at the worker that has it; 0 while its voice is being prepared."""
    stage: str = ""
    """The stage that the engine is in with it; empty before the first."""
    alone: bool = False
    """Whether its worker must have nothing beside it."""


class Owner(Protocol):
    """Who is told what happens to a worker; the pool."""

    def answered(self, worker: Worker, job: Job, frame: wire.Frame) -> None:
        """The engine answered a job, which has left the worker."""

    def prepared(self, worker: Worker, job: Job, notes: tuple[str, ...]) -> None:
        """The engine has prepared a job's voice and has something to say of it."""

    def unprepared(self, worker: Worker, job: Job, frame: wire.Frame) -> None:
        """The engine cannot prepare a job's voice; the job has left the worker."""

    def ended(self, worker: Worker, gone: EngineGone) -> None:
        """The process is gone; jobs it had are still in ``worker.jobs``."""


@dataclass(slots=True)
class _Voices:
    """Which voices a worker knows, and which it is being taught."""

    ready: set[str] = field(default_factory=set)
    asked: set[str] = field(default_factory=set)


class Worker:
    """One numbered engine process."""

    def __init__(self, number: int, spec: EngineSpec, owner: Owner, log: RotatingLog) -> None:
        """Prepare; `start` makes the process.

        Args:
            number: Never used twice in a pool.
            spec: The engine.
            owner: Told of answers and of the end.
            log: Where stderr goes.
        """
        self.number = number
        self.spec = spec
        self.link = Link(spec.name, log)
        self.state = WorkerState.STARTING
        self.jobs: deque[Job] = deque()
        """In the order in which the engine has them."""
        self.gauge = Gauge(limits_of(spec))
        self.watch = StallWatch(floor=spec.stall_seconds)
        self.loading = Stopwatch()
        """The time that it has taken to get ready, up to now."""
        self.leaving = ""
        """Why it will be replaced, once that is decided."""
        self.replaced = False
        """Whether its successor is being loaded while it still works."""
        self.expected = False
        """Whether we are ending it ourselves: then its end is no crash."""
        self.cancelling = False
        """Whether its jobs have been cancelled."""
        self._owner = owner
        self._voices = _Voices()
        self._load_seconds = 0.0
        self._made_at: deque[float] = deque(maxlen=PACE_CLIPS)
        self._fraction = 0.0
        self._device_memory = 0
        self._rtf = 0.0

    @property
    def card(self) -> wire.Card:
        """What the engine says of itself; there from the greeting on."""
        assert self.link.card is not None
        return self.link.card

    @property
    def load_deadline(self) -> float:
        """Seconds in which it must have greeted, or loaded, from its start on."""
        greeting = self.state is WorkerState.STARTING
        return min(HELLO_SECONDS, self.spec.load_deadline) if greeting else self.spec.load_deadline

    @property
    def accepts(self) -> bool:
        """Whether it can take one more job."""
        serving = self.state in (WorkerState.READY, WorkerState.NARRATING)
        if not serving or self.cancelling or len(self.jobs) >= depth_of(self.link.card):
            return False
        if any(job.alone for job in self.jobs):
            return False
        cap = self.gauge.limits.max_clips
        # Jobs in the pipe count too; beyond the cap it works only until its successor is there.
        return self.replaced or not cap or self.gauge.clips + len(self.jobs) < cap

    @property
    def lead(self) -> int:
        """Clips that it will make while a successor loads, going by its own load and pace."""
        clips = len(self._made_at) - 1
        span = self._made_at[-1] - self._made_at[0] if clips > 0 else 0.0
        return math.ceil(self._load_seconds * clips / span) if span > 0 else 0

    @property
    def since_last(self) -> float:
        """Seconds between its last two clips; endless before the second."""
        return self._made_at[-1] - self._made_at[-2] if len(self._made_at) > 1 else math.inf

    async def start(self) -> None:
        """Start the process and load its model.

        How long that may take is not watched here, but by what looks at workers (`StallGuard`).

        Raises:
            LinkError: It cannot be started, or ended.
            LoadFailed: It said that it cannot load.
        """
        began = time.monotonic()
        await self.link.start(self.spec.command, engine_environment(self.spec), deadline=None)
        # From here on its end is heard of by the owner; before, it is this call that fails.
        self.link.on_end = self._ended
        self.state = WorkerState.LOADING
        frame = await self.link.ask(
            wire.Load(self.link.next_id(), dict(self.spec.options)),
            deadline=None,
            on_event=self._loading,
        )
        message = frame.message
        if isinstance(message, wire.Loaded):
            self.link.card = message.card
            cards.remember(message.card, self.spec.name)
            self._fraction = 1.0
            self._load_seconds = time.monotonic() - began
            self.state = WorkerState.READY
        elif isinstance(message, wire.Refused):
            raise LoadFailed(message.reason, transient=False)
        elif isinstance(message, wire.Failed):
            raise LoadFailed(message.reason, transient=message.failure == "transient")
        else:
            reason = f"The engine {self.spec.name} answered its load with something else."
            raise LoadFailed(reason, transient=False)

    def give(self, job: Job) -> None:
        """Take a job; only while `accepts`."""
        job.begun = False
        job.request = 0
        job.stage = ""
        self.jobs.append(job)
        self.state = WorkerState.NARRATING
        voice = job.voice
        if voice.fingerprint in self._voices.ready:
            self._narrate(job)
        elif voice.fingerprint not in self._voices.asked:
            self._voices.asked.add(voice.fingerprint)
            request = wire.PrepareVoice(self.link.next_id(), voice)
            self.link.send(request, lambda answer: self._prepared(voice.fingerprint, answer))

    def made(self, footprint: int, cpu_seconds: float, audio_seconds: float) -> None:
        """It has made a clip; figures as for `Gauge.made`."""
        self._made_at.append(time.monotonic())
        self.gauge.made(footprint, cpu_seconds, audio_seconds)
        if self.gauge.clips == 1:
            self._remember()  # A studio may stay open for days, and others ask meanwhile.

    def cancel_jobs(self) -> None:
        """Ask the engine to drop what it has; it answers each as cancelled."""
        self.cancelling = True
        for job in reversed(self.jobs):  # The waiting one first, so that it never begins.
            if job.request:
                self.link.cancel(job.request)

    def drain(self) -> None:
        """Take no more jobs."""
        if self.state in (WorkerState.READY, WorkerState.NARRATING):
            self.state = WorkerState.DRAINING

    async def stop(self) -> None:
        """End the process politely, then less so; not a crash."""
        self.expected = True
        if self.state is not WorkerState.GONE:
            self.state = WorkerState.STOPPING
        await self.link.stop(self.spec.grace)

    async def kill(self) -> None:
        """End the process at once; not a crash."""
        self.expected = True
        if self.state is not WorkerState.GONE:
            self.state = WorkerState.STOPPING
        await self.link.kill()

    def status(self) -> WorkerStatus:
        """A snapshot for the engine panel."""
        card = self.link.card
        return WorkerStatus(
            number=self.number,
            engine=self.spec.name,
            state=self.state,
            pid=self.link.pid,
            footprint=self.gauge.footprint,
            baseline=self.gauge.baseline,
            budget=self.gauge.limits.budget,
            device_memory=self._device_memory,
            clips=self.gauge.clips,
            loading=self._fraction,
            device=f"{card.device} {card.precision}".strip() if card is not None else "",
            stages=tuple(job.stage for job in self.jobs if job.begun and job.stage),
        )

    def _narrate(self, job: Job) -> None:
        """Send a job whose voice is ready."""
        job.request = self.link.next_id()
        request = wire.Narrate(
            id=job.request,
            text=wire_text(job.text, self.card),
            language=job.language,
            voice=job.voice.fingerprint,
            seed=job.seed,
            speed=job.speed,
            tokens=job.tokens,
        )
        self.link.send(request, lambda answer: self._answered(job, answer), self._stage)

    def _prepared(self, fingerprint: str, answer: Answer) -> None:
        """The engine has, or has not, prepared a voice."""
        if isinstance(answer, LinkError):
            return
        self.watch.answered()
        self._voices.asked.discard(fingerprint)
        waiting = [
            job for job in self.jobs if not job.request and job.voice.fingerprint == fingerprint
        ]
        if isinstance(answer.message, wire.Prepared) and not self.cancelling:
            self._voices.ready.add(fingerprint)
            if waiting and answer.message.notes:
                self._owner.prepared(self, waiting[0], answer.message.notes)
            for job in waiting:
                self._narrate(job)
            return
        for job in waiting:
            self._leave(job)
            self._owner.unprepared(self, job, answer)

    def _answered(self, job: Job, answer: Answer) -> None:
        """The engine is done with a job, one way or another."""
        if isinstance(answer, LinkError):
            return  # The owner hears of the end once, with all the jobs.
        self.watch.answered()
        if isinstance(answer.message, wire.Clip) and not self._in_turn(job):
            self.link.strike(
                f"The engine {self.spec.name} answered another request than the one it had first, "
                "so its clips cannot be told apart; it was ended."
            )
            return
        self._leave(job)
        if isinstance(answer.message, wire.Clip):
            clip = answer.message
            self._device_memory = clip.device_memory
            self._rtf = clip.seconds * clip.rate / max(clip.frames, 1)
        self._owner.answered(self, job, answer)

    def _in_turn(self, job: Job) -> bool:
        """Whether a job is the one that the engine was given first: it makes them in order."""
        return job.request == min(other.request for other in self.jobs if other.request)

    def _leave(self, job: Job) -> None:
        """A job is no longer here."""
        self.jobs.remove(job)
        if not self.jobs:
            self.cancelling = False
            if self.state is WorkerState.NARRATING:
                self.state = WorkerState.READY

    def _stage(self, event: wire.Event) -> None:
        """The narrator has entered a stage of a job."""
        self.watch.progress()
        if isinstance(event, wire.Stage):
            for job in self.jobs:
                if job.request == event.id:
                    job.begun = True
                    job.stage = event.name

    def _loading(self, event: wire.Event) -> None:
        """The model is part way in."""
        if isinstance(event, wire.Loading):
            self._fraction = min(1.0, max(0.0, event.fraction))

    def _ended(self, gone: EngineGone) -> None:
        """The process is gone."""
        self.state = WorkerState.GONE
        self._remember()
        self._owner.ended(self, gone)

    def _remember(self) -> None:
        """Let others know how fast it is and what it takes, once it has made anything."""
        if self._rtf:
            cards.remember(self.card, self.spec.name, self._rtf, self.gauge.baseline)


def depth_of(card: wire.Card | None) -> int:
    """How many jobs a worker holds.

    While it finishes one batch it begins another, and both are taken clip by clip. By the time the
    first is out, as many wait as were in it, and one more, for the last place is filled only when
    the engine has taken the next batch already.

    Args:
        card: What its engine says of itself; None where that is not known yet.
    """
    together = card.together if card is not None else 1
    return DEPTH if together < 2 else DEPTH * together + 1


def limits_of(spec: EngineSpec) -> Limits:
    """What a worker of this engine may use."""
    return Limits(
        budget=spec.budget_mb * MB,
        ceiling=spec.ceiling_mb * MB,
        max_clips=spec.max_clips,
        drift=spec.drift,
        recycle_on_drift=spec.recycle_on_drift,
    )
