"""Undo and redo for every command alike.

Temporary triggers note each cell that a command changes, with what stood there before and after.
A command's cells are kept as one entry in the same transaction, so undoing is writing the old
values back, last first, and redoing is writing the new ones, whatever the command was.

Entries stand in the order of ``rank``; those that are undone are always the last ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from studio.project.model import HistoryEntry
from studio.project.store import Store


@dataclass(frozen=True, slots=True)
class Tracked:
    """A table that the history covers."""

    key: str
    """Its primary key, which never changes."""
    columns: tuple[str, ...]
    """What is tracked; other columns are no part of the history."""


RULE = ("spoken", "regex", "phonemes", "match_case", "whole")
"""Columns of a rule of the lexicon beside the word that it is for."""

TRACKED: dict[str, Tracked] = {
    "settings": Tracked("name", ("value",)),
    "lexicon": Tracked("word", RULE),
    "user_lexicon": Tracked("word", RULE),
    "voices": Tracked(
        "id",
        (
            "engine",
            "speaker",
            "reference",
            "transcript",
            "description",
            "style",
            "language",
            "settings",
            "sample",
            "fingerprint",
        ),
    ),
    "chapters": Tracked("id", ("position", "title")),
    "removed": Tracked("id", ("segment", "at", "rank", "kind", "source", "ends_paragraph")),
    "segments": Tracked(
        "uid",
        (
            "chapter",
            "position",
            "kind",
            "source",
            "spoken",
            "lexed",
            "speaking",
            "language",
            "asked",
            "override",
            "ends_paragraph",
            "voice",
            "seed",
            "speed",
            "pause_ms",
            "chosen",
            "approved",
            "mark",
            "note",
        ),
    ),
}
"""Takes only grow and the queue is no history, so neither is here; nor is a segment's failure."""

INSERT, DELETE, UPDATE = "insert", "delete", "update"

_FIRST_COLUMNS = ", ".join(f"('{name}', '{table.columns[0]}')" for name, table in TRACKED.items())


@dataclass(frozen=True, slots=True)
class Cell:
    """One value that a command changed; for a row that came or went, one per column."""

    table: str
    key: Any
    op: str
    column: str
    before: Any
    after: Any


