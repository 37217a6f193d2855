"""What is measured: an installed model, or random weights of the real size or a small one.

Random weights say nothing, but they take as long: no step of the three networks depends on what
its numbers are, and lengths are given.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor

from engine.narrators.cosyvoice3 import config, shapes
from engine.narrators.cosyvoice3.config import FlowConfig, LlmConfig, VocoderConfig
from engine.narrators.cosyvoice3.weights import State, load_state

SPECIALS = 2
"""sos and task, which stand before and behind the text."""
SEED = 20250101
"""Decides random weights and random ids."""


@dataclass(frozen=True)
class Size:
    """The shapes of the three networks."""

    llm: LlmConfig
    flow: FlowConfig
    vocoder: VocoderConfig


def full() -> Size:
    """CosyVoice3-0.5B."""
    llm = LlmConfig(896, 24, 14, 2, 64, 4864, 151_936, 1e6, 1e-6, 6561)
    flow = FlowConfig(6561, 80, 192, 3, 1024, 1024, 22, 16, 64, 2048, 256, 16, 31)
    return Size(llm, flow, _vocoder(512, 512))


def tiny() -> Size:
    """The same in small."""
    llm = LlmConfig(64, 2, 4, 2, 16, 128, 500, 1e6, 1e-6, 6561)
    flow = FlowConfig(6561, 80, 192, 3, 64, 64, 2, 4, 16, 128, 256, 16, 31)
    return Size(llm, flow, _vocoder(32, 24))


SIZES = {"tiny": tiny, "full": full}


def _vocoder(channels: int, f0_channels: int) -> VocoderConfig:
    """The vocoder at a width."""
    return VocoderConfig(
        mel=80,
        channels=channels,
        upsample_rates=(8, 5, 3),
        upsample_kernels=(16, 11, 7),
        source_strides=(15, 3, 1),
        resblock_kernels=(3, 7, 11),
        source_kernels=(7, 7, 11),
        n_fft=16,
        hop=4,
        look_right=4,
        harmonics=8,
        f0_channels=f0_channels,
        f0_layers=(0, 2, 4, 6, 8),
        f0_look_right=3,
    )


@dataclass(frozen=True)
class Source:
    """Where weights come from: a model's folder, or chance."""

    folder: Path | None
    random: str
    """``tiny`` or ``full``, where there is no folder."""

    @property
    def name(self) -> str:
        """For the table."""
        return f"random weights, {self.random}" if self.folder is None else str(self.folder)

    def llm(self) -> tuple[State, LlmConfig]:
        """The language model."""
        if self.folder is None:
            size = SIZES[self.random]().llm
            return weights(shapes.llm_shapes(size), SEED), size
        state = load_state(self.folder / "llm.pt", "llm")
        return state, config.llm_config(state, self.folder / "CosyVoice-BlankEN" / "config.json")

    def flow(self) -> tuple[State, FlowConfig]:
        """The flow decoder."""
        if self.folder is None:
            size = SIZES[self.random]().flow
            return weights(shapes.flow_shapes(size), SEED + 1), size
        state = load_state(self.folder / "flow.pt", "flow")
        return state, config.flow_config(state)

    def vocoder(self) -> tuple[State, VocoderConfig]:
        """The vocoder."""
        if self.folder is None:
            size = SIZES[self.random]().vocoder
            return weights(shapes.vocoder_shapes(size), SEED + 2), size
        state = load_state(self.folder / "hift.pt", "vocoder")
        return state, config.vocoder_config(state)


@dataclass(frozen=True)
class Line:
    """What is said: ids by chance, for of them only the number counts."""

    text: list[int]
    prompt_speech: list[int]


def line(c: LlmConfig, prefix: int, reference: int) -> Line:
    """A line with so many positions before its first speech token.

    Args:
        c: For the ranges of ids.
        prefix: Positions of everything before the speech, sos and task among them.
        reference: Speech tokens of the prompt, which are part of the prefix where they fit.
    """
    chance = torch.Generator().manual_seed(SEED + 3)
    reference = max(0, min(reference, prefix - SPECIALS - 1))
    words = max(1, prefix - reference - SPECIALS)
    return Line(
        torch.randint(c.vocab, (words,), generator=chance).tolist(),
        torch.randint(c.speech_tokens, (reference,), generator=chance).tolist(),
    )


def siblings(line: Line, count: int) -> list[Line]:
    """A line, and others that are shorter by one more id of text each, down to a single id."""
    longest = len(line.text) - 1
    return [Line(line.text[min(row, longest) :], line.prompt_speech) for row in range(count)]


def weights(wanted: Mapping[str, tuple[int, ...]], seed: int) -> dict[str, Tensor]:
    """Random weights under which numbers stay about as large as they come in."""
    chance = torch.Generator().manual_seed(seed)
    state = {}
    for key, shape in wanted.items():
        if key.endswith("inv_freq"):
            half = torch.arange(shape[0], dtype=torch.float32) / shape[0]
            state[key] = 10_000**-half
        elif "layernorm" in key or key.endswith(("norm.weight", "alpha", "original0")):
            state[key] = torch.ones(shape)
        elif len(shape) == 1:
            state[key] = torch.zeros(shape)
        else:
            inputs = torch.Size(shape[1:]).numel()
            scale = 1.0 if "embed" in key and "conv" not in key else inputs**-0.5
            state[key] = torch.empty(shape).normal_(0, scale, generator=chance)
    return state


def named(device: torch.device) -> str:
    """A device as people know it."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type
