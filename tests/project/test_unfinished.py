"""Unfinished files: those of a crash are found and removed, those being written are left alone."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.project import clips, unfinished
from studio.project.project import Project

WRITER = """
import sys, time
from pathlib import Path
from studio.project.unfinished import hold
files = [open(path, "xb") for path in sys.argv[1:]]
for file in files:
    hold(file.fileno())
    file.write(b"half")
    file.flush()
print("ready", flush=True)
time.sleep(1000)
"""


@contextmanager
def writing(*paths: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that is in the middle of writing files."""
    command = [sys.executable, "-c", WRITER, *map(str, paths)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        try:
            yield process
        finally:
            process.kill()


def test_only_what_nobody_writes_is_a_leftover(project: Project) -> None:
    folder = project.folder
    (folder / "exports").mkdir(exist_ok=True)
    (folder / "clips" / "ab").mkdir(parents=True)
    paths = [
        folder / "exports" / ".rhapsode-0123.part",
        folder / "clips" / "ab" / ".part-x",
    ]
    with writing(*paths):
        assert project.problems() == []
        assert project.fix() == []
        assert all(path.exists() for path in paths)
    found = project.problems()
    assert [problem.kind for problem in found] == ["leftover", "leftover"]
    assert all(problem.fixable and not problem.serious for problem in found)
    assert "exports/.rhapsode-0123.part" in " ".join(problem.what for problem in found)
    assert len(project.fix()) == 2
    assert project.problems() == []
    assert not any(path.exists() for path in paths)


def test_a_file_is_held_while_it_is_written(tmp_path: Path) -> None:
    part = tmp_path / clips.TEMPORARY_PREFIX
    with part.open("xb") as file:
        unfinished.hold(file.fileno())
        assert unfinished.abandoned([part]) == []
    assert unfinished.abandoned([part]) == [part]
    assert unfinished.abandoned([tmp_path / "gone"]) == []
