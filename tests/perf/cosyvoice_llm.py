"""How fast the speech language model says its tokens, its ways of running side by side.

    python tests/perf/cosyvoice_llm.py --device cuda

Random weights at the real size; 250 tokens after a prefix of 250 positions. The ways are: the eager
loop with a sampler on the device, which waits for the device some thirty times a token; the eager
loop with the sampler on the host; the step captured in a CUDA graph, of torch's operators and of
the kernels of `llm_triton`. For each: tokens/s, what part of the device's bandwidth that is (the
bandwidth is that of a copy, measured in the same run), how long the step is on the device, how much
of a token's time is sampling, kernels a token, and in how far it agrees with the eager loop, in
float16 and float32. It needs torch and the repository, no weights and no network; ``--tiny
--device cpu`` tries the program itself.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
import torch
from cosyvoice_full_size import real, tiny, weights
from torch import Tensor

from engine.narrators.cosyvoice3 import devices, shapes
from engine.narrators.cosyvoice3.config import LlmConfig, State
from engine.narrators.cosyvoice3.decoding import Backend, generate
from engine.narrators.cosyvoice3.llm_captured import CapturedSpeechLlm
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.sampler import Floats

DTYPES = {"fp16": torch.float16, "fp32": torch.float32}
SPECIALS = 2
"""sos and task, which stand before and behind the text."""
PROMPT = 125
"""Speech tokens of the prefix: a reference of 5 s."""
COPIED = 2 << 30
"""Bytes of the copy that measures bandwidth."""
REPLAYS = 100
"""Steps that are run one behind the other to time one."""
EAGER_RUNS = 3
"""Takes of the eager loop, with which the others are compared token by token."""


class Asked:
    """What is said in each run."""

    def __init__(self, config: LlmConfig, prefix: int, tokens: int) -> None:
        """Make it up."""
        chance = np.random.default_rng(4)
        prompt = min(PROMPT, prefix // 2)
        self.tokens = tokens
        self.given: dict[str, list[int]] = {
            "prompt_text": [],
            "text": chance.integers(config.vocab, size=prefix - prompt - SPECIALS).tolist(),
            "prompt_speech": chance.integers(config.speech_tokens, size=prompt).tolist(),
        }


class Watched:
    """A backend that notes how long its steps take, and keeps their logits where asked to."""

    def __init__(self, backend: Backend, keep: bool = False) -> None:
        """Stand before a backend."""
        self.config = backend.config
        self.prefill = backend.prefill
        self._step = backend.step
        self._keep = keep
        self.logits: list[Floats] = []
        self.spent = 0.0

    def step(self, token: int) -> Floats:
        """One step, timed."""
        begun = time.perf_counter()
        logits = self._step(token)
        self.spent += time.perf_counter() - begun
        if self._keep:
            self.logits.append(logits)
        return logits


@dataclass
class Take:
    """What was said, and how fast; what the steps did not take of the time is the host's."""

    tokens: list[int]
    logits: list[Floats]
    rate: float
    host: float
    first: float


def take(backend: Backend, asked: Asked, seed: int, *, most: int = 0, keep: bool = False) -> Take:
    """Say it once."""
    watched, at = Watched(backend, keep), [time.perf_counter()]
    length = most or asked.tokens
    spoken = generate(
        watched,
        **asked.given,
        seed=seed,
        min_len=length,
        max_len=length,
        on_token=lambda _: at.append(time.perf_counter()),
    )
    spent = at[-1] - at[1]
    return Take(
        spoken.tokens,
        watched.logits,
        (length - 1) / spent,
        1 - watched.spent / spent,
        at[1] - at[0],
    )


def taken(backend: Backend, asked: Asked, runs: int) -> tuple[list[Take], dict[str, float]]:
    """Some takes after a short one, the logits of the first kept; and how fast they were."""
    take(backend, asked, 99, most=min(20, asked.tokens))
    takes = [take(backend, asked, seed, keep=seed == 0) for seed in range(runs)]
    return takes, {
        "tokens_per_s": statistics.median(one.rate for one in takes),
        "slowest_tokens_per_s": min(one.rate for one in takes),
        "host_share": statistics.median(one.host for one in takes),
        "first_token_s": statistics.median(one.first for one in takes),
    }


