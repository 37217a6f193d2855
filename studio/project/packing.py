"""A project becomes one file, also while a studio works on it."""

from __future__ import annotations

import hashlib
import os
import shutil
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from studio import __version__
from studio.errors import BadInput, MachineFault
from studio.project import clips, unfinished
from studio.project.configuring import VOICES_NAME
from studio.project.packed import CHUNK, MANIFEST_NAME, Manifest, PackedFile, is_wanted
from studio.project.rows import Reader
from studio.project.settings_file import SETTINGS_NAME
from studio.project.store import DATABASE_NAME, Store

READINGS = 5
"""How often database and settings file are read until they belong together."""
OVERHEAD = 400
"""Bytes that a zip file and its list need for one file, at most."""
ABOVE = 0o100644 << 16
"""A zip entry's word for a plain file that its owner may write."""


@dataclass(frozen=True, slots=True)
class Packed:
    """A project that was packed."""

    path: Path
    bytes: int
    """Of the packed file."""
    title: str
    clips: int
    missing: int
    """Clips that takes name and the folder lacks."""
    exports: int
    """Finished exports, which stay behind."""
    left_out: tuple[str, ...]
    """Reference audio that is not in the project's folder."""


def pack(
    folder: Path,
    target: Callable[[str], Path],
    progress: Callable[[float], None] = lambda _: None,
) -> Packed:
    """Write a project into one file; it needs no lock and changes nothing.

    Args:
        folder: The project.
        target: Gives the file's path for the book's title; it must not exist.
        progress: Called with the fraction that is done, 0 to 1.

    Raises:
        BadInput: There is no project, or the file exists.
        MachineFault: The disk is in the way; nothing is left behind.
    """
    store = Store(folder, read_only=True)
    try:
        title = str(Reader(store).settings().get("title", ""))
        path = target(title)
        if path.exists() or path.is_symlink():
            raise BadInput(f"{path} exists already; name another file with --to.")
        if not path.parent.is_dir():
            raise BadInput(f"There is no folder {path.parent} for {path.name}; make it first.")
        _refuse_if_no_room(folder, path)
        with _words_of_disk(path), _part_folder(path) as part:
            settings = _copy_book(store, folder, part / DATABASE_NAME)
            return _pack(folder, part, path, settings, progress)
    finally:
        store.close()


def _refuse_if_no_room(folder: Path, path: Path) -> None:
    """Stop before a long copy that the disk cannot hold."""
    sizes = [file.stat().st_size + OVERHEAD for file in _clips_and_voices(folder)]
    database = sum(
        file.stat().st_size for file in folder.glob(f"{DATABASE_NAME}*") if file.is_file()
    )
    # The database lies there twice for a while: as a copy, and packed.
    needed = sum(sizes) + 2 * database + CHUNK
    free = shutil.disk_usage(path.parent).free
    if needed > free:
        raise MachineFault(
            f"The packed project needs up to {needed / 1e6:,.1f} MB and the disk of {path.parent} "
            f"has {free / 1e6:,.1f} MB free; make room, or name a file on another disk with --to."
        )


def _clips_and_voices(folder: Path) -> Iterator[Path]:
    yield from clips.clip_files(folder)
    yield from _plain_files(folder / VOICES_NAME)


def _plain_files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("**/*") if path.is_file() and not path.is_symlink())


@contextmanager
def _part_folder(path: Path) -> Iterator[Path]:
    """A folder beside the file to come, gone at the end."""
    part = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name[:40]}.part-"))
    try:
        yield part
    finally:
        shutil.rmtree(part, ignore_errors=True)


@contextmanager
def _words_of_disk(path: Path) -> Iterator[None]:
    """What the disk says, as a sentence."""
    try:
        yield
    except OSError as error:
        raise MachineFault(clips.disk_sentence(path, error)) from error


def _copy_book(store: Store, folder: Path, copy: Path) -> bytes | None:
    """Copy the database as it is at one moment; returns the settings file that belongs to it."""
    settings = _content(folder / SETTINGS_NAME)
    for _ in range(READINGS):
        copy.unlink(missing_ok=True)
        try:
            _backup(store, copy)
        except sqlite3.OperationalError as error:
            code = error.sqlite_errorcode & 0xFF
            if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
                raise MachineFault(
                    f"The disk of {copy.parent.parent} is full; make room and try again."
                ) from error
            raise MachineFault(
                f"{store.path} cannot be read ({error}); close what uses it and try again."
            ) from error
        before, settings = settings, _content(folder / SETTINGS_NAME)
        if settings == before:
            break
    return settings


