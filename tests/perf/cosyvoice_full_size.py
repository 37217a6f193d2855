"""How fast CosyVoice3 is at its real size, stage by stage; weights are random, so it says nothing.

    python tests/perf/cosyvoice_full_size.py --device cuda --precision fp16

Builds the three networks, warms up, then makes a clip of 10 s after a reference of 5 s: 198
positions before the first speech token, 250 speech tokens, 750 mel frames through the flow. Prints
seconds by stage (the median of some runs), memory, and the real-time factor (RTF: seconds of work
by second of sound). ``--profile`` says what the flow's time goes into; ``--tiny`` tries the program
itself. It needs torch and the repository, no weights and no network.
"""

from __future__ import annotations

import argparse
import gc
import json
import re
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch
from torch import Tensor

from engine.memory import footprint
from engine.narrators.cosyvoice3 import devices, shapes
from engine.narrators.cosyvoice3.bench.model import Size, tiny, weights
from engine.narrators.cosyvoice3.bench.model import full as real
from engine.narrators.cosyvoice3.flow import Flow
from engine.narrators.cosyvoice3.llm_captured import CapturedSpeechLlm
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.vocoder import Vocoder

TOKENS_PER_SECOND = 25
SPECIALS = 2
"""sos and task, which stand before and behind the text."""
OVERLAPPED = 4
"""Clips that are made with the two halves side by side."""


class Bench:
    """The networks on a device, and a clip for them to make."""

    def __init__(self, size: Size, options: argparse.Namespace) -> None:
        """Build everything."""
        self.device = devices.choose(options.device)
        devices.settle(self.device)
        self.lane = devices.lane(self.device)
        self.steps = options.steps
        dtype = {"fp32": torch.float32, "fp16": torch.float16}[options.precision]
        captured = options.llm == "captured" or (options.llm, self.device.type) == ("auto", "cuda")
        self.llm = (CapturedSpeechLlm if captured else SpeechLlm).load(
            weights(shapes.llm_shapes(size.llm), 1), size.llm, self.device, dtype
        )
        self.flow = Flow.load(weights(shapes.flow_shapes(size.flow), 2), size.flow, self.device)
        self.vocoder = Vocoder.load(
            weights(shapes.vocoder_shapes(size.vocoder), 3), size.vocoder, self.device
        )
        gc.collect()
        chance = torch.Generator().manual_seed(4)
        prompt = round(options.reference * TOKENS_PER_SECOND)
        self.count = round(options.seconds * TOKENS_PER_SECOND)
        known, words = size.flow.vocab, max(1, options.prefix - prompt - SPECIALS)
        self.prompt = torch.randint(known, (prompt,), generator=chance).tolist()
        self.text = torch.randint(size.llm.vocab, (words,), generator=chance).tolist()
        self.mel = torch.randn(2 * prompt, size.flow.mel, generator=chance) * 2 - 5
        self.speaker = torch.randn(size.flow.speaker, generator=chance)

    def speak(self, seed: int) -> tuple[list[int], dict[str, float]]:
        """The language model: speech tokens, and seconds before the first and after it."""
        begun = time.perf_counter()
        at: list[float] = []
        said = self.llm.generate(
            prompt_text=[],
            text=self.text,
            prompt_speech=self.prompt,
            seed=seed,
            min_len=self.count,
            max_len=self.count,
            on_token=lambda _: at.append(time.perf_counter()),
        )
        assert len(said.tokens) == self.count
        return said.tokens, {"LLM prefill": at[0] - begun, "LLM decode": at[-1] - at[0]}

    def flow_of(self, tokens: list[int]) -> Tensor:
        """The flow: (80, 2 · n) on the device."""
        mel = self.flow.mel(
            tokens,
            prompt_tokens=self.prompt,
            prompt_mel=self.mel,
            speaker=self.speaker,
            steps=self.steps,
        )
        devices.wait(self.device)
        return mel

    def sound(self, tokens: list[int]) -> dict[str, float]:
        """Flow and vocoder, in a queue of their own as the narrator has it: seconds of each."""
        with devices.on_lane(self.lane):
            begun = time.perf_counter()
            mel = self.flow_of(tokens)
            between = time.perf_counter()
            wave = self.vocoder.wave(mel)
        assert torch.isfinite(wave).all()
        assert len(wave) == self.count * 960
        return {"flow": between - begun, "vocoder": time.perf_counter() - between}

    def clip(self, seed: int) -> dict[str, float]:
        """One clip: seconds by stage."""
        tokens, spent = self.speak(seed)
        return spent | self.sound(tokens)

    def overlapped(self, clips: int) -> float:
        """Seconds a clip, where the sound of one is made beside the speech of the next."""
        begun = time.perf_counter()
        with ThreadPoolExecutor(1, "sound") as pool:
            halves = [pool.submit(self.sound, self.speak(seed)[0]) for seed in range(clips)]
            for half in halves:
                half.result()
        return (time.perf_counter() - begun) / clips


