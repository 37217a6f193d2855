"""A chapter as one sound: clips, the pauses between them, and where each one stands.

Nothing is rendered ahead: a timeline knows every position from sample counts alone and loads one
clip at a time when it is read, so a chapter of any length takes the memory of a few clips.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from studio.errors import MachineFault
from studio.sound.source import Pcm, Samples, Slice, mono, resample, resampled_length

FADE_MS = 6
"""Rise and fall at the edges of each clip: enough that a step there does not click."""

PEAK = 10 ** (-1 / 20)
"""Where peaks of a clip that is made louder end: 1 dB below full scale."""

JOIN_SECONDS = 2.0
"""How much is heard on either side of a join."""

_KEPT = 4
"""Prepared clips held in memory."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One clip, or silence in its place, and the pause after it."""

    frames: int
    """Length at its own rate."""
    rate: int
    load: Callable[[], tuple[Pcm, int]] | None
    """Gives the clip and its rate; None is silence."""
    pause_ms: int
    label: str
    """What people and callers know it by; the segment's uid."""
    missing: bool = False
    """Whether it is silence because there is no clip."""
    gain: float = 1.0
    """What its samples are multiplied by, as far as its peaks allow; 1 leaves every bit."""


class Timeline:
    """Pieces one after the other, as an `AudioSource` of one rate.

    Clips of other rates are resampled, of more channels mixed down, and each is faded at its edges.
    Any read gives the same samples as reading from the start. Safe for use by several threads.
    """

    def __init__(
        self, pieces: Sequence[Piece], rate: int, *, head_ms: int = 0, tail_ms: int = 0
    ) -> None:
        """Lay out ``pieces`` at ``rate`` Hz, between ``head_ms`` and ``tail_ms`` of silence."""
        self.pieces = tuple(pieces)
        self._rate = rate
        clips = [resampled_length(piece.frames, piece.rate, rate) for piece in self.pieces]
        pauses = [in_frames(piece.pause_ms, rate) for piece in self.pieces]
        steps = np.array([in_frames(head_ms, rate), *map(sum, zip(clips, pauses, strict=True))])
        edges = np.cumsum(steps, dtype=np.int64)
        self.starts: NDArray[np.int64] = edges[:-1]
        """First frame of each piece."""
        self.ends: NDArray[np.int64] = self.starts + np.array(clips, dtype=np.int64)
        """Frame after the last of each clip, where its pause begins."""
        self._length = int(edges[-1]) + in_frames(tail_ms, rate)
        self._ready: OrderedDict[int, Samples] = OrderedDict()
        self._lock = Lock()

    @property
    def rate(self) -> int:
        """Frames per second."""
        return self._rate

    @property
    def frames(self) -> int:
        """Length in frames."""
        return self._length

    @property
    def seconds(self) -> float:
        """Length in seconds."""
        return self._length / self._rate

    @property
    def gaps(self) -> tuple[str, ...]:
        """Labels of the pieces that are silent for want of a clip."""
        return tuple(piece.label for piece in self.pieces if piece.missing)

    def piece_at(self, frame: int) -> int:
        """Tell which piece, with its pause, a frame belongs to; the head belongs to the first."""
        return max(0, int(np.searchsorted(self.starts, frame, side="right")) - 1)

    def read(self, start: int, count: int) -> Samples:
        """Give ``count`` frames from ``start`` on; fewer where the chapter ends.

        Raises:
            MachineFault: A clip cannot be read, or is not as long as its take says.
        """
        stop = min(start + max(0, count), self._length)
        out = np.zeros(max(0, stop - start), np.float32)
        first = int(np.searchsorted(self.ends, start, side="right"))
        last = int(np.searchsorted(self.starts, stop, side="left"))
        for index in range(first, last):
            if self.pieces[index].load is None:
                continue
            begin, end = int(self.starts[index]), int(self.ends[index])
            low, high = max(begin, start), min(end, stop)
            if low < high:
                out[low - start : high - start] = self._clip(index)[low - begin : high - begin]
        return out

    def _clip(self, index: int) -> Samples:
        """Give a clip ready to be copied, from memory where it was needed lately."""
        with self._lock:
            clip = self._ready.pop(index, None)
            if clip is None:
                clip = self._prepare(self.pieces[index])
            self._ready[index] = clip
            if len(self._ready) > _KEPT:
                self._ready.popitem(last=False)
            return clip

    def _prepare(self, piece: Piece) -> Samples:
        """Load a clip, mix it down, bring it to the timeline's rate and fade its edges."""
        assert piece.load is not None
        pcm, rate = piece.load()
        if (len(pcm), rate) != (piece.frames, piece.rate):
            raise MachineFault(
                f"The clip of segment {piece.label} holds {len(pcm)} samples at {rate} Hz, but its "
                f"take says {piece.frames} at {piece.rate} Hz; narrate the segment again."
            )
        clip = ready_clip(pcm, rate, self._rate)
        return clip if piece.gain == 1.0 else amplified(clip, piece.gain)


def ready_clip(pcm: Pcm, rate: int, new_rate: int) -> Samples:
    """Make a clip ready to be laid out: mono, at another rate, faded at its edges."""
    clip = resample(mono(pcm), rate, new_rate)
    fade_edges(clip, new_rate)
    return clip


def amplified(clip: Samples, gain: float) -> Samples:
    """Make a clip louder or softer; never so loud that its peaks pass `PEAK`."""
    peak = float(np.abs(clip).max(initial=0.0))
    if gain > 1.0 and peak * gain > PEAK:
        gain = max(1.0, PEAK / peak)
    return clip * np.float32(gain)


def fade_edges(clip: Samples, rate: int) -> None:
    """Fade a clip in and out in place, over `FADE_MS` or half of it, whichever is shorter."""
    frames = min(in_frames(FADE_MS, rate), len(clip) // 2)
    if frames:
        rise = (0.5 - 0.5 * np.cos(np.pi * (np.arange(frames) + 0.5) / frames)).astype(np.float32)
        clip[:frames] *= rise
        clip[-frames:] *= rise[::-1]


def join(timeline: Timeline, index: int) -> Slice:
    """Give the join after a piece: its last seconds, the pause, the first seconds of the next clip.

    Pieces without sound (scene breaks) count as part of the pause. After the last clip it is the
    rest of the chapter.
    """
    span = round(JOIN_SECONDS * timeline.rate)
    start = max(int(timeline.starts[index]), int(timeline.ends[index]) - span)
    for following in range(index + 1, len(timeline.pieces)):
        begin, end = int(timeline.starts[following]), int(timeline.ends[following])
        if end > begin:
            return Slice(timeline, start, min(end, begin + span))
    return Slice(timeline, start, timeline.frames)


def in_frames(milliseconds: int, rate: int) -> int:
    """Convert a time to frames, rounded half up."""
    return (2 * milliseconds * rate + 1000) // 2000
