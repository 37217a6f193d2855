"""How far a download is, on standard error: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import deque
from typing import Self

from studio.commands.progress import BAR, QUIET_SECONDS
from studio.engines.room import amount
from studio.wording import duration

WINDOW = 15.0
"""Seconds over which the pace is taken."""


class Transfer:
    """Tells steps in plain lines, and draws bytes, pace and the time that is left."""

    def __init__(self, *, quiet: bool = False) -> None:
        """Tell nothing yet.

        Args:
            quiet: Whether to tell nothing at all.
        """
        self._quiet = quiet
        self._terminal = sys.stderr.isatty()
        self._drawn = False
        self._last = time.monotonic()
        self._seen: deque[tuple[float, int]] = deque()

    def __enter__(self) -> Self:
        """Nothing is drawn yet."""
        return self

    def __exit__(self, *_: object) -> None:
        """Leave the terminal on a clean line."""
        self._wipe()

    def tell(self, line: str) -> None:
        """One step, as a line of its own."""
        if not self._quiet:
            self._wipe()
            print(f"  {line}", file=sys.stderr, flush=True)

    def meter(self, done: int, total: int, name: str) -> None:
        """So many bytes are there, of so many; this file is on its way, none at the end."""
        now = time.monotonic()
        if self._seen and done < self._seen[-1][1]:
            self._seen.clear()  # It began anew.
        if not self._seen or now - self._seen[-1][0] > 0.2:
            self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[0][0] > WINDOW:
            self._seen.popleft()
        ended = done >= total and not name
        pause = 0.1 if self._terminal else QUIET_SECONDS
        if self._quiet or (now - self._last < pause and not ended):
            return
        self._last = now
        line = self._line(now, done, total, name)
        if not self._terminal:
            print(f"  {line}", file=sys.stderr, flush=True)
            return
        filled = BAR * done // max(total, 1)
        bar = "█" * filled + "░" * (BAR - filled)
        print(f"\r\x1b[2K{bar}  {line}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def _line(self, now: float, done: int, total: int, name: str) -> str:
        """Bytes, pace, time left and the file."""
        parts = [f"{amount(done)} of {amount(total)}"]
        since, before = self._seen[0]
        if now > since and done > before:
            pace = (done - before) / (now - since)
            parts.append(f"{amount(pace)}/s")
            if done < total:
                parts.append(f"about {duration((total - done) / pace)} left")
        if name:
            parts.append(name)
        return "  ".join(parts)

    def _wipe(self) -> None:
        if self._drawn:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
            self._drawn = False
