"""How long the rest will take, whether clips are made one after the other or two at once."""

from __future__ import annotations

import pytest

from studio.narration.tally import Tally


def test_clips_that_overlap_take_as_long_as_they_come_apart() -> None:
    one_by_one, overlapped = Tally(), Tally()
    for _ in range(10):
        one_by_one.add(1, 2.0, 4.0, 50, 2.1)
        overlapped.add(1, 2.0, 4.0, 50, 1.2)
    assert one_by_one.eta(500, 1) == 20.0
    assert overlapped.eta(500, 1) == pytest.approx(12.0)
    assert overlapped.eta(500, 2) == pytest.approx(6.0)
    assert one_by_one.rtf_rolling == overlapped.rtf_rolling == 0.5


def test_a_pause_before_a_clip_is_no_work() -> None:
    tally = Tally()
    assert tally.eta(500, 1) is None
    tally.add(1, 2.0, 4.0, 50)
    tally.add(1, 2.0, 4.0, 50, 3600.0)
    assert tally.eta(50, 1) == 2.0
