"""The commands that change which segments there are, and what kind each is.

Automatic text is made anew wherever a source text changes. Takes stay in the database when their
segment goes, so that it comes back with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from studio.errors import BadInput
from studio.project import removed
from studio.project.asking import joined_asked, parted_asked
from studio.project.creating import STEP
from studio.project.editing import storable
from studio.project.following import dates_of
from studio.project.lexicon import lexed_each
from studio.project.model import Change, Kind, Segment
from studio.project.session import Session, named

WIDE_STEP = 2**32
"""Distance of neighbours in a chapter whose room was used up once: it will be needed again."""


def split(session: Session, uid: str, at: int, spoken_at: int | None) -> Change:
    """Make two segments of one; the first keeps uid, takes, mark and note."""
    segment = session.segment(uid)
    if segment.kind is Kind.SCENE_BREAK:
        raise BadInput(f"Segment {segment.number} is a scene break; there is nothing to split.")
    sources, typed = _parts(segment, at, spoken_at)
    parts = [
        _text(session, segment, source, override)
        for source, override in zip(sources, typed, strict=True)
    ]
    language, begun = _of_edition(session, uid)
    asked = parted_asked(begun)
    with session.command(f"split {named([segment])}") as step:
        session.store.execute(
            "UPDATE segments SET source = :source, spoken = :spoken, lexed = :lexed,"
            " speaking = :speaking, override = :override, ends_paragraph = 0, pause_ms = NULL,"
            " asked = :asked, failure = '' WHERE uid = :uid",
            {**parts[0], "asked": asked[0], "uid": uid},
        )
        identity = _named_anew(session, sources[1] or f"{uid}\n{typed[1]}")
        _insert(
            session,
            identity,
            **parts[1],
            **_place_after(session, uid),
            kind=segment.kind.value,
            ends_paragraph=int(segment.ends_paragraph),
            language=language,
            asked=asked[1],
            voice=segment.voice,
            speed=segment.speed,
            pause_ms=segment.pause_ms,
        )
        start = len(segment.source) - len(sources[1])
        removed.follow_split(session, uid, identity["uid"], start)
    return step.change


def _parts(
    segment: Segment, at: int, spoken_at: int | None
) -> tuple[tuple[str, str], tuple[str | None, str | None]]:
    """The source texts and the typed texts of a segment's two parts."""
    from studio.book.joining import aligned, parted

    if segment.inserted:
        return ("", ""), parted(segment.spoken, at if spoken_at is None else spoken_at)
    sources = parted(segment.source, at)
    if not segment.edited:
        return sources, (None, None)
    if spoken_at is None:
        spoken_at = aligned(segment.source, segment.spoken, at)
        if not spoken_at:
            raise BadInput(
                f"The typed text of segment {segment.number} is one word and cannot be split; "
                f"type more, or go back to the automatic text."
            )
    return sources, parted(segment.spoken, spoken_at)


def join(session: Session, uid: str) -> Change:
    """Make one segment of two; the first keeps uid, takes, voice and kind."""
    from studio.book.joining import joined

    segment = session.segment(uid)
    row = session.store.row(
        "SELECT uid FROM segments WHERE chapter = ? AND position >"
        " (SELECT position FROM segments WHERE uid = ?) ORDER BY position LIMIT 1",
        (segment.chapter, uid),
    )
    if row is None:
        raise BadInput(f"Segment {segment.number} is the last of its chapter; nothing follows it.")
    following = session.segment(row[0])
    for each in (segment, following):
        if each.kind is Kind.SCENE_BREAK:
            raise BadInput(f"Segment {each.number} is a scene break; delete it instead.")
    together = not segment.ends_paragraph
    source = joined(segment.source, following.source, paragraph=together)
    typed = None
    if segment.edited or following.edited:
        typed = joined(segment.spoken, following.spoken, paragraph=together)
    asked = joined_asked(_of_edition(session, uid)[1], _of_edition(session, following.uid)[1])
    with session.command(f"joined segments {segment.number} and {following.number}") as step:
        session.store.execute("DELETE FROM segments WHERE uid = ?", (following.uid,))
        session.store.execute(
            "UPDATE segments SET source = :source, spoken = :spoken, lexed = :lexed,"
            " speaking = :speaking, override = :override, ends_paragraph = :ends,"
            " pause_ms = :pause, asked = :asked, mark = :mark, note = :note, failure = ''"
            " WHERE uid = :uid",
            {
                **_text(session, segment, source, typed),
                "ends": int(following.ends_paragraph),
                "pause": following.pause_ms,
                "asked": asked,
                "mark": int(segment.mark or following.mark),
                "note": "; ".join(filter(None, (segment.note, following.note))),
                "uid": uid,
            },
        )
        removed.follow_join(session, uid, following.uid, len(source) - len(following.source))
    return step.change


