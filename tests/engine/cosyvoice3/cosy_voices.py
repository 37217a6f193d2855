"""References to clone from, and where the helper for engine processes lies."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import soundfile

sys.path.append(str(Path(__file__).parents[1]))

from engine import wire

TRANSCRIPT = "He said that the old man was in the house by the water."


def record(path: Path, seconds: float = 3.0, rate: int = 24000, seed: int = 0) -> Path:
    """Write something that is judged like speech: syllables, and a pause at its end."""
    chance = np.random.default_rng(seed)
    time = np.arange(round(seconds * rate)) / rate
    pitch = 110 + 60 * chance.random()
    wave = sum(np.sin(2 * np.pi * pitch * n * time + n) / n for n in range(1, 12))
    wave = wave * (1.2 + np.sin(2 * np.pi * 3.3 * time)) + chance.normal(0, 0.05, len(time))
    wave *= np.clip((time[-1] - 0.2 - time) / 0.05, 0.001, 1)
    soundfile.write(path, (0.25 * wave / np.abs(wave).max()).astype(np.float32), rate)
    return path


def voice(name: str, reference: Path, **fields: object) -> wire.Voice:
    """A zero-shot voice, unless the fields say otherwise."""
    given = {"transcript": TRANSCRIPT, "language": "en", **fields}
    return wire.Voice(name, reference=str(reference), **given)
