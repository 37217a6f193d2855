"""One chapter, voices of three engines: narrated, exported and verified by one studio.

CosyVoice3 and Qwen3-TTS want libraries that one environment cannot have, so each runs in the one
that RHAPSODE_ENGINE_PYTHON and RHAPSODE_QWEN_PYTHON name; the third is the embedded engine. Without
both the tests are skipped, unless RHAPSODE_NEED_ENGINES is set. The models are tiny.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
import soundfile
from rhapsode import done, rhapsode

from studio.project.project import Project

ENGINES = Path(__file__).parents[1] / "engine"
TRANSCRIPT = "He said that the old man was in the house by the water."
BOOK = """\
# The Water

The old man came home.

He said so, and went.

The house by the water was old, and nobody asked.
"""
VOICES = {"heart": "hibari", "cosy": "cosyvoice3", "qwen": "qwen3-tts"}

pytestmark = pytest.mark.slow


def interpreters() -> dict[str, str]:
    """The interpreter of each engine that has its own."""
    names = {"cosyvoice3": "RHAPSODE_ENGINE_PYTHON", "qwen3-tts": "RHAPSODE_QWEN_PYTHON"}
    missing = [name for name in names.values() if not os.environ.get(name)]
    if missing:
        reason = f"{' and '.join(missing)} must name the engines' interpreters"
        if os.environ.get("RHAPSODE_NEED_ENGINES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return {engine: os.environ[name] for engine, name in names.items()}


def built(python: str, folder: Path, module: str, to: Path) -> Path:
    """A tiny model, made by its engine's interpreter."""
    code = f"import sys, pathlib, {module}; {module}.build(pathlib.Path(sys.argv[1]))"
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    made = subprocess.run(
        [python, "-c", code, str(to)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    return to


@pytest.fixture
def machine(tmp_path: Path, home: Path) -> dict[str, str]:
    """This machine has the three engines; their interpreters."""
    pythons = interpreters()
    models = {
        "cosyvoice3": ("cosyvoice3", "tiny_model"),
        "qwen3-tts": ("qwen3_tts", "tiny_qwen"),
    }
    lines = []
    for name, python in pythons.items():
        package, module = models[name]
        model = built(python, ENGINES / package, module, tmp_path / f"model-{name}")
        lines += [f"[engines.{name}]", f"python = {json.dumps(python)}", "spare = false"]
        lines += [f"[engines.{name}.options]", f"model = {json.dumps(str(model))}"]
        lines += ['device = "cpu"', f"cache = {json.dumps(str(home / 'cache' / name))}"]
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("\n".join(lines) + "\n")
    return {**pythons, "hibari": sys.executable}


def record(path: Path) -> Path:
    """Three seconds that are judged like speech: syllables, and a pause at the end."""
    moments = np.arange(3 * 24_000) / 24_000
    wave = sum(np.sin(2 * np.pi * 140 * n * moments + n) / n for n in range(1, 12))
    wave = wave * (1.2 + np.sin(2 * np.pi * 3.3 * moments))
    wave *= np.clip((moments[-1] - 0.2 - moments) / 0.05, 0.001, 1)
    soundfile.write(path, (0.25 * wave / np.abs(wave).max()).astype(np.float32), 24_000)
    return path


class Watch:
    """Notes down the engine processes below this one, for as long as it lasts."""

    def __init__(self) -> None:
        self.seen: dict[int, str] = {}
        self._ends = threading.Event()
        self._thread = threading.Thread(target=self._look)

    def __enter__(self) -> Watch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._ends.wait(0.05):
            for process in psutil.Process().children(recursive=True):
                try:
                    command = process.cmdline()
                except psutil.Error:
                    continue
                if "--narrator" in command:
                    self.seen[process.pid] = command[0]

    @property
    def left(self) -> list[int]:
        """Those that are still there."""
        return [pid for pid in self.seen if psutil.pid_exists(pid)]


def test_a_chapter_of_three_engines(machine: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "water.md").write_text(BOOK, encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    given = ("--reference", record(tmp_path / "me.wav"), "--transcript", TRANSCRIPT)
    for voice in ("cosy", "qwen"):
        done("voices", "add", "book", voice, "--engine", VOICES[voice], *given, cwd=tmp_path)
    done("voices", "book", "--assign", "cosy", "--segments", "2", cwd=tmp_path)
    done("voices", "book", "--assign", "qwen", "--segments", "3", cwd=tmp_path)
    with Watch() as watch:
        told = done("narrate", "book", cwd=tmp_path, timeout=400)
    assert told["failed"] == []
    assert told["crashes"] == 0
    assert set(watch.seen.values()) == set(machine.values()), "each in its own interpreter"
    deadline = time.monotonic() + 10
    while watch.left and time.monotonic() < deadline:
        time.sleep(0.05)
    assert watch.left == []
    with Project.open(tmp_path / "book", read_only=True) as project:
        takes = [project.take(it.chosen) for it in project.segments() if it.chosen is not None]
        engines = [take.recipe["engine"] for take in takes]
        backends = [take.recipe["backend"] for take in takes]
    assert engines == ["hibari", "cosyvoice3", "qwen3-tts", "hibari"]
    assert backends == ["onnxruntime", "torch", "mlx", "onnxruntime"]
    exported = done("export", "book", cwd=tmp_path)
    assert {(level["voice"], level["engine"]) for level in exported["levels"]} == {*VOICES.items()}
    (file,) = exported["files"]
    assert soundfile.info(tmp_path / file["path"]).duration == pytest.approx(
        file["seconds"], abs=0.01
    )
    verified = done("verify", "book", cwd=tmp_path, timeout=400)
    assert (verified["differences"], verified["same"]) == ([], 4)
    assert watch.left == []


def test_a_blank_transcript_is_told_before_a_book_is_read(
    machine: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "water.md").write_text(BOOK, encoding="utf-8")
    done("new", "water.md", "--to", "book", cwd=tmp_path)
    reference = ("--reference", record(tmp_path / "me.wav"), "--transcript", "")
    done("voices", "add", "book", "mute", "--engine", "qwen3-tts", *reference, cwd=tmp_path)
    ran = rhapsode("voices", "check", "book", "mute", cwd=tmp_path)
    assert ran.code != 0
    assert "no transcript, and would say garbled words" in ran.err + ran.out
