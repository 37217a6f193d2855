"""What every test gets: a home of its own, and none of the developer's."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user folder of its own: configuration, logs and recent projects land there."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("RHAPSODE_HOME", str(folder))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return folder
