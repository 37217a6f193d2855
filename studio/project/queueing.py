"""What waits to be narrated: one row for a segment, candidates beside it, takes to make again."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence

from studio.errors import BadInput
from studio.project.model import Change, Kind, Segment
from studio.project.recipe import company
from studio.project.session import Session, named
from studio.project.tokens import TOKENS_BLOB

MOST_CANDIDATES = 99
"""New seeds of one segment that may be asked for at once."""

ORDINARY = "candidate = 0 AND remake IS NULL"
"""The row of the queue that a segment has at most once."""


def draw_seed() -> int:
    """A fresh seed: 32 bits of chance."""
    return secrets.randbits(32)


def enqueue(
    session: Session,
    uids: Sequence[str],
    *,
    first: bool,
    new_seeds: bool,
    label: str,
    candidates: int = 0,
    remake: int | None = None,
    replays: Mapping[str, int] | None = None,
) -> Change:
    """Ask for narrations as one group; scene breaks are skipped.

    What is queued already stays one item: asked for with ``first`` it moves before bulk work, and
    with ``new_seeds`` it takes the new seed. Candidates, takes to make again and takes to voice
    again stand beside it.
    """
    if not 0 <= candidates <= MOST_CANDIDATES:
        raise BadInput(f"A number of new seeds lies between 1 and {MOST_CANDIDATES}.")
    order = {uid: place for place, uid in enumerate(uids)}
    segments = [_Asked(s) for s in session.each(order) if s.kind is not Kind.SCENE_BREAK]
    if not segments:
        return Change()
    if first:
        segments.sort(key=lambda segment: order[segment.uid])
    with session.store.transaction():
        again = remake is not None or bool(replays)
        batch = _Batch(session, first, label or _default_label(segments, candidates, again))
        for segment in segments:
            if replays:
                batch.ask_again(segment, replays[segment.uid], replay=True)
            elif remake is not None:
                batch.ask_again(segment, remake)
            elif candidates:
                batch.ask_for_candidates(segment, candidates)
            else:
                batch.ask(segment, draw_seed() if new_seeds else None)
    return Change(label=label, segments=frozenset(s.uid for s in segments), queue=True)


def clear_queue(session: Session) -> Change:
    """Drop everything that waits."""
    with session.store.transaction():
        uids = frozenset(row[0] for row in session.store.rows("SELECT segment FROM queue"))
        session.store.execute("DELETE FROM queue")
    return Change(label="emptied the queue", segments=uids, queue=True) if uids else Change()


class _Asked:
    """What the queue must know of a segment; a whole book of them is asked for at once."""

    __slots__ = ("number", "uid")

    def __init__(self, segment: Segment) -> None:
        self.uid, self.number = segment.uid, segment.number


def _default_label(segments: Sequence[_Asked], candidates: int, again: bool) -> str:
    """What the history calls a group that nobody has named."""
    if again:
        return f"made a take of {named(segments)} again"
    return f"{'new seeds for' if candidates else 'narrated'} {named(segments)}"


class _Batch:
    """Rows that are asked for together, within a transaction."""

    def __init__(self, session: Session, first: bool, label: str) -> None:
        self._store = session.store
        self._first = first
        self._label = label
        self._asked = self._store.value("SELECT max(max(asked), max(place)) FROM queue") or 0
        self._made_group: int | None = None

    def ask(self, segment: _Asked, seed: int | None) -> None:
        """The segment's ordinary row: a new one, or the one that waits already."""
        if not self._ask_sooner(f"segment = ? AND {ORDINARY}", segment.uid, seed):
            self._add(segment, seed)

    def ask_for_candidates(self, segment: _Asked, count: int) -> None:
        """Rows with seeds that the segment has not had."""
        rows = self._store.rows(
            "SELECT seed FROM takes WHERE segment = :uid UNION ALL"
            " SELECT seed FROM segments WHERE uid = :uid UNION ALL"
            " SELECT seed FROM queue WHERE segment = :uid",
            {"uid": segment.uid},
        )
        used = {row[0] for row in rows}
        for _ in range(count):
            while (seed := draw_seed()) in used:
                pass
            used.add(seed)
            self._add(segment, seed, candidate=1)

    def ask_again(self, segment: _Asked, take: int, *, replay: bool = False) -> None:
        """A row for the recipe of a take, or for its speech tokens."""
        row = self._store.row(
            "SELECT seed, fingerprint, recipe FROM takes JOIN take_records ON take = id"
            " WHERE id = ? AND segment = ?",
            (take, segment.uid),
        )
        if row is None:
            raise BadInput(f"Segment {segment.number} has no take with the id {take}.")
        if not row[1]:
            raise BadInput(
                f"That take of segment {segment.number} is a recording, "
                "which no engine can make again."
            )
        if replay:
            self._must_keep_tokens(segment, take)
        elif (others := company(json.loads(row[2]))) > 1:
            raise BadInput(
                f"That take of segment {segment.number} was made in a batch of up to {others} "
                "lines, so it does not follow from its recipe alone and cannot be made again from "
                "it; g s voices its kept speech tokens again."
            )
        if not self._ask_sooner(f"replay = {int(replay)} AND remake = ?", take, None):
            self._add(segment, row[0], remake=take, replay=int(replay))

    def _must_keep_tokens(self, segment: _Asked, take: int) -> None:
        keeps = "SELECT 1 FROM take_blobs WHERE take = ? AND name = ?"
        if self._store.value(keeps, (take, TOKENS_BLOB)) is None:
            raise BadInput(
                f"That take of segment {segment.number} keeps no speech tokens, "
                "so it cannot be voiced again; its engine gives none."
            )

    def _ask_sooner(self, where: str, key: object, seed: int | None) -> bool:
        """Ask once more for a row that waits; whether there is one."""
        asked = self._next()
        return (
            self._store.execute(
                "UPDATE queue SET asked = ?, seed = COALESCE(?, seed),"
                f" place = CASE WHEN ? THEN ? ELSE place END, first = max(first, ?) WHERE {where}",
                (asked, seed, self._first, asked, self._first, key),
            ).rowcount
            > 0
        )

    def _add(
        self,
        segment: _Asked,
        seed: int | None,
        *,
        candidate: int = 0,
        remake: int | None = None,
        replay: int = 0,
    ) -> None:
        asked = self._next()
        place = asked if self._first else segment.number
        what = (candidate, remake, replay)
        self._store.execute(
            "INSERT INTO queue"
            " (segment, seed, grp, first, place, asked, candidate, remake, replay)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (segment.uid, seed, self._group(), self._first, place, asked, *what),
        )

    def _next(self) -> int:
        self._asked += 1
        return self._asked

    def _group(self) -> int:
        """The group of the new rows; without any there is none."""
        if self._made_group is None:
            cursor = self._store.execute("INSERT INTO groups (label) VALUES (?)", (self._label,))
            self._made_group = int(cursor.lastrowid or 0)
        return self._made_group
