"""The speech language model on each of its ways, against what a reference gave and itself."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import golden
import llm_cases
import numpy as np
import pytest
import torch

from engine.narrators.cosyvoice3.llm_captured import CapturedSpeechLlm
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.sampler import Greedy


def _mlx(state: Any, config: Any) -> Any:
    """The one in MLX."""
    from engine.narrators.cosyvoice3.llm_mlx import MlxSpeechLlm

    return MlxSpeechLlm.load(state, config, "cpu")


MAKERS: dict[str, Callable[..., Any]] = {
    "torch": SpeechLlm.load,
    "static": lambda *read: CapturedSpeechLlm.load(*read, "cpu", captured=False),
    "mlx": _mlx,
    "captured": lambda *read: CapturedSpeechLlm.load(*read, "cuda", kernels="torch"),
    "triton": lambda *read: CapturedSpeechLlm.load(*read, "cuda", kernels="triton"),
}
WAYS = [
    "torch",
    "static",
    pytest.param("mlx", marks=pytest.mark.skipif(not find_spec("mlx"), reason="There is no MLX.")),
    *(
        pytest.param(
            way,
            marks=pytest.mark.skipif(
                not torch.cuda.is_available() or (way == "triton" and not find_spec("triton")),
                reason="There is no NVIDIA GPU, or no Triton.",
            ),
        )
        for way in ("captured", "triton")
    ),
]
ON_ANY_MACHINE = WAYS[:3]
SEEDS = (0, 1, 2, 3, 1986, 65537, 2**31, 2**32 - 1)
Loaded = Callable[[str, str], Any]


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    """A checkpoint among the goldens on one of the ways, loaded once."""
    folder, held = tmp_path_factory.mktemp("qwen"), dict[tuple[str, str], Any]()

    def load(way: str, model: str) -> Any:
        if (way, model) not in held:
            held[way, model] = MAKERS[way](*llm_cases.state(model, folder))
        return held[way, model]

    return load


def fresh(way: str, folder: Path) -> Any:
    """One of our checkpoints on one of the ways, with nothing behind it."""
    return MAKERS[way](*llm_cases.state(llm_cases.MODEL, folder))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("model", "case"), llm_cases.cases("lm_input"))
def test_the_sequence_before_the_speech_is_the_references(
    loaded: Loaded, way: str, model: str, case: str
) -> None:
    x = loaded(way, model).prefix(**llm_cases.inputs(model, case))[0]
    want = golden.load(model)[golden.key(case, "lm_input")]
    got = x.cpu().numpy() if isinstance(x, torch.Tensor) else np.array(x)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("model", "case"), llm_cases.cases("logp"))
def test_log_probabilities_are_the_references(
    loaded: Loaded, way: str, model: str, case: str
) -> None:
    want = golden.load(model)[golden.key(case, "logp")]
    given, forced = llm_cases.inputs(model, case), llm_cases.forced(model, case)
    got = llm_cases.logp(loaded(way, model), given, forced, len(want))
    assert np.abs(got - want).max() <= llm_cases.TOLERANCE


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("model", "case"), llm_cases.cases("greedy"))
def test_the_likeliest_sequence_is_the_references(
    loaded: Loaded, way: str, model: str, case: str
) -> None:
    given = llm_cases.inputs(model, case) | llm_cases.lengths(model, case)
    spoken = loaded(way, model).generate(**given, seed=0, parity=True, sampler=Greedy())
    assert spoken.tokens == llm_cases.sequence(model, case, "greedy")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("model", "case", "seed"), llm_cases.seeds())
def test_a_sampled_sequence_is_the_references(
    loaded: Loaded, way: str, model: str, case: str, seed: int
) -> None:
    given = llm_cases.inputs(model, case) | llm_cases.lengths(model, case)
    spoken = loaded(way, model).generate(**given, seed=seed, parity=True)
    assert spoken.tokens == llm_cases.sequence(model, case, f"ras_seed{seed}")
    told = llm_cases.told(model, case)
    assert spoken.stop == told.get(f"ras{seed}_stop_id", spoken.stop)
    assert spoken.reached_limit == (spoken.stop is None)


@pytest.mark.parametrize("way", WAYS[1:])
@pytest.mark.parametrize(("model", "case"), llm_cases.cases("logp"))
def test_every_way_says_what_the_eager_network_says(
    loaded: Loaded, way: str, model: str, case: str
) -> None:
    """With the least length enforced, as it is for a book."""
    given = llm_cases.inputs(model, case)
    for seed in SEEDS:
        spoken = loaded(way, model).generate(**given, seed=seed)
        assert spoken == loaded("torch", model).generate(**given, seed=seed)


class Enough(Exception):
    """The listener of tokens has heard enough."""


@pytest.mark.parametrize("way", ON_ANY_MACHINE)
def test_a_take_depends_on_nothing_before_it(way: str, tmp_path: Path) -> None:
    """Alone, after a longer one in a larger cache, and after one that was broken off."""
    given = llm_cases.inputs(llm_cases.MODEL, llm_cases.CASE)
    alone = fresh(way, tmp_path).generate(**given, seed=5)
    used = fresh(way, tmp_path)
    used.generate(prompt_text=[], text=given["text"] * 40, prompt_speech=[], seed=1, max_len=400)
    assert used.generate(**given, seed=5) == alone

    def tire(token: int) -> None:
        raise Enough

    with pytest.raises(Enough):
        used.generate(**given, seed=6, on_token=tire)
    assert used.generate(**given, seed=5) == alone


@pytest.mark.parametrize("way", ON_ANY_MACHINE)
def test_no_step_goes_beyond_the_cache(way: str, tmp_path: Path) -> None:
    llm = fresh(way, tmp_path)
    with pytest.raises(RuntimeError, match="no sequence"):
        llm.step(1)
    first = llm.prefill(**llm_cases.inputs(llm_cases.MODEL, llm_cases.CASE), room=1)
    assert first.shape == (llm.config.stop.stop,)
    assert llm.room >= 1
    for _ in range(llm.room):
        llm.step(1)
    with pytest.raises(RuntimeError, match="no room"):
        llm.step(1)
