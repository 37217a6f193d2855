"""The projects a person has opened lately."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from studio.errors import StudioError
from studio.project.clips import write_atomically
from studio.project.folders import data_folder
from studio.project.store import DATABASE_NAME

RECENT_NAME = "recent.json"
MOST = 50
"""How many projects are remembered."""


@dataclass(frozen=True, slots=True)
class Recent:
    """A project that was opened on this machine."""

    folder: Path
    title: str
    opened: str
    """Time of the last opening, ISO 8601 in UTC."""
    missing: bool
    """Whether nothing is there now; it may be on a disk that is not connected."""


def recent() -> tuple[Recent, ...]:
    """Recent projects, the last one first; a damaged list is an empty one."""
    return tuple(
        Recent(Path(folder), title, opened, not (Path(folder) / DATABASE_NAME).is_file())
        for folder, title, opened in _read()
    )


def remember(folder: Path, title: str) -> None:
    """Put a project at the top of the list. A disk that refuses is no reason to stop."""
    path = str(folder.resolve())
    now = datetime.now(UTC).isoformat(timespec="seconds")
    _write([(path, title, now), *(row for row in _read() if row[0] != path)])


def forget(folder: Path) -> None:
    """Take a project off the list; its folder is left alone."""
    paths = {str(folder), str(folder.resolve())}
    _write(row for row in _read() if row[0] not in paths)


def _read() -> list[tuple[str, str, str]]:
    try:
        rows = json.loads((data_folder() / RECENT_NAME).read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return []
    found: list[tuple[str, str, str]] = []
    for row in rows if isinstance(rows, list) else []:
        match row:
            case {"folder": str(folder), "title": str(title), "opened": str(opened)}:
                if "\0" not in folder:
                    found.append((folder, title, opened))
    return found


def _write(rows: Iterable[tuple[str, str, str]]) -> None:
    body = [dict(zip(("folder", "title", "opened"), row, strict=True)) for row in rows][:MOST]
    text = json.dumps(body, ensure_ascii=True, indent=1)
    with contextlib.suppress(StudioError):
        write_atomically(data_folder() / RECENT_NAME, text.encode())
