"""Bad input gets one plain sentence and the right exit code."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.commands.importing import slug
from studio.commands.reply import table
from studio.project.model import Voice
from studio.project.project import Project
from studio.wording import duration

BOOK = "Chapter 1\n\nThe lamp went out. Nobody moved.\n\nChapter 2\n\nHe said 你好 to us.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A tiny project whose second chapter the embedded voice cannot speak."""
    (tmp_path / "book.txt").write_text(BOOK, encoding="utf-8")
    done("new", tmp_path / "book.txt", "--to", tmp_path / "p", cwd=tmp_path)
    return tmp_path / "p"


def sentence(*arguments: str | Path, cwd: Path, code: int) -> str:
    """The one sentence that a failing command says, in both forms."""
    ran = rhapsode(*arguments, cwd=cwd)
    assert ran.code == code, ran.err + ran.out
    said = ran.err.strip()
    assert said.startswith("rhapsode: ")
    assert "\n" not in said, said
    assert "Traceback" not in said
    as_json = rhapsode(*arguments, "--json", cwd=cwd)
    assert as_json.code == code
    assert as_json.data["error"] in as_json.err
    return said


def test_what_cannot_be_spoken_is_failed_with_its_words(project: Path) -> None:
    ran = rhapsode("narrate", project, "--json", cwd=project.parent)
    assert ran.code == 3
    (failed,) = ran.data["failed"]
    assert "你好" in failed["reason"]
    segments = done("segments", project, cwd=project.parent)["segments"]
    states = {row["number"]: row["state"] for row in segments}
    assert states[failed["number"]] == "failed"
    assert sum(state == "ready" for state in states.values()) >= len(states) - 1
    only = rhapsode("segments", project, "--state", "failed", cwd=project.parent)
    assert "你好" in only.out, "why it failed stands beside it"
    assert len(only.out.splitlines()) == 2
    some = done("segments", project, "--state", "failed", cwd=project.parent)["segments"]
    assert [row["number"] for row in some] == [failed["number"]]


def test_a_missing_project(tmp_path: Path) -> None:
    for command in ("status", "segments", "narrate", "export", "verify", "clean"):
        said = sentence(command, tmp_path / "nowhere", cwd=tmp_path, code=5)
        assert "nowhere" in said


def test_a_missing_manuscript(tmp_path: Path) -> None:
    assert "gone.epub" in sentence("new", tmp_path / "gone.epub", cwd=tmp_path, code=5)
    assert list(tmp_path.iterdir()) == []


def test_a_voice_of_another_language_is_told(tmp_path: Path) -> None:
    (tmp_path / "buch.txt").write_text("Es war Nacht. Niemand kam.\n", encoding="utf-8")
    data = done(
        "new", tmp_path / "buch.txt", "--language", "de", "--to", tmp_path / "p", cwd=tmp_path
    )
    assert ["foreign" in notice for notice in data["notices"]] == [True]
    assert done("status", tmp_path / "p", cwd=tmp_path)["language"] == "de"


def test_an_existing_folder_is_refused(project: Path) -> None:
    before = sorted(path.name for path in project.iterdir())
    said = sentence("new", project.parent / "book.txt", "--to", project, cwd=project.parent, code=5)
    assert str(project) in said
    assert sorted(path.name for path in project.iterdir()) == before


def test_a_chapter_and_a_voice_that_do_not_exist(project: Path) -> None:
    base = project.parent
    assert "chapter 9" in sentence("narrate", project, "--chapter", "9", cwd=base, code=5)
    assert "chapter 9" in sentence("export", project, "--chapter", "9", cwd=base, code=5)
    assert "“bella”" in sentence("narrate", project, "--voice", "bella", cwd=base, code=5)
    assert "9-2" in sentence("narrate", project, "--segments", "9-2", cwd=base, code=5)


def test_json_may_stand_before_the_command(project: Path) -> None:
    ran = rhapsode("--json", "status", project, cwd=project.parent)
    assert ran.code == 0
    assert ran.data["chapters"]


