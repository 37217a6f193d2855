"""Stop in every state, and what is left behind: nothing."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from narration_helpers import Jobs, MakePool, MakeStudio, Studio, alive, line, scripted, until
from needs import promised

from studio.errors import MachineFault
from studio.narration.pool import Pool
from studio.narration.status import WorkerState

TEXTS = [line(number) for number in range(8)]


def group(leader: int) -> list[int]:
    """Processes of a process group that are no zombies."""
    found = []
    for pid in psutil.pids():
        try:
            if os.getpgid(pid) == leader and alive(pid):
                found.append(pid)
        except ProcessLookupError:
            continue
    return found


def in_state(*states: WorkerState) -> Callable[[Pool], bool]:
    """Whether a worker with a process is in one of these states."""

    def reached(pool: Pool) -> bool:
        return any(worker.pid and worker.state in states for worker in pool.statuses())

    return reached


def begun(pool: Pool) -> bool:
    """Whether an engine has begun a job."""
    return bool(pool.holds()) and pool.holds()[0].begun


STATES = {
    "starting": (["--fault", "silent-start"], {}, in_state(WorkerState.STARTING)),
    "loading": (["--load-time", "60"], {}, in_state(WorkerState.LOADING)),
    "hung while loading": (["--fault", "hang-at-load"], {}, in_state(WorkerState.LOADING)),
    "teaching a voice": (["--fault", "hang-at-voice"], {}, lambda pool: bool(pool.holds())),
    "narrating": (["--clip-time", "30"], {}, begun),
    "hung in a clip": (["--fault", "hang", "--fault", "ignore-term"], {}, begun),
    "talking of stages": (["--fault", "stages-forever"], {}, begun),
    "waiting to restart": (["--fault", "exit-at-start"], {}, lambda pool: pool.crashes >= 3),
    "loading a spare": (
        ["--clip-time", "0.2", "--load-time", "0.5"],
        {"max_clips": 1},
        lambda pool: len(pool.statuses()) == 2,
    ),
    "draining": (
        ["--fault", "ready-while-draining"],
        {"max_clips": 1, "spare": False, "grace": 20.0},
        in_state(WorkerState.STOPPING),
    ),
}


@pytest.mark.parametrize("state", STATES)
async def test_stop_ends_jobs_within_a_second_in_every_state(
    make_pool: MakePool, state: str
) -> None:
    switches, settings, reached = STATES[state]
    jobs = Jobs(TEXTS)
    pool = make_pool(
        scripted(*switches, **{"grace": 0.5, **settings}), jobs, free_memory=lambda: 2**40
    )
    pool.work()
    await until(lambda: reached(pool))
    crashes, made = pool.crashes, len(jobs.clips)
    started = time.monotonic()
    await pool.cancel_all()
    assert time.monotonic() - started < promised(1)
    assert not pool.busy
    assert pool.crashes == crashes, "to be stopped is no crash"
    assert len(jobs.waiting) == len(TEXTS) - made, "the clip in progress is dropped, not lost"
    left = {worker.state for worker in pool.statuses()}
    assert left <= {WorkerState.READY, WorkerState.STOPPING}
    for worker in pool.statuses():
        if worker.state is WorkerState.STOPPING:  # Its jobs are done; do not wait for its grace.
            os.killpg(worker.pid, signal.SIGKILL)
    await asyncio.sleep(0)
    assert len(jobs.clips) == made


@pytest.mark.parametrize(
    "switches",
    [["--load-time", "60"], ["--clip-time", "30"], ["--fault", "hang"], []],
    ids=["loading", "narrating", "hung", "idle"],
)
async def test_quitting_leaves_no_process_of_any_group(
    make_studio: MakeStudio, tmp_path: Path, switches: list[str]
) -> None:
    """A grandchild in the engine's process group goes as well."""
    marker = tmp_path / "grandchild"
    spec = scripted(*switches, "--fault", "grandchild", "--marker", str(marker), grace=0.6)
    studio = make_studio(TEXTS[:2], spec, workers=1)
    studio.ask()
    await until(lambda: marker.exists() and marker.read_text() != "")
    await until(lambda: any(worker.pid for worker in studio.director.status.workers))
    if not switches:
        await studio.idle()
    leader = studio.director.status.workers[0].pid
    assert int(marker.read_text()) in group(leader)
    started = time.monotonic()
    await studio.director.close()
    assert time.monotonic() - started < promised(2.5)
    await until(lambda: not group(leader))
    assert not studio.director.status.crashes


async def test_a_killed_engine_leaves_no_grandchild(make_pool: MakePool, tmp_path: Path) -> None:
    marker = tmp_path / "grandchild"
    jobs = Jobs(TEXTS[:4])
    spec = scripted("--fault", "grandchild", "--marker", str(marker), "--clip-time", "0.1")
    pool = make_pool(spec, jobs)
    pool.work()
    await until(lambda: len(jobs.clips) == 1)
    leader, grandchild = pool.statuses()[0].pid, int(marker.read_text())
    assert alive(grandchild)
    os.kill(leader, signal.SIGKILL)
    await until(lambda: len(jobs.clips) == 4)
    assert not alive(grandchild)
    assert not group(leader)


async def stopped_studio(studio: Studio) -> None:
    """Wait until the studio has paused itself and says why."""
    await studio.idle()
    assert studio.director.paused
    await until(lambda: bool(studio.director.status.stopped_because))


async def test_another_program_in_the_database_pauses_and_loses_nothing(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:4], scripted("--clip-time", "0.05"), workers=1)
    studio.project._session.store.execute("PRAGMA busy_timeout = 50")
    studio.ask()
    other = sqlite3.connect(studio.project.folder / "book.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    await stopped_studio(studio)
    assert "in use by another program" in studio.director.status.stopped_because
    other.close()
    studio.director.resume()
    await studio.idle()
    assert [segment.takes for segment in studio.project.segments()] == [1, 1, 1, 1]
    assert not studio.director.status.stopped_because


async def test_a_queue_that_cannot_be_read_pauses_and_says_so(
    make_studio: MakeStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio = make_studio(TEXTS[:2], scripted(), workers=1)
    with monkeypatch.context() as broken:

        def cannot(*_: object) -> None:
            raise MachineFault("The disk of /book does not answer as it should.")

        broken.setattr(studio.project, "next_items", cannot)
        studio.ask()
        await stopped_studio(studio)
        assert "does not answer" in studio.director.status.stopped_because
    studio.director.resume()
    await studio.idle()
    assert [segment.takes for segment in studio.project.segments()] == [1, 1]
