"""`rhapsode voices`: who reads what, and giving segments a voice without a screen."""

from __future__ import annotations

from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.project.model import Voice
from studio.project.project import Project

BOOK = """\
# The Landing

The last ferry had left, and nobody stood on the landing any more.

“You have missed her,” said the miller.

* * *

“I wrote the board,” said Ann.

# Low Water

“There is a door,” said Tam. It stood in the wall.
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ferry.md").write_text(BOOK)
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    with Project.open(tmp_path / "ferry") as project:
        project.put_voice(Voice("miller", "hibari", "heart", settings={"pitch": -3}))
    return tmp_path / "ferry"


def reads(folder: Path, *options: str) -> dict[str, int]:
    data = done("voices", folder, *options, cwd=folder.parent)
    return {voice["id"]: voice["segments"] for voice in data["voices"]}


def test_the_list_counts_what_each_reads(folder: Path) -> None:
    assert reads(folder) == {"heart": 6, "miller": 0}
    assert reads(folder, "--kind", "dialogue") == {"heart": 3, "miller": 0}
    assert reads(folder, "--chapter", "2") == {"heart": 2, "miller": 0}
    ran = rhapsode("voices", folder, cwd=folder.parent)
    assert ran.code == 0
    assert "pitch -3" in ran.out
    assert "the narrator" in ran.out


def test_a_kind_and_a_chapter_get_a_voice_as_one_step(folder: Path) -> None:
    options = ("--kind", "dialogue", "--chapter", "1")
    data = done("voices", folder, "--assign", "miller", *options, cwd=folder.parent)
    assert (data["segments"], data["changed"], data["stale"]) == (2, 2, 0)
    assert reads(folder) == {"heart": 4, "miller": 2}
    again = done("voices", folder, "--assign", "miller", *options, cwd=folder.parent)
    assert again["changed"] == 0
    with Project.open(folder) as project:
        assert project.history()[0].label == "voice of 2 segments: miller"
        assert project.undo()
    assert reads(folder) == {"heart": 6, "miller": 0}


def test_what_cannot_be_is_one_sentence(folder: Path) -> None:
    for options, sentence in (
        (("--assign", "miller"), "Say what “miller” is to read"),
        (("--assign", "ghost", "--chapter", "1"), "There is no voice “ghost”"),
        (("--assign", "miller", "--segments", "90-99"), "No segment"),
        (("--chapter", "7"), "no chapter 7"),
        (
            ("--assign", "miller", "--kind", "dialogue", "--segments", "1-1"),
            "Nothing that is read is among",
        ),
    ):
        ran = rhapsode("voices", folder, *options, cwd=folder.parent)
        assert ran.code == 5, options
        assert sentence in ran.err
        assert ran.err.count("\n") == 1


def test_a_voice_is_renamed_and_what_it_reads_stays(folder: Path) -> None:
    options = ("--kind", "dialogue", "--chapter", "1")
    done("voices", folder, "--assign", "miller", *options, cwd=folder.parent)
    ran = rhapsode("voices", "rename", folder, "miller", "tam", cwd=folder.parent)
    assert ran.code == 0
    assert "is called “tam” now and reads what it read: 2 segments" in ran.out
    assert reads(folder) == {"heart": 4, "tam": 2}
    assert not done("voices", "rename", folder, "tam", "tam", cwd=folder.parent)["changed"]
    for new, told in (("heart", "There is a voice “heart”"), ("a b", "An id is up to")):
        refused = rhapsode("voices", "rename", folder, "tam", new, cwd=folder.parent)
        assert (refused.code, told in refused.err) == (5, True)
    with Project.open(folder) as project:
        assert project.history()[0].label == "renamed the voice miller to tam"
        assert project.undo()
    assert reads(folder) == {"heart": 4, "miller": 2}


def test_a_voice_is_taken_out_of_the_book_or_of_the_library(folder: Path) -> None:
    place = folder.parent
    done("voices", "keep", folder, "miller", cwd=place)
    assert done("voices", "remove", folder, "miller", cwd=place)["removed"]
    assert reads(folder) == {"heart": 6}
    refused = rhapsode("voices", "remove", folder, "heart", cwd=place)
    assert (refused.code, "give them another voice first" in refused.err) == (5, True)
    done("voices", "add", folder, "tam", "--engine", "hibari", "--speaker", "heart", cwd=place)
    one = rhapsode("voices", folder, "--assign", "tam", "--segments", "2", cwd=place)
    assert one.out == "“tam” reads 1 segment now; it had another voice.\n"
    refused = rhapsode("voices", "remove", folder, "tam", cwd=place)
    assert (refused.code, "reads 1 segment; give it another voice" in refused.err) == (5, True)
    again = rhapsode("voices", folder, "--assign", "tam", "--segments", "2", cwd=place)
    assert again.out == "“tam” reads 1 segment already; nothing was changed.\n"
    refused = rhapsode("voices", "remove", folder, "miller", "--library", cwd=place)
    assert (refused.code, "one of the two" in refused.err) == (5, True)
    assert done("voices", "remove", "--library", "miller", cwd=place)["removed"]
    listed = done("voices", "library", cwd=place)
    assert (listed["voices"], listed["removed"]) == ([], ["miller"])
    done("voices", "restore", "miller", "--as", "tam", cwd=place)
    assert [it["id"] for it in done("voices", "library", cwd=place)["voices"]] == ["tam"]
