"""What a person may configure of this engine, checked before anything is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from engine.narrators.folders import folder
from engine.registry import Refusal
from engine.wire import JSON

DEVICES = ("auto", "cpu", "cuda", "mps")
PRECISIONS = ("fp32", "fp16", "q8")
LLM_BACKENDS = ("auto", "torch", "captured", "mlx")
"""How the language model runs; `llms` has them, and says what ``auto`` is."""
MAX_STEPS = 100
"""More Euler steps than anybody could hear."""
MAX_THREADS = 256
MAX_BATCH = 16
"""More lines together gain little, and each takes its part of the memory."""


@dataclass(frozen=True, slots=True)
class Options:
    """The load options; an engine's ``[engines.cosyvoice3.options]`` in the configuration."""

    model: Path | None
    """The model's folder; None where none is configured."""
    device: str
    llm_precision: str
    """What the language model's weights are cast to; the rest is in float32 always."""
    steps: int
    """Euler steps of the flow."""
    overlap: bool
    """Whether the halves of two clips run side by side."""
    threads: int
    """Of one operation on the CPU."""
    llm_backend: str
    """How the language model runs; flow and vocoder are torch's always."""
    cache: Path | None
    """Folder for what is made once: voices, digests of the model's files; None keeps nothing."""
    batch: int
    """Lines that the language model says together where so many wait; 1 for one at a time. Above
    1 a take depends on the lines that were said with it, and not on its recipe alone."""


def read(options: Mapping[str, JSON]) -> Options:
    """Read the load options.

    Raises:
        Refusal: One is unknown, or has a value that it cannot have; it is named.
    """
    known = {*Options.__slots__}
    unknown = sorted(name for name in options if name not in known)
    if unknown:
        raise Refusal(
            f"cosyvoice3 has no option named {_listed(unknown)}; it has {_listed(sorted(known))}."
        )
    chosen = Options(
        model=folder(options, "model"),
        device=_one_of(options, "device", DEVICES),
        llm_precision=_one_of(options, "llm_precision", PRECISIONS),
        steps=_whole(options, "steps", 10, MAX_STEPS),
        overlap=_switch(options, "overlap", True),
        threads=_whole(options, "threads", 1, MAX_THREADS),
        llm_backend=_one_of(options, "llm_backend", LLM_BACKENDS),
        cache=folder(options, "cache"),
        batch=_whole(options, "batch", 1, MAX_BATCH),
    )
    if chosen.batch > 1 and chosen.llm_backend != "torch":
        raise Refusal(
            f"The option “batch” is {chosen.batch}, and “llm_backend” is “{chosen.llm_backend}”: "
            "only “torch” says several lines together. Set “llm_backend” to “torch”, or take "
            "“batch” out."
        )
    return chosen


def _one_of(options: Mapping[str, JSON], name: str, values: tuple[str, ...]) -> str:
    """One of a few words; the first where it is left out."""
    value = options.get(name, values[0])
    if not isinstance(value, str) or value not in values:
        raise Refusal(f"The option “{name}” is {value!r}; it can be {_listed(values)}.")
    return value


def _whole(options: Mapping[str, JSON], name: str, default: int, most: int) -> int:
    """A whole number from 1 on."""
    value = options.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
        raise Refusal(
            f"The option “{name}” must be a whole number from 1 to {most}, not {value!r}."
        )
    return value


def _switch(options: Mapping[str, JSON], name: str, default: bool) -> bool:
    """True or false."""
    value = options.get(name, default)
    if not isinstance(value, bool):
        raise Refusal(f"The option “{name}” must be true or false, not {value!r}.")
    return value


def _listed(names: Iterable[str]) -> str:
    """Names for a person."""
    return ", ".join(f"“{name}”" for name in names)