def insert(session: Session, neighbour: str, text: str, kind: Kind, *, before: bool) -> Change:
    """Put in a segment of a person's own, read by the voice of its neighbour."""
    beside = session.segment(neighbour)
    text = " ".join(storable(text).split())
    if (kind is Kind.SCENE_BREAK) is bool(text):
        raise BadInput(
            "A scene break has no text; choose another kind for it."
            if text
            else "The new segment needs something to say; type its text."
        )
    if text:
        _must_be_speakable(text)
    where = f"before segment {beside.number}" if before else f"after segment {beside.number}"
    with session.command(f"inserted a {_noun(kind)} {where}") as step:
        place = (_place_before if before else _place_after)(session, neighbour)
        _insert(
            session,
            _named_anew(session, f"{neighbour}\n{text}"),
            **place,
            kind=kind.value,
            source="",
            spoken=None,
            lexed=None,
            speaking=removed.BY_HAND,
            override=text or None,
            ends_paragraph=_ends_paragraph(session, kind, place),
            voice=beside.voice,
            speed=beside.speed,
            pause_ms=None,
        )
    return step.change


def delete(session: Session, uids: Iterable[str]) -> Change:
    """Take segments out of the book, and chapters that have none left."""
    segments = session.segments(uids)
    if not segments:
        return Change()
    store = session.store
    if len(segments) == store.value("SELECT count(*) FROM segments"):
        raise BadInput("That would delete every segment of the book; leave at least one.")
    chapters = sorted({segment.chapter for segment in segments})
    with session.command(f"deleted {named(segments)}") as step:
        removed.keep(session, segments)
        store.connection.executemany(
            "DELETE FROM segments WHERE uid = ?", ((segment.uid,) for segment in segments)
        )
        store.connection.executemany(
            "DELETE FROM chapters WHERE id = :id"
            " AND NOT EXISTS (SELECT 1 FROM segments WHERE chapter = :id)",
            ({"id": chapter} for chapter in chapters),
        )
    return step.change


def set_kind(session: Session, uids: Iterable[str], kind: Kind) -> Change:
    """Say what segments are in the book; headings are spoken otherwise than the rest."""
    segments = [segment for segment in session.segments(uids) if segment.kind is not kind]
    for segment in segments:
        if kind is Kind.SCENE_BREAK:
            raise BadInput(
                f"Segment {segment.number} has text, and a scene break is silent; "
                f"delete it instead."
            )
        if segment.kind is Kind.SCENE_BREAK:
            raise BadInput(
                f"Segment {segment.number} is a scene break and has nothing to say; "
                f"insert a segment instead."
            )
    if not segments:
        return Change()
    # Only headings have reading rules of their own.
    spoken = [s for s in segments if s.source and Kind.HEADING in (kind, s.kind)]
    columns = _automatic(session, spoken, [segment.source for segment in spoken], kind)
    with session.command(f"kind of {named(segments)}: {kind.value}") as step:
        session.store.connection.executemany(
            "UPDATE segments SET kind = ?, failure = '' WHERE uid = ?",
            ((kind.value, segment.uid) for segment in segments),
        )
        session.store.connection.executemany(
            "UPDATE segments SET spoken = :spoken, lexed = :lexed, speaking = :speaking"
            " WHERE uid = :uid",
            ({**its, "uid": segment.uid} for its, segment in zip(columns, spoken, strict=True)),
        )
        step.change = Change(segments=frozenset(s.uid for s in segments if s.failure))
    return step.change


def _noun(kind: Kind) -> str:
    return "scene break" if kind is Kind.SCENE_BREAK else "segment"


def _of_edition(session: Session, uid: str) -> tuple[str, str]:
    """The language of a segment's text, where it is not the book's, and what its text asks for."""
    row = session.store.row("SELECT language, asked FROM segments WHERE uid = ?", (uid,))
    assert row is not None
    return row[0], row[1]


def _automatic(
    session: Session, segments: Sequence[Segment], sources: Sequence[str], kind: Kind
) -> list[dict[str, Any]]:
    """The columns of the automatic text of each source text, read in its segment's language.

    Raises:
        BadInput: There is nothing to say in one of them.
    """
    # The rules take a while to load, and opening a book needs none of them.
    from studio.book.speaking import SPEAKING_VERSION, speak

    book = session.reader.setting("language", "")
    dates = dates_of(session.reader.setting("import", {}))
    tongues = [_of_edition(session, segment.uid)[0] or book for segment in segments]
    bases = [
        speak(source, kind, tongue, dates) for source, tongue in zip(sources, tongues, strict=True)
    ]
    for source, base in zip(sources, bases, strict=True):
        if not base:
            raise BadInput(f"There is nothing to say in “{source.strip()}”; choose another place.")
    return [
        {
            "spoken": None if base == source else base,
            "lexed": text,
            "speaking": SPEAKING_VERSION,
        }
        for source, base, text in zip(sources, bases, lexed_each(session, bases), strict=True)
    ]


