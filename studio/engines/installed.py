"""What of the known engines is on this machine: their environments and their models.

Below the user's data folder, ``engines/NAME/`` holds an environment and ``models/NAME/`` a model.
Each has a note in JSON that is written last: what no note names is half made and never used.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from studio.engines.known import ENGINES, KnownEngine
from studio.errors import MachineFault
from studio.project.folders import data_folder

ENVIRONMENT_NOTE = "installed.json"
MODEL_NOTE = "pulled.json"

_FOLDER = re.compile(r"venv-\w+")


@dataclass(frozen=True, slots=True)
class Environment:
    """An interpreter with an engine's libraries."""

    folder: str
    """Of the environment, below the engine's own."""
    python: str
    """Version of the interpreter."""
    accelerator: str
    """``cpu`` or ``cuda``: for which the libraries were built."""
    pins: tuple[str, ...]
    """What was asked for."""
    versions: Mapping[str, str]
    """Everything that is in it, by package."""
    bytes: int
    """Its size on disk."""
    removed: tuple[str, ...] = ()
    """Native files that could not be loaded and were taken out."""


@dataclass(frozen=True, slots=True)
class Model:
    """Weights on this disk."""

    source: str
    """The repository, or the folder that they were taken from."""
    revision: str
    """The commit; empty for a folder."""
    files: Mapping[str, str]
    """SHA-256 by path."""
    bytes: int
    """All of them together."""
    linked: bool = False
    """Whether another folder holds the same bytes, so that they take no room of their own."""


@dataclass(frozen=True, slots=True)
class State:
    """A known engine as it stands on this machine."""

    engine: KnownEngine
    environment: Environment | None
    interpreter: Path | None
    """None where there is no environment, or its Python is gone."""
    model: Model | None
    options: Mapping[str, Any] = field(default_factory=dict)
    """For its load, as far as they are known."""

    def missing(self, options: Mapping[str, Any], command: bool) -> str:
        """Why it cannot be used, in a sentence with the command that helps; empty where it can.

        Args:
            options: For its load, the user's own included.
            command: Whether the user's configuration says how it is started.
        """
        name = self.engine.name
        if not command and self.environment is None:
            return (
                f"The engine {name} is not installed; rhapsode engines install {name} makes its "
                f"environment, or choose another voice."
            )
        if not command and self.interpreter is None:
            return (
                f"The Python that {name} was installed with is gone; "
                f"rhapsode engines install {name} --upgrade makes its environment again."
            )
        if not options.get("model"):
            size = self.engine.weights.bytes / 1e9
            return (
                f"The engine {name} has no weights yet; rhapsode engines pull {name} downloads "
                f"them (about {size:.1f} GB), or takes them --from a folder."
            )
        return ""


def states() -> dict[str, State]:
    """All known engines, by name."""
    return {name: state(engine) for name, engine in ENGINES.items()}


def state(engine: KnownEngine) -> State:
    """One known engine as it stands on this machine."""
    environment = environment_of(engine.name)
    interpreter = None
    if environment is not None:
        python = engine_folder(engine.name) / environment.folder / "bin" / "python"
        interpreter = python if os.access(python, os.X_OK) else None
    model = model_of(engine)
    options = {"cache": str(cache_folder(engine.name))}
    if model is not None:
        options["model"] = str(model_folder(engine.name))
    return State(engine, environment, interpreter, model, options)


def engine_folder(name: str) -> Path:
    """Where an engine's environment is kept."""
    return data_folder().absolute() / "engines" / name


def model_folder(name: str) -> Path:
    """Where an engine's model is kept."""
    return data_folder().absolute() / "models" / name


def cache_folder(name: str) -> Path:
    """Where an engine keeps what it works out of voices."""
    return data_folder().absolute() / "voices" / name


def environment_of(name: str) -> Environment | None:
    """The environment of an engine, where one was finished."""
    note = _note(engine_folder(name) / ENVIRONMENT_NOTE)
    try:
        made = Environment(
            **{**note, "pins": tuple(note["pins"]), "removed": tuple(note["removed"])}
        )
        inside = _FOLDER.fullmatch(made.folder)
    except (TypeError, KeyError):
        return None
    return made if inside else None


def model_of(engine: KnownEngine) -> Model | None:
    """The model of an engine, where it was finished and all of its files are still there."""
    folder = model_folder(engine.name)
    note = _note(folder / MODEL_NOTE)
    try:
        model = Model(**note)
        whole = all((folder / name).is_file() for name in model.files)
    except (TypeError, AttributeError):
        return None
    return model if whole else None


def write_note(path: Path, note: Environment | Model) -> None:
    """Say that something is finished; the note is there whole or not at all."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8") as file:
        json.dump(asdict(note), file, ensure_ascii=False, indent=1, default=str)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def _note(path: Path) -> dict[str, Any]:
    """A note; what cannot be read says nothing."""
    try:
        read = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return read if isinstance(read, dict) else {}


def take_away(folder: Path, note: str) -> None:
    """Remove a folder; its note first, so that what may be left is not used.

    Raises:
        MachineFault: It cannot be removed.
    """
    try:
        (folder / note).unlink(missing_ok=True)
        shutil.rmtree(folder)
    except OSError as error:
        raise MachineFault(
            f"{folder} cannot be removed ({error.strerror}); see to that and try again."
        ) from error


@contextmanager
def alone_with(folder: Path, doing: str) -> Iterator[None]:
    """Keep every other process from changing a folder meanwhile.

    Args:
        folder: Which; the lock lies beside it.
        doing: What another one would be at, for the sentence that says so.

    Raises:
        MachineFault: Another one is at it, or the folder cannot be written to.
    """
    import fcntl

    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        file = (folder.parent / f".{folder.name}.lock").open("a")
    except OSError as error:
        raise MachineFault(
            f"{folder.parent} cannot be written to ({error.strerror}); "
            "mend that, or set RHAPSODE_HOME to another folder."
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise MachineFault(f"Another rhapsode is {doing} at the moment; wait for it.") from None
        yield
