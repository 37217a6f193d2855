"""What a reference implementation gave, kept as files; ``index.json`` describes each.

RHAPSODE_GOLDENS names another folder of the same kind. Tests run whatever cases its files hold, so
nothing here knows the name of a case.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np


def folder() -> Path:
    """Where the goldens are."""
    return Path(os.environ.get("RHAPSODE_GOLDENS") or Path(__file__).parent / "golden")


@cache
def load(name: str) -> Any:
    """One file: .npz and .safetensors as arrays by key, .json as it is. Not to be changed."""
    path = folder() / name
    if path.suffix == ".npz":
        with np.load(path) as archive:
            return {key: archive[key] for key in archive.files}
    if path.suffix == ".safetensors":
        from safetensors.numpy import load_file

        return load_file(path)
    return json.loads(path.read_text(encoding="utf-8"))


def names(pattern: str) -> list[str]:
    """The files that match, such as ``llm*_io.npz``."""
    return sorted(path.name for path in folder().glob(pattern))


def config(name: str) -> dict[str, Any]:
    """What the index says a checkpoint was made with."""
    entry: dict[str, Any] = load("index.json")["files"][name]["config"]
    return entry


def cases(keys: Iterable[str], field: str) -> list[str]:
    """The cases of a file whose keys are ``case.field``: those that have this field."""
    return sorted(key.rpartition(".")[0] for key in keys if key.endswith(f".{field}"))
