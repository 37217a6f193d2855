"""Mutated EPUBs are read or refused in one sentence, soon, and the account still holds.

RHAPSODE_MUTATED names how many; 1000 is the long form.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import fuzzing
import pytest

COUNT = int(os.environ.get("RHAPSODE_MUTATED", "60"))


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("first", range(0, COUNT, 20))
def test_mutated_books_are_read_or_refused(first: int) -> None:
    results = [fuzzing.read_one(seed) for seed in range(first, min(first + 20, COUNT))]
    assert all(seconds < fuzzing.SLOWEST for _, seconds in results)
    assert any(read for read, _ in results)
    assert not all(read for read, _ in results)


def test_memory_stays_small_over_many_books() -> None:
    number = max(40, COUNT)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", Path(fuzzing.__file__), "5000", str(number)],
        capture_output=True,
        text=True,
        timeout=600,
        check=True,
    )
    report = json.loads(ran.stdout)
    assert report["slowest"] < fuzzing.SLOWEST, report
    assert report["peak_mb"] < 500, report
