"""What a clip's signal alone tells against it: level, silences, ends, length for its text.

A finding flags a take for a person's ear; it never fails it. Levels of speech are relative to the
clip's own loud frames, so that one quiet voice is not a fault in every line.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from studio.review import pace

FRAME_SECONDS = 0.01
"""Length of the frames that levels are measured in."""

SILENT_DB = -70.0
"""Loud frames below this are silence, dBFS."""

QUIET_DB = -40.0
"""Loud frames below this are too quiet for speech, dBFS."""

SOUND_DB = -35.0
"""A frame sounds if it is no further than this below the loud frames."""

LEADING_SECONDS = 0.8
TRAILING_SECONDS = 1.2
INSIDE_SECONDS = 1.5
"""Silences longer than these are findings."""

CUT_DB = -25.0
"""A clip that begins or ends louder than this, against its loud frames, is cut."""

EDGE_SECONDS = 0.005
"""How much of the ends is looked at for a cut."""

OFFSET = 0.01
"""Mean of the samples, full scale 1, that is an offset."""

CLIPPED_LEVEL = 32_700
CLIPPED_RUN = 3
CLIPPED_SAMPLES = 9
"""Samples at full scale, in runs of this length, that are flat tops and not one lucky peak."""

NOISE_DB = -28.0
"""The quietest frames of speech lie below this, against the loud ones, or there is noise."""

STEADY_SECONDS = 1.0
STEADY_DB = 1.5
"""A last second whose level varies less than this is a hum, not speech."""

SHORTEST, SHORTEST_BRIEF, BRIEF = 0.52, 0.25, 12
LONGEST, LONGEST_SLACK = 2.2, 1.0
"""Sounding seconds over expected ones; a brief text may be very short, and has slack in seconds."""

CLICK = 0.15
CLICK_FACTOR = 14.0
CLICK_REACH = 96
"""Bend of a click, full scale 1, and against most of the samples around it."""

CLICKS_TRIED = 200
"""Suspicious samples that are looked at; a voice has few, noise has thousands."""


@dataclass(frozen=True, slots=True)
class _Frames:
    """Levels of a clip's frames, in dBFS, and which of them sound."""

    levels: NDArray[np.float32]
    loud: float
    floor: float
    """The quietest frames."""
    first: int
    last: int


def check(pcm: NDArray[np.int16], rate: int, text: str, *, speed: float = 1.0) -> tuple[str, ...]:
    """Judge a clip by its signal.

    Args:
        pcm: Samples, shape (frames, channels); or (frames,) for one channel.
        rate: Samples per second.
        text: What should be heard.
        speed: Reading speed that was asked for, 1.0 for the voice's own pace.

    Returns:
        Findings in plain words, the weightiest first; empty for a clean clip.
    """
    if pcm.size == 0:
        return ("no audio",)
    mono = _mono(pcm)
    offset = float(mono.mean())
    if abs(offset) > OFFSET:
        mono -= np.float32(offset)
    frames = _frames(mono, rate)
    if frames.loud < SILENT_DB:
        return ("silent",)
    findings = [
        *_level(pcm, offset, frames),
        *_length(frames, text, speed),
        *_silences(frames),
        *_edges(mono, rate, frames),
        *_disturbances(mono, frames),
    ]
    return tuple(findings)


def level(pcm: NDArray[np.int16], rate: int) -> float | None:
    """How loud a clip's speech is, in dBFS; None for a clip without sound.

    Args:
        pcm: Samples, shape (frames, channels); or (frames,) for one channel.
        rate: Samples per second.
    """
    loud = _frames(_mono(pcm), rate).loud if pcm.size else SILENT_DB
    return round(loud, 1) if loud > SILENT_DB else None


def _mono(pcm: NDArray[np.int16]) -> NDArray[np.float32]:
    """One channel of floats, full scale 1."""
    channels = pcm.reshape(len(pcm), -1)
    mono = channels[:, 0].astype(np.float32)
    for other in range(1, channels.shape[1]):
        mono += channels[:, other]
    mono *= np.float32(1 / (32768 * channels.shape[1]))
    return mono


def _frames(mono: NDArray[np.float32], rate: int) -> _Frames:
    """Cut a clip into frames and measure them."""
    size = max(1, min(len(mono), round(rate * FRAME_SECONDS)))
    count = len(mono) // size
    cut = mono[: count * size].reshape(count, size)
    power = np.einsum("ij,ij->i", cut, cut) / np.float32(size)
    levels = 10 * np.log10(power + np.float32(1e-12))
    loud = float(np.percentile(levels, 95))
    # A click or a blip between silences may be shorter than 5 % of a clip.
    loud = max(loud, float(levels.max()) - 20)
    sounding = np.flatnonzero(levels > loud + SOUND_DB)
    return _Frames(
        levels, loud, float(np.percentile(levels, 5)), int(sounding[0]), int(sounding[-1])
    )