def on_device(llm: SpeechLlm, asked: Asked, tokens: int) -> float:
    """The eager loop with the sampler as it is written down, one wait a number; tokens a second."""
    network = llm._network
    chance = torch.Generator(llm._network.norm.weight.device).manual_seed(0)
    llm.prefill(**asked.given, room=tokens)
    history = [0]
    begun = time.perf_counter()
    with torch.inference_mode():
        for _ in range(tokens):
            x = network.speech_embedding.weight[history[-1]].view(1, 1, -1)
            logits = network(x, llm._cache)
            logits[llm.config.stop.start :] = -torch.inf
            history.append(drawn(logits.log_softmax(0), history, chance))
    return tokens / (time.perf_counter() - begun)


def drawn(logp: Tensor, history: Sequence[int], chance: torch.Generator) -> int:
    """Repetition-aware sampling in tensors; see `sampler.Sampler` for what it is."""
    p, order = logp.softmax(dim=0).sort(descending=True, stable=True)
    kept: list[Tensor] = []
    total = torch.zeros((), device=p.device)
    while total < 0.8 and len(kept) < 25:
        kept.append(p[len(kept)])
        total = total + kept[-1]
    pick = torch.multinomial(torch.stack(kept), 1, replacement=True, generator=chance)
    token = order[pick]
    if (torch.tensor(history[-10:], device=p.device) == token).sum().item() >= 1:
        logp[token] = -torch.inf
        token = torch.multinomial(logp.softmax(0), 1, replacement=True, generator=chance)
    return int(token.item())


def step_seconds(llm: CapturedSpeechLlm, device: torch.device) -> float:
    """Seconds of one replay on the device, many of them one behind the other; the cache stays."""
    llm.step(1)
    llm._cache.filled -= 1
    graph = llm._graphs[max(llm._graphs)]
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    graph.replay()
    begin.record()
    for _ in range(REPLAYS):
        graph.replay()
    end.record()
    torch.cuda.synchronize(device)
    return begin.elapsed_time(end) / 1e3 / REPLAYS


def kernels(backend: Backend) -> int:
    """Kernels that a step runs on the device."""
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as made:
        backend.step(1)
        torch.cuda.synchronize()
    return sum(
        event.count
        for event in made.key_averages()
        if event.device_type == torch.autograd.DeviceType.CUDA and "Mem" not in event.key
    )


def bandwidth(device: torch.device) -> float:
    """Bytes a second of a copy on the device, read and written."""
    if device.type != "cuda":
        return float("nan")
    source = torch.empty(COPIED, dtype=torch.uint8, device=device).random_()
    target = torch.empty_like(source)
    times = []
    for _ in range(6):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        target.copy_(source)
        end.record()
        torch.cuda.synchronize(device)
        times.append(begin.elapsed_time(end) / 1e3)
    return 2 * COPIED / min(times)


def step_bytes(config: LlmConfig, size: int, positions: int) -> int:
    """What a step has to read: all weights but the two embeddings, and the cache."""
    matrices = sum(
        torch.Size(shape).numel()
        for name, shape in shapes.llm_shapes(config).items()
        if "embed" not in name
    )
    entries = 2 * config.layers * config.kv_heads * config.head_dim * positions
    return size * (matrices + entries)


def agreement(want: list[Take], got: list[Take], other: Backend, asked: Asked) -> dict[str, Any]:
    """Takes token by token, and the logits while both are fed the same tokens."""
    alike = []
    for one, two in zip(want, got, strict=False):
        pairs = enumerate(zip(one.tokens, two.tokens, strict=True))
        alike.append(next((i for i, pair in pairs if pair[0] != pair[1]), len(one.tokens)))
    other.prefill(**asked.given, room=asked.tokens)
    apart, likeliest = [], []
    for token, logits in zip(want[0].tokens, want[0].logits, strict=False):
        mine = other.step(token)
        apart.append(float(np.abs(logits - mine).max()))
        likeliest.append(bool(logits.argmax() == mine.argmax()))
    return {
        "tokens_alike": alike,
        "tokens": asked.tokens,
        "logits_apart": max(apart),
        "logits_apart_median": statistics.median(apart),
        "same_likeliest": sum(likeliest) / len(likeliest),
    }


