"""System parts that a test needs: skipped for want of one, unless the run promised them all."""

from __future__ import annotations

import os

import pytest


def skip_or_fail(reason: str) -> None:
    """Skip the test, or fail it where RHAPSODE_REQUIRE_SYSTEM says that nothing is missing."""
    if os.environ.get("RHAPSODE_REQUIRE_SYSTEM"):
        pytest.fail(reason)
    pytest.skip(reason)
