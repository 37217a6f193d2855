"""What a reference implementation gave, kept as files; ``index.json`` describes each.

RHAPSODE_GOLDENS names another folder of the same kind. A file is known by what it holds, wherever
it lies in the folder, and tests run whatever cases it has: nothing here knows a name. What cannot
be read fails at once. Tests that only need some model to work with take ours (`own`), whatever the
variable says.
"""

from __future__ import annotations

import json
import os
import re
import zipfile
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

OWN = Path(__file__).parent / "golden"
KINDS = {
    "llm": r"lm_input|greedy|ras_seed\d+",
    "flow": r"mel_n\d+\w*|mu|spks|v_step\d+",
    "hift": r"wav|wav_\w+|f0_float64\w*",
    "sampler": r"nucleus_id|ras_id",
    "features": r"(mel24|whisper128|fbank80|melbank|resample_)\w*",
    "noise": r"flow_noise_row\d+",
    "costs": "rng",
    "tokenizer": "texts",
    "text": "split|spell|blank|bracket|corner|only_punct",
}
"""What files of a kind hold: at least one field like this."""


def folder() -> Path:
    """Where the goldens are."""
    return Path(os.environ.get("RHAPSODE_GOLDENS") or OWN)


def own(name: str) -> str:
    """One of our files, as `load` and `config` take it."""
    return name if folder() == OWN else str(OWN / name)


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


@cache
def _fields(name: str) -> frozenset[str]:
    """What stands in a file, without the names of cases."""
    path = folder() / name
    if path.suffix == ".json":
        held = load(name)
        return frozenset(held) if isinstance(held, dict) else frozenset()
    with zipfile.ZipFile(path) as archive:
        return frozenset(key.removesuffix(".npy").rpartition(".")[2] for key in archive.namelist())


def names(kind: str) -> list[str]:
    """The files of a kind, from `KINDS`; paths from the folder on."""
    found = [path for suffix in ("npz", "json") for path in folder().rglob(f"*.{suffix}")]
    if not found:
        raise FileNotFoundError(f"There are no goldens in “{folder()}”.")
    relative = sorted(path.relative_to(folder()).as_posix() for path in found)
    return [name for name in relative if any(re.fullmatch(KINDS[kind], f) for f in _fields(name))]


def weights(name: str) -> str:
    """The checkpoint that a file of records was made with."""
    return name.removesuffix(".npz").removesuffix("_io") + ".safetensors"


def entry(name: str) -> dict[str, Any]:
    """What the nearest index says of a file."""
    path = folder() / name
    for above in path.parents:
        index = above / "index.json"
        if index.is_file():
            files = load(str(index))["files"]
            told: dict[str, Any] = files.get(path.relative_to(above).as_posix()) or files[path.name]
            return told
        if above == folder():
            break
    raise FileNotFoundError(f"There is no index.json that tells of “{name}”.")


def config(name: str) -> dict[str, Any]:
    """What the index says a checkpoint was made with."""
    told: dict[str, Any] = entry(name)["config"]
    return told


def key(case: str, field: str) -> str:
    """Where a field of a case stands; a file of one case may give it no name."""
    return f"{case}.{field}" if case else field


def fields(kind: str, pattern: str) -> list[tuple[str, str, str]]:
    """File, case and field of everything whose field matches, among the files of a kind."""
    return [
        (name, *_parted(held))
        for name in names(kind)
        for held in load(name)
        if re.fullmatch(pattern, held.rpartition(".")[2])
    ]


def cases(keys: Iterable[str], field: str) -> list[str]:
    """The cases of a file whose keys are ``case.field``: those that have this field."""
    return sorted(_parted(held)[0] for held in keys if _parted(held)[1] == field)


def _parted(held: str) -> tuple[str, str]:
    """Case and field of a key."""
    case, _, field = held.rpartition(".")
    return case, field


def spoil(state: dict[str, Any], key: str, fault: str) -> str:
    """Make a checkpoint one that does not fit, as ``fault`` of `MISFITS` says.

    Returns:
        The tensor that is wrong.
    """
    if fault == "unknown":
        state[key + "s"] = state[key].clone()
        return key + "s"
    if fault == "shape":
        state[key] = state[key].new_ones(len(state[key]) + 1)
    else:
        del state[key]
    return key


MISFITS = ("missing", "unknown", "shape")
"""How a checkpoint may not fit its network."""
