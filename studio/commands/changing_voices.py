"""`rhapsode voices add`, `set` and `check`: who can read a book, without a screen."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from studio.commands.fitting import refusals_of
from studio.commands.notices import tell
from studio.commands.reply import Reply
from studio.commands.voices import facts
from studio.engines.catalogue import Catalogue
from studio.engines.voice_settings import as_it_was, as_meant, check_settings
from studio.errors import BadInput, StudioError
from studio.project.model import Voice
from studio.project.project import Project
from studio.project.recipe import wire_voice
from studio.project.voice_fields import check_id, setting, transcript
from studio.wording import in_shell, number_runs


@dataclass(frozen=True, slots=True)
class Wishes:
    """What was said of a voice; None for what was not mentioned."""

    engine: str | None = None
    speaker: str | None = None
    reference: str | None = None
    """Path of a file; empty to take it out of the voice."""
    transcript: str | None = None
    """Text, or ``@`` and the name of a file."""
    description: str | None = None
    style: str | None = None
    language: str | None = None
    sample: str | None = None
    settings: Sequence[str] = ()
    """Each ``KEY=VALUE``; an empty value takes the setting out."""

    @property
    def nothing(self) -> bool:
        """Whether nothing was mentioned."""
        return self == Wishes()


def add(folder: Path, name: str, wishes: Wishes, told: Iterable[str] = ()) -> Reply:
    """Add a voice to a project, as one step that can be undone in the studio.

    Args:
        folder: The project.
        name: The new voice's id.
        wishes: What was said of it.
        told: What is to be told before the rest: of a reference that was cut.

    Raises:
        BadInput: The id is taken or no id, or something that was said of the voice cannot be.
        MachineFault: A studio has the project open, or the disk is in the way.
    """
    with Project.open(folder) as project:
        tell(project)
        check_id(name, project.stored_voices())
        if not wishes.engine:
            raise BadInput(f"Say which engine reads “{name}”: --engine NAME")
        voice = Voice(id=name, engine=wishes.engine, language="")
        reply = _keep(project, voice, wishes, f"The voice “{name}” is there")
    return replace(reply, lines=[*told, *reply.lines])


def change(folder: Path, name: str, wishes: Wishes, told: Iterable[str] = ()) -> Reply:
    """Change a voice of a project, as one step that can be undone in the studio; see `add`.

    Raises:
        BadInput: There is no such voice, nothing is to be changed, or something cannot be.
        MachineFault: A studio has the project open, or the disk is in the way.
    """
    if wishes.nothing:
        raise BadInput(f"Say what of “{name}” is to change, such as: --style calm")
    with Project.open(folder) as project:
        tell(project)
        voice = _known(project.stored_voices(), name)
        reply = _keep(project, voice, wishes, f"The voice “{name}” is changed")
    return replace(reply, lines=[*told, *reply.lines])


def remove(folder: Path, name: str) -> Reply:
    """Take a voice that reads nothing out of a project, as one step that can be undone there.

    Raises:
        BadInput: There is no such voice, or the book needs it.
        MachineFault: A studio has the project open, or the disk is in the way.
    """
    with Project.open(folder) as project:
        project.remove_voice(name)
        notes = [f"note: {notice}" for notice in project.notices]
    line = f"The voice “{name}” is gone; undo in the studio brings it back."
    return Reply({"project": str(folder), "voice": name, "removed": True}, [line, *notes])


def rename(folder: Path, name: str, new: str) -> Reply:
    """Call a voice of a project otherwise, as one step that can be undone in the studio.

    Raises:
        BadInput: There is no such voice, or the new name is none or taken.
        MachineFault: A studio has the project open, or the disk is in the way.
    """
    with Project.open(folder) as project:
        changed = bool(project.rename_voice(name, new))
        notes = [f"note: {notice}" for notice in project.notices]
        kept = project.voices()[new]
        count = sum(it.voice == new for it in project.segments())
    line = f"The voice “{name}” is called “{new}” now and reads what it read: {count:,} "
    line += f"segment{'s' * (count != 1)}. No take has become stale."
    if not changed:
        line = f"The voice is called “{new}” already."
    data = {"project": str(folder), "was": name, "voice": facts(kept), "changed": changed}
    return Reply(data, [line, *notes])


def check(folder: Path, name: str) -> Reply:
    """Have a voice's engine prepare it, and tell what it says of it.

    Raises:
        BadInput: There is no such voice, or its engine refuses it; the reason is the engine's.
        MachineFault: The engine is missing or does not start.
    """
    from studio.narration.alone import Alone

    with Project.open(folder, read_only=True) as project:
        voice = _known(project.voices(), name)
        told = wire_voice(voice, project.folder)

    async def prepare() -> tuple[str, ...]:
        reader = Alone()
        try:
            return await reader.prepare(voice.engine, told)
        finally:
            await reader.close()

    notes = asyncio.run(prepare())
    lines = [f"{voice.engine} can read “{name}”{' but warns:' if notes else '.'}"]
    lines += [f"  {note}" for note in notes]
    data = {"project": str(folder), "voice": name, "engine": voice.engine, "warnings": list(notes)}
    return Reply(data, lines)


def _known(voices: Mapping[str, Voice], name: str) -> Voice:
    if name not in voices:
        raise BadInput(f"There is no voice “{name}”; the project has {', '.join(voices)}.")
    return voices[name]


def _keep(project: Project, voice: Voice, wishes: Wishes, told: str) -> Reply:
    """Put what was said into a voice, and the voice into the project."""
    wanted, heard = with_wishes(voice, wishes, project.folder)
    if wishes.settings or wishes.engine:
        check_settings(wanted.engine, wanted.settings)
    there = project.stored_voices().get(voice.id)
    voice = wanted if there is None else as_meant(there, wanted)
    before = {segment.uid for segment in project.segments() if segment.stale}
    project.put_voice(voice)
    for notice in project.notices:
        told += f" ({notice})"
    kept = project.voices()[voice.id]
    stale = [it.number for it in project.segments() if it.stale and it.uid not in before]
    lines = [f"{told}: {kept.engine}, {_who(kept)}{f' ({heard})' if heard else ''}."]
    lines += as_it_was(wanted, voice)
    if stale:
        lines.append(
            f"{len(stale):,} take{'s' * (len(stale) != 1)} became stale (segments "
            f"{number_runs(stale)}); rhapsode narrate {in_shell(project.folder)} makes them anew, "
            "and undo in the studio brings them back."
        )
    refused = refusals_of(project, kept.id)
    lines += [f"{it[:1].upper()}{it[1:]}." for it in refused]
    missing = _missing_engine(kept.engine)
    lines.append(
        missing
        or f"rhapsode voices check {in_shell(project.folder)} {kept.id} asks the engine about it."
    )
    data = {
        "project": str(project.folder),
        "voice": {**facts(kept), "transcript": kept.transcript, "fingerprint": kept.fingerprint},
        "stale": len(stale),
        "stale_segments": stale,
        "refused": refused,
        "engine_missing": bool(missing),
    }
    return Reply(data, lines)


def with_wishes(voice: Voice, wishes: Wishes, base: Path) -> tuple[Voice, str]:
    """A voice with what was mentioned, and facts of a reference that is new.

    Args:
        voice: As it is.
        wishes: What was said of it.
        base: Where a relative reference lies: the project's folder.

    Raises:
        BadInput: Something that was said cannot be.
    """
    voice = _with(voice, wishes)
    return voice, _checked_reference(base, voice, wishes)


def _with(voice: Voice, wishes: Wishes) -> Voice:
    """A voice with what was mentioned."""
    names = ("engine", "speaker", "description", "style", "language", "sample")
    said: dict[str, Any] = {
        name: " ".join(text.split())
        for name in names
        if (text := getattr(wishes, name)) is not None
    }
    if said.get("engine") == "":
        raise BadInput("A voice needs an engine, such as hibari.")
    if wishes.transcript is not None:
        said["transcript"] = transcript(wishes.transcript)
    if wishes.reference is not None:
        said["reference"] = str(Path(wishes.reference).absolute()) if wishes.reference else ""
        if not wishes.reference:
            said.setdefault("transcript", "")
    settings = dict(voice.settings)
    for text in wishes.settings:
        key, value = setting(text)
        if value is None:
            settings.pop(key, None)
        else:
            settings[key] = value
    return replace(voice, settings=settings, **said)


def _checked_reference(base: Path, voice: Voice, wishes: Wishes) -> str:
    """See that reference and transcript go together; facts of a reference that is new."""
    if voice.transcript and not voice.reference:
        raise BadInput(
            f"“{voice.id}” has a transcript and no reference that it could be of: "
            "add --reference FILE, or leave the transcript out."
        )
    if not wishes.reference:
        return ""
    from studio.sound.reference import look_at

    heard = look_at(base / voice.reference)
    if wishes.transcript is None:
        # The old transcript, if there is one, is that of another recording.
        raise BadInput(untold(wishes.reference))
    return heard.words


def untold(where: str) -> str:
    """What to say where a reference comes without its words."""
    return (
        f"Say what is said in {where}, word for word: --transcript TEXT, or --transcript @FILE; "
        "--transcribe has the listener propose it (English); --transcript '' where the engine "
        "needs none."
    )


def _who(voice: Voice) -> str:
    """What the voice is made of, in a few words."""
    return voice.reference or voice.speaker or voice.description or "as the engine reads by itself"


def _missing_engine(name: str) -> str:
    """What to do where this machine has no such engine, or nothing."""
    try:
        Catalogue.of_user()[name]
    except StudioError as error:
        return str(error)
    return ""
