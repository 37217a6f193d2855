"""What can be played or exported: mono sound read by random access, and three ways to make it."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
import soxr
from numpy.typing import NDArray

Samples: TypeAlias = NDArray[np.float32]
"""Mono sound, float32 of shape (frames,), full scale ±1."""

Pcm: TypeAlias = NDArray[np.int16]
"""A clip as it is kept: int16 of shape (frames,) or (frames, channels)."""

FULL_SCALE = 32768.0
"""One step of 16 bits is 1 / FULL_SCALE, so that a clip survives the way to float32 and back."""

_PULL = 1 << 15
"""Frames a resampler takes from its source at a time."""
_PREROLL = 2048
"""Frames a resampler is given before the place it is asked for, to settle its filter."""


ENDLESS = 1 << 60
"""Length in frames of a sound whose end is not known yet."""


class AudioSource(Protocol):
    """Mono sound that can be read from anywhere."""

    @property
    def rate(self) -> int:
        """Frames per second."""

    @property
    def frames(self) -> int:
        """Length in frames; `ENDLESS` until the end is known."""

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where the sound ends.

        A sound that is laid out while it plays may also give fewer, or none, because there are no
        more yet: whether it has ended is told by `frames` alone.
        """


def mono(pcm: Pcm) -> Samples:
    """Convert a clip of any number of channels to mono float32: the mean of its channels."""
    samples = pcm.astype(np.float32)
    if samples.ndim == 2:
        samples = samples[:, 0] if samples.shape[1] == 1 else samples.mean(axis=1)
    return samples / np.float32(FULL_SCALE)


def resampled_length(frames: int, rate: int, new_rate: int) -> int:
    """Tell how many frames ``frames`` become at another rate, rounded half up."""
    return (2 * frames * new_rate + rate) // (2 * rate)


def resample(samples: Samples, rate: int, new_rate: int) -> Samples:
    """Convert a whole clip to another rate; its length is `resampled_length`, to the sample."""
    if rate == new_rate:
        return samples
    converted: Samples = soxr.resample(samples, rate, new_rate, quality="VHQ")
    return _fitted(converted, resampled_length(len(samples), rate, new_rate))


def _fitted(samples: Samples, frames: int) -> Samples:
    """Cut, or fill with silence, to exactly ``frames``."""
    if len(samples) >= frames:
        return samples[:frames]
    return np.concatenate([samples, np.zeros(frames - len(samples), np.float32)])


class ClipSource:
    """A clip held in memory."""

    def __init__(self, samples: Samples, rate: int) -> None:
        """Hold mono ``samples`` of shape (frames,) at ``rate`` Hz."""
        self.samples = samples
        self._rate = rate

    @classmethod
    def from_pcm(cls, pcm: Pcm, rate: int) -> ClipSource:
        """Make a source of a clip as `Project.read_clip` gives it."""
        return cls(mono(pcm), rate)

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._rate

    @property
    def frames(self) -> int:
        """Length in frames."""
        return len(self.samples)

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where the clip ends."""
        return self.samples[start : start + count]

    def at(self, rate: int) -> ClipSource:
        """Give the same clip at another rate."""
        return (
            self
            if rate == self._rate
            else ClipSource(resample(self.samples, self._rate, rate), rate)
        )


class Slice:
    """A stretch of another source."""

    def __init__(self, source: AudioSource, start: int, stop: int) -> None:
        """Take frames ``start`` to ``stop`` (not included) of ``source``, as far as it reaches."""
        self._source = source
        self.start = max(0, min(start, source.frames))
        self._frames = max(0, min(stop, source.frames) - self.start)

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._source.rate

    @property
    def frames(self) -> int:
        """Length in frames."""
        return self._frames

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where the stretch ends."""
        count = max(0, min(count, self._frames - start))
        return self._source.read(self.start + start, count)


class Resampled:
    """Another source at another rate, through one filter that runs on from read to read.

    Reads that follow one another from frame 0 give one seamless conversion of the whole. A read
    from elsewhere starts the filter anew a little earlier; it is then right to the ear, not to the
    bit. Not for use by two threads at once.
    """

    def __init__(self, source: AudioSource, rate: int) -> None:
        """Convert ``source`` to ``rate`` Hz."""
        self._source = source
        self._rate = rate
        self._stream: Any = None
        self._pulled = 0
        self._held: Samples = np.zeros(0, np.float32)
        self._skip = 0
        self._next = -1

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._rate

    @property
    def frames(self) -> int:
        """Length in frames."""
        known = self._source.frames
        return known if known >= ENDLESS else resampled_length(known, self._source.rate, self._rate)

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where the sound ends."""
        count = max(0, min(count, self.frames - start))
        if start != self._next:
            self._restart(start)
        while len(self._held) < count + self._skip and self._pulled < self._source.frames:
            if not self._pull():
                # No more is laid out yet; what the filter still holds back comes with the rest.
                count = max(0, len(self._held) - self._skip)
                if not count:
                    return self._held[:0]
        ready = _fitted(self._held[self._skip :], count)
        self._held = self._held[self._skip + count :]
        self._skip = 0
        self._next = start + count
        return ready

    def _restart(self, start: int) -> None:
        """Begin a fresh filter so that the next frame given is ``start``."""
        self._stream = soxr.ResampleStream(
            self._source.rate, self._rate, 1, dtype="float32", quality="VHQ"
        )
        self._pulled = max(0, start * self._source.rate // self._rate - _PREROLL)
        self._skip = start - resampled_length(self._pulled, self._source.rate, self._rate)
        self._held = np.zeros(0, np.float32)
        self._next = start

    def _pull(self) -> bool:
        """Convert the next stretch of the source; False where there is none yet."""
        block = self._source.read(self._pulled, _PULL)
        if not len(block) and self._pulled < self._source.frames:
            return False
        self._pulled += len(block)
        last = self._pulled >= self._source.frames
        made: Samples = self._stream.resample_chunk(np.ascontiguousarray(block), last=last)
        self._held = np.concatenate([self._held, made])
        return True
