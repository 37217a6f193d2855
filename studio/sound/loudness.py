"""How loud speech is, by ITU-R BS.1770-4: K weighting, and gates for pauses.

The filters are applied in the frequency domain, where numpy alone is fast enough; scipy would take
more memory than the whole studio.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from studio.sound.reference_helper import weighting
from studio.sound.source import Samples

BLOCK, STEP = 0.4, 0.1
"""Seconds of a block, and from one to the next."""
_SILENT = -70.0
"""LUFS below which a block is no part of a programme."""
_SETTLED = 0.25
"""Seconds after which the filters have forgotten what they heard."""
_OFFSET = -0.691


def powers(samples: Samples, rate: int) -> NDArray[np.float64]:
    """Weighted power of each block of a clip.

    Args:
        samples: Mono, full scale ±1; shape (frames,).
        rate: Frames per second.

    Returns:
        One number a block; none for what is shorter than a block.
    """
    block, step = round(BLOCK * rate), round(STEP * rate)
    if len(samples) < block:
        return np.zeros(0)
    weighted = _weighted(samples, rate)
    total = np.concatenate([[0.0], np.cumsum(np.square(weighted))])
    starts = np.arange(0, len(weighted) - block + 1, step)
    sums: NDArray[np.float64] = total[starts + block] - total[starts]
    return np.maximum(sums, 0.0) / block


def gated(blocks: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The blocks of clips together that are neither silence nor pauses.

    Args:
        blocks: `powers` of each clip.
    """
    power = np.concatenate([np.zeros(0), *blocks])
    power = power[power > 10 ** ((_SILENT - _OFFSET) / 10)]
    return power[power > power.mean() / 10] if power.size else power


def integrated(blocks: Iterable[NDArray[np.float64]]) -> float:
    """Integrated loudness of clips together, in LUFS.

    Args:
        blocks: `powers` of each clip.

    Returns:
        -inf where all is silent, or too short.
    """
    power = gated(blocks)
    return float(_OFFSET + 10 * np.log10(power.mean())) if power.size else -math.inf


def _weighted(samples: Samples, rate: int) -> NDArray[np.float64]:
    """A clip as K weighting hears it."""
    size = 1 << (len(samples) + round(_SETTLED * rate) - 1).bit_length()
    angle = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    powers_of_z = np.stack([np.ones_like(angle), angle, angle**2])
    response = np.ones_like(angle)
    for above, below in weighting(rate):
        response = response * (np.array(above) @ powers_of_z) / (np.array(below) @ powers_of_z)
    spectrum = np.fft.rfft(samples.astype(np.float64), size) * response
    return np.fft.irfft(spectrum, size)[: len(samples)]
