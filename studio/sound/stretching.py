"""Faster or slower at the same pitch: a sound that goes through a helper process."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from threading import Lock

import numpy as np

from studio.sound.source import ENDLESS, AudioSource, Samples
from studio.sound.tempo_helper import HEADER, LENGTH

CHUNK = 2048
"""Frames sent at a time: they fit into a pipe, so that sending never waits for the helper."""
ANSWER_SECONDS = 5.0
"""How long the helper may take; the first answer waits for the start of its interpreter."""

_PROGRAM = Path(__file__).with_name("tempo_helper.py")


class HelperLost(Exception):
    """The helper does not start, has died or does not answer."""


class Tempo:
    """The helper, kept from sound to sound and replaced when it is lost. Safe for threads."""

    def __init__(self, on_trouble: Callable[[str], None] = lambda sentence: None) -> None:
        """Start nothing yet.

        Args:
            on_trouble: Told, in one plain sentence and once, that sounds go at normal speed.
        """
        self.speed = 1.0
        """What sounds that begin from now on are played at."""
        self._on_trouble = on_trouble
        self._told = False
        self._helper: subprocess.Popen[bytes] | None = None
        self._numbers = count(1)
        self._lock = Lock()

    @property
    def pid(self) -> int | None:
        """The helper's process, or None where there is none."""
        helper = self._helper
        return None if helper is None else helper.pid

    def warm_up(self) -> None:
        """Start the helper before it is needed."""
        with self._lock, contextlib.suppress(HelperLost):
            self._started()

    def begin(self, rate: int, speed: float) -> int:
        """Begin a stream; returns its number.

        Raises:
            HelperLost: It cannot be had.
        """
        number = next(self._numbers)
        self._ask(b"s", number, b"", rate, speed)
        self._told = False
        return number

    def put(self, number: int, samples: Samples) -> Samples:
        """Send samples of a stream; gives what has come out by now.

        Raises:
            HelperLost: It is gone, and the stream with it.
        """
        return self._ask(b"d", number, np.ascontiguousarray(samples, "<f4").tobytes())

    def end(self, number: int) -> Samples:
        """Give what is left of a stream.

        Raises:
            HelperLost: It is gone, and the stream with it.
        """
        return self._ask(b"e", number, b"")

    def give_up(self) -> None:
        """Say, once, that it cannot be done."""
        if not self._told:
            self._told = True
            self._on_trouble(
                "The speed cannot be changed, because the helper for it does not run; playing at"
                " normal speed. Installing Rhapsode again may mend it."
            )

    def close(self) -> None:
        """End the helper; the next stream starts another."""
        with self._lock:
            self._end()

    def _ask(
        self, what: bytes, number: int, samples: bytes, rate: int = 0, speed: float = 1.0
    ) -> Samples:
        """Make one request and wait for its answer, but not for ever."""
        with self._lock:
            # Only a stream that begins may start a helper: another one knows nothing of the rest.
            helper = self._started() if what == b"s" else self._helper
            if helper is None:
                raise HelperLost
            assert helper.stdin is not None
            assert helper.stdout is not None
            try:
                helper.stdin.write(HEADER.pack(what, number, rate, speed, len(samples)) + samples)
                out = helper.stdout.fileno()
                deadline = time.monotonic() + ANSWER_SECONDS
                (length,) = LENGTH.unpack(_exactly(out, LENGTH.size, deadline))
                return np.frombuffer(_exactly(out, length, deadline), "<f4").astype(np.float32)
            except (OSError, HelperLost) as error:
                self._end()
                raise HelperLost from error

    def _started(self) -> subprocess.Popen[bytes]:
        if self._helper is not None and self._helper.poll() is not None:
            self._end()
        if self._helper is None:
            try:
                self._helper = subprocess.Popen(
                    [sys.executable, "-P", str(_PROGRAM)],
                    bufsize=0,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,  # ctrl-c is meant for the studio alone
                )
            except OSError as error:
                raise HelperLost from error
        return self._helper

    def _end(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()
            for pipe in (helper.stdin, helper.stdout):
                if pipe is not None:
                    with contextlib.suppress(OSError):
                        pipe.close()
            helper.wait()


def _exactly(descriptor: int, length: int, deadline: float) -> bytes:
    """Read so many bytes before a deadline."""
    parts: list[bytes] = []
    while length:
        left = max(0.0, deadline - time.monotonic())
        if not select.select([descriptor], [], [], left)[0]:
            raise HelperLost
        part = os.read(descriptor, length)
        if not part:
            raise HelperLost
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


class Pace:
    """What is heard when: the frames of a stretched sound and those of the sound itself."""

    def __init__(self, speed: float) -> None:
        """One speed from the start on."""
        self._speed = speed
        self._normal: tuple[float, float] | None = None

    def heard_at(self, frame: float) -> float:
        """The frame of the sound itself that is heard at a frame of the stretched one."""
        if self._normal is None or frame < self._normal[0]:
            return frame * self._speed
        return self._normal[1] + frame - self._normal[0]

    def frame_of(self, heard: float) -> float:
        """The other way round."""
        if self._normal is None or heard < self._normal[1]:
            return heard / self._speed
        return self._normal[0] + heard - self._normal[1]

    def end_at(self, frame: int) -> None:
        """From this frame on the sound goes at its own speed."""
        self._normal = (frame, round(self.heard_at(frame)))

    @property
    def normal(self) -> bool:
        """Whether it has come to that."""
        return self._normal is not None


class Stretched:
    """Another source at another speed; an `AudioSource` of the same rate.

    Reads that follow one another are one seamless stretch. A read from elsewhere begins a new one
    at that place. Where the helper is lost another takes over, and where none can be had the sound
    goes on at its own speed. Not for use by two threads at once.
    """

    def __init__(self, source: AudioSource, tempo: Tempo) -> None:
        """Play ``source`` at the speed that ``tempo`` has now."""
        self.pace = Pace(tempo.speed)
        self._speed = tempo.speed
        self._source = source
        self._tempo = tempo
        self._stream = 0
        self._pulled = 0
        self._ended = False
        self._held: Samples = np.zeros(0, np.float32)
        self._next = -1

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._source.rate

    @property
    def frames(self) -> int:
        """Length in frames."""
        known = self._source.frames
        return known if known >= ENDLESS else round(self.pace.frame_of(known))

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where there are no more."""
        count = max(0, min(count, self.frames - start))
        for _ in range(2):
            if self.pace.normal:
                break
            try:
                if start != self._next:
                    self._begin(start)
                return self._stretch(count)
            except HelperLost:
                self._next = -1
        else:
            self.pace.end_at(start)
            self._tempo.give_up()
        return self._source.read(round(self.pace.heard_at(start)), count)

    def _begin(self, start: int) -> None:
        """Begin a stream so that the next frame given is ``start``."""
        self._stream = self._tempo.begin(self.rate, self._speed)
        self._pulled = round(self.pace.heard_at(start))
        self._ended = False
        self._held = np.zeros(0, np.float32)
        self._next = start

    def _stretch(self, count: int) -> Samples:
        """Give the next frames of the stream."""
        while len(self._held) < count and not self._ended:
            block = self._source.read(self._pulled, CHUNK)
            self._pulled += len(block)
            if len(block):
                made = self._tempo.put(self._stream, block)
            elif self._pulled >= self._source.frames:
                made = self._tempo.end(self._stream)
                self._ended = True
            else:
                break  # no more is laid out yet
            self._held = np.concatenate([self._held, made])
        ready, self._held = self._held[:count], self._held[count:]
        if self._ended and len(ready) < count:
            # The filter rounds at its end; the length is the one that was told.
            ready = np.concatenate([ready, np.zeros(count - len(ready), np.float32)])
        self._next += len(ready)
        return ready
