"""Environments of the heavier engines: made, made again, taken away.

An environment is built under a name of its own and counts from the moment its note names it, so a
half-made one is never used, and one that is made anew replaces the old one in a single step. What
no note names is taken away at the next occasion.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from studio.engines import cards
from studio.engines.building import Builder, Plan, Told
from studio.engines.installed import (
    ENVIRONMENT_NOTE,
    Environment,
    alone_with,
    engine_folder,
    environment_of,
    take_away,
    write_note,
)
from studio.engines.known import KnownEngine, pins
from studio.engines.room import full_disk, need_room
from studio.engines.running import ask, environment
from studio.errors import BadInput, MachineFault

DRIVERS = ("/proc/driver/nvidia/version", "/dev/nvidiactl", "/usr/lib/wsl/lib/libcuda.so.1")
"""One of these is there where an NVIDIA driver is."""

_PYTHON = """
import ensurepip, json, platform, sys, venv
print(json.dumps([list(sys.version_info[:2]), platform.python_version()]))
"""


@dataclass(frozen=True, slots=True)
class Wish:
    """How an environment is to be made."""

    python: Path | None = None
    """The interpreter to make it with; None for the studio's own."""
    accelerator: str = "auto"
    """``cpu``, ``cuda``, or ``auto``: CUDA where there is a driver for it."""
    index: str = ""
    """The package index; empty for the one that pip uses anyway."""


def install(engine: KnownEngine, wish: Wish, told: Told, *, upgrade: bool = False) -> bool:
    """Make an engine's environment.

    Args:
        engine: Which.
        wish: How.
        told: Told each step.
        upgrade: Whether to make it anew where there is one.

    Returns:
        Whether it was made; not, where there is one already.

    Raises:
        BadInput: The Python or the accelerator cannot be used.
        MachineFault: No room, no connection, no such version, or it does not work once it is there.
        KeyboardInterrupt: Interrupted; nothing is left of it.
    """
    name = engine.name
    folder = engine_folder(name)
    with alone_with(folder, f"installing or removing {name}"):
        old = environment_of(name)
        _clean(folder, old)
        if old is not None and not upgrade:
            return False
        refuse_if_used(name)
        if os.pathsep in str(folder):
            raise MachineFault(
                f"No environment can be made below {folder}, for its path holds “{os.pathsep}”, "
                "which separates folders from each other; set RHAPSODE_HOME to another folder."
            )
        plan = _plan(engine, wish)
        need_room(folder, engine.room[plan.accelerator], f"The environment of {name}")
        new = folder / f"venv-{uuid.uuid4().hex[:8]}"
        try:
            with full_disk(folder, f"rhapsode engines install {name}"):
                folder.mkdir(parents=True, exist_ok=True)
                write_note(folder / ENVIRONMENT_NOTE, Builder(plan, new, told).build())
        except KeyboardInterrupt:
            _clean(folder, old)
            kept = "; the one that was there stays" if old is not None else ""
            raise KeyboardInterrupt(
                f"Interrupted; nothing is left of the new environment of {name}{kept}."
            ) from None
        except BaseException:
            _clean(folder, old)
            raise
        cards.forget(name)
        _clean(folder, environment_of(name))
        return True


def remove(name: str) -> bool:
    """Take an engine's environment away; returns whether there was one.

    Raises:
        MachineFault: A process runs from it, or its files cannot be removed.
    """
    folder = engine_folder(name)
    if not folder.exists():
        return False
    with alone_with(folder, f"installing or removing {name}"):
        refuse_if_used(name)
        had = environment_of(name) is not None
        take_away(folder, ENVIRONMENT_NOTE)
        cards.forget(name)
        return had


def refuse_if_used(name: str) -> None:
    """Refuse to take away what a process runs from.

    Raises:
        MachineFault: One does.
    """
    import psutil

    folder = str(engine_folder(name)) + os.sep
    for process in psutil.process_iter(["cmdline"]):
        command = process.info["cmdline"]
        if command and command[0].startswith(folder):
            raise MachineFault(
                f"{name} is running (process {process.pid}); "
                "close the studio that uses it, and try again."
            )


def chosen_accelerator(wish: str) -> str:
    """``cpu`` or ``cuda``.

    Raises:
        BadInput: CUDA is wished for where it cannot be.
    """
    if sys.platform != "linux":
        if wish == "cuda":
            raise BadInput("CUDA is for Linux; leave --accelerator out: what fits is installed.")
        return "cpu"
    if wish != "auto":
        return wish
    return "cuda" if any(os.path.exists(path) for path in DRIVERS) else "cpu"


def _accelerator(engine: KnownEngine, wish: str) -> str:
    """The accelerator, as far as the engine has a build for it."""
    chosen = chosen_accelerator(wish)
    if chosen in engine.room:
        return chosen
    if wish != "auto":
        raise BadInput(
            f"{engine.name} has no build for {wish}; leave --accelerator out: what fits is "
            "installed."
        )
    return "cpu"


def _plan(engine: KnownEngine, wish: Wish) -> Plan:
    """What is to be made, and with which interpreter."""
    python = Path(sys.executable)
    if wish.python is not None:  # A path, or a program's name such as python3.12.
        python = Path(os.path.abspath(shutil.which(wish.python) or wish.python))
    wrong = f"{python} is no Python that works; name another with --python."
    try:
        numbers, version = json.loads(ask(python, _PYTHON, environment()))
    except subprocess.CalledProcessError as error:
        if "No module named" in error.stderr:
            raise MachineFault(
                f"{python} cannot make environments: its parts “venv” and “ensurepip” are not "
                "installed (on Debian and Ubuntu: apt install python3-venv)."
            ) from error
        raise BadInput(wrong) from error
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise BadInput(wrong) from error
    if tuple(numbers) < engine.python:
        oldest = ".".join(map(str, engine.python))
        raise BadInput(
            f"{engine.name} needs Python {oldest} or newer, and {python} is {version}; "
            "name another with --python."
        )
    return Plan(
        engine=engine,
        python=python,
        version=version,
        pins=pins(engine),
        accelerator=_accelerator(engine, wish.accelerator),
        insisted=wish.accelerator != "auto",
        index=wish.index,
        small_torch=sys.platform == "linux" and "torch" in engine.imports,
    )


def _clean(folder: Path, kept: Environment | None) -> None:
    """Take away every environment but the one that counts."""
    if not folder.is_dir():
        return
    for path in folder.iterdir():
        if path.is_dir() and (kept is None or path.name != kept.folder):
            _remove(path)


def _remove(path: Path) -> None:
    """Take a folder away, also while a process that is just ending still writes into it."""
    for _ in range(20):
        shutil.rmtree(path, ignore_errors=True)
        if not path.exists():
            return
        time.sleep(0.05)
