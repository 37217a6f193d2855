"""The mark of a book: set, told, undone, and refused before anything is queued."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.project.project import Project
from studio.wording import in_shell

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"


def engine(home: Path, *switches: str, options: str = "") -> None:
    """Let the book's engine be a scripted one."""
    (home / "config").mkdir(exist_ok=True)
    command = json.dumps([sys.executable, str(ENGINE), *switches])
    text = f"[engines.hibari]\ncommand = {command}\n[engines.hibari.options]\n{options}\n"
    (home / "config" / "config.toml").write_text(text, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """A book of three lines, and an engine that takes four of them together."""
    engine(home, "--together", "4", "--tokens", options="batch = 4")
    (tmp_path / "ferry.md").write_text("# The Ferry\n\nOne line.\n\nAnother line.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    return tmp_path / "ferry"


def test_the_mark_is_a_setting_and_a_step(folder: Path) -> None:
    told = rhapsode("settings", folder, cwd=folder.parent)
    assert "Pauses in ms: sentence 350, prose 700, " in told.out
    assert (told.code, told.err) == (0, "")
    assert told.out.startswith("“ferry” is not marked reproducible.\n")
    assert "reproducible" not in (folder / "project.toml").read_text()
    assert done("settings", folder, "--reproducible", "on", cwd=folder.parent)["reproducible"]
    assert "reproducible = true\n" in (folder / "project.toml").read_text()
    with Project.open(folder) as project:
        assert project.can_undo == "settings: reproducible"
        project.undo()
        assert not project.settings().reproducible
        project.redo()
        assert project.settings().reproducible
    ran = rhapsode("settings", folder, "--reproducible", "off", cwd=folder.parent)
    assert (ran.code, ran.out.splitlines()[0]) == (0, "“ferry” is not marked reproducible.")
    assert rhapsode("settings", folder, "--reproducible", "maybe", cwd=folder.parent).code == 2


def test_a_marked_book_is_refused_before_anything_is_queued(folder: Path) -> None:
    toml = folder / "project.toml"
    toml.write_text("reproducible = true\n" + toml.read_text())
    for more in ((), ("--reseed",), ("--replay",), ("--voice", "heart")):
        ran = rhapsode("narrate", folder, *more, cwd=folder.parent)
        assert ran.code == 5, (more, ran)
        assert "“ferry” is marked reproducible, and the engine hibari takes up to 4 lines" in (
            ran.err
        )
        assert "its option “batch” is 4" in ran.err
        assert "Take “batch” out of [engines.hibari.options]" in ran.err
    with Project.open(folder, read_only=True) as project:
        assert not project.queue()
        assert not [*project.all_takes()]


def test_a_marked_book_is_narrated_by_an_engine_that_takes_one_at_a_time(
    folder: Path, home: Path
) -> None:
    done("settings", folder, "--reproducible", "on", cwd=folder.parent)
    engine(home, "--tokens", options="batch = 1")
    assert done("narrate", folder, cwd=folder.parent)["made"] == 3
    assert done("verify", folder, cwd=folder.parent)["same"] == 3


def test_takes_that_a_marked_book_has_of_batches_are_told(folder: Path, home: Path) -> None:
    assert done("narrate", folder, cwd=folder.parent)["made"] == 3
    ran = rhapsode("settings", folder, "--reproducible", "on", cwd=folder.parent)
    assert "3 of its takes were made in batches before and do not (segments 1–3)" in ran.out
    engine(home, "--tokens", options="batch = 1")
    done("narrate", folder, "--segments", "1-2", "--reseed", cwd=folder.parent)
    assert done("settings", folder, cwd=folder.parent)["batched"] == [3]
    done("narrate", folder, "--segments", "3", "--reseed", cwd=folder.parent)
    ran = rhapsode("settings", folder, cwd=folder.parent)
    assert "batches" not in ran.out


def test_takes_of_a_batch_are_not_verified_and_their_tokens_make_lost_clips_again(
    folder: Path, home: Path
) -> None:
    assert done("narrate", folder, cwd=folder.parent)["made"] == 3
    ran = rhapsode("verify", folder, cwd=folder.parent)
    assert ran.code == 5
    assert "only takes that were made in batches, which do not follow from their recipes" in ran.err
    assert f"rhapsode narrate {in_shell(folder)} --replay voices" in ran.err
    clips = sorted((folder / "clips").rglob("*.flac"))
    before = {clip: clip.read_bytes() for clip in clips}
    clips[0].unlink()
    assert done("narrate", folder, cwd=folder.parent)["made"] == 1
    assert {clip: clip.read_bytes() for clip in (folder / "clips").rglob("*.flac")} == before
    with Project.open(folder, read_only=True) as project:
        assert len([*project.all_takes()]) == 3
    # One that is voiced from tokens does follow, whatever its engine does with others.
    engine(home, "--together", "4", "--tokens", "--steps", "12", options="batch = 4")
    made = done("narrate", folder, "--segments", "1-1", "--replay", cwd=folder.parent)["made"]
    with Project.open(folder) as project:
        segment = project.segments()[0]
        take = next(it for it in project.takes(segment.uid) if it.number == made[0]["take"])
        assert take.recipe["options"] == {"steps": 12}
        project.choose_take(segment.uid, take.id)
    found = done("verify", folder, cwd=folder.parent)
    assert (found["verified"], found["same"], len(found["untried"])) == (1, 1, 2)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("soak", "ferry", "--clips", "3"), "A soak compares bytes, and the engine hibari takes"),
        (
            ("bench", "identity", "hibari", "--record", "it.set", "--no-words"),
            "Bench identity compares bytes, and the engine hibari takes up to 4 lines together",
        ),
    ],
)
def test_what_compares_bytes_says_that_there_is_nothing_to_compare(
    folder: Path, home: Path, command: tuple[str, ...], words: str
) -> None:
    ran = rhapsode(*command, cwd=folder.parent)
    assert ran.code == 5, ran
    assert words in ran.err
    assert not (folder.parent / "it.set").exists()
    if command[0] == "bench":  # by its card, where the configuration says nothing
        engine(home, "--together", "4", "--tokens")
        ran = rhapsode(*command, cwd=folder.parent)
        assert (ran.code, words in ran.err) == (5, True), ran
