"""A clip as one line of text."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from studio.sound.source import FULL_SCALE, Samples

BARS = "▁▂▃▄▅▆▇█"
"""Lowest to highest; silence is a flat line of the first."""

QUIET = 0.05
"""Highest level that still counts as quiet: a clip below it is not drawn as if it were loud."""


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
    """Draw levels from 0 to 1 as bars, one character each.

    The bars follow the square root of the level over the clip's own highest one: in decibels, which
    the ear would ask for, speech is a wall whose words cannot be told apart.
    """
    highest = max(float(levels.max(initial=0.0)), QUIET)
    steps = np.rint(np.sqrt(levels / highest) * (len(BARS) - 1)).astype(np.int64)
    return "".join(BARS[step] for step in steps)
