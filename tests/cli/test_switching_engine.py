"""Another engine for a voice: which takes became stale is told, and one step takes it back."""

from __future__ import annotations

from pathlib import Path

from rhapsode import done, rhapsode

from studio.project.project import Project


def test_stale_takes_are_told_by_number_and_undo_brings_them_back(
    tmp_path: Path, home: Path
) -> None:
    (tmp_path / "water.md").write_text("# One\n\nHe came.\n\nShe went.\n", encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    done("voices", "add", "book", "ada", "--engine", "hibari", "--speaker", "heart", cwd=tmp_path)
    done("voices", "book", "--assign", "ada", "--segments", "2-3", cwd=tmp_path)
    done("narrate", "book", cwd=tmp_path)
    before = done("segments", "book", cwd=tmp_path)["segments"]
    assert {row["state"] for row in before} <= {"ready", "flagged"}
    change = ("voices", "set", "book", "ada", "--engine", "qwen3-tts", "--speaker", "Ryan")
    ran = rhapsode(*change, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert "2 takes became stale (segments 2–3)" in ran.out
    assert "rhapsode engines install qwen3-tts" in ran.out
    rows = done("segments", "book", cwd=tmp_path)["segments"]
    assert [row["state"] == "stale" for row in rows] == [False, True, True]
    with Project.open(tmp_path / "book") as project:
        project.undo()
        assert project.voices()["ada"].engine == "hibari"
        assert not any(segment.stale for segment in project.segments())
        project.redo()
        assert [it.number for it in project.segments() if it.stale] == [2, 3]
