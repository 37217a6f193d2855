"""The speech language model in MLX, against the same records as the one in torch, and beside it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import golden
import llm_cases
import numpy as np
import pytest

if find_spec("mlx") is None:
    pytest.skip("MLX is not installed here.", allow_module_level=True)

import mlx.core as mx

from engine.narrators.cosyvoice3.llm_mlx import MlxSpeechLlm
from engine.registry import Fatal

REPOSITORY = Path(__file__).parents[3]


def _model(name: str, folder: Path, precision: str = "fp32") -> MlxSpeechLlm:
    """A checkpoint among the goldens, loaded."""
    state, config = llm_cases.state(name, folder)
    return MlxSpeechLlm.load(state, config, "cpu", precision)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, MlxSpeechLlm]:
    """The one to work with, by its name."""
    folder = tmp_path_factory.mktemp("qwen")
    return {llm_cases.MODEL: _model(llm_cases.MODEL, folder)}


def test_half_precision_is_told_from_the_arrays(
    models: dict[str, MlxSpeechLlm], tmp_path: Path
) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    half = _model(model, tmp_path, "fp16")
    assert (models[model].precision, half.precision) == ("fp32", "fp16")
    want = golden.load(model)[f"{case}.logp"]
    given, forced = llm_cases.inputs(model, case), llm_cases.forced(model, case)
    got = llm_cases.logp(half, given, forced, len(want))
    assert got.dtype == np.float32
    assert llm_cases.TOLERANCE < np.abs(got - want).max() < 0.1


def test_eight_bits_are_near_and_are_told_from_the_arrays(tmp_path: Path) -> None:
    """Worse than half precision, and of the size that 8 bits have; speech tables are as they were.

    Measured: log-probabilities within 0.16 of the reference's, in float16 within 0.015.
    """
    model, case = llm_cases.MODEL, llm_cases.CASE
    packed, half = _model(model, tmp_path, "q8"), _model(model, tmp_path, "fp16")
    assert packed.precision == "fp32+q8"
    want = golden.load(model)[f"{case}.logp"]
    given, forced = llm_cases.inputs(model, case), llm_cases.forced(model, case)
    off = [
        np.abs(llm_cases.logp(llm, given, forced, len(want)) - want).max() for llm in (half, packed)
    ]
    assert off[0] < off[1] < 0.2
    state, _ = llm_cases.state(model, tmp_path)
    weights = packed._network.weights
    for name in ("speech_embedding.weight", "llm_decoder.weight"):
        np.testing.assert_array_equal(np.array(weights[name]), state[name].numpy())
    assert {name for name, array in weights.items() if array.dtype == mx.uint32} == {
        name.removeprefix("llm.model.model.")
        for name, tensor in state.items()
        if tensor.ndim == 2 and not name.startswith(("speech_embedding", "llm_decoder"))
    }
    assert packed.generate(**given, seed=3) == packed.generate(**given, seed=3)


def test_rows_that_do_not_divide_into_groups_are_refused(tmp_path: Path) -> None:
    model, _ = llm_cases.MODEL, llm_cases.CASE
    state, config = llm_cases.state(model, tmp_path)
    name = "llm.model.model.layers.0.mlp.down_proj.weight"
    narrow = {name: state[name][:, :100]}
    with pytest.raises(Fatal, match=r"groups of 64, and “llm[.]pt” has rows of 100"):
        MlxSpeechLlm.load(narrow, config, "cpu", "q8")


def test_another_thread_is_refused(models: dict[str, MlxSpeechLlm]) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    said: list[str] = []

    def elsewhere() -> None:
        try:
            models[model].prefill(**llm_cases.inputs(model, case), room=1)
        except RuntimeError as error:
            said.append(str(error))

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert said == ["MLX works on the thread that loaded the model, and on no other."]


def test_a_model_may_live_on_any_one_thread(tmp_path: Path) -> None:
    """As it does in an engine process, where the first thread reads the wire."""
    model, case, seed = llm_cases.MODEL, llm_cases.CASE, 0
    said: list[list[int]] = []

    def all_of_it() -> None:
        llm = _model(model, tmp_path)
        spoken = llm.generate(**llm_cases.inputs(model, case), seed=seed, parity=True)
        said.append(spoken.tokens)

    thread = threading.Thread(target=all_of_it)
    thread.start()
    thread.join()
    assert said == [llm_cases.sequence(model, case, f"ras_seed{seed}")]


def test_a_device_that_is_not_there_is_refused(tmp_path: Path) -> None:
    """And nothing runs on another in its place."""
    model, _ = llm_cases.MODEL, llm_cases.CASE
    state, config = llm_cases.state(model, tmp_path)
    missing = ["tpu"] + ([] if mx.is_available(mx.Device(mx.gpu)) else ["gpu"])
    for device in missing:
        with pytest.raises(Fatal, match=f"no device “{device}”"):
            MlxSpeechLlm.load(state, config, device)


def test_the_default_device_is_left_as_it_is(
    models: dict[str, MlxSpeechLlm], tmp_path: Path
) -> None:
    before = mx.default_device(), mx.default_stream(mx.default_device())
    model, case = llm_cases.MODEL, llm_cases.CASE
    llm = _model(model, tmp_path)
    llm.generate(**llm_cases.inputs(model, case), seed=1)
    assert llm.device == "cpu"
    assert (mx.default_device(), mx.default_stream(mx.default_device())) == before


def test_it_needs_no_other_framework_and_no_compiler() -> None:
    """Neither torch nor transformers is imported by it, nor what would compile kernels."""
    code = (
        "import sys, engine.narrators.cosyvoice3.llm_mlx\n"
        "print(*{name.split('.')[0] for name in sys.modules})\n"
        "print('mlx.nn' in sys.modules)"
    )
    path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment
    )
    modules, nn = done.stdout.splitlines()
    assert not {"torch", "transformers", "mlx_lm"} & set(modules.split())
    assert nn == "False"
