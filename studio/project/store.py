"""The database of a project: connection, transactions, and errors in plain words.

The only module that opens ``book.db``. What stands in it is read by `studio.project.rows` and
written by the commands.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from studio.errors import BadInput, MachineFault
from studio.project import migrations
from studio.wording import in_shell

DATABASE_NAME = "book.db"
BUSY_SECONDS = 5.0
"""How long a statement waits for another program that holds the database."""


class Store:
    """An open database. Used by one thread at a time; `lock` sees to it."""

    def __init__(self, folder: Path, *, read_only: bool = False, empty: bool = False) -> None:
        """Open the database of a project, and bring it to the newest version if it may be written.

        Args:
            folder: The project.
            read_only: Whether to look only.
            empty: Whether nothing stands in it yet.

        Raises:
            BadInput: There is none, it is no database, or it is newer than this program.
            MachineFault: Another program holds it, or the disk is in the way.
        """
        self.path = folder / DATABASE_NAME
        self.read_only = read_only
        self.lock = threading.RLock()
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        if not self.path.is_file():
            raise BadInput(f"{folder} holds no project; make one with: rhapsode new BOOK")
        with self._plain_words():
            self.connection = self._read_only_connection() if read_only else self._connect("rw")
            try:
                self._prepare(empty)
            except BaseException:
                self.close()
                raise

    @classmethod
    def create(cls, folder: Path) -> Store:
        """Make an empty database in a folder that has none."""
        (folder / DATABASE_NAME).touch()
        return cls(folder, empty=True)

    def close(self) -> None:
        """Close the database; harmless to repeat."""
        self.connection.close()
        if self._copy is not None:
            self._copy.cleanup()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of the block is kept, or nothing of it.

        Raises:
            MachineFault: The project is open for reading only, or the disk is in the way.
        """
        if self.read_only:
            raise MachineFault(f"{self.path.parent} is open for reading only.")
        with self.lock, self._plain_words():
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield
                self.connection.execute("COMMIT")
            except BaseException:
                # A full disk has ended the transaction already.
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    def execute(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> sqlite3.Cursor:
        """One statement."""
        with self._plain_words():
            return self.connection.execute(sql, values)

    def rows(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> list[Any]:
        """Every row of a query."""
        with self.lock, self._plain_words():
            return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """The first row of a query, or None."""
        with self.lock, self._plain_words():
            return self.connection.execute(sql, values).fetchone()

    def value(self, sql: str, values: Sequence[Any] | dict[str, Any] = ()) -> Any:
        """The first column of the first row, or None."""
        row = self.row(sql, values)
        return None if row is None else row[0]

    def _connect(self, mode: str, path: Path | None = None) -> sqlite3.Connection:
        uri = f"{(path or self.path).resolve().as_uri()}?mode={mode}"
        return sqlite3.connect(
            uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )

    def _read_only_connection(self) -> sqlite3.Connection:
        """Read beside a writer where there may be one, and on a medium that cannot be written.

        A database in WAL mode wants two files beside it even for reading. Where they cannot be
        made nobody writes either: then the file alone is the truth, or file and log copied away.
        """
        log = self.path.with_name(f"{DATABASE_NAME}-wal")
        connection = self._connect("rw")
        try:
            connection.execute("PRAGMA query_only = ON")
            migrations.schema_version(connection)
            return connection
        except sqlite3.OperationalError as error:
            connection.close()
            if error.sqlite_errorcode & 0xFF not in (
                sqlite3.SQLITE_CANTOPEN,
                sqlite3.SQLITE_READONLY,
            ):
                raise
        if not log.exists() or log.stat().st_size == 0:
            return self._connect("ro&immutable=1")
        self._copy = tempfile.TemporaryDirectory(prefix="rhapsode-")
        for path in (self.path, log):
            shutil.copy(path, self._copy.name)
        return self._connect("rw", Path(self._copy.name) / DATABASE_NAME)

    def _prepare(self, empty: bool) -> None:
        version = migrations.schema_version(self.connection)
        if version == 0 and not empty:
            raise MachineFault(f"{self.path} is not a database of a project; restore a backup.")
        self.connection.execute("PRAGMA trusted_schema = OFF")
        self.connection.execute("PRAGMA foreign_keys = ON")
        if version > len(migrations.MIGRATIONS):
            raise migrations.NewerSchema
        if self.read_only:
            if version < len(migrations.MIGRATIONS):
                raise BadInput(
                    f"{self.path.parent} was made by an older version of Rhapsode; "
                    f"open it once with: rhapsode open {in_shell(self.path.parent)}"
                )
            return
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = FULL")
        migrations.migrate(self.connection)

    @contextmanager
    def _plain_words(self) -> Iterator[None]:
        """Turn what SQLite says into what a person can act on."""
        try:
            yield
        except migrations.NewerSchema as error:
            raise BadInput(
                f"{self.path.parent} was made by a newer version of Rhapsode; "
                "update Rhapsode to open it."
            ) from error
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF
            folder = self.path.parent
            sentence = {
                sqlite3.SQLITE_BUSY: f"{self.path} is in use by another program; close that first.",
                sqlite3.SQLITE_FULL: f"The disk of {folder} is full; make room and try again.",
                sqlite3.SQLITE_IOERR: f"The disk of {folder} does not answer as it should "
                f"({error}); check that it is connected and has room.",
                sqlite3.SQLITE_READONLY: f"{self.path} cannot be written to; "
                "change its permissions, or copy the project to another place.",
                sqlite3.SQLITE_CANTOPEN: f"{self.path} cannot be opened; check its permissions.",
                sqlite3.SQLITE_CORRUPT: f"{self.path} is damaged; restore it from a backup.",
                sqlite3.SQLITE_NOTADB: f"{self.path} is not a database; restore it from a backup.",
            }.get(code)
            if sentence is None:
                raise
            raise MachineFault(sentence) from error
