"""The benchmark of the language model's ways, tried on a network that takes no time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "perf"))

import cosyvoice_llm as bench
from cosyvoice_full_size import real

SHORT = ["--tiny", "--prefix", "20", "--tokens", "12", "--steps", "torch", "--runs", "2"]


@pytest.mark.parametrize("more", [["--json"], []])
def test_it_sets_the_ways_side_by_side(
    more: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["cosyvoice_llm.py", *SHORT, *more])
    bench.main()
    said = capsys.readouterr().out
    ways = ["eager, sampler on the device", "eager, sampler on the host", "torch static"]
    if not more:
        assert all(said.count(way) == 2 for way in ways)
        assert "tokens alike [12, 12] of 12" in said
        return
    report = json.loads(said)
    assert [(way["precision"], way["way"]) for way in report["ways"]] == [
        (precision, way) for precision in ("fp16", "fp32") for way in ways
    ]
    assert report["ways"][-1]["tokens_alike"] == [12, 12]
    assert report["ways"][-1]["logits_apart"] < 2e-5


def test_what_a_step_reads_is_all_but_the_embeddings() -> None:
    config = real().llm
    table = config.hidden * (config.vocab + config.stop.stop)
    assert bench.step_bytes(config, 2, 0) == 2 * (506_148_480 - table)
    assert bench.step_bytes(config, 2, 8) - bench.step_bytes(config, 2, 0) == 2 * 8 * 24 * 2 * 128