def _backup(store: Store, copy: Path) -> None:
    """SQLite's own way to copy a database that others are writing, its log included."""
    target = sqlite3.connect(copy, isolation_level=None)
    try:
        store.connection.backup(target)
        # One file, without a log beside it.
        target.execute("PRAGMA journal_mode = DELETE")
    finally:
        target.close()


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _pack(
    folder: Path,
    part: Path,
    path: Path,
    settings: bytes | None,
    progress: Callable[[float], None],
) -> Packed:
    """Write what the copied database names."""
    book = Store(part, read_only=True)
    try:
        reader = Reader(book)
        stored = reader.settings()
        rows = book.rows("SELECT DISTINCT pcm_hash FROM takes ORDER BY pcm_hash")
        named = [clips.clip_name(row[0]) for row in rows]
        references = sorted({v.reference for v in reader.voices().values() if v.reference})
    finally:
        book.close()
    # Voices of earlier are packed too: undo may ask for them.
    voices = {file.relative_to(folder).as_posix() for file in _plain_files(folder / VOICES_NAME)}
    inside = {name for name in references if _lies_in(folder, name)}
    left_out = tuple(name for name in references if name not in inside)
    names = [*sorted(name for name in voices | inside if is_wanted(name)), *named]
    title = str(stored.get("title", ""))
    temporary = part / "packed"
    with temporary.open("xb") as file:
        unfinished.hold(file.fileno())
        with zipfile.ZipFile(file, "w") as archive:
            writer = _Writer(archive)
            with (part / DATABASE_NAME).open("rb") as database:
                writer.add(DATABASE_NAME, database, squeeze=True)
            if settings is not None:
                writer.add_bytes(SETTINGS_NAME, settings)
            for place, name in enumerate(names):
                writer.add_file(folder, name)
                progress((place + 1) / len(names))
            source = stored.get("source", {})
            origin = str(source.get("name", "")) if isinstance(source, dict) else ""
            manifest = Manifest(title, origin, __version__, tuple(writer.files))
            writer.add_bytes(MANIFEST_NAME, manifest.to_json())
        file.flush()
        os.fsync(file.fileno())
    if path.exists():
        raise BadInput(f"{path} exists already; name another file with --to.")
    temporary.rename(path)
    clips.sync_folder(path.parent)
    packed = {item.path for item in manifest.files}
    return Packed(
        path=path,
        bytes=path.stat().st_size,
        title=title,
        clips=sum(name in packed for name in named),
        missing=sum(name not in packed for name in named),
        exports=len(_plain_files(folder / clips.EXPORTS_NAME)),
        left_out=left_out,
    )


def _lies_in(folder: Path, name: str) -> bool:
    """Whether reference audio is a file of the project's own."""
    path = folder / name
    return (
        is_wanted(name)
        and path.is_file()
        and not path.is_symlink()
        and path.resolve().is_relative_to(folder.resolve())
    )


class _Writer:
    """Puts files into a zip file, and keeps the list of them."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self.files: list[PackedFile] = []

    def add_file(self, folder: Path, name: str) -> None:
        """A file of the project's; one that is gone is not there to be packed."""
        with suppress(FileNotFoundError), (folder / name).open("rb") as file:
            self.add(name, file)

    def add_bytes(self, name: str, content: bytes) -> None:
        """A small file."""
        entry = self._entry(name, squeeze=True)
        self._archive.writestr(entry, content)
        digest = hashlib.sha256(content).hexdigest()
        self.files.append(PackedFile(name, len(content), digest))

    def add(self, name: str, file: BinaryIO, *, squeeze: bool = False) -> None:
        """An open file; FLAC is stored as it is, for it cannot be squeezed further."""
        entry = self._entry(name, squeeze=squeeze)
        entry.file_size = os.fstat(file.fileno()).st_size
        digest, size = hashlib.sha256(), 0
        with self._archive.open(entry, "w") as target:
            while content := file.read(CHUNK):
                target.write(content)
                digest.update(content)
                size += len(content)
        self.files.append(PackedFile(name, size, digest.hexdigest()))

    @staticmethod
    def _entry(name: str, *, squeeze: bool) -> zipfile.ZipInfo:
        # Of a fixed time: a file's age says nothing where its digest says all.
        entry = zipfile.ZipInfo(name)
        entry.external_attr = ABOVE
        entry.compress_type = zipfile.ZIP_DEFLATED if squeeze else zipfile.ZIP_STORED
        return entry
