"""What a command gives back: facts for programs, lines for people, and an exit code."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Reply:
    """The result of a command; `studio.cli` decides which form is printed."""

    data: Mapping[str, Any] = field(default_factory=dict)
    """The one JSON object of ``--json``."""
    lines: Sequence[str] = ()
    """What a person reads on standard output."""
    exit_code: int = 0


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows as aligned columns; the columns named in ``right`` are flush right."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = [
            cell.rjust(width) if column in right else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines
