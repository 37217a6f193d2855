"""Scripted engines, pools and the waiting that these tests need."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from engine import wire
from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.engines.catalogue import Catalogue, EngineSpec
from studio.narration.director import Director
from studio.narration.engine_log import RotatingLog
from studio.narration.pool import Pool
from studio.narration.status import NarrationStatus
from studio.narration.worker import Job, Worker
from studio.project.desk import Desk
from studio.project.model import Change, Kind, Segment, Voice
from studio.project.project import Project

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"

VOICE = wire.Voice(fingerprint="f" * 64, speaker="tone", language="en-US")


def scripted(*switches: str, **settings: Any) -> EngineSpec:
    """A scripted engine's spec; settings are those of `EngineSpec`."""
    command = (sys.executable, "-P", str(SCRIPT), *switches)
    return EngineSpec(**{"name": "scripted", "command": command, "grace": 2.0, **settings})


async def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for a condition, with a deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        await asyncio.sleep(0.01)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


class Jobs:
    """A client with a list of jobs; keeps what became of each."""

    def __init__(self, texts: list[str]) -> None:
        self.waiting = deque(
            Job(key=number, text=text, language="en-US", voice=VOICE, seed=1000 + number)
            for number, text in enumerate(texts)
        )
        self.clips: dict[Any, bytes] = {}
        self.blobs: dict[Any, Mapping[str, bytes]] = {}
        self.warnings: list[tuple[Any, tuple[str, ...]]] = []
        self.makers: dict[Any, int] = {}
        self.order: list[Any] = []
        self.failures: dict[Any, str] = {}
        self.given_back: list[Any] = []
        self.on_finished: Callable[[Worker, Job], None] = lambda worker, job: None

    def next_job(self) -> Job | None:
        return self.waiting.popleft() if self.waiting else None

    def demand(self) -> int:
        return len(self.waiting)

    def finished(
        self,
        worker: Worker,
        job: Job,
        clip: wire.Clip,
        samples: NDArray[np.float32],
        blobs: Mapping[str, bytes],
    ) -> None:
        assert job.key not in self.clips, "made twice"
        self.clips[job.key] = samples.tobytes()
        self.blobs[job.key] = blobs
        self.makers[job.key] = worker.number
        self.order.append(job.key)
        self.on_finished(worker, job)

    def warned(self, job: Job, notes: Sequence[str]) -> None:
        self.warnings.append((job.key, tuple(notes)))

    def failed(self, job: Job, reason: str) -> None:
        self.failures[job.key] = reason

    def dropped(self, job: Job) -> None:
        self.given_back.append(job.key)
        self.waiting.appendleft(job)

    def changed(self) -> None:
        pass

    @property
    def settled(self) -> int:
        return len(self.clips) + len(self.failures)


MakePool = Callable[..., Pool]


@pytest.fixture
async def make_pool(tmp_path: Path) -> AsyncIterator[MakePool]:
    """Pools that are gone, with their processes, when the test ends."""
    pools: list[Pool] = []

    def make(spec: EngineSpec, jobs: Jobs, **options: Any) -> Pool:
        pools.append(Pool(spec, jobs, RotatingLog(tmp_path / "engine.log"), **options))
        return pools[-1]

    yield make
    for pool in pools:
        pids = [worker.pid for worker in pool.statuses() if worker.pid]
        await pool.unload()
        assert not [pid for pid in pids if alive(pid)]


def line(number: int) -> str:
    """A text of its own for every number."""
    return f"Line {number}: the ferry was late again, and nobody minded."


def make_book(folder: Path, texts: list[str], engine: str = "scripted") -> Project:
    """A project with one chapter per 100 texts."""
    drafts = [
        SegmentDraft(Kind.PROSE, text, text, True, 1000 + number)
        for number, text in enumerate(texts)
    ]
    chapters = [
        ChapterDraft(f"Chapter {start // 100 + 1}", tuple(drafts[start : start + 100]))
        for start in range(0, len(drafts), 100)
    ]
    speaker = "heart" if engine == "hibari" else "tone"
    voice = Voice(id=speaker, engine=engine, speaker=speaker, language="en-US")
    return Project.create(
        folder, title="A book", author="", language="en-US", voice=voice, chapters=chapters
    )


class Studio:
    """A project with a director at work on it."""

    def __init__(self, folder: Path, texts: list[str], spec: EngineSpec, **options: Any) -> None:
        self.project = make_book(folder, texts, spec.name)
        self.desk = Desk()
        self.changes: list[Change] = []
        self.statuses: list[NarrationStatus] = []
        self.director = Director(
            self.project,
            self.desk,
            Catalogue({spec.name: spec}),
            on_change=self.changes.append,
            on_status=self.statuses.append,
            **options,
        )
        self.uids = [segment.uid for segment in self.project.segments()]
        self.running = asyncio.create_task(self.director.run())

    def ask(self, uids: list[str] | None = None, **options: Any) -> None:
        """Queue segments, all of them by default."""
        self.project.enqueue(uids if uids is not None else self.uids, **options)
        self.director.wake()

    async def idle(self, seconds: float = 90.0) -> None:
        """Wait until nothing is left to do."""
        async with asyncio.timeout(seconds):
            await self.director.until_idle()

    def segment(self, index: int) -> Segment:
        """One segment, as it is now."""
        return self.project.segments()[index]

    def hashes(self) -> list[str]:
        """The PCM hash of each segment's chosen take, or nothing."""
        return [
            self.project.take(segment.chosen).pcm_hash if segment.chosen else ""
            for segment in self.project.segments()
        ]

    async def close(self) -> None:
        """Close everything."""
        await self.director.close()
        await self.running
        self.desk.close()
        self.project.close()


MakeStudio = Callable[..., Studio]


@pytest.fixture
async def make_studio(tmp_path: Path) -> AsyncIterator[MakeStudio]:
    """Studios that are closed, with their processes, when the test ends."""
    studios: list[Studio] = []

    def make(texts: list[str], spec: EngineSpec, **options: Any) -> Studio:
        studios.append(Studio(tmp_path / f"book{len(studios)}", texts, spec, **options))
        return studios[-1]

    yield make
    for studio in studios:
        pids = [worker.pid for worker in studio.director.status.workers if worker.pid]
        await studio.close()
        assert not [pid for pid in pids if alive(pid)]
