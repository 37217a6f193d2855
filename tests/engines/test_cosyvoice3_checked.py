"""`rhapsode engines check` and a pull from a folder with the real engine and a tiny model.

The engine runs in an interpreter that has torch: the one that RHAPSODE_ENGINE_PYTHON names.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from rhapsode import done, rhapsode

PYTHON = os.environ.get("RHAPSODE_ENGINE_PYTHON", "")
TINY = Path(__file__).parents[1] / "engine" / "cosyvoice3"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="make test-engines makes the engine's own environment"),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder as the hub has it, but tiny."""
    folder = tmp_path / "Fun-CosyVoice3"
    code = f"import pathlib, tiny_model; tiny_model.build(pathlib.Path({str(folder)!r}))"
    subprocess.run([PYTHON, "-c", code], cwd=TINY, check=True, timeout=240)
    return folder


def listed(tmp_path: Path) -> dict[str, Any]:
    """What is said of it without starting it."""
    engines = done("engines", cwd=tmp_path)["engines"]
    found: dict[str, Any] = next(it for it in engines if it["name"] == "cosyvoice3")
    return found


def test_from_a_folder_with_weights_to_a_sentence(home: Path, tmp_path: Path, source: Path) -> None:
    assert listed(tmp_path)["state"] == "not installed"
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.cosyvoice3]\npython = {PYTHON!r}\nworkers = 1\n"
        "[engines.cosyvoice3.options]\nsteps = 2\n"
    )
    missing = rhapsode("engines", "check", "cosyvoice3", "--json", cwd=tmp_path)
    assert missing.code == 6
    assert "rhapsode engines pull cosyvoice3" in missing.data["error"]
    done("engines", "pull", "cosyvoice3", "--from", source, cwd=tmp_path)
    assert (listed(tmp_path)["state"], listed(tmp_path)["weights"]) == ("configured", "present")
    said = done("engines", "check", "cosyvoice3", cwd=tmp_path, timeout=300)
    assert said["audio_seconds"] > 0
    assert 4 < said["reference_seconds"] < 12
    assert said["card"]["options"]["steps"] == 2, "the user's options lie on top of the engine's"
    assert not [note for note in said["notes"] if "transcript" in note.lower()]
    facts = listed(tmp_path)
    assert (facts["backend"], facts["precision"], facts["device"]) == ("torch", "fp32", "cpu")
    assert facts["rtf"] == pytest.approx(said["synthesis_seconds"] / said["audio_seconds"])
    assert facts["model"] == str(home / "data" / "models" / "cosyvoice3")
    assert list((home / "data" / "voices" / "cosyvoice3").iterdir()), "features of the reference"
