"""Handing sound to a callback that must never wait."""

from __future__ import annotations

from collections import deque
from threading import Condition, Thread
from typing import Protocol

from studio.errors import StudioError
from studio.sound.onward import Onward
from studio.sound.source import AudioSource, ClipSource, Resampled, Samples
from studio.sound.stretching import Pace, Stretched, Tempo

AHEAD_SECONDS = 2.0
"""How much is read before it is needed."""
SHORT_AHEAD_SECONDS = 0.5
"""The same for a sound that may still change, and for one that reads no files."""
BLOCK_SECONDS = 0.25
"""How much is read at a time; a seek waits for one of these at most."""
RETRY_SECONDS = 0.03
"""How soon a sound that is laid out while it plays is asked again for what it lacked."""


class Feed(Protocol):
    """Where a callback takes its samples from; frames are those of the device's rate."""

    at: int
    """The next frame to be taken."""

    @property
    def frames(self) -> int:
        """Length, `ENDLESS` until it is known."""

    def take(self, out: Samples) -> int:
        """Fill ``out`` as far as samples are at hand, and tell how far that is; never waits."""

    def seek(self, frame: int) -> None:
        """Go on from another frame."""

    def close(self) -> None:
        """Read no more."""

    @property
    def failure(self) -> str:
        """Why the sound cannot be read, in plain words, or empty."""

    def heard_at(self, frame: float) -> float:
        """The frame of the sound itself, at the device's rate, that is heard at a frame."""

    def frame_of(self, heard: float) -> float:
        """The other way round."""


def feed_for(source: AudioSource, rate: int, start: int, tempo: Tempo | None = None) -> Feed:
    """Make the feed of a source at a device's rate, from frame ``start`` of the source on.

    Args:
        source: The sound.
        rate: The device's, in Hz.
        start: In frames of the source.
        tempo: Who plays it faster or slower; None for its own speed.
    """
    start = max(0, min(start, source.frames)) * rate // source.rate
    in_memory = isinstance(source, ClipSource | Onward) and source.rate == rate
    # What may still change is not read long before it is heard.
    ahead = SHORT_AHEAD_SECONDS if isinstance(source, Onward) or tempo else AHEAD_SECONDS
    if isinstance(source, ClipSource):
        source, in_memory = source.at(rate), True
    elif source.rate != rate:
        source = Resampled(source, rate)
    if tempo is not None:
        source = Stretched(source, tempo)
        start = round(source.pace.frame_of(start))
    elif in_memory:
        return MemoryFeed(source, start)
    return ReadAhead(source, start, ahead)


class MemoryFeed:
    """A sound that is already in memory, as far as it is there at all."""

    failure = ""

    def __init__(self, source: AudioSource, start: int) -> None:
        """Begin at frame ``start``."""
        self._source = source
        self.at = start
        pace = Pace(1.0)
        self.heard_at, self.frame_of = pace.heard_at, pace.frame_of

    @property
    def frames(self) -> int:
        """Length, `ENDLESS` until it is known."""
        return self._source.frames

    def take(self, out: Samples) -> int:
        """Copy from memory."""
        part = self._source.read(self.at, len(out))
        out[: len(part)] = part
        self.at += len(part)
        return len(part)

    def seek(self, frame: int) -> None:
        """Go on from another frame."""
        self.at = frame

    def close(self) -> None:
        """Nothing to end."""


class ReadAhead:
    """A source that may read files: a thread of its own keeps some seconds ready."""

    def __init__(self, source: AudioSource, start: int, ahead: float = AHEAD_SECONDS) -> None:
        """Begin to read at frame ``start``, and keep ``ahead`` seconds ready."""
        self.frames = source.frames
        pace = source.pace if isinstance(source, Stretched) else Pace(1.0)
        self.heard_at, self.frame_of = pace.heard_at, pace.frame_of
        self.at = start
        self._block = max(1, int(min(BLOCK_SECONDS, ahead / 2) * source.rate))
        self._ahead = int(ahead * source.rate)
        self._failure = ""
        self._ready: deque[Samples] = deque()
        self._next = start
        self._seeks = 0
        self._closed = False
        self._changed = Condition()
        # The thread alone holds the source, so that closing lets go of files and filters.
        Thread(target=self._read, args=(source,), name="sound reader", daemon=True).start()

    @property
    def failure(self) -> str:
        """Why the sound cannot be read, in plain words, or empty."""
        return self._failure

    def take(self, out: Samples) -> int:
        """Copy what is ready."""
        filled = 0
        with self._changed:
            while filled < len(out) and self._ready:
                block = self._ready[0]
                part = block[: len(out) - filled]
                out[filled : filled + len(part)] = part
                filled += len(part)
                if len(part) == len(block):
                    self._ready.popleft()
                else:
                    self._ready[0] = block[len(part) :]
            self.at += filled
            self._changed.notify()
        return filled

    def seek(self, frame: int) -> None:
        """Drop what is ready and go on from another frame."""
        with self._changed:
            self._ready.clear()
            self.at = self._next = frame
            self._seeks += 1
            self._changed.notify()

    def close(self) -> None:
        """End the thread."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _wanted(self) -> bool:
        """Tell whether more should be read now."""
        return self._next < self.frames and self._next - self.at < self._ahead

    def _read(self, source: AudioSource) -> None:
        """Read ahead until closed."""
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._closed or self._wanted())
                if self._closed:
                    return
                start, seeks = self._next, self._seeks
            try:
                block = source.read(start, self._block)
            except StudioError as error:
                self._failure = str(error)
                return
            except Exception as error:
                self._failure = f"The sound cannot be read: {error}"
                return
            with self._changed:
                self.frames = source.frames
                if seeks != self._seeks:  # a seek came in between
                    continue
                self._ready.append(block)
                self._next += len(block)
                if not len(block) and self._wanted():
                    self._changed.wait(RETRY_SECONDS)  # nothing is laid out there yet
