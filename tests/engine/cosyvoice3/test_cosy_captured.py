"""The step with fixed shapes: against the same records as the eager one, and beside it.

On a CPU it runs one operator after the other; what needs an NVIDIA GPU is skipped without one.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import llm_cases
import numpy as np
import pytest
import torch

from engine.narrators.cosyvoice3 import llm_captured, shapes
from engine.narrators.cosyvoice3.config import LlmConfig, State
from engine.narrators.cosyvoice3.llm_captured import BUCKETS, CapturedSpeechLlm, bucket_of
from engine.narrators.cosyvoice3.llm_torch import Cache, SpeechLlm
from engine.narrators.cosyvoice3.sampler import Floats

needs_gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="There is no NVIDIA GPU.")
without_triton = pytest.mark.skipif(find_spec("triton") is None, reason="There is no Triton.")
KERNELS = ["torch", pytest.param("triton", marks=without_triton)]
WIDE = LlmConfig(896, 3, 14, 2, 64, 4864, 300, 1e6, 1e-6, 6561)
"""As wide as the real one, and shallow."""
LINE: dict[str, Any] = {
    "prompt_text": [3, 1, 4],
    "text": [1, 5, 9, 2, 6],
    "prompt_speech": [5, 3000, 8, 9],
}


def _static(name: str, folder: Path) -> CapturedSpeechLlm:
    """A checkpoint among the goldens with a step that is not captured."""
    state, config = llm_cases.state(name, folder)
    return CapturedSpeechLlm.load(state, config, "cpu", captured=False)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CapturedSpeechLlm]:
    """The one to work with, by its name."""
    folder = tmp_path_factory.mktemp("qwen")
    return {llm_cases.MODEL: _static(llm_cases.MODEL, folder)}


@pytest.fixture
def short_buckets(monkeypatch: pytest.MonkeyPatch) -> tuple[int, ...]:
    """Buckets that a few tokens go through."""
    monkeypatch.setattr(llm_captured, "BUCKETS", (16, 32, 64, 128))
    return llm_captured.BUCKETS


def _spoil(llm: CapturedSpeechLlm) -> None:
    """Write what is no number wherever nothing has been written."""
    cache = llm._cache
    assert cache is not None
    with torch.inference_mode():
        cache.held[..., cache.filled :, :] = float("nan")


def _fed(llm: SpeechLlm, given: dict[str, Any], tokens: list[int], spoil: bool = False) -> Floats:
    """The logits while tokens are fed, the prefix's first; shape (1 + n, V)."""
    rows = [llm.prefill(**given, room=len(tokens))]
    for token in tokens:
        if spoil:
            assert isinstance(llm, CapturedSpeechLlm)
            _spoil(llm)
        rows.append(llm.step(token))
    return np.stack(rows)


# ---- anywhere ------------------------------------------------------------------------------------


def test_a_bucket_is_the_smallest_that_fits() -> None:
    sizes = [1, 511, 512, 513, 1024, 4097, 8192, 8193, 16385]
    assert [bucket_of(n) for n in sizes] == [512, 512, 512, 1024, 1024, 8192, 8192, 16384, 24576]
    assert sorted(BUCKETS) == list(BUCKETS)
    # What attention is divided by, and what a position alone has to decide.
    assert all(bucket & (bucket - 1) == 0 for bucket in BUCKETS)


def test_a_prefix_has_the_bits_of_the_eager_network_and_no_weight_is_held_twice(
    tmp_path: Path,
) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    given = llm_cases.inputs(model, case)
    static = _static(model, tmp_path)
    eager = SpeechLlm.load(*llm_cases.state(model, tmp_path))
    assert (static.prefill(**given, room=5) == eager.prefill(**given, room=5)).all()
    weights = static._step._weights  # type: ignore[attr-defined]
    held = {
        tensor.untyped_storage().data_ptr(): tensor.untyped_storage().nbytes()
        for layer in weights.layers
        for tensor in (layer.qkv, layer.qkv_bias, layer.out, layer.gate_up, layer.down)
    }
    parameters = {
        parameter.untyped_storage().data_ptr()
        for name, parameter in static._network.named_parameters()
        if "proj" in name
    }
    assert parameters == set(held)
    assert sum(held.values()) == sum(
        parameter.nbytes for name, parameter in eager._network.named_parameters() if "proj" in name
    )


