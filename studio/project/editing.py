"""The commands of a person's: each one transaction, each one step that can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from studio.errors import BadInput
from studio.project import configuring
from studio.project.model import Change, Kind, Segment
from studio.project.rows import FEW
from studio.project.session import Session, Step, named
from studio.project.settings_file import LONGEST_PAUSE

SEED_LIMIT = 2**32
"""Seeds are whole numbers below this."""


def edit_spoken(session: Session, uid: str, text: str | None) -> Change:
    """Set what the engine is given for a segment; None goes back to the automatic text."""
    segment = session.segment(uid)
    return _type(session, f"edited {named([segment])}", [segment], {uid: text})


def replace_spoken(session: Session, texts: Mapping[str, str | None], label: str) -> Change:
    """Set what the engine is given for many segments, as one step."""
    segments = session.segments(texts)
    return _type(session, label or f"replaced text in {named(segments)}", segments, texts)


def _type(
    session: Session, label: str, segments: Sequence[Segment], texts: Mapping[str, str | None]
) -> Change:
    """Give segments typed texts; one that is the automatic text already is none."""
    automatic = _automatic_texts(session, segments)
    typed = []
    for segment in segments:
        text = _checked(segment, texts[segment.uid])
        typed.append((None if text == automatic[segment.uid] else text, segment))
    return _set_each(session, label, "override", typed)


def _automatic_texts(session: Session, segments: Sequence[Segment]) -> dict[str, str]:
    """What the engine is given for segments where nobody has typed anything."""
    select = "SELECT uid, COALESCE(lexed, spoken, source) FROM segments"
    if len(segments) > FEW:
        return dict(session.store.rows(select))
    return dict(session.store.row(f"{select} WHERE uid = ?", (s.uid,)) for s in segments)


def _checked(segment: Segment, text: str | None) -> str | None:
    """A typed text as it is stored.

    Raises:
        BadInput: The segment cannot have it.
    """
    if text is None:
        if segment.inserted:
            raise BadInput(
                f"Segment {segment.number} was inserted and has no other text than the typed one; "
                f"delete it instead, or type another."
            )
        return None
    text = storable(text).strip()
    if segment.kind is Kind.SCENE_BREAK:
        raise BadInput(f"Segment {segment.number} is a scene break; it has no text to edit.")
    if not text:
        raise BadInput(
            f"Segment {segment.number} cannot be empty; delete the segment instead, "
            f"or give it something to say."
        )
    return text


def choose_take(session: Session, uid: str, take_id: int) -> Change:
    """Choose one of a segment's takes, and with it the take's seed."""
    return choose_takes(session, {uid: take_id})


def choose_takes(session: Session, takes: Mapping[str, int]) -> Change:
    """Choose a take for each of some segments, as one step; a recording has no seed to bring."""
    segments = session.segments(takes)
    if not segments:
        return Change()
    found = []
    for segment in segments:
        row = session.store.row(
            "SELECT number, seed, fingerprint FROM takes WHERE id = ? AND segment = ?",
            (takes[segment.uid], segment.uid),
        )
        if row is None:
            raise BadInput(
                f"Segment {segment.number} has no take with the id {takes[segment.uid]}."
            )
        found.append(row)
    what = f"take {found[0][0]}" if len(found) == 1 else "takes"
    with session.command(f"chose {what} of {named(segments)}") as step:
        session.store.connection.executemany(
            "UPDATE segments SET chosen = ?, seed = ?, failure = '' WHERE uid = ?",
            (
                (takes[segment.uid], seed if fingerprint else segment.seed, segment.uid)
                for segment, (_, seed, fingerprint) in zip(segments, found, strict=True)
            ),
        )
        step.change = Change(segments=frozenset(s.uid for s in segments if s.failure))
    return step.change


def approve(
    session: Session, uids: Iterable[str], on: bool, seen: Mapping[str, int] | None = None
) -> Change:
    """Approve the chosen takes, or take the approval back. Scene breaks are skipped.

    What waits for an approved segment stays queued; what comes of it is kept beside the take. So
    is what has come in place of the take that the person saw as the chosen one.
    """
    segments = [s for s in session.segments(uids) if s.kind is not Kind.SCENE_BREAK]
    meant = {s.uid: s.chosen for s in segments} | dict(seen or {}) if on else {}
    overtaken = [s for s in segments if on and s.chosen is not None and s.chosen != meant[s.uid]]
    for segment in segments if on else ():
        if segment not in overtaken:
            _must_be_approvable(segment)
    if not segments:
        return Change()
    with session.command(f"{'approved' if on else 'unapproved'} {named(segments)}") as step:
        if overtaken:
            _choose_again(session, overtaken, meant)
        session.store.connection.executemany(
            f"UPDATE segments SET approved = {'chosen' if on else 'NULL'} WHERE uid = ?",
            ((segment.uid,) for segment in segments),
        )
        if on:
            session.store.connection.executemany(
                "UPDATE queue SET approved = asked WHERE segment = ?",
                ((segment.uid,) for segment in segments),
            )
    return step.change


def _must_be_approvable(segment: Segment) -> None:
    if segment.chosen is None:
        raise BadInput(f"Segment {segment.number} has no take to approve; narrate it first.")
    if segment.stale:
        raise BadInput(
            f"Segment {segment.number} cannot be approved: its "
            f"{' and '.join(segment.stale)} changed since the take was made; "
            f"narrate it again first."
        )


def _choose_again(
    session: Session, segments: Sequence[Segment], takes: Mapping[str, int | None]
) -> None:
    """Within an approval, choose the takes that were chosen when the person saw them.

    Raises:
        BadInput: One of them is none any more that could be approved.
    """
    session.store.connection.executemany(
        "UPDATE segments SET chosen = t.id,"
        " seed = iif(t.fingerprint = '', segments.seed, t.seed)"
        " FROM takes t WHERE t.id = ? AND t.segment = segments.uid AND segments.uid = ?",
        ((takes[segment.uid], segment.uid) for segment in segments),
    )
    for now in session.segments([segment.uid for segment in segments]):
        if now.chosen != takes[now.uid] or now.stale:
            raise BadInput(
                f"Segment {now.number} has got another take meanwhile; hear it, then approve it."
            )


def star_take(session: Session, take_id: int, on: bool) -> Change:
    """Star a take, so that cleaning keeps it. Takes are no part of the history, nor is this."""
    row = session.store.row("SELECT segment, star FROM takes WHERE id = ?", (take_id,))
    if row is None:
        raise BadInput(f"There is no take with the id {take_id}.")
    if bool(row[1]) is on:
        return Change()
    with session.store.transaction():
        session.store.execute("UPDATE takes SET star = ? WHERE id = ?", (int(on), take_id))
    return Change(segments=frozenset((row[0],)))


def mark(session: Session, uids: Iterable[str], on: bool) -> Change:
    """Put a mark on segments, or take it off."""
    segments = session.segments(uids)
    label = f"{'marked' if on else 'unmarked'} {named(segments)}"
    return _set(session, label, segments, "mark", int(on))


def set_note(session: Session, uid: str, text: str) -> Change:
    """Write a note on a segment; an empty one takes it off."""
    segment = session.segment(uid)
    return _set(session, f"note on {named([segment])}", [segment], "note", storable(text).strip())


def set_voice(session: Session, uids: Iterable[str], voice: str) -> Change:
    """Let a voice of the project read segments."""
    _must_be_known(session, (voice,))
    segments = session.segments(uids)
    return _set(session, f"voice of {named(segments)}: {voice}", segments, "voice", voice)


def set_voices(
    session: Session, voices: Mapping[str, str], label: str, cast: Mapping[str, str] | None
) -> Change:
    """Let voices of the project read segments, and note who is cast for whom, as one step."""
    _must_be_known(session, {*voices.values(), *(cast or {}).values()})
    segments = session.segments(voices)
    label = label or (f"voices of {named(segments)}" if segments else "cast")
    pairs = [(voices[segment.uid], segment) for segment in segments]
    if not cast:
        return _set_each(session, label, "voice", pairs)
    with session.command(label) as step:
        _write(session, "voice", pairs, step)
        now = session.reader.setting("cast", {})
        names = {storable(name): voice for name, voice in cast.items()}
        configuring.put_setting(session, "cast", {**now, **names})
    return step.change


def _must_be_known(session: Session, voices: Iterable[str]) -> None:
    known = session.reader.voices()
    for voice in sorted(voices):
        if voice not in known:
            raise BadInput(
                f"There is no voice “{voice}”; the project has {', '.join(sorted(known))}."
            )


def set_seed(session: Session, uid: str, seed: int) -> Change:
    """Set the seed of a segment's next narration."""
    segment = session.segment(uid)
    if not 0 <= seed < SEED_LIMIT:
        raise BadInput(f"A seed is a whole number from 0 to {SEED_LIMIT - 1:,}.")
    return _set(session, f"seed of {named([segment])}: {seed}", [segment], "seed", seed)


