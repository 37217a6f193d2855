"""The files inside an EPUB or another ZIP file, by name only: nothing is ever unpacked to disk."""

from __future__ import annotations

import io
import posixpath
import re
import stat
import zipfile
import zlib
from pathlib import Path
from types import TracebackType
from typing import BinaryIO
from urllib.parse import unquote

from studio.book.readers.markup import Node, parse
from studio.errors import BadInput

MAX_FILE = 24 * 2**20
"""Bytes one page may have unpacked; *War and Peace* as one page has 4 MiB."""
MAX_TOTAL = 48 * 2**20
"""Bytes all pages together may have unpacked; the longest books have 20 MiB of them."""
MAX_TAGS = 1_500_000
"""Tags of all pages together; the longest study Bibles have a million."""
MAX_RATIO = 200
"""How many times its packed size a page may have; prose has 4, a bomb 1,000."""
_ALWAYS_SMALL = 2**20
MAX_DIRECTORY = 8 * 2**20
"""Bytes of the archive's own list of files: some 80,000 of them."""

_UPWARDS = re.compile(r"^(?:\.\./)+")
_TAIL = 66_000
_END = b"PK\x05\x06"
_END_64 = b"PK\x06\x06"


class Archive:
    """An open archive. Names are looked up in its own directory, so no path can lead out of it."""

    def __init__(self, name: str, source: Path | bytes, kind: str = "an EPUB") -> None:
        self.name = name
        self._known: set[str] = set()
        self._bytes = self._tags = 0
        try:
            file: BinaryIO = io.BytesIO(source) if isinstance(source, bytes) else source.open("rb")
        except OSError as fault:
            raise self._damaged(str(fault.strerror)) from fault
        try:
            self._check_directory(file)
            self._zip = zipfile.ZipFile(file)
        except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError) as fault:
            file.close()
            raise BadInput(
                f"{name} is not {kind}, although its name says so. "
                "Open it in a reading program, and export or download the book again."
            ) from fault
        except BadInput:
            file.close()
            raise
        self._file = file
        # What only points elsewhere is no file of the book.
        self._names = {
            self._clean(info.filename): info
            for info in self._zip.infolist()
            if not stat.S_ISLNK(info.external_attr >> 16)
        }
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
        self._file.close()

    def _check_directory(self, file: BinaryIO) -> None:
        """Refuse an archive whose list of files alone would fill the memory."""
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
        file.seek(0)
        listed = 0
        if (at := tail.rfind(_END)) >= 0:
            listed = int.from_bytes(tail[at + 12 : at + 16], "little")
            listed = 0 if listed == 0xFFFFFFFF else listed
        if (at := tail.rfind(_END_64)) >= 0:
            listed = max(listed, int.from_bytes(tail[at + 40 : at + 48], "little"))
        if listed > MAX_DIRECTORY:
            raise BadInput(
                f"{self.name} holds more files than any book has, so it was not read. "
                "Get the book from another source."
            )

    @staticmethod
    def _clean(name: str) -> str:
        """A name as paths inside the archive are compared."""
        clean = posixpath.normpath(name.replace("\\", "/").lstrip("/"))
        clean = _UPWARDS.sub("", clean)
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
        name = self.name_of(name)
        info = self._names[name]
        first = name not in self._known
        self._known.add(name)
        self._bytes += info.file_size if first else 0
        bomb = info.file_size > max(_ALWAYS_SMALL, info.compress_size * MAX_RATIO)
        if bomb or info.file_size > MAX_FILE or self._bytes > MAX_TOTAL:
            raise BadInput(
                f"{self.name} unpacks to far more text than any book has (at {name}), "
                "so it was not read. Get the book from another source."
            )
        if info.flag_bits & 1:
            raise locked(self.name)
        try:
            with self._zip.open(info) as file:
                data = file.read(MAX_FILE + 1)
        except (
            *(zipfile.BadZipFile, zlib.error, OSError, EOFError, MemoryError, OverflowError),
            *(NotImplementedError, RuntimeError, ValueError, IndexError),
        ) as fault:
            raise self._damaged(f"{name} in it cannot be read") from fault
        self._tags += data.count(b"<") if first else 0
        if self._tags > MAX_TAGS:
            raise BadInput(
                f"{self.name} has more than {MAX_TAGS:,} elements, which no book has. "
                "Get the book from another source."
            )
        return data

    def page(self, name: str) -> Node:
        """One file's tree; see `markup.parse`."""
        return parse(self.read(name), f"{name} in {self.name}")

    def _damaged(self, why: str) -> BadInput:
        return BadInput(f"{self.name} is damaged: {why}. Download or export the book again.")


def locked(name: str, by: str = "") -> BadInput:
    """What to say about a book with copy protection.

    Args:
        name: The book's file.
        by: Whose protection it is, where the book says so.
    """
    whose = f" by {by}" if by else ""
    return BadInput(
        f"{name} is encrypted{whose} (copy protection), so its text cannot be read. "
        "Get the book without copy protection from its seller or publisher."
    )
