"""Rows of the database as the dataclasses of `studio.project.model`: the only place that reads
columns by position, so the only place where a misspelt column could hide."""

from __future__ import annotations

import json
import operator
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import fields, make_dataclass
from itertools import product
from typing import Any

from studio.project.former import TAKE_VOICE
from studio.project.model import Change, Chapter, Kind, QueueItem, Segment, Take, Voice
from studio.project.store import Store
from studio.project.tokens import MOST_ATTACHED

FEW = 400
"""Up to so many segments are looked up one by one; more are picked from the whole list."""

TEXT = "COALESCE(s.override, s.lexed, s.spoken, s.source)"
"""What the engine is given: as a person typed it, else as lexicon and rules make it."""

_TEXT_CHANGED = f"({TEXT} <> t.spoken)"
_VOICE_CHANGED = "(v.fingerprint <> t.fingerprint)"
_LANGUAGE_CHANGED = "(COALESCE(NULLIF(v.language, ''), :language) <> t.language)"
_SPEED_CHANGED = "(s.speed <> t.speed)"
# A recording has no fingerprint: whoever spoke it, it differs by its text alone.
_STALE = (
    f"COALESCE({_TEXT_CHANGED} + (t.fingerprint <> '') * (2 * {_VOICE_CHANGED}"
    f" + 4 * {_LANGUAGE_CHANGED} + 8 * {_SPEED_CHANGED}), 0)"
)
_STALE_WORDS: tuple[tuple[str, ...], ...] = tuple(
    tuple(
        word for word, on in zip(("speed", "language", "voice", "text"), bits, strict=True) if on
    )[::-1]
    for bits in product((False, True), repeat=4)
)
"""What changed, for each sum that `_STALE` can give."""

# A build is named "engine:hash"; another engine's build says nothing about this one. ":builds"
# holds those that are here, each between line feeds.
_ELSEWHERE = (
    "(:builds <> '' AND t.build <> '' AND instr(:builds, char(10) || t.build || char(10)) = 0"
    " AND instr(:builds, char(10) || substr(t.build, 1, instr(t.build, ':'))) > 0)"
)

_SEGMENTS = f"""
    SELECT s.uid, s.chapter, s.kind, s.source, COALESCE(s.override, s.lexed, s.spoken),
        s.override IS NOT NULL, s.ends_paragraph, s.voice, s.seed, s.speed, s.pause_ms, s.mark,
        s.note, s.failure, (SELECT count(*) FROM takes k WHERE k.segment = s.uid),
        s.chosen, s.approved, t.number, t.frames, t.rate, t.rtf, t.findings,
        {_STALE}, {_ELSEWHERE},
        EXISTS (SELECT 1 FROM queue q WHERE q.segment = s.uid)
    FROM segments s
    JOIN voices v ON v.id = s.voice
    LEFT JOIN takes t ON t.id = s.chosen
"""

# The limit keeps SQLite from putting `_STALE` in place of each of its five uses.
_CHAPTER = f"""
    SELECT sum(NOT silent),
        sum(silent OR (take IS NOT NULL AND stale = 0)),
        sum(COALESCE(approved = chosen AND stale = 0 AND sound, 0)),
        sum(COALESCE(approved IS NOT chosen AND findings <> '[]' AND stale = 0 AND sound, 0)),
        sum(stale <> 0 AND sound), sum(NOT sound), total(seconds)
    FROM (
        SELECT s.kind = :silence AS silent, s.failure = '' AS sound, s.approved, s.chosen,
            t.id AS take, t.findings, t.frames * 1.0 / t.rate AS seconds, {_STALE} AS stale
        FROM segments s
        JOIN voices v ON v.id = s.voice
        LEFT JOIN takes t ON t.id = s.chosen
        WHERE s.chapter = :chapter
        LIMIT -1
    )
"""

