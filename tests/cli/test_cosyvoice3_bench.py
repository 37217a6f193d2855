"""`rhapsode bench` inside CosyVoice3: real processes, tiny models, counts and no times.

The engine runs in an interpreter that has torch: the one that RHAPSODE_ENGINE_PYTHON names, else
the one of the tests. Without torch there the tests are skipped, unless RHAPSODE_NEED_ENGINES is
set.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psutil
import pytest
from rhapsode import done, rhapsode

PYTHON = os.environ.get("RHAPSODE_ENGINE_PYTHON") or sys.executable
TINY = Path(__file__).parents[1] / "engine" / "cosyvoice3"
PLANTED = Path(__file__).parents[1] / "fakes" / "planted"
SMALL = ("--random", "tiny", "--device", "cpu", "--prefix", "24", "--rounds", "2")
DEADLINE = 60.0

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model's folder."""
    folder = tmp_path_factory.mktemp("models") / "tiny"
    code = (
        "import torchaudio, tokenizers, onnxruntime, soundfile;"
        "import sys, pathlib, tiny_model; tiny_model.build(pathlib.Path(sys.argv[1]))"
    )
    made = subprocess.run(
        [PYTHON, "-c", code, str(folder)],
        cwd=TINY,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    if made.returncode:
        reason = f"{PYTHON} lacks what CosyVoice3 needs: {made.stderr.strip().splitlines()[-1]}"
        if os.environ.get("RHAPSODE_NEED_ENGINES") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


def configure(home: Path, model: Path, environment: Mapping[str, str] | None = None) -> None:
    """Let this machine have the engine."""
    (home / "config").mkdir(exist_ok=True)
    told = {"model": str(model), "device": "cpu", "cache": str(home / "cache")}
    lines = ["[engines.cosyvoice3]", f"python = {json.dumps(PYTHON)}"]
    lines += ["[engines.cosyvoice3.options]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in told.items()]
    lines += ["[engines.cosyvoice3.environment]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in (environment or {}).items()]
    (home / "config" / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def test_backends_side_by_side(model: Path, home: Path, tmp_path: Path) -> None:
    configure(home, model)
    chart = tmp_path / "llm.svg"
    found = done("bench", "llm", *SMALL, "--tokens", "20", "--chart", chart, cwd=tmp_path)
    rows = {row["backend"]: row for row in found["backends"]}
    eager = [f"eager {precision}{how}" for precision in ("fp32", "fp16") for how in SAMPLERS]
    assert set(eager) <= set(rows)
    oracle = rows["eager fp32"]
    assert (oracle["same_draws"], oracle["first_difference"]) == (20, None)
    assert oracle["largest_logit_difference"] == 0
    assert rows["eager fp32, device sampler"]["first_difference"] is None, "the same chance"
    for row in rows.values():
        assert row["repeats_itself"]
        assert row["tokens_per_s"] > 0
        assert row["bandwidth_share"] == pytest.approx(
            row["bytes_per_s"] / found["copy_bytes_per_s"][row["device"]]
        )
    # 2 layers; q, k, v, o and their biases, the MLP, norms, the head; keys and values of 34.
    body = 2 * (64 * 64 * 2 + 64 + 2 * (64 * 32 + 32) + 3 * 64 * 128 + 2 * 64)
    cache = 2 * 2 * 2 * 16 * (24 + 20 / 2)
    assert oracle["bytes_per_token"] == 4 * (body + 64 + 6761 * 64 + cache)
    assert rows["eager fp16"]["bytes_per_token"] * 2 == oracle["bytes_per_token"]
    assert rows["eager fp16"]["largest_logit_difference"] > 0
    for lines in (4, 16):
        batch = rows[f"batched fp32, {lines} lines"]
        assert (batch["lines"], len(batch["differs_from_alone_at"])) == (lines, 4)
        assert batch["bytes_per_token"] == round(4 * (body + 64 + 6761 * 64) / lines + 4 * cache)
        assert batch["tokens_per_s"] == pytest.approx(lines * 19 / batch["decode_s"])
        # At this size the last digits that company moves exchange no two candidates.
        assert batch["differs_from_alone_at"] == [None] * 4
        assert batch["first_difference"] is None
    absent = {it["backend"]: it["why"] for it in found["absent"]}
    assert absent["captured torch fp16"] == "there is no NVIDIA GPU"
    assert not set(absent) & set(rows)
    texts = {it.text for it in ElementTree.parse(chart).getroot().iter()}
    assert {"speech tokens a second", "eager fp16, device sampler"} <= texts


SAMPLERS = ("", ", device sampler")


def test_the_installed_model_and_one_backend_of_it(model: Path, home: Path, tmp_path: Path) -> None:
    configure(home, model)
    arguments = ("--tokens", "8", "--prefix", "12", "--rounds", "1", "--device", "cpu")
    ran = rhapsode("bench", "llm", "--backend", "eager fp16", *arguments, cwd=tmp_path)
    assert ran.code == 0, ran.err
    assert str(model) in ran.out.splitlines()[0]
    rows = [line for line in ran.out.splitlines() if line.startswith("eager")]
    assert len(rows) == 1
    assert "/8" in rows[0], "led along the oracle, which is loaded for that"
    wrong = rhapsode("bench", "llm", "--backend", "nobody", *arguments, "--json", cwd=tmp_path)
    assert wrong.code == 6
    assert "no backend “nobody”; there are eager fp32, " in wrong.data["error"]
    several = ("--backend", "batched fp32, 4 lines")
    wrong = rhapsode("bench", "stages", *several, *arguments, "--json", cwd=tmp_path)
    assert (wrong.code, "says several lines" in wrong.data["error"]) == (6, True)
    gone = ("--backend", "captured torch fp16")
    wrong = rhapsode("bench", "stages", *gone, *arguments, "--json", cwd=tmp_path)
    assert (wrong.code, "no NVIDIA GPU" in wrong.data["error"]) == (6, True)


def test_stages_alone_and_overlapped(model: Path, home: Path, tmp_path: Path) -> None:
    configure(home, model)
    few = ("--tokens", "10", "--steps", "2", "--reference-tokens", "6", "--chart", "stages.svg")
    found = done("bench", "stages", *SMALL, *few, cwd=tmp_path)
    assert found["audio_s"] == pytest.approx(10 / 25)
    assert found["reference_s"] == pytest.approx(6 / 25)
    assert [way["way"] for way in found["ways"]] == ["alone", "overlapped"]
    for way in found["ways"]:
        assert set(way["share_of_audio"]) == {"prefill", "decode", "flow", "vocoder"}
        for stage, share in way["share_of_audio"].items():
            assert share == pytest.approx(way["seconds"][stage] / found["audio_s"])
            assert share > 0
    alone = found["ways"][0]
    assert sum(alone["seconds"].values()) <= alone["clip_s"] * 1.5
    assert (tmp_path / "stages.svg").exists()


def test_waits_of_both_samplers_are_counted(model: Path, home: Path, tmp_path: Path) -> None:
    configure(home, model)
    found = done("bench", "sampler", *SMALL, "--tokens", "20", cwd=tmp_path)
    host, device = found["samplers"]
    assert (host["sampler"], device["sampler"]) == ("host", "device")
    assert host["waits"] == 20, "one copy of the logits a token"
    # Random weights: the nucleus is never full at 25, so all of its tests wait, then the id and
    # the count of repetitions; a repetition costs one more draw.
    assert 20 * (25 + 2) <= device["waits"] <= 20 * (25 + 3)
    assert (found["same_chance"], found["same_tokens"]) == (True, 20)
    assert host["driver_waits"] is None


def test_a_planted_fault_is_caught_by_a_set(model: Path, home: Path, tmp_path: Path) -> None:
    configure(home, model)
    kept, short = tmp_path / "cosy.set", ("--most", "1", "--no-words")
    made = done("bench", "identity", "cosyvoice3", "--record", kept, *short, cwd=tmp_path)
    assert (made["lines"], made["not_repeated"]) == (1, [])
    same = done("bench", "identity", "--against", kept, "--no-words", cwd=tmp_path)
    assert (same["same"], same["sampler_changes"]) == (1, [])
    assert same["sampler_cases"] >= 60

    def against(fault: str) -> Any:
        configure(home, model, {"PYTHONPATH": str(PLANTED), "RHAPSODE_PLANT": fault})
        ran = rhapsode("bench", "identity", "--against", kept, "--no-words", "--json", cwd=tmp_path)
        assert ran.code == 4, ran.err
        return ran.data

    bit = against("ulp in the probabilities")
    assert {it["stage"] for it in bit["sampler_changes"]} == {"probabilities"}
    swap = against("two equal candidates swapped")
    assert {it["stage"] for it in swap["sampler_changes"]} == {"nucleus"}
    (line,) = against("another seed")["differences"]
    assert line["first_token"] is not None
    assert line["log_spectral_distance_db"] > 0
    assert line["recipe_changes"] == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_measurement_ends_with_the_command(
    model: Path, home: Path, tmp_path: Path, number: signal.Signals
) -> None:
    configure(home, model)
    endless = ("--tokens", "10000", "--rounds", "1000")
    command = subprocess.Popen(
        [sys.executable, "-m", "studio", "bench", "llm", *SMALL, *endless],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + DEADLINE
    try:
        while not (children := psutil.Process(command.pid).children(recursive=True)):
            assert time.monotonic() < end
            time.sleep(0.02)
        (inside,) = children
        while inside.cpu_times().user < 1.0:  # it has imported torch, and is at work
            assert time.monotonic() < end
            time.sleep(0.02)
        command.send_signal(number)
        assert command.wait(DEADLINE) == (130 if number is signal.SIGINT else -signal.SIGKILL)
        psutil.wait_procs([inside], timeout=DEADLINE)
        assert not inside.is_running()
    finally:
        command.kill()
        command.wait(DEADLINE)
