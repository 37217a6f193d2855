"""One narrator or listener, answering requests: reads on one thread, works on the main one.

The reading thread answers what must not wait (cancel, measure, shutdown) and queues the rest, any
number deep; they are worked on in the order in which they came. When the stream of requests ends,
the process ends, in the middle of a narration too: nobody is there to hear it. It holds nothing
worth saving, so leaving is `os._exit`, which no busy native library can delay.

A staged narrator's clips have two halves. The second half of one is made on another thread beside
the first half of the next, and no further ahead; answers keep the order of the requests all the
same, so a clip that fails in its first half is told of after the one before it. Where its card says
that it takes several clips together, what waits is begun together, and finished in order.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from engine import halves, lifeline, memory, wire
from engine.halves import Effort, Rests, SecondThread
from engine.mailbox import Audition, Inbox, Job, Outlet
from engine.registry import (
    Beginning,
    Cancelled,
    Fatal,
    Half,
    Listener,
    Narration,
    Narrator,
    Refusal,
    Stage,
    Staged,
    Transient,
)

_PHONEMES = re.compile(r"\[([^\[\]()\n]+)\]\(/[^\[\]()/\n]+/\)")
"""A word with its phonemes: the word alone counts towards the length of a text."""

_READ = 1 << 16


Begun: TypeAlias = tuple[wire.Narrate, Half | Exception, Effort]
"""A clip's request, its first half or why there is none, and what it took."""


