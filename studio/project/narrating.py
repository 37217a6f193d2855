"""What comes back from the queue: takes that are chosen, kept or failed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from typing import Any

from studio.project import candidates
from studio.project.model import Change, Failure, NewTake, Outcome, QueueItem, Reuse
from studio.project.recipe import build_id
from studio.project.rows import TEXT
from studio.project.session import Session


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

    A take is chosen unless its segment has changed while it was made; then it is only kept. So is
    a candidate of a segment whose chosen take is current, a take that was made again, and one that
    was asked for before a person approved the chosen take. When the last candidate of a segment is
    made, the best of them takes the place of the first. The results of one group are one entry of
    the history.
    """
    change = Change(queue=True) if results or failures else Change()
    outcomes = []
    with session.store.transaction():
        session.history.take_notes()
        in_groups = sorted(results, key=lambda result: result.item.group)
        for group, members in groupby(in_groups, lambda result: result.item.group):
            outcomes += [_keep(session, result) for result in members]
            change |= _remember(session, group)
        outcomes += [_fail(session, failure) for failure in failures]
        for item in {(it.item.group, it.item.segment): it.item for it in outcomes}.values():
            if item.candidate and (now := _now(session, item.segment)) is not None:
                candidates.choose_best(session, item.group, item.segment, now[1].is_made_by)
                change |= _remember(session, item.group)
    uids = frozenset(result.item.segment for result in (*results, *failures))
    told = tuple(
        it for it in outcomes if it.item.candidate or it.item.remake is not None or it.beside
    )
    return change | Change(segments=uids, outcomes=told)


def _keep(session: Session, result: NewTake | Reuse) -> Outcome:
    """Store one result, and choose its take if that is what the segment asks for."""
    store = session.store
    uid = result.item.segment
    now = _now(session, uid)
    same = True
    if isinstance(result, NewTake):
        take = _same_take(session, result)
        same = take is not None
        take = take or _insert(session, result, now)
        _attach(session, take, result.blobs)
        recipe = result.recipe
    else:
        take = result.take
        recipe = json.loads(
            store.value("SELECT recipe FROM take_records WHERE take = ?", (result.take,))
        )
    current = now is not None and now[1].is_made_by(recipe)
    beside = False
    if current and _chooses(session, result.item):
        approved = _approved_since(session, result.item)
        beside = approved is not None and approved != take
        if beside:
            store.execute("UPDATE segments SET failure = '' WHERE uid = ?", (uid,))
        else:
            store.execute(
                "UPDATE segments SET chosen = ?, seed = ?, failure = '' WHERE uid = ?",
                (take, recipe["seed"], uid),
            )
    _leave_queue(session, result.item, satisfied=current or result.item.remake is not None)
    return Outcome(result.item, take, same, beside=beside and not result.item.candidate)


def _chooses(session: Session, item: QueueItem) -> bool:
    """Whether what became of an item is the segment's: its take chosen, its failure noted."""
    if item.remake is not None:
        return False
    if not item.candidate:
        return True
    segment = session.reader.segments_by_uid([item.segment]).get(item.segment)
    return segment is not None and bool(segment.chosen is None or segment.failure or segment.stale)


def _approved_since(session: Session, item: QueueItem) -> int | None:
    """The chosen take, if a person has approved it after the item was last asked for."""
    uid, store = item.segment, session.store
    if not store.value("SELECT 1 FROM segments WHERE uid = ? AND approved = chosen", (uid,)):
        return None
    segment = session.reader.segments_by_uid([uid])[uid]
    if segment.stale:
        return None  # What was approved is not what the segment asks for by now.
    row = store.row("SELECT asked, seed, approved FROM queue WHERE id = ?", (item.id,))
    if row is None:
        return segment.chosen  # The queue was emptied: nobody asks for another one by now.
    asked, seed, approved = row
    if seed is not None and seed != item.seed:
        asked = item.asked  # What was asked for since is another narration.
    return segment.chosen if approved is not None and asked <= approved else None


def _same_take(session: Session, new: NewTake) -> int | None:
    """The take that a narration has made once more: its clip was lost, or it was to be."""
    if new.item.remake is not None:
        # Wherever it was made: the same bytes are the same take.
        wanted = "SELECT id FROM takes WHERE id = ? AND pcm_hash = ?"
        if (same := session.store.value(wanted, (new.item.remake, new.pcm_hash))) is not None:
            return int(same)
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
    """Store a take that was narrated; returns its id."""
    recipe = new.recipe
    return insert_take(
        session,
        new.item.segment,
        recipe,
        new.provenance,
        voice=_voice_of(session, recipe["voice"], now),
        rate=new.rate,
        channels=new.channels,
        frames=new.frames,
        rtf=new.rtf,
        findings=json.dumps(list(new.findings), ensure_ascii=False),
        build=_build(new),
        pcm_hash=new.pcm_hash,
        recipe_id=new.recipe_id,
    )


def _attach(session: Session, take: int, blobs: Mapping[str, bytes]) -> None:
    """Keep what came along with a clip; what the take has already stays as it is."""
    session.store.connection.executemany(
        "INSERT INTO take_blobs (take, name, content) VALUES (?, ?, ?)"
        " ON CONFLICT (take, name) DO NOTHING",
        ((take, name, content) for name, content in blobs.items()),
    )


def insert_take(
    session: Session,
    uid: str,
    recipe: Mapping[str, Any],
    provenance: Mapping[str, Any],
    **columns: str | float,
) -> int:
    """Store a take and its records within a transaction; returns its id.

    Args:
        session: The project.
        uid: The segment.
        recipe: Everything that decided its sound.
        provenance: What else was true.
        columns: The columns that the recipe does not name.
    """
    store = session.store
    last = store.value("SELECT max(number) FROM takes WHERE segment = ?", (uid,)) or 0
    values = {
        "segment": uid,
        "number": last + 1,
        "seed": recipe["seed"],
        "spoken": recipe["spoken"],
        "fingerprint": recipe["voice"],
        "language": recipe["language"],
        "speed": recipe["speed"],
        "made": datetime.now(UTC).isoformat(timespec="milliseconds"),
        **columns,
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
            json.dumps(dict(provenance), ensure_ascii=False),
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


def _fail(session: Session, failure: Failure) -> Outcome:
    """Keep the reason, unless the narration was asked for again or made needless meanwhile."""
    item = failure.item
    approved = _approved_since(session, item)
    left = _leave_queue(session, item, satisfied=False) and _chooses(session, item)
    if left and approved is None:
        session.store.execute(
            "UPDATE segments SET failure = ? WHERE uid = ?", (failure.reason, item.segment)
        )
    beside = left and approved is not None and not item.candidate
    return Outcome(item, reason=failure.reason, beside=beside)


def _remember(session: Session, group: int) -> Change:
    """Make what a group's results have chosen a part of the group's entry."""
    cells = session.history.take_notes()
    if not cells:
        return Change()
    label, entry = session.store.row("SELECT label, entry FROM groups WHERE id = ?", (group,))
    entry = session.history.record_in_background(label, cells, entry)
    session.store.execute("UPDATE groups SET entry = ? WHERE id = ?", (entry, group))
    return session.told(label, cells)
