"""The queue, and what comes back from it: takes that are chosen, kept or failed."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from studio.project.model import Change, Failure, Kind, NewTake, QueueItem, Reuse, Segment
from studio.project.recipe import build_id
from studio.project.rows import TEXT
from studio.project.session import Session, named


def draw_seed() -> int:
    """A fresh seed: 32 bits of chance."""
    return secrets.randbits(32)


def enqueue(
    session: Session, uids: Sequence[str], *, first: bool, new_seeds: bool, label: str
) -> Change:
    """Ask for narrations as one group; scene breaks are skipped.

    What is queued already stays one item: asked for with ``first`` it moves before bulk work, and
    with ``new_seeds`` it takes the new seed.
    """
    order = {uid: place for place, uid in enumerate(uids)}
    segments = [_Asked(s) for s in session.each(order) if s.kind is not Kind.SCENE_BREAK]
    if not segments:
        return Change()
    if first:
        segments.sort(key=lambda segment: order[segment.uid])
    store = session.store
    with store.transaction():
        asked = (store.value("SELECT max(max(asked), max(place)) FROM queue") or 0) + 1
        fresh = [segment for segment in segments if not segment.queued]
        group = 0
        if fresh:
            text = label or f"narrated {named(fresh)}"
            store.execute("INSERT INTO groups (label) VALUES (?)", (text,))
            group = store.value("SELECT max(id) FROM groups")
        for count, segment in enumerate(segments):
            seed = draw_seed() if new_seeds else None
            if segment.queued:
                store.execute(
                    "UPDATE queue SET asked = :asked, seed = COALESCE(:seed, seed),"
                    " place = CASE WHEN :first THEN :asked ELSE place END,"
                    " first = max(first, :first) WHERE segment = :uid",
                    {"asked": asked + count, "seed": seed, "first": first, "uid": segment.uid},
                )
            else:
                place = asked + count if first else segment.number
                store.execute(
                    "INSERT INTO queue (segment, seed, grp, first, place, asked)"
                    " VALUES (?, ?, ?, ?, ?, ?)",
                    (segment.uid, seed, group, first, place, asked + count),
                )
    return Change(label=label, segments=frozenset(s.uid for s in segments), queue=True)


class _Asked:
    """What the queue must know of a segment; a whole book of them is asked for at once."""

    __slots__ = ("number", "queued", "uid")

    def __init__(self, segment: Segment) -> None:
        self.uid, self.number, self.queued = segment.uid, segment.number, segment.queued


def clear_queue(session: Session) -> Change:
    """Drop everything that waits."""
    with session.store.transaction():
        uids = frozenset(row[0] for row in session.store.rows("SELECT segment FROM queue"))
        session.store.execute("DELETE FROM queue")
    return Change(label="emptied the queue", segments=uids, queue=True) if uids else Change()


@dataclass(frozen=True, slots=True)
class _Now:
    """What a segment asks for at this moment."""

    spoken: str
    fingerprint: str
    language: str
    speed: float

    def is_made_by(self, recipe: Mapping[str, Any]) -> bool:
        return (self.spoken, self.fingerprint, self.language, self.speed) == (
            recipe["spoken"],
            recipe["voice"],
            recipe["language"],
            recipe["speed"],
        )


def record(
    session: Session, results: Sequence[NewTake | Reuse], failures: Sequence[Failure]
) -> Change:
    """Keep what was narrated, in one transaction.

    A take is chosen unless its segment has changed while it was made; then it is only kept. The
    results of one group are one entry of the history.
    """
    change = Change(queue=True) if results or failures else Change()
    with session.store.transaction():
        session.history.take_notes()
        in_groups = sorted(results, key=lambda result: result.item.group)
        for group, members in groupby(in_groups, lambda result: result.item.group):
            for result in members:
                _keep(session, result)
            change |= _remember(session, group)
        for failure in failures:
            _fail(session, failure)
    uids = frozenset(result.item.segment for result in (*results, *failures))
    return change | Change(segments=uids)


def _keep(session: Session, result: NewTake | Reuse) -> None:
    """Store one result, and choose its take if that is what the segment asks for."""
    store = session.store
    uid = result.item.segment
    now = _now(session, uid)
    if isinstance(result, NewTake):
        take = _same_take(session, result) or _insert(session, result, now)
        recipe = result.recipe
    else:
        take = result.take
        recipe = json.loads(
            store.value("SELECT recipe FROM take_records WHERE take = ?", (result.take,))
        )
    current = now is not None and now[1].is_made_by(recipe)
    if current:
        store.execute(
            "UPDATE segments SET chosen = ?, seed = ?, failure = '' WHERE uid = ?",
            (take, recipe["seed"], uid),
        )
    _leave_queue(session, result.item, satisfied=current)


def _same_take(session: Session, new: NewTake) -> int | None:
    """The take that a narration has made once more, because its clip was lost."""
    row = session.store.row(
        "SELECT id, build FROM takes WHERE segment = ? AND recipe_id = ? AND pcm_hash = ?",
        (new.item.segment, new.recipe_id, new.pcm_hash),
    )
    return row[0] if row is not None and row[1] == _build(new) else None


def _build(new: NewTake) -> str:
    """The id of the build that made a take."""
    build = new.provenance.get("build", "")
    return build if isinstance(build, str) else build_id(new.recipe["engine"], build)


def _insert(session: Session, new: NewTake, now: tuple[str, _Now] | None) -> int:
    """Store a take and its records; returns its id."""
    store = session.store
    recipe = new.recipe
    values = {
        "segment": new.item.segment,
        "number": 1
        + (
            store.value("SELECT max(number) FROM takes WHERE segment = ?", (new.item.segment,)) or 0
        ),
        "seed": recipe["seed"],
        "spoken": recipe["spoken"],
        "voice": _voice_of(session, recipe["voice"], now),
        "fingerprint": recipe["voice"],
        "language": recipe["language"],
        "speed": recipe["speed"],
        "rate": new.rate,
        "channels": new.channels,
        "frames": new.frames,
        "rtf": new.rtf,
        "findings": json.dumps(list(new.findings), ensure_ascii=False),
        "build": _build(new),
        "pcm_hash": new.pcm_hash,
        "recipe_id": new.recipe_id,
        "made": datetime.now(UTC).isoformat(timespec="milliseconds"),
    }
    names = ", ".join(values)
    cursor = store.execute(
        f"INSERT INTO takes ({names}) VALUES ({', '.join(':' + name for name in values)})", values
    )
    take = int(cursor.lastrowid or 0)
    store.execute(
        "INSERT INTO take_records (take, recipe, provenance) VALUES (?, ?, ?)",
        (
            take,
            json.dumps(dict(recipe), ensure_ascii=False),
            json.dumps(dict(new.provenance), ensure_ascii=False),
        ),
    )
    return take


def _now(session: Session, uid: str) -> tuple[str, _Now] | None:
    """The voice's id and what a segment asks for, or None if the segment is gone."""
    row = session.store.row(
        f"SELECT s.voice, {TEXT}, v.fingerprint,"
        " COALESCE(NULLIF(v.language, ''), ?), s.speed"
        " FROM segments s JOIN voices v ON v.id = s.voice WHERE s.uid = ?",
        (session.reader.setting("language", ""), uid),
    )
    return None if row is None else (row[0], _Now(*row[1:]))


