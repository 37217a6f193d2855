"""An engine that nobody uses leaves, gives its memory back, and comes again when it is needed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psutil
import pytest
from narration_helpers import Jobs, MakePool, Studio, alive, line, scripted, until

from engine import memory
from studio.engines import cards
from studio.engines.catalogue import Catalogue
from studio.narration.director import Director
from studio.narration.resident import Resident
from studio.narration.status import WorkerState
from studio.project.model import Voice


class Two(Studio):
    """A studio with two engines: the first segment is read by one, the others by the other."""

    def __init__(self, folder: Path, count: int, patience: float) -> None:
        spec = scripted("--clip-time", "0.05")
        super().__init__(folder, [line(number) for number in range(count)], spec)
        other = scripted(name="other", idle_seconds=patience)
        self.project.put_voice(Voice(id="second", engine="other", speaker="tone"))
        self.project.set_voices({self.uids[0]: "second"}, "another voice")
        self.catalogue = Catalogue({spec.name: spec, "other": other})

    async def begin(self) -> None:
        """Put a director in charge that knows both engines."""
        await self.director.close()
        await self.running
        self.director = Director(
            self.project,
            self.desk,
            self.catalogue,
            on_change=self.changes.append,
            on_status=self.statuses.append,
            workers=1,
        )
        self.running = asyncio.create_task(self.director.run())

    def pids(self, engine: str) -> list[int]:
        """Its processes."""
        return [it.pid for it in self.director.status.workers if it.engine == engine and it.pid]


async def test_one_engine_leaves_while_another_is_at_work(tmp_path: Path) -> None:
    studio = Two(tmp_path / "book", 1000, patience=0.3)
    await studio.begin()
    try:
        studio.ask()
        await until(lambda: bool(studio.pids("other")))
        (gone,) = studio.pids("other")
        # On a slow machine so little patience may be over before its only line has come to it, or
        # before the other engine is there.
        await until(lambda: studio.segment(0).chosen is not None)
        await until(lambda: bool(studio.pids("scripted")))
        await until(lambda: not studio.pids("other"))
        assert not alive(gone)
        assert studio.pids("scripted"), "the other one was unloaded, too"
        assert studio.project.queue(), "there was nothing left to do"
        await studio.director.stop()
        studio.project.clear_queue()
        studio.ask([studio.uids[0]], new_seeds=True)
        studio.director.resume()
        await until(lambda: studio.segment(0).takes == 2)
        assert studio.director.status.crashes == 0
    finally:
        await studio.close()


async def test_without_patience_it_stays(tmp_path: Path) -> None:
    studio = Two(tmp_path / "book", 12, patience=0.0)
    await studio.begin()
    try:
        studio.ask()
        await studio.idle()
        await asyncio.sleep(0.6)  # more than the patience of the test before
        assert studio.pids("other")
        assert studio.pids("scripted")
    finally:
        await studio.close()


async def test_an_engine_of_which_no_voice_reads_any_more_ends_and_comes_back(
    tmp_path: Path,
) -> None:
    studio = Two(tmp_path / "book", 3, patience=0.0)
    await studio.begin()
    try:
        studio.ask()
        await studio.idle()
        await until(lambda: bool(studio.pids("other")) and bool(studio.pids("scripted")))
        (gone,), (stays,) = studio.pids("other"), studio.pids("scripted")
        assert studio.segment(0).chosen is not None
        before = studio.project.segments()
        studio.project.put_voice(Voice(id="second", engine="scripted", speaker="tone"))
        studio.director.recast()
        await until(lambda: not alive(gone))
        await until(lambda: not studio.pids("other"))
        assert studio.pids("scripted") == [stays]
        assert [it.number for it in studio.project.segments() if it.stale] == [1]
        studio.project.undo()
        studio.director.recast()
        assert studio.project.segments() == before
        studio.ask([studio.uids[0]], new_seeds=True)
        await until(lambda: studio.segment(0).takes == 2)
        await until(lambda: len(studio.pids("other")) == 1)  # the status comes a moment later
        assert studio.director.status.crashes == 0
    finally:
        await studio.close()


async def test_what_it_has_begun_is_finished_before_it_ends(tmp_path: Path) -> None:
    studio = Two(tmp_path / "book", 2, patience=0.0)
    studio.catalogue = Catalogue(
        {
            "scripted": scripted(),
            "other": scripted("--clip-time", "1.5", name="other"),
        }
    )
    await studio.begin()
    try:
        studio.ask()
        await until(lambda: bool(studio.director.status.narrating & {studio.uids[0]}))
        studio.project.set_voice([studio.uids[0]], "tone")
        studio.director.recast()
        await studio.idle()
        assert studio.segment(0).takes == 1, "what was under way is kept"
        assert studio.segment(0).queued is False
        await until(lambda: not studio.pids("other"))
    finally:
        await studio.close()


async def test_work_that_comes_while_an_engine_leaves_is_not_waited_for(
    make_pool: MakePool, tmp_path: Path
) -> None:
    marker = tmp_path / "loaded once"
    marker.touch()
    jobs = Jobs([line(1), line(2)])
    second = jobs.waiting.pop()
    pool = make_pool(scripted("--fault", "hang-at-load", "--once", str(marker), grace=0.5), jobs)
    pool.work()
    await until(lambda: jobs.settled == 1)
    leaving = asyncio.create_task(pool.unload())
    await asyncio.sleep(0)
    marker.unlink()  # so that the next one hangs
    jobs.waiting.append(second)
    pool.work()
    async with asyncio.timeout(20):
        await leaving
    await until(lambda: any(it.state is WorkerState.LOADING for it in pool.statuses()))


async def test_memory_is_given_back(tmp_path: Path) -> None:
    studio = Two(tmp_path / "book", 4, patience=0.5)
    held = 200
    studio.catalogue = Catalogue(
        {
            "scripted": scripted(),
            "other": scripted("--model-mb", str(held), name="other", idle_seconds=0.5),
        }
    )
    await studio.begin()
    try:
        studio.ask()
        await until(lambda: bool(studio.pids("other")) and studio.segment(0).chosen is not None)
        full = footprint()
        assert full > held << 20
        await until(lambda: not studio.pids("other"))
        assert full - footprint() == pytest.approx(held << 20, rel=0.25)
        assert cards.last_baseline("other") >= held << 20, "what the list of engines says stays"
    finally:
        await studio.close()


async def test_a_single_answer_s_engine_gives_it_back_as_soon(tmp_path: Path) -> None:
    spec = scripted("--model-mb", "200", idle_seconds=0.3)
    resident = Resident()
    async with resident.lent(spec) as link:
        pid = link.pid
        full = footprint()
        assert full > 200 << 20
    await until(lambda: not alive(pid))
    assert full - footprint() == pytest.approx(200 << 20, rel=0.25)
    await resident.close()


def footprint() -> int:
    """What the processes below this one take together."""
    return sum(
        memory.footprint(it.pid)
        for it in psutil.Process().children(recursive=True)
        if alive(it.pid)
    )
