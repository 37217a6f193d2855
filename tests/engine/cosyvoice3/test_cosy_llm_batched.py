"""Sequences decoded side by side: apart from each other but for the last digits, which are why."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import llm_cases
import numpy as np
import pytest
import tiny_model
import torch
from torch import Tensor

from engine.narrators.cosyvoice3 import llm_batched, shapes
from engine.narrators.cosyvoice3.config import LlmConfig, llm_config, load_state
from engine.narrators.cosyvoice3.decoding import Asked, Spoken
from engine.narrators.cosyvoice3.llm_batched import Batch
from engine.narrators.cosyvoice3.llm_torch import Cache, SpeechLlm
from engine.narrators.cosyvoice3.sampler import Sampler

SIZES = (
    LlmConfig(64, 2, 4, 2, 16, 128, 160, 1e6, 1e-6, 500),
    LlmConfig(256, 4, 4, 2, 64, 1024, 160, 1e6, 1e-6, 500),
    LlmConfig(896, 4, 14, 2, 64, 4864, 160, 1e6, 1e-6, 500),
)
"""That of the tiny checkpoint, one between, and four layers of the real widths."""
STEPS = 5


@pytest.fixture(scope="module")
def llm(tmp_path_factory: pytest.TempPathFactory) -> SpeechLlm:
    """A tiny one whose lines end by themselves, now and then."""
    folder = tiny_model.build(tmp_path_factory.mktemp("model") / "tiny")
    state = load_state(folder / "llm.pt", "llm")
    return SpeechLlm.load(state, llm_config(state, folder / "CosyVoice-BlankEN" / "config.json"))


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    """Prefixes of five lengths, with lengths of speech and seeds of their own."""
    chance = np.random.default_rng(3)

    def ids(top: int, count: int) -> list[int]:
        return [int(number) for number in chance.integers(0, top, count)]

    return [
        Asked(ids(160, 12), ids(160, 9), ids(500, 40), seed=1),
        Asked([], ids(160, 4), [], seed=2**32 - 1),
        Asked([], ids(160, 20), ids(500, 30), seed=1986),
        Asked(ids(160, 6), ids(160, 2), ids(500, 14), seed=0, min_len=30, max_len=31),
        Asked(ids(160, 30), ids(160, 7), ids(500, 61), seed=5, min_len=0, max_len=90),
    ]


def random_llm(config: LlmConfig) -> SpeechLlm:
    """A network of a size, its weights drawn from a seed."""
    chance = torch.Generator().manual_seed(0)

    def weight(name: str, shape: tuple[int, ...]) -> Tensor:
        drawn = torch.randn(shape, generator=chance)
        if "norm" in name:
            return 1 + 0.1 * drawn
        if name.endswith("bias"):
            return 0.05 * drawn
        return drawn if "embed" in name else drawn * shape[-1] ** -0.5

    wanted = shapes.llm_shapes(config).items()
    return SpeechLlm.load({name: weight(name, shape) for name, shape in wanted}, config)


def somebody(config: LlmConfig) -> Asked:
    """A prefix as long as a short reference makes it."""
    chance = np.random.default_rng(1)
    ids = (chance.integers(0, top, n).tolist() for top, n in ((160, 30), (160, 25), (500, 120)))
    return Asked(*ids, seed=0)


# ---- what a sequence sees ------------------------------------------------------------------------


def test_the_mask_blocks_every_pad_in_the_prefix_and_in_every_step(
    llm: SpeechLlm, asked: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    masks: list[tuple[Tensor, Tensor]] = []
    attend = llm_batched.attend

    def noting(q: Tensor, keys: Tensor, values: Tensor, seen: Tensor, pads: Tensor) -> Tensor:
        masks.append((seen, pads))
        return attend(q, keys, values, seen, pads)

    monkeypatch.setattr(llm_batched, "attend", noting)
    lengths = [2 + len(one.prompt_text) + len(one.text) + len(one.prompt_speech) for one in asked]
    longest = max(lengths)
    batch = Batch(llm)
    batch.prefill(asked, STEPS)
    for token in range(STEPS):
        batch.step([token] * len(asked))
    assert len(masks) == (1 + STEPS) * llm.config.layers
    for call, (seen, pads) in enumerate(masks):
        step = call // llm.config.layers
        assert pads.tolist() == [longest - length for length in lengths]
        assert len({*pads.tolist()}) == len(asked), "all of different lengths"
        queries = range(longest) if step == 0 else [longest + step - 1]
        want = np.zeros((len(asked), len(queries), longest + step), bool)
        for row, pad in enumerate(pads.tolist()):
            for place, query in enumerate(queries):
                want[row, place, pad : query + 1] = True
            assert not seen[row, :, :pad].any()
        np.testing.assert_array_equal(seen.numpy(), want)


def poisoned(llm: SpeechLlm, asked: list[Asked], spoil: Callable[[Cache, Tensor], None]) -> Any:
    """Logits of a prefix and some steps; before each step something is done to the cache."""
    batch = Batch(llm)
    rows = [batch.prefill(asked, STEPS)]
    for token in range(STEPS):
        spoil(batch._cache, batch._pads)
        rows.append(batch.step([token + row for row in range(len(asked))]))
    return np.stack(rows)


def test_what_stands_in_a_pad_reaches_nobody(llm: SpeechLlm, asked: list[Asked]) -> None:
    """Not even through a product with zero, which with a value that is no number is none either."""

    @torch.inference_mode()
    def poison(cache: Cache, pads: Tensor) -> None:
        for row, pad in enumerate(pads.tolist()):
            cache.held[:, :, row, :, :pad] = torch.nan

    def nothing(cache: Cache, pads: Tensor) -> None:
        pass

    clean = poisoned(llm, asked, nothing)
    assert np.isfinite(clean).all()
    np.testing.assert_array_equal(poisoned(llm, asked, poison), clean)


def test_what_goes_in_at_a_pad_reaches_nobody(
    llm: SpeechLlm, asked: list[Asked], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The prefix, in which keys and values of pads are made with the others."""
    clean = Batch(llm).prefill(asked, 1)
    pad = torch.nn.functional.pad
    monkeypatch.setattr(llm_batched.F, "pad", lambda x, sides: pad(x, sides, value=torch.nan))
    batch = Batch(llm)
    np.testing.assert_array_equal(batch.prefill(asked, 1), clean)
    short = int(batch._pads.argmax())
    assert batch._cache.held[:, :, short, :, 0].isnan().all(), "there was poison in it"