_TAKES = f"""
    SELECT t.id, t.segment, t.number, t.recipe_id, r.recipe, r.provenance, t.seed, t.spoken,
        {TAKE_VOICE}, t.pcm_hash, t.rate, t.channels, t.frames, t.rtf, t.findings, t.star, t.made,
        t.build
    FROM takes t JOIN take_records r ON r.take = t.id
"""

_QUEUE = """
    SELECT q.id, q.segment, COALESCE(q.seed, s.seed), q.grp, q.first, q.asked,
        q.candidate, q.remake, q.replay
    FROM queue q JOIN segments s ON s.uid = q.segment
"""

_QUEUE_ORDER = " ORDER BY q.first DESC, q.place, q.id"

# A frozen dataclass sets each field five times as slowly as a plain one of the same layout.
_Draft: Any = make_dataclass("_Draft", [field.name for field in fields(Segment)], slots=True)

_KINDS = {kind.value: kind for kind in Kind}


_FIELDS = tuple(field.name for field in fields(Segment))
_NUMBER = _FIELDS.index("number")
_values = operator.attrgetter(*_FIELDS)


def renumbered(segment: Segment, number: int) -> Segment:
    """The same segment at another place in the book; twice as fast as `dataclasses.replace`."""
    values = _values(segment)
    draft = _Draft(*values[:_NUMBER], number, *values[_NUMBER + 1 :])
    draft.__class__ = Segment
    moved: Segment = draft
    return moved


