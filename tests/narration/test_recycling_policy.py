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
    assert decision.urgent, "over the budget it waits for no spare"


def growing(budget: int, step: int, clips: int) -> Gauge:
    """A worker that adds ``step`` MB with every clip after its first."""
    gauge = Gauge(Limits(budget=budget * MB))
    for number in range(clips):
        gauge.made((100 + step * number) * MB, 0.1, 3.0)
    return gauge


def test_steady_growth_is_recycled_before_it_passes_the_budget() -> None:
    """Grown by 48 MB of 60, with a clip in the pipe that is made in any case."""
    gauge = growing(60, 6, 9)
    assert gauge.step == 6 * MB
    assert gauge.decide(2).advice is Advice.GO_ON, "two clips more fit exactly"
    decision = gauge.decide(3)
    assert decision.advice is Advice.RECYCLE
    assert decision.urgent
    assert decision.reason == "grew 48 MB of 60 MB"


def test_a_successor_is_loaded_in_time_for_the_budget() -> None:
    gauge = growing(120, 6, 12)  # Grown by 66 MB.
    assert gauge.decide(2, 7).advice is Advice.GO_ON
    decision = gauge.decide(2, 8)
    assert decision.advice is Advice.RECYCLE
    assert decision.early
    assert not decision.urgent
    assert growing(120, 6, 9).decide(2, 1000).advice is Advice.GO_ON, "half of it is its own"


def test_a_jump_that_comes_once_foretells_nothing() -> None:
    """A graph compiled for a new length: the worker is good for many clips more."""
    gauge = Gauge(Limits(budget=2048 * MB))
    for size in (4900, 6900, 6910, 6911, 6912, 6913, 6914, 6915):
        gauge.made(size * MB, 0.1, 3.0)
        assert gauge.decide(2, 3).advice is Advice.GO_ON


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
