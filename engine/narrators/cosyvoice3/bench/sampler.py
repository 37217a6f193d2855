"""`bench sampler`: drawing on the device against drawing on the host, over the same logits."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.narrators.cosyvoice3 import devices
from engine.narrators.cosyvoice3.bench import model
from engine.narrators.cosyvoice3.bench.literal import LiteralSampler, Waits
from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.decoding import mask
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.sampler import Chance, Floats, Sampler, log_softmax

SEED = 7


@dataclass(frozen=True)
class Said:
    """One line as it was said: what both samplers are asked about."""

    logits: list[Tensor]
    """Of each step, (V,), on the device."""
    tokens: list[int]


class Host:
    """What the host sampler is given: a copy on the host, each of them counted."""

    def __init__(self) -> None:
        """Start at nothing."""
        self.copies = 0

    def of(self, logits: Tensor) -> Floats:
        """Copy to the host: the one wait of a step."""
        self.copies += 1
        return np.asarray(logits.cpu().numpy())


def measure(
    source: model.Source, device: torch.device, tokens: int, prefix: int, rounds: int
) -> dict[str, Any]:
    """Have both draw a line's tokens again, in turns.

    Args:
        source: The weights.
        device: Where the logits are made.
        tokens: Of the line.
        prefix: Positions before them.
        rounds: Turns of each; times are their medians.
    """
    state, config = source.llm()
    llm = SpeechLlm.load(state, config, device)
    said = say(llm, model.line(config, prefix, prefix // 2), tokens)

    def on_host() -> tuple[list[int], int]:
        host, chance, draw = Host(), Chance(SEED), Sampler()
        drawn = []
        for step, logits in enumerate(said.logits):
            logp = log_softmax(host.of(logits))
            mask(logp, config, may_end=False, parity=False)
            drawn.append(draw.sample(logp, said.tokens[:step], chance))
        return drawn, host.copies

    def on_device() -> tuple[list[int], int]:
        return literally(said, config, device)

    def counted(run: Callable[[], tuple[list[int], int]]) -> tuple[list[int], int]:
        with Waits() as waits:
            drawn, copies = run()
        return drawn, copies + waits.count

    samplers = {"host": on_host, "device": on_device}
    seconds: dict[str, list[float]] = {name: [] for name in samplers}
    for run in samplers.values():
        run()
    for turn in range(rounds):
        names = list(samplers) if turn % 2 == 0 else list(samplers)[::-1]
        for name in names:
            devices.wait(device)
            begun = time.perf_counter()
            samplers[name]()
            seconds[name].append(time.perf_counter() - begun)
    rows = []
    for name, run in samplers.items():
        drawn, waits = counted(run)
        rows.append(
            {
                "sampler": name,
                "waits": waits,
                "waits_per_token": waits / tokens,
                "driver_waits": _driver(run, device),
                "seconds": statistics.median(seconds[name]),
                "us_per_token": statistics.median(seconds[name]) / tokens * 1e6,
                "drawn": drawn,
            }
        )
    same = sum(a == b for a, b in zip(rows[0].pop("drawn"), rows[1].pop("drawn"), strict=True))
    return {
        "tokens": tokens,
        "rounds": rounds,
        "same_tokens": same,
        "same_chance": device.type == "cpu",
        "samplers": rows,
    }


@torch.inference_mode()
def say(llm: SpeechLlm, line: model.Line, tokens: int) -> Said:
    """Say a line of a length, and keep the logits of every step."""
    config, chance, draw = llm.config, Chance(SEED), Sampler()
    kept, said = [], []
    logits = llm.prefill(
        prompt_text=[], text=line.text, prompt_speech=line.prompt_speech, room=tokens
    )
    for _ in range(tokens):
        kept.append(torch.from_numpy(logits.copy()).to(llm.device))
        logp = log_softmax(logits)
        mask(logp, config, may_end=False, parity=False)
        said.append(draw.sample(logp, said, chance))
        logits = llm.step(said[-1])
    return Said(kept, said)


def literally(said: Said, config: LlmConfig, device: torch.device) -> tuple[list[int], int]:
    """Draw every token of a line on the device; no copy of ours in it."""
    literal = LiteralSampler(device, SEED)
    return [
        literal.sample(masked(logits, config), said.tokens[:step])
        for step, logits in enumerate(said.logits)
    ], 0


def masked(logits: Tensor, config: LlmConfig) -> Tensor:
    """Log-probabilities without what would end the line; (V,) on the device."""
    # As the host sampler takes them, so that a CPU draws the same; Metal has no float64.
    wide = logits.float() if logits.device.type == "mps" else logits.double()
    logp = wide.log_softmax(dim=0).float()
    logp[config.stop.start :] = -torch.inf
    return logp


def _driver(run: Callable[[], Any], device: torch.device) -> int | None:
    """How often the driver was waited for, by its own account; None where nobody keeps it."""
    if device.type != "cuda":
        return None
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as made:
        run()
    return sum(
        event.count
        for event in made.key_averages()
        if event.key in ("cudaStreamSynchronize", "cudaEventSynchronize")
    )


def first_difference(one: Sequence[int], other: Sequence[int]) -> int | None:
    """Index of the first token that is another one; None where all are the same."""
    for index, (a, b) in enumerate(zip(one, other, strict=False)):
        if a != b:
            return index
    return None if len(one) == len(other) else min(len(one), len(other))
