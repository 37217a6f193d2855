"""What the narration benchmarks share: bare engines, headless runs, and their wall times."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from engine import wire
from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.engines.catalogue import Catalogue, EngineSpec, engine_environment
from studio.narration.director import Director
from studio.project.desk import Desk
from studio.project.model import Voice
from studio.project.project import Project

SENTENCES = (
    "We left the mill before the rain and took the upper road.",
    "“Is it true?” he whispered.",
    "She had waited eleven years for a letter that would never come.",
    "Nobody in the village remembered when the mill had stopped.",
    "Down in the cellar the old clock struck three, and then it struck three again.",
    "The ferry was late.",
    "He counted the coins twice, then pushed them across the table without a word.",
)


def texts(count: int) -> list[str]:
    """Texts of a book's usual lengths, all different."""
    names = ("Anna", "Martin", "Ruth", "Edwin", "Clara", "Hugh", "Nora")
    return [
        f"{SENTENCES[n % len(SENTENCES)]} {names[n % 5]} saw {names[(n // 5) % 7]}."
        for n in range(count)
    ]


class BareEngine:
    """An engine without a studio: requests in, clips read and thrown away, two deep."""

    def __init__(self, spec: EngineSpec, speaker: str) -> None:
        self._process = subprocess.Popen(
            spec.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=engine_environment(spec),
            bufsize=0,
        )
        self._frames = self._read()
        next(self._frames)
        self._ask(wire.Load(1, dict(spec.options)))
        self._until(wire.Loaded)
        self._ask(wire.PrepareVoice(2, wire.Voice("v" * 64, speaker=speaker, language="en-US")))
        self._until(wire.Prepared)
        self._ids = 10

    def narrate(self, lines: Sequence[str]) -> float:
        """Narrate all of them; returns wall seconds."""
        started = time.perf_counter()
        sent = 0
        for done in range(len(lines)):
            while sent < len(lines) and sent < done + 2:
                self._ids += 1
                self._ask(wire.Narrate(self._ids, lines[sent], "en-US", "v" * 64, sent))
                sent += 1
            self._until(wire.Clip)
        return time.perf_counter() - started

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(10)

    def _ask(self, request: wire.Request) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(wire.encode(request))

    def _until(self, kind: type[object]) -> None:
        for frame in self._frames:
            if isinstance(frame.message, kind):
                return
            assert not isinstance(frame.message, (wire.Failed, wire.Refused)), frame.message
        raise AssertionError("the engine is gone")

    def _read(self):  # type: ignore[no-untyped-def]
        decoder = wire.Decoder()
        assert self._process.stdout is not None
        while data := os.read(self._process.stdout.fileno(), 1 << 20):
            yield from decoder.feed(data)


class Headless:
    """A studio without a screen: a project, a director, and loaded workers."""

    def __init__(self, folder: Path, spec: EngineSpec, speaker: str, lines: Sequence[str]) -> None:
        drafts = [
            SegmentDraft(Kind.PROSE, line, line, True, number) for number, line in enumerate(lines)
        ]
        voice = Voice(id="reader", engine=spec.name, speaker=speaker, language="en-US")
        self.project = Project.create(
            folder,
            title="Bench",
            author="",
            language="en-US",
            voice=voice,
            chapters=[ChapterDraft("One", tuple(drafts))],
        )
        self._desk = Desk()
        self._spec = spec

    async def start(self, workers: int) -> None:
        """Start the workers and narrate a line on each, so that load is not measured."""
        spec = replace(self._spec, workers=workers)
        self.director = Director(self.project, self._desk, Catalogue({spec.name: spec}))
        self._running = asyncio.create_task(self.director.run())
        uids = [segment.uid for segment in self.project.segments()]
        self.uids = uids
        while sum(worker.clips > 0 for worker in self.director.status.workers) < workers:
            self.project.enqueue(uids[:8], new_seeds=True)
            self.director.wake()
            await self.director.until_idle()
            await asyncio.sleep(0.05)

    async def narrate(self) -> float:
        """Narrate every segment with fresh seeds; returns wall seconds to the last record."""
        self.project.enqueue(self.uids, new_seeds=True)
        started = time.perf_counter()
        self.director.wake()
        await self.director.until_idle()
        assert not self.project.queue()
        return time.perf_counter() - started

    async def close(self) -> None:
        """End everything."""
        await self.director.close()
        await self._running
        self._desk.close()
        self.project.close()


def spread(values: Sequence[float]) -> str:
    """Best, median and worst, for people."""
    return f"best {min(values):.3f} median {statistics.median(values):.3f} worst {max(values):.3f}"
