"""One narrator, answering requests: reads them on a thread of its own, works on the main one.

The reading thread answers what must not wait (cancel, measure, shutdown) and queues the rest, any
number deep; they are worked on in the order in which they came. When the stream of requests ends,
the process ends, in the middle of a narration too: nobody is there to hear it. It holds nothing
worth saving, so leaving is `os._exit`, which no busy native library can delay.
"""

from __future__ import annotations

import fcntl
import os
import re
import sys
import threading
import time
import traceback
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from typing import TypeAlias

from engine import lifeline, memory, wire
from engine.registry import Cancelled, Fatal, Narration, Narrator, Refusal, Stage, Transient

Job: TypeAlias = wire.Load | wire.PrepareVoice | wire.Narrate
"""A request that waits for its turn."""

_PHONEMES = re.compile(r"\[([^\[\]()\n]+)\]\(/[^\[\]()/\n]+/\)")
"""A word with its phonemes: the word alone counts towards the length of a text."""

_READ = 1 << 16
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
    """Jobs in order, and which of them were dropped."""

    def __init__(self) -> None:
        """Start empty."""
        self._jobs: deque[Job] = deque()
        self._changed = threading.Condition()
        self._running: int | None = None
        self._dropped = False

    def put(self, job: Job) -> None:
        """Queue a job."""
        with self._changed:
            self._jobs.append(job)
            self._changed.notify()

    def take(self) -> Iterator[Job]:
        """Every job in its turn, forever; a job is running until the next one is asked for."""
        while True:
            with self._changed:
                self._running = None
                self._changed.wait_for(lambda: self._jobs)
                job = self._jobs.popleft()
                self._running, self._dropped = job.id, False
            yield job

    def drop(self, target: int) -> bool:
        """Drop a job: out of the queue (True), or, if it is running, at its next check point."""
        with self._changed:
            if target == self._running:
                self._dropped = True
                return False
            kept = [job for job in self._jobs if job.id != target]
            found = len(kept) < len(self._jobs)
            self._jobs = deque(kept)
            return found

    def dropped(self) -> bool:
        """Whether the running job has been dropped."""
        return self._dropped

    def check(self) -> None:
        """A check point.

        Raises:
            Cancelled: The running job has been dropped.
        """
        if self._dropped:
            raise Cancelled


