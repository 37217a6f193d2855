"""Folders for as long as something lasts; what was killed in the midst of it is cleared up later.

Each folder is locked by the process that made it, and a lock goes with its process however that
ends. So a folder that nobody holds is nobody's, also where processes do not see each other.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from studio.project.unfinished import abandoned, hold

PURPOSES = ("bench", "check", "hello", "reference")
"""What folders are made for; their names say so."""
YOUNG = 60.0
"""Seconds during which a folder is let be: it may be about to be locked."""

_NAME = re.compile(rf"rhapsode-(?:{'|'.join(PURPOSES)})-\w+")


@contextlib.contextmanager
def folder(purpose: str) -> Iterator[Path]:
    """A folder that only this user may enter, gone afterwards with all that is in it.

    Args:
        purpose: One of `PURPOSES`.
    """
    _sweep_once()
    with tempfile.TemporaryDirectory(prefix=f"rhapsode-{purpose}-") as made:
        handle = os.open(made, os.O_RDONLY)
        try:
            # On a disk that knows no locks nobody can take one either: nothing is swept there.
            hold(handle)
            yield Path(made)
        finally:
            os.close(handle)


def sweep(place: Path) -> int:
    """Remove what processes that are gone have left in a folder; returns how many went.

    Args:
        place: Where temporary folders are made.
    """
    removed = 0
    with contextlib.suppress(OSError), os.scandir(place) as entries:
        for entry in entries:
            if _NAME.fullmatch(entry.name) and _abandoned(entry):
                shutil.rmtree(entry.path, ignore_errors=True)
                removed += 1
    return removed


def _abandoned(entry: os.DirEntry[str]) -> bool:
    """Whether a folder is this user's, and nobody holds it."""
    try:
        found = entry.stat(follow_symlinks=False)
        if not entry.is_dir(follow_symlinks=False) or found.st_uid != os.getuid():
            return False
        if time.time() - found.st_mtime < YOUNG:
            return False
    except OSError:
        return False
    return bool(abandoned([Path(entry.path)]))


@cache
def _sweep_once() -> None:
    """Look for leftovers once in the life of a process."""
    sweep(Path(tempfile.gettempdir()))
