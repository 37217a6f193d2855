"""kill -9 of the studio at random points of narrating and exporting, a hundred times and more.

``RHAPSODE_KILLS=500 pytest -s tests/cli/test_killed_at_random.py`` is the long form.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

KILLS = int(os.environ.get("RHAPSODE_KILLS", "100"))
SEED = int(os.environ.get("RHAPSODE_KILLS_SEED", "1"))


@pytest.mark.slow
def test_kills_at_random_lose_nothing_and_double_nothing(tmp_path: Path) -> None:
    command = [sys.executable, str(Path(__file__).with_name("killing.py")), str(tmp_path)]
    done = subprocess.run(
        [*command, "--kills", str(KILLS), "--seed", str(SEED)],
        capture_output=True,
        text=True,
        timeout=120 + 3 * KILLS,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    report = json.loads(done.stdout)
    print(report)
    assert report["narrations"] + report["exports"] >= KILLS
    assert report["leftovers"], "some kills hit a clip on its way"
