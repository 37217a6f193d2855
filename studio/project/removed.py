"""What a person has taken out of the book: a new edition must not bring it back.

The history cannot tell, because it ends somewhere. So each deleted text is kept with its place:
behind the segment before it, or within that segment's source. The sources of the segments
together with what is kept here are always the whole edition, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from studio.project.model import Kind, Segment
from studio.project.session import Session
from studio.project.store import Store

BY_HAND = 0
"""Stands in place of the version of the reading rules where a person has put a segment in."""

OWN = f"(s.source = '' AND (s.kind <> '{Kind.SCENE_BREAK.value}' OR s.speaking = {BY_HAND}))"
"""SQL: whether a person has put a segment in, so that no edition knows it."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A text of the book that a person has deleted."""

    source: str
    """What the book says; empty for a scene break."""
    kind: Kind
    ends_paragraph: bool
    segment: str
    """Uid of the segment that it stands behind or in; empty before the first one."""
    at: int
    """Where in that segment's source text; its length where it stands behind it."""
    id: int
    """The row that holds it."""


def removed(store: Store) -> tuple[Removed, ...]:
    """Everything that was taken out, in the order of the book."""
    rows = store.rows(
        "SELECT r.source, r.kind, r.ends_paragraph, r.segment, r.at, r.id FROM removed r"
        " LEFT JOIN segments s ON s.uid = r.segment LEFT JOIN chapters c ON c.id = s.chapter"
        " ORDER BY r.segment <> '', c.position, s.position, r.at, r.rank"
    )
    return tuple(_removed(row) for row in rows)


def laid_out(source: str, within: Iterable[Removed]) -> Iterator[str | Removed]:
    """The parts of a segment's source, and between and behind them what was taken out, in order."""
    done = 0
    if not source:
        yield source
    for each in within:
        if each.at > done:
            yield source[done : each.at]
            done = each.at
        yield each
    if done < len(source):
        yield source[done:]


def keep(session: Session, segments: Sequence[Segment]) -> None:
    """Keep what segments say that are about to be deleted, within a command.

    Args:
        session: The book.
        segments: In the order of the book.
    """
    store = session.store
    hosts: dict[str, str] = {}
    for segment in segments:
        if store.value(f"SELECT {OWN} FROM segments s WHERE uid = ?", (segment.uid,)):
            continue
        host = hosts[segment.uid] = _before(store, segment, hosts)
        at = store.value("SELECT length(source) FROM segments WHERE uid = ?", (host,)) or 0
        last = store.value("SELECT max(rank) FROM removed WHERE segment = ?", (host,)) or 0
        parts = [*laid_out(segment.source, _of(store, segment.uid))]
        texts = [part for part in parts if isinstance(part, str)]
        for rank, part in enumerate(parts, last + 1):
            if isinstance(part, Removed):
                store.execute(
                    "UPDATE removed SET segment = ?, at = ?, rank = ? WHERE id = ?",
                    (host, at, rank, part.id),
                )
                continue
            ends = segment.ends_paragraph and part is texts[-1]
            store.execute(
                "INSERT INTO removed (segment, at, rank, kind, source, ends_paragraph)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (host, at, rank, segment.kind.value, part.strip(), int(ends)),
            )


def follow_split(session: Session, uid: str, second: str, start: int, length: int) -> None:
    """Let what was taken out of a segment that is split go with the part it stands in.

    Args:
        session: The book.
        uid: The segment, which is the first part by now.
        second: Uid of the second part.
        start: Where that began in the source.
        length: How long the source of the first part is.
    """
    session.store.execute(
        "UPDATE removed SET segment = ?, at = at - ? WHERE segment = ? AND at >= ? AND at > ?",
        (second, start, uid, start, length),
    )
    session.store.execute(
        "UPDATE removed SET at = ? WHERE segment = ? AND at > ?", (length, uid, length)
    )


def follow_join(session: Session, uid: str, following: str, start: int) -> None:
    """Let what was taken out of a segment go with it into the one before, where it starts."""
    session.store.execute(
        "UPDATE removed SET segment = ?, at = at + ? WHERE segment = ?", (uid, start, following)
    )


def _of(store: Store, uid: str) -> list[Removed]:
    """What was taken out of one segment and behind it, in order."""
    rows = store.rows(
        "SELECT source, kind, ends_paragraph, segment, at, id FROM removed WHERE segment = ?"
        " ORDER BY at, rank",
        (uid,),
    )
    return [_removed(row) for row in rows]


def _before(store: Store, segment: Segment, hosts: dict[str, str]) -> str:
    """The segment of the edition before one, but for those in ``hosts``: then their own."""
    row = store.row(
        "SELECT s.uid FROM segments s WHERE s.chapter = :chapter AND s.position <"
        f" (SELECT position FROM segments WHERE uid = :uid) AND NOT {OWN}"
        " ORDER BY s.position DESC LIMIT 1",
        {"chapter": segment.chapter, "uid": segment.uid},
    ) or store.row(
        "SELECT s.uid FROM segments s JOIN chapters c ON c.id = s.chapter WHERE c.position <"
        f" (SELECT position FROM chapters WHERE id = ?) AND NOT {OWN}"
        " ORDER BY c.position DESC, s.position DESC LIMIT 1",
        (segment.chapter,),
    )
    return "" if row is None else hosts.get(row[0], row[0])


def _removed(row: Sequence[Any]) -> Removed:
    return Removed(row[0], Kind(row[1]), bool(row[2]), row[3], row[4], row[5])