def set_speed(session: Session, uids: Iterable[str], speed: float) -> Change:
    """Set how fast segments are read, 1 being the voice's own pace."""
    if not 0.5 <= speed <= 2.0:
        raise BadInput("A speed lies between 0.5 and 2.")
    segments = session.segments(uids)
    return _set(session, f"speed of {named(segments)}: {speed:g}", segments, "speed", float(speed))


def set_pause(session: Session, uids: Iterable[str], ms: int | None) -> Change:
    """Set the silence after segments; None goes back to the default of their kind."""
    if ms is not None and not 0 <= ms <= LONGEST_PAUSE:
        raise BadInput(f"A pause lies between 0 and {LONGEST_PAUSE} milliseconds.")
    segments = session.segments(uids)
    return _set(session, f"pause after {named(segments)}", segments, "pause_ms", ms)


_CLEARS_FAILURE = ("override", "voice", "seed", "speed")
"""What a failed narration may have failed for: changing it ends the failure."""


def _set(
    session: Session, label: str, segments: Sequence[Segment], column: str, value: object
) -> Change:
    """Give one column of segments a value."""
    return _set_each(session, label, column, [(value, segment) for segment in segments])


def _set_each(
    session: Session, label: str, column: str, pairs: Sequence[tuple[object, Segment]]
) -> Change:
    """Give one column of segments values, as one command."""
    if not pairs:
        return Change()
    with session.command(label) as step:
        _write(session, column, pairs, step)
    return step.change


def _write(
    session: Session, column: str, pairs: Sequence[tuple[object, Segment]], step: Step
) -> None:
    """Write a column within a command; where it may have been at fault the failure ends."""
    clears = column in _CLEARS_FAILURE
    session.store.connection.executemany(
        f"UPDATE segments SET {column} = ?{', failure = ' + repr('') if clears else ''}"
        " WHERE uid = ?",
        ((value, segment.uid) for value, segment in pairs),
    )
    if clears:
        step.change |= Change(segments=frozenset(s.uid for _, s in pairs if s.failure))


def storable(text: str) -> str:
    """Text that a database of Unicode text can hold.

    Raises:
        BadInput: It has a part of a character without the other.
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise BadInput(
            f"The text has half a character at position {error.start + 1}; type it again."
        ) from error
    return text.replace("\0", "")
