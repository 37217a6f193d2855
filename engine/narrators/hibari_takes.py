"""What makes one take of hibari differ from another, and only by its seed.

hibari's own seed is inaudible, so a take is drawn here: for chunk k of a text, the generator
``PCG64(SeedSequence([seed, k]))`` draws, in this order, an offset and a smooth contour of tempo, an
offset and a smooth contour of pitch, and the breath noise. Nothing else is random, and no generator
outlives a chunk: a take depends on its recipe alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

STRENGTH = 2.0
"""How much takes differ unless a voice says otherwise; from 1.5 to 2 it is still one reader."""

TEMPO_KNOTS = 12
"""Phonemes from one drawn point of the tempo contour to the next: a long word or a short phrase."""
PITCH_KNOTS = 10
AMOUNT = 0.04
"""Standard deviation of a contour's points at strength 1, in natural logarithms."""
TEMPO_OFFSET = 0.024
"""The same for the whole chunk's tempo."""
PITCH_OFFSET = 0.020
FARTHEST = 0.5
"""No phoneme is bent farther than this, in natural logarithms: about 0.6 to 1.65 times."""

FADE_IN = 0.004
FADE_OUT = 0.012
"""Seconds over which a chunk's edges rise from and fall to exact zero, so that no join clicks."""


@dataclass(frozen=True, slots=True)
class Bend:
    """How one chunk is read: a factor for each phoneme."""

    speed: NDArray[np.float32]
    """(L,), 1 = as the network would, 2 = twice as fast."""
    pitch: NDArray[np.float32]
    """(L,), factor on the fundamental frequency."""


def generator(seed: int, chunk: int) -> np.random.Generator:
    """The generator of one chunk of one take."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence([seed, chunk])))


def draw(
    rng: np.random.Generator, length: int, speed: float, strength: float, semitones: float = 0.0
) -> Bend:
    """Draw how a chunk is read; the same numbers are drawn at every strength and pitch."""
    tempo = _wander(rng, length, TEMPO_KNOTS, TEMPO_OFFSET) * strength
    pitch = _wander(rng, length, PITCH_KNOTS, PITCH_OFFSET) * strength
    return Bend(
        speed=(speed * np.exp(np.clip(tempo, -FARTHEST, FARTHEST))).astype(np.float32),
        # Without semitones the factor is exactly 1, and the bytes are what they always were.
        pitch=(np.exp(np.clip(pitch, -FARTHEST, FARTHEST)) * 2 ** (semitones / 12)).astype(
            np.float32
        ),
    )


def _wander(
    rng: np.random.Generator, length: int, knots: int, offset: float
) -> NDArray[np.float64]:
    """A smooth wandering line of a strength of 1, (length,)."""
    whole = rng.standard_normal() * offset
    points = max(2, -(-length // knots) + 1)
    drawn = rng.standard_normal(points) * AMOUNT
    line = np.interp(np.linspace(0, points - 1, length), np.arange(points), drawn)
    return np.asarray(whole + line)


def soften(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """Fade the edges of a chunk, in place: the first and the last sample are exactly zero."""
    for seconds, edge in ((FADE_IN, samples), (FADE_OUT, samples[::-1])):
        size = min(int(seconds * rate), len(samples) // 2)
        ramp = 0.5 - 0.5 * np.cos(np.pi * np.arange(size) / size)
        edge[:size] *= ramp.astype(np.float32)
    return samples