def test_a_pad_that_asks_is_given_zeros() -> None:
    pads, columns = torch.tensor([0, 2]), torch.arange(3)
    seen = llm_batched.visible(pads, columns, columns)
    q, keys = torch.randn(2, 1, 2, 3, 4), torch.randn(2, 1, 3, 4)
    values = torch.ones(2, 1, 3, 4)
    out = llm_batched.attend(q, keys, values, seen, pads)
    assert torch.equal(out[1, 0, :, :2], torch.zeros(2, 2, 4))
    torch.testing.assert_close(out[0], torch.ones(1, 2, 3, 4))
    assert torch.equal(out[1, 0, :, 2], torch.ones(2, 4))


# ---- what comes of it ----------------------------------------------------------------------------


def test_logits_are_those_of_each_alone_but_for_the_last_digits(
    llm: SpeechLlm, asked: list[Asked]
) -> None:
    """So positions are counted from a sequence's own beginning, whatever stands before it."""
    batch = Batch(llm)
    together = [batch.prefill(asked, STEPS)]
    together += [batch.step([5 + step] * len(asked)) for step in range(STEPS)]
    for row, one in enumerate(asked):
        given = (one.prompt_text, one.text, one.prompt_speech)
        names = ("prompt_text", "text", "prompt_speech")
        alone = [llm.prefill(**dict(zip(names, given, strict=True)), room=STEPS)]
        alone += [llm.step(5 + step) for step in range(STEPS)]
        off = np.abs(np.stack(together)[:, row] - np.stack(alone)).max()
        assert off < llm_cases.TOLERANCE


def test_each_has_its_own_chance_lengths_and_end(llm: SpeechLlm, asked: list[Asked]) -> None:
    alone = [one_by_one(llm, one) for one in asked]
    assert len({len(spoken.tokens) for spoken in alone}) == len(asked), "they end at other times"
    assert {spoken.reached_limit for spoken in alone} == {True, False}
    assert llm_batched.generate(llm, asked) == alone
    assert llm_batched.generate(llm, asked[::-1]) == alone[::-1]
    assert llm_batched.generate(llm, asked[2:3]) == alone[2:3]


