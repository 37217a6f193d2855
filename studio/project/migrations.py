"""Every shape ``book.db`` ever had, as steps from one to the next.

A step runs in one transaction together with the row that records it, so a database is always
exactly one of the versions. Released steps are never edited; a new shape is a new step at the end.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Migration:
    """One step; its version is its place in `MIGRATIONS`, 1 for the first."""

    name: str
    apply: Callable[[sqlite3.Connection], None]


class NewerSchema(Exception):
    """The database was written by a newer version of the program."""


def schema_version(connection: sqlite3.Connection) -> int:
    """Version of a database, 0 for an empty one."""
    known = connection.execute(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
    ).fetchone()
    if known is None:
        return 0
    row = connection.execute("SELECT max(version) FROM migrations").fetchone()
    return int(row[0] or 0)


def migrate(connection: sqlite3.Connection) -> None:
    """Bring a database to the newest version.

    Raises:
        NewerSchema: It is newer already; it was not touched.
    """
    version = schema_version(connection)
    if version > len(MIGRATIONS):
        raise NewerSchema(f"version {version}")
    for number in range(version + 1, len(MIGRATIONS) + 1):
        step = MIGRATIONS[number - 1]
        connection.execute("BEGIN IMMEDIATE")
        try:
            step.apply(connection)
            connection.execute(
                "INSERT INTO migrations (version, name, applied) VALUES (?, ?, ?)",
                (number, step.name, datetime.now(UTC).isoformat(timespec="seconds")),
            )
        except BaseException:
            connection.execute("ROLLBACK")
            raise
        connection.execute("COMMIT")


_FIRST = (
    """CREATE TABLE migrations (
        version INTEGER PRIMARY KEY, name TEXT NOT NULL, applied TEXT NOT NULL
    ) STRICT""",
    # What the program remembers for itself: no part of the history.
    "CREATE TABLE internal (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT",
    "CREATE TABLE lexicon (word TEXT PRIMARY KEY, spoken TEXT NOT NULL) STRICT",
    """CREATE TABLE voices (
        id TEXT PRIMARY KEY,
        engine TEXT NOT NULL,
        speaker TEXT NOT NULL,
        reference TEXT NOT NULL,
        transcript TEXT NOT NULL,
        description TEXT NOT NULL,
        style TEXT NOT NULL,
        language TEXT NOT NULL,
        settings TEXT NOT NULL,
        fingerprint TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE chapters (
        id INTEGER PRIMARY KEY, position INTEGER NOT NULL, title TEXT NOT NULL
    ) STRICT""",
    # The columns that the list compares come first, and recipes stand in a table of their own:
    # reading 20,000 rows must not walk over their texts.
    """CREATE TABLE takes (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        segment TEXT NOT NULL,
        number INTEGER NOT NULL,
        seed INTEGER NOT NULL,
        spoken TEXT NOT NULL,
        voice TEXT NOT NULL,
        fingerprint TEXT NOT NULL,
        language TEXT NOT NULL,
        speed REAL NOT NULL,
        rate INTEGER NOT NULL,
        channels INTEGER NOT NULL,
        frames INTEGER NOT NULL,
        rtf REAL NOT NULL,
        findings TEXT NOT NULL,
        star INTEGER NOT NULL DEFAULT 0,
        build TEXT NOT NULL,
        pcm_hash TEXT NOT NULL,
        recipe_id TEXT NOT NULL,
        made TEXT NOT NULL
    ) STRICT""",
    """CREATE TABLE take_records (
        take INTEGER PRIMARY KEY REFERENCES takes (id) ON DELETE CASCADE,
        recipe TEXT NOT NULL,
        provenance TEXT NOT NULL
    ) STRICT""",
    # A take outlives its segment (undo brings the segment back), hence no reference the other way.
    "CREATE UNIQUE INDEX takes_of_segment ON takes (segment, number)",
    # Constraints are checked at the end of a transaction, so that undo may write in any order.
    """CREATE TABLE segments (
        uid TEXT PRIMARY KEY,
        chapter INTEGER NOT NULL REFERENCES chapters (id) DEFERRABLE INITIALLY DEFERRED,
        position INTEGER NOT NULL,
        kind TEXT NOT NULL,
        source TEXT NOT NULL,
        spoken TEXT,
        speaking INTEGER NOT NULL,
        override TEXT,
        ends_paragraph INTEGER NOT NULL,
        voice TEXT NOT NULL REFERENCES voices (id) DEFERRABLE INITIALLY DEFERRED,
        seed INTEGER NOT NULL,
        speed REAL NOT NULL DEFAULT 1.0,
        pause_ms INTEGER,
        chosen INTEGER REFERENCES takes (id) DEFERRABLE INITIALLY DEFERRED,
        approved INTEGER REFERENCES takes (id) DEFERRABLE INITIALLY DEFERRED,
        mark INTEGER NOT NULL DEFAULT 0,
        note TEXT NOT NULL DEFAULT '',
        failure TEXT NOT NULL DEFAULT ''
    ) STRICT""",
    "CREATE INDEX segments_in_order ON segments (chapter, position)",
    "CREATE INDEX segments_by_voice ON segments (voice)",
    """CREATE TABLE groups (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        label TEXT NOT NULL,
        entry INTEGER
    ) STRICT""",
    """CREATE TABLE queue (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        segment TEXT NOT NULL UNIQUE
            REFERENCES segments (uid) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        seed INTEGER,
        grp INTEGER NOT NULL REFERENCES groups (id),
        first INTEGER NOT NULL,
        place INTEGER NOT NULL,
        asked INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX queue_in_order ON queue (first DESC, place, id)",
    """CREATE TABLE history (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        rank INTEGER NOT NULL,
        label TEXT NOT NULL,
        made TEXT NOT NULL,
        undone INTEGER NOT NULL DEFAULT 0
    ) STRICT""",
    "CREATE INDEX history_in_order ON history (rank)",
    # One row per cell: what stood there before a command and after it.
    """CREATE TABLE cells (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        entry INTEGER NOT NULL REFERENCES history (id) ON DELETE CASCADE,
        tbl TEXT NOT NULL,
        key ANY NOT NULL,
        op TEXT NOT NULL,
        col TEXT NOT NULL,
        before ANY,
        after ANY
    ) STRICT""",
    "CREATE INDEX cells_of_entry ON cells (entry, seq)",
    "CREATE INDEX cells_of_row ON cells (tbl, key, entry)",
)


def _first(connection: sqlite3.Connection) -> None:
    for statement in _FIRST:
        connection.execute(statement)


_RULE = """
    word TEXT PRIMARY KEY,
    spoken TEXT NOT NULL,
    regex INTEGER NOT NULL DEFAULT 0,
    phonemes INTEGER NOT NULL DEFAULT 0,
    match_case INTEGER NOT NULL DEFAULT 0,
    whole INTEGER NOT NULL DEFAULT 1
"""

_REVIEW = (
    # What the lexicon makes of a segment's automatic text; nothing where it makes no difference.
    "ALTER TABLE segments ADD COLUMN lexed TEXT",
    "ALTER TABLE lexicon ADD COLUMN regex INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE lexicon ADD COLUMN phonemes INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE lexicon ADD COLUMN match_case INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE lexicon ADD COLUMN whole INTEGER NOT NULL DEFAULT 1",
    # A sentence to hear the voice by; it decides nothing, so no fingerprint holds it.
    "ALTER TABLE voices ADD COLUMN sample TEXT NOT NULL DEFAULT ''",
    # A person's own rules as this book has taken them over: another book may do so later.
    f"CREATE TABLE user_lexicon ({_RULE}) STRICT",
    # What a person has deleted of the book, behind or within the segment before it.
    """CREATE TABLE removed (
        id INTEGER PRIMARY KEY,
        segment TEXT NOT NULL,
        at INTEGER NOT NULL,
        rank INTEGER NOT NULL,
        kind TEXT NOT NULL,
        source TEXT NOT NULL,
        ends_paragraph INTEGER NOT NULL
    ) STRICT""",
    "CREATE INDEX removed_of_segment ON removed (segment, at, rank)",
    # Several candidates of one segment may wait at once, and old takes that are made again.
    """CREATE TABLE waiting (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        segment TEXT NOT NULL
            REFERENCES segments (uid) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
        seed INTEGER,
        grp INTEGER NOT NULL REFERENCES groups (id),
        first INTEGER NOT NULL,
        place INTEGER NOT NULL,
        asked INTEGER NOT NULL,
        candidate INTEGER NOT NULL DEFAULT 0,
        remake INTEGER REFERENCES takes (id) ON DELETE CASCADE
    ) STRICT""",
    "INSERT INTO waiting (id, segment, seed, grp, first, place, asked)"
    " SELECT id, segment, seed, grp, first, place, asked FROM queue",
    "DROP TABLE queue",
    "ALTER TABLE waiting RENAME TO queue",
    "CREATE INDEX queue_in_order ON queue (first DESC, place, id)",
    "CREATE INDEX queue_of_segment ON queue (segment)",
    "CREATE UNIQUE INDEX queue_once ON queue (segment) WHERE candidate = 0 AND remake IS NULL",
)


def _review(connection: sqlite3.Connection) -> None:
    for statement in _REVIEW:
        connection.execute(statement)


_ATTACHED = (
    # What an engine sent along with a clip, such as the speech tokens that it was voiced from.
    """CREATE TABLE take_blobs (
        take INTEGER NOT NULL REFERENCES takes (id) ON DELETE CASCADE,
        name TEXT NOT NULL,
        content BLOB NOT NULL,
        PRIMARY KEY (take, name)
    ) STRICT""",
    # Whether what is to be made again is voiced from the take's own speech tokens.
    "ALTER TABLE queue ADD COLUMN replay INTEGER NOT NULL DEFAULT 0",
)


def _attached(connection: sqlite3.Connection) -> None:
    for statement in _ATTACHED:
        connection.execute(statement)


_EDITIONS = (
    # Where the text is in another language than the book: its reading rules are those of that one.
    "ALTER TABLE segments ADD COLUMN language TEXT NOT NULL DEFAULT ''",
    # What the edition that it comes from has asked for, so that the next one may ask otherwise.
    "ALTER TABLE segments ADD COLUMN asked TEXT NOT NULL DEFAULT ''",
)


def _editions(connection: sqlite3.Connection) -> None:
    for statement in _EDITIONS:
        connection.execute(statement)


_BLIND = (
    # Blind comparisons of takes, and what was answered: results, and no part of the history.
    """CREATE TABLE blind_tests (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        made TEXT NOT NULL,
        seed INTEGER NOT NULL,
        what TEXT NOT NULL,
        a TEXT NOT NULL,
        b TEXT NOT NULL
    ) STRICT""",
    # Takes and segments by their names alone: a result outlives both.
    """CREATE TABLE blind_trials (
        test INTEGER NOT NULL REFERENCES blind_tests (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        segment TEXT NOT NULL,
        a INTEGER NOT NULL,
        b INTEGER NOT NULL,
        x TEXT NOT NULL,
        answer TEXT NOT NULL DEFAULT '',
        answered TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (test, number)
    ) STRICT""",
)


def _blind(connection: sqlite3.Connection) -> None:
    for statement in _BLIND:
        connection.execute(statement)


_APPROVED = (
    # What `asked` was when a person last approved the chosen take although this waited: a result
    # that was asked for no later than that is kept beside it.
    "ALTER TABLE queue ADD COLUMN approved INTEGER",
)


def _approved(connection: sqlite3.Connection) -> None:
    for statement in _APPROVED:
        connection.execute(statement)


MIGRATIONS: list[Migration] = [
    Migration("first tables", _first),
    Migration("lexicon, candidates and takes made again", _review),
    Migration("attachments of takes", _attached),
    Migration("what editions ask for", _editions),
    Migration("blind comparisons", _blind),
    Migration("approvals of what is narrated anew", _approved),
]
"""In order; a database's version is how many of them it has seen."""
