"""What a set knows of the sampler: a last bit, or two equal candidates, do not pass unseen.

The real entry of the measurements runs in a process of its own; the faults are planted there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from studio.tools.bench.identity import sampler_changes

ROOT = Path(__file__).resolve().parents[2]
ENTRY = ROOT / "engine" / "bench.py"
PLANTED = ROOT / "tests" / "fakes" / "planted"


def probe(**environment: str) -> dict[str, Any]:
    """The cases, out of a process with these variables."""
    kept = {key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ}
    process = subprocess.Popen(
        [sys.executable, "-P", str(ENTRY), "probe"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**kept, **environment},
        text=True,
    )
    with process:
        assert process.stdout is not None
        said = process.stdout.read()
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(said.splitlines()[-1])["result"]
    return found


@pytest.fixture(scope="module")
def healthy() -> dict[str, Any]:
    return probe()


def test_the_cases_come_out_the_same_in_another_process(healthy: dict[str, Any]) -> None:
    assert sampler_changes(healthy, probe(PYTHONPATH=str(PLANTED))) == []
    assert len(healthy) >= 60
    assert len({case["log-probabilities"] for case in healthy.values()}) == len(healthy)


@pytest.mark.parametrize(
    ("fault", "stage"),
    [
        ("ulp in log_softmax", "log-probabilities"),
        ("ulp in the probabilities", "probabilities"),
        ("ulp in the chance", "chance"),
        ("ulp in top_p", "nucleus"),
        ("two equal candidates swapped", "nucleus"),
    ],
)
def test_a_planted_fault_is_seen_where_it_is(
    healthy: dict[str, Any], fault: str, stage: str
) -> None:
    changes = sampler_changes(healthy, probe(PYTHONPATH=str(PLANTED), RHAPSODE_PLANT=fault))
    assert changes
    assert {change["stage"] for change in changes} == {stage}
    if fault == "two equal candidates swapped":
        assert all(change["at"] is not None for change in changes)
        assert any(change["case"].startswith("ties") for change in changes)
    if fault == "ulp in top_p":
        assert {change["case"].split()[0] for change in changes} <= {"edge", "plain", "ties"}
