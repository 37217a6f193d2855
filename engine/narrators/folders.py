"""Folders among the options of engines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine.registry import Refusal
from engine.wire import JSON


def folder(options: Mapping[str, JSON], name: str) -> Path | None:
    """An absolute path, or None where it is left out: the engine's own folder is a private one.

    Raises:
        Refusal: It is none.
    """
    value = options.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise Refusal(f"The option “{name}” must be the path of a folder, not {value!r}.")
    try:
        path = Path(value).expanduser()
    except RuntimeError as error:
        raise Refusal(
            f"The option “{name}” is “{value}”, and nobody of that name has a home folder here."
        ) from error
    if not path.is_absolute():
        raise Refusal(f"The option “{name}” must be a whole path, from “/” on; it is “{value}”.")
    return path
