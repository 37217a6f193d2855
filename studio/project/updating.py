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
from studio.project.following import Following, following
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
    follow = following(session, kept)
    texts = _texts(session, items_of(found.outlines), speaking, follow)
    name = _namer(store)  # Before anything goes, so that no uid comes again.
    with session.command("new edition of the book") as step:
        _write_chapters(store, found.outlines)
        store.connection.executemany(
            "DELETE FROM segments WHERE uid = ?", ((line.uid,) for line in found.gone)
        )
        uids = _write_segments(session, found.outlines, texts, name, follow)
        _drop_chapters(store, found.outlines)
        _write_removed(store, found, uids)
        for setting, value in {**kept, "segmenting": segmenting}.items():
            configuring.put_setting(session, setting, value)
        step.change = Change(segments=_forget_failures(store, found.outlines, texts))
    return step.change


def _texts(
    session: Session, items: Sequence[Item], speaking: int, follow: Following
) -> dict[int, dict[str, Any]]:
    """The columns of each text that is new, or is read otherwise, by the item's identity."""
    from studio.book.speaking import SPEAKING_VERSION

    fresh = []
    bases = []
    columns: list[dict[str, Any]] = []
    for item in items:
        draft = item.draft
        version: int | None = SPEAKING_VERSION
        if draft is None:
            base = follow.base(item)
            if base is None:
                continue
            language = "" if item.line is None else item.line.language
        else:
            kind = draft.kind if item.line is None else follow.had(item).kind
            language = draft.language
            said_as_before = follow.reprinted(item)
            # Only headings have reading rules of their own.
            if said_as_before:
                assert item.line is not None
                base, version = item.line.base, None
            elif item.whole and (kind is Kind.HEADING) is (draft.kind is Kind.HEADING):
                base, version = draft.spoken, speaking
            else:
                base = follow.speak(item.source, kind, language) or item.source
        fresh.append(item)
        bases.append(base)
        columns.append(
            {
                "source": item.source,
                "spoken": None if base == item.source else base,
                "speaking": version,
                "language": language,
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
    follow: Following,
) -> dict[int, str]:
    """Put every segment in its place, with its text; returns the uid of each item."""
    store = session.store
    uids: dict[int, str] = {}
    for outline in outlines:
        assert outline.id is not None
        positions = _positions(store, outline)
        for item, position in zip(outline.items, positions, strict=True):
            place = (outline.id, position, int(item.ends))
            if item.line is not None:
                uids[id(item)] = item.line.uid
                _move(store, item, place)
                _direct(store, item, follow)
                if id(item) in texts:
                    store.execute(
                        "UPDATE segments SET source = :source, spoken = :spoken, lexed = :lexed,"
                        " speaking = COALESCE(:speaking, speaking), language = :language,"
                        " override = :override WHERE uid = :uid",
                        {**texts[id(item)], "uid": item.line.uid},
                    )
                continue
            asks = follow.asked(item)
            assert asks is not None
            text = {column: value for column, value in texts[id(item)].items() if column in _TEXT}
            uid, seed = name(item.source)
            uids[id(item)] = uid
            store.execute(
                f"INSERT INTO segments ({', '.join(_TEXT)}, uid, kind, voice, seed, pause_ms,"
                " asked, chapter, position, ends_paragraph)"
                f" VALUES ({', '.join(f':{column}' for column in _TEXT)}, :uid, :kind, :voice,"
                " :seed, :pause_ms, :asked, :chapter, :position, :ends)",
                {
                    **text,
                    "uid": uid,
                    "kind": asks.kind.value,
                    "voice": asks.given,
                    "seed": seed,
                    "pause_ms": asks.pause_ms,
                    "asked": asks.kept(),
                    **dict(zip(("chapter", "position", "ends"), place, strict=True)),
                },
            )
    return uids


_TEXT = ("source", "spoken", "lexed", "speaking", "language")
"""Columns of a new text."""


def _direct(store: Store, item: Item, follow: Following) -> None:
    """Let a segment that stays follow what the new edition asks for."""
    line, now = item.line, follow.asked(item)
    assert line is not None
    if now is None or line.asked is None:
        return
    has = follow.had(item)
    if has != line.had or now != line.asked:
        store.execute(
            "UPDATE segments SET kind = ?, voice = ?, pause_ms = ?, asked = ? WHERE uid = ?",
            (has.kind.value, has.voice, has.pause_ms, now.kept(), line.uid),
        )


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


def _forget_failures(
    store: Store, outlines: Iterable[Outline], texts: Mapping[int, object]
) -> frozenset[str]:
    """A failure to narrate another text says nothing any more."""
    changed = [item.line.uid for item in items_of(outlines) if item.line and id(item) in texts]
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
