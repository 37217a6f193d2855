"""Whether a project's folder is whole, and the one place that deletes takes and clips."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from studio.project import clips, queueing
from studio.project.model import CleanReport, Problem
from studio.project.session import Session
from studio.project.tokens import TOKENS_BLOB
from studio.wording import in_shell


def problems(session: Session, *, deep: bool) -> list[Problem]:
    """Everything that is not as it should be.

    Args:
        session: The project.
        deep: Whether to decode every clip instead of looking at its header.
    """
    found = [
        Problem(
            "leftover",
            f"{path.relative_to(session.folder)} is an unfinished file that a crash left behind.",
            fixable=True,
            serious=False,
        )
        for path in clips.leftovers(session.folder)
    ]
    found += _damaged(session, deep)
    known = _known_clips(session)
    found += [
        Problem(
            "unreferenced clip",
            f"{path.relative_to(session.folder)} belongs to no take; "
            f"rhapsode clean {in_shell(session.folder)} removes it.",
            fixable=False,
            serious=False,
        )
        for path in clips.clip_files(session.folder)
        if path.relative_to(session.folder).as_posix() not in known
    ]
    return found


def fix(session: Session) -> list[str]:
    """Mend what can be mended without losing anything; returns what was done."""
    done = []
    for path in clips.leftovers(session.folder):
        path.unlink(missing_ok=True)
        done.append(f"removed the unfinished file {path.relative_to(session.folder)}")
    lost = lost_segments(session, deep=True)
    if lost:
        voiced = replayed_takes(session, lost)
        label = "lost clips"
        others = sorted(lost - voiced.keys())
        queueing.enqueue(session, others, first=False, new_seeds=False, label=label)
        if voiced:
            queueing.enqueue(
                session, sorted(voiced), first=False, new_seeds=False, label=label, replays=voiced
            )
        numbers = sorted(s.number for s in session.reader.segments() if s.uid in lost)
        done.append(
            f"queued {len(lost)} segment{'s' * (len(lost) > 1)} whose clip is lost "
            f"({', '.join(map(str, numbers[:20]))}{'…' * (len(numbers) > 20)}); "
            f"make them with: rhapsode narrate {in_shell(session.folder)}"
        )
    return done


def lost_segments(session: Session, *, deep: bool) -> frozenset[str]:
    """Segments whose chosen take must be made again, because its clip is missing or damaged.

    No engine can make a recording again, so a segment with a lost one is left alone.

    Args:
        session: The project.
        deep: Whether to decode every clip instead of looking at its header.
    """
    rows = session.store.rows(
        "SELECT s.uid, t.pcm_hash, t.rate, t.channels, t.frames"
        " FROM segments s JOIN takes t ON t.id = s.chosen WHERE t.fingerprint <> ''"
    )
    return frozenset(row[0] for row in rows if _fault_of_clip(session, deep, *row[1:]))


def replayed_takes(session: Session, uids: Collection[str]) -> dict[str, int]:
    """`Take.id` of chosen takes that their kept speech tokens make again, by uid.

    The seed of such a segment does not make its take: it was voiced from tokens, or said together
    with others (`recipe.company`).
    """
    from engine.wire import BATCH

    if not uids:
        return {}
    rows = session.store.rows(
        "SELECT s.uid, s.chosen FROM segments s JOIN take_records r ON r.take = s.chosen"
        " JOIN take_blobs b ON b.take = s.chosen AND b.name = ?"
        " WHERE json_extract(r.recipe, '$.tokens') IS NOT NULL"
        f" OR json_extract(r.recipe, '$.options.{BATCH}') > 1",
        (TOKENS_BLOB,),
    )
    return {uid: take for uid, take in rows if uid in uids}


def batched(session: Session) -> tuple[int, ...]:
    """Numbers of the segments whose chosen take was made in a batch, as `recipe.company` says."""
    from engine.wire import BATCH

    rows = session.store.rows(
        "SELECT s.uid FROM segments s JOIN take_records r ON r.take = s.chosen"
        f" WHERE json_extract(r.recipe, '$.options.{BATCH}') > 1"
        " AND json_extract(r.recipe, '$.tokens') IS NULL"
    )
    uids = {row[0] for row in rows}
    return tuple(it.number for it in session.reader.segments() if it.uid in uids) if uids else ()


def clean(session: Session, *, dry_run: bool) -> CleanReport:
    """Delete the takes that nobody chose, approved or starred, and clips of no take.

    Recordings stay, because no engine can make one again. The history ends there, because its
    entries may name such takes.
    """
    store, reader = session.store, session.reader
    rows = store.rows(
        "SELECT id FROM takes WHERE star = 0 AND fingerprint <> ''"
        " AND id NOT IN (SELECT chosen FROM segments WHERE chosen IS NOT NULL)"
        " AND id NOT IN (SELECT approved FROM segments WHERE approved IS NOT NULL) ORDER BY id"
    )
    ids = {row[0] for row in rows}
    takes = tuple(take for take in reader.all_takes() if take.id in ids) if ids else ()
    kept = {
        clips.clip_name(digest)
        for take, digest in store.rows("SELECT id, pcm_hash FROM takes")
        if take not in ids
    }
    files = [
        path
        for path in clips.clip_files(session.folder)
        if path.relative_to(session.folder).as_posix() not in kept
    ]
    report = CleanReport(
        takes=takes,
        clips=tuple(path.relative_to(session.folder).as_posix() for path in files),
        bytes=sum(path.stat().st_size for path in files),
    )
    if dry_run or not (takes or files):
        return report
    with store.transaction():
        session.history.forget_all()
        store.execute("UPDATE groups SET entry = NULL")
        store.connection.executemany("DELETE FROM takes WHERE id = ?", ((i,) for i in sorted(ids)))
        _renumber(session)
    for path in files:
        path.unlink(missing_ok=True)
    return report


def _renumber(session: Session) -> None:
    """Count the takes of each segment from 1 again, lowest first so that no two are ever equal."""
    rows = session.store.rows(
        "SELECT id, place FROM (SELECT id, number, row_number() OVER"
        " (PARTITION BY segment ORDER BY number) AS place FROM takes)"
        " WHERE number <> place ORDER BY place"
    )
    session.store.connection.executemany(
        "UPDATE takes SET number = ? WHERE id = ?", ((place, take) for take, place in rows)
    )


def _known_clips(session: Session) -> set[str]:
    return {
        clips.clip_name(row[0]) for row in session.store.rows("SELECT DISTINCT pcm_hash FROM takes")
    }


def _damaged(session: Session, deep: bool) -> Iterator[Problem]:
    """Clips of takes that are missing or damaged."""
    rows = session.store.rows(
        "SELECT t.segment, t.number, t.pcm_hash, t.rate, t.channels, t.frames,"
        " t.id IN (SELECT chosen FROM segments) AS chosen, t.fingerprint = '' AS recorded"
        " FROM takes t ORDER BY t.id"
    )
    bad: dict[str, str] = {}
    seen: set[str] = set()
    numbers: dict[str, int] = {}
    for uid, number, digest, rate, channels, frames, chosen, recorded in rows:
        if digest not in seen:
            seen.add(digest)
            if fault := _fault_of_clip(session, deep, digest, rate, channels, frames):
                bad[digest] = fault
        if digest in bad:
            if not numbers:
                numbers = {s.uid: s.number for s in session.reader.segments()}
            what = f"segment {numbers[uid]}" if uid in numbers else "a deleted segment"
            yield Problem(
                f"{bad[digest]} clip",
                f"The clip of {what}, take {number}, is {bad[digest]} "
                f"({clips.clip_name(digest)}){_way_out(chosen, recorded)}",
                fixable=bool(chosen) and not recorded,
                serious=bool(chosen),
            )


def _way_out(chosen: bool, recorded: bool) -> str:
    """How the sentence about a take's damaged clip ends."""
    if recorded:
        return ", a recording of yours, which only you can give it again."
    if chosen:
        return ", which was chosen."
    return "; rhapsode clean removes takes that nobody chose."


def _fault_of_clip(
    session: Session, deep: bool, digest: str, rate: int, channels: int, frames: int
) -> str:
    """``missing``, ``damaged`` or nothing."""
    try:
        clips.glance_at_clip(session.folder, digest, rate, channels, frames)
        if deep:
            clips.read_clip(session.folder, digest)
    except clips.DamagedClip as error:
        return str(error)
    return ""
