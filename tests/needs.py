"""What a test may ask of the machine and of a run: its parts, its time, its patience."""

from __future__ import annotations

import os

import pytest


def skip_or_fail(reason: str) -> None:
    """Skip the test, or fail it where RHAPSODE_REQUIRE_SYSTEM says that nothing is missing."""
    if os.environ.get("RHAPSODE_REQUIRE_SYSTEM"):
        pytest.fail(reason)
    pytest.skip(reason)


def search() -> int:
    """How many times the usual examples are tried, by chance: RHAPSODE_SEARCH; 0 for a verdict."""
    return int(os.environ.get("RHAPSODE_SEARCH") or 0)


def examples(count: int) -> int:
    """How many examples a property is tried with that wants another number than the usual one."""
    return count * (search() or 1)


def promised(seconds: float) -> float:
    """How long something may take that is promised within so many seconds.

    Among other tests the machine has other things to do as well: ten times as long. What goes wrong
    there must take longer still, or it would not be seen.
    """
    return seconds * (10 if os.environ.get("PYTEST_XDIST_WORKER") else 1)
