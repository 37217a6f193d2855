"""The speech language model in torch, against what a reference implementation gave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import golden
import llm_cases
import numpy as np
import pytest
import torch

from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.decoding import (
    SILENT,
    SILENT_RUN,
    generate,
    mask,
    without_long_silences,
)
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.sampler import BadLogits, Floats, log_softmax


def _model(name: str, folder: Path, dtype: torch.dtype = torch.float32) -> SpeechLlm:
    """A checkpoint among the goldens, loaded."""
    state, config = llm_cases.state(name, folder)
    return SpeechLlm.load(state, config, "cpu", dtype)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, SpeechLlm]:
    """The one to work with, by its name."""
    folder = tmp_path_factory.mktemp("qwen")
    return {llm_cases.MODEL: _model(llm_cases.MODEL, folder)}


def test_nothing_global_is_seeded_or_drawn_from(models: dict[str, SpeechLlm]) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    np.random.seed(3)
    before = torch.get_rng_state(), np.random.get_state()[1].copy()
    models[model].generate(**llm_cases.inputs(model, case), seed=5)
    assert torch.equal(torch.get_rng_state(), before[0])
    assert (np.random.get_state()[1] == before[1]).all()


def test_a_cached_step_is_a_longer_prefix(models: dict[str, SpeechLlm]) -> None:
    """Fed one by one, or as speech of the prompt at once: the same distribution follows."""
    model, case = llm_cases.MODEL, llm_cases.CASE
    given = llm_cases.inputs(model, case)
    llm = models[model]
    last = llm.config.speech_tokens - 1
    more = [3, last, 3, 17, last // 2]
    llm.prefill(**given, room=6)
    for token in more:
        stepped = llm.step(token)
    longer = given | {"prompt_speech": [*given["prompt_speech"], *more]}
    assert np.abs(llm.prefill(**longer, room=1) - stepped).max() <= llm_cases.TOLERANCE


def test_half_precision_is_told_from_the_tensors(
    models: dict[str, SpeechLlm], tmp_path: Path
) -> None:
    model, case = llm_cases.MODEL, llm_cases.CASE
    half = _model(model, tmp_path, torch.float16)
    assert (models[model].precision, half.precision) == ("fp32", "fp16")
    want = golden.load(model)[f"{case}.logp"]
    got = llm_cases.logp(
        half, llm_cases.inputs(model, case), llm_cases.forced(model, case), len(want)
    )
    assert got.dtype == np.float32
    assert llm_cases.TOLERANCE < np.abs(got - want).max() < 0.1
    assert half.generate(**llm_cases.inputs(model, case), seed=5).tokens
    # Rows of the text embedding are cast as they are read; no other format enters the sequence.
    x = half.prefix(**llm_cases.inputs(model, case))
    assert torch.equal(x, models[model].prefix(**llm_cases.inputs(model, case)).half())


class Scripted:
    """A backend whose logits are made up: every token as likely, but for those given a weight."""

    def __init__(self, weights: dict[int, float], rows: int = 700) -> None:
        self.config = LlmConfig(8, 1, 2, 1, 4, 8, 160, 1e6, 1e-6, rows - 200)
        self.weights = weights
        self.fed: list[int] = []
        self.room = 0

    def prefill(self, *, prompt_text: Any, text: Any, prompt_speech: Any, room: int) -> Floats:
        self.fed, self.room = [], room
        return self._logits()

    def step(self, token: int) -> Floats:
        self.fed.append(token)
        assert len(self.fed) < self.room
        return self._logits()

    def _logits(self) -> Floats:
        logits = np.zeros(self.config.stop.stop, np.float32)
        for token, weight in self.weights.items():
            logits[token] = weight
        return logits


TEXT: dict[str, Any] = {"prompt_text": [1], "text": [2, 3, 4], "prompt_speech": [5]}


@pytest.mark.parametrize("stop", [500, 501, 502, 503, 504, 600, 699])
def test_no_stop_comes_before_the_least_length(stop: int) -> None:
    """The model is sure that the speech is over; it goes on for two tokens a token of text."""
    spoken = generate(Scripted({stop: 50.0}), **TEXT, seed=1)
    if stop == 501:
        assert (len(spoken.tokens), spoken.stop, spoken.reached_limit) == (6, 501, False)
    else:
        # No other special means anything: it is never drawn, and the speech ends by eos or length.
        assert len(spoken.tokens) >= 6
        assert spoken.stop in (501, None)
    assert all(token < 500 for token in spoken.tokens)


def test_the_references_mask_lets_speech_end_at_once() -> None:
    """Which is what the parity switch is for, and why it is off."""
    assert generate(Scripted({501: 50.0}), **TEXT, seed=1, parity=True).tokens == []
    assert generate(Scripted({504: 50.0}), **TEXT, seed=1, parity=True).stop == 504
    late = generate(Scripted({500: 50.0}), **TEXT, seed=1, parity=True)
    assert (len(late.tokens), late.stop) == (6, 500)


def test_what_may_come_next() -> None:
    config = Scripted({}).config
    base = log_softmax(np.arange(700, dtype=np.float32))

    def open_ids(**how: bool) -> set[int]:
        logp = base.copy()
        mask(logp, config, **how)
        kept = np.isfinite(logp)
        np.testing.assert_array_equal(logp[kept], base[kept])
        return set(np.flatnonzero(kept).tolist())

    sound = set(range(500))
    assert open_ids(may_end=False, parity=False) == sound
    assert open_ids(may_end=True, parity=False) == sound | {501}
    assert open_ids(may_end=False, parity=True) == set(range(700)) - {500}
    assert open_ids(may_end=True, parity=True) == set(range(700))


def test_a_runaway_is_told() -> None:
    """Nothing but two tokens has a chance, and neither ends it."""
    heard: list[int] = []
    backend = Scripted({7: 60.0, 8: 60.0})
    spoken = generate(backend, **TEXT, seed=1, on_token=heard.append)
    assert spoken.reached_limit
    assert spoken.stop is None
    assert len(spoken.tokens) == 60
    assert heard == spoken.tokens
    assert backend.fed == spoken.tokens[:-1]
    short = generate(Scripted({501: 60.0}), **TEXT, seed=1, min_len=4, max_len=4)
    assert (len(short.tokens), short.reached_limit) == (4, True)
    short = generate(Scripted({501: 60.0}), **TEXT, seed=1, max_len=3)
    assert (len(short.tokens), short.reached_limit) == (3, True)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"text": []}, "no text"),
        ({"text": [160]}, "text is not within 0 to 159"),
        ({"prompt_text": [-1]}, "prompt's text is not within"),
        ({"prompt_speech": [500]}, "prompt's speech is not within 0 to 499"),
        ({"min_len": 9, "max_len": 8}, "between 9 and 8"),
        ({"max_len": 0, "min_len": 0}, "between 0 and 0"),
        ({"seed": 1 << 32}, "seed"),
    ],
)
def test_what_cannot_be_said_is_refused_before_the_network_runs(
    change: dict[str, Any], told: str
) -> None:
    backend = Scripted({})
    with pytest.raises(ValueError, match=told):
        generate(backend, **({"seed": 1} | TEXT | change))
    assert backend.room == 0


def test_logits_that_are_no_numbers_are_told() -> None:
    with pytest.raises(BadLogits, match="not numbers"):
        generate(Scripted({9: float("nan")}), **TEXT, seed=1)


def test_long_silences_are_cut_short() -> None:
    quiet = sorted(SILENT)
    run = (quiet * 3)[: SILENT_RUN + 4]
    assert without_long_silences([5, *run, 6, *run[:3], 7]) == [
        *(5, *run[:SILENT_RUN]),
        *(6, *run[:3]),
        7,
    ]
    assert without_long_silences([]) == []
    assert without_long_silences(run) == run[:SILENT_RUN]
