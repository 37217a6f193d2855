"""Folders of studios that were killed do not pile up."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from studio.narration.empty_folder import PREFIX, make, sweep


def test_a_folder_is_empty_private_and_named_after_its_studio() -> None:
    folder = Path(make())
    try:
        assert list(folder.iterdir()) == []
        assert folder.stat().st_mode & 0o077 == 0
        assert folder.name.startswith(f"{PREFIX}{os.getpid()}-")
    finally:
        folder.rmdir()


def test_what_a_killed_studio_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    left = tmp_path / f"{PREFIX}{gone.pid}-abc"
    ours = tmp_path / f"{PREFIX}{os.getpid()}-abc"
    full = tmp_path / f"{PREFIX}{gone.pid}-full"
    other = tmp_path / f"{PREFIX}notes"
    for folder in (left, ours, full, other):
        folder.mkdir()
    (full / "kept.txt").write_text("somebody's", encoding="utf-8")
    assert sweep(tmp_path) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        path.name for path in (ours, full, other)
    )
    assert sweep(tmp_path / "nowhere") == 0
