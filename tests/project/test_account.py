"""The account of a book's characters is exact on every book, and whatever a person does to it."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from bookmaking import HEART, drafts
from text_cases import books

from studio.book.coverage import count
from studio.book.policies import Notes, Policies
from studio.commands.coverage import coverage
from studio.errors import BadInput
from studio.project import renewing
from studio.project.account import compact, restored
from studio.project.importing import import_book
from studio.project.manuscripts import Choice, Source
from studio.project.model import Kind
from studio.project.project import Project

CASES = books()
FILES = [case["file"] for case in json.loads((CASES / "expect.json").read_text("utf-8"))]
BOOK = """# Low Water

Dr. Harrow counted the coins twice, then pushed them across the table; nobody spoke.

Nobody in the village remembered when the mill had closed. It rained on the landing, and then it
rained again. The ferry did not come.[^1]

* * *

# The Bell

The bell rang twice. “Is it *true*?” he whispered, and nobody answered him at all.

[^1]: It never came again.
"""


def is_exact(project: Project) -> None:
    """The sum holds, counted from the rows and not by the account."""
    account = project.account()
    assert account is not None
    said = sum(count(segment.source) for segment in project.segments())
    deleted = sum(count(each.source) for each in project.removed())
    added = sum(item.characters for item in account.reading.added)
    skipped = sum(item.characters for item in account.reading.skipped)
    assert account.total + added == said + deleted + skipped
    assert account.unaccounted == 0
    assert (account.in_segments, account.deleted) == (said, deleted)
    assert account.spans[-1].last == len(project.segments())


@pytest.mark.parametrize("file", FILES)
def test_every_book_is_accounted_for(file: str, tmp_path: Path) -> None:
    try:
        project, report = import_book(CASES / file, tmp_path / "book", voice=HEART)
    except BadInput:
        return
    with project:
        is_exact(project)
        account = project.account()
        assert account is not None
        assert account.reading == report.coverage
        project.delete([segment.uid for segment in project.segments()][1:2])
        is_exact(project)


@pytest.mark.parametrize("seed", range(8))
def test_whatever_a_person_does_the_sum_holds(seed: int, tmp_path: Path) -> None:
    source = tmp_path / "ferry.md"
    source.write_text(BOOK, encoding="utf-8")
    project, _ = import_book(source, tmp_path / "book", voice=HEART)
    chance = random.Random(seed)
    done = set()
    with project:
        for _ in range(60):
            segment = chance.choice(project.segments())
            name = chance.choice(["split", "join", "delete", "insert", "edit", "undo", "redo"])
            try:
                if name == "split":
                    project.split(segment.uid, chance.randint(1, max(1, len(segment.source) - 1)))
                elif name == "join":
                    project.join(segment.uid)
                elif name == "delete":
                    project.delete([segment.uid])
                elif name == "insert":
                    project.insert(segment.uid, "A line of my own.", Kind.PROSE)
                elif name == "edit":
                    project.edit_spoken(segment.uid, "He said another thing.")
                elif name == "undo":
                    project.undo()
                else:
                    project.redo()
            except BadInput:
                continue
            done.add(name)
            is_exact(project)
    assert len(done) >= 6


def test_the_command_tells_the_sum_and_the_places(tmp_path: Path) -> None:
    source = tmp_path / "ferry.md"
    source.write_text(BOOK, encoding="utf-8")
    project, _ = import_book(source, tmp_path / "book", voice=HEART)
    with project:
        gone = project.segments()[1]
        project.delete([gone.uid])
        project.insert(project.segments()[1].uid, "My own words.", Kind.PROSE)
    reply = coverage(tmp_path / "book", rules=True)
    data = reply.data
    assert data["total"] == data["spoken"] + data["skipped"] + data["deleted"]
    assert data["deleted"] == count(gone.source)
    assert data["removed"] == [gone.source]
    assert data["inserted"] == count("My own words.")
    assert data["unaccounted"] == 0
    assert reply.exit_code == 0
    text = "\n".join(reply.lines)
    assert "note, once" in text
    assert gone.source[:40] in text
    assert "“The Bell”" in text
    assert len(coverage(tmp_path / "book").lines) < len(reply.lines)


def test_a_sum_that_does_not_hold_is_told(tmp_path: Path) -> None:
    source = tmp_path / "ferry.md"
    source.write_text(BOOK, encoding="utf-8")
    project, report = import_book(source, tmp_path / "book", voice=HEART)
    with project:
        uid = project.segments()[1].uid
        project._session.store.execute("UPDATE segments SET source = 'x' WHERE uid = ?", (uid,))
    reply = coverage(tmp_path / "book")
    assert reply.exit_code == 4
    assert "not accounted for" in reply.lines[-1]
    assert restored(json.loads(json.dumps(compact(report.coverage)))) == report.coverage


def test_a_project_without_an_account_says_so(tmp_path: Path) -> None:
    Project.create(
        tmp_path / "book",
        title="Old",
        author="",
        language="en-US",
        voice=HEART,
        chapters=drafts(),
    ).close()
    with pytest.raises(BadInput, match="keeps no account"):
        coverage(tmp_path / "book")


def test_the_sum_holds_after_a_new_edition_and_after_it_is_taken_back(tmp_path: Path) -> None:
    source = tmp_path / "ferry.md"
    source.write_text(BOOK, encoding="utf-8")
    project, first = import_book(source, tmp_path / "book", voice=HEART)
    with project:
        project.delete([project.segments()[2].uid])
        coins = project.segments()[1]
        project.split(coins.uid, coins.source.index("then"))
        project.insert(project.segments()[1].uid, "My own words.", Kind.PROSE)
        source.write_text(
            BOOK.replace("the coins twice", "them all").replace("# The Bell", "A ship!\n\n# Bells"),
            encoding="utf-8",
        )
        choice = Choice(Policies(notes=Notes.CHAPTER_END))
        renewing.apply(project, renewing.compare(project, Source(source), choice))
        is_exact(project)
        account = project.account()
        assert account is not None
        assert account.reading != first.coverage
        assert account.deleted, "what was deleted stays deleted"
        assert project.choice() == choice
        project.undo()
        is_exact(project)
        account = project.account()
        assert account is not None
        assert account.reading == first.coverage
        assert project.choice() == first.choice
