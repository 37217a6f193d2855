"""One studio per project: a lock of the kernel's, with the owner's name inside for people.

The kernel drops the lock when its process ends, however it ends, so a dead owner never blocks.
"""

from __future__ import annotations

import fcntl
import os
import socket
from contextlib import suppress
from pathlib import Path

from studio.errors import MachineFault

LOCK_NAME = "lock"
"""File of the lock in the project's folder. It stays behind; its presence means nothing."""


class ProjectLock:
    """Holds a project's folder for this process until `release`."""

    def __init__(self, folder: Path) -> None:
        """Take the lock.

        Args:
            folder: The project.

        Raises:
            MachineFault: Another process has it, or the folder cannot be written to.
        """
        path = folder / LOCK_NAME
        try:
            self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        except OSError as error:
            raise MachineFault(
                f"{folder} cannot be written to ({error.strerror}); "
                f"change its permissions, or copy the project to another place."
            ) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            owner = os.pread(self._file, 200, 0).decode("utf-8", "replace").strip()
            os.close(self._file)
            raise MachineFault(
                f"{folder} is open in another studio ({owner or 'unknown owner'}); "
                f"close it there first."
            ) from error
        except OSError as error:
            os.close(self._file)
            raise MachineFault(
                f"{folder} cannot be locked ({error.strerror}); "
                f"copy the project to a disk of this machine."
            ) from error
        # The name is for people; on a full disk the lock holds without it.
        with suppress(OSError):
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"process {os.getpid()} on {socket.gethostname()}\n".encode(), 0)

    def release(self) -> None:
        """Give the lock back; harmless to repeat."""
        if self._file >= 0:
            with suppress(OSError):
                os.ftruncate(self._file, 0)
            # Said aloud: a child between fork and exec still has a copy of the file.
            fcntl.flock(self._file, fcntl.LOCK_UN)
            os.close(self._file)
            self._file = -1