def measured(bench: Bench, options: argparse.Namespace) -> dict[str, Any]:
    """Warm up, run, and put the figures together."""
    for seed in range(options.warm_up):
        bench.clip(seed)
    if bench.device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(bench.device)
    runs = [bench.clip(seed) for seed in range(options.runs)]
    stages = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    total = statistics.median(sum(run.values()) for run in runs)
    report: dict[str, Any] = {
        "device": _named(bench.device),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "precision": {"llm": bench.llm.precision, "flow": "fp32", "vocoder": "fp32"},
        "llm": bench.llm.backend,
        "clip_s": bench.count / TOKENS_PER_SECOND,
        "reference_s": len(bench.prompt) / TOKENS_PER_SECOND,
        "steps": bench.steps,
        "runs": options.runs,
        "stages_s": stages,
        "tokens_per_s": (bench.count - 1) / stages["LLM decode"],
        "total_s": total,
        "rtf": total / (bench.count / TOKENS_PER_SECOND),
        "slowest_s": max(sum(run.values()) for run in runs),
    }
    if not options.no_overlap:
        overlapped = bench.overlapped(OVERLAPPED)
        report["overlapped_s"] = overlapped
        report["overlapped_rtf"] = overlapped / report["clip_s"]
    if bench.device.type == "cuda":
        report["device_peak_bytes"] = torch.cuda.max_memory_allocated(bench.device)
        report["device_reserved_bytes"] = torch.cuda.memory_reserved(bench.device)
    report["footprint_bytes"] = footprint()
    return report


def _named(device: torch.device) -> str:
    """A device as people know it."""
    return torch.cuda.get_device_name(device) if device.type == "cuda" else device.type


def profiled(bench: Bench) -> dict[str, Any]:
    """Where a flow's time goes: seconds by kind of kernel, and of the wall clock in all."""
    from torch.profiler import ProfilerActivity, profile

    tokens = bench.prompt[:1] * bench.count
    bench.flow_of(tokens)
    begun = time.perf_counter()
    bench.flow_of(tokens)
    wall = time.perf_counter() - begun
    on_device = bench.device.type == "cuda"
    activities = [ProfilerActivity.CPU, *([ProfilerActivity.CUDA] if on_device else [])]
    with profile(activities=activities) as made:
        bench.flow_of(tokens)
    kinds: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    names: dict[str, list[float]] = defaultdict(lambda: [0.0, 0])
    for name, seconds, calls in _events(made, on_device):
        for table, key in ((kinds, kind_of(name)), (names, name)):
            table[key][0] += seconds
            table[key][1] += calls
    busiest = sorted(names.items(), key=lambda item: -item[1][0])[:15]
    return {
        "wall_s": wall,
        "kernels_s": sum(seconds for seconds, _ in kinds.values()),
        "kinds": {
            kind: {"seconds": seconds, "calls": calls}
            for kind, (seconds, calls) in sorted(kinds.items(), key=lambda item: -item[1][0])
        },
        "busiest": [
            {"kernel": name[:110], "seconds": seconds, "calls": calls}
            for name, (seconds, calls) in busiest
        ],
    }


def _events(made: Any, on_device: bool) -> Iterator[tuple[str, float, int]]:
    """Name, seconds and calls of every kernel; on a CPU, of every operator without its parts."""
    for event in made.key_averages():
        if not on_device:
            yield event.key, event.self_cpu_time_total / 1e6, event.count
        elif event.device_type == torch.autograd.DeviceType.CUDA:
            yield event.key, event.self_device_time_total / 1e6, event.count


