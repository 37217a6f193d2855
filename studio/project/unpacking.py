"""A packed project becomes a folder again, whole or not at all; the file may be a stranger's."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import sqlite3
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from studio.errors import BadInput, MachineFault
from studio.project import clips, migrations
from studio.project.packed import (
    CHUNK,
    MANIFEST_NAME,
    MOST_MANIFEST_BYTES,
    Manifest,
    PackedFile,
    check_paths,
    hostile,
    not_packed,
    parse_manifest,
)
from studio.project.settings_file import SETTINGS_NAME
from studio.project.store import DATABASE_NAME

SQUEEZED = frozenset({DATABASE_NAME, SETTINGS_NAME, MANIFEST_NAME})
"""What may be compressed; sound is stored as it is."""
MOST_RATIO = 200
"""How far a database can be squeezed at most; real ones reach about ten."""
SMALL = 50_000_000
"""Bytes below which the ratio is of no interest."""
ENCRYPTED = 0x1


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A project that was unpacked."""

    folder: Path
    title: str
    files: int
    bytes: int


def unpack(
    file: Path,
    target: Callable[[str], Path],
    progress: Callable[[float], None] = lambda _: None,
) -> Unpacked:
    """Make a folder of a packed project.

    Args:
        file: The packed project.
        target: Gives the folder for the book's title; it must not exist.
        progress: Called with the fraction that is done, 0 to 1.

    Raises:
        BadInput: The file is no packed project, is damaged or wants to do harm, or the folder
            exists; nothing is left behind.
        MachineFault: The disk is in the way; nothing is left behind.
    """
    if not file.is_file():
        raise BadInput(f"There is no file {file}; check the name.")
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = _checked(archive, file)
            folder = target(manifest.title)
            if folder.exists() or folder.is_symlink():
                raise BadInput(f"{folder} exists already; name another folder with --to.")
            _unpack(archive, manifest, file, folder, progress)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise not_packed(str(file)) from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # A torn file sends its reader before its beginning.
            raise not_packed(str(file)) from error
        raise MachineFault(
            f"{file} cannot be read ({error.strerror}); check its permissions and the disk."
        ) from error
    return Unpacked(folder, manifest.title, len(manifest.files), manifest.size)


def _checked(archive: zipfile.ZipFile, file: Path) -> Manifest:
    """The list of the file's contents, which agrees with what the zip file itself says."""
    name = str(file)
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    check_paths((entry for entry in names if entry != MANIFEST_NAME), name)
    if names.count(MANIFEST_NAME) != 1:
        raise not_packed(name)
    for entry in entries:
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            raise hostile(name, f"holds {entry.filename!r} as something other than a file")
        if entry.flag_bits & ENCRYPTED:
            raise hostile(name, "is locked with a password, which no packed project is")
        allowed = {zipfile.ZIP_STORED}
        if entry.filename in SQUEEZED:
            allowed.add(zipfile.ZIP_DEFLATED)
        if entry.compress_type not in allowed:
            raise hostile(name, f"holds {entry.filename!r} in a form that no packed project has")
        if entry.file_size > max(SMALL, MOST_RATIO * entry.compress_size):
            raise hostile(name, f"holds {entry.filename!r} blown up beyond belief")
    if sum(entry.compress_size for entry in entries) > file.stat().st_size:
        raise hostile(name, "holds more than it is long")
    manifest = parse_manifest(_manifest_bytes(archive, name), name)
    sizes = {entry.filename: entry.file_size for entry in entries if entry.filename in names}
    del sizes[MANIFEST_NAME]
    if sizes != {item.path: item.size for item in manifest.files}:
        raise hostile(name, "does not hold what its list says")
    return manifest


def _manifest_bytes(archive: zipfile.ZipFile, name: str) -> bytes:
    with archive.open(MANIFEST_NAME) as entry:
        content = entry.read(MOST_MANIFEST_BYTES + 1)
    if len(content) > MOST_MANIFEST_BYTES:
        raise hostile(name, "has a list that is longer than any book's")
    return content


def _unpack(
    archive: zipfile.ZipFile,
    manifest: Manifest,
    file: Path,
    folder: Path,
    progress: Callable[[float], None],
) -> None:
    """Write everything beside the folder to come, then move it there."""
    partial: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _refuse_if_no_room(manifest, folder)
        partial = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name[:40]}.part-"))
        partial.chmod(0o755)
        for place, item in enumerate(manifest.files):
            _write(archive, item, partial, file)
            progress((place + 1) / len(manifest.files))
        _check_database(partial / DATABASE_NAME, file)
        # At once for all: ten thousand clips are not synced one by one.
        os.sync()
        clips.sync_folder(partial)
        if folder.exists():
            raise BadInput(f"{folder} exists already; name another folder with --to.")
        partial.rename(folder)
        partial = None
        clips.sync_folder(folder.parent)
    except OSError as error:
        raise MachineFault(clips.disk_sentence(folder, error)) from error
    finally:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)


def _refuse_if_no_room(manifest: Manifest, folder: Path) -> None:
    needed = manifest.size + CHUNK
    free = shutil.disk_usage(folder.parent).free
    if needed > free:
        raise MachineFault(
            f"The project needs {needed / 1e6:,.1f} MB and the disk of {folder.parent} has "
            f"{free / 1e6:,.1f} MB free; make room, or name a folder on another disk with --to."
        )


def _write(archive: zipfile.ZipFile, item: PackedFile, partial: Path, file: Path) -> None:
    """One file, no longer than the list says, with the digest that the list says."""
    path = partial / item.path
    path.parent.mkdir(parents=True, exist_ok=True)
    digest, left = hashlib.sha256(), item.size
    with archive.open(item.path) as source, path.open("xb") as target:
        while content := source.read(min(CHUNK, left + 1)):
            left -= len(content)
            if left < 0:
                raise hostile(str(file), f"holds more of {item.path!r} than its list says")
            digest.update(content)
            target.write(content)
        target.flush()
        if item.path == DATABASE_NAME:
            os.fsync(target.fileno())
    if left or digest.hexdigest() != item.sha256:
        raise BadInput(
            f"{file} is damaged: {item.path} is not what was packed. Nothing was unpacked; "
            "copy the file again from where it was packed."
        )


def _check_database(path: Path, file: Path) -> None:
    """See that the book can be opened by this version."""
    try:
        with closing(
            sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True)
        ) as book:
            book.execute("PRAGMA trusted_schema = OFF")
            version = migrations.schema_version(book)
    except sqlite3.DatabaseError as error:
        raise not_packed(str(file)) from error
    if version == 0:
        raise not_packed(str(file))
    if version > len(migrations.MIGRATIONS):
        raise BadInput(
            f"{file} was made by a newer version of Rhapsode; update Rhapsode to unpack it."
        )
