"""Whether a new environment can do its work: every library is imported once, in its interpreter.

One step is not a check. The torchaudio of the Python package index is built against a torch with
CUDA, and none is built for the CPU torch beside it; there its native files cannot be loaded, and
with them it cannot be imported at all. What CosyVoice3 takes of it (features, resampling) is pure
torch, and works, exactly, once those files are gone. So where torchaudio cannot be imported they
are removed, and it is tried again.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engines.running import ask

_CODE = """
import importlib, importlib.util, json, pathlib, sys

found = {"removed": [], "error": "", "cuda": None}
for name in sys.argv[1:]:
    try:
        module = importlib.import_module(name)
    except Exception as error:
        found["error"] = f"{name}: {type(error).__name__}: {error}"
        found["failed"] = name
        break
    if name == "torch":
        found["cuda"] = module.version.cuda
print(json.dumps(found))
"""

_REMOVE = """
import importlib.util, json, pathlib

folder = pathlib.Path(next(iter(importlib.util.find_spec("torchaudio").submodule_search_locations)))
natives = sorted((folder / "lib").glob("*.so"))
for native in natives:
    native.unlink()
print(json.dumps([native.name for native in natives]))
"""

_VERSIONS = """
import importlib.metadata, json
print(json.dumps({it.metadata["Name"]: it.version for it in importlib.metadata.distributions()}))
"""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of it."""

    error: str
    """Empty, or which library cannot be imported, and why."""
    cuda: str
    """The CUDA version that torch was built for; empty for none."""
    removed: tuple[str, ...]
    """Native files of torchaudio that were taken out."""
    versions: dict[str, str]
    """What is installed, by package."""


def try_imports(python: Path, modules: Sequence[str], variables: dict[str, str]) -> Imported:
    """Import an engine's libraries in its interpreter.

    Args:
        python: The environment's.
        modules: In the order in which they are imported.
        variables: Of the processes that do it.
    """
    removed: tuple[str, ...] = ()
    try:
        found = json.loads(ask(python, _CODE, variables, *modules))
        if found.get("failed") == "torchaudio":
            removed = tuple(json.loads(ask(python, _REMOVE, variables)))
            found = json.loads(ask(python, _CODE, variables, *modules)) if removed else found
        versions = json.loads(ask(python, _VERSIONS, variables))
    except subprocess.CalledProcessError as error:
        # Not an exception that could be caught there: a crash, or an interpreter that is broken.
        last = (error.stderr.strip().splitlines() or [f"it ended with {error.returncode}"])[-1]
        return Imported(last, "", removed, {})
    except (OSError, subprocess.TimeoutExpired, ValueError) as error:
        return Imported(str(error), "", removed, {})
    return Imported(found["error"], found["cuda"] or "", removed, versions)
