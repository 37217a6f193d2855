"""A model downloaded from a hub: whole, checked, and gone on with where it was broken off."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from studio.engines.building import Told
from studio.engines.hub import COMMIT, Hub, HubFile
from studio.engines.installed import Model, model_folder, model_of
from studio.engines.known import KnownEngine
from studio.engines.room import amount, full_disk, need_room
from studio.engines.weights import Meter, digest, discard, move_in, putting
from studio.errors import MachineFault

SPARE = 64 * 1024 * 1024
"""Bytes that are left free beside the model."""


def pull(engine: KnownEngine, revision: str, told: Told, meter: Meter) -> Model | None:
    """Download an engine's model.

    Args:
        engine: Whose.
        revision: A commit, branch or tag; empty for the commit that this version was written for.
        told: Told each step.
        meter: Told how far it is.

    Returns:
        The model, or None where that very commit is here already.

    Raises:
        BadInput: The hub has no such revision.
        MachineFault: No connection, no room, or a file that is not what it should be.
        KeyboardInterrupt: Interrupted; what has come is kept, and gone on with the next time.
    """
    name, weights = engine.name, engine.weights
    revision = revision or weights.revision
    folder = model_folder(name)
    here = model_of(engine)
    if here is not None and here.revision == revision and COMMIT.fullmatch(revision):
        return None
    again = f"rhapsode engines pull {name}"
    with putting(name), full_disk(folder, f"{again} (it goes on where it was)"):
        try:
            return _pull(engine, Hub(weights.repository, revision), here, told, meter)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(
                f"Interrupted; what has come is kept, and {again} goes on where it was."
            ) from None


def _pull(
    engine: KnownEngine, hub: Hub, here: Model | None, told: Told, meter: Meter
) -> Model | None:
    name, weights = engine.name, engine.weights
    folder = model_folder(name)
    commit, files = hub.files(weights.files)
    if here is not None and here.revision == commit:
        return None
    staging = folder.with_name(f".{name}-{commit[:12]}")
    discard(name, but=staging)
    total = sum(file.size for file in files)
    have = sum(_have(staging, file) for file in files)
    told(f"{weights.repository} at {commit[:12]} from {hub.host}: {amount(total)}")
    if have:
        told(f"going on with {amount(have)} of an earlier pull")
    need_room(folder, total - have + SPARE, f"The model of {name}")
    sums: dict[str, str] = {}
    done = 0
    for file in files:
        counted = Counted(done, total, file.path, meter)
        sums[file.path] = _one(hub, commit, file, staging, counted)
        done += file.size
    meter(total, total, "")
    model = Model(weights.repository, commit, sums, total)
    move_in(name, staging, model)
    return model


class Counted:
    """Counts the bytes of one file into those of all."""

    def __init__(self, before: int, total: int, name: str, meter: Meter) -> None:
        """Begin with those of the files before it."""
        self._there = before
        self._before = before
        self._total = total
        self._name = name
        self._meter = meter

    def start(self, have: int) -> None:
        """So much of it is there."""
        self._there = self._before + have
        self._meter(self._there, self._total, self._name)

    def came(self, count: int) -> None:
        """So many bytes more; fewer, below 0."""
        self._there += count
        self._meter(self._there, self._total, self._name)


def _one(hub: Hub, commit: str, file: HubFile, staging: Path, counted: Counted) -> str:
    """Have one file, whole and checked; returns its SHA-256."""
    target = staging / file.path
    if target.is_file():
        counted.start(target.stat().st_size)
        if sha := _checked(target, file):
            return sha
        target.unlink()
    part = target.with_name(target.name + ".part")
    counted.start(part.stat().st_size if part.exists() else 0)
    hub.fetch(commit, file, part, counted.came)
    sha = _checked(part, file)
    if not sha:
        part.unlink()
        raise MachineFault(
            f"{file.path} from {hub.host} is not what the hub says it is (its checksum differs), "
            "so it was deleted; pull again, and where it happens again, try another network."
        )
    with part.open("rb") as written:
        os.fsync(written.fileno())
    os.replace(part, target)
    return sha


def _checked(path: Path, file: HubFile) -> str:
    """The SHA-256 of a file that is what the hub says it is; empty where it is not."""
    if path.stat().st_size != file.size:
        return ""
    sha = digest(path, hashlib.sha256())
    if file.sha256:
        return sha if sha == file.sha256 else ""
    blob = hashlib.sha1(b"blob %d\0" % file.size, usedforsecurity=False)
    return sha if digest(path, blob) == file.git else ""


def _have(staging: Path, file: HubFile) -> int:
    """Bytes of a file that an earlier pull has brought."""
    target = staging / file.path
    for path in (target, target.with_name(target.name + ".part")):
        if path.is_file():
            return min(path.stat().st_size, file.size)
    return 0
