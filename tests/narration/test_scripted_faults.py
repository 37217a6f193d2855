"""Everything that an engine can do wrong, one switch of the scripted engine after the other.

What comes out is the same each time: every line that can be made is made once, the others say why,
and what was wrong stands in words a person can use.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from narration_helpers import SCRIPT, Jobs, MakePool, MakeStudio, alive, line, scripted, until

from studio.engines.catalogue import engine_environment
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import EngineGone
from studio.narration.link import Link
from studio.narration.pool import Pool
from studio.narration.status import WorkerState
from studio.narration.worker import Job, Worker
from studio.sound.plan import chosen_timeline

TEXTS = [line(number) for number in range(8)]


async def finish(pool: Pool, jobs: Jobs, count: int, seconds: float = 30.0) -> None:
    """Work until every job is over."""
    pool.work()
    await until(lambda: jobs.settled == count or bool(pool.stopped_because), seconds)


async def healthy(make_pool: MakePool, texts: list[str]) -> dict[object, bytes]:
    """What an engine without a fault makes."""
    jobs = Jobs(texts)
    await finish(make_pool(scripted(), jobs), jobs, len(texts))
    return jobs.clips


def test_every_switch_is_thrown_by_a_test() -> None:
    source = SCRIPT.read_text(encoding="utf-8")
    listed = source[source.index("FAULTS = (") : source.index("\n)\n")]
    faults = re.findall(r'^    "([a-z-]+)",', listed, re.M)
    assert len(faults) > 25
    tests = "".join(
        path.read_text(encoding="utf-8")
        for folder in ("narration", "cli", "terminal")
        for path in SCRIPT.parents[1].joinpath(folder).glob("test_*.py")
    )
    assert [fault for fault in faults if f'"{fault}"' not in tests] == []


@pytest.mark.parametrize("when", ["before", "during", "after"])
@pytest.mark.parametrize(
    ("status", "words"),
    [("0", "left without being asked"), ("1", "exit code 1"), ("-9", "signal 9")],
)
async def test_leaving_before_in_and_after_a_clip(
    make_pool: MakePool, tmp_path: Path, when: str, status: str, words: str
) -> None:
    jobs = Jobs(TEXTS[:4])
    switches = ["--fault", "exit", "--when", when, "--status", status]
    once = ["--at", "2", "--once", str(tmp_path / "struck")]
    pool = make_pool(scripted(*switches, *once), jobs)
    await finish(pool, jobs, 4)
    assert jobs.order == [0, 1, 2, 3], "none lost, none doubled"
    assert not jobs.failures
    assert (pool.crashes, pool.recycles) == (1, 0)
    assert words in pool.last_problem


@pytest.mark.parametrize("fault", ["wrong-id", "next-id"])
async def test_a_clip_under_another_number_is_never_another_lines_clip(
    make_pool: MakePool, tmp_path: Path, fault: str
) -> None:
    """The number of the request before it, and of the one that waits behind it."""
    expected = await healthy(make_pool, TEXTS[:5])
    jobs = Jobs(TEXTS[:5])
    once = str(tmp_path / "struck")
    pool = make_pool(scripted("--fault", fault, "--at", "2", "--once", once), jobs)
    await finish(pool, jobs, 5)
    assert jobs.clips == expected
    assert pool.crashes == 1
    assert "answered another request" in pool.last_problem


@pytest.mark.parametrize(
    ("fault", "tries"),
    [("transient", 3), ("nan", 3), ("no-bytes", 3), ("refuse", 1), ("exit", 2), ("fatal", 2)],
)
async def test_how_often_a_line_is_tried(
    make_pool: MakePool, tmp_path: Path, fault: str, tries: int
) -> None:
    """Twice more what may pass, never what was refused, and what kills two workers not again."""
    tally = tmp_path / "tally"
    jobs = Jobs(TEXTS[:3])
    switches = ["--fault", fault, "--text", "Line 1:", "--tally", str(tally)]
    await finish(make_pool(scripted(*switches), jobs), jobs, 3)
    assert set(jobs.failures) == {1}
    assert set(jobs.clips) == {0, 2}
    assert tally.read_text(encoding="utf-8").splitlines().count(TEXTS[1]) == tries


async def test_a_stereo_clip_is_kept_as_it_is_and_exported_as_one_channel(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:2], scripted("--fault", "stereo", "--text", "Line 1:"), workers=1)
    studio.ask()
    await studio.idle()
    takes = [studio.project.takes(uid)[0] for uid in studio.uids]
    assert [take.channels for take in takes] == [1, 2]
    pcm, _ = studio.project.read_clip(takes[1])
    timeline = chosen_timeline(studio.project, studio.project.segments())
    start = int(timeline.starts[1])
    heard = timeline.read(start + 1000, 2000)
    wanted = pcm.astype(np.float32).mean(axis=1)[1000:3000] / 32768
    assert np.allclose(heard, wanted, atol=2 / 32768)


async def test_chatter_before_the_greeting(tmp_path: Path) -> None:
    link = Link("scripted", RotatingLog(tmp_path / "engine.log"))
    spec = scripted("--fault", "chatter", "--at", "0")
    with pytest.raises(EngineGone, match="not the studio’s protocol"):
        await link.start(spec.command, engine_environment(spec))
    assert not alive(link.pid)


async def test_ten_megabytes_of_stderr_cost_no_memory(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs(TEXTS[:2])
    pool = make_pool(scripted("--fault", "stderr-flood", "--at", "1"), jobs)
    await finish(pool, jobs, 2)
    tail = pool._workers[0].link.tail
    await until(lambda: len(tail.lines()) > 5)
    assert len(tail._data) <= 2 * 64 * 1024
    assert sum(log.stat().st_size for log in tmp_path.glob("engine.log*")) > 10_000_000


async def test_a_failed_request_is_no_baseline(make_pool: MakePool) -> None:
    """Three failed tries, each of which grows the engine, come before its first clip."""
    jobs = Jobs(TEXTS[:2])
    seen: list[tuple[int, int]] = []

    def look(worker: Worker, job: Job) -> None:
        seen.append((worker.gauge.baseline, worker.gauge.footprint))

    jobs.on_finished = look
    switches = ["--fault", "nan", "--text", "Line 0:", "--grow-mb", "6"]
    await finish(make_pool(scripted(*switches, budget_mb=1000), jobs), jobs, 2)
    assert set(jobs.failures) == {0}
    assert seen[0][0] == seen[0][1] > 0


async def test_ready_is_not_believed_of_one_that_leaves(
    make_pool: MakePool, tmp_path: Path
) -> None:
    """It greets and reports a loaded model for as long as it is asked to go."""
    expected = await healthy(make_pool, TEXTS[:6])
    jobs = Jobs(TEXTS[:6])
    states: list[WorkerState] = []

    def look(worker: Worker, job: Job) -> None:
        states.extend(s.state for s in pool.statuses() if s.clips == 2 and s.number < worker.number)

    jobs.on_finished = look
    spec = scripted("--fault", "ready-while-draining", max_clips=2, spare=False, grace=0.4)
    pool = make_pool(spec, jobs)
    await finish(pool, jobs, 6)
    assert jobs.clips == expected
    assert list(jobs.makers.values()) == [1, 1, 2, 2, 3, 3]
    assert pool.crashes == 0
    assert set(states) <= {WorkerState.DRAINING, WorkerState.STOPPING}
    assert "“hello”; skipped" in (tmp_path / "engine.log").read_text(encoding="utf-8")


async def test_a_worker_that_drains_gets_nothing_more(make_pool: MakePool) -> None:
    """It is over its budget after three clips, with one in its pipe and room for another."""
    jobs = Jobs(TEXTS)
    switches = ["--fault", "ready-while-draining", "--grow-mb", "6", "--clip-time", "0.05"]
    pool = make_pool(scripted(*switches, budget_mb=8, spare=False, grace=0.4), jobs)
    await finish(pool, jobs, len(TEXTS))
    assert len(jobs.clips) == len(TEXTS)
    made = Counter(jobs.makers.values())
    assert max(made.values()) <= 4, made
    assert pool.crashes == 0


async def test_growth_of_six_megabytes_a_call_is_told_in_the_log(
    make_pool: MakePool, tmp_path: Path
) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted("--grow-mb", "6", budget_mb=14, spare=False), jobs)
    await finish(pool, jobs, len(TEXTS))
    assert pool.recycles >= 1
    line_of_log = re.search(
        r"^\[[\dT:+-]+\] (recycled worker 1: grew \d+ MB over 14 MB)$",
        (tmp_path / "engine.log").read_text(encoding="utf-8"),
        re.M,
    )
    assert line_of_log is not None
    assert line_of_log.group(1) == pool.recent_recycles[0]


async def test_one_percent_slower_a_call_is_told_in_the_log(
    make_pool: MakePool, tmp_path: Path
) -> None:
    texts = [line(number) for number in range(60)]
    jobs = Jobs(texts)
    pool = make_pool(scripted("--slow", "1", "--clip-time", "0"), jobs)
    await finish(pool, jobs, len(texts))
    assert pool.recycles == 0
    log = (tmp_path / "engine.log").read_text(encoding="utf-8")
    assert len(re.findall(r"Worker 1 became \d+ % slower over \d+ clips\.", log)) == 1


async def test_recycles_are_no_crashes_however_many(make_pool: MakePool) -> None:
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted(max_clips=1, spare=False), jobs)
    await finish(pool, jobs, len(TEXTS))
    assert pool.recycles >= len(TEXTS) - 1
    assert (pool.crashes, pool.stopped_because) == (0, "")


async def test_crashes_with_clips_between_them_never_stop_it(make_pool: MakePool) -> None:
    """Every process makes one clip and dies at its second: more than five deaths, no loop."""
    jobs = Jobs(TEXTS)
    pool = make_pool(scripted("--fault", "exit", "--at", "2"), jobs)
    await finish(pool, jobs, len(TEXTS), 60)
    assert pool.crashes == len(TEXTS) - 1
    assert set(jobs.clips) == set(range(len(TEXTS)))
    assert not pool.stopped_because


async def test_a_load_that_dies_is_tried_again(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs(TEXTS[:2])
    once = str(tmp_path / "struck")
    pool = make_pool(scripted("--fault", "exit-at-load", "--once", once), jobs)
    await finish(pool, jobs, 2)
    assert len(jobs.clips) == 2
    assert pool.crashes == 1
    assert "exit code 4" in pool.last_problem


async def test_nothing_is_adopted(make_pool: MakePool, tmp_path: Path) -> None:
    """An engine of another studio, ready and idle, is neither used nor touched."""
    other = Link("scripted", RotatingLog(tmp_path / "other.log"))
    spec = scripted()
    await other.start(spec.command, engine_environment(spec))
    try:
        jobs = Jobs(TEXTS[:2])
        pool = make_pool(spec, jobs)
        await finish(pool, jobs, 2)
        assert other.pid not in [worker.pid for worker in pool.statuses()]
        await pool.unload()
        assert alive(other.pid)
    finally:
        await other.kill()


def test_the_scripted_engine_is_a_process_of_its_own() -> None:
    assert scripted().command[:2] == (sys.executable, "-P")
