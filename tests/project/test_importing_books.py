"""From a manuscript on disk to a project on disk."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from bookmaking import HEART

from studio.book.segmenting import SEGMENTING_VERSION
from studio.errors import BadInput
from studio.project.importing import import_book
from studio.project.model import Kind
from studio.project.project import Project

BOOK = """# Low Water

Dr. Harrow counted the coins twice. “Is it true?” he whispered.

* * *

Nobody in the village remembered when the mill had closed.
"""


def test_a_manuscript_becomes_a_project(tmp_path: Path) -> None:
    source = tmp_path / "low-water.md"
    source.write_text(BOOK)
    project, report = import_book(source, tmp_path / "book", voice=HEART, language="en-US")
    with project:
        segments = project.segments()
        assert report.segments == len(segments)
        assert report.chapters == len(project.chapters())
        assert report.characters == sum(len(s.source) for s in segments)
        assert Kind.SCENE_BREAK in {s.kind for s in segments}
        assert any("Doctor Harrow" in s.spoken for s in segments)
        kept = project._session.reader.setting("source")
        digest = hashlib.sha256(source.read_bytes()).hexdigest()
        assert kept == {"name": "low-water.md", "sha256": digest}
        assert project._session.reader.setting("segmenting") == SEGMENTING_VERSION
        rules = project._session.store.rows("SELECT DISTINCT speaking FROM segments")
        assert len(rules) == 1
    assert source.read_text() == BOOK


def test_the_title_gives_a_folder_and_the_voice_a_language(tmp_path: Path) -> None:
    source = tmp_path / "low-water.txt"
    source.write_text("Just a line of text.\n")
    project, report = import_book(
        source, None, voice=HEART, default_folder=lambda title: tmp_path / f"of {title}"
    )
    with project:
        assert project.folder == tmp_path / f"of {project.info.title}"
        assert project.info.language == "en-US"
        assert "taken for en-US" in report.notices[0]


def test_what_is_spoken_outlives_new_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "low-water.md"
    source.write_text(BOOK)
    project, _ = import_book(source, tmp_path / "book", voice=HEART, language="en-US")
    with project:
        before = [s.spoken for s in project.segments()]
    monkeypatch.setattr("studio.book.speaking.speak", lambda *_: "other rules")
    with Project.open(tmp_path / "book") as project:
        assert [s.spoken for s in project.segments()] == before
        uid = project.segments()[1].uid
        project.edit_spoken(uid, "By hand.")
        project.edit_spoken(uid, None)
        assert [s.spoken for s in project.segments()] == before


@pytest.mark.parametrize("content", ["", "\n\n", "* * *\n"])
def test_a_book_without_text_leaves_nothing(tmp_path: Path, content: str) -> None:
    source = tmp_path / "empty.md"
    source.write_text(content)
    with pytest.raises(BadInput, match=r"empty\.md"):
        import_book(source, tmp_path / "book", voice=HEART)
    assert [path.name for path in tmp_path.iterdir()] == ["empty.md"]


def test_an_existing_folder_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "low-water.md"
    source.write_text(BOOK)
    (tmp_path / "book").mkdir()
    with pytest.raises(BadInput, match="exists already"):
        import_book(source, tmp_path / "book", voice=HEART)
