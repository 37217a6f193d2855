"""What may stand in a voice, and how it is typed: ids, settings, transcripts, kinds of sound."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from studio.errors import BadInput

ID = re.compile(r"[^\W_][\w-]{0,31}")
"""What a person may call a voice."""

MOST_TRANSCRIPT_BYTES = 100_000
"""Of a file with a transcript; no reference is so long."""

_BEGINNINGS = (
    (b"RIFF", ".wav"),
    (b"RF64", ".wav"),
    (b"fLaC", ".flac"),
    (b"OggS", ".ogg"),
    (b"FORM", ".aiff"),
    (b"ID3", ".mp3"),
    (b"\xff\xfb", ".mp3"),
)
"""How files of sound begin, and what such a file is called at its end."""


def check_id(name: str, taken: Collection[str]) -> None:
    """See that a new voice may have a name.

    Raises:
        BadInput: It is no id, or there is a voice of that name.
    """
    if not ID.fullmatch(name):
        raise BadInput("An id is up to 32 letters, digits, “-” and “_”, such as miller or old-tam.")
    if name in taken:
        raise BadInput(f"There is a voice “{name}” already; choose another id.")


def check_setting(name: str, value: Any) -> None:
    """See that a setting can be kept.

    Raises:
        BadInput: It is no number, text or truth value.
    """
    if not isinstance(value, bool | int | float | str):
        raise BadInput(f"The setting “{name}” must be a number, a text, true or false.")
    if isinstance(value, float) and not math.isfinite(value):
        raise BadInput(f"The setting “{name}” cannot be {value}; write a number.")


def setting(text: str) -> tuple[str, Any]:
    """Read ``KEY=VALUE`` as a person types it in a shell.

    Returns:
        The key, and a number, a truth value or a text; None for an empty value.

    Raises:
        BadInput: There is no key, or the value cannot be kept.
    """
    name, sign, typed = text.partition("=")
    name, typed = name.strip(), typed.strip()
    if not sign or not name:
        raise BadInput(f"“{text}” is no setting; write it as KEY=VALUE, such as pitch=-3.")
    value: Any = typed
    try:
        value = tomllib.loads(f"x = {typed}")["x"] if typed and "\n" not in typed else typed
    except tomllib.TOMLDecodeError:
        value = typed  # a text needs no quotation marks here
    if not typed:
        return name, None
    check_setting(name, value)
    return name, value


def transcript(text: str) -> str:
    """What is said in a reference: the text itself, or after ``@`` the name of a file with it.

    Raises:
        BadInput: The file cannot be read, or is no text.
    """
    if not text.startswith("@"):
        return " ".join(text.split())
    path = Path(text[1:])
    try:
        with path.open("rb") as file:
            content = file.read(MOST_TRANSCRIPT_BYTES + 1)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "there is no such name"
        raise BadInput(f"The transcript {path} cannot be read ({why}); check its name.") from error
    if len(content) > MOST_TRANSCRIPT_BYTES:
        raise BadInput(f"{path} is too long for a transcript; name the text of the reference only.")
    try:
        words = " ".join(content.decode("utf-8-sig").split())
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8 text; save it as UTF-8.") from error
    if not words:
        raise BadInput(f"{path} is empty; write into it what is said in the reference.")
    return words


def audio_suffix(content: bytes, path: Path) -> str:
    """What the name of a file of sound should end with: by what it holds, else as it does."""
    for beginning, suffix in _BEGINNINGS:
        if content.startswith(beginning):
            return suffix
    return path.suffix.lower()
