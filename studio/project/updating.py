"""A new edition of the manuscript comes into a project: what is unchanged stays as it is."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from studio.book.drafts import ChapterDraft
from studio.project import configuring
from studio.project.comparing import items_of, lines_of, planned, titles_of
from studio.project.creating import STEP
from studio.project.edition import Item
from studio.project.lexicon import lexed_each
from studio.project.merging import Outline, Plan
from studio.project.model import Change, Kind
from studio.project.session import Session
from studio.project.store import Store


def update(
    session: Session,
    chapters: Sequence[ChapterDraft],
    speaking: int,
    segmenting: int,
    kept: Mapping[str, object],
) -> Change:
    """Bring a new edition into the book, as one step."""
    store = session.store
    lines = lines_of(store)
    found = planned(session, lines, chapters)
    texts = _texts(session, items_of(found.outlines), speaking)
    name = _namer(store)  # Before anything goes, so that no uid comes again.
    with session.command("new edition of the book") as step:
        _write_chapters(store, found.outlines)
        store.connection.executemany(
            "DELETE FROM segments WHERE uid = ?", ((line.uid,) for line in found.gone)
        )
        uids = _write_segments(session, found.outlines, texts, name)
        _drop_chapters(store, found.outlines)
        _write_removed(store, found, uids)
        for setting, value in {**kept, "segmenting": segmenting}.items():
            configuring.put_setting(session, setting, value)
        step.change = Change(segments=_forget_failures(store, found.outlines))
    return step.change


def _texts(session: Session, items: Sequence[Item], speaking: int) -> dict[int, dict[str, Any]]:
    """The columns of each text that is new, by the item's identity."""
    from studio.book.speaking import SPEAKING_VERSION, speak

    language = session.reader.setting("language", "")
    fresh = [item for item in items if item.draft is not None]
    bases = []
    columns: list[dict[str, Any]] = []
    for item in fresh:
        draft = item.draft
        assert draft is not None
        kind = draft.kind if item.line is None else item.line.kind
        # Only headings have reading rules of their own.
        ready = item.whole and (kind is Kind.HEADING) is (draft.kind is Kind.HEADING)
        base = draft.spoken if ready else speak(item.source, kind, language) or item.source
        bases.append(base)
        columns.append(
            {
                "source": item.source,
                "spoken": None if base == item.source else base,
                "speaking": speaking if ready else SPEAKING_VERSION,
            }
        )
    texts = {}
    for item, its, base, lexed in zip(
        fresh, columns, bases, lexed_each(session, bases), strict=True
    ):
        override = None if item.line is None else item.line.override
        if override == (base if lexed is None else lexed):
            override = None
        texts[id(item)] = {**its, "lexed": lexed, "override": override}
    return texts


def _write_chapters(store: Store, outlines: Sequence[Outline]) -> None:
    """Give the chapters their places and titles; a new one gets an id that none ever had."""
    last = max(
        store.value("SELECT max(id) FROM chapters") or 0,
        store.value("SELECT max(key) FROM cells WHERE tbl = 'chapters'") or 0,
    )
    for number, outline in enumerate(outlines, 1):
        if outline.id is None:
            last += 1
            outline.id = last
        store.execute(
            "INSERT INTO chapters (id, position, title) VALUES (?, ?, ?)"
            " ON CONFLICT (id) DO UPDATE SET"
            " (position, title) = (excluded.position, excluded.title)",
            (outline.id, number * STEP, outline.title),
        )


def _drop_chapters(store: Store, outlines: Iterable[Outline]) -> None:
    kept = {outline.id for outline in outlines}
    for chapter in titles_of(store):
        if chapter not in kept:
            store.execute("DELETE FROM chapters WHERE id = ?", (chapter,))


