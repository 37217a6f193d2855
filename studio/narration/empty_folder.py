"""The empty private folder that an engine process runs in.

A studio that is killed cannot remove the folders of its engines, so each folder is named after the
studio's process, and the next studio removes the empty ones whose studio is gone.
"""

from __future__ import annotations

import contextlib
import os
import re
import tempfile
from functools import cache
from pathlib import Path

PREFIX = "rhapsode-engine-"

_NAME = re.compile(re.escape(PREFIX) + r"(\d+)-.*")


def make() -> str:
    """Make a folder that only this user may enter, and give its path."""
    _sweep_once()
    return tempfile.mkdtemp(prefix=f"{PREFIX}{os.getpid()}-")


def leftovers(folder: Path) -> list[Path]:
    """What studios that are gone have left in ``folder``, in order of their names."""
    found = []
    with contextlib.suppress(OSError):
        for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
            match = _NAME.fullmatch(entry.name)
            if match and not _lives(int(match.group(1))):
                found.append(Path(entry.path))
    return found


def sweep(folder: Path) -> int:
    """Remove what studios that are gone have left in ``folder``; returns how many went.

    Only empty folders are removed: what holds something may still be of use to somebody.
    """
    removed = 0
    for path in leftovers(folder):
        with contextlib.suppress(OSError):
            path.rmdir()
            removed += 1
    return removed


@cache
def _sweep_once() -> None:
    """Look for leftovers once in the life of a studio."""
    sweep(Path(tempfile.gettempdir()))


def _lives(pid: int) -> bool:
    """Whether a process of this number exists."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True