def measured(state: State, config: LlmConfig, asked: Asked, options: argparse.Namespace) -> Any:
    """All ways, in one precision after the other."""
    device = devices.choose(options.device)
    devices.settle(device)
    report: dict[str, Any] = {
        "device": torch.cuda.get_device_name(device) if device.type == "cuda" else device.type,
        "torch": torch.__version__,
        "prefix": sum(map(len, asked.given.values())) + SPECIALS,
        "tokens": asked.tokens,
        "runs": options.runs,
        "bandwidth": bandwidth(device),
        "ways": [],
    }
    for precision in options.precisions.split(","):
        size = DTYPES[precision].itemsize
        read = step_bytes(config, size, report["prefix"] + asked.tokens // 2)
        for way, found in _ways(state, config, asked, options, device, DTYPES[precision]):
            tokens = {"bandwidth": found["tokens_per_s"] * read, "step_bytes": read}
            report["ways"].append({"precision": precision, "way": way, **found, **tokens})
            print(json.dumps(report["ways"][-1]), file=sys.stderr, flush=True)
    return report


def _ways(
    state: State,
    config: LlmConfig,
    asked: Asked,
    options: argparse.Namespace,
    device: torch.device,
    dtype: torch.dtype,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every way and what was found of it; one model of each kind is held at a time."""
    eager = SpeechLlm.load(state, config, device, dtype)
    runs = [on_device(eager, asked, asked.tokens) for _ in range(2)]
    yield "eager, sampler on the device", {"tokens_per_s": max(runs)}  # the first is a warm-up
    want, found = taken(eager, asked, EAGER_RUNS)
    if device.type == "cuda":
        found["kernels"] = kernels(eager)
    yield "eager, sampler on the host", found
    for step in options.steps.split(","):
        llm = CapturedSpeechLlm.load(
            state, config, device, dtype, kernels=step, captured=device.type == "cuda"
        )
        found = one_way(llm, want, asked, options, device)
        yield llm.backend, found
        del llm
        gc.collect()


def one_way(
    llm: CapturedSpeechLlm,
    want: list[Take],
    asked: Asked,
    options: argparse.Namespace,
    device: torch.device,
) -> dict[str, Any]:
    """Speed and agreement of a step that is captured."""
    got, rates = taken(llm, asked, options.runs)
    found: dict[str, Any] = {**rates}
    if device.type == "cuda":
        llm.prefill(**asked.given, room=asked.tokens)
        llm._cache.filled += asked.tokens // 2
        found["step_s"] = step_seconds(llm, device)
        found["kernels"] = kernels(llm)
        found["graph_bytes"] = torch.cuda.memory_reserved(device)
    return found | agreement(want, got, llm, asked)


def table(report: dict[str, Any]) -> Iterator[str]:
    """The figures for people."""
    limit = report["bandwidth"]
    yield f"{report['device']}, torch {report['torch']}; a copy moves {limit / 1e12:.2f} TB/s"
    yield (
        f"{report['tokens']} tokens after {report['prefix']} positions; median of "
        f"{report['runs']} takes"
    )
    yield ""
    base: dict[str, float] = {}
    for way in report["ways"]:
        rate = way["tokens_per_s"]
        base.setdefault(way["precision"], rate)
        line = f"{way['precision']}  {way['way']:<30}{rate:8.1f} tokens/s"
        line += f" {rate / base[way['precision']]:6.1f} x  {way['bandwidth'] / limit:6.1%}"
        if "step_s" in way:
            line += f"  step {way['step_s'] * 1e6:6.0f} us"
        if "kernels" in way:
            line += f"  {way['kernels']:4d} kernels"
        if "host_share" in way:
            line += f"  host {way['host_share']:.0%}"
        yield line
        if "tokens_alike" in way:
            yield (
                f"      tokens alike {way['tokens_alike']} of {way['tokens']}; logits apart "
                f"{way['logits_apart']:.2g} (median {way['logits_apart_median']:.2g}); same "
                f"likeliest {way['same_likeliest']:.1%}"
            )


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add: Callable[..., Any] = parser.add_argument
    add("--device", default="cpu", help="cpu, cuda, or auto")
    add("--precisions", default="fp16,fp32", help="of the weights, one after the other")
    add("--steps", default="torch,triton", help="whose kernels are captured")
    add("--tokens", type=int, default=250, help="speech tokens")
    add("--prefix", type=int, default=250, help="positions before the first of them")
    add("--runs", type=int, default=5, help="takes that are measured")
    add("--tiny", action="store_true", help="a small network, to try the program itself")
    add("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args(arguments)


def main() -> None:
    """Measure and print."""
    options = options_of()
    torch.set_num_threads(1)
    config = (tiny() if options.tiny else real()).llm
    state = weights(shapes.llm_shapes(config), 1)
    report = measured(state, config, Asked(config, options.prefix, options.tokens), options)
    print(json.dumps(report, indent=1) if options.json else "\n".join(table(report)))


if __name__ == "__main__":
    main()
