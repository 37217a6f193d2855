"""An engine goes with the studio that started it, whatever either of them is doing."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from engine_process import DRIVER, REPOSITORY, EngineProcess

from engine import wire

HOST = """
import subprocess, sys, time
sys.path[:0] = [{tests!r}, {repository!r}]
from pathlib import Path
from engine_process import DRIVER, EngineProcess
engine = EngineProcess(Path(sys.argv[1]), "scripted", entry=DRIVER).ready()
if "leak" in sys.argv:
    # Another process has got the studio's end of the pipe: the requests never end.
    held = engine.process.stdin.fileno()
    keeper = subprocess.Popen(["sleep", "1000"], pass_fds=[held], stdout=subprocess.DEVNULL)
    print(keeper.pid, flush=True)
engine.ask(sys.argv[2])
engine.wait_for_errors(sys.argv[3].encode())
print(engine.process.pid, engine.errors.decode().split()[-1], flush=True)
time.sleep(1000)
"""


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def until(condition: Callable[[], bool], seconds: float = 10.0) -> None:
    """Wait for a condition, with a deadline."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.02)


def host(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    """A stand-in for the studio, with one engine at work."""
    code = HOST.format(tests=str(DRIVER.parent), repository=str(REPOSITORY))
    return subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path / "cwd"), *arguments],
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the system's own signal is Linux's")
@pytest.mark.parametrize("leak", [False, True])
@pytest.mark.parametrize(("command", "sign"), [("seize", "seized"), ("hang", "hanging")])
def test_a_killed_studio_takes_a_hung_engine_along(
    tmp_path: Path, command: str, sign: str, leak: bool
) -> None:
    """Hung in native code with the interpreter held, or with the pipe to it still open."""
    with host(tmp_path, command, sign, *["leak"][: int(leak)]) as studio:
        assert studio.stdout is not None
        keeper = int(studio.stdout.readline()) if leak else 0
        try:
            engine = int(studio.stdout.readline().split()[0])
            assert alive(engine)
            studio.kill()
            studio.wait()
            until(lambda: not alive(engine))
        finally:
            if keeper:
                os.kill(keeper, 9)


def test_what_the_engine_has_started_goes_with_the_studio(tmp_path: Path) -> None:
    with host(tmp_path, "bear", "child") as studio:
        assert studio.stdout is not None
        engine, child = map(int, studio.stdout.readline().split())
        assert alive(child)
        studio.kill()
        studio.wait()
        until(lambda: not alive(engine) and not alive(child))


@pytest.mark.skipif(sys.platform != "linux", reason="the system's own signal is Linux's")
def test_a_studio_that_died_before_it_could_be_watched(tmp_path: Path) -> None:
    """The requests have ended before the engine asked the system to watch."""
    code = (
        "import os, sys, time; from engine import lifeline;"
        "lifeline._ask_linux = lambda: None;"
        "lifeline.tie(0); time.sleep(1000)"
    )
    reading, writing = os.pipe()
    os.close(writing)
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=reading, cwd=REPOSITORY, start_new_session=True
        )
        assert process.wait(10) == -9
    finally:
        os.close(reading)


def test_a_living_studio_is_not_left(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "cwd", "scripted", entry=DRIVER) as engine:
        engine.ready()
        clip, _ = engine.narrate("bear")
        assert isinstance(clip, wire.Clip)
        engine.wait_for_errors(b"child")
        child = int(re.findall(rb"child (\d+)", bytes(engine.errors))[0])
        assert alive(child)
        engine.process.stdin.close()
        until(lambda: not alive(child))
