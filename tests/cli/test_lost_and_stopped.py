"""What a script needs: lost clips come back, every end has its object, and no limit is passed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

BOOK = "The lamp went out in the hall. Nobody moved at all.\n\nThen it was cold.\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A narrated project of a few lines."""
    (tmp_path / "book.txt").write_text(BOOK, encoding="utf-8")
    done("new", tmp_path / "book.txt", "--to", tmp_path / "p", cwd=tmp_path)
    done("narrate", tmp_path / "p", cwd=tmp_path)
    return tmp_path / "p"


def clips(project: Path) -> list[Path]:
    return sorted((project / "clips").glob("*/*.flac"))


def test_lost_clips_are_made_again_as_the_same_takes(project: Path) -> None:
    before = done("segments", project, cwd=project)
    whole = done("status", project, cwd=project)
    assert whole["lost"] == []
    missing, garbage = clips(project)[:2]
    missing.unlink()
    garbage.write_bytes(b"no sound")
    status = done("status", project, cwd=project)
    assert len(status["lost"]) == 2, "as doctor and narrate count them"
    assert status["chapters"][0]["done"] == whole["chapters"][0]["done"] - 2
    assert rhapsode("export", project, cwd=project).code == 6
    assert done("narrate", project, cwd=project)["made"] == 2
    assert done("segments", project, cwd=project) == before
    assert done("status", project, cwd=project) == whole
    done("export", project, cwd=project)


def test_doctor_finds_what_only_decoding_shows_and_has_it_made_again(project: Path) -> None:
    first, second = clips(project)[:2]
    second.write_bytes(second.read_bytes()[:2000])
    assert done("narrate", project, cwd=project)["made"] == 0
    mended = rhapsode("doctor", project, "--fix", "--json", cwd=project)
    assert mended.code == 6
    assert any("queued 1 segment" in finding["detail"] for finding in mended.data["findings"])
    assert done("narrate", project, cwd=project)["made"] == 1
    assert done("doctor", project, cwd=project)["problems"] == 0
    assert clips(project)[:2] == [first, second]


@pytest.mark.parametrize(
    "arguments", [["bogus"], ["export", "p", "--bits", "8"], ["status"], ["narrate", "p", "--x"]]
)
def test_a_usage_error_is_one_object_too(tmp_path: Path, arguments: list[str]) -> None:
    ran = rhapsode(*arguments, "--json", cwd=tmp_path)
    assert ran.code == 2
    assert ran.data["exit_code"] == 2
    assert ran.data["error"] in ran.err


def test_no_number_of_workers_fills_the_memory(project: Path) -> None:
    ran = rhapsode("narrate", project, "--workers", 99_999, cwd=project)
    assert ran.code == 2
    assert "99999 engine processes" in ran.err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupt_is_one_object_too(tmp_path: Path, number: signal.Signals) -> None:
    lines = "\n\n".join(f"Line {n} of the song goes on and on to its end." for n in range(3000))
    (tmp_path / "b.txt").write_text(lines)
    done("new", tmp_path / "b.txt", "--to", tmp_path / "p", cwd=tmp_path)
    process = subprocess.Popen(
        [sys.executable, "-m", "studio", "narrate", "p", "--json"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + 60
    while not clips(tmp_path / "p") and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert json.loads(out)["exit_code"] == 130
    assert "stay queued" in json.loads(out)["error"]
    assert err.count("Interrupted") == 1


def test_a_broken_settings_file_is_told(project: Path) -> None:
    (project / "project.toml").write_text("title = [\n")
    assert "project.toml cannot be read" in rhapsode("narrate", project, cwd=project).err
    ran = rhapsode("doctor", project, "--json", cwd=project)
    assert ran.code == 6
    assert any("project.toml" in finding["detail"] for finding in ran.data["findings"])
    assert (project / "project.toml").read_text() == "title = [\n"


def test_a_folder_without_a_name_is_named(tmp_path: Path) -> None:
    assert "rhapsode: . is a folder" in rhapsode("new", ".", cwd=tmp_path).err


def test_a_language_and_a_target_that_cannot_be_are_told(project: Path) -> None:
    folder = project.parent
    ran = rhapsode("new", "book.txt", "--to", "q", "--language", "zz-!!", cwd=folder)
    assert (ran.code, ran.err) == (
        5,
        "rhapsode: “zz-!!” is no language; write a tag such as en or en-GB.\n",
    )
    assert not (folder / "q").exists()
    for to in ("a.mp3", "book.txt"):
        ran = rhapsode("export", project, "--to", to, cwd=folder)
        assert ran.code == 5
        assert to in ran.err
    assert not (folder / "a.mp3").exists()
