"""`rhapsode hear`: what the embedded narrator says is written down by the embedded listener."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import soundfile
from rhapsode import done, rhapsode

TEXT = "The old man walked slowly down the hill."


def plain(text: str) -> list[str]:
    return "".join(it for it in text.lower() if it.isalpha() or it == " ").split()


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in which the embedded narrator says `TEXT`."""
    from hibari import Hibari

    path = tmp_path_factory.mktemp("said") / "said.flac"
    soundfile.write(path, np.asarray(Hibari(threads=1)(TEXT)), 24000)
    return path


def test_what_is_said_is_written_down_with_its_times(said: Path, tmp_path: Path) -> None:
    data = done("hear", said, cwd=tmp_path)
    wrong = sum(a != b for a, b in zip(plain(data["text"]), plain(TEXT), strict=True))
    assert wrong <= 1, data["text"]
    assert [it["text"] for it in data["words"]] == data["text"].split()
    assert all(0 < it["probability"] <= 1 for it in data["words"])
    assert data["words"][-1]["end"] <= data["audio_seconds"]
    assert data["language"] == "en"


def test_what_cannot_be_heard_is_told_in_a_sentence(said: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.wav")
    for words, told in (
        (("hear", tmp_path / "none.wav"), "does not exist"),
        (("hear", tmp_path / "pipe.wav"), "is no file"),
        (("hear", tmp_path), "is a folder"),
        (("hear", Path(__file__)), "no sound that is known"),
        (("hear", said, "--language", "fr"), "English only"),
    ):
        result = rhapsode(*words, cwd=tmp_path)
        assert result.code == 5, result.err
        assert told in result.err
        assert result.err.count("\n") == 1