KINDS = (
    ("copies to and from the device", r"memcpy|memset|_to_copy"),
    ("attention", r"attention|fmha|flash|softmax"),
    ("convolutions", r"conv|dgrad|wgrad|fprop|implicit"),
    ("matrix products", r"gemm|gemv|addmm|::mm|::bmm|matmul|cublas|cutlass|nvjet|splitk"),
    ("norms", r"norm"),
    ("activations", r"gelu|mish|silu|tanh|softplus"),
    ("elementwise and copies", r"elementwise|copy|cat|::add|::mul|::sub|addcmul|fill|zero|clone"),
)
"""Kinds of kernels, by what their names hold; the first that fits."""


def kind_of(name: str) -> str:
    """What a kernel does."""
    return next((kind for kind, has in KINDS if re.search(has, name.lower())), "the rest")


def table(report: dict[str, Any]) -> Iterator[str]:
    """The figures for people."""
    llm = f"{report['precision']['llm']} ({report['llm']})"
    yield f"{report['device']}, torch {report['torch']}, {report['threads']} threads on the CPU"
    yield (
        f"clip of {report['clip_s']:g} s after a reference of {report['reference_s']:g} s; LLM in "
        f"{llm}, flow in fp32 with {report['steps']} steps; median of {report['runs']} runs"
    )
    yield ""
    for stage, seconds in report["stages_s"].items():
        more = f"  {report['tokens_per_s']:.1f} tokens/s" if stage == "LLM decode" else ""
        yield f"{stage:<22}{seconds:9.3f} s{more}"
    yield f"{'all':<22}{report['total_s']:9.3f} s  RTF {report['rtf']:.3f}"
    if "overlapped_s" in report:
        yield (
            f"{'overlapped, a clip':<22}{report['overlapped_s']:9.3f} s"
            f"  RTF {report['overlapped_rtf']:.3f}"
        )
    for key, label in (
        ("device_peak_bytes", "device memory, peak"),
        ("device_reserved_bytes", "device memory, held"),
        ("footprint_bytes", "process footprint"),
    ):
        if key in report:
            yield f"{label:<22}{report[key] / 2**30:9.2f} GiB"
    if "profile" in report:
        yield from _profile_table(report["profile"])


def _profile_table(found: dict[str, Any]) -> Iterator[str]:
    """Where the flow's time goes."""
    yield ""
    yield f"flow: {found['wall_s']:.3f} s, of which kernels {found['kernels_s']:.3f} s"
    for kind, spent in found["kinds"].items():
        yield f"  {kind:<32}{spent['seconds']:9.4f} s {spent['calls']:7d} calls"
    yield ""
    for spent in found["busiest"]:
        yield f"  {spent['seconds']:9.4f} s {spent['calls']:7d} × {spent['kernel']}"


def options_of(arguments: list[str] | None = None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add: Callable[..., Any] = parser.add_argument
    add("--device", default="cpu", help="cpu, cuda, mps or auto")
    add("--precision", default="fp32", choices=["fp32", "fp16"], help="of the LLM’s weights")
    add("--llm", default="auto", choices=["auto", "torch", "captured"], help="how the LLM runs")
    add("--steps", type=int, default=10, help="Euler steps of the flow")
    add("--seconds", type=float, default=10, help="length of the clip")
    add("--reference", type=float, default=5, help="length of the reference")
    add("--prefix", type=int, default=198, help="positions before the first speech token")
    add("--runs", type=int, default=5, help="clips that are measured")
    add("--warm-up", type=int, default=2, help="clips before them")
    add("--threads", type=int, default=1, help="threads of torch on the CPU")
    add("--no-overlap", action="store_true", help="leave out the overlapped run")
    add("--profile", action="store_true", help="say what the flow’s time goes into")
    add("--tiny", action="store_true", help="small networks, to try the program itself")
    add("--json", action="store_true", help="print JSON instead of a table")
    return parser.parse_args(arguments)


def main() -> None:
    """Measure and print."""
    options = options_of()
    torch.set_num_threads(options.threads)
    begun = time.perf_counter()
    bench = Bench(tiny() if options.tiny else real(), options)
    print(f"built in {time.perf_counter() - begun:.1f} s", file=sys.stderr)
    report = measured(bench, options)
    if options.profile:
        report["profile"] = profiled(bench)
    print(json.dumps(report, indent=1) if options.json else "\n".join(table(report)))


if __name__ == "__main__":
    main()
