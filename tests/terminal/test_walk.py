"""The whole way in a real terminal, with the real engine: hear, judge, narrate anew, export."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import soundfile
from tmux import Terminal, terminal

pytestmark = [pytest.mark.terminal, pytest.mark.slow]

SIZES = {"wide": (120, 36), "narrow": (80, 24)}


@pytest.fixture(params=list(SIZES))
def window(
    request: pytest.FixtureRequest, tmp_path: Path, home: Path
) -> Iterator[tuple[Terminal, Path]]:
    """The studio on the sample book, with the folder that it was started in."""
    size = SIZES[request.param]
    with terminal(f"walk-{request.param}") as opened:
        opened.start(
            [sys.executable, "-m", "studio", "open", "--sample"], size, tmp_path, environment(home)
        )
        opened.wait("The Ferry", "draft")
        yield opened, tmp_path


def environment(home: Path, **more: str) -> dict[str, str]:
    """What the window's processes are given; no editor, no colours switched off."""
    return {
        "RHAPSODE_HOME": str(home),
        "TEXTUAL_ANIMATIONS": "none",
        "LANG": "C.UTF-8",
        "VISUAL": "",
        "EDITOR": "",
        **more,
    }


def row(shown: str, number: int) -> str:
    """The grid's row of a segment."""
    for line in shown.splitlines():
        line = line.rpartition("▎")[2]  # the chapters and the engine stand left of it
        words = line.replace("▌", " ").split()
        if str(number) in words[:2] and any(mark in line for mark in "▶…✗○~!✓●"):
            return line
    raise AssertionError(f"no row {number}:\n{shown}")


def until_row(window: Terminal, number: int, *words: str) -> str:
    """Wait until a segment's row holds all of the words."""
    deadline = time.monotonic() + 60
    while True:
        shown = window.text()
        if all(word in row(shown, number) for word in words):
            return shown
        assert time.monotonic() < deadline, f"row {number} never had {words}:\n{shown}"
        time.sleep(0.05)


def engines_of(pid: int) -> list[psutil.Process]:
    """Engine processes below a process."""
    return [
        child
        for child in psutil.Process(pid).children(recursive=True)
        if any("engine" in part for part in child.cmdline())
    ]


def studio_of(window: Terminal) -> int:
    """The process id of the studio in a window."""
    children = psutil.Process(window.pid()).children(recursive=True)
    return next(child.pid for child in children if "studio" in child.cmdline())


def test_the_walk(window: tuple[Terminal, Path]) -> None:
    opened, folder = window
    opened.keys("j")
    opened.keys("r")
    until_row(opened, 2, "ready", "1/1")
    opened.keys("Space")
    opened.wait("sound")
    opened.keys("R")
    until_row(opened, 2, "ready", "2/2")
    opened.keys("e")
    opened.wait("enter keeps")
    opened.type(" And so it was, a, q, r.")
    opened.keys("Enter")
    until_row(opened, 2, "stale")
    opened.keys("r")
    until_row(opened, 2, "ready", "3/3")
    opened.keys(",")
    until_row(opened, 2, "2/3")
    opened.keys(".")
    until_row(opened, 2, "3/3")
    opened.keys("a")
    until_row(opened, 2, "approved")
    opened.keys("u")
    until_row(opened, 2, "ready")
    opened.keys("C-r")
    until_row(opened, 2, "approved")
    opened.keys("g", "c")
    opened.keys("E")
    opened.wait("Export as WAV", "every segment has a current take", seconds=60)
    opened.keys("Enter")
    opened.wait("written:")
    files = list(folder.rglob("exports/*.wav"))
    assert len(files) == 1
    info = soundfile.info(files[0])
    assert (info.samplerate, info.channels) == (24_000, 1)
    assert info.duration > 5
    opened.keys("Escape")
    opened.wait("Export as WAV", gone=True)
    children = engines_of(opened.pid())
    assert children, "the engine is warm until the studio is left"
    opened.keys("q")
    opened.wait("exit 0")
    assert not psutil.wait_procs(children, timeout=30)[1], "an engine outlived the studio"


def test_what_native_libraries_print_does_not_stand_on_the_screen(
    tmp_path: Path, home: Path
) -> None:
    noise = (
        "import os, threading\n"
        "from studio.cli import main\n"
        "threading.Timer(2, os.write, (2, b'Expression pcm failed')).start()\n"
        "threading.Timer(2.2, os.mkdir, ('printed',)).start()\n"
        "raise SystemExit(main(['open', '--sample']))\n"
    )
    with terminal("noise") as opened:
        opened.start([sys.executable, "-c", noise], (100, 30), tmp_path, environment(home))
        opened.wait("The Ferry", "draft")
        deadline = time.monotonic() + 30
        while not (tmp_path / "printed").exists():
            assert time.monotonic() < deadline
            time.sleep(0.05)
        opened.keys("j")
        assert "Expression" not in opened.wait("2 · prose")
        opened.keys("q")
        opened.wait("exit 0")


@pytest.mark.parametrize(
    "number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP], ids=["INT", "TERM", "HUP"]
)
def test_a_signal_ends_it_and_the_engine(
    tmp_path: Path, home: Path, number: signal.Signals
) -> None:
    with terminal(f"signal-{number}") as opened:
        opened.start(
            [sys.executable, "-m", "studio", "open", "--sample"],
            (100, 30),
            tmp_path,
            environment(home),
        )
        opened.wait("The Ferry", "draft")
        opened.keys("r")
        until_row(opened, 1, "1/1")
        engines = engines_of(opened.pid())
        studio = engines[0].parent()
        assert studio is not None
        os.kill(studio.pid, number)
        opened.wait(f"exit {128 + number}")
        assert not psutil.wait_procs(engines, timeout=30)[1], "an engine outlived the studio"


def test_an_editor_of_ones_own(tmp_path: Path, home: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\necho "here is the editor"\nread answer\necho "$answer" > "$1"\n')
    editor.chmod(0o755)
    with terminal("editor") as opened:
        opened.start(
            [sys.executable, "-m", "studio", "open", "--sample"],
            (100, 30),
            tmp_path,
            environment(home, EDITOR=str(editor)),
        )
        opened.wait("The Ferry", "draft")
        opened.keys("j", "C-o")
        opened.wait("here is the editor")
        os.kill(studio_of(opened), signal.SIGINT)  # as ctrl-c in the editor does
        opened.type("Spoken from outside.")
        opened.keys("Enter")
        opened.wait("Rhapsode", "Spoken from outside.")
        opened.keys("k")
        opened.wait("1 · heading")
        opened.keys("q")
        opened.wait("exit 0")


def test_a_folder_without_a_project_is_refused_in_one_sentence(tmp_path: Path, home: Path) -> None:
    with terminal("refused") as opened:
        opened.start(
            [sys.executable, "-m", "studio", "open", str(tmp_path)],
            (100, 30),
            tmp_path,
            environment(home),
        )
        shown = opened.wait("exit 5")
        assert "rhapsode: " in shown
        assert "Traceback" not in shown
