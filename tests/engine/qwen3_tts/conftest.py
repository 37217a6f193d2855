"""These tests need the engine's own environment; in the studio's they are not even collected."""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1]))  # the helper for engine processes

NEEDED = ("mlx_audio", "transformers", "soundfile", "scipy")

_missing = [name for name in NEEDED if find_spec(name) is None]
if _missing and os.environ.get("RHAPSODE_NEED_ENGINES") == "1":
    raise pytest.UsageError(f"The tests of the engine need {', '.join(_missing)}.")
collect_ignore_glob = ["test_*.py"] if _missing else []
