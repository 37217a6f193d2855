"""A sound that is laid out while it is heard: piece by piece, as late as possible.

Whoever fills it decides on each piece only a few seconds ahead of the ear, and may take back what
nobody has heard yet. What is not laid out yet is waited for, in silence.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from threading import Lock

import numpy as np

from studio.sound.source import ENDLESS, Samples

KEPT_SECONDS = 10.0
"""How much of what was heard stays in memory: a filter that starts anew reads a little before."""


@dataclass(slots=True)
class Laid:
    """One piece: a clip, or a silence."""

    label: str
    """The segment it belongs to; a silence belongs to the segment before it."""
    start: int
    """First frame of the whole."""
    frames: int
    samples: Samples | None
    """None for silence, and for a clip that was heard long ago."""
    take: int | None = None
    """The take of a clip."""
    silence: bool = False
    """Whether it is the silence between two segments; a scene break is a clip without frames."""

    @property
    def end(self) -> int:
        """Frame after its last one."""
        return self.start + self.frames


class Onward:
    """An `AudioSource` to which pieces are added at its end. Safe for use by several threads."""

    def __init__(self, rate: int) -> None:
        """Lay out at ``rate`` Hz; nothing is there yet."""
        self._rate = rate
        self._laid: list[Laid] = []
        self._starts: list[int] = []
        self._finished = False
        self._read_up_to = 0
        self._forgotten = 0
        self._lock = Lock()

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._rate

    @property
    def frames(self) -> int:
        """Length in frames, once it is known."""
        return self.end if self._finished else ENDLESS

    @property
    def end(self) -> int:
        """Frame up to which it is laid out."""
        with self._lock:
            return self._end()

    @property
    def taken(self) -> int:
        """Frame up to which it was read; what lies behind it can still be changed."""
        return self._read_up_to

    @property
    def finished(self) -> bool:
        """Whether nothing more will be laid out."""
        return self._finished

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where no more are laid out."""
        with self._lock:
            stop = min(start + max(0, count), self._end())
            if stop <= start:
                return np.zeros(0, np.float32)
            out = np.zeros(stop - start, np.float32)
            for place in range(self._place(start), len(self._laid)):
                laid = self._laid[place]
                if laid.start >= stop:
                    break
                low, high = max(laid.start, start), min(laid.end, stop)
                if laid.samples is not None and low < high:
                    piece = laid.samples[low - laid.start : high - laid.start]
                    out[low - start : high - start] = piece
            self._read_up_to = stop
            self._forget(start)
            return out

    # What the one who fills it does.

    def add_clip(self, label: str, samples: Samples, take: int | None) -> None:
        """Lay out a clip, ready to be heard; one without frames only marks the place."""
        with self._lock:
            self._add(Laid(label, self._end(), len(samples), samples, take))

    def add_silence(self, label: str, frames: int) -> None:
        """Lay out the silence after a segment."""
        with self._lock:
            self._add(Laid(label, self._end(), frames, None, silence=True))

    def finish(self) -> None:
        """Nothing more will come."""
        self._finished = True

    def not_read(self) -> list[Laid]:
        """What was laid out and not taken by anybody yet, with the last piece that was."""
        with self._lock:
            first = bisect_right(self._starts, self._read_up_to - 1) - 1
            return self._laid[max(0, first) :]

    def cut(self, laid: Laid) -> bool:
        """Take back a piece and all after it; False where somebody has begun to read it."""
        with self._lock:
            if laid.start < self._read_up_to:
                return False
            self._drop_from(next(p for p, it in enumerate(self._laid) if it is laid))
            return True

    def rewind(self, frame: int) -> Laid | None:
        """Take back the clip that a frame belongs to, heard or not, and all after it.

        Returns:
            The first of what was taken back, to be laid out again; None where nothing is there.
        """
        with self._lock:
            place = self._place(frame)
            while place > 0 and self._laid[place].silence:
                place -= 1
            if not self._laid:
                return None
            laid = self._laid[place]
            self._drop_from(place)
            self._read_up_to = min(self._read_up_to, laid.start)
            return laid

    def span(self, frame: int) -> tuple[Laid, int] | None:
        """The clip that a frame belongs to, and the frame where the silence after it ends."""
        with self._lock:
            if not self._laid:
                return None
            place = end = self._place(frame)
            while place > 0 and self._laid[place].silence:
                place -= 1
            while end + 1 < len(self._laid) and self._laid[end + 1].silence:
                end += 1
            return self._laid[place], self._laid[end].end

    def _end(self) -> int:
        return self._laid[-1].end if self._laid else 0

    def _place(self, frame: int) -> int:
        """Which piece a frame belongs to; of several at one frame the last."""
        return max(0, bisect_right(self._starts, frame) - 1)

    def _add(self, laid: Laid) -> None:
        self._laid.append(laid)
        self._starts.append(laid.start)

    def _drop_from(self, place: int) -> None:
        del self._laid[place:], self._starts[place:]
        self._forgotten = min(self._forgotten, place)
        self._finished = False

    def _forget(self, frame: int) -> None:
        """Let go of the samples of what was heard long ago."""
        border = frame - KEPT_SECONDS * self._rate
        while self._forgotten < len(self._laid) and self._laid[self._forgotten].end < border:
            self._laid[self._forgotten].samples = None
            self._forgotten += 1
