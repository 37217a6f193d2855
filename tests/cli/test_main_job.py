"""The main job without a screen, with the real embedded voice: new, narrate, verify, export."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import soundfile
from rhapsode import done, rhapsode

SAMPLE = Path(__file__).parents[2] / "projects" / "sample" / "the-ferry.md"


def rows(folder: Path) -> list[dict[str, Any]]:
    """Every segment of a project."""
    return done("segments", folder, cwd=folder.parent)["segments"]


def hashes(folder: Path) -> list[str | None]:
    """The PCM hash of every segment's chosen take, in book order."""
    return [row["pcm_hash"] for row in rows(folder)]


@pytest.fixture(scope="module")
def narrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample book, narrated whole by one worker."""
    base = tmp_path_factory.mktemp("narrated")
    home = {"RHAPSODE_HOME": str(base / "home")}
    done("new", SAMPLE, "--to", base / "ferry", cwd=base, env=home)
    made = done("narrate", base / "ferry", "--workers", "1", cwd=base, env=home)
    assert made["failed"] == []
    assert made["crashes"] == 0
    return base / "ferry"


def test_the_sample_is_read_as_a_book(narrated: Path) -> None:
    status = done("status", narrated, cwd=narrated.parent)
    assert status["title"] == "The Ferry"
    assert [chapter["title"] for chapter in status["chapters"]] == [
        "The Landing",
        "Low Water",
        "The Bell",
    ]
    kinds = {row["kind"] for row in rows(narrated)}
    assert kinds == {"heading", "prose", "dialogue", "verse", "scene break"}


def test_every_spoken_segment_is_ready_and_nothing_hangs(narrated: Path) -> None:
    for row in rows(narrated):
        assert row["state"] in {"ready", "flagged"}, row
        assert (row["pcm_hash"] is None) == (row["kind"] == "scene break")
    # The checks may object now and then, but hardly to an ordinary reading of an ordinary book.
    flagged = [row for row in rows(narrated) if row["state"] == "flagged"]
    assert len(flagged) <= 1, flagged


def test_narrating_again_makes_nothing(narrated: Path) -> None:
    before = hashes(narrated)
    assert done("narrate", narrated, cwd=narrated.parent)["made"] == 0
    assert hashes(narrated) == before


def test_verify_finds_the_same_bytes(narrated: Path) -> None:
    data = done("verify", narrated, "--sample", "8", cwd=narrated.parent)
    assert data["verified"] == data["same"] == 8


@pytest.mark.parametrize(
    ("workers", "config"),
    [(2, ""), (1, "[engines.hibari]\nmax_clips = 2\nspare = false\n")],
    ids=["two workers", "a recycle every two clips"],
)
def test_the_same_book_gives_the_same_bytes(
    narrated: Path, tmp_path: Path, home: Path, workers: int, config: str
) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(config, encoding="utf-8")
    done("new", SAMPLE, "--to", tmp_path / "again", cwd=tmp_path)
    # A recycle loads the model anew, so the forced ones get the shortest chapter.
    chapters = ["--chapter", "3"] if config else []
    made = done("narrate", tmp_path / "again", "--workers", workers, *chapters, cwd=tmp_path)
    if config:
        assert made["recycles"] >= made["made"] // 2 - 1
    assert made["crashes"] == 0
    again = hashes(tmp_path / "again")
    assert [digest for digest in again if digest] == [
        digest for digest, other in zip(hashes(narrated), again, strict=True) if other
    ]
    assert sum(digest is not None for digest in again) == made["made"]


def test_order_does_not_matter(narrated: Path, tmp_path: Path) -> None:
    done("new", SAMPLE, "--to", tmp_path / "backwards", cwd=tmp_path)
    for chapter in ("3", "1"):
        done("narrate", tmp_path / "backwards", "--chapter", chapter, cwd=tmp_path)
    found = rows(tmp_path / "backwards")
    assert {row["chapter"] for row in found if row["pcm_hash"]} == {1, 3}
    assert [row["pcm_hash"] for row in found] == [
        row["pcm_hash"] if row["chapter"] != 2 else None for row in rows(narrated)
    ]


def test_a_chapter_leaves_as_wav(narrated: Path, tmp_path: Path) -> None:
    data = done("export", narrated, "--chapter", "1", "--to", tmp_path, cwd=tmp_path)
    (item,) = data["files"]
    info = soundfile.info(item["path"])
    assert (info.samplerate, info.channels, info.subtype) == (24000, 1, "PCM_16")
    spoken = sum(row["seconds"] or 0 for row in rows(narrated) if row["chapter"] == 1)
    assert spoken < info.duration < spoken + 60
    again = done("export", narrated, "--chapter", "1", "--to", tmp_path / "again", cwd=tmp_path)[
        "files"
    ][0]["path"]
    assert Path(again).read_bytes() == Path(item["path"]).read_bytes()


def test_other_rates_and_depths(narrated: Path, tmp_path: Path) -> None:
    data = done(
        "export", narrated, "--rate", "44100", "--bits", "24", "--to", tmp_path, cwd=tmp_path
    )
    assert len(data["files"]) == 3
    for item in data["files"]:
        info = soundfile.info(item["path"])
        assert (info.samplerate, info.subtype) == (44100, "PCM_24")


def test_what_is_edited_by_hand_is_in_force_at_the_next_opening(
    narrated: Path, tmp_path: Path
) -> None:
    home = {"RHAPSODE_HOME": str(tmp_path / "home")}
    copy = tmp_path / "copy"
    shutil.copytree(narrated, copy)

    def seconds() -> float:
        data = done("export", copy, "--chapter", "3", cwd=tmp_path, env=home)
        return float(data["files"][0]["seconds"])

    before = seconds()
    with (copy / "project.toml").open("a", encoding="utf-8") as file:
        file.write('\n[pauses]\ntail = 9000\n\n[lexicon]\nTam = "Tamm"\n')
    assert seconds() == pytest.approx(before + 7.5)
    for row in done("segments", copy, cwd=tmp_path, env=home)["segments"]:
        hit = re.search(r"\bTam\b", row["source"]) is not None
        assert ("Tamm" in row["spoken"]) is hit
        assert (row["state"] == "stale") is hit


def test_export_refuses_gaps_and_names_them(tmp_path: Path) -> None:
    done("new", SAMPLE, "--to", tmp_path / "p", cwd=tmp_path)
    done("narrate", tmp_path / "p", "--segments", "1-3", cwd=tmp_path)
    ran = rhapsode("export", tmp_path / "p", "--chapter", "1", cwd=tmp_path)
    assert ran.code == 3
    assert "chapter 1: 4" in ran.err
    assert "--partial" in ran.err
    assert not (tmp_path / "p" / "exports").exists()
    data = done("export", tmp_path / "p", "--chapter", "1", "--partial", cwd=tmp_path)
    missing = data["files"][0]["missing"]
    assert missing[0] == 4
    assert [
        row["number"]
        for row in rows(tmp_path / "p")
        if row["chapter"] == 1 and row["state"] == "draft"
    ] == missing


def test_reseed_makes_other_takes_and_keeps_the_first(tmp_path: Path) -> None:
    done("new", SAMPLE, "--to", tmp_path / "p", cwd=tmp_path)
    done("narrate", tmp_path / "p", "--segments", "2-3", cwd=tmp_path)
    before = rows(tmp_path / "p")
    made = done("narrate", tmp_path / "p", "--segments", "2-3", "--reseed", cwd=tmp_path)
    after = rows(tmp_path / "p")
    assert made["made"] == 2
    for old, new in zip(before[1:3], after[1:3], strict=True):
        assert new["takes"] == 2
        assert new["seed"] != old["seed"]
        assert new["pcm_hash"] != old["pcm_hash"]


def test_the_sample_without_a_terminal_ends_with_chapter_one(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    data = done("open", "--sample", cwd=tmp_path)
    assert data["made"] > 10
    path = Path(data["files"][0]["path"])
    assert path.is_relative_to(tmp_path / "projects")
    assert soundfile.info(path).duration > 30
    ran = rhapsode("open", "--sample", cwd=tmp_path)
    assert ran.code == 0
    assert str(path) in ran.out
