"""Scripted engines, pools and the waiting that these tests need."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from numpy.typing import NDArray

from engine import wire
from studio.engines.catalogue import EngineSpec
from studio.narration.engine_log import RotatingLog
from studio.narration.pool import Pool
from studio.narration.worker import Job, Worker

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"

VOICE = wire.Voice(fingerprint="f" * 64, speaker="tone", language="en-US")


def scripted(*switches: str, **settings: Any) -> EngineSpec:
    """A scripted engine's spec; settings are those of `EngineSpec`."""
    command = (sys.executable, "-P", str(SCRIPT), *switches)
    return EngineSpec(**{"name": "scripted", "command": command, "grace": 2.0, **settings})


async def until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
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
        self.makers: dict[Any, int] = {}
        self.order: list[Any] = []
        self.failures: dict[Any, str] = {}
        self.given_back: list[Any] = []
        self.on_finished: Callable[[Worker, Job], None] = lambda worker, job: None

    def next_job(self) -> Job | None:
        return self.waiting.popleft() if self.waiting else None

    def finished(
        self, worker: Worker, job: Job, clip: wire.Clip, samples: NDArray[np.float32]
    ) -> None:
        assert job.key not in self.clips, "made twice"
        self.clips[job.key] = samples.tobytes()
        self.makers[job.key] = worker.number
        self.order.append(job.key)
        self.on_finished(worker, job)

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
