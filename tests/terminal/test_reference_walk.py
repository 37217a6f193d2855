"""A recording becomes a voice in a real terminal: the listener hears the embedded voice."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import psutil
import pytest
import soundfile
from tmux import Terminal, terminal

from studio.project.model import Voice
from studio.project.project import Project

pytestmark = [pytest.mark.terminal, pytest.mark.slow]

SENTENCES = (
    "The old man walked slowly down the hill.",
    "She had waited many years for a letter.",
    "Nobody saw him leave the village.",
)


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three sentences, with pauses, as one would speak them into a telephone."""
    from hibari import Hibari

    voice = Hibari(threads=1)
    pause = np.zeros(12_000, np.float32)
    parts = [pause, *(it for text in SENTENCES for it in (np.asarray(voice(text)), pause))]
    path = tmp_path_factory.mktemp("said") / "memo.wav"
    soundfile.write(path, np.concatenate(parts) * 0.3, 24_000)
    return path


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book with a voice of an engine that clones, which is not here."""
    from studio.commands.importing import new

    manuscript = tmp_path / "ferry.md"
    manuscript.write_text("# The Landing\n\nThe last ferry had left.\n")
    new(manuscript, to=tmp_path / "ferry", voice=None, language=None, quiet=True)
    with Project.open(tmp_path / "ferry") as project:
        project.put_voice(Voice("miller", "clone", language=""))
    return tmp_path / "ferry"


@pytest.fixture(params=[(120, 36), (80, 24)], ids=["wide", "narrow"])
def window(request: pytest.FixtureRequest, book: Path, home: Path) -> Iterator[Terminal]:
    size = request.param
    environment = {
        "RHAPSODE_HOME": str(home),
        "TEXTUAL_ANIMATIONS": "none",
        "LANG": "C.UTF-8",
    }
    with terminal(f"reference-{size[0]}") as opened:
        command = [sys.executable, "-m", "studio", "open", str(book)]
        opened.start(command, size, book.parent, environment)
        opened.wait("The Landing", "draft")
        yield opened


def below(window: Terminal, word: str) -> list[psutil.Process]:
    """Processes below the window’s with a word in their command."""
    found = psutil.Process(window.pid()).children(recursive=True)
    return [it for it in found if word in it.cmdline()]


def test_a_recording_becomes_a_voice(window: Terminal, book: Path, recording: Path) -> None:
    window.keys("g", "v")
    window.wait("Voices ·", "miller")
    window.keys("j")
    window.keys("p")
    window.wait("A recording for miller")
    window.type(str(recording))
    window.keys("Enter")
    window.wait("Reference for miller", "Shorter is quicker")
    shown = window.wait("by the listener", "not confirmed")
    assert "village" in shown
    window.keys("w")
    window.wait("tab next doubtful")
    deadline = time.monotonic() + 30
    while "all confirmed" not in (shown := window.text()):
        assert time.monotonic() < deadline, shown
        window.keys("a", "Tab", "Enter")
        time.sleep(0.1)
    window.keys("C-e")
    window.wait("Voice miller", "ctrl-e keeps")
    window.keys("C-e")
    window.wait("The voice miller is changed")
    listeners = below(window, "--listener")
    assert listeners
    window.keys("C-q")
    window.wait("exit 0")
    assert not psutil.wait_procs(listeners, 10)[1], "a listener was left behind"
    with Project.open(book) as project:
        voice = project.voices()["miller"]
        assert voice.reference == "voices/miller.flac"
        assert len(voice.transcript.split()) >= 12
        assert project.history()[0].label == "changed the voice miller"
