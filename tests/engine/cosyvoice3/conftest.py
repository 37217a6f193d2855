"""These tests need the engine's own environment; in the studio's they are not even collected."""

from __future__ import annotations

import os
from importlib.util import find_spec

import pytest

NEEDED = ("torch", "tokenizers", "safetensors")
NEEDED_FOR_ALL = (*NEEDED, "mlx")
"""There is an MLX for every machine that these tests run on; none of them is left out there."""

_missing = [name for name in NEEDED if find_spec(name) is None]
if os.environ.get("RHAPSODE_NEED_ENGINES") == "1":
    if lacking := [name for name in NEEDED_FOR_ALL if find_spec(name) is None]:
        raise pytest.UsageError(f"The tests of the engine need {', '.join(lacking)}.")
collect_ignore_glob = ["test_*.py"] if _missing else []

if not _missing:
    import torch

    # Two threads on a shared machine take longer than one, and give other bits.
    torch.set_num_threads(1)
