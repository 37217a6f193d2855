"""How far a download is, on a terminal and elsewhere; and what a person is asked there."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from tiny_engine import FILES

from studio.commands import transfer
from studio.commands.transfer import Transfer
from studio.engines.room import amount


class Screen(io.StringIO):
    """What is written to standard error; a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


class Clock:
    """Time as a test wants it."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(transfer, "time", clock)
    return clock


def screen(monkeypatch: pytest.MonkeyPatch, *, terminal: bool) -> Screen:
    made = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", made)
    return made


def test_a_bar_with_bytes_pace_and_time_left(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    seen = screen(monkeypatch, terminal=True)
    with Transfer() as shown:
        shown.meter(1_000_000_000, 4_000_000_000, "llm.pt")
        for step in range(1, 11):
            clock.now += 1
            shown.meter(1_000_000_000 + step * 50_000_000, 4_000_000_000, "llm.pt")
        last = seen.getvalue().split("\x1b[2K")[-1]
        assert last == "█" * 9 + "░" * 15 + "  1.5 GB of 4.0 GB  50 MB/s  about 0:50 left  llm.pt"
        shown.tell("a line")
    assert seen.getvalue().endswith("\r\x1b[2K  a line\n")


def test_a_line_now_and_then_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    seen = screen(monkeypatch, terminal=False)
    with Transfer() as shown:
        for step in range(61):
            shown.meter(step * 1_000_000, 100_000_000, "llm.pt")
            clock.now += 1
        shown.meter(100_000_000, 100_000_000, "")
    lines = seen.getvalue().splitlines()
    assert len(lines) == 3
    assert lines[0] == "  30 MB of 100 MB  1.0 MB/s  about 1:10 left  llm.pt"
    assert "\x1b" not in seen.getvalue()


def test_a_file_that_begins_anew_shows_no_pace_below_nothing(
    monkeypatch: pytest.MonkeyPatch, clock: Clock
) -> None:
    seen = screen(monkeypatch, terminal=True)
    with Transfer() as shown:
        for done in (50, 90, 10, 20):
            clock.now += 1
            shown.meter(done, 100, "llm.pt")
    assert "-" not in seen.getvalue()
    assert "10 bytes/s" in seen.getvalue()


def test_nothing_is_told_where_a_program_listens(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = screen(monkeypatch, terminal=True)
    with Transfer(quiet=True) as shown:
        shown.tell("a line")
        shown.meter(1, 1, "")
    assert seen.getvalue() == ""


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (9_949, "9.9 kB"),
        (83_400_000, "83 MB"),
        (999_900_000, "1.0 GB"),
        (4_450_000_000, "4.5 GB"),
        (12_345_000_000_000, "12,345 GB"),
    ],
)
def test_bytes_as_a_person_reads_them(size: int, text: str) -> None:
    assert amount(size) == text


@pytest.mark.parametrize(("answer", "gone"), [("y", True), ("", False)])
def test_a_person_is_asked_before_anything_is_removed(
    home: Path, tmp_path: Path, answer: str, gone: bool
) -> None:
    source = tmp_path / "had"
    for name in FILES:
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_bytes(b"weights")
    script = str(Path(__file__).with_name("tiny_engine.py"))
    command = [sys.executable, script, "{}", "engines"]
    subprocess.run([*command, "pull", "tiny", "--from", source], check=True, capture_output=True)
    keyboard, terminal = pty.openpty()
    try:
        os.write(keyboard, f"{answer}\n".encode())
        ran = subprocess.run(
            [*command, "remove", "tiny", "--weights"],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=terminal,
            text=True,
            timeout=60,
            check=True,
        )
        asked = os.read(keyboard, 4096).decode()
    finally:
        os.close(keyboard)
        os.close(terminal)
    assert "Remove the weights (14 bytes) of tiny? [y/N]" in asked
    assert (home / "data" / "models" / "tiny").exists() is not gone
    assert ("tiny: its weights are gone." in ran.stdout) is gone
