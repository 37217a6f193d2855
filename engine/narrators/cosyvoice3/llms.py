"""Which language model runs: the option says, or the machine where the option leaves it open.

Nothing is fallen back to. What was asked for and is not there ends the load with a sentence; only
``auto`` looks what there is, and the card says what it found. Where MLX runs the language model,
torch never has one: the file's tensors are only read from, one after the other, and are gone when
the load is over. From then on the two frameworks exchange lists of integers.
"""

from __future__ import annotations

import platform
import sys
import weakref
from importlib.util import find_spec
from typing import TYPE_CHECKING

from engine.narrators.cosyvoice3.options import Options
from engine.registry import Fatal

if TYPE_CHECKING:
    import torch

    from engine.narrators.cosyvoice3.config import LlmConfig
    from engine.narrators.cosyvoice3.decoding import Speaker
    from engine.narrators.cosyvoice3.weights import State

INSTALL = "Install the engine again with “rhapsode engines install cosyvoice3 --upgrade”"


def choose(options: Options, device: str) -> str:
    """How the language model runs: ``torch``, ``captured`` or ``mlx``.

    Args:
        options: As a person gave them.
        device: Where torch runs: ``cpu``, ``cuda``, ``mps``.

    Raises:
        Fatal: It is not there, or it cannot do what else was asked for.
    """
    chosen = options.llm_backend
    if chosen == "auto":
        mlx = device == "mps" and apple_silicon() and find_spec("mlx") is not None
        chosen = "mlx" if mlx else "captured" if device == "cuda" else "torch"
    if chosen != "mlx" and options.llm_precision == "q8":
        raise Fatal(
            f"Weights of 8 bits (“llm_precision” is “q8”) are for MLX, and here {chosen} runs the "
            "language model. Set “llm_precision” to “fp16”, or, on a Mac, “llm_backend” to “mlx”."
        )
    if chosen == "captured" and device != "cuda":
        raise Fatal(
            "The option “llm_backend” is “captured”, which is for NVIDIA GPUs, and torch runs on "
            f"“{device}” here. Set “llm_backend” to “auto”."
        )
    if chosen == "mlx":
        _check_mlx(options.device, device)
    return chosen


def load(
    chosen: str, state: State, config: LlmConfig, device: torch.device, options: Options
) -> Speaker:
    """Load the language model.

    Args:
        chosen: From `choose`.
        state: Its tensors; emptied where nothing of torch's is kept.
        config: Its shapes, which were read off them.
        device: Where torch runs.
        options: For the precision.

    Raises:
        Fatal: The device is not there, or the precision does not fit the shapes.
    """
    if chosen == "mlx":
        return _mlx(state, config, device.type, options.llm_precision)
    import torch

    from engine.narrators.cosyvoice3.llm_captured import CapturedSpeechLlm
    from engine.narrators.cosyvoice3.llm_torch import SpeechLlm

    dtype = {"fp32": torch.float32, "fp16": torch.float16}[options.llm_precision]
    if chosen == "captured":
        return CapturedSpeechLlm.load(state, config, device, dtype)
    return SpeechLlm.load(state, config, device, dtype)


def apple_silicon() -> bool:
    """Whether this is a Mac with a processor of Apple's, and a Python that was built for it."""
    return sys.platform == "darwin" and platform.machine() == "arm64"


def _check_mlx(wanted: str, device: str) -> None:
    """Refuse where MLX cannot run beside torch as it was asked to."""
    try:
        import mlx.core as mx
    except ImportError as error:
        raise Fatal(
            f"MLX is to run the language model, and it cannot be imported: {error}. {INSTALL} on a "
            "Mac with Apple silicon, or set “llm_backend” to “torch”."
        ) from error
    if device == "cuda":
        raise Fatal(
            "The option “llm_backend” is “mlx”, which is for Apple silicon, and torch runs on an "
            "NVIDIA GPU. Set “llm_backend” to “auto”, or “device” to “cpu”."
        )
    if device == "mps" or (sys.platform == "darwin" and wanted == "auto"):
        if not mx.metal.is_available():
            raise Fatal(
                "MLX finds no Metal on this Mac, so the language model cannot run on its GPU. Set "
                "“llm_backend” to “torch”, or “device” to “cpu”, which is slow."
            )


def _mlx(state: State, config: LlmConfig, device: str, precision: str) -> Speaker:
    """The language model in MLX; torch keeps nothing of it."""
    from engine.narrators.cosyvoice3.llm_mlx import MlxSpeechLlm

    tensors = [weakref.ref(tensor) for tensor in state.values()]
    llm = MlxSpeechLlm.load(state, config, "cpu" if device == "cpu" else "gpu", precision)
    state.clear()
    assert not any(tensor() is not None for tensor in tensors), "torch still holds an LLM"
    return llm
