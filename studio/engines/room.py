"""Room on disks: is there enough, how much is taken, and what to say where it runs out."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.errors import MachineFault


def need_room(folder: Path, size: int, what: str) -> None:
    """Refuse to begin what the disk cannot hold.

    Args:
        folder: Where it goes; it need not exist yet.
        size: Bytes, about.
        what: What needs them, as the beginning of a sentence.

    Raises:
        MachineFault: There are fewer.
    """
    free = shutil.disk_usage(_there(folder)).free
    if free < size:
        raise MachineFault(
            f"{what} needs about {amount(size)} and the disk of {folder} has {amount(free)} free; "
            "make room, or set RHAPSODE_HOME to a folder on another disk."
        )


@contextmanager
def full_disk(folder: Path, again: str) -> Iterator[None]:
    """Say in words that the disk ran full, or cannot be written to.

    Args:
        folder: Where something is written.
        again: The command to run once that is mended.

    Raises:
        MachineFault: That is what happened.
    """
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise MachineFault(
                f"The disk of {folder} is full; make room and run again: {again}"
            ) from error
        if error.errno in (errno.EACCES, errno.EROFS, errno.EPERM):
            raise MachineFault(
                f"{error.filename or folder} cannot be written to ({error.strerror}); "
                f"mend that and run again: {again}"
            ) from error
        raise


def size_of(folder: Path) -> int:
    """Bytes that a folder takes on its disk, links not followed."""
    total = 0
    for at, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(at, name)).st_blocks * 512
            except OSError:
                continue
    return total


def amount(size: float) -> str:
    """A number of bytes as a person reads it: ``83 MB``, ``4.4 GB``."""
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if size >= 0.9995 * unit:
            value = size / unit
            return f"{value:.1f} {name}" if value < 9.95 else f"{value:,.0f} {name}"
    return f"{size:.0f} bytes"


def _there(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder
