"""What killed studios leave outside a project: doctor finds it, says what it is, and mends it."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from studio.narration.empty_folder import PREFIX
from studio.tools.doctor import doctor


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def details(folder: Path | None, *, fix: bool = False) -> list[str]:
    """What doctor says of things that are left over, and of what it has mended."""
    reply = doctor(folder, fix=fix)
    findings = [f for f in reply.data["findings"] if f["what"] in ("left over", "mended")]
    assert not any(f["needed"] and not f["ok"] for f in findings), "nothing here is an error"
    return [f["detail"] for f in findings]


def test_folders_of_killed_studios(temporary: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    empty = temporary / f"{PREFIX}{gone.pid}-a"
    full = temporary / f"{PREFIX}{gone.pid}-b"
    ours = temporary / f"{PREFIX}{os.getpid()}-c"
    for folder in (empty, full, ours):
        folder.mkdir()
    (full / "core").write_bytes(b"dump")
    said = details(None)
    assert len(said) == 2
    assert str(empty) in said[0]
    assert "doctor --fix, removes it" in said[0]
    assert str(full) in said[1]
    assert "look, and delete it" in said[1]
    mended = details(None, fix=True)
    assert mended[0] == "removed 1 empty engine folder"
    assert not empty.exists()
    assert full.exists()
    assert ours.exists()


def test_an_import_that_was_cut_off(temporary: Path, tmp_path: Path) -> None:
    (tmp_path / ".the-ferry.part-x1").mkdir()
    (said,) = details(tmp_path / "the-ferry")
    assert "when an import, pack or unpack was cut off" in said
    assert ".the-ferry.part-x1" in said
