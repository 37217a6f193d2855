"""Whether more than one person speaks in a recording, guessed by the height of the voice.

One reader's pitch moves by some semitones from phrase to phrase; another reader's usually lies
elsewhere altogether. It is a suspicion for a person's ear: two voices of one height are not told.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

LOWEST, HIGHEST = 65.0, 420.0
"""Hz of a speaking voice."""
WINDOW, STEP = 0.04, 0.02
"""Seconds of what is compared with itself, and how often."""
VOICED = 0.55
"""How much a frame must be like itself one period on, 0 to 1."""
APART = 5.5
"""Semitones between two groups of phrases."""
SHARE = 0.2
"""How much of the speech the smaller group must be."""
SPREAD = 2.6
"""Semitones that phrases of one group lie apart, on average, at the most."""


def suspected(
    pcm: NDArray[np.int16], rate: int, stretches: Sequence[tuple[float, float]]
) -> tuple[str, ...]:
    """What to tell where the phrases of a recording fall into two heights.

    Args:
        pcm: Mono, shape (frames,).
        rate: Samples per second.
        stretches: Seconds between which somebody speaks without a pause.
    """
    heights, weights = [], []
    for start, end in stretches:
        pitch = pitches(pcm[round(start * rate) : round(end * rate)], rate)
        if len(pitch) >= 8:
            heights.append(float(np.median(pitch)))
            weights.append(len(pitch))
    if len(heights) < 2:
        return ()
    low, high, share, spread = _two_groups(np.array(heights), np.array(weights, float))
    if high - low < APART or share < SHARE or spread > SPREAD:
        return ()
    return (
        f"Two people may be speaking: some phrases lie {high - low:.0f} semitones above the "
        "others. A reference must be of one voice.",
    )


def pitches(pcm: NDArray[np.int16], rate: int) -> NDArray[np.float64]:
    """The height of the voice where there is one, in semitones above 1 Hz; every 20 ms."""
    # A quarter of the samples is enough for a voice's period, and sixteen times quicker.
    thin = max(1, rate // 8000)
    samples = pcm[: len(pcm) // thin * thin].reshape(-1, thin).mean(axis=1) / 32768
    rate_now = rate / thin
    size, step = round(WINDOW * rate_now), round(STEP * rate_now)
    if len(samples) < 2 * size:
        return np.zeros(0)
    frames = np.lib.stride_tricks.sliding_window_view(samples, 2 * size)[::step]
    frames = frames - frames.mean(axis=1, keepdims=True)
    length = 1 << (4 * size - 1).bit_length()
    spectrum = np.fft.rfft(frames, length, axis=1)
    likeness = np.fft.irfft(np.abs(spectrum) ** 2, length, axis=1)[:, : 2 * size]
    energy = likeness[:, :1] + 1e-9
    # A later lag overlaps less of the frame; what it lacks is not unlikeness.
    likeness = likeness / energy / (1 - np.arange(2 * size) / (2 * size))
    first, last = int(rate_now / HIGHEST), min(int(rate_now / LOWEST), size)
    part = likeness[:, first:last]
    highest = part.max(axis=1)
    # The first lag that is nearly as good: twice a period is as like as one.
    lag = first + np.argmax(part >= 0.92 * highest[:, np.newaxis], axis=1)
    loud = energy[:, 0] > 0.05 * np.percentile(energy[:, 0], 90)
    voiced = (highest > VOICED) & loud
    return np.asarray(12 * np.log2(rate_now / lag[voiced]), np.float64)


def _two_groups(
    heights: NDArray[np.float64], weights: NDArray[np.float64]
) -> tuple[float, float, float, float]:
    """The best division of phrases by height.

    Returns:
        Both means, the smaller group's share of the speech, and how far phrases lie from the mean
        of their own group.
    """
    order = np.argsort(heights)
    heights, weights = heights[order], weights[order]
    best = (float(heights[0]), float(heights[-1]), 0.0, 1e9)
    for cut in range(1, len(heights)):
        groups = (slice(0, cut), slice(cut, None))
        means = [float(np.average(heights[it], weights=weights[it])) for it in groups]
        spread = sum(
            float((np.abs(heights[it] - mean) * weights[it]).sum())
            for it, mean in zip(groups, means, strict=True)
        ) / float(weights.sum())
        share = min(float(weights[it].sum()) for it in groups) / float(weights.sum())
        if spread < best[3]:
            best = (means[0], means[1], share, spread)
    return best
