"""Measures from the inside of an engine: ``PYTHON -P /path/to/engine/bench.py PART …``.

Started by path, with the interpreter that the engine runs with, as `engine.__main__` is. It prints
JSON objects, one a line: ``{"progress": 0.5}`` while it works, and at last one with ``result``, or
one with ``error``, a plain sentence for a person. What is measured, and how, stands in the modules
that the parts name; tables and pictures are the studio's.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import json
import os
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

Say = Callable[[dict[str, Any]], None]
Part = Callable[[argparse.Namespace, Say], Any]


class Sorry(Exception):
    """It cannot be measured here; the text says why."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one thing; returns the exit code."""
    entry = _entry()
    entry.adopt_package()
    requests, events = entry.own_streams()
    os.environ.update(entry.QUIET)
    faulthandler.enable()
    from engine import lifeline

    lifeline.tie(requests)
    threading.Thread(target=_end_with, args=(requests,), daemon=True).start()
    out = os.fdopen(events, "w", encoding="utf-8")

    def say(message: dict[str, Any]) -> None:
        print(json.dumps(message, ensure_ascii=False), file=out, flush=True)

    options = _parser().parse_args(arguments)
    part: Part = options.part
    try:
        say({"result": part(options, say)})
    except Sorry as sorry:
        say({"error": str(sorry)})
        return 1
    return 0


def _entry() -> Any:
    """The module that starts engines: how the package is found is its business."""
    path = Path(__file__).resolve().with_name("__main__.py")
    spec = importlib.util.spec_from_file_location("engine_entry", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is missing")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _end_with(requests: int) -> None:
    """End this process when whoever started it lets go of it."""
    from engine import lifeline

    while os.read(requests, 1024):
        pass
    lifeline.leave()


def _parser() -> argparse.ArgumentParser:
    """The parts and their options."""
    parser = argparse.ArgumentParser(prog="engine.bench", description=__doc__)
    parts = parser.add_subparsers(required=True)
    for name, part in (("llm", _llm), ("stages", _stages), ("sampler", _sampler)):
        added = parts.add_parser(name)
        added.set_defaults(part=part)
        added.add_argument("--model", type=Path)
        added.add_argument("--random", choices=["tiny", "full"], default="")
        added.add_argument("--device", default="auto")
        added.add_argument("--threads", type=int, default=1)
        added.add_argument("--tokens", type=int, default=250)
        added.add_argument("--prefix", type=int, default=250)
        added.add_argument("--rounds", type=int, default=3)
        added.add_argument("--reference", type=int, default=125)
        added.add_argument("--steps", type=int, default=10)
        added.add_argument("--backend", action="append", default=[])
    parts.add_parser("probe").set_defaults(part=_probe)
    return parser


def _llm(options: argparse.Namespace, say: Say) -> Any:
    """Backends of the language model side by side."""
    source, device = _ready(options)
    from engine.narrators.cosyvoice3.bench import backends, llm, model

    try:
        made = llm.measure(
            source,
            device,
            options.tokens,
            options.prefix,
            options.rounds,
            options.backend,
            lambda done: say({"progress": done}),
        )
    except backends.Absent as absent:
        raise Sorry(str(absent)) from absent
    return {**_machine(options, model.named(device), source.name), **made}


def _stages(options: argparse.Namespace, say: Say) -> Any:
    """What of a clip goes where."""
    source, device = _ready(options)
    from engine.narrators.cosyvoice3.bench import backends, model, stages

    backend = options.backend[0] if options.backend else "eager fp32"
    try:
        clips = stages.Clips(
            source,
            device,
            backend,
            tokens=options.tokens,
            prefix=options.prefix,
            reference=options.reference,
            steps=options.steps,
        )
    except backends.Absent as absent:
        raise Sorry(str(absent)) from absent
    made = stages.measure(clips, options.rounds, lambda done: say({"progress": done}))
    return {**_machine(options, model.named(device), source.name), **made}


def _sampler(options: argparse.Namespace, say: Say) -> Any:
    """Drawing on the device and on the host."""
    source, device = _ready(options)
    from engine.narrators.cosyvoice3.bench import model, sampler

    made = sampler.measure(source, device, options.tokens, options.prefix, options.rounds)
    return {**_machine(options, model.named(device), source.name), **made}


def _ready(options: argparse.Namespace) -> tuple[Any, Any]:
    """The weights' source and torch's device, where both are there."""
    try:
        import torch

        from engine.narrators.cosyvoice3 import devices, fingerprint
        from engine.narrators.cosyvoice3.bench.model import Source
    except ImportError as error:
        raise Sorry(f"{sys.executable} lacks what this engine needs: {error}.") from error
    from engine.registry import Fatal

    devices.share_the_processor()
    torch.set_num_threads(options.threads)
    try:
        devices.forbid_fallback()
        device = devices.choose(options.device)
    except Fatal as error:
        raise Sorry(str(error)) from error
    devices.settle(device)
    folder = None if options.random else options.model
    if not options.random:
        missing = fingerprint.missing(folder) if folder else ["a model"]
        if missing:
            raise Sorry(
                f"The model folder “{folder}” lacks “{missing[0]}”; rhapsode engines pull "
                "cosyvoice3 fetches it, and --random full measures without one."
            )
    return Source(folder, options.random), device


def _machine(options: argparse.Namespace, device: str, weights: str) -> dict[str, Any]:
    """Where it was measured."""
    import torch

    from engine.build import build

    return {
        "weights": weights,
        "device": device,
        "threads": torch.get_num_threads(),
        "build": build(("torch", "numpy", "mlx", "triton")),
    }


def _probe(options: argparse.Namespace, say: Say) -> Any:
    """What the sampler makes of fixed cases."""
    del options, say
    try:
        from engine.narrators.cosyvoice3.bench import probe
    except ImportError as error:
        raise Sorry(f"{sys.executable} lacks what this engine needs: {error}.") from error
    return probe.digests()


if __name__ == "__main__":
    sys.exit(main())
