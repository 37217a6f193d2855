"""Giving a voice of a book another name: what it is and what it has read stay as they are.

A name decides no sound, so no fingerprint holds it, and no take changes. What does hold it is
changed with it: the segments, the narrator, the cast, and what an edition of the manuscript asked
for. Markers in the manuscript and takes that are there keep the name they were written with; so
that they go on meaning this voice, former names are kept as a setting of the book.
"""

from __future__ import annotations

from collections.abc import Mapping

from studio.errors import BadInput
from studio.project.configuring import COLUMNS, put_setting
from studio.project.former import FORMER
from studio.project.model import Change
from studio.project.session import Session
from studio.project.voice_fields import check_id


def rename_voice(session: Session, name: str, new: str) -> Change:
    """Call a voice otherwise, as one step.

    Args:
        session: The book.
        name: `Voice.id`, of the book's.
        new: What it is called from now on.

    Raises:
        BadInput: There is no such voice, or the new name is none or taken; nothing was changed.
    """
    voices = session.reader.voices()
    if name not in voices:
        raise BadInput(f"There is no voice “{name}”; the project has {', '.join(voices)}.")
    if new == name:
        return Change()
    check_id(new, voices)
    store = session.store
    with session.command(f"renamed the voice {name} to {new}") as step:
        # Its row is copied as it is, with its fingerprint.
        store.execute(
            f"INSERT INTO voices (id, {COLUMNS}) SELECT ?, {COLUMNS} FROM voices WHERE id = ?",
            (new, name),
        )
        store.execute("UPDATE segments SET voice = ? WHERE voice = ?", (new, name))
        store.execute(
            "UPDATE segments SET asked = json_set(asked, '$[2]', ?)"
            " WHERE asked <> '' AND json_extract(asked, '$[2]') = ?",
            (new, name),
        )
        store.execute("DELETE FROM voices WHERE id = ?", (name,))
        if session.reader.setting("voice") == name:
            put_setting(session, "voice", new)
        cast = session.reader.setting("cast", {})
        if name in cast.values():
            renamed = {role: new if it == name else it for role, it in cast.items()}
            put_setting(session, "cast", renamed)
        put_setting(session, FORMER, _former(session.reader.setting(FORMER, {}), name, new))
    return step.change


def names(session: Session) -> dict[str, str]:
    """Which voice is meant by a name: each by its own, and by those that it had before."""
    voices = session.reader.voices()
    former = session.reader.setting(FORMER, {})
    return {old: now for old, now in former.items() if now in voices} | {it: it for it in voices}


def _former(former: Mapping[str, str], name: str, new: str) -> dict[str, str]:
    """Former names once one more has changed; a name that is in use again is none of them."""
    moved = {old: new if now == name else now for old, now in former.items()}
    return {old: now for old, now in {**moved, name: new}.items() if old != new}
