"""A clip as one line of text."""

from __future__ import annotations

import numpy as np
import pytest

from studio.sound.waveform import BARS, draw, peaks


def test_each_column_shows_its_highest_level() -> None:
    pcm = np.zeros(100, np.int16)
    pcm[10], pcm[37], pcm[99] = 16384, -8192, -32768
    assert peaks(pcm, 10).tolist() == [0, 0.5, 0, 0.25, 0, 0, 0, 0, 0, 1]


def test_channels_are_folded_and_floats_taken_as_they_are() -> None:
    pcm = np.array([[0, -32768], [16384, 0]], np.int16)
    assert peaks(pcm, 2).tolist() == [1, 0.5]
    assert peaks(np.array([0.25, -0.75], np.float32), 1).tolist() == [0.75]


@pytest.mark.parametrize("frames", [1, 2, 7, 80, 81, 1001])
def test_no_frame_is_lost_whatever_the_width(frames: int) -> None:
    for place in range(0, frames, max(1, frames // 20)):
        pcm = np.zeros(frames, np.int16)
        pcm[place] = 32767
        levels = peaks(pcm, 80)
        assert levels.shape == (80,)
        assert levels.max() > 0.99


@pytest.mark.parametrize("shape", [(0,), (0, 1), (0, 2)])
def test_a_clip_without_frames_is_silent(shape: tuple[int, ...]) -> None:
    assert peaks(np.zeros(shape, np.int16), 4).tolist() == [0, 0, 0, 0]
    assert peaks(np.zeros(3, np.int16), 0).size == 0


def test_silence_is_flat_and_loudness_rises_to_the_full_bar() -> None:
    assert draw(np.zeros(5)) == "▁▁▁▁▁"
    assert draw(np.array([1.0])) == "█"
    shown = draw(np.geomspace(0.005, 1, 50))
    assert list(shown) == sorted(shown, key=BARS.index)
    assert set(shown) == set(BARS)
    assert draw(np.array([0.1])) > draw(np.array([0.03])), "a quiet clip looks quiet"
    assert draw(np.array([0.02, 0.2])) == draw(np.array([0.05, 0.5])), "what counts is its shape"
    assert draw(np.zeros(0)) == ""
