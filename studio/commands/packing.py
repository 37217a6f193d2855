"""`rhapsode pack` and `rhapsode unpack`: a project travels as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from studio.commands.importing import default_folder, slug
from studio.commands.progress import Bar
from studio.commands.reply import Reply
from studio.errors import BadInput
from studio.project.library import remember
from studio.project.packed import SUFFIX
from studio.project.packing import Packed
from studio.project.packing import pack as pack_project
from studio.project.unpacking import unpack as unpack_project
from studio.wording import in_shell


def pack(folder: Path, *, to: Path | None, quiet: bool = False) -> Reply:
    """Write a project into one file and say what is in it and what is not.

    Args:
        folder: The project; it may be open in a studio.
        to: The file, or a folder for it; None for the folder we are in.
        quiet: Whether to leave out the progress line.

    Raises:
        BadInput: There is no project, or the file exists.
        MachineFault: The disk is in the way; nothing is left behind.
    """

    def target(title: str) -> Path:
        if to is None or to.is_dir():
            return (to or Path.cwd()) / f"{slug(title)}{SUFFIX}"
        return to

    with Bar("packing", quiet=quiet) as bar:
        packed = pack_project(folder, target, bar.show)
    data: dict[str, Any] = {
        "file": str(packed.path),
        "title": packed.title,
        "bytes": packed.bytes,
        "clips": packed.clips,
        "missing_clips": packed.missing,
        "exports_left_out": packed.exports,
        "references_left_out": list(packed.left_out),
    }
    return Reply(data, _said(packed))


def _said(packed: Packed) -> list[str]:
    lines = [
        f"“{packed.title}”: {_count(packed.clips, 'clip')}, {packed.bytes / 1e6:,.1f} MB.",
    ]
    if packed.missing:
        lines.append(
            f"  missing: {_count(packed.missing, 'clip')} that takes name; rhapsode doctor says "
            "which, and narrating makes them again."
        )
    if packed.exports:
        lines.append(
            f"  left out: {_count(packed.exports, 'file')} in exports; they can be exported again."
        )
    lines += [
        f"  left out: {name}, which is no file of the project's folder; the voice needs it."
        for name in packed.left_out
    ]
    return [*lines, f"In {packed.path}", f"Elsewhere: rhapsode unpack {in_shell(packed.path.name)}"]


def unpack(file: Path, *, to: Path | None, quiet: bool = False) -> Reply:
    """Make a project's folder of a packed file.

    Args:
        file: What `pack` wrote.
        to: The folder; None for the one that an import of the book would get.
        quiet: Whether to leave out the progress line.

    Raises:
        BadInput: The file is no packed project or is damaged, or the folder exists.
        MachineFault: The disk is in the way; nothing is left behind.
    """

    def target(title: str) -> Path:
        folder = to if to is not None else default_folder(title)
        if folder.is_file():
            raise BadInput(f"{folder} is a file; name a folder that is to be made.")
        return folder

    with Bar("unpacking", quiet=quiet) as bar:
        unpacked = unpack_project(file, target, bar.show)
    remember(unpacked.folder, unpacked.title)
    lines = [
        f"“{unpacked.title}”: {_count(unpacked.files, 'file')}, {unpacked.bytes / 1e6:,.1f} MB.",
        f"In {unpacked.folder}",
        f"Next: rhapsode open {in_shell(unpacked.folder)}",
    ]
    data = {
        "project": str(unpacked.folder),
        "title": unpacked.title,
        "files": unpacked.files,
        "bytes": unpacked.bytes,
    }
    return Reply(data, lines)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"
