"""Figures as people write them, the same on the screen, in commands and in error sentences."""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from pathlib import Path


def duration(seconds: float) -> str:
    """Minutes and seconds, hours where there are any: ``0:04``, ``12:30``, ``1:02:03``.

    Halves are rounded up, so that a rest of 0.6 s is not shown as none.

    Args:
        seconds: A length, 0 or more.
    """
    minutes, rest = divmod(int(seconds + 0.5), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def number_runs(numbers: Iterable[int]) -> str:
    """Write ascending numbers with their runs folded: ``14, 17–19``."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1] = [runs[-1][0], number]
        else:
            runs.append([number])
    return ", ".join("–".join(map(str, run)) for run in runs)


def signed(number: float, plus: str = "") -> str:
    """A figure with one decimal and a minus of its own width: ``−23.0``; ``plus`` as its plus."""
    return f"{number:{plus}.1f}".replace("-", "−")


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 segment``, ``1,204 segments``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def in_shell(path: Path | str) -> str:
    """A path in a command that is shown to be copied: quoted where a shell would take it apart."""
    return shlex.quote(str(path))
