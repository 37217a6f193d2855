"""A recorded set of lines in one file: what a later build is held against, bit by bit.

A ZIP file with ``set.json`` (who spoke, and for each line its recipe, PCM hash and speech tokens),
the lines as 16-bit FLAC, and the reference that was cloned, so that it can be used elsewhere.
"""

from __future__ import annotations

import io
import json
import os
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.errors import BadInput, MachineFault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = 1
CONTENTS = "set.json"
REFERENCE = "reference"
MOST = 1 << 30
"""Bytes of one file within that are read; a minute of sound is a few megabytes."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """One line of a set."""

    recipe: dict[str, Any]
    recipe_id: str
    pcm_hash: str
    rate: int
    pcm: NDArray[np.int16]
    """Shape (frames, channels)."""
    tokens: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Recording:
    """A whole set."""

    engine: str
    """As it was named: ``NAME``, or ``NAME:option=value,…``."""
    build: dict[str, str]
    voice: dict[str, Any]
    """Speaker, transcript and language; its reference lies beside."""
    reference: bytes
    """Audio file that was cloned; empty where nothing was."""
    lines: tuple[Recorded, ...]
    sampler: dict[str, Any] | None
    """What the engine's sampler made of fixed cases; None for an engine without such."""


def check(path: Path) -> None:
    """Refuse a set's name before anything is narrated for it.

    Raises:
        BadInput: It is a folder, or there is no folder for it.
    """
    if path.is_dir():
        raise BadInput(f"{path} is a folder; name a file for the set.")
    if not path.parent.is_dir():
        raise BadInput(f"There is no folder {path.parent} for the set; name another file.")


def save(path: Path, recording: Recording) -> None:
    """Write a set; it is there whole or not at all.

    Raises:
        MachineFault: It cannot be written.
    """
    import soundfile

    contents = {
        "format": FORMAT,
        "engine": recording.engine,
        "build": recording.build,
        "voice": recording.voice,
        "sampler": recording.sampler,
        "lines": [
            {
                "recipe": line.recipe,
                "recipe_id": line.recipe_id,
                "pcm_hash": line.pcm_hash,
                "rate": line.rate,
                "tokens": list(line.tokens),
                "clip": _clip(number),
            }
            for number, line in enumerate(recording.lines)
        ],
    }
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(CONTENTS, json.dumps(contents, ensure_ascii=False, indent=1))
        if recording.reference:
            file.writestr(REFERENCE, recording.reference)
        for number, line in enumerate(recording.lines):
            clip = io.BytesIO()
            soundfile.write(clip, line.pcm, line.rate, "PCM_16", format="FLAC")
            file.writestr(_clip(number), clip.getvalue())
    part = path.with_name(path.name + ".part")
    try:
        with part.open("wb") as whole:
            whole.write(made.getvalue())
            whole.flush()
            os.fsync(whole.fileno())
        os.replace(part, path)
    except OSError as error:
        with suppress(OSError):
            part.unlink()
        raise MachineFault(
            f"The set {path} cannot be written ({error.strerror}); name another file."
        ) from error


def _clip(number: int) -> str:
    """A line's sound within the file."""
    return f"clips/{number:03d}.flac"


def load(path: Path) -> Recording:
    """Read a set.

    Raises:
        BadInput: There is none, or it is damaged or of another version.
    """
    import soundfile

    try:
        with zipfile.ZipFile(path) as file:
            contents = json.loads(_read(file, CONTENTS))
            if contents["format"] != FORMAT:
                raise BadInput(
                    f"The set {path} is of another version of Rhapsode; record it anew with this."
                )
            lines = []
            for it in contents["lines"]:
                clip = io.BytesIO(_read(file, it["clip"]))
                pcm, rate = soundfile.read(clip, dtype="int16", always_2d=True)
                tokens = tuple(int(token) for token in it["tokens"])
                lines.append(
                    Recorded(dict(it["recipe"]), it["recipe_id"], it["pcm_hash"], rate, pcm, tokens)
                )
            reference = _read(file, REFERENCE) if REFERENCE in file.namelist() else b""
            return Recording(
                str(contents["engine"]),
                dict(contents["build"]),
                dict(contents["voice"]),
                reference,
                tuple(lines),
                contents["sampler"],
            )
    except FileNotFoundError:
        raise BadInput(f"There is no set at {path}; --record makes one.") from None
    except (OSError, zipfile.BadZipFile, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise BadInput(
            f"The set {path} cannot be read ({error}); record it anew, or name another file."
        ) from error


def _read(file: zipfile.ZipFile, name: str) -> bytes:
    """One file within, not larger than can be meant."""
    if file.getinfo(name).file_size > MOST:
        raise ValueError(f"“{name}” is too large")
    return file.read(name)
