"""`rhapsode engines check` and a pull from a folder with Qwen3-TTS and a tiny model.

The engine runs in an interpreter that has mlx-audio: the one that RHAPSODE_QWEN_PYTHON names.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from rhapsode import done, rhapsode

PYTHON = os.environ.get("RHAPSODE_QWEN_PYTHON", "")
TINY = Path(__file__).parents[1] / "engine" / "qwen3_tts"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYTHON, reason="make test-engines makes the engine's own environment"),
]


def built(folder: Path, kind: str) -> Path:
    """A folder as the hub has it, but tiny."""
    subprocess.run(
        [PYTHON, "tiny_qwen.py", str(folder), kind],
        cwd=TINY,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
        check=True,
        timeout=240,
    )
    return folder


@pytest.mark.parametrize("kind", ["base", "custom_voice", "voice_design"])
def test_from_a_folder_with_weights_to_a_sentence(home: Path, tmp_path: Path, kind: str) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.qwen3-tts]\npython = {json.dumps(PYTHON)}\n"
    )
    missing = rhapsode("engines", "check", "qwen3-tts", "--json", cwd=tmp_path)
    assert missing.code == 6
    assert "rhapsode engines pull qwen3-tts" in missing.data["error"]
    done("engines", "pull", "qwen3-tts", "--from", built(tmp_path / "tiny", kind), cwd=tmp_path)
    said = done("engines", "check", "qwen3-tts", cwd=tmp_path, timeout=300)
    assert said["audio_seconds"] > 0
    assert (said["reference_seconds"] > 0) == (kind == "base"), "only Base clones"
    assert said["card"]["options"]["kind"] == kind
    engines = {it["name"]: it for it in done("engines", cwd=tmp_path)["engines"]}
    listed = engines["qwen3-tts"]
    assert (listed["weights"], listed["backend"], listed["precision"]) == ("present", "mlx", "fp32")
    assert set(listed["languages"]) == {"en", "zh", "de"}
    assert listed["baseline"] > 10_000_000
    assert listed["rtf"] > 0
    table = rhapsode("engines", cwd=tmp_path)
    assert "qwen3-tts speaks zh, en, de" in table.out
    assert "memory" in table.out.splitlines()[0]
