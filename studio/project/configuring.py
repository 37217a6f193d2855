"""The settings of a book: kept in the database, copied into ``project.toml``, read back from it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from studio.book.lexicon import Rule
from studio.errors import BadInput, MachineFault
from studio.project import lexicon
from studio.project.clips import write_atomically
from studio.project.edited_voices import as_meant
from studio.project.model import Change, Voice
from studio.project.recipe import voice_fingerprint
from studio.project.session import Session
from studio.project.settings_file import Settings, SettingsFile, check_pauses, digest, parse, render
from studio.project.voice_fields import ID, audio_suffix
from studio.wording import counted

VOICES_NAME = "voices"
"""Folder of reference audio below the project's."""

_PLAIN = ("title", "author", "language", "voice", "cast", "pauses", "export", "reproducible")
"""Settings that stand in the table of that name as JSON."""

COLUMNS = (
    "engine, speaker, reference, transcript, description, style, language, sample, settings,"
    " fingerprint"
)
"""Columns of a voice beside its id."""


def current(session: Session) -> Settings:
    """The settings as the database holds them."""
    stored = session.reader.settings()
    return Settings(
        title=stored.get("title", ""),
        author=stored.get("author", ""),
        language=stored.get("language", ""),
        voice=stored.get("voice", ""),
        voices=session.reader.voices(),
        cast=stored.get("cast", {}),
        lexicon={rule.word: rule for rule in lexicon.rules(session.store)},
        pauses=stored.get("pauses", {}),
        export=stored.get("export", {}),
        reproducible=bool(stored.get("reproducible", False)),
    )


def set_settings(session: Session, values: Mapping[str, Any]) -> Change:
    """Change settings, by the names of `Settings` but for voices.

    Raises:
        BadInput: A value cannot be; nothing was changed.
    """
    old = current(session)
    if "pauses" in values:
        values = {**values, "pauses": check_pauses(values["pauses"])}
    if "export" in values:
        # TOML has no empty value; what is not set is left out.
        kept = {key: value for key, value in values["export"].items() if value is not None}
        values = {**values, "export": kept}
    if "lexicon" in values:
        given = values["lexicon"].items()
        rules = {word: it if isinstance(it, Rule) else Rule(word, it) for word, it in given}
        values = {**values, "lexicon": rules}
    new = replace(old, **values)
    # One set of rules for what a person types here and in the file.
    parse(render(new), session.folder / "project.toml")
    return _store(session, f"settings: {', '.join(values)}", old, new)


def put_voice(session: Session, voice: Voice) -> Change:
    """Add a voice, or change the one of that id."""
    old = current(session)
    verb = "changed" if voice.id in old.voices else "added"
    new = replace(old, voices={**old.voices, voice.id: adopted(session, voice)})
    parse(render(new), session.folder / "project.toml")
    return _store(session, f"{verb} the voice {voice.id}", old, new)


def remove_voice(session: Session, name: str) -> Change:
    """Take a voice out of the project.

    Raises:
        BadInput: There is none of that name, or something is read by it; nothing was changed.
    """
    old = current(session)
    if name not in old.voices:
        raise BadInput(f"There is no voice “{name}”; the project has {', '.join(old.voices)}.")
    used = session.store.value("SELECT count(*) FROM segments WHERE voice = ?", (name,))
    if used:
        raise BadInput(
            f"The voice “{name}” reads {counted(used, 'segment')}; "
            f"give {'it' if used == 1 else 'them'} another voice first."
        )
    if name == old.voice:
        raise BadInput(f"“{name}” is the narrator’s voice; the book needs one.")
    roles = [role for role, voice in old.cast.items() if voice == name]
    if roles:
        raise BadInput(
            f"The voice “{name}” is kept in the cast for {', '.join(roles)}; "
            "choose another for them first."
        )
    kept = {key: voice for key, voice in old.voices.items() if key != name}
    return _store(session, f"removed the voice {name}", old, replace(old, voices=kept))