class Server:
    """Serves one narrator, or one listener."""

    def __init__(self, host: Narrator | Listener, requests: int, events: int) -> None:
        """Make a server.

        Args:
            host: What does the work, on the thread that calls `run`; the second halves of a
                staged narrator on another.
            requests: File descriptor that requests are read from.
            events: File descriptor that events are written to.
        """
        self._host = host
        self._requests = requests
        self._outlet = Outlet(events)
        self._inbox = Inbox()
        self._gauge = memory.Gauge()
        self._loaded: wire.Load | None = None
        self._voices: set[str] = set()
        self._staged = host if isinstance(host, Staged) else None
        self._second = SecondThread()
        self._rests = Rests(self._staged.rest if self._staged is not None else lambda: None)
        self._counted = 0.0
        """Processor time when the last clip ended: up to there it is on somebody's account."""

    def run(self) -> None:
        """Say hello and serve until the requests end; does not return."""
        card = self._host.card
        self._outlet.send(wire.Hello(protocol=wire.PROTOCOL, pid=os.getpid(), card=card))
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        for job in self._inbox.take():
            if isinstance(job, wire.Narrate) and self._staged is not None:
                more = self._inbox.more(self._host.card.together - 1)
                self._begin([job, *more], self._staged)
            else:
                self._second.wait()
                self._answer(job, partial(self._work, job))

    # ---- the reading thread ----------------------------------------------------------------------

    def _read(self) -> None:
        """Read requests until there are no more, then end the process."""
        decoder = wire.Decoder()
        try:
            while data := os.read(self._requests, _READ):
                for frame in decoder.feed(data):
                    self._receive(frame.message, frame.payload)
        except wire.WireError as error:
            _log(f"requests are not readable: {error}")
            self._outlet.leave(wire.Bye(f"The requests cannot be read: {error}."), 2)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        lifeline.leave()

    def _receive(self, message: wire.Message, payload: bytes) -> None:
        """Answer at once, or queue."""
        match message:
            case wire.Load() | wire.PrepareVoice() | wire.Narrate():
                self._inbox.put(message)
            case wire.Hear():
                self._inbox.put(Audition(message, payload))
            case wire.Cancel():
                if self._inbox.drop(message.target):
                    self._cancelled(message.target)
            case wire.Measure():
                self._measure(message)
            case wire.Shutdown():
                self._outlet.leave(wire.Bye("asked to leave"), 0)
            case wire.Unknown():
                _log(f"skipped a request of unknown kind {message.kind!r}")
            case _:
                _log(f"skipped a message that is no request: {message.KIND}")

    def _measure(self, message: wire.Measure) -> None:
        """Say how much memory is charged to this process now."""
        try:
            footprint = memory.footprint()
        except OSError as error:
            reason = f"The system does not tell how much memory is used: {error}."
            self._outlet.send(wire.Failed(message.id, "transient", reason))
        else:
            device = self._host.device_memory()
            self._outlet.send(wire.Measured(message.id, footprint, device))

    # ---- the working threads ---------------------------------------------------------------------

    def _answer(self, job: Job, work: Callable[[], tuple[wire.Event, bytes]]) -> None:
        """Work on a job up to its end; whatever happens, it gets exactly one last answer."""
        try:
            self._outlet.send(*work())
        except Exception as error:
            self._fail(job, error)
        else:
            self._inbox.ended(job)

    def _fail(self, job: Job, error: Exception) -> None:
        """The last answer of a job that did not come off."""
        match error:
            case Cancelled():
                self._cancelled(job.id)
            case Refusal():
                self._outlet.send(wire.Refused(job.id, str(error)))
            case Fatal():
                self._outlet.send(wire.Failed(job.id, "fatal", str(error)))
            case Transient():
                self._outlet.send(wire.Failed(job.id, "transient", str(error)))
            case _:
                traceback.print_exception(error)
                self._outlet.send(self._unforeseen(job, error))
        self._inbox.ended(job)

    def _work(self, job: Job) -> tuple[wire.Event, bytes]:
        """Everything but the clips of a staged narrator: one job after another."""
        match job:
            case wire.Load():
                return self._load(job), b""
            case wire.PrepareVoice():
                return self._prepare(job), b""
            case wire.Narrate():
                return self._narrate(job)
            case Audition():
                return self._hear(job), b""

    def _unforeseen(self, job: Job, error: Exception) -> wire.Failed:
        """An answer for an exception that nobody planned for; its traceback is on stderr."""
        if isinstance(job, wire.Load):
            name = self._host.card.engine
            if isinstance(error, ImportError):
                reason = (
                    f"The engine {name} cannot start, because a Python package is missing or "
                    f"broken: {error}. Install the engine again."
                )
            else:
                reason = f"The engine {name} cannot load its model: {_words(error)}."
            return wire.Failed(job.id, "fatal", reason)
        return wire.Failed(job.id, "transient", f"The engine stumbled: {_words(error)}.")

    def _cancelled(self, target: int) -> None:
        """Say that a request was dropped."""
        self._outlet.send(wire.Failed(target, "cancelled", "cancelled"))

    def _load(self, job: wire.Load) -> wire.Loaded:
        """Load once; the same load again is answered at once."""
        if self._loaded is not None and self._loaded.options != job.options:
            raise Fatal("This engine is loaded with other options; it takes a new process.")
        started = time.perf_counter()
        if self._loaded is None:
            self._host.load(job.options, lambda fraction: self._loading(job, fraction))
            self._loaded = job
        return wire.Loaded(job.id, self._host.card, time.perf_counter() - started)

    def _loading(self, job: wire.Load, fraction: float) -> None:
        """Say how far the load is; a check point."""
        self._inbox.check(job.id)
        self._outlet.send(wire.Loading(job.id, fraction))

    def _prepare(self, job: wire.PrepareVoice) -> wire.Prepared:
        """Make a voice ready and remember that it is."""
        self._must_be_loaded()
        notes = self._narrator().prepare_voice(job.voice)
        self._voices.add(job.voice.fingerprint)
        return wire.Prepared(job.id, tuple(notes))

    def _narrate(self, job: wire.Narrate) -> tuple[wire.Clip, bytes]:
        """A whole clip."""
        self._must_be_fit(job)
        effort = Effort(time.process_time())
        with effort.timed():
            narration = self._narrator().narrate(job, self._stage_of(job), self._dropped(job))
        return self._clip(job, narration, effort)

    def _hear(self, job: Audition) -> wire.Heard:
        """What is said in a sound."""
        self._must_be_loaded()
        if not isinstance(self._host, Listener):
            raise Refusal("This engine speaks and does not listen.")
        effort = Effort(time.process_time())
        stage, dropped = self._stage_of(job), self._dropped(job)
        with effort.timed():
            heard = self._host.hear(job.request, job.sound, stage, dropped)
        self._inbox.check(job.id)
        return wire.Heard(
            id=job.id,
            text=heard.text,
            words=heard.words,
            language=heard.language,
            audio_seconds=heard.audio_seconds,
            seconds=effort.wall,
            footprint=self._footprint(),
        )

    def _narrator(self) -> Narrator:
        """Who speaks.

        Raises:
            Refusal: This process listens.
        """
        if isinstance(self._host, Listener):
            raise Refusal("This engine listens and does not speak.")
        return self._host

    def _begin(self, jobs: Sequence[wire.Narrate], staged: Staged) -> None:
        """First halves of clips here, the second beside the next first ones if that may be."""
        with self._rests.busy():
            begun = self._first_halves(jobs, staged)
            if not staged.overlaps:
                self._second_halves(begun, staged)
        if staged.overlaps:
            self._second.give(partial(self._second_halves, begun, staged))

    def _first_halves(self, jobs: Sequence[wire.Narrate], staged: Staged) -> list[Begun]:
        """What came of each first half; where it is an exception, the job is over with that."""
        answers: dict[int, Half | Exception] = {}
        for job in jobs:
            try:
                self._must_be_fit(job)
            except Exception as error:
                answers[job.id] = error
        fit = [
            Beginning(job, self._stage_of(job), self._dropped(job))
            for job in jobs
            if job.id not in answers
        ]
        effort = Effort(time.process_time())
        with effort.timed(1 / max(1, len(fit))):
            made = halves.begin(staged, fit)
        answers |= {one.request.id: half for one, half in zip(fit, made, strict=True)}
        return [(job, answers[job.id], replace(effort)) for job in jobs]

    def _second_halves(self, begun: Sequence[Begun], staged: Staged) -> None:
        """The second halves of clips that were begun together, and all their answers, in order."""
        for job, half, effort in begun:
            if isinstance(half, Exception):
                self._fail(job, half)
            else:
                self._second_half(job, staged, half, effort)

    def _second_half(self, job: wire.Narrate, staged: Staged, half: Half, effort: Effort) -> None:
        """The second half of a clip, and its answer."""

        def work() -> tuple[wire.Clip, bytes]:
            self._inbox.check(job.id)
            with self._rests.busy(), effort.timed():
                narration = staged.finish(half, self._stage_of(job), self._dropped(job))
            return self._clip(job, narration, effort)

        self._answer(job, work)

    def _must_be_fit(self, job: wire.Narrate) -> None:
        """Refuse what cannot be narrated: no model, no such voice, tokens, too long a text."""
        self._must_be_loaded()
        if job.voice not in self._voices:
            raise Transient(
                f"The engine has not been given the voice {job.voice[:12]}… yet; "
                "it must be prepared before it can read."
            )
        if job.tokens and not self._host.card.replays:
            name = self._host.card.engine
            raise Refusal(f"The engine {name} cannot voice a take’s speech tokens again.")
        limit = self._host.card.max_chars
        length = len(job.text)
        if self._host.card.phonemes:
            length = len(_PHONEMES.sub(r"\1", job.text))
        if length > limit:
            raise Refusal(
                f"The text has {length} characters, and this engine reads at most {limit} "
                "at a time. Split the segment."
            )

    def _dropped(self, job: Job) -> Callable[[], bool]:
        """What tells the host whether its request was dropped."""
        return lambda: self._inbox.dropped(job.id)

    def _stage_of(self, job: Job) -> Stage:
        """What the host calls as it gets on; a check point."""

        def stage(name: str, fraction: float = 0.0) -> None:
            self._inbox.check(job.id)
            self._outlet.send(wire.Stage(job.id, name, fraction))

        return stage

    def _clip(
        self, job: wire.Narrate, narration: Narration, effort: Effort
    ) -> tuple[wire.Clip, bytes]:
        """The clip's message and its payload: the samples, then the attachments.

        Processor time is the whole process's. While two clips are made side by side, what it spent
        up to the end of the first is on the account of the first, and what it spent from there on
        on that of the second: nothing is counted twice, and sums over clips are right.
        """
        self._inbox.check(job.id)
        processor = time.process_time()
        begun, self._counted = max(effort.processor, self._counted), processor
        samples = narration.samples
        parts = {"pcm": samples.astype("<f4", copy=False).tobytes(), **narration.blobs}
        clip = wire.Clip(
            id=job.id,
            rate=narration.rate,
            channels=1 if samples.ndim == 1 else samples.shape[1],
            frames=samples.shape[0],
            seconds=effort.wall,
            cpu_seconds=processor - begun,
            footprint=self._footprint(),
            blobs=tuple(wire.Blob(name, len(part)) for name, part in parts.items()),
            stages=dict(narration.stages),
            device_memory=self._host.device_memory(),
            notes=tuple(narration.notes),
        )
        return clip, b"".join(parts.values())

    def _footprint(self) -> int:
        """This process's footprint, or 0 where the system does not tell: a clip is worth more."""
        with suppress(OSError):
            return self._gauge.read()
        return 0

    def _must_be_loaded(self) -> None:
        """Refuse to work without a model."""
        if self._loaded is None:
            raise Transient("The engine has not loaded its model yet; it must be loaded first.")


def _words(error: Exception) -> str:
    """An exception as a person may read it."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _log(text: str) -> None:
    """One line on stderr, which the studio keeps."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()
