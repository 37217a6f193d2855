"""Crashes, failures and stalls, with a clock of our own."""

from __future__ import annotations

from studio.narration.supervision import Charges, StallWatch, Supervisor, backoff


def test_backoff_grows_and_ends() -> None:
    supervisor = Supervisor()
    assert [supervisor.crashed() for _ in range(5)] == [0.0, 0.5, 1.0, 2.0, None]
    assert supervisor.crashes == 5
    assert backoff(50) == 30.0


def test_a_success_starts_the_count_again() -> None:
    supervisor = Supervisor()
    for _ in range(4):
        supervisor.crashed()
    supervisor.succeeded()
    assert supervisor.crashed() == 0.0
    assert supervisor.crashes == 5


def test_only_the_segment_that_had_begun_is_charged() -> None:
    charges = Charges()
    assert not charges.killed_worker("waiting", begun=False)
    assert not charges.killed_worker("waiting", begun=False)
    assert not charges.killed_worker("killer", begun=True)
    assert charges.killed_worker("killer", begun=True)


def test_two_retries_and_no_more() -> None:
    charges = Charges()
    assert [charges.transient("a") for _ in range(3)] == [False, False, True]
    charges.settle("a")
    assert not charges.transient("a")


def tick_through(watch: StallWatch, seconds: float, start: float = 0.0, **state: bool) -> float:
    """Tick every quarter of a second; returns when it called a stall, or the end."""
    now = start
    while now < start + seconds:
        now += 0.25
        if watch.tick(now, 2.0, **{"busy": True, **state}):
            return now
    return now


def test_silence_is_a_stall() -> None:
    watch = StallWatch(factor=5, floor=3.0)
    assert 10 <= tick_through(watch, 60) <= 10.75


def test_progress_starts_again() -> None:
    watch = StallWatch(factor=5, floor=3.0)
    now = tick_through(watch, 8)
    watch.progress()
    assert tick_through(watch, 8, now) == now + 8


def test_an_idle_worker_cannot_stall() -> None:
    watch = StallWatch(factor=5, floor=3.0)
    assert tick_through(watch, 100, busy=False) == 100


def test_a_stopped_process_does_not_stall() -> None:
    watch = StallWatch(factor=5, floor=3.0)
    now = tick_through(watch, 600, stopped=True)
    assert now == 600
    assert tick_through(watch, 60, now) < now + 11


def test_sleep_of_the_machine_is_not_silence() -> None:
    watch = StallWatch(factor=5, floor=3.0)
    now = tick_through(watch, 5)
    assert not watch.tick(now + 3600, 2.0, busy=True)
    assert not watch.tick(now + 3601, 2.0, busy=True)
    assert not watch.tick(now - 100, 2.0, busy=True), "a clock that went back"


def test_the_limit_follows_the_expected_time() -> None:
    watch = StallWatch(factor=5, floor=3.0, first=100.0)
    assert watch.limit(0.0) == 100.0
    assert watch.limit(0.1) == 3.0
    assert watch.limit(10.0) == 50.0
