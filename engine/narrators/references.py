"""Whether a reference is fit to clone a voice from, and what is wrong with it.

A model that clones takes a reference at its word: it goes on after a word that is cut off, and
learns silence, hiss and clipping as part of the voice; one that reads the transcript repeats what
is not said. So all that can be heard or counted beforehand is told: as a refusal where no voice can
come of it, as a warning where a person may know better. numpy alone; soundfile is imported by
`read`.
"""

from __future__ import annotations

import hashlib
import io
import unicodedata
from dataclasses import dataclass
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.registry import Refusal

SHORTEST, LONGEST = 1.0, 30.0
"""Seconds; below there is nothing to clone, above the speech tokenizer was never trained."""
BRIEF, AMPLE = 3.0, 15.0
"""Seconds; shorter gives an uncertain voice, longer costs time at every clip."""
LOWEST_RATE = 16000
MAX_BYTES = 256 * 1024 * 1024
_KERNEL = 20_000_000
"""Values of the resampler's kernel (80 MB); a rate that shares no divisor with ours needs more."""

_FRAME = 0.01
_SILENT_DB, _QUIET_DB = -70.0, -40.0
_SOUND_DB = -35.0
"""A frame sounds if it is no further than this below the loud ones."""
_CUT_DB, _EDGE = -20.0, 0.01
"""A reference that ends louder than this, over this many seconds, stops inside a sound."""
_SILENCE = 0.8
_FULL_SCALE, _FLAT_RUN, _FLAT_SAMPLES = 0.998, 3, 9
_CANCELLED = 0.1
"""Power of the average over the average power; below, channels are each other's opposite."""

_PER_SECOND = 14.0
"""Letters that are read in a second."""
_DIGIT, _SYLLABLE = 4, 3
"""Letters that a digit and a Chinese, Japanese or Korean character are worth."""
_FEW, _MANY = 0.4, 2.0
"""Seconds that the transcript should take over seconds that sound: between these it is likely."""

_IMPOSSIBLE = 4.0
"""Seconds that the transcript should take over all seconds of the reference, above which it is that
of something else: ten words a second, which the fastest speakers do not reach, and 80 ms for a
token of text, the least that CosyVoice3 gives one (two speech tokens of 40 ms). A model would read
the rest of it aloud, or never come to an end."""

_SCRIPTS = {
    "zh": (("CJK",), "Chinese characters"),
    "yue": (("CJK",), "Chinese characters"),
    "ja": (("CJK", "HIRAGANA", "KATAKANA"), "Japanese characters"),
    "ko": (("HANGUL",), "Korean characters"),
    "ru": (("CYRILLIC",), "Cyrillic letters"),
}


@dataclass(frozen=True, slots=True, eq=False)
class Reference:
    """A reference as it was read, once: what is hashed is what is heard."""

    samples: NDArray[np.float32]
    """Within -1..1; shape (frames,) or (frames, channels)."""
    rate: int
    digest: str
    """SHA-256 of the file."""


def read(path: Path) -> Reference:
    """Read a reference.

    Raises:
        Refusal: It is missing, no audio, or far too long to be read whole.
    """
    import soundfile

    if not path.is_file():
        raise Refusal(f"There is no reference audio at “{path}”. Give the voice another path.")
    try:
        size = path.stat().st_size
        if size > MAX_BYTES:
            raise Refusal(
                f"The reference “{path.name}” is a file of {size / 1e6:.0f} MB; cut out "
                f"{BRIEF:.0f} to {AMPLE:.0f} s of it."
            )
        data = path.read_bytes()
    except OSError as error:
        raise Refusal(f"The reference “{path}” cannot be read: {error.strerror}.") from error
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            rate: int = file.samplerate
            # One frame more than is allowed: `check` then says that it is too long.
            samples = file.read(int(LONGEST * rate) + 2, dtype="float32")
    except (soundfile.SoundFileError, RuntimeError, ValueError) as error:
        raise Refusal(
            f"The reference “{path.name}” is no audio that can be read; save it as WAV or FLAC."
        ) from error
    return Reference(samples, rate, hashlib.sha256(data).hexdigest())