@pytest.mark.parametrize("model", llm_cases.models())
def test_sequences_side_by_side_are_the_references(model: str, tmp_path: Path) -> None:
    llm = SpeechLlm.load(*llm_cases.state(model, tmp_path))
    cases = [(case, seed) for name, case, seed in llm_cases.seeds() if name == model]
    together = [
        Asked(**llm_cases.inputs(model, case), seed=seed, **llm_cases.lengths(model, case))
        for case, seed in cases
    ]
    said = llm_batched.generate(llm, together, parity=True)
    assert [spoken.tokens for spoken in said] == [
        llm_cases.sequence(model, case, f"ras_seed{seed}") for case, seed in cases
    ]


def one_by_one(llm: SpeechLlm, one: Asked) -> Spoken:
    """What a sequence says alone."""
    return llm.generate(
        prompt_text=one.prompt_text,
        text=one.text,
        prompt_speech=one.prompt_speech,
        seed=one.seed,
        min_len=one.min_len,
        max_len=one.max_len,
    )


def test_the_sampler_is_handed_on(llm: SpeechLlm, asked: list[Asked]) -> None:
    first = llm_batched.generate(llm, asked, sampler=Sampler(top_k=1))
    assert first != llm_batched.generate(llm, asked)


def test_what_cannot_be_is_refused_before_anything_runs(llm: SpeechLlm, asked: list[Asked]) -> None:
    with pytest.raises(ValueError, match="no text"):
        llm_batched.generate(llm, [asked[0], replace(asked[1], text=[])])
    with pytest.raises(ValueError, match="between 3 and 2 tokens"):
        llm_batched.generate(llm, [asked[0], replace(asked[1], min_len=3, max_len=2)])


# ---- why no book is narrated so ------------------------------------------------------------------


def test_a_sequence_beside_its_own_copy_is_another_one() -> None:
    """The company alone moves the logits: nothing is padded, and all rows hold the same.

    A matrix library divides its work by the number of rows and adds up in another order. Measured
    in float32 on one thread of an AMD EPYC with AVX-512, torch 2.13.0, a prefix of 177 positions
    and five steps, logits within ±4; the first step, then the others, with one copy: 4.8e-7 and
    1.2e-6 at the tiny size (64 wide, 2 layers), 4.8e-7 and 2.3e-6 at 256 wide and 4 layers, 7.2e-7
    and 3.1e-6 at the real width and 4 layers; at the real size with its 24 layers 1.1e-6 and
    6.2e-6, and with three copies 2.4e-6 and 7.2e-6.
    """
    moved = []
    for config in SIZES:
        llm, one = random_llm(config), somebody(config)
        runs = []
        for rows in (1, 2):
            batch = Batch(llm)
            logits = [batch.prefill([one] * rows, STEPS)]
            logits += [batch.step([token] * rows) for token in range(STEPS)]
            runs.append(np.stack(logits)[:, 0])
        off = np.abs(runs[0] - runs[1]).max(axis=-1)
        moved.append(off.max())
    assert max(moved) > 0, "bits are equal here, which takes another look at llm_batched"
    assert max(moved) < 1e-4, "and it is no more than the last digits"


def test_the_head_of_a_prefix_made_apart_is_another_one() -> None:
    """Why nothing is kept of a voice's prompt: the keys would not be those of the whole prefix.

    Here the network that narrates, at the sizes and in the conditions above. Keys and values of the
    first 31 positions, made without the 146 behind them, were off by up to 9.5e-7 at the tiny size,
    1.9e-6 at the two others and 3.6e-6 at the real one. Those of the first 64 were the same bits at
    every size, those of the first 5 or 100 were not: it depends on how kernels divide the work,
    which nothing promises.
    """
    moved = []
    for config in SIZES:
        llm, one = random_llm(config), somebody(config)
        x = llm.prefix(prompt_text=one.prompt_text, text=one.text, prompt_speech=one.prompt_speech)
        whole, head = Cache(config, 256, x), Cache(config, 256, x)
        with torch.inference_mode():
            llm.network(x, whole)
            for cut in (5, 1 + len(one.prompt_text), 100):
                head.filled = 0
                llm.network(x[:, :cut], head)
                apart = head.held[..., :cut, :] - whole.held[..., :cut, :]
                moved.append(float(apart.abs().max()))
    assert max(moved) > 0, "bits are equal here, which takes another look at llm_mlx"
    assert max(moved) < 1e-4, "and it is no more than the last digits"
