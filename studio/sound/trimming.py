"""Which seconds of a recording make a good reference, and what speaks against some that do not.

A reference should begin and end in a pause, best of all at the ends of sentences; hold speech and
little else; not be clipped. The samples alone tell the pauses; words with times, where there are
any, tell which of these end a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from studio.sound import speakers

FRAME = 0.01
"""Seconds of the frames that levels are measured in."""
SOUND_DB = -35.0
"""A frame sounds if it is no further than this below the loud ones."""
ABOVE_DB = 8.0
"""How far speech stands out of a room's noise, at the least."""
PAUSE = 0.18
"""Seconds without sound that are a pause between words, not a stop within one."""
LEAD, TAIL = 0.10, 0.22
"""Seconds of a pause that are left before and after the speech."""
SHORTEST, BRIEF, AMPLE, LONGEST = 1.0, 3.0, 15.0, 30.0
"""Seconds: nothing to clone; an uncertain voice; more than is useful; more than engines take."""
BEST = 8.0
"""Seconds that are looked for where nobody says how many."""
SILENCE = 0.8
CUT_DB = -20.0
NOISE_DB, QUIET_DB = -32.0, -42.0
LOW_RATE = 22_050
FULL, FLAT_RUN, FLAT_SAMPLES = 32_700, 3, 9
"""Samples at full scale, in runs of this length, that are flat tops and not one lucky peak."""
LEVEL, FLAT_TOPS = 3e-4, 4
"""How near samples must lie to the highest, and how many runs of them there must be, where that is
below full scale: a clipped recording that was made quieter."""
BRIGHT, DULL_DB = 9_000, -60.0
"""Above so many Hz speech has s and f; with less power there they were lost before."""
BLOCK = 4096
"""Samples of a spectrum."""
NOISY_DB, NOISY_STEP = -45.0, 10.0
"""How loud what lies under a cut may be, below the voice, and dB that weigh like a wrong end."""
SENTENCE_ENDS = ".!?…"


