"""An engine that nobody uses leaves, whatever others are doing, and comes back when needed."""

from __future__ import annotations

import asyncio
from pathlib import Path

from narration_helpers import Studio, alive, line, scripted, until

from studio.engines.catalogue import Catalogue
from studio.narration.director import Director
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
    studio = Two(tmp_path / "book", 200, patience=0.3)
    await studio.begin()
    try:
        studio.ask()
        await until(lambda: bool(studio.pids("other") and studio.pids("scripted")))
        (gone,) = studio.pids("other")
        await until(lambda: not studio.pids("other"))
        assert not alive(gone)
        assert studio.pids("scripted"), "the other one was unloaded, too"
        assert studio.segment(0).chosen is not None
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
