"""kill -9 of the engine and of the studio in the middle of a run: nothing lost, nothing doubled."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from needs import promised
from rhapsode import done

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"
LINES = 24


@pytest.fixture
def project(tmp_path: Path, home: Path) -> Path:
    """A book of short lines, and a slow engine in place of the embedded one."""
    command = json.dumps([sys.executable, str(ENGINE), "--clip-time", "0.15"])
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.hibari]\ncommand = {command}\nworkers = 1\n", encoding="utf-8"
    )
    lines = "\n\n".join(f"Line {n} of the slow book runs along the wall." for n in range(LINES))
    (tmp_path / "slow.txt").write_text(lines, encoding="utf-8")
    done("new", tmp_path / "slow.txt", "--to", tmp_path / "p", cwd=tmp_path)
    return tmp_path / "p"


def narrating(folder: Path) -> subprocess.Popen[str]:
    """``rhapsode narrate`` in the background, in a session of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "studio", "narrate", str(folder), "--json"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )


def takes(folder: Path) -> int:
    """How many takes the store holds, read beside the running studio."""
    with sqlite3.connect(f"file:{folder / 'book.db'}?mode=ro", uri=True) as store:
        return int(store.execute("SELECT count(*) FROM takes").fetchone()[0])


def until(condition: Callable[[], bool], what: str, seconds: float = 60) -> None:
    """Wait for a condition, and say what did not come."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"waited {seconds} s for {what}"
        time.sleep(0.02)


def engines_of(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """The engine processes below a running studio."""
    children = psutil.Process(process.pid).children(recursive=True)
    return [child for child in children if ENGINE.name in " ".join(child.cmdline())]


def each_once(folder: Path) -> None:
    """Every line has exactly one take, and nothing hangs."""
    segments = done("segments", folder, cwd=folder.parent)["segments"]
    assert len(segments) == LINES
    assert [row["takes"] for row in segments] == [1] * LINES
    assert {row["state"] for row in segments} == {"ready"}


def test_a_killed_worker_needs_no_key_and_loses_nothing(project: Path) -> None:
    run = narrating(project)
    try:
        for wanted in (4, 10):
            until(lambda wanted=wanted: takes(project) >= wanted, f"{wanted} takes")
            until(lambda: bool(engines_of(run)), "an engine")
            os.kill(engines_of(run)[0].pid, signal.SIGKILL)
        out, _ = run.communicate(timeout=120)
    finally:
        run.kill()
        run.wait()
    assert run.returncode == 0
    data = json.loads(out)
    assert data["crashes"] == 2
    assert data["failed"] == []
    each_once(project)


def test_a_killed_studio_leaves_no_ghost_and_each_clip_is_made_once(project: Path) -> None:
    made = 0
    for wanted in (5, 12):
        run = narrating(project)
        until(lambda wanted=wanted: takes(project) >= wanted, f"{wanted} takes")
        engines = engines_of(run)
        os.kill(run.pid, signal.SIGKILL)
        run.communicate()
        # The engine dies with the studio that started it.
        until(lambda engines=engines: not any(e.is_running() for e in engines), "the engine's end")
        made = takes(project)
        states = {row["state"] for row in done("segments", project, cwd=project.parent)["segments"]}
        assert "narrating" not in states
        assert "queued" in states
    data = done("narrate", project, cwd=project.parent)
    assert data["made"] == LINES - made
    each_once(project)


def test_an_interrupted_run_says_how_to_go_on(project: Path) -> None:
    run = subprocess.Popen(
        [sys.executable, "-m", "studio", "narrate", str(project)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    until(lambda: takes(project) >= 3, "3 takes")
    started = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=110)
    assert time.monotonic() - started < promised(10)
    assert run.returncode == 130
    assert "stay queued" in err
    assert "Traceback" not in err
    done("narrate", project, cwd=project.parent)
    each_once(project)


def test_a_second_studio_is_refused_with_the_owner(project: Path) -> None:
    run = narrating(project)
    try:
        until(lambda: takes(project) >= 1, "a take")
        second = subprocess.run(
            [sys.executable, "-m", "studio", "narrate", str(project)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
        assert second.returncode == 6
        assert str(run.pid) in second.stderr
        # Looking needs no lock.
        assert done("status", project, cwd=project.parent)["title"]
    finally:
        run.kill()
        run.communicate()
    # A dead owner's lock is free.
    done("narrate", project, cwd=project.parent)
    each_once(project)
