"""A voice out of a recording, without a screen: trimmed, levelled, transcribed, kept, taken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soundfile
from rhapsode import done, rhapsode

from studio.command_line.values import Trim, trim
from studio.commands.preparing_voices import confirmed
from studio.errors import BadInput
from studio.project.project import Project
from studio.review.proposal import Proposal, SaidWord

SENTENCES = (
    "The old man walked slowly down the hill.",
    "She had waited many years for a letter.",
    "Nobody saw him leave the village.",
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sentences, with pauses."""
    from hibari import Hibari

    voice = Hibari(threads=1)
    pause = np.zeros(12_000, np.float32)
    parts = [pause, *(it for text in SENTENCES for it in (np.asarray(voice(text)), pause))]
    path = tmp_path_factory.mktemp("said") / "memo.wav"
    soundfile.write(path, np.concatenate(parts), 24_000)
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "ferry.md").write_text("# The Landing\n\nThe last ferry had left.\n")
    done("new", "ferry.md", "--to", "ferry", cwd=tmp_path)
    return tmp_path / "ferry"


def test_a_recording_becomes_a_voice_of_two_books(folder: Path, recording: Path) -> None:
    place = folder.parent
    add = ("voices", "add", folder, "miller", "--engine", "clone", "--reference", recording)
    refused = rhapsode(*add, "--trim", "best:5", "--transcribe", cwd=place)
    assert refused.code == 5
    assert "Nothing is stored before somebody has confirmed it" in refused.err
    assert "the hill" in refused.err or "a letter" in refused.err
    assert not (folder / "voices").exists()
    refused = rhapsode(*add, "--trim", "0.5-4", cwd=place)
    assert refused.code == 5
    # The cut is a file of the program's own, which is gone by now.
    assert "Say what is said in memo.wav from 0.50 to 4.00 s, word for word" in refused.err
    ran = rhapsode(*add, "--trim", "best:5", "--transcript", "Two of them.", cwd=place)
    assert ran.code == 0, ran.err
    assert "Cut out of memo.wav" in ran.out
    with Project.open(folder) as project:
        voice = project.voices()["miller"]
        assert project.history()[0].label == "added the voice miller"
    info = soundfile.info(folder / voice.reference)
    assert info.format == "FLAC"
    assert 2.5 < info.duration < 6.6
    assert done("voices", "keep", folder, "miller", cwd=place)["changed"]
    assert [it["id"] for it in done("voices", "library", cwd=place)["voices"]] == ["miller"]
    (place / "bell.md").write_text("# The Bell\n\nIt rang.\n")
    done("new", "bell.md", "--to", "bell", cwd=place)
    assert done("voices", "take", place / "bell", "miller", cwd=place)["changed"]
    assert not done("voices", "take", place / "bell", "miller", cwd=place)["changed"]
    with Project.open(place / "bell") as project:
        assert project.voices()["miller"].fingerprint == voice.fingerprint
        project.undo()
        assert "miller" not in project.voices()


def test_a_voice_is_put_into_the_library_at_once(folder: Path, recording: Path) -> None:
    place = folder.parent
    add = ("voices", "add", "--library", "tam", "--engine", "clone")
    data = done(*add, "--reference", recording, "--trim", "0.4-3", "--transcript", "x", cwd=place)
    assert data["library"]
    assert rhapsode(*add, "--style", "slow", cwd=place).code == 5
    done("voices", "take", folder, "tam", "--as", "old-tam", cwd=place)
    done("voices", "set", folder, "old-tam", "--style", "slow", cwd=place)
    refused = rhapsode("voices", "keep", folder, "old-tam", "--as", "tam", cwd=place)
    assert refused.code == 5
    assert "--replace" in refused.err
    done("voices", "keep", folder, "old-tam", "--as", "tam", "--replace", cwd=place)
    assert done("voices", "library", cwd=place)["voices"][0]["style"] == "slow"


def test_what_cannot_be_is_one_sentence(folder: Path, recording: Path) -> None:
    place = folder.parent
    add = ("voices", "add", folder, "me", "--engine", "clone")
    said = ("--reference", recording, "--transcript", "x")
    for words, told, code in (
        ((*add, "--trim", "best:5"), "name it: --reference FILE", 5),
        ((*add, *said, "--transcribe"), "leave one of them out", 5),
        ((*add, *said, "--trim", "best:90"), "names no seconds", 2),
        ((*add, *said, "--trim", "3-2"), "names no seconds", 2),
        ((*add, *said, "--trim", "500-510"), "nothing is at 500 s", 5),
        (("voices", "add", "me", "--engine", "clone"), "one of the two", 5),
        ((*add, "--library"), "one of the two", 5),
        (("voices", "take", folder, "ghost"), "There is no voice “ghost” in your library", 5),
        (("voices", "keep", folder, "ghost"), "There is no voice “ghost”", 5),
        (("voices", "keep", folder, "heart", "--as", "a b"), "An id is up to 32 letters", 5),
    ):
        ran = rhapsode(*words, cwd=place)
        assert ran.code == code, (words, ran.err)
        assert told in ran.err, (words, ran.err)
    with Project.open(folder) as project:
        assert [*project.voices()] == ["heart"]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("best", Trim(best=8.0)),
        ("best:5.5", Trim(best=5.5)),
        ("1.5-9", Trim(start=1.5, end=9.0)),
        ("1:02.5–1:10", Trim(start=62.5, end=70.0)),
    ],
)
def test_seconds_are_written_as_one_likes(text: str, wanted: Trim) -> None:
    assert trim(text) == wanted


def proposal() -> Proposal:
    texts = (("The", 0.9), ("fairy", 0.3), ("left.", 0.9))
    return Proposal([SaidWord(text, at, at + 1, sure) for at, (text, sure) in enumerate(texts)])


def test_a_person_is_asked_about_doubtful_words_and_about_the_whole() -> None:
    asked: list[str] = []

    def answers(*lines: str) -> object:
        given = iter(lines)

        def ask(question: str) -> str:
            asked.append(question)
            return next(given)

        return ask

    assert confirmed(proposal(), asking=True, ask=answers("ferry", "y")) == "The ferry left."
    assert "is it “fairy” (30%)?" in asked[0]
    assert asked[1].startswith("The ferry left.\n")
    assert confirmed(proposal(), asking=True, ask=answers("", "yes")) == "The fairy left."
    assert confirmed(proposal(), asking=True, ask=answers("-", "y")) == "The left."
    with pytest.raises(BadInput, match="Nothing was stored"):
        confirmed(proposal(), asking=True, ask=answers("ferry", ""))
    with pytest.raises(BadInput, match="⟨fairy⟩"):
        confirmed(proposal(), asking=False)
