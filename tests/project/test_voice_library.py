"""The person's own voices: kept out of one book, taken into another, never exchanged unasked."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import soundfile
from bookmaking import make

from studio.errors import BadInput
from studio.project import voice_library
from studio.project.model import Voice
from studio.project.project import Project


def sound(path: Path, pitch: float = 200.0) -> Path:
    wave = np.sin(np.arange(24_000) * pitch * 2 * np.pi / 24_000) * 0.3
    soundfile.write(path, wave, 24_000)
    return path


def miller(reference: Path) -> Voice:
    return Voice(
        "miller",
        "clone",
        reference=str(reference),
        transcript="The lamp went out.",
        language="en-GB",
        style="calm",
        settings={"strength": 0.5, "mode": "zero_shot"},
        sample="Mind the step.",
    )


def test_a_voice_goes_from_one_book_into_another(tmp_path: Path) -> None:
    reference = sound(tmp_path / "me.wav")
    with make(tmp_path / "one") as first:
        first.put_voice(miller(reference))
        assert voice_library.keep(first.stored_voices()["miller"], first.folder)
        told = first.voices()["miller"].fingerprint
    reference.unlink()
    kept = voice_library.voice("miller")
    assert kept.fingerprint == told
    assert (kept.settings, kept.sample) == (
        {"strength": 0.5, "mode": "zero_shot"},
        "Mind the step.",
    )
    with make(tmp_path / "two") as second:
        second.put_voice(kept)
        there = second.voices()["miller"]
        assert there.fingerprint == told
        assert there.reference == "voices/miller.wav"
        assert (second.folder / there.reference).is_file()
        second.undo()
        assert "miller" not in second.voices()
        second.redo()
        assert second.voices()["miller"].fingerprint == told


def test_what_is_there_is_not_exchanged_unasked(tmp_path: Path) -> None:
    first = miller(sound(tmp_path / "one.wav"))
    other = replace(miller(sound(tmp_path / "two.wav", 300.0)), transcript="Another text.")
    assert voice_library.keep(first, tmp_path)
    assert not voice_library.keep(first, tmp_path)
    with pytest.raises(BadInput, match="another voice “miller”"):
        voice_library.keep(other, tmp_path)
    assert voice_library.voice("miller").transcript == "The lamp went out."
    assert voice_library.keep(other, tmp_path, over=True)
    assert voice_library.voice("miller").transcript == "Another text."
    # The recording of the first stays: somebody may look for it.
    assert len([*(voice_library.folder() / "audio").iterdir()]) == 2


def test_one_recording_is_kept_once(tmp_path: Path) -> None:
    first = miller(sound(tmp_path / "one.wav"))
    voice_library.keep(first, tmp_path)
    voice_library.keep(replace(first, id="old-tam", style="slow"), tmp_path)
    assert len([*(voice_library.folder() / "audio").iterdir()]) == 1
    assert [*voice_library.shelf().voices] == ["miller", "old-tam"]


def test_a_damaged_file_is_told_of_and_hides_no_other(tmp_path: Path) -> None:
    voice_library.keep(miller(sound(tmp_path / "one.wav")), tmp_path)
    (voice_library.folder() / "torn.toml").write_text('engine = "clo')
    (voice_library.folder() / "odd.toml").write_text('engine = "clone"\nloud = 3\n')
    (voice_library.folder() / "lost.toml").write_text('engine = "c"\nreference = "audio/no.wav"\n')
    (voice_library.folder() / "raw.toml").write_bytes(b"\xff\xfe\x00")
    shelf = voice_library.shelf()
    assert [*shelf.voices] == ["miller"]
    assert len(shelf.troubles) == 4
    assert any("“loud” means nothing" in it for it in shelf.troubles)
    assert all(str(voice_library.folder()) in it for it in shelf.troubles)


@pytest.mark.parametrize("name", ["ghost", "../miller", "", "a b"])
def test_a_name_that_is_none_is_a_sentence(name: str, tmp_path: Path) -> None:
    voice_library.keep(miller(sound(tmp_path / "one.wav")), tmp_path)
    with pytest.raises(BadInput, match="it has miller"):
        voice_library.voice(name)
    with pytest.raises(BadInput, match=r"An id is|There is no"):
        voice_library.keep(replace(miller(tmp_path / "one.wav"), id="a/b"), tmp_path)


def test_a_project_opens_with_what_it_took(tmp_path: Path) -> None:
    voice_library.keep(miller(sound(tmp_path / "one.wav")), tmp_path)
    with make(tmp_path / "two") as book:
        book.put_voice(voice_library.voice("miller"))
    for path in voice_library.folder().rglob("*.*"):
        path.unlink()
    with Project.open(tmp_path / "two") as book:
        assert book.notices == ()
        assert book.voices()["miller"].transcript == "The lamp went out."


def test_a_voice_that_cannot_be_used_is_in_the_way_until_it_is_exchanged(tmp_path: Path) -> None:
    voice = miller(sound(tmp_path / "me.wav"))
    voice_library.folder().mkdir(parents=True, exist_ok=True)
    broken = voice_library.folder() / "miller.toml"
    broken.write_text("engine [")
    with pytest.raises(voice_library.Taken, match=r"cannot be used: .*mend that line"):
        voice_library.keep(voice, tmp_path)
    assert broken.read_text() == "engine ["
    assert voice_library.keep(voice, tmp_path, over=True)
    assert voice_library.voice("miller").transcript == voice.transcript
    next((voice_library.folder() / "audio").iterdir()).unlink()
    with pytest.raises(voice_library.Taken, match="cannot be read"):
        voice_library.keep(replace(voice, style="loud"), tmp_path)


def test_a_name_that_is_none_is_not_offered_to_be_exchanged(tmp_path: Path) -> None:
    voice = replace(miller(sound(tmp_path / "me.wav")), id="../me")
    with pytest.raises(BadInput, match="An id is") as told:
        voice_library.keep(voice, tmp_path)
    assert not isinstance(told.value, voice_library.Taken)


def test_a_voice_that_was_taken_out_can_come_back(tmp_path: Path) -> None:
    first = miller(sound(tmp_path / "one.wav"))
    other = replace(first, style="loud")
    voice_library.keep(first, tmp_path)
    one = voice_library.voice("miller")
    voice_library.remove("miller")
    assert not voice_library.shelf().voices
    assert voice_library.removed() == ("miller",)
    # Two of one name are kept apart; the one that was taken out last comes back first.
    voice_library.keep(other, tmp_path)
    with pytest.raises(voice_library.Taken, match="has a voice “miller” by now"):
        voice_library.restore("miller")
    voice_library.remove("miller")
    voice_library.restore("miller")
    assert voice_library.voice("miller").style == "loud"
    voice_library.restore("miller", "tam")
    assert voice_library.voice("tam").fingerprint == one.fingerprint
    assert Path(voice_library.voice("tam").reference).is_file()
    assert voice_library.removed() == ()
    with pytest.raises(BadInput, match="No voice “miller” was taken out of your library"):
        voice_library.restore("miller")


@pytest.mark.parametrize("name", ["ghost", "../miller", "mil*", ""])
def test_what_is_not_in_the_library_is_not_taken_out(name: str, tmp_path: Path) -> None:
    voice_library.keep(miller(sound(tmp_path / "one.wav")), tmp_path)
    with pytest.raises(BadInput, match="it has miller"):
        voice_library.remove(name)
    voice_library.remove("miller")
    with pytest.raises(BadInput, match=r"\(miller\)"):
        voice_library.restore(name)


def test_a_damaged_voice_is_taken_out_too(tmp_path: Path) -> None:
    voice_library.keep(miller(sound(tmp_path / "one.wav")), tmp_path)
    (voice_library.folder() / "miller.toml").write_text("engine = [")
    assert voice_library.shelf().troubles
    voice_library.remove("miller")
    assert voice_library.shelf() == voice_library.Shelf({})