class Reader:
    """Everything that can be read from a store."""

    def __init__(self, store: Store) -> None:
        """Read from ``store``."""
        self._store = store
        self.builds: dict[str, str] = {}
        self._shared: dict[str, str] = {}
        # Both are kept while this process alone can write; a reader asks again each time.
        self._counts: dict[int, tuple[Any, ...]] = {}
        self._outline: list[tuple[int, int, str]] | None = None

    def setting(self, name: str, default: Any = None) -> Any:
        """One of the project's settings."""
        text = self._store.value("SELECT value FROM settings WHERE name = ?", (name,))
        return default if text is None else json.loads(text)

    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        return {
            name: json.loads(text)
            for name, text in self._store.rows("SELECT name, value FROM settings")
        }

    def voices(self) -> dict[str, Voice]:
        """The voices by id, as they are stored: an empty language means the book's."""
        return {
            row[0]: Voice(
                id=row[0],
                engine=row[1],
                speaker=row[2],
                reference=row[3],
                transcript=row[4],
                description=row[5],
                style=row[6],
                language=row[7],
                settings=json.loads(row[8]),
                fingerprint=row[9],
                sample=row[10],
            )
            for row in self._store.rows(
                "SELECT id, engine, speaker, reference, transcript, description, style, language,"
                " settings, fingerprint, sample FROM voices ORDER BY id"
            )
        }

    def chapters(self) -> tuple[Chapter, ...]:
        """All chapters with their counts, in order."""
        outline = self._sizes()
        if self._store.read_only:
            self._counts.clear()
        values = {**self._values(), "silence": Kind.SCENE_BREAK.value}
        for chapter, _, _ in outline:
            if chapter not in self._counts:
                row = self._store.row(_CHAPTER, {**values, "chapter": chapter})
                assert row is not None  # sums of nothing are a row, too
                self._counts[chapter] = row
        chapters = []
        first = 1
        for number, (chapter, size, title) in enumerate(outline, 1):
            spoken, done, approved, flagged, stale, failed, seconds = self._counts[chapter]
            chapters.append(
                Chapter(
                    id=chapter,
                    number=number,
                    title=title,
                    first=first,
                    segments=size,
                    spoken=spoken or 0,
                    done=done or 0,
                    approved=approved or 0,
                    flagged=flagged or 0,
                    stale=stale or 0,
                    failed=failed or 0,
                    seconds=seconds,
                )
            )
            first += size
        return tuple(chapters)

    def forget_counts(self, change: Change) -> None:
        """Count the chapters again that a change has touched, when they are asked for."""
        if change.structure:
            self._outline = None
        anywhere = change.structure and not change.chapters
        if anywhere or change.settings or len(change.segments) > FEW:
            self._counts.clear()
        for chapter in change.chapters:
            self._counts.pop(chapter, None)
        for uid in change.segments if self._counts else ():
            chapter = self._store.value("SELECT chapter FROM segments WHERE uid = ?", (uid,))
            self._counts.pop(chapter, None)

    def segments(self, chapter: int | None = None) -> list[Segment]:
        """Segments in the order of the book; of one chapter where its id is given."""
        return list(self.each_segment(chapter))

    def each_segment(self, chapter: int | None = None) -> Iterator[Segment]:
        """The same one by one, with no more than a chapter of them in memory."""
        values = self._values()
        number = 1
        for each, size, _ in self._sizes():
            if chapter is None or each == chapter:
                rows = self._store.rows(
                    f"{_SEGMENTS} WHERE s.chapter = :chapter ORDER BY s.position",
                    {**values, "chapter": each},
                )
                yield from map(self._segment, rows, range(number, number + size))
            number += size

    def segments_by_uid(self, uids: Iterable[str]) -> dict[str, Segment]:
        """Segments by uid; those that do not exist are left out."""
        wanted = set(uids)
        if len(wanted) > FEW:
            return {s.uid: s for s in self.each_segment() if s.uid in wanted}
        found = {}
        starts = self._starts()
        values = self._values()
        for uid in wanted:
            row = self._store.row(f"{_SEGMENTS} WHERE s.uid = :uid", {**values, "uid": uid})
            if row is not None:
                found[uid] = self._segment(row, starts[row[1]] + self._place(uid))
        return found

    def number(self, uid: str) -> int:
        """A segment's place in the book, 1 for the first, 0 if it does not exist."""
        chapter = self._store.value("SELECT chapter FROM segments WHERE uid = ?", (uid,))
        return 0 if chapter is None else self._starts()[chapter] + self._place(uid)

    def takes(self, uid: str) -> tuple[Take, ...]:
        """The takes of a segment, oldest first."""
        rows = self._store.rows(f"{_TAKES} WHERE t.segment = ? ORDER BY t.number", (uid,))
        return tuple(map(_take, rows))

    def take(self, take_id: int) -> Take | None:
        """A take by its id."""
        row = self._store.row(f"{_TAKES} WHERE t.id = ?", (take_id,))
        return None if row is None else _take(row)

    def blob(self, take_id: int, name: str) -> bytes | None:
        """What an engine sent along with a take's clip under a name, or None.

        What is larger than a take keeps was put there by somebody else, and is not read.
        """
        content: bytes | None = self._store.value(
            "SELECT content FROM take_blobs WHERE take = ? AND name = ? AND length(content) <= ?",
            (take_id, name, MOST_ATTACHED),
        )
        return content

    def all_takes(self) -> Iterator[Take]:
        """Every take, oldest first, a few hundred at a time in memory."""
        last = 0
        while rows := self._store.rows(f"{_TAKES} WHERE t.id > ? ORDER BY t.id LIMIT 500", (last,)):
            yield from map(_take, rows)
            last = rows[-1][0]

    def find_take(self, uid: str, recipe_id: str, build: str) -> Take | None:
        """The newest take of a segment that this recipe has made on this build."""
        row = self._store.row(
            f"{_TAKES} WHERE t.segment = ? AND t.recipe_id = ? AND t.build = ?"
            " ORDER BY t.number DESC LIMIT 1",
            (uid, recipe_id, build),
        )
        return None if row is None else _take(row)

    def queue(self) -> tuple[QueueItem, ...]:
        """What waits, in the order in which it will be narrated."""
        return tuple(map(_item, self._store.rows(_QUEUE + _QUEUE_ORDER)))

    def queue_size(self) -> tuple[int, int]:
        """How many narrations wait, and how many characters they have together."""
        row = self._store.row(
            f"SELECT count(*), COALESCE(sum(length({TEXT})), 0)"
            " FROM queue q JOIN segments s ON s.uid = q.segment"
        )
        return (int(row[0]), int(row[1])) if row is not None else (0, 0)

    def next_items(
        self, count: int, skip: Iterable[int], only: Collection[str] | None = None
    ) -> list[QueueItem]:
        """The first ``count`` items of the queue that are not in ``skip``.

        Where ``only`` names segments, items of others are passed over.
        """
        away = set(skip)
        where = ""
        values: list[Any] = [count + len(away)]
        if only is not None:
            # One value, whatever the number: SQLite bounds how many there may be.
            where = " WHERE q.segment IN (SELECT value FROM json_each(?))"
            values.insert(0, json.dumps(list(only)))
        rows = self._store.rows(f"{_QUEUE}{where}{_QUEUE_ORDER} LIMIT ?", values)
        return [item for item in map(_item, rows) if item.id not in away][:count]

    def _values(self) -> dict[str, Any]:
        builds = "".join(f"{build}\n" for build in self.builds.values())
        return {"language": self.setting("language", ""), "builds": builds and f"\n{builds}"}

    def _sizes(self) -> list[tuple[int, int, str]]:
        """Id, number of segments and title of each chapter, in order."""
        if self._outline is None or self._store.read_only:
            self._outline = self._store.rows(
                "SELECT c.id, (SELECT count(*) FROM segments s WHERE s.chapter = c.id), c.title"
                " FROM chapters c ORDER BY c.position"
            )
        return self._outline

    def _starts(self) -> dict[int, int]:
        """How many segments stand before each chapter."""
        starts = {}
        before = 0
        for chapter, size, _ in self._sizes():
            starts[chapter] = before
            before += size
        return starts

    def _place(self, uid: str) -> int:
        """A segment's place in its chapter, 1 for the first."""
        return int(
            self._store.value(
                "SELECT count(*) FROM segments o JOIN segments s ON o.chapter = s.chapter"
                " AND o.position <= s.position WHERE s.uid = ?",
                (uid,),
            )
        )

    def _segment(self, row: Sequence[Any], number: int) -> Segment:
        source, chosen, approved, speed = row[3], row[15], row[16], row[9]
        # By position, in the order of the class: this runs 20,000 times for a long book.
        draft = _Draft(
            row[0],
            number,
            row[1],
            _KINDS[row[2]],
            source,
            # One string where both are the same: half the memory of a long list.
            source if row[4] is None else row[4],
            row[5] == 1,
            row[6] == 1,
            self._shared.setdefault(row[7], row[7]),
            row[8],
            1.0 if speed == 1.0 else speed,
            row[10],
            row[11] == 1,
            row[12],
            row[13],
            row[14],
            chosen,
            chosen if approved == chosen else approved,
            row[17] or 0,
            row[18] / row[19] if row[19] else 0.0,
            row[20] or 0.0,
            () if row[21] is None or row[21] == "[]" else tuple(json.loads(row[21])),
            _STALE_WORDS[row[22]],
            row[23] == 1,
            row[24] == 1,
        )
        draft.__class__ = Segment
        segment: Segment = draft
        return segment


def _take(row: Sequence[Any]) -> Take:
    return Take(
        id=row[0],
        segment=row[1],
        number=row[2],
        recipe_id=row[3],
        recipe=json.loads(row[4]),
        provenance=json.loads(row[5]),
        seed=row[6],
        spoken=row[7],
        voice=row[8],
        pcm_hash=row[9],
        rate=row[10],
        channels=row[11],
        frames=row[12],
        rtf=row[13],
        findings=tuple(json.loads(row[14])),
        star=bool(row[15]),
        made=row[16],
        build=row[17],
    )


def _item(row: Sequence[Any]) -> QueueItem:
    item, uid, seed, group, first, asked, candidate, remake, replay = row
    return QueueItem(
        item, uid, seed, group, bool(first), asked, bool(candidate), remake, bool(replay)
    )
