"""Old databases are brought up to date, newer ones are left alone."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from bookmaking import make

from studio.errors import BadInput
from studio.project import migrations
from studio.project.migrations import MIGRATIONS, Migration, schema_version
from studio.project.model import State
from studio.project.project import Project
from studio.project.recipe import recipe_id
from studio.project.tokens import TOKENS_BLOB, tokens_hash, tokens_of

DATA = Path(__file__).parent / "data"


def recorded(folder: Path, version: int) -> Path:
    """A project as a program of that version has left it."""
    folder.mkdir()
    connection = sqlite3.connect(folder / "book.db")
    connection.executescript((DATA / f"book-v{version}.sql").read_text())
    connection.close()
    return folder


def add_column(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE chapters ADD COLUMN subtitle TEXT NOT NULL DEFAULT ''")


def break_half_way(connection: sqlite3.Connection) -> None:
    add_column(connection)
    connection.execute("INSERT INTO nowhere VALUES (1)")


@pytest.mark.parametrize("version", range(1, len(MIGRATIONS) + 1))
def test_a_recorded_database_opens_today(tmp_path: Path, version: int) -> None:
    with Project.open(recorded(tmp_path / "book", version)) as project:
        segments = project.segments()
        assert [s.state() for s in segments] == [
            State.APPROVED,
            State.STALE,
            State.QUEUED,
            State.READY,
        ]
        assert segments[1].spoken == "Edited by hand."
        assert project.settings().pauses.prose == 900
        assert project.takes(segments[0].uid)[0].recipe["engine"] == "hibari"
        while project.undo() is not None:
            pass
        assert not any(s.chosen or s.edited for s in project.segments())
        assert schema_version(project._session.store.connection) == len(MIGRATIONS)


def test_a_recorded_review_desk_goes_on(tmp_path: Path) -> None:
    with Project.open(recorded(tmp_path / "book", 2)) as project:
        heading, _, line, _ = project.segments()
        assert [take.recorded for take in project.takes(heading.uid)] == [False, True]
        assert [(item.segment, item.candidate) for item in project.queue()] == [
            (line.uid, False),
            (line.uid, True),
            (line.uid, True),
        ]
        assert {rule.word: rule.regex for rule in project.lexicon()} == {
            "Harrow": False,
            r"Line (\w+)": True,
        }
        assert line.spoken == "Lyne one of chapter zero, by Doctor Harro."
        project.redo()
        assert project.segments()[3].spoken == "Never said."
        for _ in range(3):
            project.undo()
        assert project.segments()[2].spoken == "Lyne 1 of chapter 0, by Doctor Harro."


def test_a_recorded_book_with_speech_tokens_goes_on(tmp_path: Path) -> None:
    with Project.open(recorded(tmp_path / "book", 3)) as project:
        line = project.segments()[2]
        (take,) = project.takes(line.uid)
        content = project.blob(take.id, TOKENS_BLOB)
        assert tokens_of(content or b"") == (1, 2, 6560)
        assert take.recipe["tokens"] == tokens_hash(content or b"")
        assert (take.replayed, take.recipe["options"]) == (True, {"steps": 10})
        assert take.recipe_id == recipe_id(take.recipe)
        assert project.takes_with(TOKENS_BLOB) == {take.id}
        waiting = [(item.remake, item.replay) for item in project.queue()]
        assert waiting == [(None, False)] * 3 + [(take.id, True)]


def test_an_older_database_is_brought_up_to_date(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = recorded(tmp_path / "book", 1)
    later = [*MIGRATIONS, Migration("subtitles", add_column)]
    monkeypatch.setattr(migrations, "MIGRATIONS", later)
    with pytest.raises(BadInput, match="older version"):
        Project.open(folder, read_only=True)
    with Project.open(folder) as project:
        store = project._session.store
        assert store.value("SELECT subtitle FROM chapters") == ""
        recorded_names = store.rows("SELECT name FROM migrations ORDER BY version")
        assert [row[0] for row in recorded_names][-1] == "subtitles"
    with Project.open(folder, read_only=True) as project:
        assert len(project.segments()) == 4


def test_a_step_that_fails_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = recorded(tmp_path / "book", 1)
    later = [*MIGRATIONS, Migration("broken", break_half_way)]
    monkeypatch.setattr(migrations, "MIGRATIONS", later)
    with pytest.raises(sqlite3.OperationalError):
        Project.open(folder)
    monkeypatch.undo()
    with Project.open(folder) as project:
        columns = project._session.store.rows("PRAGMA table_info(chapters)")
        assert "subtitle" not in [row[1] for row in columns]


def test_a_newer_database_is_refused_untouched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "book"
    with monkeypatch.context() as newer:
        newer.setattr(migrations, "MIGRATIONS", [*MIGRATIONS, Migration("later", add_column)])
        make(folder).close()
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    for read_only in (False, True):
        with pytest.raises(BadInput, match="newer version of Rhapsode; update"):
            Project.open(folder, read_only=read_only)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
