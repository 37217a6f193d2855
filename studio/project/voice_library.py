"""The person's own voices, for all books: a file for each in the user's data folder.

``voices/miller.toml`` is what ``project.toml`` says of a voice; reference audio lies beside it in
``voices/audio``, named by its content, so that two voices of one recording share the file and no
name is ever given to another sound. A book keeps a copy of what it takes, and sounds the same
wherever it is opened.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path

from studio.errors import BadInput, MachineFault, StudioError
from studio.project.clips import write_atomically
from studio.project.folders import data_folder
from studio.project.model import Voice
from studio.project.recipe import voice_fingerprint
from studio.project.settings_file import parse_voice, render_voice
from studio.project.voice_fields import ID, audio_suffix

AUDIO = "audio"
"""Folder of reference audio below the library's."""
REMOVED = "removed"
"""Folder of voices that were taken out, below the library's; their references stay in `AUDIO`."""
_DIGITS = 16


class Taken(BadInput):
    """The library has another voice of that name."""


@dataclass(frozen=True, slots=True)
class Shelf:
    """What the library holds."""

    voices: dict[str, Voice]
    """By id, each with a fingerprint and the whole path of its reference."""
    troubles: tuple[str, ...] = ()
    """Why others could not be read, a sentence each."""


def folder() -> Path:
    """Where the library lies. It may not exist."""
    return data_folder() / "voices"


def shelf() -> Shelf:
    """Everything in the library; a file that cannot be used is told of and left alone."""
    voices: dict[str, Voice] = {}
    troubles: list[str] = []
    try:
        paths = sorted(folder().glob("*.toml"))
    except OSError as error:
        return Shelf({}, (f"Your voices in {folder()} cannot be read ({error.strerror}).",))
    for path in paths:
        try:
            voices[path.stem] = _read(path)
        except StudioError as error:
            troubles.append(str(error))
    return Shelf(voices, tuple(troubles))


def voice(name: str) -> Voice:
    """One of the library.

    Raises:
        BadInput: There is none of that name, or its file is malformed.
        MachineFault: Its file or its reference cannot be read.
    """
    return _read(_path(name))


def keep(voice: Voice, base: Path, *, over: bool = False) -> bool:
    """Put a voice into the library, with a copy of its reference.

    Args:
        voice: Its id is its name there.
        base: Where a relative reference lies: the project's folder.
        over: Whether it takes the place of another one of its name.

    Returns:
        Whether the library has changed: False where this very voice is there.

    Raises:
        Taken: Another voice has that name there.
        BadInput: It is no id.
        MachineFault: Its reference cannot be read, or the library cannot be written.
    """
    if not ID.fullmatch(voice.id):
        raise BadInput("An id is up to 32 letters, digits, “-” and “_”, such as miller or old-tam.")
    fingerprint = voice_fingerprint(voice, base)
    path = folder() / f"{voice.id}.toml"
    if path.exists() and not over:
        try:
            there = _read(path)
        except StudioError as error:
            raise Taken(
                f"Your library has a voice “{voice.id}” that cannot be used: {error}"
            ) from error
        if there.fingerprint == fingerprint and there.sample == voice.sample:
            return False
        raise Taken(f"Your library has another voice “{voice.id}”; give this one another name.")
    reference = _copied(voice, base) if voice.reference else ""
    write_atomically(path, render_voice(replace(voice, reference=reference)).encode())
    return True


def remove(name: str) -> None:
    """Take a voice out of the library, to where `restore` finds it. No book is touched.

    Raises:
        BadInput: There is none of that name.
        MachineFault: The library cannot be written.
    """
    path = _path(name)
    number = 1 + max((number for _, number in _removed_of(name)), default=0)
    _move(path, folder() / REMOVED / f"{name}~{number}.toml")


def removed() -> tuple[str, ...]:
    """Names of voices that were taken out of the library, in alphabetical order."""
    return tuple(sorted({path.name.rpartition("~")[0] for path, _ in _removed_of("*")}))


def restore(name: str, new: str = "") -> None:
    """Bring back the voice of a name that was taken out last.

    Args:
        name: As it was called.
        new: As it is called from now on; empty for the same.

    Raises:
        BadInput: None of that name was taken out, or the name is no id.
        Taken: The library has a voice of that name by now.
        MachineFault: The library cannot be written.
    """
    there = _removed_of(name) if ID.fullmatch(name) else ()
    if not there:
        known = ", ".join(removed()) or "none was taken out"
        raise BadInput(f"No voice “{name}” was taken out of your library ({known}).")
    to = new or name
    if not ID.fullmatch(to):
        raise BadInput("An id is up to 32 letters, digits, “-” and “_”, such as miller or old-tam.")
    path = folder() / f"{to}.toml"
    if path.exists():
        raise Taken(f"Your library has a voice “{to}” by now; give this one another name.")
    _move(max(there, key=lambda it: it[1])[0], path)


def _path(name: str) -> Path:
    """The file of a voice that is there."""
    path = folder() / f"{name}.toml"
    if not ID.fullmatch(name) or not path.is_file():
        there = ", ".join(sorted(shelf().voices)) or "nothing yet"
        raise BadInput(f"There is no voice “{name}” in your library; it has {there}.")
    return path


def _removed_of(name: str) -> tuple[tuple[Path, int], ...]:
    """Files of voices of a name that were taken out, each with its number; “*” for every name."""
    found = []
    for path in (folder() / REMOVED).glob(f"{name}~*.toml"):
        number = path.stem.rpartition("~")[2]
        if number.isdecimal():
            found.append((path, int(number)))
    return tuple(found)


def _move(path: Path, to: Path) -> None:
    try:
        to.parent.mkdir(parents=True, exist_ok=True)
        path.rename(to)
    except OSError as error:
        raise MachineFault(
            f"Your voice {path} cannot be moved to {to} ({error.strerror}); check the folder."
        ) from error


def _copied(voice: Voice, base: Path) -> str:
    """The library's own copy of a reference, named by its content."""
    source = base / voice.reference
    try:
        content = source.read_bytes()
        name = hashlib.sha256(content).hexdigest()[:_DIGITS] + audio_suffix(content, source)
        copy = folder() / AUDIO / name
        if not copy.exists() or copy.read_bytes() != content:
            write_atomically(copy, content)
    except OSError as error:
        raise MachineFault(
            f"The reference audio of voice “{voice.id}” cannot be copied into your library "
            f"({source}: {error.strerror}); check the path."
        ) from error
    return f"{AUDIO}/{name}"


def _read(path: Path) -> Voice:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is not UTF-8"
        raise MachineFault(f"Your voice {path} cannot be read ({why}).") from error
    found = parse_voice(text, path.stem, path)
    if found.reference:
        found = replace(found, reference=str(folder() / found.reference))
    return replace(found, fingerprint=voice_fingerprint(found, folder()))
