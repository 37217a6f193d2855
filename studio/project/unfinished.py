"""Files that are being written, told from those that a crash has left behind.

Whoever writes a file holds its lock until it has its final name. The kernel drops the lock when the
process ends, however it ends: an unfinished file that nobody holds will never be finished.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

EXPORT_PATTERN = ".rhapsode-*.part"
"""Names of exports that are not finished; `studio.sound.export` makes and holds them."""


def hold(handle: int) -> None:
    """Hold an open file for as long as it is open; where locks are not known, nobody sweeps."""
    with suppress(OSError):
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


def abandoned(paths: Iterable[Path]) -> list[Path]:
    """Those of some unfinished files that nobody is writing, in order of their names."""
    return [path for path in sorted(paths) if _nobody_holds(path)]


def _nobody_holds(path: Path) -> bool:
    """Whether a file's lock is free."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False  # Just finished, or nothing that we may touch.
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
