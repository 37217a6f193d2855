"""Clips of syllable-like sound, each spoiled in one way, raise one finding each."""

from __future__ import annotations

import time

import numpy as np
import pytest
from numpy.typing import NDArray

from studio.review import pace
from studio.review.signal import check

RATE = 24_000
TEXT = "We left the mill before the rain and took the upper road."


def speech(syllables: int = 17, rate: int = RATE, level: float = 0.25) -> NDArray[np.float64]:
    """Tones that swell like syllables, with a rest between them and at both ends."""
    time_axis = np.arange(int(0.18 * rate)) / rate
    swell = np.sin(np.pi * time_axis / time_axis[-1])
    voiced = (
        level
        * swell
        * (np.sin(2 * np.pi * 140 * time_axis) + 0.4 * np.sin(2 * np.pi * 840 * time_axis))
    )
    rest = np.zeros(int(0.04 * rate))
    edge = np.zeros(int(0.15 * rate))
    return np.concatenate([edge, *[voiced, rest] * syllables, edge])


def pcm(samples: NDArray[np.float64]) -> NDArray[np.int16]:
    """16 bits, one channel."""
    return np.clip(np.rint(samples * 32768), -32768, 32767).astype(np.int16).reshape(-1, 1)


def silence(seconds: float) -> NDArray[np.float64]:
    return np.zeros(int(seconds * RATE))


def near_silence(seconds: float) -> NDArray[np.float64]:
    return np.random.default_rng(1).normal(0, 0.0004, int(seconds * RATE))


GOOD = speech()
HALF = len(GOOD) // 2


def clicked() -> NDArray[np.float64]:
    samples = GOOD.copy()
    samples[RATE] += 0.6
    return samples


FAULTS = {
    "leading silence": np.concatenate([silence(1.2), GOOD]),
    "trailing silence": np.concatenate([GOOD, near_silence(6)]),
    "long silence inside": np.concatenate([GOOD[:HALF], near_silence(2.2), GOOD[HALF:]]),
    "silent": silence(4),
    "very quiet": GOOD * 0.008,
    "clipped": np.clip(GOOD * 8, -1, 1),
    "DC offset": GOOD + 0.05,
    "cut at the end": GOOD[: int(0.15 * RATE + 15 * 0.22 * RATE + 0.09 * RATE)],
    "cut at the start": GOOD[int(0.15 * RATE + 0.09 * RATE) :],
    "too long for text": speech(120),
    "too short for text": speech(7),
    "background noise": GOOD + np.random.default_rng(2).normal(0, 0.03, len(GOOD)),
    "steady sound at the end": np.concatenate(
        [GOOD[: -int(0.15 * RATE)], 0.05 * np.sin(np.arange(2 * RATE) / 40), silence(0.1)]
    ),
    "click": clicked(),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_finding_and_no_other(name: str) -> None:
    findings = check(pcm(FAULTS[name]), RATE, TEXT)
    assert len(findings) == 1, findings
    assert findings[0].startswith(name)


@pytest.mark.parametrize("rate", [16_000, 22_050, 24_000, 44_100, 48_000])
@pytest.mark.parametrize("level", [0.05, 0.25, 0.6])
def test_good_sound_raises_nothing(rate: int, level: float) -> None:
    samples = pcm(speech(rate=rate, level=level))
    assert check(samples, rate, TEXT) == ()
    assert check(np.repeat(samples, 2, axis=1), rate, TEXT) == ()
    assert check(samples[:, 0], rate, TEXT) == ()


def test_one_channel_that_clips_is_enough() -> None:
    stereo = np.hstack([pcm(GOOD), pcm(np.clip(GOOD * 8, -1, 1))])
    assert "clipped" in check(stereo, RATE, TEXT)


def test_no_frames_and_few_frames() -> None:
    assert check(np.zeros((0, 1), np.int16), RATE, TEXT) == ("no audio",)
    for frames in (1, 2, 100, 300):
        assert check(np.full((frames, 1), 3000, np.int16), RATE, TEXT)


def test_a_faster_reading_is_not_too_short() -> None:
    quick = pcm(speech(8))
    assert check(quick, RATE, TEXT)
    assert check(quick, RATE, TEXT, speed=2.0) == ()


def test_brief_lines_may_be_brief() -> None:
    assert check(pcm(speech(2)), RATE, "Oh.") == ()
    assert check(pcm(speech(4)), RATE, "“Run!”") == ()


def test_length_counts_digits_and_syllable_scripts() -> None:
    assert pace.length("1984") == 16
    assert pace.length("你好") == 6
    assert pace.length("— … !") == 2  # The spaces.
    assert pace.expected_seconds("") > 0


def test_judging_is_cheap() -> None:
    clip = pcm(speech(120))
    seconds = len(clip) / RATE
    check(clip, RATE, TEXT)
    before = time.thread_time()
    for _ in range(5):
        check(clip, RATE, TEXT)
    assert (time.thread_time() - before) / 5 < 0.002 * seconds