def test_a_sequence_moves_through_the_buckets_and_keeps_what_it_has(
    models: dict[str, CapturedSpeechLlm], short_buckets: tuple[int, ...], tmp_path: Path
) -> None:
    model, _ = llm_cases.MODEL, llm_cases.CASE
    given = {"prompt_text": [], "text": [7, 8], "prompt_speech": [4, 5, 6]}
    fed = np.random.default_rng(2).integers(500, size=100).tolist()
    llm, eager = _static(model, tmp_path), SpeechLlm.load(*llm_cases.state(model, tmp_path))
    rooms = set()
    rows = [llm.prefill(**given, room=len(fed))]
    for token in fed:
        before = llm._cache
        assert before is not None
        filled = before.held[..., : before.filled, :].clone()
        rows.append(llm.step(token))
        after = llm._cache
        assert after is not None
        assert torch.equal(after.held[..., : filled.shape[-2], :], filled)
        rooms.add(after.room)
    assert rooms == set(short_buckets)
    assert np.abs(np.stack(rows) - _fed(eager, given, fed)).max() <= llm_cases.TOLERANCE


def test_a_take_depends_on_nothing_before_it(
    short_buckets: tuple[int, ...], tmp_path: Path
) -> None:
    """Bit by bit: a longer one leaves larger storage and more buckets behind."""
    model, case = llm_cases.MODEL, llm_cases.CASE
    given, fed = llm_cases.inputs(model, case), list(range(60))
    alone = _fed(_static(model, tmp_path), given, fed)
    used = _static(model, tmp_path)
    used.generate(prompt_text=[], text=[1, 2, 3], prompt_speech=[], seed=1, min_len=99, max_len=99)
    assert (_fed(used, given, fed) == alone).all()


