"""`rhapsode voices library`, `take`, `keep` and `add --library`: your voices, for all books."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from studio.commands.changing_voices import Wishes, with_wishes
from studio.commands.notices import tell
from studio.commands.reply import Reply, table
from studio.commands.voices import facts
from studio.errors import BadInput
from studio.project import voice_library
from studio.project.model import Voice
from studio.project.project import Project
from studio.project.voice_fields import check_id


def listing() -> Reply:
    """The voices of the library."""
    shelf = voice_library.shelf()
    rows = [("voice", "engine", "who", "language", "sample line")]
    for voice in shelf.voices.values():
        who = voice.speaker or Path(voice.reference).name or voice.description or "–"
        rows.append((voice.id, voice.engine, who, voice.language or "–", voice.sample or "–"))
    if shelf.voices:
        lines = table(rows)
    elif shelf.troubles:
        lines = ["No voice of your library can be used as it is."]
    else:
        lines = ["Your library has no voices yet."]
        lines.append("rhapsode voices keep DIR ID puts one of a book’s there.")
    removed = voice_library.removed()
    if removed:
        lines.append(
            f"Taken out: {', '.join(removed)}. rhapsode voices restore ID brings one back."
        )
    data = {
        "folder": str(voice_library.folder()),
        "voices": [
            {**facts(voice), "transcript": voice.transcript} for voice in shelf.voices.values()
        ],
        "removed": list(removed),
        "troubles": list(shelf.troubles),
    }
    return Reply(data, [*lines, *(f"note: {it}" for it in shelf.troubles)])


def add(name: str, wishes: Wishes, told: Sequence[str] = ()) -> Reply:
    """Put a new voice into the library.

    Raises:
        BadInput: The id is taken or no id, or something that was said of the voice cannot be.
        MachineFault: The library cannot be written.
    """
    check_id(name, ())
    voice, heard = with_wishes(Voice(id=name, engine="", language=""), wishes, Path())
    if not voice_library.keep(voice, Path()):
        raise BadInput(f"Your library has this very voice “{name}” already.")
    kept = voice_library.voice(name)
    line = f"The voice “{name}” is in your library: {kept.engine}"
    line += f" ({heard})." if heard else "."
    data = {"voice": {**facts(kept), "transcript": kept.transcript}, "library": True}
    return Reply(data, [*told, line, f"rhapsode voices take DIR {name} brings it into a book."])


def remove(name: str) -> Reply:
    """Take a voice out of the library, so that it can be brought back.

    Raises:
        BadInput: There is no such voice.
        MachineFault: The library cannot be written.
    """
    voice_library.remove(name)
    lines = [f"The voice “{name}” is out of your library; books that have it keep it."]
    lines.append(f"rhapsode voices restore {name} brings it back.")
    return Reply({"voice": name, "library": True, "removed": True}, lines)


def restore(name: str, new: str | None) -> Reply:
    """Bring a voice back that was taken out of the library.

    Raises:
        BadInput: None of that name was, or the library has another one of it by now.
        MachineFault: The library cannot be written.
    """
    try:
        voice_library.restore(name, new or "")
    except voice_library.Taken as error:
        raise BadInput(f"{str(error).rstrip('.')}: --as NAME") from error
    line = f"The voice “{new or name}” is in your library again."
    return Reply({"voice": new or name, "library": True, "removed": False}, [line])


def take(folder: Path, name: str, new: str | None) -> Reply:
    """Bring a voice of the library into a project, as one step that can be undone in the studio.

    Raises:
        BadInput: There is no such voice, or the project has another one of that name.
        MachineFault: A studio has the project open, or the disk is in the way.
    """
    voice = replace(voice_library.voice(name), id=new or name)
    with Project.open(folder) as project:
        tell(project)
        same = project.voices().get(voice.id)
        if same is not None and same.fingerprint == voice.fingerprint:
            line = f"The book has this very voice “{voice.id}” already."
            return Reply({"project": str(folder), "voice": facts(same), "changed": False}, [line])
        if same is not None:
            raise BadInput(
                f"The book has another voice “{voice.id}”; take it under another name: --as NAME"
            )
        check_id(voice.id, ())
        project.put_voice(voice)
        kept = project.voices()[voice.id]
    line = f"The voice “{kept.id}” of your library is in the book now: {kept.engine}."
    return Reply({"project": str(folder), "voice": facts(kept), "changed": True}, [line])


def keep(folder: Path, name: str, new: str | None, *, over: bool) -> Reply:
    """Put a voice of a project into the library.

    Raises:
        BadInput: There is no such voice, or the library has another one of that name.
        MachineFault: Its reference cannot be read, or the library cannot be written.
    """
    with Project.open(folder, read_only=True) as project:
        voices = project.stored_voices()
        if name not in voices:
            raise BadInput(f"There is no voice “{name}”; the project has {', '.join(voices)}.")
        try:
            kept = voice_library.keep(replace(voices[name], id=new or name), folder, over=over)
        except voice_library.Taken as error:
            raise BadInput(
                f"{str(error).rstrip('.')} (--as NAME), or put it in its place (--replace)."
            ) from error
    where = f"“{new or name}” is in your library"
    line = f"The voice {where} now." if kept else f"This very voice {where} already."
    return Reply({"voice": new or name, "changed": kept}, [line])
