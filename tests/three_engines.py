"""Three engines on one machine, each with its own interpreter: what tests of all of them need.

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

from studio.engines.catalogue import BUILT_IN

ENGINES = Path(__file__).parent / "engine"
TRANSCRIPT = "He said that the old man was in the house by the water."
BOOK = """\
# The Water

The old man came home.

He said so, and went.

The house by the water was old, and nobody asked.
"""
VOICES = {"heart": BUILT_IN, "cosy": "cosyvoice3", "qwen": "qwen3-tts"}


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


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Folders of the tiny models, by engine; nobody writes to them."""
    folder = tmp_path_factory.mktemp("models")
    modules = {
        "cosyvoice3": ("cosyvoice3", "tiny_model"),
        "qwen3-tts": ("qwen3_tts", "tiny_qwen"),
    }
    return {
        name: built(python, ENGINES / modules[name][0], modules[name][1], folder / name)
        for name, python in interpreters().items()
    }


@pytest.fixture
def machine(models: dict[str, Path], home: Path) -> dict[str, str]:
    """This machine has the three engines; their interpreters."""
    pythons = interpreters()
    lines = []
    for name, python in pythons.items():
        lines += [f"[engines.{name}]", f"python = {json.dumps(python)}", "spare = false"]
        lines += [f"[engines.{name}.options]", f"model = {json.dumps(str(models[name]))}"]
        lines += ['device = "cpu"', f"cache = {json.dumps(str(home / 'cache' / name))}"]
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("\n".join(lines) + "\n")
    return {**pythons, BUILT_IN: sys.executable}


def record(path: Path) -> Path:
    """Three seconds that are judged like speech: syllables, and a pause at the end."""
    moments = np.arange(3 * 24_000) / 24_000
    wave = sum(np.sin(2 * np.pi * 140 * n * moments + n) / n for n in range(1, 12))
    wave = wave * (1.2 + np.sin(2 * np.pi * 3.3 * moments))
    wave *= np.clip((moments[-1] - 0.2 - moments) / 0.05, 0.001, 1)
    soundfile.write(path, (0.25 * wave / np.abs(wave).max()).astype(np.float32), 24_000)
    return path


class Watch:
    """Notes down the engine processes below a process, for as long as it lasts."""

    def __init__(self, above: int | None = None) -> None:
        """Look below a process; this one by default."""
        self._above = psutil.Process(above)
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
            for process in self._above.children(recursive=True):
                try:
                    command = process.cmdline()
                except psutil.Error:
                    continue
                if "--narrator" in command:
                    self.seen[process.pid] = command[0]

    @property
    def left(self) -> list[int]:
        """Those that are still there, once they have had their time to leave."""
        deadline = time.monotonic() + 10
        while True:
            left = [pid for pid in self.seen if psutil.pid_exists(pid)]
            if not left or time.monotonic() > deadline:
                return left
            time.sleep(0.05)
