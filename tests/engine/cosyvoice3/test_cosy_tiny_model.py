"""The tiny model is one that the real engine can be tested with."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import NamedTuple

import golden
import numpy as np
import pytest
import tiny_model
import torch
from made_audio import RATE, TRANSCRIPT, speech

from engine.narrators.cosyvoice3 import frontend, text
from engine.narrators.cosyvoice3.config import (
    MODEL_FILES,
    flow_config,
    llm_config,
    load_state,
    vocoder_config,
)
from engine.narrators.cosyvoice3.decoding import Spoken
from engine.narrators.cosyvoice3.flow import Flow
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.tokenizer import SPECIALS, Tokenizer
from engine.narrators.cosyvoice3.vocoder import Vocoder

LINE = "She had waited eleven years for a letter that never came."


class Model(NamedTuple):
    """What speaks."""

    tokenizer: Tokenizer
    llm: SpeechLlm
    flow: Flow
    vocoder: Vocoder
    heard: frontend.Features

    def say(self, line: str, seed: int) -> Spoken:
        """Speech tokens of a line, in zero-shot."""
        before = text.prompt(text.Mode.ZERO_SHOT, TRANSCRIPT, "")
        return self.llm.generate(
            prompt_text=self.tokenizer.encode(before.text),
            text=self.tokenizer.encode(text.spoken(line, "en")),
            prompt_speech=self.heard.speech_tokens.tolist(),
            seed=seed,
        )


def loaded(folder: Path) -> Model:
    """A model folder, loaded with all checks."""
    state = load_state(folder / "llm.pt", "llm")
    llm = SpeechLlm.load(state, llm_config(state, folder / "CosyVoice-BlankEN" / "config.json"))
    cpu = torch.device("cpu")
    state = load_state(folder / "flow.pt", "flow")
    flow = Flow.load(state, flow_config(state), cpu)
    state = load_state(folder / "hift.pt", "vocoder")
    vocoder = Vocoder.load(state, vocoder_config(state), cpu)
    heard = frontend.features(speech(), RATE, frontend.open_sessions(folder))
    return Model(Tokenizer.of(folder / "CosyVoice-BlankEN"), llm, flow, vocoder, heard)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_model.build(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def model(folder: Path) -> Model:
    return loaded(folder)


def digests(folder: Path) -> dict[str, str]:
    """What each file holds."""
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in MODEL_FILES}


def test_it_is_complete_and_small(folder: Path) -> None:
    assert all((folder / name).is_file() for name in MODEL_FILES)
    assert sum(path.stat().st_size for path in folder.rglob("*.*")) < 6_000_000


def test_a_seed_decides_it(folder: Path, tmp_path: Path) -> None:
    again = tiny_model.build(tmp_path / "again")
    assert digests(again) == digests(folder)
    other = digests(tiny_model.build(tmp_path / "other", seed=1))
    weights = [name for name in MODEL_FILES if not name.startswith("CosyVoice-BlankEN")]
    assert all(other[name] != digests(folder)[name] for name in weights)


@cache
def _ranks(name: str) -> dict[str, int]:
    """Keys of a golden checkpoint and how many dimensions each has."""
    return {key: value.ndim for key, value in golden.load(name).items()}


@pytest.mark.parametrize(
    ("file", "part", "theirs"),
    [
        ("llm.pt", "llm", "llm_tiny.safetensors"),
        ("flow.pt", "flow", "flow_tiny.safetensors"),
        ("hift.pt", "vocoder", "hift_tiny.safetensors"),
    ],
)
def test_its_keys_are_those_of_the_reference(
    folder: Path, file: str, part: str, theirs: str
) -> None:
    ours = {key: value.ndim for key, value in torch.load(folder / file).items()}
    depth = {"llm": 2, "flow": tiny_model.DEPTH, "vocoder": 9}[part]
    blocks = "transformer_blocks.", ".layers.", "resblocks."

    def within(key: str) -> bool:
        numbers = [key.split(b, 1)[1].split(".")[0] for b in blocks if b in key]
        return all(int(number) < depth for number in numbers)

    assert ours == {key: rank for key, rank in _ranks(golden.own(theirs)).items() if within(key)}


def test_any_text_can_be_encoded(model: Model) -> None:
    encode = model.tokenizer.encode
    assert len(encode("the old man was in the house by the water")) < 15
    for strange in ("你好", "ὦ", "\x00\x7f", "😀", "straße — “quoted”"):
        assert encode(strange)
    base = model.tokenizer.size - len(SPECIALS)
    assert encode(SPECIALS[-1]) == [base + len(SPECIALS) - 1]
    assert model.llm.config.vocab >= model.tokenizer.size


def test_a_line_ends_by_itself_after_a_sane_number_of_tokens(model: Model) -> None:
    said = [model.say(LINE, seed) for seed in range(12)]
    ids = len(model.tokenizer.encode(LINE))
    assert not any(one.reached_limit for one in said)
    assert all(2 * ids <= len(one.tokens) <= 8 * ids for one in said)
    assert len({tuple(one.tokens) for one in said}) == len(said)
    assert model.say(LINE, 3).tokens == said[3].tokens


def test_it_hears_the_reference_and_reads_the_text(model: Model) -> None:
    other = model._replace(
        heard=frontend.Features(
            model.heard.mel24, model.heard.speech_tokens[::-1].copy(), model.heard.speaker
        )
    )
    assert other.say(LINE, 0).tokens != model.say(LINE, 0).tokens
    assert model.say(LINE[::-1], 0).tokens != model.say(LINE, 0).tokens


def test_endless_lines_never_end(tmp_path: Path) -> None:
    model = loaded(tiny_model.build(tmp_path / "endless", endless=True))
    said = model.say("The water was good.", 0)
    assert said.reached_limit
    assert len(said.tokens) == 20 * len(model.tokenizer.encode("The water was good."))


@pytest.mark.parametrize("seed", [0, 1])
def test_it_sounds(tmp_path: Path, seed: int) -> None:
    model = loaded(tiny_model.build(tmp_path / "model", seed))
    tokens = model.say(LINE, seed).tokens
    mel = model.flow.mel(
        tokens,
        prompt_tokens=model.heard.speech_tokens.tolist(),
        prompt_mel=torch.from_numpy(model.heard.mel24),
        speaker=torch.from_numpy(model.heard.speaker),
    )
    samples = model.vocoder.wave(mel).numpy()
    assert samples.shape == (960 * len(tokens),)
    assert np.isfinite(samples).all()
    assert -30 < 20 * np.log10(np.sqrt((samples**2).mean())) < -12
    assert np.abs(samples).max() < 0.95
    assert abs(samples.mean()) < 0.02
    pitch = model.vocoder.f0(mel)
    assert 80 < float(pitch.mean()) < 160
