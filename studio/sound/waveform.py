"""A clip as one line of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.sound.source import FULL_SCALE, Samples

BARS = "▁▂▃▄▅▆▇█"
"""Lowest to highest; silence is a flat line of the first."""

RANGE_DB = 42.0
"""How far below full scale the first bar stands: about where the pauses of speech lie."""


def peaks(pcm: NDArray[np.int16] | Samples, width: int) -> NDArray[np.float64]:
    """Find the highest level in each column.

    Args:
        pcm: int16 or float32, of shape (frames,) or (frames, channels).
        width: Number of columns. Where there are more of them than frames, frames are repeated.

    Returns:
        Levels from 0 to 1, of shape (width,); zeros for a clip without frames.
    """
    width = max(0, width)
    if width == 0 or pcm.size == 0:
        return np.zeros(width)
    level = np.abs(pcm.astype(np.float32))  # first to float32: int16 has no +32768
    if level.ndim == 2:
        level = level.max(axis=1)
    edges = np.arange(width, dtype=np.int64) * len(level) // width
    highest = np.maximum.reduceat(level, edges).astype(np.float64)
    scale = FULL_SCALE if np.issubdtype(pcm.dtype, np.integer) else 1.0
    return np.minimum(highest / scale, 1.0)


def draw(levels: NDArray[np.float64]) -> str:
    """Draw levels from 0 to 1 as bars on a scale of decibels, one character each."""
    db = 20 * np.log10(np.maximum(levels, 1e-9))
    steps = np.rint((1 + db / RANGE_DB) * (len(BARS) - 1)).astype(np.int64)
    return "".join(BARS[step] for step in np.clip(steps, 0, len(BARS) - 1))
