"""What the benchmarks of the studio screen share: a long book, a pseudo-terminal, CPU clocks."""

from __future__ import annotations

import fcntl
import os
import pty
import sqlite3
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psutil
from studio_driver import FIRST_WORDS

from engine.wire import Card
from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.folders import config_folder
from studio.project.model import NewTake, Voice
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id

SCRIPT = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"
DRIVER = Path(__file__).parent / "studio_driver.py"

SEGMENTS = int(os.environ.get("RHAPSODE_BENCH_SEGMENTS", "20000"))
"""The budgets speak of 20,000; 50,000 is the longest book that is promised to work."""
CHAPTERS = max(1, SEGMENTS // 500)
COLUMNS, ROWS = 120, 36
PATIENCE = 120.0
"""Seconds that a condition is waited for."""

_LINES = (
    "“Is it true?” {name} whispered, and number {n} was called.",
    "She had waited {n} days for a letter that would never come, or so {name} said.",
    "Nobody in the village remembered when Dr. Harrow had last wound clock {n}.",
    "The ferry was late, {name} too, by {n} minutes.",
    "{name} counted {n} coins, then pushed them across the table without a word; the lamp had"
    " burnt low, and behind the shutters the river went on talking to itself.",
)
_NAMES = ("Anna", "Martin", "Ruth", "Edwin", "Clara", "Hugh", "Nora")

CARD = Card(
    engine="scripted",
    version="1",
    model="scripted",
    sample_rate=24_000,
    languages=("en-US",),
    max_chars=400,
    backend="python",
    precision="fp32",
    device="cpu",
    build={"script": "1"},
)


def make_book(folder: Path, *, short: bool = False) -> Project:
    """A book of `SEGMENTS` lines, some spoken otherwise than written; or of very short lines."""
    chapters = []
    per_chapter = SEGMENTS // CHAPTERS
    for chapter in range(CHAPTERS):
        lines = []
        for n in range(chapter * per_chapter, (chapter + 1) * per_chapter):
            line = "{n}, {name}." if short else _LINES[n % 5]
            text = line.format(n=n, name=_NAMES[n % 7]) if n else f"{FIRST_WORDS} came."
            spoken = text.replace("Dr.", "Doctor")
            lines.append(SegmentDraft(Kind.PROSE, text, spoken, n % 4 == 0, n))
        chapters.append(ChapterDraft(f"Chapter {chapter + 1}", tuple(lines)))
    voice = Voice(id="heart", engine="scripted", speaker="heart", language="en-US")
    return Project.create(
        folder, title="Long", author="", language="en-US", voice=voice, chapters=chapters
    )


def narrate_without_sound(project: Project) -> None:
    """Record a take for every segment; there are no clips behind them."""
    voice = project.voices()["heart"]
    rows = {segment.uid: segment for segment in project.segments()}
    project.enqueue(list(rows))
    queue = project.queue()
    provenance: dict[str, Any] = {"build": build_of(CARD)}
    for start in range(0, len(queue), 100):
        takes = []
        for item in queue[start : start + 100]:
            recipe = recipe_for(rows[item.segment], voice, CARD, item.seed)
            name = recipe_id(recipe)
            takes.append(NewTake(item, name, recipe, provenance, name, 24_000, 1, 96_000, 0.01, ()))
        project.record(takes)


def use_scripted_engine(clip_time: float, workers: int = 1) -> None:
    """Write the user's configuration: an engine that takes so long for a clip."""
    command = [sys.executable, "-P", str(SCRIPT), "--clip-time", str(clip_time)]
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(
        f"[engines.scripted]\nworkers = {workers}\ncommand = {command!r}\n"
        f'environment = {{ PYTHONPATH = "{SCRIPT.parents[2]}" }}\n'
    )


def cpu_seconds(pid: int) -> float:
    """CPU time that a process has used, as finely as the system tells."""
    if sys.platform == "linux":
        return time.clock_gettime((~pid << 3) | 2)  # MAKE_PROCESS_CPUCLOCK(pid, CPUCLOCK_SCHED)
    times = psutil.Process(pid).cpu_times()
    return float(times.user + times.system)


class Window:
    """A process in a pseudo-terminal of 120 by 36, and what it has written."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str]) -> None:
        """Start the command."""
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        settings = {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LANG": "C.UTF-8"}
        given = {**os.environ, **settings, **env}
        given.pop("PYTHONDONTWRITEBYTECODE", None)  # an installed program is compiled already
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=given,
            start_new_session=True,
        )
        os.close(slave)
        self.pid = self._process.pid
        self._seen = bytearray()
        self._wanted: bytes | None = None
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def _read(self) -> None:
        """Read for ever; say when a wanted text came."""
        while True:
            try:
                data = os.read(self._master, 1 << 16)
            except OSError:
                return
            if not data:
                return
            with self._changed:
                self._seen += data
                if self._wanted is not None and self._wanted in self._seen:
                    self._wanted = None
                    self._changed.notify()

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._master, keys.encode())

    def press_for(self, text: str, keys: str) -> None:
        """Type, and wait for what it brings."""
        with self._changed:
            self._seen.clear()
            self._wanted = text.encode()
        self.press(keys)
        self._wait()

    def wait_for(self, text: str) -> None:
        """Wait for a text that was written at any time."""
        with self._changed:
            self._wanted = None if text.encode() in self._seen else text.encode()
        self._wait()

    def _wait(self) -> None:
        with self._changed:
            done = self._changed.wait_for(lambda: self._wanted is None, PATIENCE)
            assert done, f"{self._wanted!r} was never written: {bytes(self._seen[-2000:])!r}"

    def until(self, condition: Callable[[], object]) -> None:
        """Wait for a condition, ten minutes at the most."""
        deadline = time.monotonic() + 600
        while not condition():
            assert time.monotonic() < deadline, f"in vain: {bytes(self._seen[-2000:])!r}"
            time.sleep(0.1)

    def settle(self) -> None:
        """Wait until the process does next to nothing."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            before = cpu_seconds(self.pid)
            time.sleep(0.5)
            if cpu_seconds(self.pid) - before < 0.02:
                return
        raise AssertionError("the studio never came to rest")

    def close(self) -> None:
        """Ask the process to leave, and see to it that it does."""
        self._process.terminate()
        try:
            self._process.wait(20)
        finally:
            self._process.kill()
            self._process.wait()
            self._reader.join(5)
            os.close(self._master)


@contextmanager
def window(*command: str, env: Mapping[str, str] | None = None) -> Iterator[Window]:
    """A command of this interpreter in a terminal of its own."""
    with closing(Window([sys.executable, *command], env or {})) as opened:
        yield opened


def takes_of(folder: Path) -> int:
    """How many takes a book has, asked beside the studio that has it open."""
    with closing(sqlite3.connect(f"file:{folder / 'book.db'}?mode=ro", uri=True)) as database:
        return int(database.execute("SELECT count(*) FROM takes").fetchone()[0])
