"""Reads any file of sound, and cuts a reference out of it, as a process of its own.

PyAV (all of FFmpeg) and scipy are large, and native code that reads a stranger's file may fall; the
studio carries neither. Run by path; knows nothing of it.

    look PATH             how long the file is, and its samples, for a screen to draw and to play
    cut PATH START END TO the seconds from START to END as a FLAC file, at the loudness of speech

The answer is a line of JSON on standard output; ``look`` is followed by the samples, mono int16.
What cannot be is ``{"error": sentence}``, and ``{"fault": sentence}`` where the disk is in the way.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LONGEST_SECONDS = 15 * 60
"""What is longer is a book and no reference."""
LOWEST_RATE, HIGHEST_RATE = 8_000, 384_000
KEPT_RATE = 48_000
"""No engine hears more; what has more samples per second is brought down to this."""
LOUDNESS = -23.0
"""LUFS of a cut, where its peaks allow (EBU R 128)."""
PEAK = -1.0
"""dBTP that no peak may pass."""
FADES = (0.005, 0.010)
"""Seconds at the beginning and at the end, so that no edge clicks."""
SILENT = -90.0
"""dBTP of a cut below which there is nothing in it."""
CANCELLED = 0.1
"""Power of the average over the average power; below, channels are each other’s opposite."""

Samples = NDArray[np.float32]


class Sorry(Exception):
    """It cannot be; the text says why, in plain words."""


class Unwritten(Exception):
    """The disk is in the way; the text says so."""


def decoded(path: Path) -> tuple[Samples, int, int]:
    """A whole file: mono samples, rate, and how many channels it had."""
    try:
        if not path.is_file():
            raise Sorry(f"There is no file {path}; check its name.")
        samples, rate = _by_soundfile(path)
    except OSError as error:
        raise Sorry(f"{path} cannot be read ({error.strerror or error}).") from error
    if not samples.size:
        raise Sorry(f"{path.name} holds no sound; choose another file.")
    if not np.isfinite(samples).all():
        raise Sorry(f"{path.name} holds values that are no sound (NaN or infinite); save it again.")
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        raise Sorry(f"{path.name} has {rate:,} samples per second; save it with 48,000.")
    mono, channels = _mono(samples), samples.shape[1]
    if float(np.abs(mono).max()) < 1e-5:
        raise Sorry(f"{path.name} is silent; choose another file.")
    if rate > KEPT_RATE:
        import soxr

        mono = np.asarray(soxr.resample(mono, rate, KEPT_RATE, quality="VHQ"), np.float32)
        rate = KEPT_RATE
    return mono, rate, channels


def _by_soundfile(path: Path) -> tuple[Samples, int]:
    """Samples of shape (frames, channels), by libsndfile; what it does not know, by FFmpeg."""
    import soundfile

    try:
        with soundfile.SoundFile(path) as file:
            rate = int(file.samplerate)
            if file.frames > LONGEST_SECONDS * rate:
                raise _too_long(path)
            samples: Samples = file.read(LONGEST_SECONDS * rate, dtype="float32", always_2d=True)
            return samples, rate
    except (soundfile.LibsndfileError, ValueError, TypeError):
        return _by_ffmpeg(path)


def _by_ffmpeg(path: Path) -> tuple[Samples, int]:
    import av

    try:
        with av.open(str(path)) as container:
            if not container.streams.audio:
                raise Sorry(f"There is no sound in {path.name}; choose another file.")
            stream = container.streams.audio[0]
            rate = int(stream.rate or 0)
            resampler = av.AudioResampler(format="fltp", layout=stream.layout, rate=rate)
            parts: list[Any] = []
            frames = 0
            for frame in container.decode(stream):
                for piece in resampler.resample(frame):
                    parts.append(piece.to_ndarray())
                    frames += piece.samples
                if frames > LONGEST_SECONDS * rate:
                    raise _too_long(path)
            parts += [piece.to_ndarray() for piece in resampler.resample(None)]
    except (av.FFmpegError, ValueError) as error:
        raise Sorry(
            f"{path.name} is no sound that can be read here; save it as WAV, FLAC or M4A."
        ) from error
    if not parts:
        raise Sorry(f"{path.name} holds no sound; choose another file.")
    samples: Samples = np.ascontiguousarray(np.concatenate(parts, axis=1).T, np.float32)
    return samples, rate


def _too_long(path: Path) -> Sorry:
    return Sorry(
        f"{path.name} is longer than {LONGEST_SECONDS // 60} minutes; cut out a few minutes with "
        "the best of it first."
    )


def _mono(samples: Samples) -> Samples:
    """The average of the channels; the first where they cancel each other out."""
    average: Samples = samples.mean(axis=1, dtype=np.float32)
    power = float(np.square(samples, dtype=np.float64).mean())
    if float(np.square(average, dtype=np.float64).mean()) < CANCELLED * power:
        return np.ascontiguousarray(samples[:, 0])
    return average


def loudness(mono: Samples, rate: int) -> float:
    """Integrated loudness in LUFS (ITU-R BS.1770-4); -inf for what is silent or below 0.4 s."""
    from scipy.signal import lfilter

    weighted = mono.astype(np.float64)
    for b, a in weighting(rate):
        weighted = lfilter(b, a, weighted)
    block, step = round(0.4 * rate), round(0.1 * rate)
    starts = range(0, len(weighted) - block + 1, step)
    total = np.concatenate([[0.0], np.cumsum(np.square(weighted))])
    power = np.array([(total[at + block] - total[at]) / block for at in starts])
    power = power[power > 10 ** ((-70 + 0.691) / 10)]
    if not power.size:
        return -math.inf
    power = power[power > power.mean() / 10]
    return float(-0.691 + 10 * np.log10(power.mean()))


def weighting(rate: int) -> list[tuple[list[float], list[float]]]:
    """The two filters of K weighting at any rate: a high shelf, then a high pass."""
    k, q = math.tan(math.pi * 1681.974450955533 / rate), 0.7071752369554196
    high = 10 ** (3.999843853973347 / 20)
    middle = high**0.4996667741545416
    a0 = 1 + k / q + k * k
    shelf = (
        [
            (high + middle * k / q + k * k) / a0,
            2 * (k * k - high) / a0,
            (high - middle * k / q + k * k) / a0,
        ],
        [1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0],
    )
    k, q = math.tan(math.pi * 38.13547087602444 / rate), 0.5003270373238773
    a0 = 1 + k / q + k * k
    passing = ([1.0, -2.0, 1.0], [1.0, 2 * (k * k - 1) / a0, (1 - k / q + k * k) / a0])
    return [shelf, passing]


def true_peak(mono: Samples, rate: int) -> float:
    """The highest peak between the samples too, in dBTP."""
    import soxr

    highest = float(np.abs(mono).max(initial=0.0))
    if len(mono) > 1:
        four = soxr.resample(mono, rate, 4 * rate, quality="VHQ")
        highest = max(highest, float(np.abs(four).max(initial=0.0)))
    return 20 * math.log10(max(highest, 1e-9))


def cut(path: Path, start: float, end: float, to: Path) -> dict[str, Any]:
    """Write a stretch of a file at the loudness of speech, with edges that do not click."""
    import soundfile

    mono, rate, _ = decoded(path)
    piece = mono[max(0, round(start * rate)) : round(end * rate)].copy()
    piece -= piece.mean() if len(piece) else 0.0  # an offset is no sound, and takes room from it
    if len(piece) < 0.4 * rate:
        raise Sorry("The cut is shorter than half a second; a voice needs some seconds of speech.")
    before, peak = loudness(piece, rate), true_peak(piece, rate)
    if before == -math.inf:
        if peak > SILENT:
            raise Sorry(
                f"The cut is too quiet to be levelled (peaks at {peak:.0f} dB); choose a louder "
                "one, or record it louder.".replace("-", "−")
            )
        raise Sorry("The cut is silent; choose one with speech in it.")
    gain = min(LOUDNESS - before, PEAK - peak)
    piece *= np.float32(10 ** (gain / 20))
    for seconds, edge in zip(FADES, (piece, piece[::-1]), strict=True):
        count = min(len(edge), round(seconds * rate))
        edge[:count] *= np.linspace(0, 1, count, endpoint=False, dtype=np.float32)
    try:
        soundfile.write(to, piece, rate, format="FLAC", subtype="PCM_24")
    except (OSError, soundfile.LibsndfileError):
        raise Unwritten(
            f"The cut cannot be written in {to.parent}; make room on that disk and try again."
        ) from None
    return {
        "rate": rate,
        "seconds": len(piece) / rate,
        "before": before,
        "gain": gain,
        "lufs": before + gain,
        "peak": true_peak(piece, rate),
    }


def look(path: Path) -> tuple[dict[str, Any], bytes]:
    """What a file holds."""
    mono, rate, channels = decoded(path)
    # Numbers with a point go beyond full scale without being clipped; 16 bits would clip them.
    mono /= np.float32(max(1.0, float(np.abs(mono).max())))
    pcm = np.clip(np.rint(mono * 32768), -32768, 32767).astype("<i2")
    return {"rate": rate, "channels": channels, "seconds": len(pcm) / rate}, pcm.tobytes()


def main(words: list[str]) -> None:
    """Answer one request."""
    samples = b""
    answer: dict[str, Any]
    try:
        if words[0] == "look":
            answer, samples = look(Path(words[1]))
        else:
            start, end = float(words[2]), float(words[3])
            answer = cut(Path(words[1]), start, end, Path(words[4]))
    except Sorry as sorry:
        answer = {"error": str(sorry)}
    except Unwritten as fault:
        answer = {"fault": str(fault)}
    except MemoryError:
        answer = {"error": "There is not enough memory to read it; close something, try again."}
    sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + samples)
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1:])
