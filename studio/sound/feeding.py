"""Handing sound to a callback that must never wait."""

from __future__ import annotations

from collections import deque
from threading import Condition, Thread
from typing import Protocol

from studio.errors import StudioError
from studio.sound.source import AudioSource, ClipSource, Resampled, Samples

AHEAD_SECONDS = 2.0
"""How much is read before it is needed."""
BLOCK_SECONDS = 0.25
"""How much is read at a time; a seek waits for one of these at most."""


class Feed(Protocol):
    """Where a callback takes its samples from; frames are those of the device's rate."""

    frames: int
    at: int
    """The next frame to be taken."""

    def take(self, out: Samples) -> int:
        """Fill ``out`` as far as samples are at hand, and tell how far that is; never waits."""

    def seek(self, frame: int) -> None:
        """Go on from another frame."""

    def close(self) -> None:
        """Read no more."""

    @property
    def failure(self) -> str:
        """Why the sound cannot be read, in plain words, or empty."""


def feed_for(source: AudioSource, rate: int, start: int) -> Feed:
    """Make the feed of a source at a device's rate, from frame ``start`` of the source on."""
    start = max(0, min(start, source.frames)) * rate // source.rate
    if isinstance(source, ClipSource):
        return MemoryFeed(source.at(rate), start)
    return ReadAhead(source if source.rate == rate else Resampled(source, rate), start)


class MemoryFeed:
    """A clip that is already in memory."""

    failure = ""

    def __init__(self, clip: ClipSource, start: int) -> None:
        """Begin at frame ``start``."""
        self._samples = clip.samples
        self.frames = clip.frames
        self.at = start

    def take(self, out: Samples) -> int:
        """Copy from the clip."""
        part = self._samples[self.at : self.at + len(out)]
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

    def __init__(self, source: AudioSource, start: int) -> None:
        """Begin to read at frame ``start``."""
        self.frames = source.frames
        self.at = start
        self._block = max(1, int(BLOCK_SECONDS * source.rate))
        self._ahead = int(AHEAD_SECONDS * source.rate)
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
                if seeks == self._seeks:  # else a seek came in between
                    self._ready.append(block)
                    self._next += len(block)
