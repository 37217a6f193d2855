"""What a packed project is: one zip file that holds the book, its clips and a list of digests.

The list names every other file with its size and SHA-256. Whoever unpacks believes the list about
nothing but that: a path is checked as a stranger's, a size is an upper bound.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from studio.errors import BadInput
from studio.project.store import DATABASE_NAME

SUFFIX = ".rhapsode"
FORMAT = "rhapsode project"
VERSION = 1
"""Of the layout of packed files; the database's own version is another matter."""
MANIFEST_NAME = "manifest.json"
MOST_MANIFEST_BYTES = 200_000_000
"""A book of a million clips has a shorter list than that."""
CHUNK = 1 << 20
"""Bytes that are copied at once."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_UNWANTED = re.compile(r"[\\\0-\x1f\x7f:]")
"""Signs that mean something else on some system, or nothing good on any."""


@dataclass(frozen=True, slots=True)
class PackedFile:
    """One file of a packed project."""

    path: str
    """Below the project's folder, with slashes."""
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """The list of what a packed project holds."""

    title: str
    source: str
    """Name of the manuscript, or empty."""
    made_by: str
    """Version of the program that packed it."""
    files: tuple[PackedFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    def to_json(self) -> bytes:
        """As it stands in the packed file."""
        body = {
            "format": FORMAT,
            "version": VERSION,
            "made_by": self.made_by,
            "title": self.title,
            "source": self.source,
            "files": [
                {"path": file.path, "size": file.size, "sha256": file.sha256} for file in self.files
            ],
        }
        return json.dumps(body, ensure_ascii=False, indent=1).encode()


def parse_manifest(content: bytes, name: str) -> Manifest:
    """Read the list of a packed project.

    Args:
        content: What stands in it.
        name: The packed file, for the sentence of an error.

    Raises:
        BadInput: It is no such list, is newer than this program, or names what cannot be.
    """
    try:
        body = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise not_packed(name) from error
    match body:
        case {"format": str(kind), "version": int(version)} if kind == FORMAT:
            if version > VERSION:
                raise BadInput(
                    f"{name} was packed by a newer version of Rhapsode; update Rhapsode to "
                    "unpack it."
                )
        case _:
            raise not_packed(name)
    match body:
        case {"title": str(title), "source": str(source), "made_by": str(by), "files": list(rows)}:
            files = tuple(_file(row, name) for row in rows)
        case _:
            raise not_packed(name)
    check_paths([file.path for file in files], name)
    if DATABASE_NAME not in {file.path for file in files}:
        raise not_packed(name)
    return Manifest(title, source, by, files)


def _file(row: Any, name: str) -> PackedFile:
    match row:
        case {"path": str(path), "size": int(size), "sha256": str(sha256)} if (
            size >= 0 and not isinstance(row["size"], bool) and _SHA256.fullmatch(sha256)
        ):
            return PackedFile(path, size, sha256)
    raise not_packed(name)


def not_packed(name: str) -> BadInput:
    """The file is something else."""
    return BadInput(
        f"{name} is no packed project, or is damaged; copy it again, or pack the book anew with: "
        "rhapsode pack DIR"
    )


def hostile(name: str, what: str) -> BadInput:
    """The file wants what a packed project never does."""
    return BadInput(f"{name} {what}; nothing was unpacked. Get the file again from its maker.")


def is_wanted(path: str) -> bool:
    """Whether a path may stand in a project: below its folder, and nothing with a life of its own.

    The lock and SQLite's own files are made by whoever opens the book and never travel.
    """
    parts = PurePosixPath(path).parts
    plain = (
        bool(path)
        and len(path.encode("utf-8", "surrogatepass")) <= 1000
        and _UNWANTED.search(path) is None
        and "/".join(parts) == path
        and not path.startswith("/")
        and not any(part.startswith(".") or len(part.encode()) > 255 for part in parts)
    )
    first = parts[0].casefold() if parts else ""
    own = first == "lock" or (first.startswith(DATABASE_NAME) and path != DATABASE_NAME)
    return plain and not own


def check_paths(paths: Iterable[str], name: str) -> None:
    """See that every path stays below the folder and no two are one file on any system.

    Raises:
        BadInput: A path leads out of the folder, or occurs twice.
    """
    seen: set[str] = set()
    folders: set[str] = set()
    for path in paths:
        try:
            wanted = is_wanted(path)
        except UnicodeEncodeError:
            wanted = False
        if not wanted:
            raise hostile(name, f"holds a file by the name {path!r}, which no project has")
        same = unicodedata.normalize("NFC", path).casefold()
        if same in seen:
            raise hostile(name, f"holds {path!r} twice")
        seen.add(same)
        folders.update(parent.as_posix() for parent in PurePosixPath(same).parents[:-1])
    if both := seen & folders:
        raise hostile(name, f"holds {min(both)!r} as a file and as a folder")
