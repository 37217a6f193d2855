"""A book narrated by CosyVoice3, from its voice to the WAV file: real processes, a tiny model.

The engine runs in an interpreter that has torch: the one that RHAPSODE_ENGINE_PYTHON names, else
the one of the tests. Without torch there the test is skipped, unless RHAPSODE_NEED_ENGINES is set.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from rhapsode import done, rhapsode

from studio.project.model import State
from studio.project.project import Project
from studio.project.tokens import TOKENS_BLOB, tokens_hash

PYTHON = os.environ.get("RHAPSODE_ENGINE_PYTHON") or sys.executable
TINY = Path(__file__).parents[1] / "engine" / "cosyvoice3"
TRANSCRIPT = "He said that the old man was in the house by the water."
BOOK = """\
# The Water

The old man came home. He said so, and went.

Was it more than this? “No,” he said.

* * *

The house by the water was old, and the man who had come to see it knew more than he said.
"""
SAMPLES_PER_TOKEN = 960

pytestmark = pytest.mark.slow


def run(*code: str) -> subprocess.CompletedProcess[str]:
    """Run the engine's interpreter beside the module that makes tiny models."""
    return subprocess.run(
        [PYTHON, *code],
        cwd=TINY,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders of tiny models: ``plain``, and ``endless``, whose lines never end by themselves."""
    found = run("-c", "import torch, torchaudio, tokenizers, onnx, onnxruntime, soundfile")
    if found.returncode:
        reason = f"{PYTHON} lacks what CosyVoice3 needs: {found.stderr.strip().splitlines()[-1]}"
        if os.environ.get("RHAPSODE_NEED_ENGINES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("models")
    code = (
        "import sys, pathlib, tiny_model; to = pathlib.Path(sys.argv[1]);"
        "tiny_model.build(to / 'plain'); tiny_model.build(to / 'endless', endless=True)"
    )
    made = run("-c", code, str(folder))
    assert made.returncode == 0, made.stderr
    return folder


def configure(home: Path, model: Path, *, max_clips: int = 0, **options: Any) -> None:
    """Let this machine have the engine, with these load options."""
    (home / "config").mkdir(exist_ok=True)
    said = {"model": str(model), "device": "cpu", "cache": str(home / "cache"), **options}
    lines = ["[engines.cosyvoice3]", f"python = {json.dumps(PYTHON)}", f"max_clips = {max_clips}"]
    lines += ["spare = false", "[engines.cosyvoice3.options]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in said.items()]
    (home / "config" / "config.toml").write_text("\n".join(lines) + "\n")


def record(path: Path, gain: float = 1.0) -> Path:
    """Three seconds that are judged like speech: syllables, and a pause at the end."""
    time = np.arange(3 * 24_000) / 24_000
    wave = sum(np.sin(2 * np.pi * 140 * n * time + n) / n for n in range(1, 12))
    wave = wave * (1.2 + np.sin(2 * np.pi * 3.3 * time))
    wave *= np.clip((time[-1] - 0.2 - time) / 0.05, 0.001, 1)
    wave = np.clip(gain * 0.25 * wave / np.abs(wave).max(), -1, 1)
    soundfile.write(path, wave.astype(np.float32), 24_000)
    return path


def made_book(place: Path, name: str, gain: float = 1.0) -> Path:
    """A book whose every line is read by a voice with a reference."""
    (place / "water.md").write_text(BOOK, encoding="utf-8")
    done("new", "water.md", "--to", name, cwd=place)
    reference = ("--reference", record(place / "me.wav", gain), "--transcript", TRANSCRIPT)
    done("voices", "add", name, "me", "--engine", "cosyvoice3", *reference, cwd=place)
    done("voices", name, "--assign", "me", "--chapter", "1", cwd=place)
    return place / name


def hashes(folder: Path) -> list[str | None]:
    """PCM hash of each segment's chosen take."""
    return [row["pcm_hash"] for row in done("segments", folder, cwd=folder)["segments"]]


def test_from_a_voice_to_the_exported_file(models: Path, tmp_path: Path, home: Path) -> None:
    configure(home, models / "plain", overlap=False)
    book = made_book(tmp_path, "one")
    checked = done("voices", "check", book, "me", cwd=tmp_path)
    assert checked["warnings"] == []
    alone = done("narrate", book, cwd=tmp_path)
    assert (alone["recycles"], alone["crashes"], alone["failed"]) == (0, 0, [])
    expected = hashes(book)
    assert len(set(expected)) == alone["made"] + 1, "one is silence"

    # Another process for every two clips, in the middle of the book, both stages side by side.
    configure(home, models / "plain", overlap=True, max_clips=2)
    again = made_book(tmp_path, "two")
    other = done("narrate", again, cwd=tmp_path)
    assert other["recycles"] >= 1
    assert other["crashes"] == 0
    assert hashes(again) == expected

    with Project.open(book) as project:
        for segment in project.segments():
            for take in project.takes(segment.uid):
                tokens = project.blob(take.id, TOKENS_BLOB) or b""
                assert take.frames == SAMPLES_PER_TOKEN * len(array("i", tokens))
                assert take.recipe["options"] == {"steps": 10}
                assert take.recipe["precision"] == "fp32"
                assert {"llm", "flow", "vocoder"} <= take.provenance["stages"].keys()

    assert done("verify", book, cwd=tmp_path)["differences"] == []
    exported = done("export", book, cwd=tmp_path)
    (wav,) = Path(book / "exports").glob("*.wav")
    assert exported
    info = soundfile.info(wav)
    assert info.samplerate == 24_000
    assert info.duration > alone["audio_seconds"], "and the pauses between"


def test_kept_tokens_are_voiced_again_with_other_steps(
    models: Path, tmp_path: Path, home: Path
) -> None:
    configure(home, models / "plain")
    book = made_book(tmp_path, "steps")
    done("narrate", book, "--segments", "2-3", cwd=tmp_path)
    before = hashes(book)
    configure(home, models / "plain", steps=4)
    told = done("narrate", book, "--segments", "2-3", "--replay", cwd=tmp_path)
    assert [it["number"] for it in told["made"]] == [2, 3]
    assert hashes(book) == before
    with Project.open(book) as project:
        for segment in project.segments()[1:3]:
            old, new = project.takes(segment.uid)
            tokens = project.blob(old.id, TOKENS_BLOB) or b""
            assert new.recipe["tokens"] == tokens_hash(tokens)
            assert (new.frames, new.recipe["options"]) == (old.frames, {"steps": 4})
            assert "llm" not in new.provenance["stages"]
            project.choose_take(segment.uid, new.id)
    assert done("verify", book, cwd=tmp_path)["same"] == 2


def test_a_line_that_does_not_end_is_flagged(models: Path, tmp_path: Path, home: Path) -> None:
    configure(home, models / "endless")
    book = made_book(tmp_path, "endless", gain=12.0)
    told = done("narrate", book, "--segments", "1", cwd=tmp_path)
    assert told["flagged"] == [1]
    assert [note for note in told["voice_notes"] if "clip" in note], told["voice_notes"]
    assert all(note.startswith("Voice “me”: ") for note in told["voice_notes"])
    with Project.open(book, read_only=True) as project:
        first = project.segments()[0]
        assert first.state() is State.FLAGGED
        assert first.findings[0].startswith("runaway: ")
    ran = rhapsode("segments", book, "--state", "flagged", cwd=tmp_path)
    assert len(ran.out.splitlines()) == 2