def _voice_of(session: Session, fingerprint: str, now: tuple[str, _Now] | None) -> str:
    """The id of the voice that made a take; it may have been changed meanwhile."""
    if now is not None and now[1].fingerprint == fingerprint:
        return now[0]
    return (
        session.store.value("SELECT id FROM voices WHERE fingerprint = ?", (fingerprint,))
        or "unknown"
    )


def _leave_queue(session: Session, item: QueueItem, *, satisfied: bool) -> bool:
    """Drop an item unless somebody has asked for something else since it was taken up."""
    row = session.store.row("SELECT asked, seed FROM queue WHERE id = ?", (item.id,))
    if row is None:
        return False
    asked_again = row[0] != item.asked
    other_seed = row[1] is not None and row[1] != item.seed
    if asked_again and (other_seed or not satisfied):
        return False
    session.store.execute("DELETE FROM queue WHERE id = ?", (item.id,))
    return True


def _fail(session: Session, failure: Failure) -> None:
    """Keep the reason, unless the narration was asked for again meanwhile."""
    if _leave_queue(session, failure.item, satisfied=False):
        session.store.execute(
            "UPDATE segments SET failure = ? WHERE uid = ?",
            (failure.reason, failure.item.segment),
        )


def _remember(session: Session, group: int) -> Change:
    """Make what a group's results have chosen a part of the group's entry."""
    cells = session.history.take_notes()
    if not cells:
        return Change()
    label, entry = session.store.row("SELECT label, entry FROM groups WHERE id = ?", (group,))
    entry = session.history.record_in_background(label, cells, entry)
    session.store.execute("UPDATE groups SET entry = ? WHERE id = ?", (entry, group))
    return session.told(label, cells)
