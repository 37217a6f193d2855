"""What every test gets: a home of its own, and none of the developer's."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers
from needs import examples, search

# A run is a verdict, and chance must not decide it: the same examples each time, whichever modules
# other tests have loaded before (by itself hypothesis tries the constants that it finds in them).
# A search for examples that nobody thought of is asked for. Deadlines say more of the machine.
settings.register_profile("verdict", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("search", deadline=None, max_examples=examples(100))
if search():
    settings.load_profile("search")
else:
    settings.load_profile("verdict")
    providers._get_local_constants = lambda: providers._local_constants


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user folder of its own: configuration, logs and recent projects land there."""
    folder = tmp_path_factory.mktemp("home")
    monkeypatch.setenv("RHAPSODE_HOME", str(folder))
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return folder