def test_a_misspelt_table_is_named(project: Path, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text("[engine.hibari]\nworkers = 1\n")
    assert "[engine]" in sentence("narrate", project, cwd=project.parent, code=5)
    ran = rhapsode("doctor", "--json", cwd=project.parent)
    assert ran.code == 6
    assert "[engine]" in ran.out


def test_usage_errors_exit_with_two(tmp_path: Path) -> None:
    for arguments in (["frobnicate"], ["narrate"], ["narrate", ".", "--workers", "0"]):
        assert rhapsode(*arguments, cwd=tmp_path).code == 2


def test_an_argument_too_many_shows_the_usage_of_its_own_command(tmp_path: Path) -> None:
    for words in (("status", "p"), ("voices", "restore", "miller"), ("engines", "check", "hibari")):
        ran = rhapsode(*words, "--frob", cwd=tmp_path)
        assert ran.code == 2
        assert ran.err.startswith(f"usage: rhapsode {' '.join(words[:-1])} ")
        assert "unrecognized arguments: --frob" in ran.err


def test_what_was_queued_before_is_said_before_it_goes_along(project: Path) -> None:
    done("narrate", project, "--chapter", "1", cwd=project.parent)
    ran = rhapsode("narrate", project, "--chapter", "1", cwd=project.parent)
    assert (ran.code, ran.out.startswith("Nothing was missing")) == (0, True)
    with Project.open(project) as book:
        book.enqueue([book.segments()[0].uid], new_seeds=True)
    ran = rhapsode("narrate", project, "--chapter", "2", cwd=project.parent)
    assert "note: 1 segment was queued before, and it goes along: 1\n" in ran.err
    assert "1 of them was queued before and went along." in ran.out


def test_an_export_does_not_say_that_a_text_was_changed_where_the_voice_was(project: Path) -> None:
    done("narrate", project, "--chapter", "1", cwd=project.parent)
    with Project.open(project) as book:
        book.put_voice(Voice("low", "hibari", "heart", settings={"pitch": -3}))
        book.set_voice([book.segments()[0].uid], "low")
    ran = rhapsode("export", project, "--chapter", "1", cwd=project.parent)
    assert "  stale, made before text, voice or speed was changed: 1\n" in ran.out


def test_the_studio_needs_a_terminal(project: Path) -> None:
    assert "terminal" in sentence("open", project, cwd=project.parent, code=5)
    assert "terminal" in sentence(cwd=project.parent, code=5)


def test_a_broken_configuration_is_named(project: Path, home: Path) -> None:
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text("[engines.hibari]\nworker = 2\n", encoding="utf-8")
    said = sentence("narrate", project, cwd=project.parent, code=5)
    assert "worker" in said
    assert "config.toml" in said


def test_an_engine_that_is_not_there(project: Path, home: Path) -> None:
    config = home / "config"
    config.mkdir(parents=True, exist_ok=True)
    (config / "config.toml").write_text(
        '[engines.hibari]\npython = "/nowhere/python"\n', encoding="utf-8"
    )
    ran = rhapsode("narrate", project, "--chapter", "1", cwd=project.parent)
    assert ran.code == 6, ran.err
    assert "/nowhere/python" in ran.err
    # Nothing is lost: the lines stay queued, and the next run makes them.
    (config / "config.toml").unlink()
    assert done("narrate", project, "--chapter", "1", cwd=project.parent)["made"] >= 2


def test_doctor_is_well_and_names_its_places(project: Path, home: Path) -> None:
    ran = rhapsode("doctor", project, "--json", cwd=project.parent)
    assert ran.code == 0, ran.out
    details = json.dumps(ran.data["findings"])
    assert str(home) in details


def test_doctor_finds_a_missing_clip(project: Path) -> None:
    done("narrate", project, "--chapter", "1", cwd=project.parent)
    clip = next((project / "clips").rglob("*.flac"))
    clip.unlink()
    ran = rhapsode("doctor", project, "--json", cwd=project.parent)
    assert ran.code == 6
    assert ran.data["problems"] >= 1


def test_engines_lists_and_checks(tmp_path: Path) -> None:
    names = [item["name"] for item in done("engines", cwd=tmp_path)["engines"]]
    assert "hibari" in names
    data = done("engines", "check", "hibari", cwd=tmp_path)
    assert data["objections"] == []
    assert data["audio_seconds"] > 1
    assert data["card"]["sample_rate"] == 24000
    assert "numbers" in data["card"]["normalises"]
    sentence("engines", "check", "nobody", cwd=tmp_path, code=6)


def test_clean_says_first_and_deletes_then(project: Path) -> None:
    base = project.parent
    done("narrate", project, "--chapter", "1", cwd=base)
    done("narrate", project, "--chapter", "1", "--reseed", cwd=base)
    done("narrate", project, "--segments", "1-2", "--reseed", cwd=base)
    clips = len(list((project / "clips").rglob("*.flac")))
    dry = done("clean", project, cwd=base)
    assert dry["deleted"] is False
    order = [(take["number"], take["take"]) for take in dry["takes"]]
    assert order[:4] == [(1, 1), (1, 2), (2, 1), (2, 2)]
    assert order == sorted(order), "in the order of the book"
    assert len(list((project / "clips").rglob("*.flac"))) == clips
    wet = done("clean", project, "--yes", cwd=base)
    assert wet["takes"] == dry["takes"] != []
    assert len(list((project / "clips").rglob("*.flac"))) < clips
    assert done("export", project, "--chapter", "1", cwd=base)["files"]


def test_a_reader_that_leaves_early_is_no_fault(project: Path) -> None:
    base = project.parent
    listing = f"{sys.executable} -m studio segments {project} 2>err.txt"
    code = os.system(f"cd {base} && {listing} | head -1 >/dev/null")
    assert code == 0
    assert (project.parent / "err.txt").read_text() == ""


def test_duration_and_table_and_slug() -> None:
    assert [duration(s) for s in (0, 59.6, 61, 3600)] == ["0:00", "1:00", "1:01", "1:00:00"]
    assert table([("a", "b"), ("cc", "dd")], right=(1,)) == ["a    b", "cc  dd"]
    assert slug("The Ferry: a “Tale”/../x") == "the-ferry-a-tale-x"
    assert slug("☃") == "book"
    assert len(slug("é" * 300).encode()) <= 80
