"""When a worker is spent, decided from figures alone."""

from __future__ import annotations

import random

import pytest

from studio.narration.recycling import MB, Advice, Gauge, Limits, room_for_spare


def test_growth_counts_from_the_first_successful_clip() -> None:
    gauge = Gauge(Limits(budget=2048 * MB))
    gauge.measured(9000 * MB)  # A failed request, or a look from outside, is no baseline.
    assert gauge.growth == 0
    assert gauge.decide().advice is Advice.GO_ON
    gauge.made(300 * MB, 0.1, 3.0)
    assert gauge.baseline == 300 * MB
    gauge.made(2348 * MB, 0.1, 3.0)
    assert gauge.decide().advice is Advice.GO_ON, "the budget itself is allowed"
    gauge.made(2361 * MB, 0.1, 3.0)
    decision = gauge.decide()
    assert decision.advice is Advice.RECYCLE
    assert decision.reason == "grew 2,061 MB over 2,048 MB"
    assert not decision.urgent


def test_growth_without_end_does_not_wait_for_a_spare() -> None:
    gauge = Gauge(Limits(budget=100 * MB))
    gauge.made(100 * MB, 0.1, 3.0)
    gauge.measured(301 * MB)
    assert gauge.decide().urgent


def test_the_ceiling_holds_whatever_the_baseline() -> None:
    gauge = Gauge(Limits(ceiling=1000 * MB))
    gauge.measured(1000 * MB)
    decision = gauge.decide()
    assert decision.advice is Advice.RECYCLE
    assert decision.urgent
    assert decision.reason == "held 1,000 MB of at most 1,000 MB"


def test_the_clip_cap() -> None:
    gauge = Gauge(Limits(max_clips=3))
    for _ in range(2):
        gauge.made(MB, 0.1, 3.0)
        assert gauge.decide().advice is Advice.GO_ON
    gauge.made(MB, 0.1, 3.0)
    assert gauge.decide().reason == "made 3 clips of 3"


def test_no_limit_means_no_recycle() -> None:
    gauge = Gauge(Limits())
    for number in range(100):
        gauge.made(number * 100 * MB, 0.03, 3.0)
    assert gauge.decide().advice is Advice.GO_ON


def test_an_unreadable_footprint_is_no_baseline() -> None:
    gauge = Gauge(Limits(budget=10 * MB))
    gauge.made(0, 0.1, 3.0)
    gauge.made(50 * MB, 0.1, 3.0)
    assert gauge.baseline == 50 * MB
    assert gauge.decide().advice is Advice.GO_ON


@pytest.mark.parametrize("wished", [False, True])
def test_drift_warns_once_and_recycles_only_if_wished(wished: bool) -> None:
    gauge = Gauge(Limits(recycle_on_drift=wished))
    advice = []
    for number in range(80):
        gauge.made(MB, 0.03 * 1.01**number, 3.0)
        advice.append(gauge.decide().advice)
        if advice[-1] is Advice.RECYCLE:
            break
    assert Advice.GO_ON in advice[:39]
    assert Advice.WARN not in advice[:39]
    assert (Advice.RECYCLE in advice) == wished
    assert advice.count(Advice.WARN) == (0 if wished else 1)


def test_short_lines_are_no_drift() -> None:
    """A short clip costs more per second; a run of them after long ones must not alarm."""
    chance = random.Random(7)
    gauge = Gauge(Limits())
    for number in range(60):
        audio = chance.uniform(3, 9) if number < 20 else chance.uniform(0.5, 1.0)
        gauge.made(MB, 0.02 + 0.01 * audio, audio)
        assert gauge.decide().advice is Advice.GO_ON
    assert gauge.slowdown == pytest.approx(1.0, abs=0.01)


def test_a_spare_needs_room() -> None:
    assert room_for_spare(100, 120)
    assert not room_for_spare(100, 119)
    assert not room_for_spare(0, 10**12), "unknown is no room"
