"""Installing and pulling on a disk that runs full."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from needs import skip_or_fail

HERE = Path(__file__).parent
MOUNTING = ["unshare", "--user", "--map-root-user", "--mount"]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["install", "pull"])
def test_a_disk_that_runs_full(tmp_path: Path, part: str) -> None:
    small = tmp_path / "small"
    small.mkdir()
    trial = [*MOUNTING, "mount", "-t", "tmpfs", "none", str(small)]
    if not shutil.which("unshare") or subprocess.run(trial, capture_output=True).returncode:
        skip_or_fail("a disk of its own cannot be made here")
    ran = subprocess.run(
        [*MOUNTING, sys.executable, str(HERE / "engines_on_a_small_disk.py"), part, str(small)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "done\n"
