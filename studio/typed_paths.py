"""Paths as people type them: what no disk can have is told in one sentence before it is used."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from studio.errors import BadInput

SHOWN = 60
"""Characters of a path that cannot be which are shown; people paste whole pages by mistake."""


def typed_path(text: str) -> Path:
    """Read a path that a person typed, quotes around it and ``~`` at its start included.

    Raises:
        BadInput: There cannot be such a path; the sentence says why.
    """
    line = text.strip().strip("\"'")
    try:
        path = Path(line).expanduser()
    except RuntimeError as error:
        raise BadInput(
            f"There is nobody “{Path(line).parts[0][1:]}” on this machine; check the path."
        ) from error
    check_path(path)
    return path


def check_path(path: Path) -> None:
    """See whether there can be such a path, and whether it may be looked at.

    Raises:
        BadInput: It cannot be, or not by this person; the sentence says why.
    """
    try:
        os.lstat(path)
    except ValueError as error:
        raise BadInput(f"“{_brief(path)}” is no path; check what was typed.") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise BadInput(
                f"“{_brief(path)}” is longer than a path can be; check what was typed."
            ) from error
        if error.errno in (errno.EACCES, errno.ELOOP):
            raise BadInput(
                f"{_brief(path)} cannot be looked at ({error.strerror}); check its folders."
            ) from error


def _brief(path: Path) -> str:
    """A path that may be very long, or hold what no terminal shows."""
    text = str(path).encode("utf-8", "replace").decode().replace("\0", "␀")
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"
