"""A soak of the embedded voice while its workers are killed: the same clips, the same bytes.

``RHAPSODE_SOAK_CLIPS`` makes it longer: with 1,000 clips a worker dies about every second for as
long as that takes.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
from rhapsode import done

import studio

CLIPS = int(os.environ.get("RHAPSODE_SOAK_CLIPS", "80"))
PATIENCE = 120 + CLIPS
"""Seconds that the run may take at most."""

SAMPLE = next(
    folder / "the-ferry.md"
    for folder in (
        Path(studio.__file__).parent / "sample",
        Path(studio.__file__).parents[1] / "projects" / "sample",
    )
    if folder.is_dir()
)


class Soak:
    """A soak in the background whose record is read while it runs."""

    def __init__(self, book: Path, record: Path, *arguments: str) -> None:
        self._record = record
        command = [sys.executable, "-m", "studio", "soak", str(book), "--clips", str(CLIPS)]
        self.process = subprocess.Popen(
            [*command, "--json", "--record", str(record), "--every", "0.1", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def clips(self) -> int:
        """How many lines are recorded by now."""
        try:
            lines = self._record.read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return 0
        return max((json.loads(x).get("clips", 0) for x in lines if '"sample"' in x), default=0)

    def workers(self) -> list[psutil.Process]:
        """The engine processes."""
        try:
            children = psutil.Process(self.process.pid).children()
        except psutil.NoSuchProcess:
            return []
        return [child for child in children if "--narrator" in _words(child)]

    def end(self) -> Any:
        """Wait for it; returns its verdict."""
        out, err = self.process.communicate(timeout=PATIENCE)
        assert self.process.returncode == 0, err + out
        return json.loads(out)


def _words(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.NoSuchProcess:
        return []


def kill_workers(soak: Soak, chance: random.Random) -> int:
    """Kill a worker about every second until the run is over; returns how many died.

    Some clips are let through in between: a line that takes down two workers is not tried a third
    time, and here it would be the driver that makes a line look guilty.
    """
    killed, seen, patient = 0, 0, time.monotonic() + PATIENCE
    while soak.process.poll() is None:
        assert time.monotonic() < patient, "the run does not come to its end"
        pause = time.monotonic() + chance.uniform(0.5, 1.5)
        while soak.process.poll() is None and (
            time.monotonic() < pause or min(soak.clips(), CLIPS - 1) < seen + 8
        ):
            assert time.monotonic() < patient, "no clips come"
            time.sleep(0.02)
        seen = soak.clips()
        workers = soak.workers()
        if workers and seen < CLIPS - 20:
            os.kill(chance.choice(workers).pid, signal.SIGKILL)
            killed += 1
    return killed


@pytest.mark.slow
def test_killed_workers_change_nothing(tmp_path: Path) -> None:
    book = tmp_path / "book"
    done("new", SAMPLE, "--to", book, cwd=tmp_path)
    calm = done("soak", book, "--clips", CLIPS, "--again", 0, cwd=tmp_path, timeout=PATIENCE)
    assert (calm["made"], calm["crashes"]) == (CLIPS, 0)
    soak = Soak(book, tmp_path / "killed.jsonl", "--expect", calm["digest"])
    try:
        killed = kill_workers(soak, random.Random(1))
        verdict = soak.end()
    finally:
        if soak.process.poll() is None:
            os.killpg(soak.process.pid, signal.SIGKILL)
        soak.process.wait()
    assert killed >= 2
    # A worker killed as it left, or before it had greeted, may be counted differently.
    assert 0 < verdict["crashes"] <= killed
    assert (verdict["made"], verdict["lost"], verdict["doubled"]) == (CLIPS, [], [])
    assert verdict["digest"] == calm["digest"]
    print(f"{CLIPS} clips, {killed} workers killed, {verdict['crashes']} crashes counted")
    print(f"calm {calm['wall_seconds']} s, killed {verdict['wall_seconds']} s, same bytes")
