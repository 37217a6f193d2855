"""Three engines in one session of the studio, in a real terminal: narrated, exported, verified."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import soundfile
from three_engines import BOOK, TRANSCRIPT, VOICES, Watch, machine, models, record
from tmux import terminal

from studio.commands.importing import new
from studio.project.model import Voice
from studio.project.project import Project

__all__ = ["machine", "models"]

pytestmark = [pytest.mark.terminal, pytest.mark.slow]


def read_by_three(folder: Path) -> Path:
    """A chapter of four segments; the middle ones are read by voices of engines of their own."""
    (folder / "water.md").write_text(BOOK, encoding="utf-8")
    new(folder / "water.md", to=folder / "book", voice=None, language="en")
    reference = record(folder / "me.wav").rename(folder / "book" / "me.wav")
    with Project.open(folder / "book") as project:
        uids = [it.uid for it in project.segments()]
        for uid, voice in zip(uids[1:], ("cosy", "qwen"), strict=False):
            given = {"reference": reference.name, "transcript": TRANSCRIPT}
            project.put_voice(Voice(voice, VOICES[voice], **given))
            project.set_voice([uid], voice)
    return folder / "book"


def test_one_session_on_a_screen(machine: dict[str, str], tmp_path: Path, home: Path) -> None:
    book = read_by_three(tmp_path)
    given = {"RHAPSODE_HOME": str(home), "TEXTUAL_ANIMATIONS": "none", "LANG": "C.UTF-8"}
    with terminal("three-engines") as window:
        command = [sys.executable, "-m", "studio", "open", str(book)]
        window.start(command, (120, 36), tmp_path, given)
        window.wait("The Water", "draft")
        with Watch(window.pid()) as watch:
            window.keys("g", "c")
            window.wait("made     4", "queue    0", seconds=240)
            running = {machine[engine] for engine in VOICES.values()}
            assert set(watch.seen.values()) == running, "each in its own interpreter"
            assert all(map(psutil.pid_exists, watch.seen)), "they stay for the next line"
        window.keys("E")
        window.wait("Export as WAV", "every segment has a current take", seconds=60)
        window.keys("Enter")
        window.wait("written:", seconds=60)
        window.keys("Escape")
        window.wait("Export as WAV", gone=True)
        window.keys("q")
        window.wait("exit 0")
    assert watch.left == [], "an engine outlived the studio"
    (file,) = book.glob("exports/*.wav")
    assert soundfile.info(file).duration > 2
    with Project.open(book, read_only=True) as project:
        takes = [project.take(it.chosen) for it in project.segments() if it.chosen is not None]
    engines = ["hibari", "cosyvoice3", "qwen3-tts", "hibari"]
    assert [take.recipe["engine"] for take in takes] == engines
    verify = [sys.executable, "-m", "studio", "verify", str(book), "--json"]
    with Watch() as again:
        ran = subprocess.run(verify, capture_output=True, text=True, timeout=400, check=False)
    assert ran.returncode == 0, ran.stderr
    assert (json.loads(ran.stdout)["same"], again.left) == (4, [])
