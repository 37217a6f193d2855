"""What engines write to stderr: the last lines in memory, everything in a rotating file."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

TAIL_BYTES = 64 * 1024
"""How much of one process's stderr is kept in memory."""

FILE_BYTES = 4 * 1024 * 1024
"""Size at which a log file makes way for a fresh one."""

KEPT_FILES = 3
"""Older log files that are kept beside the current one."""


class Tail:
    """The last bytes that were written, and no more, however much comes."""

    def __init__(self, limit: int = TAIL_BYTES) -> None:
        """Start empty.

        Args:
            limit: Bytes to keep.
        """
        self._limit = limit
        self._data = bytearray()

    def feed(self, data: bytes) -> None:
        """Add what was read."""
        self._data += data[-self._limit :]
        # Trimmed only when it has doubled, so that a flood costs one copy per limit.
        if len(self._data) > 2 * self._limit:
            del self._data[: -self._limit]

    def lines(self, count: int = 12) -> list[str]:
        """The last non-empty lines, oldest first."""
        text = bytes(self._data[-self._limit :]).decode("utf-8", "replace")
        return [line.rstrip() for line in text.splitlines() if line.strip()][-count:]


class RotatingLog:
    """One log file per engine; when it is full it moves aside.

    A log is a courtesy: where it cannot be written, narration goes on without it.
    """

    def __init__(self, path: Path, *, limit: int = FILE_BYTES, kept: int = KEPT_FILES) -> None:
        """Nothing is opened before there is something to write.

        Args:
            path: The current file; older ones are named ``path.1``, ``path.2``, ….
            limit: Size in bytes at which it rotates.
            kept: How many older files stay.
        """
        self.path = path
        self._limit = limit
        self._kept = kept

    def write(self, data: bytes) -> None:
        """Append raw bytes."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(data)
                full = file.tell() >= self._limit
            if full:
                self._rotate()
        except OSError:
            return

    def note(self, text: str) -> None:
        """Append one line of the studio's own, with the time."""
        stamp = datetime.now(UTC).isoformat(timespec="seconds")
        self.write(f"[{stamp}] {text}\n".encode("utf-8", "replace"))

    def _rotate(self) -> None:
        """Move every file one number up; the oldest is overwritten."""
        for number in range(self._kept, 0, -1):
            newer = self._numbered(number - 1)
            if newer.exists():
                newer.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        """The path of an older file; 0 is the current one."""
        return self.path if number == 0 else self.path.with_name(f"{self.path.name}.{number}")