def _level(pcm: NDArray[np.int16], offset: float, frames: _Frames) -> list[str]:
    """Too quiet, clipped, not centred."""
    found = []
    if frames.loud < QUIET_DB:
        found.append(f"very quiet ({frames.loud:.0f} dB)".replace("-", "−"))
    if int(pcm.max()) >= CLIPPED_LEVEL or int(pcm.min()) <= -CLIPPED_LEVEL:
        full = np.abs(pcm.reshape(len(pcm), -1).astype(np.int32)).max(axis=1) >= CLIPPED_LEVEL
        edges = np.flatnonzero(np.diff(full, prepend=False, append=False))
        runs = edges[1::2] - edges[::2]
        if int(runs[runs >= CLIPPED_RUN].sum()) >= CLIPPED_SAMPLES:
            found.append("clipped")
    if abs(offset) > OFFSET:
        found.append(f"DC offset ({offset * 100:+.0f} %)")
    return found


def _length(frames: _Frames, text: str, speed: float) -> list[str]:
    """Too long or too short; silence at the ends is judged on its own and not counted here."""
    expected = pace.expected_seconds(text, speed)
    levels = frames.levels[frames.first : frames.last + 1]
    quiet = _runs(levels <= frames.loud + SOUND_DB)
    pauses = int(quiet[quiet > INSIDE_SECONDS / FRAME_SECONDS].sum())
    seconds = (len(levels) - pauses) * FRAME_SECONDS
    shortest = SHORTEST if pace.length(text) >= BRIEF else SHORTEST_BRIEF
    if seconds < shortest * expected:
        return [f"too short for text ({seconds:.1f} s, about {expected:.1f} s expected)"]
    if seconds > LONGEST * expected + LONGEST_SLACK:
        return [f"too long for text ({seconds:.1f} s, about {expected:.1f} s expected)"]
    return []


def _silences(frames: _Frames) -> list[str]:
    """Silence before, after and inside."""
    leading = frames.first * FRAME_SECONDS
    trailing = (len(frames.levels) - 1 - frames.last) * FRAME_SECONDS
    quiet = _runs(frames.levels[frames.first : frames.last + 1] <= frames.loud + SOUND_DB)
    inside = int(quiet.max(initial=0)) * FRAME_SECONDS
    found = []
    if leading > LEADING_SECONDS:
        found.append(f"leading silence ({leading:.1f} s)")
    if trailing > TRAILING_SECONDS:
        found.append(f"trailing silence ({trailing:.1f} s)")
    if inside > INSIDE_SECONDS:
        found.append(f"long silence inside ({inside:.1f} s)")
    return found


def _edges(mono: NDArray[np.float32], rate: int, frames: _Frames) -> list[str]:
    """Sound that begins or ends in the middle."""
    size = max(1, round(rate * EDGE_SECONDS))
    # Where there is noise throughout, an edge as loud as the noise is no cut.
    limit = max(frames.loud + CUT_DB, min(frames.floor + 10, frames.loud - 8))
    found = []
    if _db(mono[:size]) > limit:
        found.append("cut at the start")
    if _db(mono[-size:]) > limit:
        found.append("cut at the end")
    return found


def _disturbances(mono: NDArray[np.float32], frames: _Frames) -> list[str]:
    """Noise under the speech, a hum after it, clicks in it."""
    found = []
    levels = frames.levels
    if len(levels) > 1 / FRAME_SECONDS and frames.floor > frames.loud + NOISE_DB:
        found.append("background noise")
    span = round(STEADY_SECONDS / FRAME_SECONDS)
    # The very end is left out: a hum may fade there.
    tail = levels[max(frames.first, frames.last - span) : frames.last - 4]
    if len(tail) >= span - 5 and float(tail.std()) < STEADY_DB:
        found.append("steady sound at the end")
    if _clicks(mono):
        found.append("click")
    return found


def _clicks(mono: NDArray[np.float32]) -> bool:
    """Whether a sample stands out of its surroundings as no voice does."""
    if len(mono) < 4 * CLICK_REACH:
        return False
    steps = np.diff(mono)
    # A sample can only bend that far if a step beside it is as large, and few are.
    large = np.flatnonzero(np.abs(steps[1:-1]) > CLICK) + 1
    bends = np.maximum(
        np.abs(steps[large] - steps[large - 1]), np.abs(steps[large + 1] - steps[large])
    )
    sharp = bends > 2 * CLICK
    for place, bend in zip(large[sharp][:CLICKS_TRIED], bends[sharp], strict=False):
        around = np.abs(np.diff(steps[max(0, place - CLICK_REACH) : place + CLICK_REACH]))
        most = len(around) * 9 // 10
        if bend > CLICK_FACTOR * max(float(np.partition(around, most)[most]), 1e-4):
            return True
    return False


def _runs(flags: NDArray[np.bool_]) -> NDArray[np.int_]:
    """Lengths of the runs of true values."""
    edges = np.flatnonzero(np.diff(flags, prepend=False, append=False))
    return edges[1::2] - edges[::2]


def _db(samples: NDArray[np.float32]) -> float:
    """Level of some samples, dBFS."""
    return 10 * float(np.log10(np.square(samples).mean() + 1e-12))
