"""What a person was told once and need not be told again, on this machine."""

from __future__ import annotations

import contextlib
import json

from studio.errors import StudioError
from studio.project.clips import write_atomically
from studio.project.folders import data_folder

TOLD_NAME = "told.json"
MOST = 500
"""How much is remembered."""


def first_time(what: str) -> bool:
    """Whether a person has not been told something yet; from now on they have.

    Where that cannot be kept they are told again.

    Args:
        what: A name for it, such as ``tour``.
    """
    told = _read()
    if what in told:
        return False
    body = json.dumps([*told, what][-MOST:], ensure_ascii=True, indent=1)
    with contextlib.suppress(StudioError):
        write_atomically(data_folder() / TOLD_NAME, body.encode())
    return True


def _read() -> list[str]:
    """What is remembered; a damaged list is an empty one."""
    try:
        rows = json.loads((data_folder() / TOLD_NAME).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    return [row for row in rows if isinstance(row, str)] if isinstance(rows, list) else []