class History:
    """The list of entries of an open, writable store."""

    def __init__(self, store: Store) -> None:
        """Start to note what changes."""
        self._store = store
        store.execute(
            "CREATE TEMP TABLE noted (seq INTEGER PRIMARY KEY, tbl, key, op, col, before, after)"
        )
        for table, tracked in TRACKED.items():
            for statement in _triggers(table, tracked):
                store.execute(statement)

    @contextmanager
    def command(self, label: str) -> Iterator[list[Cell]]:
        """One command: a transaction, and an entry if anything tracked has changed.

        Yields:
            A list that holds the changed cells when the block has ended; for a row that came or
            went its first cell, because a long book has hundreds of thousands of them. Only of
            a segment's chapter they say what it was and is.
        """
        cells: list[Cell] = []
        with self._store.transaction():
            self._store.execute("DELETE FROM temp.noted")
            yield cells
            rows = self._store.rows(
                "SELECT tbl, key, op, col, iif(col = 'chapter', before, NULL),"
                f" iif(col = 'chapter', after, NULL) FROM temp.noted WHERE op = '{UPDATE}'"
                f" OR (tbl, col) IN (VALUES {_FIRST_COLUMNS}) ORDER BY seq"
            )
            cells += [Cell(*row) for row in rows]
            if cells:
                self.forget_undone()
                self._store.execute(
                    "INSERT INTO cells (entry, tbl, key, op, col, before, after)"
                    " SELECT ?, tbl, key, op, col, before, after FROM temp.noted ORDER BY seq",
                    (self._append(label),),
                )
                self._store.execute("DELETE FROM temp.noted")

    def take_notes(self) -> list[Cell]:
        """What has changed since the last call, in order; called within a transaction."""
        rows = self._store.rows(
            "SELECT tbl, key, op, col, before, after FROM temp.noted ORDER BY seq"
        )
        self._store.execute("DELETE FROM temp.noted")
        return [Cell(*row) for row in rows]

    def record_in_background(self, label: str, cells: list[Cell], entry: int | None) -> int:
        """Keep cells that no person's command has changed, within a transaction.

        They extend ``entry`` while that is done and no later entry touches the same rows; else
        they become an entry of their own, the last of those that are done. What is undone can
        still be redone unless it touches the same cells.

        Args:
            label: The entry's label from now on.
            cells: What has changed.
            entry: An entry that may be extended.

        Returns:
            The entry that holds the cells now.
        """
        if self._conflicts_with_undone(cells):
            self.forget_undone()
        if entry is None or not self._may_extend(entry, cells):
            entry = self._append(label)
        self._store.execute("UPDATE history SET label = ? WHERE id = ?", (label, entry))
        self._fill(entry, cells)
        return entry

    def undo(self) -> tuple[str, list[Cell]] | None:
        """Take the last entry back; returns its label and cells, or None without one."""
        return self._turn(undone=0)

    def redo(self) -> tuple[str, list[Cell]] | None:
        """Do the first undone entry again; returns its label and cells, or None without one."""
        return self._turn(undone=1)

    def next_labels(self) -> tuple[str | None, str | None]:
        """Labels of what `undo` and `redo` would turn, None where there is nothing."""
        return next_labels(self._store)

    def forget_undone(self) -> None:
        """Drop what could be redone."""
        self._store.execute("DELETE FROM history WHERE undone = 1")

    def forget_all(self) -> None:
        """Drop every entry."""
        self._store.execute("DELETE FROM history")

    def _append(self, label: str) -> int:
        """A new entry, the last of those that are done."""
        last = self._store.value("SELECT max(rank) FROM history WHERE undone = 0") or 0
        self._store.execute("UPDATE history SET rank = rank + 1 WHERE undone = 1")
        cursor = self._store.execute(
            "INSERT INTO history (rank, label, made) VALUES (?, ?, ?)",
            (last + 1, label, datetime.now(UTC).isoformat(timespec="milliseconds")),
        )
        return int(cursor.lastrowid or 0)

    def _fill(self, entry: int, cells: Iterable[Cell]) -> None:
        self._store.connection.executemany(
            "INSERT INTO cells (entry, tbl, key, op, col, before, after)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            ((entry, c.table, c.key, c.op, c.column, c.before, c.after) for c in cells),
        )

    def _may_extend(self, entry: int, cells: list[Cell]) -> bool:
        row = self._store.row("SELECT rank, undone FROM history WHERE id = ?", (entry,))
        if row is None or row[1]:
            return False
        return not any(
            self._store.value(
                "SELECT 1 FROM cells JOIN history h ON h.id = entry"
                " WHERE tbl = ? AND key = ? AND h.undone = 0 AND h.rank > ? LIMIT 1",
                (table, key, row[0]),
            )
            for table, key in {(c.table, c.key) for c in cells}
        )

    def _conflicts_with_undone(self, cells: list[Cell]) -> bool:
        if self._store.value("SELECT 1 FROM history WHERE undone = 1 LIMIT 1") is None:
            return False
        return any(
            self._store.value(
                "SELECT 1 FROM cells JOIN history h ON h.id = entry WHERE tbl = ? AND key = ?"
                " AND h.undone = 1 AND (col = ? OR op <> ?) LIMIT 1",
                (c.table, c.key, c.column, UPDATE),
            )
            for c in cells
        )

    def _turn(self, undone: int) -> tuple[str, list[Cell]] | None:
        order = "ASC" if undone else "DESC"
        with self._store.transaction():
            found = self._store.row(
                f"SELECT id, label FROM history WHERE undone = ? ORDER BY rank {order} LIMIT 1",
                (undone,),
            )
            if found is None:
                return None
            rows = self._store.execute(
                "SELECT tbl, key, op, col, before, after FROM cells"
                f" WHERE entry = ? ORDER BY seq {order}",
                (found[0],),
            )
            read = itertools.starmap(Cell, rows)
            cells = self._write(read if undone else map(_reversed, read))
            self._store.execute("DELETE FROM temp.noted")
            self._store.execute(
                "UPDATE history SET undone = ? WHERE id = ?", (1 - undone, found[0])
            )
            return str(found[1]), cells

    def _write(self, cells: Iterable[Cell]) -> list[Cell]:
        """Put the ``after`` of every cell in its place; returns what `command` would yield."""
        written: list[Cell] = []
        for (table, key, op), group in itertools.groupby(cells, lambda c: (c.table, c.key, c.op)):
            name, leading = TRACKED[table].key, TRACKED[table].columns[0]
            if op == UPDATE:
                for cell in group:
                    self._store.execute(
                        f"UPDATE {table} SET {cell.column} = ? WHERE {name} = ?", (cell.after, key)
                    )
                    written.append(cell)
                continue
            row = list(group)
            written += [cell for cell in row if cell.column == leading]
            if op == DELETE:
                self._store.execute(f"DELETE FROM {table} WHERE {name} = ?", (key,))
            else:
                values = {cell.column: cell.after for cell in row}
                self._store.execute(
                    f"INSERT INTO {table} ({name}, {', '.join(values)})"
                    f" VALUES (?{', ?' * len(values)})",
                    (key, *values.values()),
                )
        return written


def entries(store: Store, limit: int) -> tuple[HistoryEntry, ...]:
    """The newest entries, newest first."""
    rows = store.rows(
        "SELECT id, label, made, undone FROM history ORDER BY rank DESC LIMIT ?", (limit,)
    )
    return tuple(HistoryEntry(row[0], row[1], row[2], bool(row[3])) for row in rows)


def next_labels(store: Store) -> tuple[str | None, str | None]:
    """Labels of what undo and redo would turn, None where there is nothing."""
    return (
        store.value("SELECT label FROM history WHERE undone = 0 ORDER BY rank DESC LIMIT 1"),
        store.value("SELECT label FROM history WHERE undone = 1 ORDER BY rank LIMIT 1"),
    )


def _reversed(cell: Cell) -> Cell:
    op = {INSERT: DELETE, DELETE: INSERT}.get(cell.op, cell.op)
    return Cell(cell.table, cell.key, op, cell.column, cell.after, cell.before)


def _triggers(table: str, tracked: Tracked) -> Iterator[str]:
    """The statements that note every change of a table."""
    for op, image, values in (
        (INSERT, "new", "NULL, new.{0}"),
        (DELETE, "old", "old.{0}, NULL"),
    ):
        notes = ", ".join(
            f"('{table}', {image}.{tracked.key}, '{op}', '{column}', {values.format(column)})"
            for column in tracked.columns
        )
        yield (
            f"CREATE TEMP TRIGGER note_{table}_{op} AFTER {op} ON main.{table} BEGIN"
            f" INSERT INTO noted (tbl, key, op, col, before, after) VALUES {notes}; END"
        )
    for column in tracked.columns:
        yield (
            f"CREATE TEMP TRIGGER note_{table}_{column} AFTER UPDATE OF {column} ON main.{table}"
            f" WHEN old.{column} IS NOT new.{column} BEGIN"
            f" INSERT INTO noted (tbl, key, op, col, before, after) VALUES"
            f" ('{table}', new.{tracked.key}, '{UPDATE}', '{column}', old.{column}, new.{column});"
            " END"
        )