class Timed(Protocol):
    """A word with its times, such as a listener gives."""

    @property
    def text(self) -> str: ...
    @property
    def start(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def probability(self) -> float: ...


@dataclass(frozen=True, slots=True, eq=False)
class Speech:
    """Where a recording sounds."""

    levels: NDArray[np.float64]
    """dBFS of frames of 10 ms."""
    loud: float
    """Of the loud frames."""
    sounding: NDArray[np.bool_]
    stretches: tuple[tuple[float, float], ...]
    """Seconds between which somebody speaks without a pause."""
    seconds: float

    @classmethod
    def of(cls, pcm: NDArray[np.int16], rate: int) -> Speech:
        """Listen to a mono recording, shape (frames,)."""
        levels = _levels(pcm, rate)
        if not len(levels):
            return cls(levels, -120.0, np.zeros(0, bool), (), 0.0)
        loud = max(float(np.percentile(levels, 95)), float(levels.max()) - 20)
        # In a noisy room the pauses are as loud as its noise; speech stands out of that.
        floor = float(np.percentile(levels, 5))
        sounding = levels > max(loud + SOUND_DB, min(floor + ABOVE_DB, loud + CUT_DB + ABOVE_DB))
        return cls(levels, loud, sounding, _stretches(sounding), len(pcm) / rate)


def suggest(
    speech: Speech,
    pcm: NDArray[np.int16],
    rate: int,
    seconds: float = BEST,
    words: Sequence[Timed] = (),
) -> tuple[float, float]:
    """The best seconds of a recording.

    Args:
        speech: What `Speech.of` found in it.
        pcm: The recording, mono.
        rate: Its samples per second.
        seconds: How long the cut should be, about.
        words: What is said, where that is known; sentences then begin and end the cut.

    Returns:
        Where it begins and ends, in seconds: in pauses where there are any.
    """
    if not speech.stretches:
        return 0.0, min(seconds, speech.seconds)
    starts, ends = _edges(speech)
    clipped = _running(_flat(pcm), rate)
    lulls = speech.loud + NOISY_DB
    sound = np.concatenate([[0.0], np.cumsum(speech.sounding)]) * FRAME
    first, last = _sentences(words)
    best, found = -1e9, (starts[0], min(ends[-1], starts[0] + seconds))
    for begin, start in zip((it[0] for it in speech.stretches), starts, strict=True):
        for stop, end in zip((it[1] for it in speech.stretches), ends, strict=True):
            length = end - start
            if not 0.55 * seconds <= length <= 1.3 * seconds and not (
                len(starts) == 1 or (start == starts[0] and end == ends[-1] and length <= seconds)
            ):
                continue
            score = -2 * abs(length - seconds) / seconds
            score += (_at(sound, stop) - _at(sound, begin)) / length
            score -= 4 * (_at(clipped, end) - _at(clipped, start) > 0)
            score += _near(begin, first) + 1.4 * _near(stop, last)
            score += 0.5 * _sureness(words, start, end)
            inside = speech.levels[round(begin / FRAME) : round(stop / FRAME)]
            score += min(0.0, float(np.percentile(inside, 90)) - speech.loud) / 6
            score -= max(0.0, float(np.percentile(inside, 10)) - lulls) / NOISY_STEP
            if score > best:
                best, found = score, (start, end)
    return found


def check(pcm: NDArray[np.int16], rate: int) -> tuple[str, ...]:
    """What speaks against a cut as a reference.

    Args:
        pcm: Mono, shape (frames,).
        rate: Samples per second of the recording.

    Returns:
        Plain sentences, the weightiest first; empty for a good one.
    """
    speech = Speech.of(pcm, rate)
    if not speech.stretches or speech.loud < -70:
        peak = 20 * math.log10(max(1, int(np.abs(pcm.astype(np.int32)).max(initial=0))) / 32768)
        if -90 < peak < -40:
            return (f"It is too quiet to tell whether anybody speaks (peaks at −{-peak:.0f} dB).",)
        return ("Nobody speaks in it.",)
    return (
        *_length(speech.seconds),
        *_signal(pcm, rate, speech),
        *_ends(speech),
        *speakers.suspected(pcm, rate, speech.stretches),
    )


def _length(seconds: float) -> list[str]:
    if seconds < SHORTEST:
        return [f"{seconds:.1f} s are too short to make a voice of; 5 to 10 s are best."]
    if seconds < BRIEF:
        return [f"{seconds:.1f} s are short; the voice will be steadier with 5 to 10 s."]
    if seconds > LONGEST:
        return [f"{seconds:.1f} s are more than engines take (30 s); 5 to 10 s are best."]
    if seconds > AMPLE:
        return [f"{seconds:.1f} s are more than is useful; 5 to 10 s are enough."]
    return []


def _signal(pcm: NDArray[np.int16], rate: int, speech: Speech) -> list[str]:
    found = []
    if int(_flat(pcm).sum()) >= FLAT_SAMPLES:
        found.append(
            "It is clipped: loud peaks are cut flat, and the voice will crackle. Choose other "
            "seconds, or record it lower."
        )
    quiet = speech.levels[~speech.sounding]
    # Room tone between the words; a cut without a pause has none to listen to.
    if len(quiet) >= 20:
        floor = float(np.percentile(quiet, 50)) - speech.loud
        if floor > NOISE_DB:
            found.append(
                f"Noise lies only {-floor:.0f} dB below the voice, and will become a part of it; a "
                "quieter room is worth more than a longer recording."
            )
    elif float(np.percentile(speech.levels, 5)) > speech.loud - 22 and speech.seconds > 2:
        found.append("There is sound under the whole of it: noise, music or an echo.")
    if speech.loud < QUIET_DB:
        found.append(
            f"It is very quiet (−{-speech.loud:.0f} dB); made louder, its noise is louder, too."
        )
    if rate < LOW_RATE:
        found.append(
            f"It was recorded with {rate:,} samples per second: bright sounds such as s and f are "
            "missing, and the voice will be dull."
        )
    elif (highest := _highest(pcm, rate)) < BRIGHT:
        found.append(
            f"Nothing is heard in it above {highest / 1000:.0f} kHz, whatever its file says: "
            "bright sounds such as s and f are missing, and the voice will be dull."
        )
    return found


def _ends(speech: Speech) -> list[str]:
    """Silence before and after, or none at all where the speech stops."""
    begin, stop = speech.stretches[0][0], speech.stretches[-1][1]
    found = []
    # Noise is no word that is cut off, and hides soft ones at the end.
    floor = float(np.percentile(speech.levels, 5))
    cut = max(speech.loud + CUT_DB, floor + ABOVE_DB)
    silence = SILENCE if floor < speech.loud + NOISE_DB else 2 * SILENCE
    if (tail := speech.seconds - stop) > silence:
        found.append(
            f"It ends in {tail:.1f} s of silence; clips may begin with a pause or end too soon."
        )
    if float(speech.levels[-2:].max()) > cut:
        found.append("It stops in the middle of a sound; move the end into a pause.")
    if begin > silence:
        found.append(f"It begins with {begin:.1f} s of silence; move the start nearer.")
    if float(speech.levels[:2].max()) > cut:
        found.append("It begins in the middle of a sound; move the start into a pause.")
    return found


def _levels(pcm: NDArray[np.int16], rate: int) -> NDArray[np.float64]:
    """Levels of frames of 10 ms, in dBFS."""
    size = max(1, round(rate * FRAME))
    samples = pcm[: len(pcm) // size * size].astype(np.float32) / 32768
    if len(samples):
        samples -= samples.mean()  # an offset of a recorder is no sound
    frames = samples.reshape(-1, size)
    return np.asarray(10 * np.log10(np.square(frames).mean(axis=1) + 1e-12), np.float64)


def _stretches(sounding: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
    """Seconds of speech, with stops within words closed and clicks left out."""
    edges = np.flatnonzero(np.diff(sounding, prepend=False, append=False))
    found: list[tuple[float, float]] = []
    for start, end in zip(edges[::2] * FRAME, edges[1::2] * FRAME, strict=True):
        if found and start - found[-1][1] < PAUSE:
            found[-1] = (found[-1][0], float(end))
        else:
            found.append((float(start), float(end)))
    return tuple(it for it in found if it[1] - it[0] > 0.05)


def _edges(speech: Speech) -> tuple[list[float], list[float]]:
    """Where cuts may begin and end: in the pauses around each stretch of speech."""
    starts, ends = [], []
    stretches = speech.stretches
    for place, (start, end) in enumerate(stretches):
        before = stretches[place - 1][1] if place else 0.0
        after = stretches[place + 1][0] if place + 1 < len(stretches) else speech.seconds
        starts.append(max(0.0, start - min(LEAD, (start - before) / 2)))
        ends.append(min(speech.seconds, end + min(TAIL, (after - end) * 0.7)))
    return starts, ends


def _sentences(words: Sequence[Timed]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Where sentences begin and end."""
    ends = [it.text.rstrip("”\"'’)")[-1:] in SENTENCE_ENDS and bool(it.text) for it in words]
    first = [it.start for place, it in enumerate(words) if not place or ends[place - 1]]
    last = [it.end for it, ends_one in zip(words, ends, strict=True) if ends_one]
    return np.array(first), np.array(last)


def _near(at: float, places: NDArray[np.float64]) -> float:
    """1 for a place where a sentence begins or ends, falling to 0 at half a second from one."""
    if not len(places):
        return 0.0
    return max(0.0, 1 - 2 * float(np.abs(places - at).min()))


def _sureness(words: Sequence[Timed], start: float, end: float) -> float:
    """How sure a listener is of the words between, 0 to 1."""
    inside = [it.probability for it in words if start <= (it.start + it.end) / 2 <= end]
    return sum(inside) / len(inside) if inside else 0.0


def _flat(pcm: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Samples that stand in runs at full scale, or at one level that many peaks end at."""
    flat = np.zeros(len(pcm), bool)
    for side in (pcm.astype(np.int32), -pcm.astype(np.int32)):
        top = int(side.max(initial=0))
        full = side >= min(FULL, top - max(1, round(LEVEL * top)))
        edges = np.flatnonzero(np.diff(full, prepend=False, append=False))
        starts, ends = edges[::2], edges[1::2]
        long = ends - starts >= FLAT_RUN
        if top < FULL and int(long.sum()) < FLAT_TOPS:
            continue
        for start, end in zip(starts[long], ends[long], strict=True):
            flat[start:end] = True
    return flat


def _highest(pcm: NDArray[np.int16], rate: int) -> float:
    """Hz above which there is next to nothing; half the rate where there is too little to tell."""
    frames = pcm[: len(pcm) // BLOCK * BLOCK].reshape(-1, BLOCK) / np.float32(32768)
    if not len(frames):
        return rate / 2
    power = np.square(np.abs(np.fft.rfft(frames * np.hanning(BLOCK), axis=1))).sum(axis=0)
    power[: 2 + round(50 * BLOCK / rate)] = 0.0  # an offset, rumble
    above = np.cumsum(power[::-1])[::-1]
    heard = np.flatnonzero(above > above[0] * 10 ** (DULL_DB / 10))
    return float((heard[-1] if len(heard) else 0) * rate / BLOCK)


def _running(flags: NDArray[np.bool_], rate: int) -> NDArray[np.float64]:
    """How many flags stand before each frame of 10 ms."""
    size = max(1, round(rate * FRAME))
    total = np.concatenate([[0], np.cumsum(flags)])
    return np.asarray(total[::size], np.float64)


def _at(running: NDArray[np.float64], seconds: float) -> float:
    """A running sum over frames, at a second."""
    return float(running[min(len(running) - 1, round(seconds / FRAME))])
