"""`bench llm`: the backends of the language model side by side, in turns, in one process."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from engine.narrators.cosyvoice3 import decoding
from engine.narrators.cosyvoice3.bench import backends, model
from engine.narrators.cosyvoice3.bench.backends import Runner
from engine.narrators.cosyvoice3.bench.sampler import first_difference
from engine.narrators.cosyvoice3.config import LlmConfig
from engine.narrators.cosyvoice3.sampler import Chance, Floats, Sampler, log_softmax

SEED = 11
COMPARED = 4
"""Lines of a batch that are said one by one, too: all of a large one would take as long again."""
PROFILED = 32
"""Steps that the profiler looks at."""
ORACLE = "eager fp32"


def measure(
    source: model.Source,
    device: torch.device,
    tokens: int,
    prefix: int,
    rounds: int,
    wanted: list[str],
    progress: Callable[[float], None],
) -> dict[str, Any]:
    """Measure every backend that is there.

    Args:
        source: The weights.
        device: Where torch runs.
        tokens: Speech tokens of the line.
        prefix: Positions before them.
        rounds: Turns of each backend; figures are medians over them.
        wanted: Names of backends; empty for all.
        progress: Told how far it is, 0 to 1.

    Raises:
        Absent: No backend of these names is here.
    """
    state, config = source.llm()
    runners, absent = backends.there(state, config, device, wanted)
    if not runners:
        raise backends.Absent(f"The backend “{wanted[0]}” is not here: {absent[0]['why']}.")
    line = model.line(config, prefix, prefix // 2)
    oracle = next((it for it in runners if it.name == ORACLE), None)
    if oracle is None:
        (oracle,), _ = backends.there(state, config, device, [ORACLE])
    del state
    for runner in runners:
        runner.say(line, min(tokens, PROFILED), SEED)
    copies: dict[str, list[float]] = {}
    done = 0
    for turn in range(rounds):
        ahead = turn % max(1, len(runners))
        for runner in runners[ahead:] + runners[:ahead]:
            runner.turns.append(runner.say(line, tokens, SEED))
            done += 1
            progress(done / (rounds * len(runners)))
        for where in {it.device: it for it in runners}.values():
            copies.setdefault(where.device, []).append(where.copy())
    along = led(oracle, line, oracle.say(line, tokens, SEED).tokens)
    limits = {name: max(rates) for name, rates in copies.items()}
    rows = [row(it, config, line, prefix, limits[it.device], along) for it in runners]
    return {
        "tokens": tokens,
        "prefix": prefix,
        "rounds": rounds,
        "oracle": ORACLE,
        "copy_bytes_per_s": limits,
        "backends": rows,
        "absent": absent,
    }


class Along:
    """What the oracle said, and what it would draw at each step of it."""

    def __init__(self, tokens: list[int], drawn: list[int], logits: list[Floats]) -> None:
        """Keep it."""
        self.tokens = tokens
        self.drawn = drawn
        self.logits = logits


def led(runner: Runner, line: model.Line, tokens: list[int]) -> Along:
    """Lead a backend along given tokens, and see what it would draw at each step.

    Every step has its own chance, so that one other draw does not make all later ones others.
    """
    c = runner.llm.config
    logits = runner.llm.prefill(
        prompt_text=[], text=line.text, prompt_speech=line.prompt_speech, room=len(tokens)
    )
    kept, drawn = [], []
    for step, token in enumerate(tokens):
        kept.append(logits.copy())
        logp = log_softmax(logits)
        decoding.mask(logp, c, may_end=False, parity=False)
        drawn.append(Sampler().sample(logp, tokens[:step], Chance(SEED + step)))
        if step + 1 < len(tokens):
            logits = runner.llm.step(token)
    return Along(tokens, drawn, kept)


def row(
    runner: Runner, c: LlmConfig, line: model.Line, prefix: int, limit: float, oracle: Along
) -> dict[str, Any]:
    """The figures of one backend."""
    turns, tokens, lines = runner.turns, len(oracle.tokens), runner.lines
    stepped = runner.sampler == "host" and lines == 1
    decode = statistics.median(turn.decode for turn in turns)
    steps = statistics.median(turn.steps for turn in turns)
    drawn = lines * (tokens - 1)
    rate = drawn / decode if drawn else 0.0
    cache = 2 * c.layers * c.kv_heads * c.head_dim * runner.element * (prefix + tokens / 2)
    per_token = round(runner.read / lines + cache)
    said = turns[0].tokens
    own_chance = runner.sampler == "device" and runner.device != "cpu"
    made: dict[str, Any] = {
        "backend": runner.name,
        "precision": runner.precision,
        "device": runner.device,
        "sampler": runner.sampler,
        "lines": lines,
        "prefill_s": statistics.median(turn.prefill for turn in turns),
        "decode_s": decode,
        "tokens_per_s": rate,
        "slowest_tokens_per_s": drawn / max(turn.decode for turn in turns),
        "sampling_share": (decode - steps) / decode if stepped else None,
        "bytes_per_token": per_token,
        "bytes_per_s": per_token * rate,
        "bandwidth_share": per_token * rate / limit,
        "repeats_itself": all(
            (turn.tokens, turn.beside) == (said, turns[0].beside) for turn in turns
        ),
        "first_difference": None if own_chance else first_difference(oracle.tokens, said),
        "comparable": not own_chance,
        **dispatch(runner, line, steps / max(1, tokens - 1)),
    }
    if lines > 1:
        made["differs_from_alone_at"] = one_by_one(runner, line, tokens)
    if stepped:
        own = led(runner, line, oracle.tokens)
        same = sum(a == b for a, b in zip(oracle.drawn, own.drawn, strict=True))
        far = max(
            float(np.abs(a - b).max()) for a, b in zip(oracle.logits, own.logits, strict=True)
        )
        made |= {"same_draws": same, "largest_logit_difference": far}
    return made


def one_by_one(runner: Runner, line: model.Line, tokens: int) -> list[int | None]:
    """Where lines that were said together first differ from themselves alone; None: nowhere.

    Of the first `COMPARED` of them.
    """
    turn = runner.turns[0]
    together = [turn.tokens, *turn.beside][:COMPARED]
    found = []
    for place, it in enumerate(model.siblings(line, len(together))):
        alone = decoding.generate(
            runner.llm,
            prompt_text=[],
            text=it.text,
            prompt_speech=it.prompt_speech,
            seed=SEED + place,
            min_len=tokens,
            max_len=tokens,
        )
        found.append(first_difference(alone.tokens, together[place]))
    return found


def dispatch(runner: Runner, line: model.Line, step: float) -> dict[str, Any]:
    """How much of a step the device is idle, and how often it is asked for something.

    The device's busy time is the profiler's; the step's is of the rounds without profiler, in the
    same process, for a profiler slows the host down.

    Args:
        runner: Whose step.
        line: What is said meanwhile.
        step: Wall seconds of one step as measured without a profiler; 0 where it was not.
    """
    why = _untold(runner)
    if why:
        unknown = ("dispatch_share", "launches_per_token", "kernels_per_token")
        return {**dict.fromkeys(unknown), "dispatch_unknown": why}
    from torch.profiler import ProfilerActivity, profile

    steps = list(range(PROFILED))
    runner.llm.prefill(
        prompt_text=[], text=line.text, prompt_speech=line.prompt_speech, room=2 * PROFILED
    )
    for token in steps:
        runner.llm.step(token)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as made:
        for token in steps:
            runner.llm.step(token)
        torch.cuda.synchronize()
    busy, launches, kernels = 0.0, 0, 0
    for event in made.key_averages():
        if event.device_type == torch.autograd.DeviceType.CUDA:
            busy += event.self_device_time_total / 1e6
            kernels += event.count if "Mem" not in event.key else 0
        elif event.key in (
            "cudaLaunchKernel",
            "cudaLaunchKernelExC",
            "cuLaunchKernel",
            "cuLaunchKernelEx",
            "cudaGraphLaunch",
            "cudaMemcpyAsync",
        ):
            launches += event.count
    busy /= PROFILED
    return {
        "device_s_per_token": busy,
        "dispatch_share": max(0.0, 1 - busy / step) if step else None,
        "launches_per_token": launches / PROFILED,
        "kernels_per_token": kernels / PROFILED,
        "dispatch_unknown": "",
    }


def _untold(runner: Runner) -> str:
    """Why nobody tells how long the device is at work in a step; empty where it is told."""
    if runner.device == "cuda" and runner.lines > 1:
        return "its step is that of several lines"
    if runner.device == "cuda":
        return "" if runner.sampler == "host" else "its network’s step is not told from its sampler"
    return {
        "cpu": "the processor is host and device in one",
        "mps": "torch’s profiler does not tell the device time of Metal",
    }.get(runner.device, "MLX has no profiler that tells device time")