def adopted(session: Session, voice: Voice) -> Voice:
    """A voice whose reference audio lies in the project, copied there from an absolute path.

    The copy is called after the voice and by what it holds; one that lies there already and is
    another stays, for undo may ask for it.

    Raises:
        MachineFault: It cannot be read.
    """
    source = Path(voice.reference)
    if not voice.reference or not source.is_absolute():
        return voice
    try:
        voice_fingerprint(voice, session.folder)  # which reads no device, and nothing without end
        content = source.read_bytes()
    except OSError as error:
        raise MachineFault(
            f"The reference audio of voice “{voice.id}” cannot be read at {source} "
            f"({error.strerror}); check the path."
        ) from error
    short, suffix = digest(content)[:16], audio_suffix(content, source)
    stem = voice.id if ID.fullmatch(voice.id) else short
    name = f"{VOICES_NAME}/{stem}{suffix}"
    if not _may_hold(session.folder / name, content):
        name = f"{VOICES_NAME}/{stem}-{short}{suffix}"
    write_atomically(session.folder / name, content)
    return replace(voice, reference=name)


def _may_hold(path: Path, content: bytes) -> bool:
    """Whether nothing lies there, or the very same."""
    try:
        return path.read_bytes() == content
    except FileNotFoundError:
        return True
    except OSError:
        return False


def take_over(session: Session, file: SettingsFile) -> tuple[Change, list[str]]:
    """Read ``project.toml`` if a person has edited it, as one step ``edited outside``.

    Returns:
        The change, and sentences on what was edited and changes nothing.

    Raises:
        BadInput: It is malformed; nothing was changed.
    """
    old = current(session)
    text = file.edited_text(render(old))
    if text is None:
        return Change(), []
    new = parse(text, file.path)
    for name in old.voices.keys() - new.voices.keys():
        used = session.store.value("SELECT count(*) FROM segments WHERE voice = ?", (name,))
        if used:
            raise BadInput(
                f"{file.path} lacks the voice “{name}”, which reads {used} segments; "
                f"give them another voice in the studio first."
            )
    voices, notices = as_meant(old.voices, new.voices)
    return _store(session, "edited outside", old, replace(new, voices=voices)), notices


def refresh_fingerprints(session: Session) -> tuple[Change, list[str]]:
    """See whether reference audio was exchanged; returns the change and sentences about trouble."""
    old = current(session)
    notices = []
    changed = {}
    for name, voice in old.voices.items():
        if not voice.reference:
            continue
        try:
            fingerprint = voice_fingerprint(voice, session.folder)
        except MachineFault as error:
            notices.append(str(error))
            continue
        if fingerprint != voice.fingerprint:
            changed[name] = voice
    if not changed:
        return Change(), notices
    label = f"reference audio of {', '.join(changed)} exchanged outside"
    return _store(session, label, old, old, renew=frozenset(changed)), notices


def insert_voice(session: Session, voice: Voice) -> None:
    """Put a voice into the table, or over the one of its id; within a transaction."""
    texts = (voice.engine, voice.speaker, voice.reference, voice.transcript, voice.description)
    session.store.execute(
        f"INSERT INTO voices (id, {COLUMNS}) VALUES (?{', ?' * 10})"
        " ON CONFLICT (id) DO UPDATE SET"
        f" ({COLUMNS}) = ({', '.join('excluded.' + c for c in COLUMNS.split(', '))})",
        (
            voice.id,
            *texts,
            voice.style,
            voice.language,
            voice.sample,
            json.dumps(dict(voice.settings), ensure_ascii=False, sort_keys=True),
            voice_fingerprint(voice, session.folder),
        ),
    )


def put_setting(session: Session, name: str, value: Any) -> None:
    """Put one setting into its table; within a transaction."""
    session.store.execute(
        "INSERT INTO settings (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, json.dumps(value, ensure_ascii=False, sort_keys=True)),
    )


def _store(
    session: Session,
    label: str,
    old: Settings,
    new: Settings,
    renew: frozenset[str] = frozenset(),
) -> Change:
    """Write what differs, as one command; voices in ``renew`` get a new fingerprint anyway."""
    with session.command(label) as step:
        for name in _PLAIN:
            if getattr(new, name) != getattr(old, name):
                put_setting(session, name, getattr(new, name))
        if new.lexicon != old.lexicon:
            failed = lexicon.rewrite(session, [*new.lexicon.values()])
            step.change = Change(segments=failed)
        for name in old.voices.keys() - new.voices.keys():
            session.store.execute("DELETE FROM voices WHERE id = ?", (name,))
        for name, voice in new.voices.items():
            before = old.voices.get(name)
            same = before is not None and replace(voice, fingerprint=before.fingerprint) == before
            if not same or name in renew:
                insert_voice(session, voice)
    return step.change
