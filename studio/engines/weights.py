"""Models of the heavier engines on this disk: put in place, taken from a folder, taken away.

A model is put together beside its place and moved there once every file of it is whole. So what
lies in ``models/NAME`` can be used, always.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.engines import cards
from studio.engines.building import Told
from studio.engines.installed import (
    MODEL_NOTE,
    Model,
    alone_with,
    model_folder,
    take_away,
    write_note,
)
from studio.engines.known import KnownEngine
from studio.engines.room import amount, full_disk, need_room
from studio.errors import BadInput

Meter = Callable[[int, int, str], None]
"""Told how many bytes are there, of how many, and which file is on its way."""

BLOCK = 1 << 20


def take(engine: KnownEngine, source: Path, told: Told, meter: Meter) -> Model:
    """Take a model from a folder in which it lies already.

    Files are linked where both folders are on one disk, and copied where they are not.

    Args:
        engine: Whose.
        source: A folder that holds all of the engine's files, under their own names.
        told: Told each step.
        meter: Told how far the reading of the files is.

    Raises:
        BadInput: It is no such folder.
        MachineFault: The disk is full, or another process is at it.
        KeyboardInterrupt: Interrupted; nothing is left of it.
    """
    wanted = engine.weights.files
    if source.resolve() == model_folder(engine.name).resolve():
        raise BadInput(f"{source} is the model's own folder; name the one to take it from.")
    lacking = [name for name in wanted if not _filled(source / name)]
    if lacking:
        raise BadInput(
            f"{source} has no {_some(lacking)}; it must hold all of {engine.weights.repository}: "
            f"{', '.join(wanted)}."
        )
    again = f"rhapsode engines pull {engine.name} --from {source}"
    with putting(engine.name), full_disk(model_folder(engine.name), again):
        staging = model_folder(engine.name).with_name(f".{engine.name}-taken")
        discard(engine.name)
        try:
            linked = _bring(source, staging, wanted, told)
            total = sum((staging / name).stat().st_size for name in wanted)
            told(f"{'linked' if linked else 'copied'} {len(wanted)} files, reading them once")
            sums: dict[str, str] = {}
            done = 0
            for name in wanted:
                meter(done, total, name)
                sums[name] = digest(staging / name, hashlib.sha256())
                done += (staging / name).stat().st_size
            meter(done, total, "")
            model = Model(str(source.resolve()), "", sums, total, linked)
            move_in(engine.name, staging, model)
        except BaseException:
            shutil.rmtree(staging, ignore_errors=True)
            raise
    return model


def remove(name: str) -> bool:
    """Take an engine's model away, with what was begun of one; returns whether there was any.

    Raises:
        MachineFault: It cannot be removed.
    """
    folder = model_folder(name)
    if not folder.parent.is_dir():
        return False
    with putting(name):
        had = discard(name)
        if folder.is_dir():
            had = True
            take_away(folder, MODEL_NOTE)
        cards.forget(name)
    return had


@contextmanager
def putting(name: str) -> Iterator[None]:
    """Be the only one who changes an engine's model."""
    with alone_with(model_folder(name), f"fetching or removing the weights of {name}"):
        yield


def discard(name: str, but: Path | None = None) -> bool:
    """Delete what was begun of a model, but for one folder; returns whether there was anything."""
    found = False
    for path in model_folder(name).parent.glob(f".{name}-*"):
        if path != but and path.is_dir():
            found = True
            shutil.rmtree(path, ignore_errors=True)
    return found


def move_in(name: str, staging: Path, model: Model) -> None:
    """Let a model that is whole take its place; an older one leaves it."""
    folder = model_folder(name)
    write_note(staging / MODEL_NOTE, model)
    leaving = folder.with_name(f".{name}-{uuid.uuid4().hex[:8]}")
    if folder.exists():
        os.rename(folder, leaving)
    os.rename(staging, folder)
    shutil.rmtree(leaving, ignore_errors=True)
    cards.forget(name)


def digest(path: Path, sum_: hashlib._Hash) -> str:
    """The checksum of a file, in hex.

    Args:
        path: The file.
        sum_: What adds it up; it may have been given something that comes first.
    """
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            sum_.update(block)
    return sum_.hexdigest()


def _bring(source: Path, staging: Path, wanted: tuple[str, ...], told: Told) -> bool:
    """Link all files, or copy all of them; returns whether they are linked."""
    files = {name: (source / name).resolve() for name in wanted}
    try:
        for name, file in files.items():
            (staging / name).parent.mkdir(parents=True, exist_ok=True)
            os.link(file, staging / name)
        return True
    except OSError:
        shutil.rmtree(staging, ignore_errors=True)
    size = sum(file.stat().st_size for file in files.values())
    need_room(staging, size, f"A copy of {source}")
    for name, file in files.items():
        told(f"copying {name} ({amount(file.stat().st_size)})")
        (staging / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, staging / name)
    return False


def _filled(path: Path) -> bool:
    """Whether there is a file with something in it."""
    try:
        return path.is_file() and path.stat().st_size > 0
    except OSError:
        return False


def _some(names: list[str]) -> str:
    """The first names of a list, and how many more there are."""
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more
