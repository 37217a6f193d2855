"""Temporary folders of processes that were killed go with the next run; those in use never."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from studio import temporary

SCRIPT = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"
HOLD = """
import time
from studio import temporary
with temporary.folder("bench") as made:
    (made / "reference.wav").touch()
    print(made, flush=True)
    time.sleep(1000)
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders of child processes are made."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def holder(place: Path) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that holds a folder, and the folder."""
    process = subprocess.Popen([sys.executable, "-c", HOLD], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    with process:
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def old(folder: Path) -> None:
    """Let a folder be older than is let be."""
    before = time.time() - 10 * temporary.YOUNG
    os.utime(folder, (before, before))


def test_a_killed_process_s_folder_goes_and_a_living_one_s_stays(
    place: Path, holder: tuple[subprocess.Popen[str], Path]
) -> None:
    process, made = holder
    assert made.parent == place
    old(made)
    assert temporary.sweep(place) == 0
    assert (made / "reference.wav").exists()
    process.kill()
    process.wait()
    assert made.exists(), "nobody was there to remove it"
    old(made)
    assert temporary.sweep(place) == 1
    assert not made.exists()


def test_what_is_young_or_of_others_or_elsewhere_stays(place: Path, tmp_path: Path) -> None:
    (place / "rhapsode-bench-young").mkdir()
    other = tmp_path / "other"
    other.mkdir()
    (other / "book.db").touch()
    (place / "rhapsode-bench-link").symlink_to(other)
    for name in ("rhapsode-engine-1-x", "rhapsode-soak-x", "rhapsode-benches", "bench"):
        (place / name).mkdir()
        old(place / name)
    (place / "rhapsode-check-file").touch()
    old(place / "rhapsode-check-file")
    before = sorted(place.iterdir())
    assert temporary.sweep(place) == 0
    assert sorted(place.iterdir()) == before
    assert temporary.sweep(place / "nowhere") == 0


def test_it_goes_when_it_is_done_with_also_after_a_fault(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)

    def fail() -> None:
        with temporary.folder("check") as made:
            (made / "inner").mkdir()
            assert made.stat().st_mode & 0o077 == 0
            raise RuntimeError("a fault")

    with pytest.raises(RuntimeError, match="a fault"):
        fail()
    assert list(place.iterdir()) == []


def test_the_next_bench_clears_up_after_one_that_was_killed(place: Path, home: Path) -> None:
    command = [sys.executable, "-P", str(SCRIPT), "--name", "one", "--clip-time"]
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.one]\ncommand = {json.dumps([*command, '0'])}\n"
        f"[engines.slow]\ncommand = {json.dumps([*command, '1000'])}\n"
    )

    def bench(name: str) -> subprocess.Popen[bytes]:
        words = ["bench", "engines", name, name, "--no-words", "--most", "1"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        return subprocess.Popen([sys.executable, "-m", "studio", *words], **quiet)

    with bench("slow") as process:
        deadline = time.monotonic() + 60
        while not (left := [*place.glob("rhapsode-bench-*")]):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        process.kill()
    (folder,) = left
    assert folder.exists()
    old(folder)
    with bench("one") as process:
        assert process.wait(60) == 0
    assert [*place.glob("rhapsode-bench-*")] == []
