"""`rhapsode update`: a new edition comes into a project."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from studio.cli import main
from studio.project.project import Project

FIRST = """# The Landing

Dr. Harrow counted the coins twice. “Is it true?” he whispered. Nobody in the village remembered.

The ferry came at nine.

# Low Water

She had waited eleven years for a lettre that never came.
"""
SECOND = """# Low Water

She had waited eleven years for a letter that never came.

# The Storm

Rain fell on the river all night.

# The Landing

Dr. Harrow counted the coins twice. “Is it true?” he whispered. Nobody in the village remembered.

The ferry came at nine.
"""


@pytest.fixture
def book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("one.md").write_text(FIRST)
    Path("two.md").write_text(SECOND)
    assert main(["new", "one.md", "--to", "book", "--language", "en"]) == 0
    capsys.readouterr()
    return tmp_path / "book"


def test_a_new_edition_says_what_it_changes(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Project.open(book) as project:
        before = project.segments()
        typed = next(s for s in before if "lettre" in s.source)
        project.edit_spoken(typed.uid, "She waited for a letter.")
    assert main(["update", "book", "two.md", "--dry-run"]) == 0
    told = capsys.readouterr().out
    assert "3 unchanged, 1 moved, 1 changed, 2 new, 0 gone" in told
    assert "Nothing was changed" in told
    with Project.open(book, read_only=True) as project:
        assert project.can_undo == f"edited segment {typed.number}"
    assert main(["update", "book", "two.md"]) == 0
    told = capsys.readouterr().out
    assert "lettre that never came.\n    → She had waited eleven years for a letter" in told
    assert "what you typed stays, look at it: 2" in told
    assert "Next: rhapsode narrate book" in told
    with Project.open(book) as project:
        assert [chapter.title for chapter in project.chapters()] == [
            "Low Water",
            "The Storm",
            "The Landing",
        ]
        assert {s.uid for s in before} <= {s.uid for s in project.segments()}
        settings = project._session.reader.settings()
        assert settings["source"]["name"] == "two.md"
        project.undo()
        assert [s.uid for s in project.segments()] == [s.uid for s in before]
        assert project._session.reader.settings()["source"]["name"] == "one.md"
    capsys.readouterr()


def test_a_program_is_told_all_of_it(book: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["update", "book", "two.md", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["taken"], told["unchanged"], told["moved"]) == (True, 3, 1)
    (changed,) = told["changed"]
    assert changed["before"].replace("lettre", "letter") == changed["after"]
    assert [(each["number"], each["source"]) for each in told["new"]] == [
        (3, "The Storm"),
        (4, "Rain fell on the river all night."),
    ]
    assert [each["before"] for each in told["chapters"]] == ["Low Water", None, "The Landing"]
    assert main(["update", "book", "two.md"]) == 0
    assert "says all of it already" in capsys.readouterr().out


def test_what_was_chosen_at_the_import_holds_for_the_next_edition(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("one.md").write_text(FIRST)
    Path("two.md").write_text(FIRST.replace("lettre", "letter"))
    assert main(["new", "one.md", "--to", "book", "--language", "en", "--skip", "1"]) == 0
    assert main(["update", "book", "two.md"]) == 0
    with Project.open(tmp_path / "book") as project:
        assert [chapter.title for chapter in project.chapters()] == ["Low Water"]
    assert main(["update", "book", "two.md", "--take", "1"]) == 0
    with Project.open(tmp_path / "book") as project:
        assert [c.title for c in project.chapters()] == ["The Landing", "Low Water"]
    capsys.readouterr()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["book", "none.md"], 5, "none.md"),
        (["nowhere", "two.md"], 5, "holds no project"),
        (["book", "two.md", "--take", "99"], 5, "has no piece 99"),
    ],
)
def test_what_cannot_be_changes_nothing(
    book: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    code: int,
    words: str,
) -> None:
    assert main(["update", *arguments]) == code
    assert words in capsys.readouterr().err
    with Project.open(book, read_only=True) as project:
        assert project.can_undo is None


def test_a_studio_that_has_the_book_open_is_not_disturbed(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Project.open(book):
        assert main(["update", "book", "two.md"]) == 6
        assert main(["update", "book", "two.md", "--dry-run"]) == 0
    capsys.readouterr()