class Server:
    """Serves one narrator."""

    def __init__(self, narrator: Narrator, requests: int, events: int) -> None:
        """Make a server.

        Args:
            narrator: What does the work, on the thread that calls `run`.
            requests: File descriptor that requests are read from.
            events: File descriptor that events are written to.
        """
        self._narrator = narrator
        self._requests = requests
        self._outlet = Outlet(events)
        self._inbox = Inbox()
        self._gauge = memory.Gauge()
        self._loaded: wire.Load | None = None
        self._voices: set[str] = set()

    def run(self) -> None:
        """Say hello and serve until the requests end; does not return."""
        card = self._narrator.card
        self._outlet.send(wire.Hello(protocol=wire.PROTOCOL, pid=os.getpid(), card=card))
        threading.Thread(target=self._read, name="requests", daemon=True).start()
        for job in self._inbox.take():
            self._answer(job)

    # ---- the reading thread ----------------------------------------------------------------------

    def _read(self) -> None:
        """Read requests until there are no more, then end the process."""
        decoder = wire.Decoder()
        try:
            while data := os.read(self._requests, _READ):
                for frame in decoder.feed(data):
                    self._receive(frame.message)
        except wire.WireError as error:
            _log(f"requests are not readable: {error}")
            self._outlet.leave(wire.Bye(f"The requests cannot be read: {error}."), 2)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        lifeline.leave()

    def _receive(self, message: wire.Message) -> None:
        """Answer at once, or queue."""
        match message:
            case wire.Load() | wire.PrepareVoice() | wire.Narrate():
                self._inbox.put(message)
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
            device = self._narrator.device_memory()
            self._outlet.send(wire.Measured(message.id, footprint, device))

    # ---- the working thread ----------------------------------------------------------------------

    def _answer(self, job: Job) -> None:
        """Work on one job; whatever happens, it gets exactly one last answer."""
        try:
            match job:
                case wire.Load():
                    self._load(job)
                case wire.PrepareVoice():
                    self._prepare(job)
                case wire.Narrate():
                    self._narrate(job)
        except Cancelled:
            self._cancelled(job.id)
        except Refusal as refusal:
            self._outlet.send(wire.Refused(job.id, str(refusal)))
        except Fatal as fault:
            self._outlet.send(wire.Failed(job.id, "fatal", str(fault)))
        except Transient as fault:
            self._outlet.send(wire.Failed(job.id, "transient", str(fault)))
        except Exception as error:
            traceback.print_exc()
            self._outlet.send(self._unforeseen(job, error))

    def _unforeseen(self, job: Job, error: Exception) -> wire.Failed:
        """An answer for an exception that nobody planned for; its traceback is on stderr."""
        if isinstance(job, wire.Load):
            name = self._narrator.card.engine
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

    def _load(self, job: wire.Load) -> None:
        """Load once; the same load again is answered at once."""
        if self._loaded is not None and self._loaded.options != job.options:
            raise Fatal("This engine is loaded with other options; it takes a new process.")
        started = time.perf_counter()
        if self._loaded is None:
            self._narrator.load(job.options, lambda fraction: self._loading(job, fraction))
            self._loaded = job
        seconds = time.perf_counter() - started
        self._outlet.send(wire.Loaded(job.id, self._narrator.card, seconds))

    def _loading(self, job: wire.Load, fraction: float) -> None:
        """Say how far the load is; a check point."""
        self._inbox.check()
        self._outlet.send(wire.Loading(job.id, fraction))

    def _prepare(self, job: wire.PrepareVoice) -> None:
        """Make a voice ready and remember that it is."""
        self._must_be_loaded()
        self._narrator.prepare_voice(job.voice)
        self._voices.add(job.voice.fingerprint)
        self._outlet.send(wire.Prepared(job.id))

    def _narrate(self, job: wire.Narrate) -> None:
        """Narrate, and send the clip with what it took."""
        self._must_be_loaded()
        if job.voice not in self._voices:
            raise Transient(
                f"The engine has not been given the voice {job.voice[:12]}… yet; "
                "it must be prepared before it can read."
            )
        limit = self._narrator.card.max_chars
        length = len(job.text)
        if self._narrator.card.phonemes:
            length = len(_PHONEMES.sub(r"\1", job.text))
        if length > limit:
            raise Refusal(
                f"The text has {length} characters, and this engine reads at most {limit} "
                "at a time. Split the segment."
            )
        wall, processor = time.perf_counter(), time.process_time()
        narration = self._narrator.narrate(job, self._stage_of(job), self._inbox.dropped)
        self._inbox.check()
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        self._outlet.send(*self._clip(job, narration, wall, processor))

    def _stage_of(self, job: wire.Narrate) -> Stage:
        """What a narrator calls as it gets on; a check point."""

        def stage(name: str, fraction: float = 0.0) -> None:
            self._inbox.check()
            self._outlet.send(wire.Stage(job.id, name, fraction))

        return stage

    def _clip(
        self, job: wire.Narrate, narration: Narration, wall: float, processor: float
    ) -> tuple[wire.Clip, bytes]:
        """The clip's message and its payload: the samples, then the attachments."""
        samples = narration.samples
        parts = {"pcm": samples.astype("<f4", copy=False).tobytes(), **narration.blobs}
        clip = wire.Clip(
            id=job.id,
            rate=narration.rate,
            channels=1 if samples.ndim == 1 else samples.shape[1],
            frames=samples.shape[0],
            seconds=wall,
            cpu_seconds=processor,
            footprint=self._footprint(),
            blobs=tuple(wire.Blob(name, len(part)) for name, part in parts.items()),
            stages=dict(narration.stages),
            device_memory=self._narrator.device_memory(),
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
