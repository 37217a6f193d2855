"""The files inside an EPUB, by name only: nothing is ever unpacked to disk."""

from __future__ import annotations

import posixpath
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from urllib.parse import unquote

from studio.book.readers.markup import Node, parse
from studio.errors import BadInput

MAX_FILE = 64 * 2**20
"""Bytes one page may have unpacked; *War and Peace* as one page has 4 MiB."""
MAX_TOTAL = 512 * 2**20
"""Bytes all pages together may have unpacked."""


class Archive:
    """An open EPUB. Names are looked up in its own directory, so no path can lead out of it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read = 0
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as fault:
            raise BadInput(
                f"{path.name} is not an EPUB, although its name says so. "
                "Open it in a reading program, and export or download the book again."
            ) from fault
        self._names = {self._clean(info.filename): info for info in self._zip.infolist()}
        self._folded = {name.lower(): name for name in self._names}

    def __enter__(self) -> Archive:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._zip.close()

    @staticmethod
    def _clean(name: str) -> str:
        """A name as paths inside the archive are compared."""
        clean = posixpath.normpath(name.replace("\\", "/").lstrip("/"))
        while clean.startswith("../"):
            clean = clean[3:]
        return "" if clean in {".", ".."} else clean

    def resolve(self, base: str, href: str) -> str:
        """The name a link inside the file ``base`` means, without its fragment."""
        target = href.partition("#")[0]
        folder = posixpath.dirname(base)
        for candidate in (unquote(target), target):
            name = self.name_of(posixpath.join(folder, candidate) if candidate else base)
            if name:
                return name
        return self._clean(posixpath.join(folder, unquote(target)) if target else base)

    def name_of(self, name: str) -> str:
        """The name as the archive spells it, or empty where it holds no such file."""
        clean = self._clean(name)
        return clean if clean in self._names else self._folded.get(clean.lower(), "")

    def names(self) -> list[str]:
        """All names, in the archive's order."""
        return list(self._names)

    def read(self, name: str) -> bytes:
        """The bytes of one file.

        Raises:
            BadInput: It is damaged, locked, or larger than any page of a book.
        """
        info = self._names[self.name_of(name)]
        self._read += info.file_size
        if info.file_size > MAX_FILE or self._read > MAX_TOTAL:
            raise BadInput(
                f"{self.path.name} unpacks to far more text than any book has (at {name}), "
                "so it was not read. Get the book from another source."
            )
        if info.flag_bits & 1:
            raise locked(self.path)
        try:
            with self._zip.open(info) as file:
                return file.read(MAX_FILE + 1)
        except (
            *(zipfile.BadZipFile, zlib.error, OSError, EOFError),
            *(NotImplementedError, RuntimeError, ValueError, IndexError),
        ) as fault:
            raise BadInput(
                f"{self.path.name} is damaged: {name} in it cannot be read. "
                "Download or export the book again."
            ) from fault

    def page(self, name: str) -> Node:
        """One file's tree; see `markup.parse`."""
        return parse(self.read(name), f"{name} in {self.path.name}")


def locked(path: Path) -> BadInput:
    """What to say about a book with copy protection."""
    return BadInput(
        f"{path.name} is encrypted (copy protection), so its text cannot be read. "
        "Get the book without copy protection from its seller or publisher."
    )
