"""What of a manuscript is narrated, chosen on the command line; manuscripts without a file."""

from __future__ import annotations

import hashlib
import io
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.commands.choosing import piped, source_of
from studio.commands.importing import new
from studio.errors import BadInput
from studio.project.manuscripts import Choice
from studio.project.project import Project

BOOK = """# One

It rained on the landing.[^1]

# Two

Nobody came for the bell.

# Three

The mill had stopped.

[^1]: It always did.
"""
CASES = Path(__file__).parents[1] / "book" / "cases" / "books"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "ferry.md"
    path.write_text(BOOK, encoding="utf-8")
    return path


def sources(folder: Path) -> list[str]:
    with Project.open(folder, read_only=True) as project:
        return [segment.source for segment in project.segments()]


def choice(folder: Path) -> Choice:
    with Project.open(folder, read_only=True) as project:
        return Choice.of(project._session.reader.setting("import"))


def test_pieces_are_left_out_by_the_numbers_that_are_listed(book: Path, tmp_path: Path) -> None:
    listed = done("pieces", book, cwd=tmp_path)["pieces"]
    assert [(it["number"], it["title"], it["ticked"]) for it in listed] == [
        (1, "One", True),
        (2, "Two", True),
        (3, "Three", True),
    ]
    made = done("new", book, "--to", "made", "--skip", 2, cwd=tmp_path)
    assert [chapter["title"] for chapter in made["chapters"]] == ["One", "Three"]
    assert not any("bell" in source for source in sources(tmp_path / "made"))
    assert made["choice"]["ticks"] == {listed[1]["id"]: False}
    assert choice(tmp_path / "made").ticks == {listed[1]["id"]: False}
    ranged = done("new", book, "--to", "ranged", "--skip", "1-2", cwd=tmp_path)
    assert [chapter["title"] for chapter in ranged["chapters"]] == ["Three"]


def test_a_piece_that_starts_unticked_says_why_and_is_taken(tmp_path: Path) -> None:
    path = CASES / "front-matter.epub"
    listed = done("pieces", path, cwd=tmp_path)["pieces"]
    (piece,) = [it for it in listed if "copyright page" in it["why"]]
    assert not piece["ticked"]
    assert piece["why"] in rhapsode("pieces", path, cwd=tmp_path).out
    plain = done("new", path, "--to", "plain", cwd=tmp_path)
    taken = done("new", path, "--to", "taken", "--take", piece["number"], cwd=tmp_path)
    assert taken["coverage"]["spoken"] > plain["coverage"]["spoken"]


def test_what_is_advised_can_be_typed_as_it_stands(book: Path, tmp_path: Path) -> None:
    named = book.rename(tmp_path / "a ferry's tale.md")
    advice = rhapsode("pieces", named.name, cwd=tmp_path).out.splitlines()[-1]
    words = shlex.split(advice.partition(": ")[2])
    assert words[:3] == ["rhapsode", "new", named.name]


def test_policies_are_obeyed_and_kept(book: Path, tmp_path: Path) -> None:
    made = done("new", book, "--to", "made", "--notes", "chapter-end", cwd=tmp_path)
    assert made["choice"]["policies"]["notes"] == "chapter end"
    assert any("It always did" in source for source in sources(tmp_path / "made"))
    kept = choice(tmp_path / "made")
    assert str(kept.policies.notes) == "chapter end"
    with Project.open(tmp_path / "made") as project:
        assert project.can_undo is None, "what was chosen at import is no edit"


@pytest.mark.parametrize(
    ("arguments", "said", "code"),
    [
        (("--skip", 9), "has no piece 9; it has 3", 5),
        (("--skip", 1, "--take", 1), "Piece 1 is both skipped and taken", 5),
        (("--skip", "1-3"), "every piece with text in it is unticked", 5),
        (("--skip", "0"), "is no number", 2),
        (("--skip", "5-3"), "is no number", 2),
        (("--notes", "sung"), "invalid choice", 2),
    ],
)
def test_a_wrong_choice_is_told_and_makes_nothing(
    book: Path, tmp_path: Path, arguments: tuple[object, ...], said: str, code: int
) -> None:
    ran = rhapsode("new", book, "--to", "made", *arguments, cwd=tmp_path)
    assert ran.code == code
    assert said in ran.err
    assert not (tmp_path / "made").exists()


def test_standard_input_is_a_manuscript_of_any_kind(tmp_path: Path) -> None:
    epub = next(iter(sorted(CASES.rglob("*.epub"))))
    for name, data in (("text", BOOK.encode()), ("epub", epub.read_bytes())):
        ran = subprocess.run(
            [sys.executable, "-m", "studio", "new", "-", "--to", name, "--json"],
            input=data,
            cwd=tmp_path,
            capture_output=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 0, ran.stderr
        assert json.loads(ran.stdout)["segments"]
        with Project.open(tmp_path / name, read_only=True) as project:
            assert project._session.reader.setting("source") == {
                "name": "standard input",
                "sha256": hashlib.sha256(data).hexdigest(),
            }


def test_nothing_comes_through_standard_input(tmp_path: Path) -> None:
    ran = rhapsode("new", "-", cwd=tmp_path)
    assert ran.code == 5
    assert "standard input is empty" in ran.err


def test_a_pipe_without_end_is_stopped() -> None:
    given = []

    def endless(size: int) -> bytes:
        given.append(size)
        return bytes(size)

    with pytest.raises(BadInput, match="larger than any book"):
        piped(endless, 3 * 2**20)
    assert sum(given) <= 5 * 2**20
    assert piped(io.BytesIO(b"abc").read) == b"abc"


def test_a_terminal_is_no_manuscript(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    with pytest.raises(BadInput, match="Nothing comes through"):
        source_of(Path("-"))


def test_an_import_tells_how_far_it_is(
    book: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[float] = []
    monkeypatch.setattr("studio.commands.progress.Bar.show", lambda self, it: shown.append(it))
    new(book, to=tmp_path / "made", voice=None, language=None, skip=[1])
    assert shown == sorted(shown)
    assert shown[-1] == 1.0
    assert len(set(shown)) > 4
