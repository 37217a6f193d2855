"""Which division of its matrices makes the captured step of the language model the fastest.

    python tests/perf/cosyvoice_llm_tune.py --precision fp16

Needs an NVIDIA GPU and Triton. Random weights at the real size; one kernel after the other is tried
with other rows and warps, the best is kept, and each line says how long a whole step then takes on
the device. The result belongs into `llm_triton.PLAN`; differences below a hundredth are noise.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import torch

from engine.narrators.cosyvoice3 import devices, llm_triton, shapes
from engine.narrators.cosyvoice3.bench import model
from engine.narrators.cosyvoice3.bench.backends import DTYPES
from engine.narrators.cosyvoice3.llm_captured import CapturedSpeechLlm
from engine.narrators.cosyvoice3.llm_triton import Tile, TritonStep

CANDIDATES = {
    "qkv": [(2, 4), (4, 4), (8, 4), (2, 2), (4, 8)],
    "attention": [(64, 4), (128, 4), (128, 8), (32, 4)],
    "attention_out": [(2, 4), (4, 4), (8, 4), (2, 2), (8, 8)],
    "mlp_in": [(1, 2), (2, 2), (2, 4), (4, 4), (4, 8), (8, 4), (8, 8)],
    "mlp_out": [(1, 2), (1, 4), (2, 4), (2, 8), (4, 4), (4, 8), (8, 8)],
    "head": [(4, 4), (8, 4), (8, 8), (16, 8)],
}
"""Rows and warps to try."""
TOKENS, PREFIX, PROMPT = 250, 250, 125
"""Of the take in whose middle a step is timed: speech tokens, positions before them, and those of
these that are the reference's speech."""
REPLAYS = 100
"""Steps that are run one behind the other to time one."""


class Tuning:
    """A model whose step is made again for every plan."""

    def __init__(self, precision: str) -> None:
        """Load it."""
        config = model.full().llm
        self.device = devices.choose("cuda")
        devices.settle(self.device)
        self.line = model.line(config, PREFIX, PROMPT)
        state = model.weights(shapes.llm_shapes(config), 1)
        self.llm = CapturedSpeechLlm.load(
            state, config, self.device, DTYPES[precision], kernels="triton"
        )
        self.weights = self.llm._step._weights

    def spent(self, plan: dict[str, Tile], what: str, early: bool | None = None) -> float:
        """Microseconds of a step in the middle of a take, printed."""
        llm = self.llm
        llm._step = TritonStep(self.weights, llm.config, plan=plan, early=early)
        llm._graphs.clear()
        llm.prefill(
            prompt_text=[],
            text=self.line.text,
            prompt_speech=self.line.prompt_speech,
            room=TOKENS,
        )
        llm._cache.filled += TOKENS // 2
        spent = step_seconds(llm, self.device) * 1e6
        print(f"{spent:8.1f} us  {what}", flush=True)
        return spent


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


def main() -> None:
    """Try them."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--precision", default="fp16", choices=list(DTYPES))
    torch.set_num_threads(1)
    tuning, plan = Tuning(parser.parse_args().precision), dict(llm_triton.PLAN)
    best = min(tuning.spent(plan, "as planned") for _ in range(3))
    for kernel, tiles in CANDIDATES.items():
        for tile in (Tile(*pair) for pair in tiles):
            if tile == plan[kernel]:
                continue
            spent = tuning.spent(plan | {kernel: tile}, f"{kernel} {tile.rows} × {tile.warps}")
            if spent < best:
                best, plan[kernel] = spent, tile
    for _ in range(3):
        tuning.spent(plan, f"best: {plan}")
    tuning.spent(plan, "the same, each kernel after the end of the one before", early=False)


if __name__ == "__main__":
    main()
