"""Real processes: work gets done whatever the engine does, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from narration_helpers import Jobs, MakePool, alive, scripted, until
from needs import promised

from studio.narration.pool import Pool
from studio.narration.status import WorkerState
from studio.narration.worker import DEPTH

TEXTS = [f"Line {number}: the ferry was late again, and nobody minded." for number in range(12)]


async def finish(pool: Pool, jobs: Jobs, count: int, seconds: float = 90.0) -> None:
    """Work until every job is over."""
    pool.work()
    await until(lambda: jobs.settled == count or bool(pool.stopped_because), seconds)


async def reference(make_pool: MakePool, texts: list[str]) -> dict[object, bytes]:
    """What a healthy single worker makes."""
    jobs = Jobs(texts)
    await finish(make_pool(scripted(), jobs), jobs, len(texts))
    return jobs.clips


async def test_jobs_come_back_in_order_and_whole(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted(), jobs)
    await finish(pool, jobs, len(TEXTS))
    assert jobs.order == list(range(len(TEXTS)))
    assert not jobs.failures
    assert (pool.crashes, pool.recycles) == (0, 0)
    assert len(set(jobs.clips.values())) == len(TEXTS)


async def test_one_line_needs_one_process(make_pool: MakePool) -> None:
    few, many = Jobs(TEXTS[:1]), Jobs(TEXTS * 4)
    small = make_pool(scripted(workers=4), few)
    await finish(small, few, 1)
    assert len(small.statuses()) == 1
    large = make_pool(scripted("--clip-time", "60", workers=3), many)
    large.work()
    await until(lambda: len(large.statuses()) == 3)


async def test_a_take_does_not_depend_on_who_made_it_or_when(make_pool: MakePool) -> None:
    expected = await reference(make_pool, TEXTS)
    variants = {
        "two workers": scripted(workers=2),
        "two workers and spares": scripted(workers=2, max_clips=2),
        "recycled": scripted(max_clips=2, spare=False),
    }
    for name, spec in variants.items():
        jobs = Jobs(TEXTS)
        pool = make_pool(spec, jobs)
        await finish(pool, jobs, len(TEXTS))
        assert jobs.clips == expected, name
        assert pool.recycles >= 5 or name != "recycled"
    jobs = Jobs(TEXTS)
    jobs.waiting.reverse()
    await finish(make_pool(scripted(), jobs), jobs, len(TEXTS))
    assert jobs.order[0] == len(TEXTS) - 1
    assert jobs.clips == expected


@pytest.mark.parametrize(
    "switches",
    [
        ["--fault", "exit", "--status", "0"],
        ["--fault", "exit", "--status", "1", "--when", "before"],
        ["--fault", "exit", "--status", "-9"],
        ["--fault", "exit", "--status", "-11", "--when", "after"],
        ["--fault", "short-payload"],
        ["--fault", "chatter"],
        ["--fault", "close-stdout"],
        ["--fault", "fatal"],
    ],
    ids=" ".join,
)
async def test_a_dead_worker_loses_nothing(
    make_pool: MakePool, tmp_path: Path, switches: list[str]
) -> None:
    once = str(tmp_path / "struck")
    jobs = Jobs(TEXTS[:6])
    pool = make_pool(scripted(*switches, "--at", "3", "--once", once), jobs)
    await finish(pool, jobs, 6)
    assert not jobs.failures
    assert jobs.order == list(range(6))
    assert pool.crashes == 1
    assert pool.recycles == 0
    assert pool.last_problem


@pytest.mark.parametrize("fault", ["half-line", "stderr-flood", "unknown-event"])
async def test_oddities_cost_nothing(make_pool: MakePool, tmp_path: Path, fault: str) -> None:
    jobs = Jobs(TEXTS[:4])
    pool = make_pool(scripted("--fault", fault, "--at", "2"), jobs)
    await finish(pool, jobs, 4)
    assert len(jobs.clips) == 4
    assert pool.crashes == 0
    assert (tmp_path / "engine.log").exists()


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("no-bytes", "no sound"),
        ("too-few", "announced"),
        ("nan", "not numbers"),
        ("wrong-rate", "22050 Hz"),
        ("endless", "ran away"),
        ("transient", "lost its way"),
    ],
)
async def test_a_bad_clip_is_tried_again_and_then_failed(
    make_pool: MakePool, fault: str, words: str
) -> None:
    jobs = Jobs(TEXTS[:5])
    pool = make_pool(scripted("--fault", fault, "--text", "Line 2:"), jobs)
    await finish(pool, jobs, 5)
    assert set(jobs.failures) == {2}
    assert words in jobs.failures[2]
    assert set(jobs.clips) == {0, 1, 3, 4}
    assert pool.crashes == 0


async def test_a_bad_clip_that_passes_is_made(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs(TEXTS[:3])
    spec = scripted("--fault", "nan", "--text", "Line 1:", "--once", str(tmp_path / "struck"))
    await finish(make_pool(spec, jobs), jobs, 3)
    assert set(jobs.clips) == {0, 1, 2}


async def test_what_is_refused_is_not_tried_again(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs(TEXTS[:3])
    spec = scripted("--fault", "refuse", "--text", "Line 1:", "--once", str(tmp_path / "struck"))
    await finish(make_pool(spec, jobs), jobs, 3)
    assert jobs.failures == {1: "The text holds a word in another script."}


async def test_a_refused_voice_fails_its_jobs_with_the_reason(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS[:3])
    await finish(make_pool(scripted("--fault", "refuse-voice"), jobs), jobs, 3)
    assert set(jobs.failures.values()) == {"The reference audio is empty."}


async def test_a_poison_segment_is_failed_and_its_neighbours_are_not(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS[:6])
    pool = make_pool(scripted("--fault", "exit", "--text", "Line 2:"), jobs)
    await finish(pool, jobs, 6)
    assert set(jobs.failures) == {2}
    assert "two workers" in jobs.failures[2]
    assert set(jobs.clips) == {0, 1, 3, 4, 5}
    assert pool.crashes == 2


async def test_a_crash_loop_ends_in_words(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS[:3])
    pool = make_pool(scripted("--fault", "exit-at-start"), jobs)
    await finish(pool, jobs, 3)
    assert pool.crashes == 5
    assert "5 times in a row" in pool.stopped_because
    assert "no model for you" in pool.stopped_because
    assert not jobs.failures


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        (["--fault", "fail-load"], "weights are missing"),
        (["--fault", "refuse-load"], "colour"),
        (["--fault", "protocol"], "protocol 99"),
    ],
    ids=" ".join,
)
async def test_an_engine_that_cannot_start_is_not_started_again(
    make_pool: MakePool, switches: list[str], words: str
) -> None:
    jobs = Jobs(TEXTS[:3])
    pool = make_pool(scripted(*switches), jobs)
    await finish(pool, jobs, 3)
    assert words in pool.stopped_because
    assert not pool.statuses()


async def test_a_missing_program_is_said_in_words(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS[:1])
    pool = make_pool(scripted(command=("/no/such/python", "x.py")), jobs)
    await finish(pool, jobs, 1)
    assert "/no/such/python" in pool.stopped_because
    assert "config.toml" in pool.stopped_because


async def test_grown_memory_recycles_the_worker(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted("--grow-mb", "6", budget_mb=20, spare=False), jobs)
    await finish(pool, jobs, len(TEXTS))
    assert len(jobs.clips) == len(TEXTS)
    assert pool.recycles >= 2
    assert pool.crashes == 0
    assert "MB over 20 MB" in pool.last_recycle


async def test_the_cap_is_exact_without_a_spare(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted(max_clips=5, spare=False), jobs)
    await finish(pool, jobs, len(TEXTS))
    made = [list(jobs.makers.values()).count(number) for number in (1, 2, 3)]
    assert made == [5, 5, 2]
    assert pool.last_recycle == "recycled worker 2: made 5 clips of 5"


async def test_a_spare_is_loaded_before_the_old_worker_leaves(make_pool: MakePool) -> None:
    """The old worker goes on while the new one loads, and is never ready while it drains."""
    jobs = Jobs(TEXTS * 100)
    pool = make_pool(
        scripted("--load-time", "0.3", "--clip-time", "0.05", max_clips=6),
        jobs,
        free_memory=lambda: 2**40,
    )
    together = []

    def look(worker: object, job: object) -> None:
        together.append(tuple(status.state for status in pool.statuses()))
        if pool.recycles == 2:  # However long its successors took to load.
            jobs.waiting.clear()

    jobs.on_finished = look
    pool.work()
    await until(lambda: pool.recycles >= 2 and not pool.busy)
    assert any(WorkerState.LOADING in states and len(states) == 2 for states in together)
    by_maker = list(jobs.makers.values())
    assert by_maker.count(1) > 6, "it went on while its successor was loading"


async def test_no_spare_where_memory_is_short(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted(max_clips=4), jobs, free_memory=lambda: 55 * 2**20)
    most = 0

    def look(worker: object, job: object) -> None:
        nonlocal most
        most = max(most, len(pool.statuses()))

    jobs.on_finished = look
    await finish(pool, jobs, len(TEXTS))
    assert most == 1
    assert pool.recycles >= 2


async def test_a_slower_worker_is_reported_and_recycled_if_wished(make_pool: MakePool) -> None:
    texts = TEXTS * 5
    for wished in (False, True):
        jobs = Jobs(texts)
        spec = scripted("--slow", "2", "--clip-time", "0", recycle_on_drift=wished, spare=False)
        pool = make_pool(spec, jobs)
        await finish(pool, jobs, len(texts))
        assert (pool.recycles > 0) == wished
        assert "% slower over" in (pool.last_recycle if wished else pool.last_problem)


async def test_kill_in_the_middle_of_a_clip(make_pool: MakePool) -> None:
    expected = await reference(make_pool, TEXTS[:6])
    jobs = Jobs(TEXTS[:6])
    pool = make_pool(scripted("--clip-time", "0.2"), jobs)
    pool.work()
    await until(lambda: len(jobs.clips) == 2)
    victim = pool.statuses()[0].pid
    os.kill(victim, signal.SIGKILL)
    await until(lambda: len(jobs.clips) == 6)
    assert jobs.clips == expected
    assert pool.crashes == 1
    assert "signal 9" in pool.last_problem


@pytest.mark.parametrize(
    "switches",
    [
        ["--clip-time", "30"],
        ["--fault", "hang"],
        ["--load-time", "60"],
        ["--fault", "hang-at-load"],
        ["--fault", "silent-start"],
    ],
    ids=" ".join,
)
async def test_stop_takes_less_than_a_second_and_is_no_crash(
    make_pool: MakePool, switches: list[str]
) -> None:
    jobs = Jobs(TEXTS[:3])
    pool = make_pool(scripted(*switches), jobs)
    pool.work()
    await until(lambda: any(worker.pid for worker in pool.statuses()))
    if "--load-time" not in switches and "start" not in switches[-1] and "load" not in switches[-1]:
        await until(pool.holds)  # type: ignore[arg-type]
        await until(lambda: pool.holds()[0].begun)
    started = time.monotonic()
    await pool.cancel_all()
    assert time.monotonic() - started < promised(1)
    assert not pool.busy
    assert pool.crashes == 0
    assert not [w for w in pool.statuses() if w.state is not WorkerState.READY]
    assert len(jobs.waiting) == 3, "the jobs are the client's again"


async def test_after_a_stop_it_goes_on(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS[:4])
    pool = make_pool(scripted("--clip-time", "0.1"), jobs)
    pool.work()
    await until(lambda: len(jobs.clips) == 1)
    await pool.cancel_all()
    await finish(pool, jobs, 4)
    assert len(jobs.clips) == 4
    assert pool.crashes == 0


async def test_stop_kills_what_is_stopped(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS[:3])
    pool = make_pool(scripted("--clip-time", "5"), jobs)
    pool.work()
    await until(lambda: bool(pool.holds()) and pool.holds()[0].begun)
    os.kill(pool.statuses()[0].pid, signal.SIGSTOP)
    started = time.monotonic()
    await pool.cancel_all()
    assert time.monotonic() - started < promised(1)
    assert not pool.statuses()


async def test_a_stall_is_a_crash_and_a_stopped_process_is_not_a_stall(
    make_pool: MakePool, tmp_path: Path
) -> None:
    once = str(tmp_path / "struck")
    jobs = Jobs(TEXTS[:4])
    spec = scripted("--fault", "hang", "--at", "3", "--once", once, stall_seconds=0.6)
    pool = make_pool(spec, jobs)
    await finish(pool, jobs, 4)
    assert len(jobs.clips) == 4
    assert pool.crashes == 1
    assert "no progress" in pool.last_problem

    jobs = Jobs(TEXTS[:4])
    pool = make_pool(scripted("--clip-time", "0.2", stall_seconds=2.0), jobs)
    pool.work()
    await until(lambda: len(jobs.clips) == 1)
    pid = pool.statuses()[0].pid
    os.kill(pid, signal.SIGSTOP)
    stopped = time.monotonic()
    await until(lambda: time.monotonic() - stopped > 3.0)
    os.kill(pid, signal.SIGCONT)
    await until(lambda: len(jobs.clips) == 4)
    assert pool.crashes == 0


async def test_an_answer_to_another_request_is_skipped(make_pool: MakePool, tmp_path: Path) -> None:
    once = str(tmp_path / "struck")
    jobs = Jobs(TEXTS[:3])
    spec = scripted("--fault", "wrong-id", "--at", "2", "--once", once, stall_seconds=0.6)
    pool = make_pool(spec, jobs)
    await finish(pool, jobs, 3)
    assert jobs.clips == await reference(make_pool, TEXTS[:3])


async def test_ending_leaves_no_process(make_pool: MakePool, tmp_path: Path) -> None:
    marker = tmp_path / "grandchild"
    for fault in ("grandchild", "ignore-term"):
        switches = ["--fault", fault, "--marker", str(marker)]
        jobs = Jobs(TEXTS[:2])
        pool = make_pool(scripted(*switches, grace=0.6), jobs)
        await finish(pool, jobs, 2)
        pids = [worker.pid for worker in pool.statuses()]
        if fault == "grandchild":
            pids.append(int(marker.read_text()))
        assert all(alive(pid) for pid in pids)
        await pool.unload()
        assert not pool.statuses()
        await until(lambda pids=pids: not any(alive(pid) for pid in pids))


async def test_an_engine_dies_with_the_studio(tmp_path: Path) -> None:
    """The studio is killed; the engine sees its stdin close and leaves."""
    script = tmp_path / "host.py"
    script.write_text(
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from studio.narration.link import Link\n"
        "from studio.narration.engine_log import RotatingLog\n"
        "async def main():\n"
        "    link = Link('scripted', RotatingLog(Path(sys.argv[1]) / 'log'))\n"
        "    await link.start(sys.argv[2:], {})\n"
        "    print(link.pid, flush=True)\n"
        "    await asyncio.sleep(1000)\n"
        "asyncio.run(main())\n"
    )
    command = scripted().command
    studio = await asyncio.create_subprocess_exec(
        command[0], str(script), str(tmp_path), *command, stdout=asyncio.subprocess.PIPE
    )
    assert studio.stdout is not None
    engine = int(await studio.stdout.readline())
    assert alive(engine)
    studio.kill()
    await studio.communicate()
    await until(lambda: not alive(engine))


async def test_two_deep(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted("--clip-time", "0.1"), jobs)
    pool.work()
    await until(lambda: len(jobs.clips) == 1)
    assert len(jobs.waiting) == len(TEXTS) - 1 - DEPTH
