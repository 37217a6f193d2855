"""References that are made, not recorded: something like speech, and what can be wrong with it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import soundfile
from numpy.typing import NDArray

RATE = 24000
TRANSCRIPT = "She had waited eleven years for a letter that never came to her."
"""What 4.5 seconds of `speech` may say."""


def speech(seconds: float = 4.5, rate: int = RATE, pitch: float = 120.0) -> NDArray[np.float32]:
    """Four syllables a second of a buzzing voice, with 0.2 s of near silence at its end."""
    return _speech(seconds, rate, pitch).copy()


@cache
def _speech(seconds: float, rate: int, pitch: float) -> NDArray[np.float32]:
    """What `speech` hands out copies of."""
    time = np.arange(round(seconds * rate)) / rate
    harmonics = np.arange(1, 10)[:, None]
    buzz = (np.sin(2 * np.pi * pitch * harmonics * time + harmonics**2) / harmonics).sum(axis=0)
    level = 0.12 * (0.15 + np.sin(2 * np.pi * 2 * time) ** 2)
    level[time > seconds - 0.2] = 0.0
    noise = np.random.default_rng(0).normal(0, 3e-4, len(time))
    return (buzz * level + noise).astype(np.float32)


def saved(path: Path, samples: NDArray[np.float32], rate: int = RATE) -> Path:
    """A WAV file of float samples."""
    soundfile.write(path, samples, rate, subtype="FLOAT")
    return path
