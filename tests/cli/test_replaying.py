"""`rhapsode narrate --replay`: kept speech tokens voiced again without a screen."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.project.project import Project

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"


def engine(home: Path, *switches: str) -> None:
    """Let the embedded engine be another."""
    (home / "config").mkdir(exist_ok=True)
    command = json.dumps([sys.executable, str(ENGINE), *switches])
    (home / "config" / "config.toml").write_text(f"[engines.hibari]\ncommand = {command}\n")


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """A book of three lines, narrated with speech tokens."""
    engine(home, "--tokens")
    (tmp_path / "ferry.md").write_text("# The Ferry\n\nOne line.\n\nAnother line.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    done("narrate", "ferry", cwd=tmp_path)
    return tmp_path / "ferry"


def test_other_steps_give_takes_beside_the_chosen_ones(folder: Path, home: Path) -> None:
    place = folder.parent
    with Project.open(folder) as project:
        chosen = [segment.chosen for segment in project.segments()]
    engine(home, "--tokens", "--steps", "4")
    data = done("narrate", folder, "--segments", "2-9", "--replay", cwd=place)
    assert [(it["number"], it["take"]) for it in data["made"]] == [(2, 2), (3, 2)]
    assert (data["same"], data["failed"], data["without_tokens"]) == ([], [], [])
    with Project.open(folder) as project:
        assert [segment.chosen for segment in project.segments()] == chosen
        takes = [project.takes(segment.uid) for segment in project.segments()]
        assert [len(each) for each in takes] == [1, 2, 2]
        assert takes[1][1].recipe["options"] == {"steps": 4}
        assert project.queue() == ()
        project.choose_take(takes[1][1].segment, takes[1][1].id)
        assert project.segments()[1].stale == ()
    verified = rhapsode("verify", folder, "--json", cwd=place)
    # All were made with other steps than now, but for the one that was chosen since.
    assert verified.code == 4
    assert [it["number"] for it in verified.data["differences"]] == [1, 3]
    assert "other options" in verified.data["differences"][0]["reason"]


def test_the_same_engine_adds_nothing(folder: Path) -> None:
    data = done("narrate", folder, "--replay", cwd=folder.parent)
    assert data["made"] == []
    assert len(data["same"]) == 3
    with Project.open(folder) as project:
        assert all(segment.takes == 1 for segment in project.segments())


def test_what_was_voiced_this_way_before_is_said_to_be_there(folder: Path, home: Path) -> None:
    place = folder.parent
    engine(home, "--tokens", "--steps", "4")
    first = done("narrate", folder, "--replay", cwd=place)
    assert (len(first["made"]), first["already"]) == (3, [])
    again = done("narrate", folder, "--replay", cwd=place)
    assert (again["made"], again["already"]) == ([], first["made"])
    said = rhapsode("narrate", folder, "--replay", cwd=place).out
    assert "Voiced 0 takes again" in said
    assert "Voiced this way before, as other takes of segments 1–3." in said
    assert "New takes" not in said
    with Project.open(folder) as project:
        assert [segment.takes for segment in project.segments()] == [2, 2, 2]


def test_takes_without_tokens_are_named(folder: Path, home: Path) -> None:
    place = folder.parent
    engine(home)
    done("narrate", folder, "--segments", "1", "--reseed", cwd=place)
    none = rhapsode("narrate", folder, "--segments", "1", "--replay", cwd=place)
    assert none.code == 5
    assert "keeps speech tokens, so none can be voiced again" in none.err
    refused = rhapsode("narrate", folder, "--replay", cwd=place)
    assert refused.code == 3
    assert "Without speech tokens, and left out: segment 1." in refused.out
    assert refused.out.count("does not voice kept speech tokens") == 2
    both = rhapsode("narrate", folder, "--replay", "--reseed", cwd=place)
    assert both.code == 5
    assert "leave --reseed and --voice out" in both.err
    with Project.open(folder) as project:
        assert not any(segment.failure for segment in project.segments())


def test_a_book_without_takes(tmp_path: Path) -> None:
    (tmp_path / "ferry.md").write_text("# The Ferry\n\nOne line.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    ran = rhapsode("narrate", "ferry", "--replay", cwd=tmp_path)
    assert ran.code == 5
    assert "has a take yet" in ran.err


def test_a_lost_clip_of_a_voiced_take_comes_back_from_its_tokens(folder: Path, home: Path) -> None:
    place = folder.parent
    engine(home, "--tokens", "--steps", "4")
    done("narrate", folder, "--segments", "2", "--replay", cwd=place)
    with Project.open(folder) as project:
        uid = project.segments()[1].uid
        voiced = project.takes(uid)[1]
        project.choose_take(uid, voiced.id)
        project.clip_path(voiced).unlink()
    assert rhapsode("doctor", folder, "--fix", cwd=place).code in (0, 6)
    done("narrate", folder, cwd=place)
    with Project.open(folder) as project:
        assert project.segments()[1].chosen == voiced.id
        assert len(project.takes(uid)) == 2
        project.read_clip(voiced)
        project.clip_path(voiced).unlink()
    engine(home, "--tokens", "--steps", "6")
    ran = rhapsode("narrate", folder, "--segments", "2", cwd=place)
    assert "did not come out the same; what did is its take 3" in ran.out
    with Project.open(folder, read_only=True) as project:
        assert project.segments()[1].chosen == voiced.id