def _text(session: Session, segment: Segment, source: str, typed: str | None) -> dict[str, Any]:
    """The columns of a text: source, automatic and typed; what is typed alike is automatic."""
    if not source:
        assert typed is not None
        _must_be_speakable(typed)
        automatic: dict[str, Any] = {
            "spoken": None,
            "lexed": None,
            "speaking": removed.BY_HAND,
        }
    else:
        (automatic,) = _automatic(session, [segment], [source], segment.kind)
        if typed is not None:
            typed = typed.strip()
            _must_be_speakable(typed)
            if typed == (automatic["lexed"] or automatic["spoken"] or source):
                typed = None
    return {"source": source, **automatic, "override": typed}


def _must_be_speakable(text: str) -> None:
    from studio.book.marks import speakable

    if not speakable(text):
        raise BadInput(f"There is nothing to say in “{text}”; it needs a letter or a number.")


def _named_anew(session: Session, text: str) -> dict[str, Any]:
    """A uid that no segment has or had, and the seed that goes with it.

    The occurrence is the first one behind one that is known, usually the first of all that is free.
    It is looked for by doubling and halving: “he said.” is split off a thousand times in a book.
    """
    from studio.book.segmenting import first_seed

    known, free = 0, 1
    while _known(session, _uid(text, free)):
        known, free = free, free * 2
    while free - known > 1:
        middle = (known + free) // 2
        if _known(session, _uid(text, middle)):
            known = middle
        else:
            free = middle
    return {"uid": _uid(text, free), "seed": first_seed(text, free)}


def _uid(text: str, occurrence: int) -> str:
    return hashlib.sha256(f"{occurrence}\n{text}".encode()).hexdigest()[:12]


def _known(session: Session, uid: str) -> bool:
    """Whether a row, a take or the history knows a uid."""
    found = session.store.value(
        "SELECT 1 FROM segments WHERE uid = :uid UNION ALL"
        " SELECT 1 FROM takes WHERE segment = :uid UNION ALL"
        " SELECT 1 FROM cells WHERE tbl = 'segments' AND key = :uid LIMIT 1",
        {"uid": uid},
    )
    return found is not None


def _insert(session: Session, identity: dict[str, Any], **columns: Any) -> None:
    """Put a row into the table, within a command."""
    values = {**identity, **columns}
    session.store.execute(
        f"INSERT INTO segments ({', '.join(values)})"
        f" VALUES ({', '.join(':' + name for name in values)})",
        values,
    )


def _ends_paragraph(session: Session, kind: Kind, place: dict[str, int]) -> int:
    """Whether what is put in at a place ends a paragraph: as what stands before it does."""
    if kind in (Kind.HEADING, Kind.SCENE_BREAK):
        return 1
    before = session.store.value(
        "SELECT ends_paragraph FROM segments WHERE chapter = :chapter AND position < :position"
        " ORDER BY position DESC LIMIT 1",
        place,
    )
    return 1 if before is None else int(before)


def _place_after(session: Session, uid: str) -> dict[str, int]:
    """A free place behind a segment, made within a command."""
    return _place(session, uid, "min(position)", ">", STEP)


def _place_before(session: Session, uid: str) -> dict[str, int]:
    """A free place before a segment, made within a command."""
    return _place(session, uid, "max(position)", "<", -STEP)


def _place(session: Session, uid: str, nearest: str, side: str, step: int) -> dict[str, int]:
    for _ in range(2):
        chapter, position = session.store.row(
            "SELECT chapter, position FROM segments WHERE uid = ?", (uid,)
        )
        other = session.store.value(
            f"SELECT {nearest} FROM segments WHERE chapter = ? AND position {side} ?",
            (chapter, position),
        )
        if other is None:
            return {"chapter": chapter, "position": position + step}
        if abs(other - position) > 1:
            return {"chapter": chapter, "position": (position + other) // 2}
        _renumber(session, chapter)
    raise AssertionError("a chapter has no room right after it was given some")


def _renumber(session: Session, chapter: int) -> None:
    """Give the segments of a chapter room between them."""
    rows = session.store.rows(
        "SELECT uid FROM segments WHERE chapter = ? ORDER BY position", (chapter,)
    )
    session.store.connection.executemany(
        "UPDATE segments SET position = ? WHERE uid = ?",
        ((place * WIDE_STEP, row[0]) for place, row in enumerate(rows, 1)),
    )
