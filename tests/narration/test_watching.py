"""How long an engine may take, with a clock of our own: loads, stages, clips, stops and sleep."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest
from narration_helpers import Jobs, MakePool, line, scripted, until

from studio.narration import stalling
from studio.narration.pool import Pool
from studio.narration.status import WorkerState
from studio.narration.supervision import STAGES_PER_CLIP, StallWatch, Stopwatch

TEXTS = [line(number) for number in range(4)]

FAST = 100.0
"""Seconds of the test's clock in one of ours."""


class Clock:
    """A monotonic clock that runs as fast as it is told, and may jump."""

    def __init__(self, speed: float = FAST) -> None:
        self.speed = speed
        self.jumped = 0.0
        self._began = time.monotonic()

    def __call__(self) -> float:
        return (time.monotonic() - self._began) * self.speed + self.jumped


@pytest.fixture(autouse=True)
def quick_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looks often, so that a fast clock does not seem to jump."""
    monkeypatch.setattr(stalling, "TICK", 0.01)


async def finish(pool: Pool, jobs: Jobs, seconds: float = 30.0) -> None:
    """Work until every job is over."""
    pool.work()
    await until(lambda: jobs.settled == len(TEXTS) or bool(pool.stopped_because), seconds)


async def test_a_load_of_ninety_seconds_is_waited_for(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    spec = scripted("--load-time", "0.9", load_deadline=300.0)
    pool = make_pool(spec, jobs, clock=Clock())
    seen = []
    jobs.on_finished = lambda worker, job: seen.append(worker.loading.spent)
    await finish(pool, jobs)
    assert len(jobs.clips) == len(TEXTS)
    assert pool.crashes == 0
    assert seen[0] > 60, "so long it took by the test's clock"


@pytest.mark.parametrize("fault", ["hang-at-load", "slow"])
async def test_a_load_has_a_deadline(make_pool: MakePool, tmp_path: Path, fault: str) -> None:
    """It hangs once and is started again; or it is too slow each time and is given up."""
    once = ["--fault", fault, "--once", str(tmp_path / "struck")]
    switches = ["--load-time", "60"] if fault == "slow" else once
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted(*switches, load_deadline=60.0), jobs, clock=Clock())
    pool.work()
    await until(lambda: pool.crashes == 1)
    assert "has not loaded its model within 60 seconds" in pool.last_problem
    if fault != "slow":
        await finish(pool, jobs)
        assert len(jobs.clips) == len(TEXTS)


async def test_the_greeting_has_a_deadline(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted("--fault", "silent-start"), jobs, clock=Clock())
    pool.work()
    await until(lambda: pool.crashes == 1)
    assert "has not greeted within 60 seconds" in pool.last_problem


async def test_a_voice_that_is_never_ready_is_a_stall(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs(TEXTS)
    spec = scripted("--fault", "hang-at-voice", "--once", str(tmp_path / "struck"))
    pool = make_pool(spec, jobs, clock=Clock())
    await finish(pool, jobs)
    assert len(jobs.clips) == len(TEXTS)
    assert pool.crashes == 1
    assert "no progress for 18" in pool.last_problem, "nothing is known of its speed: 180 seconds"


async def test_stages_without_an_end_are_a_stall(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs(TEXTS)
    once = str(tmp_path / "struck")
    spec = scripted("--fault", "stages-forever", "--at", "3", "--once", once, stall_seconds=10.0)
    pool = make_pool(spec, jobs, clock=Clock(speed=50))
    await finish(pool, jobs)
    assert len(jobs.clips) == len(TEXTS)
    assert pool.crashes == 1
    assert "without finishing it" in pool.last_problem


@pytest.mark.parametrize("state", ["loading", "narrating"])
async def test_a_stopped_engine_is_waited_for(make_pool: MakePool, state: str) -> None:
    """SIGSTOP for many times what a load or a stage may take."""
    jobs = Jobs(TEXTS)
    clock = Clock()
    switches = ["--load-time", "0.3"] if state == "loading" else ["--clip-time", "0.1"]
    spec = scripted(*switches, load_deadline=120.0, stall_seconds=60.0)
    pool = make_pool(spec, jobs, clock=clock)
    pool.work()
    if state == "loading":
        await until(lambda: any(w.state is WorkerState.LOADING for w in pool.statuses()))
    else:
        await until(lambda: len(jobs.clips) == 1)
    pid = pool.statuses()[0].pid
    os.kill(pid, signal.SIGSTOP)
    stopped = clock()
    await until(lambda: clock() - stopped > 250)
    os.kill(pid, signal.SIGCONT)
    await finish(pool, jobs)
    assert len(jobs.clips) == len(TEXTS)
    assert pool.crashes == 0


@pytest.mark.parametrize("hours", [1, -1])
async def test_the_machines_sleep_is_no_stall(make_pool: MakePool, hours: int) -> None:
    """Our clock jumps in the middle of a clip, and in the middle of a load."""
    jobs = Jobs(TEXTS)
    clock = Clock(speed=1)
    spec = scripted("--load-time", "0.3", "--clip-time", "0.2", load_deadline=30.0)
    pool = make_pool(spec, jobs, clock=clock)
    pool.work()
    await until(lambda: any(w.state is WorkerState.LOADING for w in pool.statuses()))
    clock.jumped += hours * 3600
    for count in (1, 2):
        await until(lambda count=count: len(jobs.clips) >= count)
        clock.jumped += hours * 3600
    await finish(pool, jobs)
    assert len(jobs.clips) == len(TEXTS)
    assert pool.crashes == 0


def test_the_time_of_a_stage_follows_the_length_of_its_text() -> None:
    watch = StallWatch(factor=20, floor=30, first=180)
    assert watch.limit(0.0, 3.0) == 180
    assert watch.limit(0.0, 20.0) == 400, "nothing is known yet: as if it spoke in real time"
    assert watch.limit(0.5, 20.0) == 30
    assert watch.limit(40.0, 20.0) == 800


def test_a_clip_may_take_a_few_stages_and_no_more() -> None:
    watch = StallWatch(factor=20, floor=10)
    for second in range(1000):
        watch.progress()
        if watch.tick(float(second), 0.1, busy=True):
            break
    assert second == 10 * STAGES_PER_CLIP + 1
    watch.answered()
    assert not watch.tick(second + 1.0, 0.1, busy=True)


def test_only_time_that_was_worked_counts() -> None:
    watch = Stopwatch()
    assert watch.tick(100.0) == 0.0
    assert watch.tick(101.0) == 1.0
    assert watch.tick(102.0, stopped=True) == 0.0
    assert watch.tick(5000.0) == 0.0
    assert watch.tick(4000.0) == 0.0
    assert watch.tick(4002.0) == 2.0
    assert watch.spent == 3.0
