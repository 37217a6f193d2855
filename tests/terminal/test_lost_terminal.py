"""A terminal that hangs up, or stops reading, while the studio narrates and paints."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import sqlite3
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path

import psutil
import pytest

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.folders import config_folder
from studio.project.model import Voice
from studio.project.project import Project

pytestmark = [pytest.mark.terminal, pytest.mark.slow]

ENGINE = Path(__file__).parent.parent / "fakes" / "scripted_engine.py"
SEGMENTS = 2000
STALLED_TAKES = 150
"""Takes that are made while nobody reads the terminal."""
STALLED_FRAMES = 100
"""Frames that are asked for meanwhile, far more than any buffer holds."""
GONE_SECONDS = 20.0

CONTROLLED = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
"""
"""Makes the terminal the controlling one, as a terminal emulator does: its end is a SIGHUP too."""


class Studio:
    """The studio on a book in a pseudo-terminal, which is read only when asked."""

    def __init__(self, book: Path, *, controlled: bool) -> None:
        """Start it."""
        self.book = book
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 36, 120, 0, 0))
        wrapper = ["-c", CONTROLLED] if controlled else []
        given = {key: it for key, it in os.environ.items() if key not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, *wrapper, "-m", "studio", "open", str(book)],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**given, "TERM": "xterm-256color", "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        os.close(slave)

    def read(self, until: str, seconds: float = 30.0) -> str:
        """Read the terminal until a text has come."""
        seen, deadline = b"", time.monotonic() + seconds
        while until.encode() not in seen:
            assert time.monotonic() < deadline, f"{until!r} never came: {seen[-3000:]!r}"
            if select.select([self.master], [], [], 0.1)[0]:
                seen += os.read(self.master, 1 << 16)
        return seen.decode("utf-8", "replace")

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self.master, keys.encode())

    def takes(self) -> int:
        """Takes in the book."""
        with closing(sqlite3.connect(f"file:{self.book / 'book.db'}?mode=ro", uri=True)) as data:
            return int(data.execute("SELECT count(*) FROM takes").fetchone()[0])

    def narrate(self) -> None:
        """Narrate the book, and look away."""
        self.read("number 0")
        self.type("gb")
        self.read(f"Narrate {SEGMENTS:,}")
        self.type("y")
        until(lambda: self.takes() > 20)
        with suppress(AssertionError):
            self.read("what is painted but once", 2.0)  # the frames of the beginning

    def stall(self) -> None:
        """Let it paint far more than a terminal takes that is not read; narration goes on."""
        before = self.takes()
        for n in range(STALLED_FRAMES):
            self.type(("\x1b[6~", "\x1b[5~")[n % 2])
            time.sleep(0.02)  # or the keys become one frame
        until(lambda: self.takes() > before + STALLED_TAKES)

    def close(self) -> None:
        """See to it that nothing is left."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(10)
        with suppress(OSError):
            os.close(self.master)


def until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for a condition."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.05)


@pytest.fixture
def book(tmp_path: Path, home: Path) -> Path:
    """A book that a quick engine needs a while for."""
    command = [sys.executable, "-P", str(ENGINE), "--clip-time", "0.005"]
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(
        f"[engines.scripted]\ncommand = {command!r}\n"
        f'environment = {{ PYTHONPATH = "{ENGINE.parents[2]}" }}\n'
    )
    texts = [f"This is number {n}." for n in range(SEGMENTS)]
    lines = [SegmentDraft(Kind.PROSE, text, None, True, n) for n, text in enumerate(texts)]
    voice = Voice(id="heart", engine="scripted", speaker="heart", language="en-US")
    folder = tmp_path / "book"
    Project.create(
        folder,
        title="Stormy",
        author="",
        language="en-US",
        voice=voice,
        chapters=[ChapterDraft("One", tuple(lines))],
    ).close()
    return folder


@pytest.fixture(params=[True, False], ids=["controlling", "not controlling"])
def studio(request: pytest.FixtureRequest, book: Path) -> Iterator[Studio]:
    """The studio at work on it."""
    with closing(Studio(book, controlled=request.param)) as opened:
        opened.narrate()
        yield opened


def gone_for_good(studio: Studio, engines: list[psutil.Process], code: int) -> None:
    """The studio has left as on a signal; no engine is left, and the book is free and whole."""
    assert studio.process.wait(GONE_SECONDS) == 128 + code
    assert not psutil.wait_procs(engines, GONE_SECONDS)[1]
    with Project.open(studio.book) as project:
        assert project.queue()
        assert sum(1 for _ in project.segments()) == SEGMENTS


def test_a_terminal_that_hangs_up_in_a_storm_of_frames(studio: Studio) -> None:
    engines = psutil.Process(studio.process.pid).children(recursive=True)
    assert engines
    studio.stall()
    os.close(studio.master)
    gone_for_good(studio, engines, signal.SIGHUP)


def test_a_terminal_that_does_not_read_stops_nothing(book: Path) -> None:
    with closing(Studio(book, controlled=True)) as studio:
        studio.narrate()
        studio.stall()
        # Read again, it gets a whole picture: this word is not painted for a row that changes.
        studio.read("Chapters")
        engines = psutil.Process(studio.process.pid).children(recursive=True)
        studio.stall()
        os.kill(studio.process.pid, signal.SIGTERM)
        gone_for_good(studio, engines, signal.SIGTERM)
