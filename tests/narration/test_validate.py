"""Clips as they come over the wire."""

from __future__ import annotations

import numpy as np
import pytest

from engine import wire
from studio.narration.validate import BadClip, samples

CARD = wire.Card("tone", "1", "m", 24_000, ("en",), 400)
TEXT = "We left the mill before the rain and took the upper road."


def clip(frames: int, size: int, *, rate: int = 24_000, channels: int = 1) -> wire.Clip:
    return wire.Clip(1, rate, channels, frames, 0.1, 0.1, 0, (wire.Blob("pcm", size),))


def test_a_good_clip_is_a_view_of_its_payload() -> None:
    data = np.linspace(-1, 1, 8000, dtype="<f4")
    got = samples(clip(4000, 32_000, channels=2), data.tobytes(), CARD, TEXT)
    assert got.shape == (4000, 2)
    assert np.array_equal(got.ravel(), data)


@pytest.mark.parametrize(
    ("message", "data", "words"),
    [
        (clip(0, 0), b"", "no sound"),
        (clip(100, 0), b"", "no sound"),
        (clip(100, 396), b"x" * 396, "announced 400"),
        (clip(100, 404), b"x" * 404, "announced 400"),
        (clip(100, 400, rate=22_050), bytes(400), "22050 Hz"),
        (clip(100, 1200, channels=3), bytes(1200), "3 channels"),
        (clip(-5, 20), bytes(20), "no sound"),
        (clip(24_000 * 60, 24_000 * 240), bytes(24_000 * 240), "ran away"),
    ],
)
def test_a_bad_clip_says_what_is_wrong(message: wire.Clip, data: bytes, words: str) -> None:
    with pytest.raises(BadClip, match=words):
        samples(message, data, CARD, TEXT)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_one_sample_that_is_no_number_is_enough(value: float) -> None:
    data = np.zeros(1000, "<f4")
    data[[3, 500]] = value, -value
    with pytest.raises(BadClip, match="not numbers"):
        samples(clip(1000, 4000), data.tobytes(), CARD, TEXT)


def test_a_clip_without_its_blob() -> None:
    message = wire.Clip(1, 24_000, 1, 100, 0.1, 0.1, 0, (wire.Blob("tokens", 400),))
    with pytest.raises(BadClip, match="no sound"):
        samples(message, bytes(400), CARD, TEXT)


def test_a_slow_reader_is_no_runaway() -> None:
    frames = 24_000 * 6
    samples(clip(frames, frames * 4), bytes(frames * 4), CARD, "Soon.")
