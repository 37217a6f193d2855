"""`rhapsode bench engines` over three engines at once: every column of its table is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
from rhapsode import done, rhapsode
from three_engines import TRANSCRIPT, VOICES, Watch, machine, models, record

__all__ = ["machine", "models"]

pytestmark = pytest.mark.slow

LINES = ("The old man came home.", "Nobody asked.")


def size(folder: Path) -> int:
    """Bytes of a model's files."""
    return sum(it.stat().st_size for it in folder.rglob("*") if it.is_file())


def test_three_engines_side_by_side(
    machine: dict[str, str], models: dict[str, Path], tmp_path: Path
) -> None:
    (tmp_path / "lines.txt").write_text("\n".join(LINES), encoding="utf-8")
    reference = record(tmp_path / "me.wav")
    said = ("--sentences", "lines.txt", "--reference", reference, "--transcript", TRANSCRIPT)
    names = [*VOICES.values()]
    with Watch() as watch:
        found = done("bench", "engines", *names, *said, cwd=tmp_path, timeout=400)
    assert set(watch.seen.values()) == set(machine.values()), "each in its own interpreter"
    assert watch.left == []
    assert [it["engine"] for it in found["engines"]] == names
    for it in found["engines"]:
        assert (it["sentences"], it["failed"]) == (len(LINES), [])
        assert it["audio_seconds"] > 0
        assert it["seconds"] > 0
        # Tiny random models say next to nothing, and milliseconds are rounded.
        assert abs(it["rtf"] * it["audio_seconds"] - it["seconds"]) <= 0.0006 * it["rtf"] + 0.0001
        assert it["load_seconds"] > 0
        assert it["peak"] >= it["baseline"] > 20_000_000
        assert (it["words"], it["not_heard_because"]) == (7, "")
        assert len(it["heard"]) == len(LINES)
        assert all((it["backend"], it["precision"], it["device"]))
    own, cosy, qwen = found["engines"]
    assert own["times_first"] == 1.0
    assert own["word_errors"] <= 1
    assert cosy["word_errors"] > 0, "a random model was understood"
    assert qwen["word_errors"] > 0
    assert own["model_bytes"] > 5_000_000
    assert cosy["model_bytes"] == size(models["cosyvoice3"])
    assert qwen["model_bytes"] == size(models["qwen3-tts"])
    # What was measured is what the list of engines says from now on.
    listed = {it["name"]: it for it in done("engines", cwd=tmp_path)["engines"]}
    for it in found["engines"]:
        assert listed[it["engine"]]["baseline"] == it["baseline"]
        assert listed[it["engine"]]["rtf"] > 0
    table = rhapsode("engines", cwd=tmp_path).out
    assert [line.split()[-1] for line in table.splitlines()[1:4]].count("–") == 0
