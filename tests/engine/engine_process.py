"""A real engine process, spoken to over the wire as the studio does it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import Any, TypeVar

import numpy as np

from engine import wire

REPOSITORY = Path(__file__).resolve().parents[2]
ENTRY = REPOSITORY / "engine" / "__main__.py"
DRIVER = Path(__file__).with_name("scripted_driver.py")
DEADLINE = 30.0

E = TypeVar("E")


class EngineProcess:
    """Starts an engine in an empty folder, in its own session, and keeps what it says."""

    def __init__(
        self,
        folder: Path,
        narrator: str = "hibari",
        *,
        listener: str = "",
        entry: Path = ENTRY,
        python: Sequence = (),
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        folder.mkdir(exist_ok=True)
        kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
        self.process = subprocess.Popen(
            [
                *(sys.executable, "-P", *python, str(entry)),
                *(("--listener", listener) if listener else ("--narrator", narrator)),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**kept, **environment},
            start_new_session=True,
        )
        self.events: list[Any] = []
        self.errors = bytearray()
        self._frames: queue.Queue[wire.Frame | None] = queue.Queue()
        self._threads = [threading.Thread(target=work) for work in (self._read, self._drain)]
        for thread in self._threads:
            thread.start()
        self._numbers = 0

    def __enter__(self) -> EngineProcess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        self.process.kill()
        self.process.wait(DEADLINE)
        for thread in self._threads:
            thread.join(DEADLINE)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass

    def _read(self) -> None:
        decoder = wire.Decoder()
        while data := os.read(self.process.stdout.fileno(), 1 << 16):
            for frame in decoder.feed(data):
                self._frames.put(frame)
        assert decoder.idle
        self._frames.put(None)

    def _drain(self) -> None:
        while data := os.read(self.process.stderr.fileno(), 1 << 16):
            self.errors += data

    def number(self) -> int:
        """A fresh request number."""
        self._numbers += 1
        return self._numbers

    def send(self, request: wire.Request, payload: bytes = b"") -> int:
        """Send a request; returns its number."""
        self.write(wire.encode(request, payload) + payload)
        return request.id

    def write(self, data: bytes) -> None:
        """Send raw bytes."""
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def next(self) -> wire.Frame | None:
        """The next event, or None at the end."""
        frame = self._frames.get(timeout=DEADLINE)
        if frame is not None:
            self.events.append(frame.message)
        return frame

    def until(self, kind: type[E], number: int | None = None) -> tuple[E, bytes]:
        """Read on to an event of a kind (and of a request)."""
        while (frame := self.next()) is not None:
            message = frame.message
            if isinstance(message, kind) and number in (None, getattr(message, "id", None)):
                return message, frame.payload
        raise AssertionError(f"no {kind}: {self.events[-5:]} {self.errors.decode()}")

    def answer(self, number: int) -> tuple[Any, bytes]:
        """Read on to the last event of a request."""
        last = (
            *(wire.Clip, wire.Heard, wire.Refused, wire.Failed),
            *(wire.Loaded, wire.Prepared, wire.Measured),
        )
        return self.until(last, number)

    def load(self, **options: Any) -> Any:
        """Load; returns the answer."""
        return self.answer(self.send(wire.Load(self.number(), options)))[0]

    def prepare(self, voice: wire.Voice) -> Any:
        """Prepare a voice; returns the answer."""
        return self.answer(self.send(wire.PrepareVoice(self.number(), voice)))[0]

    def ready(self, voice: wire.Voice | None = None) -> EngineProcess:
        """Load, with the voice ``v`` unless it is another one."""
        assert isinstance(self.load(), wire.Loaded), self.events
        assert isinstance(self.prepare(voice or wire.Voice("v")), wire.Prepared), self.events
        return self

    def ask(self, text: str, **fields: Any) -> int:
        """Send a narrate request; returns its number."""
        values = {"language": "en", "voice": "v", "seed": 1, **fields}
        return self.send(wire.Narrate(self.number(), text, **values))

    def narrate(self, text: str, **fields: Any) -> tuple[Any, bytes]:
        """Narrate; returns the answer and its payload."""
        return self.answer(self.ask(text, **fields))

    def samples(self, text: str, **fields: Any) -> np.ndarray:
        """Narrate; returns the clip's samples."""
        clip, payload = self.narrate(text, **fields)
        assert isinstance(clip, wire.Clip), clip
        return np.frombuffer(wire.split_blobs(clip, payload)["pcm"], "<f4")

    def gone(self, within: float = DEADLINE) -> int:
        """Wait for the end; returns the exit code."""
        return self.process.wait(within)

    def interrupt(self) -> None:
        """What Ctrl-C in the terminal would do."""
        os.killpg(self.process.pid, signal.SIGINT)

    def wait_for_errors(self, text: bytes) -> None:
        """Wait until stderr holds something."""
        end = time.monotonic() + DEADLINE
        while text not in self.errors:
            assert time.monotonic() < end, self.errors.decode()
            time.sleep(0.01)