def _write_segments(
    session: Session,
    outlines: Sequence[Outline],
    texts: Mapping[int, dict[str, Any]],
    name: Callable[[str], tuple[str, int]],
) -> dict[int, str]:
    """Put every segment in its place, with its text; returns the uid of each item."""
    store = session.store
    voices = session.reader.voices()
    narrator = session.reader.setting("voice", "")
    uids: dict[int, str] = {}
    for outline in outlines:
        assert outline.id is not None
        positions = _positions(store, outline)
        for item, position in zip(outline.items, positions, strict=True):
            place = (outline.id, position, int(item.ends))
            if item.line is not None:
                uids[id(item)] = item.line.uid
                _move(store, item, place)
                if item.changed:
                    store.execute(
                        "UPDATE segments SET source = :source, spoken = :spoken, lexed = :lexed,"
                        " speaking = :speaking, override = :override WHERE uid = :uid",
                        {**texts[id(item)], "uid": item.line.uid},
                    )
                continue
            draft, text = item.draft, texts[id(item)]
            assert draft is not None
            uid, seed = name(item.source)
            uids[id(item)] = uid
            store.execute(
                "INSERT INTO segments (uid, kind, source, spoken, lexed, speaking, voice, seed,"
                " pause_ms, chapter, position, ends_paragraph)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    uid,
                    draft.kind.value,
                    *(text[column] for column in ("source", "spoken", "lexed", "speaking")),
                    draft.voice if draft.voice in voices else narrator,
                    seed,
                    None if item.last is None else item.last.pause_ms,
                    *place,
                ),
            )
    return uids


def _positions(store: Store, outline: Outline) -> list[int]:
    """The places of a chapter's segments: as they are where none has come, gone or moved."""
    rows = store.rows(
        "SELECT uid, position FROM segments WHERE chapter = ? ORDER BY position", (outline.id,)
    )
    if [row[0] for row in rows] == [item.line and item.line.uid for item in outline.items]:
        return [row[1] for row in rows]
    return [place * STEP for place in range(1, len(outline.items) + 1)]


def _move(store: Store, item: Item, place: tuple[int, int, int]) -> None:
    assert item.line is not None
    store.execute(
        "UPDATE segments SET chapter = ?, position = ?, ends_paragraph = ? WHERE uid = ?",
        (*place, item.line.uid),
    )


def _write_removed(store: Store, found: Plan, uids: Mapping[int, str]) -> None:
    """Keep what stays out of the book with its new place, and forget what no edition says now."""
    kept = {taken.removed.id for taken in found.removed}
    for (row,) in store.rows("SELECT id FROM removed"):
        if row not in kept:
            store.execute("DELETE FROM removed WHERE id = ?", (row,))
    length = dict(store.rows("SELECT uid, length(source) FROM segments"))
    for rank, taken in enumerate(found.removed, 1):
        uid = "" if taken.host is None else uids[id(taken.host)]
        store.execute(
            "UPDATE removed SET segment = ?, at = ?, rank = ?, source = ? WHERE id = ?",
            (
                uid,
                length.get(uid, 0) if taken.at is None else taken.at,
                rank,
                taken.source,
                taken.removed.id,
            ),
        )


def _forget_failures(store: Store, outlines: Iterable[Outline]) -> frozenset[str]:
    """A failure to narrate another text says nothing any more."""
    changed = [item.line.uid for item in items_of(outlines) if item.line and item.changed]
    failed = frozenset(
        uid for uid in changed if store.value("SELECT failure FROM segments WHERE uid = ?", (uid,))
    )
    store.connection.executemany(
        "UPDATE segments SET failure = '' WHERE uid = ?", ((uid,) for uid in failed)
    )
    return failed


def _namer(store: Store) -> Callable[[str], tuple[str, int]]:
    """A function that gives each new text a uid that no segment has or had, and its seed."""
    from studio.book.segmenting import first_seed

    known = {
        row[0]
        for row in store.rows(
            "SELECT uid FROM segments UNION SELECT segment FROM takes"
            " UNION SELECT key FROM cells WHERE tbl = 'segments'"
        )
    }
    seen: Counter[str] = Counter()

    def name(text: str) -> tuple[str, int]:
        while True:
            seen[text] += 1
            digest = hashlib.sha256(f"{seen[text]}\n{text}".encode()).hexdigest()[:12]
            if digest not in known:
                known.add(digest)
                return digest, first_seed(text, seen[text])

    return name
