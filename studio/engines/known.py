"""The heavier engines that this version knows how to install, as data.

One entry is all that another engine needs here. What is installed for it stands in the package's
own metadata, as the extra of that name in ``pyproject.toml``; so there is one place for versions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, requires
from typing import Any

from studio.errors import MachineFault

DISTRIBUTION = "rhapsode"
"""Whose metadata names the versions."""

GB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Weights:
    """A model as a hub keeps it."""

    repository: str
    """Owner and name on the hub."""
    revision: str
    """The commit that this version was written for, in full; or a branch, where none was known:
    what that is when it is pulled is noted down then."""
    files: tuple[str, ...]
    """What of the repository is needed, by path."""
    bytes: int
    """About how much that is; what the hub says counts."""
    licence: str
    """Who made it and under which licence, to be shown before it is downloaded."""


@dataclass(frozen=True, slots=True)
class KnownEngine:
    """An engine that can be installed into an environment of its own."""

    name: str
    """As projects, ``[engines.NAME]`` and the engine's registry have it."""
    extra: str
    """The extra of the package that names what is installed."""
    python: tuple[int, int]
    """The oldest Python."""
    imports: tuple[str, ...]
    """Modules that a new environment must be able to import, what matters most first."""
    room: Mapping[str, int]
    """Bytes of an environment by accelerator, about, its downloads included; one that is not named
    cannot be chosen."""
    weights: Weights
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Defaults of the engine's settings, where they differ from every engine's."""
    sometimes: Mapping[str, str] = field(default_factory=dict)
    """Modules that are imported where their package is installed: not every machine gets it."""


COSYVOICE3 = KnownEngine(
    name="cosyvoice3",
    extra="cosyvoice",
    python=(3, 11),
    imports=(
        "torch",
        "torchaudio",
        "onnxruntime",
        "tokenizers",
        "safetensors",
        "soundfile",
        "numpy",
    ),
    room={"cpu": 2 * GB, "cuda": 9 * GB},
    weights=Weights(
        repository="FunAudioLLM/Fun-CosyVoice3-0.5B-2512",
        revision="29e01c4e8d000f4bcd70751be16fa94bf3d85a18",
        files=(
            "llm.pt",
            "flow.pt",
            "hift.pt",
            "campplus.onnx",
            "speech_tokenizer_v3.onnx",
            "CosyVoice-BlankEN/config.json",
            "CosyVoice-BlankEN/vocab.json",
            "CosyVoice-BlankEN/merges.txt",
        ),
        bytes=4_450_000_000,
        licence="Fun-CosyVoice3-0.5B-2512 by FunAudioLLM, Apache License 2.0",
    ),
    # A second copy of the model beside the first may not fit on a graphics card, whose memory
    # nobody measures before a spare is started.
    settings={"budget_mb": 2048, "load_deadline": 600.0, "stall_seconds": 120.0, "spare": False},
    sometimes={"mlx": "mlx.core"},
)

QWEN3_TTS = KnownEngine(
    name="qwen3-tts",
    extra="qwen",
    python=(3, 11),
    imports=(
        "mlx.core",
        "mlx_audio.tts.models.qwen3_tts",
        "transformers",
        "tokenizers",
        "scipy.signal",
        "soundfile",
        "numpy",
    ),
    room={"cpu": GB},
    weights=Weights(
        repository="mlx-community/Qwen3-TTS-12Hz-1.7B-Base-8bit",
        revision="main",
        files=(
            "config.json",
            "generation_config.json",
            "model.safetensors",
            "tokenizer_config.json",
            "vocab.json",
            "merges.txt",
            "speech_tokenizer/config.json",
            "speech_tokenizer/model.safetensors",
        ),
        bytes=3_000_000_000,
        licence=(
            "Qwen3-TTS-12Hz-1.7B-Base by Qwen, Apache License 2.0, converted to MLX by "
            "mlx-community"
        ),
    ),
    settings={"budget_mb": 2048, "load_deadline": 600.0, "stall_seconds": 120.0, "spare": False},
)

ENGINES: dict[str, KnownEngine] = {it.name: it for it in (COSYVOICE3, QWEN3_TTS)}
"""By name."""


def pins(engine: KnownEngine) -> tuple[str, ...]:
    """What is installed for an engine on this machine, as pip takes it: ``torch==2.13.0``.

    Raises:
        MachineFault: The studio runs without its package's metadata, as from an unpacked archive.
    """
    chosen = extra(engine.extra)
    if not chosen:
        raise MachineFault(
            f"What {engine.name} needs stands in the metadata of the package “{DISTRIBUTION}”, "
            "which cannot be found or is older than this code; install Rhapsode again."
        )
    return chosen


def extra(name: str) -> tuple[str, ...]:
    """What an extra of the package names for this machine; nothing where there is no such extra."""
    from packaging.requirements import Requirement

    try:
        named = [Requirement(text) for text in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        named = []
    chosen = []
    for requirement in named:
        marker = requirement.marker
        if (
            marker is not None
            and marker.evaluate({"extra": name})
            and not marker.evaluate({"extra": ""})
        ):
            requirement.marker = None
            chosen.append(str(requirement))
    return tuple(chosen)


def modules(engine: KnownEngine, wanted: Sequence[str]) -> tuple[str, ...]:
    """Modules that an environment with these pins must be able to import, as `KnownEngine` says."""
    from packaging.requirements import Requirement

    packages = {Requirement(pin).name for pin in wanted}
    also = (module for package, module in engine.sometimes.items() if package in packages)
    return (*engine.imports, *also)
