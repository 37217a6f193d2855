"""``project.toml``: written for people, read back when they have edited it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from bookmaking import make
from hypothesis import given
from hypothesis import strategies as st

from studio.book.lexicon import Rule, tidied
from studio.errors import BadInput
from studio.project.model import Voice
from studio.project.project import Project
from studio.project.settings_file import Settings, parse, render

NAME = Path("project.toml")

text = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=20)
key = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8)

rules = st.builds(
    lambda word, spoken, *flags: tidied(Rule(f"{word}x", f"{spoken}y", False, *flags)),
    st.text(st.characters(codec="utf-8", exclude_characters="\0[]()"), max_size=8),
    st.text(st.characters(codec="utf-8", exclude_characters="\0[]()/"), max_size=8),
    st.booleans(),
    st.booleans(),
    st.booleans(),
)


@given(
    title=text.filter(str.strip),
    author=text,
    voice=key.filter(str.strip),
    texts=st.tuples(text, text, text),
    rules=st.lists(rules, max_size=4),
    pause=st.integers(0, 60_000),
    export=st.dictionaries(key, st.integers(0, 9) | text | st.booleans(), max_size=3),
    reproducible=st.booleans(),
)
def test_what_is_written_is_read(
    title: str,
    author: str,
    voice: str,
    texts: tuple[str, str, str],
    rules: list[Rule],
    pause: int,
    export: dict[str, object],
    reproducible: bool,
) -> None:
    transcript, description, style = texts
    reader = Voice(
        id=voice,
        engine="hibari",
        transcript=transcript,
        description=description,
        style=style,
        settings={"strength": 0.5},
    )
    settings = Settings(
        title=title,
        author=author,
        language="en-GB",
        voice=voice,
        voices={voice: reader},
        cast={"Harrow": voice},
        lexicon={rule.word: rule for rule in rules},
        pauses={} if pause == 700 else {"prose": pause},
        export=export,
        reproducible=reproducible,
    )
    assert parse(render(settings), NAME) == settings


GOOD = 'title = "T"\nvoice = "a"\n[voices.a]\nengine = "hibari"\n'


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ('title = "T\n', "line 1"),
        (GOOD + "[pauses]\nprose = 1.5\n", "line 6: “prose” must be a whole number"),
        (GOOD + "[pauses]\nprose = 99999\n", "line 6: “prose” must lie between"),
        (GOOD + "[pauses]\nproze = 1\n", "line 6: “proze” means nothing"),
        (GOOD + "[export]\nday = 1979-05-27\n", "line 6: “day” cannot be the date"),
        (GOOD + "[voices.a.settings]\npitch = nan\n", "line 6: “pitch” cannot be nan"),
        (GOOD + "[voices.a.settings]\npitch = [-inf]\n", "line 6: “pitch” cannot be -inf"),
        (GOOD + f"[voices.a.settings]\na.b = {10**20}\n", "“b” cannot be 1000000"),
        (GOOD + '[cast]\n" " = "heart"\n', "“cast” has a voice for nobody"),
        (GOOD + '[voices.""]\nengine = "x"\n', "has a voice without a name"),
        (GOOD + '[lexicon]\n"Tam" = "a"\n"Tam " = "b"\n', "line 7: .* a second time"),
        (GOOD + '[lexicon]\n"é" = "a"\n"e\u0301" = "b"\n', "line 7: .* a second time"),
        (GOOD + "[voices.a.setting]\nx = 1\n", "“setting” means nothing in the voice"),
        ("reproducible = 1\n" + GOOD, "line 1: “reproducible” is 1; write true or false"),
        ("titel = 1\n" + GOOD, "line 1: “titel” means nothing"),
        (GOOD.replace('"T"', '" "'), "line 1: “title” is empty"),
        (GOOD.replace('voice = "a"', 'voice = "b"'), "line 2: “voice” names the voice “b”"),
        (GOOD.replace('engine = "hibari"', ""), "names no engine"),
        (GOOD.replace('"T"', "7"), "line 1: “title” must be text"),
        ('language = "what ever"\n' + GOOD, "line 1: “language” is"),
        ('title = "T"\nvoice = "a"\n', "names no voice"),
        ('cast = "x"\n' + GOOD, "must be a table"),
    ],
)
def test_what_cannot_be_is_said_with_its_line(content: str, sentence: str) -> None:
    with pytest.raises(BadInput, match=sentence):
        parse(content, NAME)


def edited(folder: Path, old: str, new: str) -> None:
    path = folder / "project.toml"
    content = path.read_text()
    assert old in content
    path.write_text(content.replace(old, new))


def test_an_edit_outside_is_one_step(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    edited(folder, '"The Ferry"', '"The Boat"')
    edited(folder, 'speaker = "heart"', 'speaker = "sky"\n[voices.new]\nengine = "hibari"')
    with Project.open(folder) as project:
        assert project.info.title == "The Boat"
        assert set(project.voices()) == {"heart", "new"}
        assert project.reopened_edits is not None
        assert project.reopened_edits.segments == {s.uid for s in project.segments()}
        assert [entry.label for entry in project.history()] == ["edited outside"]
        assert project.notices == ()
        project.undo()
        assert project.info.title == "The Ferry"
        assert tomllib.loads((folder / "project.toml").read_text())["title"] == "The Ferry"
    with Project.open(folder) as project:
        assert project.reopened_edits is None
        assert project.info.title == "The Ferry"


def test_reading_only_does_not_take_edits_over(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    edited(folder, '"The Ferry"', '"The Boat"')
    with Project.open(folder, read_only=True) as project:
        assert project.info.title == "The Ferry"
    with Project.open(folder) as project:
        assert project.info.title == "The Boat"


def test_a_broken_file_does_not_stop_the_opening_and_is_never_lost(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    path = folder / "project.toml"
    for number, name in enumerate(("project.toml.rejected", "project.toml.rejected-2")):
        broken = f"title = “Typographic {number}”\n"
        path.write_text(broken)
        for _ in range(2):
            with Project.open(folder) as project:
                assert "line 1" in project.notices[0]
                assert project.info.author == "A. Writer"
            assert path.read_text() == broken
        with Project.open(folder) as project:
            project.set_settings(title=f"Changed {number}")
            assert name in project.notices[-1]
        assert (folder / name).read_text() == broken
        assert f"Changed {number}" in path.read_text()


@pytest.mark.parametrize("more", ["day = 1979-05-27", "a = nan", "a = [{ b = 07:32:00 }]"])
def test_what_no_book_can_keep_does_not_stop_the_opening(tmp_path: Path, more: str) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    edited(
        folder,
        "[voices.heart]",
        f"[export]\n{more}\n[voices.heart.settings]\n{more}\n[voices.heart]",
    )
    with Project.open(folder) as project:
        assert "cannot be" in project.notices[0]


def test_a_voice_that_is_used_cannot_be_taken_out_of_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    edited(folder, "[voices.heart]", "[voices.new]")
    edited(folder, 'voice = "heart"', 'voice = "new"')
    with Project.open(folder) as project:
        assert "lacks the voice “heart”, which reads 8 segments" in project.notices[0]
        assert set(project.voices()) == {"heart"}


def test_a_missing_file_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    (folder / "project.toml").unlink()
    with Project.open(folder) as project:
        assert (project.reopened_edits, project.notices) == (None, ())
    assert "The Ferry" in (folder / "project.toml").read_text()


def test_a_crash_between_database_and_file_is_no_edit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "book"
    make(folder).close()
    with Project.open(folder) as project, monkeypatch.context() as crash:
        crash.setattr(Project, "_write_settings_file", lambda _: None)  # Killed before it.
        project.set_settings(title="Changed")
    assert "The Ferry" in (folder / "project.toml").read_text()
    with Project.open(folder) as project:
        assert (project.reopened_edits, project.info.title) == (None, "Changed")
        assert "Changed" in (folder / "project.toml").read_text()
        with project._session.store.transaction():  # Killed before it was remembered.
            project._session.store.execute("UPDATE internal SET value = 'of an earlier text'")
    with Project.open(folder) as project:
        assert (project.reopened_edits, project.notices) == (None, ())
        assert project.info.title == "Changed"


def test_reference_audio_is_copied_and_watched(tmp_path: Path) -> None:
    audio = tmp_path / "me.wav"
    audio.write_bytes(b"first")
    voice = Voice(id="me", engine="clone", reference=str(audio), transcript="hello")
    folder = tmp_path / "book"
    with make(folder, voice=voice) as project:
        stored = project.voices()["me"]
        assert (folder / stored.reference).read_bytes() == b"first"
        before = stored.fingerprint
    (folder / stored.reference).write_bytes(b"second")
    with Project.open(folder) as project:
        assert project.voices()["me"].fingerprint != before
        assert project.can_undo == "reference audio of me exchanged outside"
    (folder / stored.reference).unlink()
    with Project.open(folder) as project:
        assert "cannot be read" in project.notices[0]
    with pytest.raises(Exception, match="cannot be read at"):
        make(tmp_path / "other", voice=Voice(id="x", engine="clone", reference="/nowhere/x.wav"))
    assert not (tmp_path / "other").exists()