def test_the_position_alone_decides_the_bucket(
    short_buckets: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sums of another length may round otherwise, so larger storage must not be gone over."""
    model, _ = llm_cases.MODEL, llm_cases.CASE
    llm = _static(model, tmp_path)
    step, seen = llm._step, []

    def spied(at: torch.Tensor, cache: Cache, bucket: int) -> torch.Tensor:
        seen.append((int(at[1]), bucket))
        return step(at, cache, bucket)

    monkeypatch.setattr(llm, "_step", spied)
    given = {"prompt_text": [], "text": [7, 8], "prompt_speech": [4, 5, 6]}
    _fed(llm, given, [1] * 100)
    assert seen == [(7 + n, bucket_of(8 + n)) for n in range(100)]
    once = seen.copy()
    seen.clear()
    _fed(llm, given, [1] * 100)
    assert seen == once


def test_nothing_behind_the_last_position_is_read(
    models: dict[str, CapturedSpeechLlm], short_buckets: tuple[int, ...]
) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    given, fed = llm_cases.inputs(model, case), list(range(80))
    clean = _fed(models[model], given, fed)
    assert (_fed(models[model], given, fed, spoil=True) == clean).all()


def test_no_step_goes_beyond_the_room(tmp_path: Path, short_buckets: tuple[int, ...]) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    llm = _static(model, tmp_path)
    with pytest.raises(RuntimeError, match="no sequence"):
        llm.step(1)
    llm.prefill(**llm_cases.inputs(model, case), room=1)
    assert llm.room >= 1
    for _ in range(llm.room):
        llm.step(1)
    with pytest.raises(RuntimeError, match="no room"):
        llm.step(1)


def test_a_step_says_what_it_is(models: dict[str, CapturedSpeechLlm]) -> None:
    llm = next(iter(models.values()))
    assert (llm.backend, llm.built_with, llm.precision, llm.device) == (
        *("torch static", {}),
        *("fp32", "cpu"),
    )


def test_kernels_that_are_asked_for_and_missing_are_told(tmp_path: Path) -> None:
    if find_spec("triton") is not None:
        pytest.skip("Triton is there.")
    state, config = llm_cases.state(llm_cases.MODEL, tmp_path)
    with pytest.raises(ImportError):
        CapturedSpeechLlm.load(state, config, "cpu", kernels="triton", captured=False)


# ---- on an NVIDIA GPU ----------------------------------------------------------------------------


def _wide() -> State:
    """Random weights under which numbers stay about as large as they come in."""
    chance = torch.Generator().manual_seed(1)
    state = {}
    for key, shape in shapes.llm_shapes(WIDE).items():
        scale = 1.0 if "embed" in key else shape[-1] ** -0.5
        state[key] = torch.empty(shape).normal_(0, scale, generator=chance)
        if "norm" in key:
            state[key].fill_(1)
    return state


@pytest.fixture(scope="module")
def wide() -> State:
    """See `_wide`."""
    return _wide()


@pytest.fixture(params=KERNELS)
def captured(request: pytest.FixtureRequest, wide: State) -> Iterator[CapturedSpeechLlm]:
    """The wide model, captured, in float32."""
    yield CapturedSpeechLlm.load(wide, WIDE, "cuda", kernels=request.param)
    torch.cuda.empty_cache()


@needs_gpu
def test_captured_the_same_tokens_come_as_from_the_eager_network(
    captured: CapturedSpeechLlm, wide: State
) -> None:
    eager = SpeechLlm.load(wide, WIDE, "cuda")
    for seed in range(4):
        how: dict[str, Any] = {"seed": seed, "min_len": 200, "max_len": 200}
        assert captured.generate(**LINE, **how) == eager.generate(**LINE, **how)
    fed = list(range(700))
    apart = np.abs(_fed(captured, LINE, fed) - _fed(eager, LINE, fed))
    assert apart.max() < 1e-4
    assert captured.backend.startswith("torch cuda-graph")


@needs_gpu
@without_triton
def test_captured_auto_takes_triton_where_it_works_and_tells_where_it_does_not(
    wide: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    llm = CapturedSpeechLlm.load(wide, WIDE, "cuda")
    assert llm.backend == "torch cuda-graph+triton"
    assert set(llm.built_with) == {"triton"}

    def broken(*_: object) -> None:
        raise RuntimeError("Failed to find C compiler.")

    monkeypatch.setattr(llm_captured, "_triton", broken)
    llm = CapturedSpeechLlm.load(wide, WIDE, "cuda")
    assert (llm.backend, llm.built_with) == ("torch cuda-graph", {})
    llm.prefill(**LINE, room=1)
    assert np.isfinite(llm.step(1)).all()
    with pytest.raises(RuntimeError, match="compiler"):
        CapturedSpeechLlm.load(wide, WIDE, "cuda", kernels="triton")


@needs_gpu
def test_captured_nothing_behind_the_last_position_is_read(captured: CapturedSpeechLlm) -> None:
    fed = list(range(600))  # beyond the first bucket
    clean = _fed(captured, LINE, fed)
    assert (_fed(captured, LINE, fed, spoil=True) == clean).all()


@needs_gpu
def test_captured_a_take_depends_on_nothing_before_it(
    captured: CapturedSpeechLlm, wide: State
) -> None:
    fed = list(range(600))
    alone = _fed(captured, LINE, fed)
    captured.generate(**LINE, seed=3, min_len=2500, max_len=2500)
    assert (_fed(captured, LINE, fed) == alone).all()


@needs_gpu
@pytest.mark.parametrize("kernels", KERNELS)
def test_captured_half_precision_is_near(kernels: str, wide: State) -> None:
    half = CapturedSpeechLlm.load(wide, WIDE, "cuda", torch.float16, kernels=kernels)
    fed = list(range(600))
    apart = np.abs(_fed(half, LINE, fed) - _fed(SpeechLlm.load(wide, WIDE, "cuda"), LINE, fed))
    assert 1e-5 < apart.max() < 0.05
    assert half.precision == "fp16"


@needs_gpu
def test_captured_while_another_thread_works_on_a_stream_of_its_own(
    captured: CapturedSpeechLlm,
) -> None:
    """Graphs are captured while it asks for memory, waits for its stream, and hands memory back."""
    fed = list(range(600))
    alone = _fed(captured, LINE, fed)
    done, wrong = threading.Event(), []
    rounds = 0

    def work() -> None:
        nonlocal rounds
        with torch.cuda.stream(torch.cuda.Stream()):
            while not done.is_set():
                x = torch.ones(256, 256 + rounds % 7, device="cuda")
                if (x.T @ x).sum().item() != 256 * x.shape[1] ** 2:
                    wrong.append(rounds)
                rounds += 1

    thread = threading.Thread(target=work)
    thread.start()
    try:
        for _ in range(4):
            captured._graphs.clear()
            assert (_fed(captured, LINE, fed) == alone).all()
    finally:
        done.set()
        thread.join()
    assert rounds > 4
    assert wrong == []


@needs_gpu
def test_captured_graphs_take_no_more_memory_with_every_take(captured: CapturedSpeechLlm) -> None:
    def take(length: int) -> None:
        captured.generate(**LINE, seed=1, min_len=length, max_len=length)

    for length in (1500, 30, 700):
        take(length)
    before = torch.cuda.memory_allocated()
    for length in (1500, 30, 700, 5, 1200, 900):
        take(length)
    assert torch.cuda.memory_allocated() <= before
    assert set(captured._graphs) <= set(BUCKETS)
