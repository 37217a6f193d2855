"""What can happen to the studio and its folder: it opens, says what is wrong, and loses no take."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from needs import skip_or_fail
from rhapsode import done, rhapsode

HERE = Path(__file__).parent
ENGINE = HERE.parent / "fakes" / "scripted_engine.py"
MOUNTING = ["unshare", "--user", "--map-root-user", "--mount"]


@pytest.fixture(autouse=True)
def quick_engine(home: Path) -> None:
    """The scripted engine in place of the embedded one."""
    command = json.dumps([sys.executable, str(ENGINE), "--clip-time", "0.05"])
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.hibari]\ncommand = {command}\nworkers = 1\n", encoding="utf-8"
    )


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A book of ten lines, of which three have a take."""
    text = "\n\n".join(f"Line {n} of the slow book runs along the wall." for n in range(10))
    (tmp_path / "slow.txt").write_text(text, encoding="utf-8")
    done("new", tmp_path / "slow.txt", "--to", tmp_path / "p", cwd=tmp_path)
    done("narrate", tmp_path / "p", "--segments", "1-3", cwd=tmp_path)
    return tmp_path / "p"


def rows(folder: Path) -> list[dict[str, object]]:
    """Every segment."""
    segments: list[dict[str, object]] = done("segments", folder, cwd=folder.parent)["segments"]
    return segments


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["full", "read-only", "packing"])
def test_a_disk_that_is_full_or_cannot_be_written(tmp_path: Path, fault: str) -> None:
    small = tmp_path / "small"
    small.mkdir()
    trial = [*MOUNTING, "mount", "-t", "tmpfs", "none", str(small)]
    if not shutil.which("unshare") or subprocess.run(trial, capture_output=True).returncode:
        skip_or_fail("a disk of its own cannot be made here")
    ran = subprocess.run(
        [*MOUNTING, sys.executable, str(HERE / "on_a_small_disk.py"), fault, str(small)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "done\n"


def test_a_project_may_move_while_it_is_closed(project: Path, tmp_path: Path) -> None:
    before = rows(project)
    moved = tmp_path / "another place" / "with spaces"
    moved.parent.mkdir()
    project.rename(moved)
    assert rows(moved) == before
    assert done("narrate", moved, cwd=tmp_path)["made"] == 7
    assert [row["takes"] for row in rows(moved)] == [1] * 10
    done("export", moved, cwd=tmp_path)
    assert done("doctor", moved, cwd=tmp_path)["problems"] == 0
    gone = rhapsode("status", project, "--json", cwd=tmp_path)
    assert gone.code == 5
    assert "no project" in gone.data["error"]


def test_a_database_that_another_program_holds(project: Path, tmp_path: Path) -> None:
    before = rows(project)
    other = sqlite3.connect(project / "book.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ran = rhapsode("narrate", project, "--json", cwd=tmp_path)
    assert ran.code == 6
    assert "in use by another program; close that first" in ran.data["error"]
    assert rows(project) == before, "looking needs no lock"
    other.close()
    assert done("narrate", project, cwd=tmp_path)["made"] == 7
    assert [row["takes"] for row in rows(project)] == [1] * 10


def test_a_project_of_a_newer_version_is_not_touched(project: Path, tmp_path: Path) -> None:
    store = sqlite3.connect(project / "book.db", isolation_level=None)
    store.execute("INSERT INTO migrations SELECT max(version) + 1, 'later', '' FROM migrations")
    store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()
    before = {path: path.read_bytes() for path in sorted(project.rglob("*")) if path.is_file()}
    for command in ("narrate", "status", "export", "open"):
        ran = rhapsode(command, project, "--json", cwd=tmp_path)
        assert ran.code == 5
        if command != "open":  # Without a terminal it does not come so far.
            assert "newer version of Rhapsode; update" in ran.data["error"]
    checked = rhapsode("doctor", project, "--fix", "--json", cwd=tmp_path)
    assert checked.code == 6
    assert any("newer version" in finding["detail"] for finding in checked.data["findings"])
    after = {path: path.read_bytes() for path in sorted(project.rglob("*")) if path.is_file()}
    assert after == before


def test_clips_that_are_deleted_cut_short_or_garbage(project: Path, tmp_path: Path) -> None:
    """Each is named, nothing else is lost, and one command makes them again with the same bytes."""
    before = rows(project)
    clips = sorted(project.glob("clips/*/*.flac"))
    whole = [clip.read_bytes() for clip in clips]
    clips[0].unlink()
    clips[1].write_bytes(whole[1][: len(whole[1]) // 2])
    clips[2].write_bytes(b"no sound at all")
    checked = rhapsode("doctor", project, "--json", cwd=tmp_path)
    assert checked.code == 6
    assert checked.data["problems"] == 3
    said = [f["detail"] for f in checked.data["findings"] if not f["ok"] and f["needed"]]
    assert sorted(number for text in said for number in "123" if f"segment {number}," in text) == [
        "1",
        "2",
        "3",
    ]
    assert all("doctor --fix mends it" in text for text in said)
    refused = rhapsode("export", project, "--partial", "--json", cwd=tmp_path)
    assert refused.code == 6
    assert "clip of segment" in refused.data["error"]
    rhapsode("doctor", project, "--fix", cwd=tmp_path)
    done("narrate", project, "--segments", "1-3", cwd=tmp_path)
    assert rows(project) == before
    assert [clip.read_bytes() for clip in clips] == whole
    assert done("doctor", project, cwd=tmp_path)["problems"] == 0
