"""A progress line on standard error: redrawn on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from typing import Self

from studio.narration.status import NarrationStatus, WorkerState
from studio.wording import duration

BAR = 24
"""Cells of the bar."""

QUIET_SECONDS = 30.0
"""Seconds between two lines where standard error is no terminal."""


class Progress:
    """Shows how far a run is and when it will end."""

    def __init__(self, total: int, *, quiet: bool = False) -> None:
        """Start at nothing of ``total`` segments."""
        self._total = total
        self._quiet = quiet or total == 0
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._ended = False
        self._drawn = False

    def show(self, done: int, status: NarrationStatus) -> None:
        """Draw how far it is."""
        now = time.monotonic()
        pause = 0.1 if self._terminal else QUIET_SECONDS
        ended = done >= self._total
        if self._quiet or self._ended or (now - self._last < pause and not ended):
            return
        self._last = now
        self._ended = ended
        line = f"{done}/{self._total}  {self._detail(status)}"
        if not self._terminal:
            print(line, file=sys.stderr, flush=True)
            return
        filled = BAR * done // max(self._total, 1)
        bar = "█" * filled + "░" * (BAR - filled)
        print(f"\r\x1b[2K{bar}  {line}", end="", file=sys.stderr, flush=True)
        self._drawn = True

    def _detail(self, status: NarrationStatus) -> str:
        if any(worker.state is WorkerState.LOADING for worker in status.workers) and (
            not status.made
        ):
            return "the engine is loading"
        rtf = f"rtf {status.rtf_rolling:.3f}" if status.made else ""
        eta = f"about {duration(status.eta)} left" if status.eta and not self._ended else ""
        return f"{rtf}  {eta}".strip()

    def close(self) -> None:
        """Leave the terminal on a new line."""
        if self._drawn:
            print(file=sys.stderr)


class Bar:
    """A bar on a terminal's standard error for work that is a fraction; nothing elsewhere."""

    def __init__(self, what: str, *, quiet: bool = False) -> None:
        """Begin at nothing."""
        self._what = what
        self._on = not quiet and sys.stderr.isatty()
        self._last = 0.0

    def __enter__(self) -> Self:
        """Nothing is drawn yet."""
        return self

    def show(self, fraction: float) -> None:
        """Draw how far it is, 0 to 1."""
        now = time.monotonic()
        if not self._on or (now - self._last < 0.1 and fraction < 1):
            return
        self._last = now
        filled = round(BAR * fraction)
        bar = "█" * filled + "░" * (BAR - filled)
        print(f"\r\x1b[2K{bar}  {self._what}", end="", file=sys.stderr, flush=True)

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        if self._last:
            print("\r\x1b[2K", end="", file=sys.stderr, flush=True)
