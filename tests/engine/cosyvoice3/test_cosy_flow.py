"""The flow: what a reference implementation gave, the same bytes always, and plain refusals."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import golden
import numpy as np
import pytest
import torch
from numpy.typing import NDArray
from safetensors.torch import save_file

from engine.narrators.cosyvoice3.config import flow_config
from engine.narrators.cosyvoice3.dit import Estimator
from engine.narrators.cosyvoice3.flow import Flow, times
from engine.narrators.cosyvoice3.noise import flow_noise
from engine.narrators.cosyvoice3.weights import BadModel, load_state
from engine.registry import Refusal

TOLERANCE = 1e-5
OURS = golden.own("flow_tiny_io.npz")
MEL = re.compile(r"mel_n(\d+)(_streaming|_fullattn)?(_final|_notfinal)?")


def load(file: str) -> Flow:
    """The flow that a file of goldens was made with."""
    weights = golden.weights(file)
    chunk = golden.config(weights)["dit"]["static_chunk_size"]
    state = load_state(golden.folder() / weights, "flow")
    return Flow.load(state, flow_config(state, chunk=chunk), torch.device("cpu"))


def inputs(file: str, case: str) -> dict[str, Any]:
    """What goes into `Flow.mel` in a case, by argument."""
    return {
        "tokens": held(file, case, "token")[0].tolist(),
        "prompt_tokens": held(file, case, "prompt_token")[0].tolist(),
        "prompt_mel": held(file, case, "prompt_feat")[0],
        "speaker": held(file, case, "embedding")[0],
    }


def held(file: str, case: str, field: str) -> NDArray[Any]:
    """What a file has of a case."""
    array: NDArray[Any] = golden.load(file)[golden.key(case, field)]
    return array


def found(pattern: str) -> list[tuple[str, str, str]]:
    """Every (file, case, field) of the goldens whose field matches."""
    return golden.fields("flow", pattern)


@pytest.fixture
def flow() -> Flow:
    """One of ours."""
    return load(OURS)


@pytest.fixture
def given() -> dict[str, Any]:
    """A case with a reference."""
    io = golden.load(OURS)
    cases = golden.cases(io, "prompt_token")
    return inputs(OURS, max(cases, key=lambda case: io[f"{case}.prompt_token"].size))


@pytest.mark.parametrize(("file", "case", "field"), found(MEL.pattern))
def test_the_mel_is_that_of_the_reference(file: str, case: str, field: str) -> None:
    steps, attention, end = MEL.fullmatch(field).groups()  # type: ignore[union-attr]
    mel = load(file).mel(
        **inputs(file, case),
        steps=int(steps),
        streaming=attention == "_streaming",
        finalize=end != "_notfinal",
    )
    expected = held(file, case, field)[0]
    assert mel.dtype == torch.float32
    assert tuple(mel.shape) == expected.shape
    assert np.abs(mel.numpy() - expected).max() <= TOLERANCE


@pytest.mark.parametrize(("file", "case", "field"), found(r"v_step\d+"))
def test_every_velocity_is_that_of_the_reference(
    file: str, case: str, field: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    number = int(field.removeprefix("v_step"))
    flow, seen = load(file), list[torch.Tensor]()
    velocity = flow.velocity

    def recorded(*arguments: Any) -> torch.Tensor:
        seen.append(velocity(*arguments))
        return seen[-1]

    monkeypatch.setattr(flow, "velocity", recorded)
    expected = held(file, case, field)  # (2, 80, T)
    apart = []
    for steps in more_than(number, file, case):
        seen.clear()
        flow.mel(**inputs(file, case), steps=steps)
        apart.append(np.abs(seen[number].transpose(1, 2).numpy() - expected).max())
    assert min(apart) <= TOLERANCE


def more_than(number: int, file: str, case: str) -> set[int]:
    """How many steps a record of one of them may be of: a count that the case has others of."""
    counts = {
        int(field.partition("_n")[2].partition("_")[0])
        for _, other, field in found(r"(mel|t)_n\d+\w*")
        if other == case and golden.key(case, field) in golden.load(file)
    }
    return {steps for steps in counts if steps > number} or {10}


@pytest.mark.parametrize(("file", "case", "field"), found("mu|spks|noise"))
def test_the_conditions_are_those_of_the_reference(file: str, case: str, field: str) -> None:
    flow, given = load(file), inputs(file, case)
    expected = held(file, case, field)[0]
    with torch.inference_mode():
        if field == "mu":
            tokens = [*given["prompt_tokens"], *given["tokens"]]
            made = flow.means(tokens, finalize=True).T
        elif field == "spks":
            made = flow.voice(torch.from_numpy(given["speaker"]))
        else:
            made = flow_noise()[0, :, : expected.shape[1]]
    assert np.abs(made.numpy() - expected).max() <= TOLERANCE


@pytest.mark.parametrize(("file", "case", "field"), found(r"t_n\d+"))
def test_the_times_are_those_of_the_reference(file: str, case: str, field: str) -> None:
    made, lengths = times(int(field.removeprefix("t_n")))
    assert np.abs(made.numpy() - held(file, case, field)).max() <= 1e-7
    assert float(lengths.sum()) == pytest.approx(1, abs=1e-6)


HASH = """
import sys, hashlib
sys.path[:0] = [{repository!r}, {tests!r}]
import torch
torch.set_num_threads(1)
import test_cosy_flow as t
case = {case!r}
mel = t.load(t.OURS).mel(**t.inputs(t.OURS, case))
print(hashlib.sha256(mel.numpy().tobytes()).hexdigest())
"""


def test_the_same_tokens_give_the_same_bytes_after_others_and_in_another_process(
    flow: Flow,
) -> None:
    io = golden.load(OURS)
    first, *others = golden.cases(io, "token")
    given = inputs(OURS, first)

    def digest() -> str:
        return hashlib.sha256(flow.mel(**given).numpy().tobytes()).hexdigest()

    alone = digest()
    for other in others:
        flow.mel(**inputs(OURS, other), steps=3, streaming=True)
    flow.mel(**given, steps=7, finalize=False)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(99)
        before = torch.get_rng_state()
        assert digest() == alone
        assert torch.equal(torch.get_rng_state(), before)
    here = Path(__file__).parent
    script = HASH.format(repository=str(here.parents[2]), tests=str(here), case=first)
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    assert process.stdout.split() == [alone]


def test_what_depends_on_the_time_alone_is_computed_once_for_a_number_of_steps(
    flow: Flow, given: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    modulations = Estimator.modulations

    def counted(self: Estimator, t: torch.Tensor) -> Any:
        made.append(len(t))
        return modulations(self, t)

    monkeypatch.setattr(Estimator, "modulations", counted)
    for steps in (4, 4, 2, 4, 2):
        flow.mel(**given, steps=steps)
    assert made == [4, 2]


def test_many_numbers_of_steps_are_not_all_kept(flow: Flow, given: dict[str, Any]) -> None:
    first = flow.mel(**given, steps=1)
    for steps in range(2, 9):
        flow.mel(**given, steps=steps)
    assert len(flow._steps) < 8
    assert torch.equal(flow.mel(**given, steps=1), first)


def test_each_step_is_told_and_may_end_the_work(flow: Flow, given: dict[str, Any]) -> None:
    told: list[tuple[int, int]] = []
    whole = flow.mel(**given, steps=5, on_step=lambda *step: told.append(step))
    assert told == [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]

    def stop(done: int, _steps: int) -> None:
        told.append((done, 0))
        if done == 2:
            raise KeyError("enough")

    told.clear()
    with pytest.raises(KeyError, match="enough"):
        flow.mel(**given, steps=5, on_step=stop)
    assert told == [(1, 0), (2, 0)]
    assert torch.equal(flow.mel(**given, steps=5), whole)


def test_inputs_are_left_as_they_were(flow: Flow, given: dict[str, Any]) -> None:
    mel, speaker = given["prompt_mel"].copy(), given["speaker"].copy()
    flow.mel(**given, steps=1)
    assert np.array_equal(given["prompt_mel"], mel)
    assert np.array_equal(given["speaker"], speaker)


def test_chunks_that_are_complete_do_not_change_when_more_tokens_come(
    flow: Flow, given: dict[str, Any]
) -> None:
    chunk = golden.config(golden.weights(OURS))["dit"]["static_chunk_size"]
    prompt, tokens = len(given["prompt_mel"]), given["tokens"] * 4
    complete = (prompt + 2 * (len(tokens) - 6)) // chunk * chunk - prompt
    assert complete > chunk
    early, late = (
        flow.mel(**given | {"tokens": some}, steps=4, streaming=True, finalize=False)
        for some in (tokens[:-3], tokens)
    )
    early, late = early[:, :complete], late[:, :complete]
    assert (early - late).abs().max() <= TOLERANCE


REFUSED = [
    pytest.param({"tokens": []}, "no speech tokens", id="nothing"),
    pytest.param({"tokens": [1, 2, 3], "finalize": False}, "no speech tokens", id="context"),
    pytest.param({"tokens": [5, -1]}, "Speech token -1 is none", id="below"),
    pytest.param({"tokens": [10**6]}, "Speech token 1000000 is none", id="above"),
    pytest.param({"prompt_tokens": [10**6]}, "Speech token 1000000", id="reference"),
    pytest.param({"prompt_tokens": [3] * 500}, "500 speech tokens .*; 1000 × 80", id="mel"),
    pytest.param({"speaker": np.ones(5)}, "has 5 numbers", id="speaker"),
    pytest.param({"steps": 0}, "1 to 1000 steps, not 0", id="no steps"),
    pytest.param({"steps": 10**9}, "not 1000000000", id="steps"),
    pytest.param({"tokens": [1] * 7_500}, "goes to 300 s. Split the text", id="long"),
]
"""Changes to a good input, and what is said of them."""


@pytest.mark.parametrize(("change", "said"), REFUSED)
def test_what_cannot_be_done_is_refused_in_plain_words(
    flow: Flow, given: dict[str, Any], change: dict[str, Any], said: str
) -> None:
    with pytest.raises(Refusal, match=said):
        flow.mel(**given | change)


@pytest.mark.parametrize("fault", golden.MISFITS)
def test_a_state_that_does_not_fit_names_the_file_and_the_tensor(
    fault: str, tmp_path: Path
) -> None:
    weights = golden.weights(OURS)
    state = load_state(golden.folder() / weights, "flow")
    key = golden.spoil(state, "decoder.estimator.proj_out.bias", fault)
    save_file(state, tmp_path / "flow.safetensors")
    with pytest.raises(BadModel, match=r"flow\.safetensors.*" + re.escape(key)):
        flow_config(load_state(tmp_path / "flow.safetensors", "flow"), "flow.safetensors")


def test_the_weights_are_float32_and_copies_but_for_those_that_see_the_time_alone() -> None:
    weights = golden.weights(OURS)
    whole = load_state(golden.folder() / weights, "flow")
    half = {key: tensor.half() for key, tensor in whole.items()}
    flow = Flow.load(half, flow_config(half), torch.device("cpu"))
    assert {tensor.dtype for tensor in flow._net.state_dict().values()} == {torch.float32}
    flow = Flow.load(whole, flow_config(whole), torch.device("cpu"))
    held = flow._net.state_dict()
    shared = {key for key in held if held[key].data_ptr() == whole[key].data_ptr()}
    assert shared
    assert all(re.search(r"\.(time_embed|attn_norm|norm_out)\.", key) for key in shared)
