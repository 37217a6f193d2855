"""One engine with two models in a book: matched like two engines, alike wherever it is heard."""

from __future__ import annotations

import json
import sys
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from rhapsode import done, rhapsode

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.commands.exporting import ExportOptions, export_chapters
from studio.project.model import Voice
from studio.project.packing import pack
from studio.project.project import Project
from studio.project.unpacking import unpack
from studio.sound.levels import factors, levels
from studio.sound.plan import chosen_timeline
from studio.ui import listening, onward

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"
LINES = ("The water was high.", "He came, and he went.", "She went, too.", "Nobody asked them why.")
LINES = tuple(" ".join([line] * (200 // len(line))) for line in LINES)  # speech enough
READERS = (("ada", "base"), ("ben", "custom"))


def configure(home: Path, **models: tuple[str, float]) -> None:
    """Tables of the catalogue that run one narrator: by name a model, and how loud it is."""
    told = []
    for name, (model, loud) in models.items():
        switches = ["--clip-time", "0", "--name", "narrator", "--model", model, "--loud", str(loud)]
        told += [f"[engines.{name}]"]
        told += [f"command = {json.dumps([sys.executable, '-P', str(ENGINE), *switches])}"]
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("\n".join(told) + "\n", encoding="utf-8")


def read_by_two(place: Path) -> Path:
    """A book of which one voice has two lines and another one has two; narrated."""
    folder = place / "book"
    lines = [SegmentDraft(Kind.PROSE, text, text, True, 7) for text in LINES]
    voices = [Voice(who, engine, speaker="tone", language="en") for who, engine in READERS]
    with Project.create(
        folder,
        title="The Water",
        author="",
        language="en",
        voice=voices[0],
        chapters=[ChapterDraft("The Water", tuple(lines))],
    ) as project:
        project.put_voice(voices[1])
        uids = [it.uid for it in project.segments()]
        project.set_voices(dict.fromkeys(uids[2:], "ben"), "another voice")
    done("narrate", "book", cwd=place)
    return folder


def exported(folder: Path) -> tuple[dict[str, Any], bytes]:
    """What an export says of each voice and model, and its bytes."""
    with Project.open(folder, read_only=True) as project:
        (file,) = export_chapters(project, project.chapters(), ExportOptions())
    gains = {f"{it.origin.voice} {it.origin.model}": it.gain_db for it in file.levels}
    return gains, file.path.read_bytes()


def test_two_models_are_matched_and_heard_as_they_leave(tmp_path: Path, home: Path) -> None:
    configure(home, base=("base", 1.0), custom=("custom", 0.5))
    book = read_by_two(tmp_path)
    gains, written = exported(book)
    assert gains == {"ada base": 0.0, "ben custom": pytest.approx(6, abs=0.6)}
    pack(book, lambda title: tmp_path / "book.rhapsode")
    unpack(tmp_path / "book.rhapsode", lambda title: tmp_path / "other")
    assert exported(tmp_path / "other") == (gains, written)
    samples = soundfile.read(BytesIO(written), dtype="int16")[0]
    with Project.open(book) as project:
        rows = project.segments()
        heard = listening._timeline(project, rows)
        assert heard is not None
        timeline = chosen_timeline(project, rows, gains=factors(levels(project)))
        everything = heard.read(0, heard.frames)
        assert np.array_equal(everything, timeline.read(0, timeline.frames))
        assert np.abs(everything * 32768 - samples).max() <= 2, "a little noise is added"
        walked = onward._gains(project)
        for row, start, end in zip(rows, timeline.starts, timeline.ends, strict=True):
            laid = onward._samples(project, row.chosen or 0, timeline.rate, walked)
            assert np.array_equal(laid, timeline.read(int(start), int(end - start)))


def test_one_model_behind_two_names_changes_nothing(tmp_path: Path, home: Path) -> None:
    configure(home, base=("base", 1.0), custom=("base", 0.5))
    assert exported(read_by_two(tmp_path))[0] == {}


def test_an_engine_that_was_pulled_again_in_the_middle_of_a_book(
    tmp_path: Path, home: Path
) -> None:
    configure(home, base=("old", 1.0), custom=("old", 1.0))
    book = read_by_two(tmp_path)
    plain = exported(book)
    assert plain[0] == {}
    configure(home, base=("new", 0.4), custom=("old", 1.0))
    done("narrate", "book", "--segments", "2", "--reseed", cwd=tmp_path)
    gains, _ = exported(book)
    # Two lines of ben's and one of ada's are the old model's, another one of hers the new one's.
    assert gains == {"ben old": 0.0, "ada old": 0.0, "ada new": pytest.approx(8, abs=0.6)}
    said = rhapsode("export", "book", "--to", "again.wav", cwd=tmp_path).out
    assert "Voice “ada” of narrator, model new: " in said
    assert "Voice “ada” of narrator, model old: " in said
    with Project.open(book) as project:
        project.undo()
    assert exported(book) == plain, "to the bit, where one model reads the book"
