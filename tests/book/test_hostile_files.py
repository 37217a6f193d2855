"""Every file of the table of hostile files is read or refused in a sentence, soon.

They are a twentieth of their size here; RHAPSODE_HOSTILE=1 makes them
whole, with a million parts each.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import hostile_files
import pytest

SCALE = float(os.environ.get("RHAPSODE_HOSTILE", "0.05"))
SOON = 5.0 if SCALE >= 1 else 2.5 if SCALE >= 0.1 else 2.0
"""Seconds of CPU; for a twentieth eight times too many: what is over it grows too fast."""
SLOW = dict.fromkeys(
    ("paragraphs", "runs", "cells", "notes", "one note"), 12.0 if SCALE >= 0.1 else 5.0
)
"""The converter of Word documents is the slowest there is; its bound is one of memory."""
MEMORY = 500 if SCALE >= 0.1 else 300
"""Megabytes."""
KINDS = ["txt", "md", "html", "fb2", "docx", "epub", "zip"]


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_files_end_soon(tmp_path: Path, kind: str) -> None:
    names = [name for name in hostile_files.FILES if name.endswith(f".{kind}")]
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", hostile_files.__file__, tmp_path, str(SCALE), *names],
        capture_output=True,
        text=True,
        timeout=900,
        check=True,
    )
    took = json.loads(ran.stdout)
    assert list(took) == names
    for name, result in took.items():
        assert result is not None, f"{name} did not end: {ran.stderr[-2000:]}"
        said, seconds, peak = result
        assert not said or (said.endswith(".") and "\n" not in said), f"{name}: {said}"
        soon = SLOW.get(name.removesuffix(".docx"), SOON)
        assert seconds < soon, f"{name}: {seconds:.1f} s, {said}"
        assert peak < MEMORY, f"{name}: {peak} MB, {said}"
    assert list(tmp_path.iterdir()) == []
