"""Charts on their way to the disk."""

from __future__ import annotations

from pathlib import Path

from studio.errors import MachineFault


def save(path: Path, svg: str) -> None:
    """Write a chart.

    Raises:
        MachineFault: It cannot be written.
    """
    try:
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise MachineFault(
            f"The chart {path} cannot be written ({error.strerror}); name another file."
        ) from error