def judge(
    samples: NDArray[np.floating[Any]], rate: int, transcript: str, language: str
) -> tuple[str, ...]:
    """Judge a reference.

    Args:
        samples: Within -1..1; shape (frames,) or (frames, channels).
        rate: Samples per second.
        transcript: What is said in it; empty where the model does not read it.
        language: BCP 47 tag of the voice, or nothing.

    Returns:
        Warnings in plain words, the weightiest first; empty for a good reference.

    Raises:
        Refusal: No voice can be made of it.
    """
    _refuse_audio(samples, rate)
    mono = samples if samples.ndim == 1 else samples.mean(axis=1)
    centred = mono - mono.mean()  # an offset of a recorder is no sound
    levels = _levels(centred, rate)
    loud = max(float(np.percentile(levels, 95)), float(levels.max()) - 20)
    if loud < _SILENT_DB:
        raise Refusal(
            "The reference is silent"
            + (" once its channels are averaged" if samples.ndim > 1 else "")
            + ". Give the voice a recording of speech."
        )
    sounding = np.flatnonzero(levels > loud + _SOUND_DB)
    lead, tail = sounding[0] * _FRAME, (len(levels) - 1 - sounding[-1]) * _FRAME
    seconds = len(mono) / rate
    _refuse_impossible(transcript, seconds)
    return (
        *(_transcript(transcript, language, seconds - lead - tail) if transcript else ()),
        *_signal(samples, mono, loud),
        *_ends(centred, rate, lead, tail, loud),
        *_length(seconds),
    )


def _refuse_audio(samples: NDArray[np.floating[Any]], rate: int) -> None:
    """What no voice can come of."""
    seconds = len(samples) / rate if rate > 0 else 0.0
    if rate < LOWEST_RATE:
        raise Refusal(
            f"The reference has {rate} samples per second; the voice needs a recording of at "
            f"least {LOWEST_RATE}."
        )
    if any(_kernel(rate, to) > _KERNEL for to in (16000, 24000)):
        raise Refusal(
            f"The reference has {rate} samples per second, a rate that nothing records at. "
            "Convert it to 24000 or 48000."
        )
    if seconds < SHORTEST:
        raise Refusal(
            f"The reference is {seconds:.2f} s long; a voice needs at least {SHORTEST:.0f} s, and "
            "5 to 10 s are best."
        )
    if seconds > LONGEST:
        raise Refusal(
            f"The reference is longer than {LONGEST:.0f} s, which is more than the model can "
            "take. Cut out 5 to 10 s of it."
        )
    if not np.isfinite(samples).all():
        raise Refusal(
            "The reference holds samples that are no numbers. Save it again from an audio editor."
        )


def _kernel(rate: int, to: int) -> int:
    """Values of a windowed-sinc kernel from one rate to another."""
    shared = gcd(rate, to)
    reach = 2 * (6 * rate // min(rate, to) + 1)
    return (to // shared) * (rate // shared + reach)


def _levels(mono: NDArray[np.floating[Any]], rate: int) -> NDArray[np.float64]:
    """Levels of frames of 10 ms, in dBFS."""
    size = round(rate * _FRAME)
    frames = mono[: len(mono) // size * size].reshape(-1, size).astype(np.float64)
    return 10 * np.log10((frames**2).mean(axis=1) + 1e-12)


def _refuse_impossible(transcript: str, seconds: float) -> None:
    """A transcript that nobody can have said in the time; what is only doubtful is told."""
    expected = _reading_seconds(transcript)
    if expected > _IMPOSSIBLE * seconds:
        raise Refusal(
            f"The transcript cannot be that of the reference: it would take about {expected:.0f} s "
            f"to read, and the reference is {seconds:.1f} s long. Write down only what is said in "
            "it, word for word."
        )


def _reading_seconds(transcript: str) -> float:
    """How long it takes to read a text at a usual pace."""
    return sum(map(_letters, transcript)) / _PER_SECOND


def _transcript(transcript: str, language: str, sounding: float) -> list[str]:
    """Whether the transcript can be what is said."""
    found = []
    expected = _reading_seconds(transcript)
    if expected > _MANY * sounding:
        found.append(
            f"The transcript is too long for the reference: it would take about {expected:.0f} s "
            f"to read, and {sounding:.1f} s sound. The voice may drop or repeat words; write down "
            "exactly what is said."
        )
    elif expected < _FEW * sounding:
        found.append(
            f"The transcript is too short for the reference: it would take about {expected:.1f} s "
            f"to read, and {sounding:.1f} s sound. The voice may add words; write down exactly "
            "what is said."
        )
    scripts, name = _SCRIPTS.get(language.lower().partition("-")[0], ((), ""))
    if scripts and not any(unicodedata.name(c, "").startswith(scripts) for c in transcript):
        found.append(f"The voice speaks “{language}”, but its transcript holds no {name}.")
    return found


def _letters(character: str) -> int:
    """What a character is worth when it is read, in letters."""
    if character.isdigit():
        return _DIGIT
    if "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3":
        return _SYLLABLE
    return 1 if character.isalpha() or character.isspace() else 0


def _signal(
    samples: NDArray[np.floating[Any]], mono: NDArray[np.floating[Any]], loud: float
) -> list[str]:
    """Clipped, too quiet, channels against each other."""
    found = []
    if _flat_samples(samples) >= _FLAT_SAMPLES:
        found.append(
            "The reference is clipped: its loudest peaks are cut flat, and the voice will crackle "
            "too. Take a recording of a lower level."
        )
    if loud < _QUIET_DB:
        found.append(
            f"The reference is very quiet ({loud:.0f} dBFS); its noise may become part of the "
            "voice."
        )
    if samples.ndim > 1:
        power, average = float((samples**2).mean()), float((mono**2).mean())
        if average < _CANCELLED * power:
            found.append(
                "The channels of the reference nearly cancel each other out when they are "
                "averaged. Save one channel of it."
            )
    return found


def _flat_samples(samples: NDArray[np.floating[Any]]) -> int:
    """Samples at full scale that stand in runs, in all channels."""
    full = np.abs(samples.reshape(len(samples), -1)) >= _FULL_SCALE
    edge = np.zeros((1, full.shape[1]), bool)
    steps = np.diff(np.concatenate([edge, full, edge]).astype(np.int8), axis=0).T
    starts, ends = np.nonzero(steps == 1)[1], np.nonzero(steps == -1)[1]
    runs = ends - starts
    return int(runs[runs >= _FLAT_RUN].sum())


def _ends(
    mono: NDArray[np.floating[Any]], rate: int, lead: float, tail: float, loud: float
) -> list[str]:
    """Silence before and after, or none at all where the speech stops."""
    found = []
    if tail > _SILENCE:
        found.append(
            f"The reference ends in {tail:.1f} s of silence; clips may begin with a pause or end "
            "too soon. Cut it to about 0.2 s."
        )
    last = mono[-max(1, round(rate * _EDGE)) :].astype(np.float64)
    if 10 * np.log10((last**2).mean() + 1e-12) > loud + _CUT_DB:
        found.append(
            "The reference stops in the middle of a sound, so clips may begin with the rest of "
            "it. Cut it where the speaker pauses, with about 0.2 s of silence."
        )
    if lead > _SILENCE:
        found.append(f"The reference begins with {lead:.1f} s of silence. Cut it away.")
    return found


def _length(seconds: float) -> list[str]:
    """Very short, or longer than is useful."""
    if seconds < BRIEF:
        return [f"The reference is only {seconds:.1f} s long; 5 to 10 s give a steadier voice."]
    if seconds > AMPLE:
        return [
            f"The reference is {seconds:.1f} s long; 5 to 10 s are enough, and each second of it "
            "makes every clip slower to narrate."
        ]
    return []
