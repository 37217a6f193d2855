"""What markers in a manuscript ask for is in the project, and what became of its text is told."""

from __future__ import annotations

from pathlib import Path

from bookmaking import HEART

from studio.book.policies import Notes, Policies
from studio.project.importing import import_book

BOOK = (
    "[[chapter: One]]\n\nIt rose for a long and quiet while. [[pause: 1.5 s]] Then it fell.\n\n"
    "[[voice: anna]]\n\nShe said nothing.[^a]\n\n[[vioce: ben]] So.\n\n[^a]: Or so they say.\n"
)


def test_pauses_voices_and_the_account(tmp_path: Path) -> None:
    source = tmp_path / "book.md"
    source.write_text(BOOK, encoding="utf-8")
    project, report = import_book(
        source,
        tmp_path / "book",
        voice=HEART,
        language="en-US",
        policies=Policies(notes=Notes.CHAPTER_END),
    )
    try:
        (chapter,) = project.chapters()
        segments = project.segments()
        assert chapter.title == "One"
        assert [(s.source, s.pause_ms, s.ends_paragraph) for s in segments] == [
            ("It rose for a long and quiet while.", 1500, False),
            ("Then it fell.", None, True),
            ("She said nothing.", None, True),
            ("[[vioce: ben]] So.", None, True),
            ("Or so they say.", None, True),
        ]
        assert {segment.voice for segment in segments} == {"heart"}
    finally:
        project.close()
    assert report.notices == (
        "[[vioce: ben]] is read as text; the markers are chapter, voice and pause",
        "the text calls for the voice anna, which this book does not have; heart reads it",
    )
    assert report.coverage.unaccounted == 0
    assert report.coverage.spoken == sum(len("".join(s.source.split())) for s in segments)
