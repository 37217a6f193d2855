"""What the program itself remembers from one time to the next: volume, speed, device.

It is no configuration: a person writes config.toml, and the studio writes this.
"""

from __future__ import annotations

import contextlib
import tomllib
from pathlib import Path
from typing import Any

import tomli_w

from studio.errors import StudioError
from studio.project.clips import write_atomically
from studio.project.folders import data_folder

STATE_NAME = "state.toml"


class UserState:
    """Names and plain values, in ``state.toml`` below the user's data folder."""

    def __init__(self, path: Path | None = None) -> None:
        """Read what was kept; a file that is missing or damaged is an empty one."""
        self._path = path or data_folder() / STATE_NAME
        self._values = self._read()
        self._changed: dict[str, Any] = {}

    def number(self, name: str, default: float, least: float, most: float) -> float:
        """A number between two others."""
        value = self._values.get(name, default)
        if isinstance(value, bool) or not isinstance(value, int | float):
            return default
        return float(value) if least <= value <= most else default

    def text(self, name: str, default: str = "") -> str:
        """A text."""
        value = self._values.get(name, default)
        return value if isinstance(value, str) else default

    def put(self, **values: Any) -> None:
        """Change values; `write` keeps them."""
        self._values.update(values)
        self._changed.update(values)

    def write(self) -> None:
        """Keep what was changed, beside what others have kept meanwhile.

        A disk that refuses is no reason to stop.
        """
        changed, self._changed = self._changed, {}
        if changed:
            text = tomli_w.dumps({**self._read(), **changed})
            with contextlib.suppress(StudioError):
                write_atomically(self._path, text.encode())

    def _read(self) -> dict[str, Any]:
        try:
            return tomllib.loads(self._path.read_text("utf-8"))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
            return {}
