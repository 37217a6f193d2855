"""What each side loads when it starts, read from a process of its own.

Static contracts cannot see what a deferred import does; this can.
"""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

HEAVY = {
    "torch",
    "mlx",
    "transformers",
    "onnx",
    "onnxruntime",
    "faster_whisper",
    "ctranslate2",
    "hibari",
    "scipy",
    "av",
}


def loaded_by(code: str) -> set[str]:
    """Top-level names in `sys.modules` after this code, in a fresh process."""
    script = code + (
        "\nimport sys, json\nprint(json.dumps(sorted(name for name in sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def top(modules: set[str]) -> set[str]:
    """The packages that these modules belong to."""
    return {name.partition(".")[0] for name in modules}


def test_the_studio_starts_without_a_model() -> None:
    modules = loaded_by("import studio.ui.app, studio.ui.screens.studio, studio.ui.screens.export")
    assert "textual" in top(modules)
    assert top(modules) & HEAVY == set()
    assert {name for name in modules if name.startswith("engine.")} <= {
        "engine.wire",
        "engine.memory",
    }


def test_a_sound_is_stretched_without_loading_what_stretches_it() -> None:
    modules = loaded_by(
        "import numpy as np\n"
        "from studio.sound.source import ClipSource\n"
        "from studio.sound.stretching import Stretched, Tempo\n"
        "tempo = Tempo()\n"
        "tempo.speed = 1.5\n"
        "sound = Stretched(ClipSource(np.full(24000, 0.5, np.float32), 24000), tempo)\n"
        "assert np.abs(sound.read(0, 8000)).max() > 0.1 and not sound.pace.normal\n"
        "tempo.close()"
    )
    assert "studio.sound.stretching" in modules
    assert top(modules) & HEAVY == set()


def test_a_book_is_shown_before_sound_and_engines_are_loaded() -> None:
    modules = loaded_by("import studio.commands.opening, studio.ui.app")
    assert top(modules) & {"numpy", "soundfile", "soxr", "sounddevice", "psutil"} == set()
    assert not {name for name in modules if name.startswith(("engine.", "studio.narration.dir"))}


@pytest.mark.parametrize(
    "module",
    [
        "studio.cli",
        "studio.commands.benching",
        "studio.commands.narrating",
        "studio.commands.exporting",
        "studio.commands.engines",
        "studio.commands.hearing",
        "studio.commands.importing",
        "studio.commands.installing",
        "studio.commands.soaking",
        "studio.commands.verifying",
        "studio.tools.doctor",
    ],
)
def test_commands_start_without_a_model_or_a_screen(module: str) -> None:
    packages = top(loaded_by(f"import {module}"))
    assert packages & HEAVY == set()
    assert packages & {"textual", "rich"} == set()


def test_a_hub_is_known_to_a_download_alone() -> None:
    modules = top(
        loaded_by("import studio.commands.engines, studio.commands.installing, studio.ui.app")
    )
    assert not modules & {"huggingface_hub", "httpx2", "packaging", "tqdm", "yaml"}
    assert "huggingface_hub" in top(loaded_by("import studio.engines.pulling"))


def test_the_parser_alone_is_light() -> None:
    packages = top(loaded_by("import studio.cli; studio.cli.build_parser()"))
    assert packages & (HEAVY | {"numpy", "soundfile", "lxml", "sqlite3", "psutil"}) == set()


def test_the_engine_never_loads_the_studio() -> None:
    modules = loaded_by("import engine.server, engine.registry, engine.narrators.hibari")
    assert "studio" not in top(modules)


def test_wire_and_memory_are_standard_library_only() -> None:
    plain = top(loaded_by(""))
    added = top(loaded_by("import engine.wire, engine.memory")) - plain - {"engine"}
    assert added <= set(sys.stdlib_module_names)
