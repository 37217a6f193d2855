"""What every test gets: a home of its own, and none of the developer's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# Where a run is a verdict, chance must not decide it; deadlines say more of the machine than of us.
settings.register_profile("verdict", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("search", deadline=None)
settings.load_profile("verdict" if os.environ.get("RHAPSODE_REQUIRE_SYSTEM") else "search")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user folder of its own: configuration, logs and recent projects land there."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("RHAPSODE_HOME", str(folder))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return folder
