"""``rhapsode lexicon``: list, import, export, uncommon words, the person's own."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.commands.lexicon import LARGEST, read_rules
from studio.errors import BadInput
from studio.project.importing import import_book
from studio.project.model import Voice
from studio.project.project import Project

BOOK = (
    "Chapter 1\n\nHarrow went out with Caoimhe. Nobody moved.\n\n"
    "Caoimhe saw Harrow’s lamp on the 22nd.\n"
)


def new_book(folder: Path) -> Path:
    """A project of the book."""
    manuscript = folder.with_suffix(".txt")
    manuscript.write_text(BOOK, encoding="utf-8")
    voice = Voice(id="heart", engine="hibari", speaker="heart", language="en-US")
    import_book(manuscript, folder, voice=voice)[0].close()
    return folder


@pytest.fixture
def book(tmp_path: Path) -> Path:
    return new_book(tmp_path / "p")


def test_rules_are_read_as_one_step_and_listed(book: Path, tmp_path: Path) -> None:
    rules = tmp_path / "rules.csv"
    rules.write_text("word,spoken,match_case\nHarrow,Harro,yes\nlamp,lomp,no\n", encoding="utf-8")
    ran = rhapsode("lexicon", book, "--import", rules, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "2 rules read from" in ran.out
    assert "2 segments spoken otherwise, 0 of them stale now." in ran.out
    again = done("lexicon", book, "--import", rules, cwd=tmp_path)
    assert (again["read"], again["changed"], again["segments"]) == (2, 0, 0)
    listed = done("lexicon", book, cwd=tmp_path)["rules"]
    assert [(rule["word"], rule["spoken"], rule["segments"]) for rule in listed] == [
        ("Harrow", "Harro", 2),
        ("lamp", "lomp", 1),
    ]
    shown = rhapsode("lexicon", book, cwd=tmp_path).out
    assert shown == (
        "Harrow  Harro  (exact case)  2 segments\nlamp    lomp                 1 segment\n"
    )
    with Project.open(book) as project:
        assert [entry.label for entry in project.history()] == ["lexicon read from rules.csv"]
        project.undo()
        assert project.lexicon() == ()


@pytest.mark.parametrize("ending", ["csv", "pls"])
def test_what_is_written_is_read_by_another_book(book: Path, tmp_path: Path, ending: str) -> None:
    with Project.open(book) as project:
        project.set_settings(lexicon={"Harrow": "Harro", "lamp": "lomp"})
    file = tmp_path / f"out.{ending}"
    assert done("lexicon", book, "--export", file, cwd=tmp_path)["written"] == 2
    new_book(tmp_path / "other")
    done("lexicon", tmp_path / "other", "--import", file, cwd=tmp_path)
    with Project.open(tmp_path / "other") as other, Project.open(book) as project:
        assert other.lexicon() == project.lexicon()


def test_uncommon_words_with_count_and_first_place(book: Path, tmp_path: Path) -> None:
    words = done("lexicon", book, "--words", cwd=tmp_path)["words"]
    found = {row["word"]: row for row in words}
    assert found["Caoimhe"]["count"] == 2
    number = found["Caoimhe"]["first"]
    segments = done("segments", book, cwd=tmp_path)["segments"]
    assert "Caoimhe" in segments[number - 1]["source"]


def test_the_persons_own_lexicon_reaches_the_next_book(book: Path, tmp_path: Path) -> None:
    rules = tmp_path / "mine.csv"
    rules.write_text("word,spoken\nHarrow,Harro\n", encoding="utf-8")
    done("lexicon", book, "--user", "--import", rules, cwd=tmp_path)
    new_book(tmp_path / "next")
    segments = done("segments", tmp_path / "next", cwd=tmp_path)["segments"]
    assert not any("Harrow" in row["spoken"] for row in segments)
    mine = done("lexicon", tmp_path / "next", "--user", cwd=tmp_path)["rules"]
    assert [rule["word"] for rule in mine] == ["Harrow"]


def test_the_persons_own_lexicon_needs_no_book(book: Path, tmp_path: Path, home: Path) -> None:
    rules = tmp_path / "mine.csv"
    rules.write_text("word,spoken\nHarrow,Harro\nlamp,lomp\n", encoding="utf-8")
    read = done("lexicon", "--user", "--import", rules, cwd=tmp_path)
    assert (read["read"], read["changed"]) == (2, 2)
    rules.write_text("word,spoken\nlamp,lump\n", encoding="utf-8")
    assert done("lexicon", "--user", "--import", rules, cwd=tmp_path)["changed"] == 1
    mine = done("lexicon", "--user", cwd=tmp_path)["rules"]
    assert [(it["word"], it["spoken"]) for it in mine] == [("Harrow", "Harro"), ("lamp", "lump")]
    for ending in ("csv", "pls"):
        out = tmp_path / f"out.{ending}"
        assert done("lexicon", "--user", "--export", out, cwd=tmp_path)["written"] == 2
        assert done("lexicon", "--user", "--import", out, cwd=tmp_path)["changed"] == 0
    with Project.open(book) as project:
        assert [it.spoken for it in project.user_lexicon()] == ["Harro", "lump"]
    for words, sentence in (((), "or --user"), (("--user", "--words"), "words are to be listed")):
        ran = rhapsode("lexicon", *words, cwd=tmp_path)
        assert (ran.code, sentence in ran.err) == (5, True)
    (home / "config" / "lexicon.csv").write_text("word\n", encoding="utf-8")
    ran = rhapsode("lexicon", "--user", cwd=tmp_path)
    assert (ran.code, "lexicon.csv" in ran.err) == (5, True)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("bad.csv", "word,spoken\na,\n", "bad.csv, line 2"),
        ("bad.pls", "<x/>", "is no pronunciation lexicon"),
        ("bad.doc", "", "neither in .csv nor in .pls"),
        ("", "", "is no file"),
    ],
)
def test_a_file_that_cannot_be_used(
    book: Path, tmp_path: Path, name: str, content: str, sentence: str
) -> None:
    file = tmp_path / (name or "gone.csv")
    if name:
        file.write_text(content, encoding="utf-8")
    ran = rhapsode("lexicon", book, "--import", file, "--json", cwd=tmp_path)
    assert ran.code == 5
    assert sentence in json.loads(ran.out)["error"]
    with Project.open(book) as project:
        assert not project.history()


def test_what_has_no_end_is_not_read(tmp_path: Path) -> None:
    """A pipe that nobody writes into, and more than any lexicon has."""
    pipe, large = tmp_path / "pipe.csv", tmp_path / "large.csv"
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(LARGEST + 1)
    for path, sentence in ((pipe, "is no file"), (large, "more than 64 MB")):
        with pytest.raises(BadInput, match=sentence):
            read_rules(path)
