"""Another engine for a voice: which takes became stale is told, and one step takes it back."""

from __future__ import annotations

from pathlib import Path

from rhapsode import done, rhapsode

from engine.wire import Card
from studio.engines import cards
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


def test_what_the_new_engine_cannot_read_is_told(tmp_path: Path, home: Path) -> None:
    card = Card("qwen3-tts", "1", "m", sample_rate=24_000, languages=("zh", "de"), max_chars=20)
    cards.remember(card)
    lines = "He came by the water.\n\nShe went.\n"
    (tmp_path / "water.md").write_text(f"# One\n\n{lines}", encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    given = ("ada", "--engine", "qwen3-tts", "--speaker", "Ryan")
    told = done("voices", "add", "book", *given, cwd=tmp_path)
    assert told["refused"] == [
        "the voice ada reads en-US, and qwen3-tts speaks only zh, de: give the voice another "
        "engine or another language"
    ]
    ran = rhapsode("voices", "book", "--assign", "ada", "--segments", "2-3", cwd=tmp_path)
    assert "1 segment is longer than the 20 characters that qwen3-tts reads at a time" in ran.out
    assert "qwen3-tts speaks only zh, de: 2 segments will fail (2–3), give the voice" in ran.out
    told = done("voices", "set", "book", "ada", "--engine", "hibari", cwd=tmp_path)
    assert told["refused"] == [], "nothing is known of that one yet"


def test_marks_of_another_engine_are_told_and_never_said_as_words(
    tmp_path: Path, home: Path
) -> None:
    (tmp_path / "water.md").write_text("# One\n\nHe came.\n\nShe went.\n", encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    done("narrate", "book", cwd=tmp_path)
    with Project.open(tmp_path / "book") as project:
        uids = [segment.uid for segment in project.segments()]
        typed = "He [laughter] <strong>came</strong>, [sic] [HH][EH1][L]."
        project.edit_spoken(uids[1], typed)
    ran = rhapsode("narrate", "book", cwd=tmp_path)
    assert ran.code == 3
    assert (
        "note: 1 segment has marks of another engine ([laughter], <strong>, </strong>…), which "
        "hibari would say as words, and will fail (2): take the marks out"
    ) in ran.err
    assert (
        "Failed: 2: This segment has the marks [laughter], <strong>, </strong>, [HH][EH1][L], "
        in (ran.out)
    )
    with Project.open(tmp_path / "book") as project:
        segment = project.segments()[1]
        assert (segment.spoken, len(project.takes(segment.uid))) == (typed, 1), "nothing is lost"
        project.edit_spoken(uids[1], "He came, [sic] [ab] he said.")
    assert done("narrate", "book", cwd=tmp_path)["made"] == 1
    # Where nothing is known of an engine, or it has marks of its own, nothing is told.
    with Project.open(tmp_path / "book") as project:
        project.edit_spoken(uids[1], typed)
    cards.remember(Card("other", "1", "m", sample_rate=24_000, languages=("en",), max_chars=400))
    given = ("voices", "add", "book", "ada", "--engine")
    assert done(*given, "other", cwd=tmp_path)["refused"] == []
    ran = rhapsode("voices", "book", "--assign", "ada", "--segments", "2", cwd=tmp_path)
    assert "marks" not in ran.out
    ran = rhapsode("voices", "book", "--assign", "heart", "--segments", "2", cwd=tmp_path)
    assert "1 segment has marks of another engine ([laughter]" in ran.out
