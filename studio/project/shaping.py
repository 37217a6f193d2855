"""The commands that change which segments there are, and what kind each is.

Automatic text is made anew wherever a source text changes. Takes stay in the database when their
segment goes, so that it comes back with them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from studio.errors import BadInput
from studio.project import removed
from studio.project.asking import joined_asked, parted_asked
from studio.project.creating import STEP
from studio.project.editing import storable
from studio.project.model import Change, Kind, Segment
from studio.project.parts import Piece, automatic, must_be_speakable, of_edition, of_editions, texts
from studio.project.session import Session, named

WIDE_STEP = 2**32
"""Distance of neighbours in a chapter whose room was used up once: it will be needed again."""


def split(session: Session, uid: str, at: int, spoken_at: int | None) -> Change:
    """Make two segments of one; the first keeps uid, takes, mark and note."""
    segment = session.segment(uid)
    pieces = {uid: _pieces(segment, [at], spoken_at)}
    return _split(session, f"split {named([segment])}", [segment], pieces)


def split_each(session: Session, cuts: Mapping[str, Sequence[int]]) -> Change:
    """Split segments at several places each, by uid, as one step; as `split`, the last one first.

    Texts are read and respelled together, which is what takes time.
    """
    segments = {segment.uid: segment for segment in session.segments(cuts)}
    pieces = {uid: _pieces(segments[uid], places, None) for uid, places in cuts.items() if places}
    if not pieces:
        return Change()
    wanted = [segments[uid] for uid in pieces]
    return _split(session, f"split {named(wanted)}", wanted, pieces)


def _pieces(segment: Segment, places: Sequence[int], spoken_at: int | None) -> list[Piece]:
    """A segment in pieces, the last one first.

    Raises:
        BadInput: It cannot be cut there.
    """
    if segment.kind is Kind.SCENE_BREAK:
        raise BadInput(f"Segment {segment.number} is a scene break; there is nothing to split.")
    pieces = []
    rest, typed = segment, segment.spoken if segment.edited else None
    for at in sorted(places, reverse=True):
        (source, second), (typed, typed_second) = _parts(rest, at, spoken_at)
        start = len(rest.source) - len(second)
        pieces.append(Piece(second, typed_second, start, len(source)))
        rest = replace(rest, source=source, spoken=rest.spoken if typed is None else typed)
    return [*pieces, Piece(rest.source, typed, 0, 0)]


def _split(
    session: Session, label: str, segments: Sequence[Segment], pieces: Mapping[str, list[Piece]]
) -> Change:
    """Put pieces in the place of segments."""
    every = [(segment, piece) for segment in segments for piece in pieces[segment.uid]]
    written = iter(texts(session, every))
    given: dict[str, int] = {}
    editions = of_editions(session, segments)
    with session.command(label) as step:
        for segment in segments:
            uid = segment.uid
            language, whole = editions[uid]
            begun, ended = parted_asked(whole)
            after = pieces[uid][:-1]
            behind = [next(written) for _ in after]
            session.store.execute(
                "UPDATE segments SET source = :source, spoken = :spoken, lexed = :lexed,"
                " speaking = :speaking, override = :override, ends_paragraph = 0, pause_ms = NULL,"
                " asked = :asked, failure = '' WHERE uid = :uid",
                {**next(written), "asked": begun, "uid": uid},
            )
            for place, (piece, text) in enumerate(zip(after, behind, strict=True)):
                last = place == 0
                identity = _named_anew(session, piece.source or f"{uid}\n{piece.typed}", given)
                _insert(
                    session,
                    identity,
                    **text,
                    **_place_after(session, uid),
                    kind=segment.kind.value,
                    ends_paragraph=int(last and segment.ends_paragraph),
                    language=language,
                    asked=ended if last else begun,
                    voice=segment.voice,
                    speed=segment.speed,
                    pause_ms=segment.pause_ms if last else None,
                )
                removed.follow_split(session, uid, identity["uid"], piece.start, piece.before)
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
    asked = joined_asked(of_edition(session, uid)[1], of_edition(session, following.uid)[1])
    with session.command(f"joined segments {segment.number} and {following.number}") as step:
        session.store.execute("DELETE FROM segments WHERE uid = ?", (following.uid,))
        session.store.execute(
            "UPDATE segments SET source = :source, spoken = :spoken, lexed = :lexed,"
            " speaking = :speaking, override = :override, ends_paragraph = :ends,"
            " pause_ms = :pause, asked = :asked, mark = :mark, note = :note, failure = ''"
            " WHERE uid = :uid",
            {
                **texts(session, [(segment, Piece(source, typed, 0, 0))])[0],
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
        must_be_speakable(text)
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
    sources = [segment.source for segment in spoken]
    columns = automatic(session, spoken, sources, [kind] * len(spoken))
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


def _named_anew(session: Session, text: str, given: dict[str, int] | None = None) -> dict[str, Any]:
    """A uid that no segment has or had, and the seed that goes with it.

    The occurrence is the first one behind one that is known, usually the first of all that is free.
    It is looked for by doubling and halving: “he said.” is split off a thousand times in a book.

    Args:
        session: The book.
        text: What the uid is made of.
        given: The last occurrence by text that the same command has given; it is brought up to
            date.
    """
    from studio.book.segmenting import first_seed

    known = 0 if given is None else given.get(text, 0)
    free = step = known + 1
    while _known(session, _uid(text, free)):
        known, free, step = free, free + step, 2 * step
    while free - known > 1:
        middle = (known + free) // 2
        if _known(session, _uid(text, middle)):
            known = middle
        else:
            free = middle
    if given is not None:
        given[text] = free
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
