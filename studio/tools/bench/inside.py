"""What is measured inside an engine: `engine.bench`, run with the engine's own interpreter."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import signal
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from studio import temporary
from studio.engines.catalogue import Catalogue, EngineSpec, engine_environment
from studio.errors import MachineFault

Told = Callable[[float], None]
"""Told how far a measurement is, 0 to 1."""


def interpreter(catalogue: Catalogue, name: str, *, weights: bool) -> EngineSpec:
    """How an engine is started here.

    Args:
        catalogue: The engines of this machine.
        name: The engine.
        weights: Whether its weights are needed; without them its environment alone will do.

    Raises:
        MachineFault: It is not on this machine.
    """
    return catalogue[name] if weights else catalogue.with_or_without_weights(name)


def measure(spec: EngineSpec, arguments: Sequence[object], told: Told = lambda done: None) -> Any:
    """Run one part of `engine.bench` to its end.

    Args:
        spec: Whose interpreter and environment.
        arguments: The part, and its options.
        told: Told how far it is.

    Returns:
        What it found.

    Raises:
        MachineFault: It cannot be measured here; the sentence is the engine's.
        KeyboardInterrupt: Out of a wait; the process is gone by then.
    """
    command = [spec.command[0], "-P", str(_entry()), *map(str, arguments)]
    with temporary.folder("bench") as folder:
        with (folder / "stderr").open("w+b") as errors:
            try:
                process = subprocess.Popen(
                    command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    cwd=folder,
                    env=engine_environment(spec),
                    start_new_session=True,
                )
            except OSError as error:
                raise MachineFault(
                    f"The interpreter of {spec.name} cannot be started: {command[0]}: "
                    f"{error.strerror or error}. Check [engines.{spec.name}] in config.toml."
                ) from error
            with process:
                try:
                    found = _hear(process, told)
                finally:
                    # The session is ours; whatever it has started goes with it.
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.killpg(process.pid, signal.SIGKILL)
            if found is not None:
                return found
            errors.seek(0)
            last = errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
    raise MachineFault(
        f"The measurement inside {spec.name} ended without a result"
        f"{': ' + last[0][:300] if last else ''}."
    )


def _hear(process: subprocess.Popen[bytes], told: Told) -> Any:
    """Its result; None where it ends without one."""
    assert process.stdout is not None
    for line in process.stdout:
        try:
            message = json.loads(line)
        except ValueError:
            continue  # half a line, of a process that has died in the middle of it
        if "error" in message:
            raise MachineFault(str(message["error"]))
        if "result" in message:
            return message["result"]
        told(float(message.get("progress", 0.0)))
    return None


def _entry() -> Path:
    """The file that is run."""
    found = importlib.util.find_spec("engine")
    if found is None or not found.submodule_search_locations:
        raise MachineFault("The package “engine” is missing: install rhapsode again.")
    return Path(next(iter(found.submodule_search_locations))) / "bench.py"
