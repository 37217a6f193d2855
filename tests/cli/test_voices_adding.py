"""`rhapsode voices add`, `set` and `check`: who can read a book, without a screen."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st
from rhapsode import done, rhapsode

from studio.command_line.root import build_parser
from studio.errors import BadInput
from studio.project.project import Project
from studio.project.voice_fields import audio_suffix, setting, transcript

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"


def engine(home: Path, *switches: str) -> None:
    """Let the machine have an engine ``clone``."""
    (home / "config").mkdir(exist_ok=True)
    command = json.dumps([sys.executable, str(ENGINE), "--name", "clone", *switches])
    (home / "config" / "config.toml").write_text(f"[engines.clone]\ncommand = {command}\n")


def sound(path: Path, seconds: float = 1.0, pitch: float = 200.0) -> Path:
    """A reference of some kind."""
    wave = 0.3 * np.sin(np.arange(round(seconds * 24_000)) * pitch / 24_000 * 2 * np.pi)
    soundfile.write(path, wave, 24_000, format=path.suffix[1:].upper())
    return path


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    engine(home)
    (tmp_path / "ferry.md").write_text("# The Landing\n\nThe last ferry had left.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    return tmp_path / "ferry"


def test_a_voice_with_a_reference_is_added_as_one_step(folder: Path) -> None:
    place = folder.parent
    reference = sound(place / "Me, at home.flac")
    (place / "said.txt").write_text("﻿The lamp  went out.\n", encoding="utf-8")
    data = done(
        *("voices", "add", folder, "miller", "--engine", "clone", "--reference", reference),
        *("--transcript", f"@{place / 'said.txt'}", "--language", "en-GB", "--style", "calm"),
        *("--setting", "mode=zero_shot", "--setting", "strength=0.5", "--sample", "A line."),
        cwd=place,
    )
    kept = data["voice"]
    assert kept["reference"] == "voices/miller.flac"
    assert (folder / kept["reference"]).read_bytes() == reference.read_bytes()
    assert kept["transcript"] == "The lamp went out."
    assert kept["settings"] == {"mode": "zero_shot", "strength": 0.5}
    assert (kept["language"], kept["style"], kept["sample"]) == ("en-GB", "calm", "A line.")
    assert not data["engine_missing"]
    assert 'reference = "voices/miller.flac"' in (folder / "project.toml").read_text()
    reference.unlink()
    with Project.open(folder) as project:
        assert project.history()[0].label == "added the voice miller"
        assert project.notices == ()
        project.undo()
        assert [*project.voices()] == ["heart"]
        project.redo()
        assert project.voices()["miller"].fingerprint == kept["fingerprint"]


def test_another_reference_leaves_the_first_to_undo(folder: Path) -> None:
    place = folder.parent
    for pitch in (200.0, 300.0):
        verb = "add" if pitch == 200.0 else "set"
        extra = ("--engine", "clone") if verb == "add" else ("--setting", "warm=true")
        sound(place / "me.wav", pitch=pitch)
        done(
            *("voices", verb, folder, "me", "--reference", place / "me.wav"),
            *("--transcript", f"At {pitch:g}.", *extra),
            cwd=place,
        )
    with Project.open(folder) as project:
        second = project.voices()["me"]
        assert second.reference.startswith("voices/me-")
        assert (second.transcript, second.settings) == ("At 300.", {"warm": True})
        project.undo()
        first = project.voices()["me"]
        assert (first.reference, first.transcript) == ("voices/me.wav", "At 200.")
        assert first.fingerprint != second.fingerprint
    done("voices", "set", folder, "me", "--reference", "", cwd=place)
    with Project.open(folder) as project:
        assert (project.voices()["me"].reference, project.voices()["me"].transcript) == ("", "")


def test_a_change_tells_what_it_makes_stale(folder: Path) -> None:
    place = folder.parent
    done("voices", "add", folder, "me", "--engine", "clone", cwd=place)
    done("voices", folder, "--assign", "me", "--chapter", "1", cwd=place)
    done("narrate", folder, cwd=place)
    ran = rhapsode("voices", "set", folder, "me", "--style", "slow", cwd=place)
    assert ran.code == 0
    assert "2 takes became stale" in ran.out
    done("voices", "set", folder, "me", "--sample", "A line.", cwd=place)


def test_to_set_what_is_so_anyway_makes_nothing_stale(folder: Path) -> None:
    with Project.open(folder) as project:
        told = project.voices()["heart"].fingerprint
        project.put_voice(
            replace(project.stored_voices()["heart"], id="old", settings={"pitch": 0})
        )
        old = project.voices()["old"].fingerprint
    change = ("voices", "set", folder, "heart", "--setting")
    ran = rhapsode(*change, "pitch=0", cwd=folder.parent)
    assert "“pitch” is 0 without being set, too" in ran.out
    assert done(*change, "pitch=0.0", "--sample", "x", cwd=folder.parent)["voice"]["sample"] == "x"
    with Project.open(folder) as project:
        assert project.voices()["heart"].fingerprint == told
    # What an earlier version has written stays as it is, and so do its takes.
    kept = done("voices", "set", folder, "old", "--setting", "pitch=", cwd=folder.parent)["voice"]
    assert (kept["fingerprint"], kept["settings"]) == (old, {"pitch": 0})
    other = done(*change, "pitch=-1", cwd=folder.parent)["voice"]
    assert (other["settings"], other["fingerprint"] != told) == ({"pitch": -1}, True)


def edited(folder: Path, *changes: tuple[str, str]) -> None:
    """Edit ``project.toml`` by hand."""
    path = folder / "project.toml"
    text = path.read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, "utf-8")


def test_by_hand_too_what_means_the_same_makes_nothing_stale(folder: Path) -> None:
    with Project.open(folder) as project:
        plain = replace(project.stored_voices()["heart"], sample="A line.")
        project.put_voice(plain)
        project.put_voice(replace(plain, id="old", settings={"pitch": 0}, style=" so\n calm"))
        before = {name: it.fingerprint for name, it in project.voices().items()}
    # What is so anyway is set by hand, and taken out by hand; blanks are set otherwise.
    edited(
        folder,
        ('[voices.heart]\nengine = "hibari"', '[voices.heart]\nengine = " hibari "'),
        ("\n[voices.old]", "\n[voices.heart.settings]\npitch = 0.0\n\n[voices.old]"),
        ("pitch = 0\n", ""),
        ('style = " so\\n calm"', 'style = "so calm"'),
    )
    with Project.open(folder) as project:
        assert {name: it.fingerprint for name, it in project.voices().items()} == before
        assert project.stored_voices()["heart"] == replace(plain, fingerprint=before["heart"])
        assert project.stored_voices()["old"].settings == {"pitch": 0}
        assert {*project.notices} == {
            "heart: “pitch” is 0.0 without being set, too; it stays as it was.",
            "old: “pitch” is 0 without being set, too; it stays as it was.",
        }
        assert project.history()[0].label != "edited outside", "nothing was changed"
    # The file says again what is kept, and what does change the sound still does.
    edited(folder, ('style = " so\\n calm"', 'style = """so\nslow"""'), ("pitch = 0", "pitch = 2"))
    with Project.open(folder) as project:
        assert project.voices()["heart"].fingerprint == before["heart"]
        old = project.stored_voices()["old"]
        assert (old.style, old.settings) == ("so slow", {"pitch": 2})
        assert old.fingerprint != before["old"]
        project.undo()
        assert project.voices()["old"].fingerprint == before["old"]


def test_the_engine_is_asked_and_its_warnings_are_told(folder: Path, home: Path) -> None:
    place = folder.parent
    done("voices", "add", folder, "me", "--engine", "clone", cwd=place)
    assert done("voices", "check", folder, "me", cwd=place)["warnings"] == []
    engine(home, "--voice-note", "The reference is clipped.")
    assert done("voices", "check", folder, "me", cwd=place)["warnings"] == [
        "The reference is clipped."
    ]
    assert "  The reference is clipped." in rhapsode("voices", "check", folder, "me", cwd=place).out
    done("voices", folder, "--assign", "me", "--chapter", "1", cwd=place)
    ran = rhapsode("narrate", folder, cwd=place)
    assert ran.out.count("Voice “me”: The reference is clipped.") == 1
    engine(home, "--fault", "refuse-voice")
    refused = rhapsode("voices", "check", folder, "me", cwd=place)
    assert (refused.code, refused.err) == (5, "rhapsode: The reference audio is empty.\n")


def test_a_voice_for_an_engine_of_another_machine(folder: Path) -> None:
    ran = rhapsode("voices", "add", folder, "far", "--engine", "elsewhere", cwd=folder.parent)
    assert ran.code == 0
    assert "elsewhere" in ran.out.splitlines()[-1]
    assert rhapsode("voices", "check", folder, "far", cwd=folder.parent).code in (5, 6)


def test_what_cannot_be_is_one_sentence_and_changes_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = folder.parent
    sound(place / "me.wav")
    (place / "no.wav").write_text("a text by another name")
    soundfile.write(place / "mute.wav", np.zeros(2400), 24_000)
    (place / "empty.txt").touch()
    before = (folder / "project.toml").read_text()
    add = ("voices", "add", folder)
    clone = ("--engine", "clone")
    wav = ("--reference", place / "me.wav")

    monkeypatch.chdir(place)

    def said(*arguments: object) -> str:
        options = build_parser().parse_args([*map(str, arguments)])
        with pytest.raises(BadInput) as refused:
            options.run(options)
        return str(refused.value)

    for arguments, sentence in (
        ((*add, "heart", *clone), "a voice “heart” already"),
        ((*add, "a b", *clone), "An id is up to 32 letters"),
        ((*add, "me", "--engine", ""), "Say which engine"),
        ((*add, "me", *clone, *wav), "Say what is said in"),
        ((*add, "me", *clone, "--transcript", "Words."), "a transcript and no reference"),
        ((*add, "me", *clone, *wav, "--transcript", "@empty.txt"), "is empty; write into it"),
        ((*add, "me", *clone, *wav, "--transcript", "@nowhere"), "nowhere cannot be read"),
        ((*add, "me", *clone, "--reference", "no.wav", "--transcript", "x"), "no sound that"),
        ((*add, "me", *clone, "--reference", "mute.wav", "--transcript", "x"), "is silent"),
        ((*add, "me", *clone, "--reference", "gone.wav", "--transcript", "x"), "does not exist"),
        ((*add, "me", *clone, "--setting", "loud"), "“loud” is no setting"),
        ((*add, "me", *clone, "--setting", "loud=inf"), "cannot be inf"),
        ((*add, "me", "--engine", "hibari", "--setting", "pitch=99"), "goes from -6 to 6"),
        (("voices", "set", folder, "heart", "--setting", "moode=foo"), "setting named “moode”"),
        ((*add, "me", *clone, "--language", "no tag"), "write a tag such as en"),
        (("voices", "set", folder, "ghost", "--style", "x"), "There is no voice “ghost”"),
        (("voices", "set", folder, "heart"), "Say what of “heart” is to change"),
        (("voices", "set", folder, "heart", "--engine", ""), "A voice needs an engine"),
        (("voices", "check", folder, "ghost"), "There is no voice “ghost”"),
    ):
        assert sentence in said(*arguments), arguments
    assert (folder / "project.toml").read_text() == before
    assert not [*folder.glob("voices/*")]


def test_without_a_word_it_is_the_list(folder: Path) -> None:
    listed = done("voices", folder, cwd=folder.parent)
    assert listed == done("voices", "list", folder, cwd=folder.parent)
    ran = rhapsode("voices", "--json", folder, cwd=folder.parent)
    assert ran.data == listed
    assert rhapsode("voices", cwd=folder.parent).code == 2


@given(st.text())
def test_any_text_is_a_setting_or_no_setting(text: str) -> None:
    try:
        name, value = setting(text)
    except BadInput:
        return
    assert name
    assert value is None or isinstance(value, bool | int | float | str)


@pytest.mark.parametrize(
    ("typed", "value"),
    [
        ("a=1", 1),
        ("a = -0.5", -0.5),
        ("a=true", True),
        ("a=soft", "soft"),
        ('a="1"', "1"),
        ("a=b=c", "b=c"),
        ("a=", None),
        ("a=zero_shot", "zero_shot"),
    ],
)
def test_a_setting_is_what_it_looks_like(typed: str, value: object) -> None:
    assert setting(typed) == ("a", value)


def test_a_transcript_is_one_line() -> None:
    assert transcript(" The lamp\n went  out. ") == "The lamp went out."


def test_a_file_is_called_by_what_it_holds(tmp_path: Path) -> None:
    for kind in ("wav", "flac", "ogg", "aiff"):
        content = sound(tmp_path / f"a.{kind}").read_bytes()
        assert audio_suffix(content, Path("other.BIN")) == f".{kind}"
    assert audio_suffix(b"caff", Path("a.CAF")) == ".caf"
