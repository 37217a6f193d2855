"""What a person may configure of this engine, and of a voice, checked before anything is made."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from engine.narrators.folders import folder
from engine.registry import Refusal
from engine.wire import JSON


class Kind(StrEnum):
    """Which of the three models it is; each makes voices in one way."""

    BASE = "base"
    CUSTOM_VOICE = "custom_voice"
    VOICE_DESIGN = "voice_design"


MODES = {
    Kind.BASE: ("clone", "x_vector"),
    Kind.CUSTOM_VOICE: ("custom_voice",),
    Kind.VOICE_DESIGN: ("voice_design",),
}
"""What a voice's setting “mode” may be, the default first."""

DEVICES = ("auto", "cpu", "gpu")
ICL_PENALTY = 1.5
"""mlx-audio's least repetition penalty for a voice that is cloned with its transcript."""


@dataclass(frozen=True, slots=True)
class Options:
    """The load options; an engine's ``[engines.qwen3-tts.options]`` in the configuration."""

    model: Path | None
    """The model's folder; None where none is configured."""
    device: str
    cache: Path | None
    """Folder for digests of the model's files; None keeps nothing."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How tokens are drawn; the same for all codebooks."""

    temperature: float = 0.9
    top_k: int = 50
    """So many of the likeliest tokens are left; 0 leaves all."""
    top_p: float = 1.0
    """The likeliest tokens that have this probability together are left."""
    repetition_penalty: float = 1.05
    """What the logits of the last 64 tokens of the first codebook are divided by."""


_RANGES = {
    "temperature": (0.05, 2.0),
    "top_k": (0, 2048),
    "top_p": (0.01, 1.0),
    "repetition_penalty": (1.0, 3.0),
}


def read(options: Mapping[str, JSON]) -> Options:
    """Read the load options.

    Raises:
        Refusal: One is unknown, or has a value that it cannot have; it is named.
    """
    known = sorted(Options.__slots__)
    unknown = sorted(name for name in options if name not in known)
    if unknown:
        raise Refusal(f"qwen3-tts has no option named {listed(unknown)}; it has {listed(known)}.")
    device = options.get("device", DEVICES[0])
    if not isinstance(device, str) or device not in DEVICES:
        raise Refusal(f"The option “device” is {device!r}; it can be {listed(DEVICES)}.")
    return Options(folder(options, "model"), device, folder(options, "cache"))


def defaults(config: Mapping[str, Any] | None) -> Sampling:
    """How a model wants to be sampled: its ``generation_config.json``, else what it was made for.

    Raises:
        Refusal: The file has a value that cannot be.
    """
    known = {item.name for item in fields(Sampling)}
    given = {
        name: value for name, value in (config or {}).items() if name in known and value is not None
    }
    return sampling(given, Sampling(), cloned=False)


def sampling(settings: Mapping[str, JSON], base: Sampling, *, cloned: bool) -> Sampling:
    """How a voice is sampled.

    Args:
        settings: The voice's; what it does not say is the model's.
        base: The model's.
        cloned: Whether it is cloned with its transcript, where the penalty has a least value.

    Raises:
        Refusal: A setting is no number, or out of range.
    """
    values: dict[str, Any] = {}
    for name, (least, most) in _RANGES.items():
        value = settings.get(name, getattr(base, name))
        if cloned and name == "repetition_penalty":
            least = ICL_PENALTY
            if name not in settings:
                value = max(value, least)
        values[name] = _number(name, value, least, most)
    return Sampling(**values)


def listed(names: Iterable[str]) -> str:
    """Names for a person."""
    return ", ".join(f"“{name}”" for name in names)


SETTINGS = tuple(_RANGES)
"""Names of the settings that decide how a voice is sampled."""


def possible() -> dict[str, JSON]:
    """What a voice may be set to, as a card says it: with one of the three models or another."""
    numbers = {
        name: {"least": least, "most": most, **({"whole": True} if isinstance(least, int) else {})}
        for name, (least, most) in _RANGES.items()
    }
    return {"mode": [mode for modes in MODES.values() for mode in modes], **numbers}


def usual(kind: Kind, base: Sampling) -> dict[str, JSON]:
    """What a voice's settings are with a model where the voice does not say.

    The penalty of a model that clones depends on the mode, so nothing is said of it.
    """
    told: dict[str, JSON] = {"mode": MODES[kind][0]}
    told |= {name: getattr(base, name) for name in SETTINGS}
    if kind is Kind.BASE:
        del told["repetition_penalty"]
    return told


def _number(name: str, value: JSON, least: float, most: float) -> float:
    """A setting that must be a number within a range."""
    whole = isinstance(least, int)
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not math.isfinite(value)
        or (whole and value != int(value))
    ):
        kind = "a whole number" if whole else "a number"
        raise Refusal(f"The setting “{name}” must be {kind}, not {value!r}.")
    if not least <= value <= most:
        why = ""
        if name == "temperature" and value == 0:
            why = " Without any chance the model does not find an end."
        elif name == "repetition_penalty" and least == ICL_PENALTY:
            why = " For a voice that is cloned with its transcript, mlx-audio uses no less."
        raise Refusal(
            f"The setting “{name}” is {value:g}; it goes from {least:g} to {most:g}.{why}"
        )
    return int(value) if whole else float(value)
