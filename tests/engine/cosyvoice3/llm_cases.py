"""What the goldens hold of the speech language model, and how a backend is asked for the same."""

from __future__ import annotations

import json
import re
from pathlib import Path

import golden
import numpy as np

from engine.narrators.cosyvoice3.config import LlmConfig, State, llm_config, load_state
from engine.narrators.cosyvoice3.decoding import Backend
from engine.narrators.cosyvoice3.sampler import Floats, log_softmax

TOLERANCE = 2e-5
"""How far a log-probability may lie from the reference's."""


def models() -> list[str]:
    """Checkpoints that come with what they gave."""
    return [name.replace("_io.npz", "") for name in golden.names("llm*_io.npz")]


def cases(field: str) -> list[tuple[str, str]]:
    """Model and case of every record that has a field."""
    return [
        (model, case)
        for model in models()
        for case in golden.cases(golden.load(f"{model}_io.npz"), field)
    ]


def seeds() -> list[tuple[str, str, int]]:
    """Model, case and seed of every sampled sequence."""
    found = []
    for model in models():
        for key in golden.load(f"{model}_io.npz"):
            match = re.fullmatch(r"(.+)\.ras_seed(\d+)", key)
            if match:
                found.append((model, match[1], int(match[2])))
    return sorted(found)


def state(name: str, folder: Path) -> tuple[State, LlmConfig]:
    """A checkpoint among the goldens and its configuration, which passes through a folder."""
    qwen = folder / f"{name}.config.json"
    qwen.write_text(json.dumps(golden.config(f"{name}.safetensors")["qwen2_config"]))
    read = load_state(golden.folder() / f"{name}.safetensors", "llm")
    return read, llm_config(read, qwen)


def inputs(model: str, case: str) -> dict[str, list[int]]:
    """What a case was given."""
    held = golden.load(f"{model}_io.npz")
    return {
        name: held[f"{case}.{name}"].tolist() for name in ("prompt_text", "text", "prompt_speech")
    }


def sequence(model: str, case: str, field: str) -> list[int]:
    """A recorded sequence."""
    ids: list[int] = golden.load(f"{model}_io.npz")[f"{case}.{field}"].tolist()
    return ids


def forced(model: str, case: str) -> list[int]:
    """The tokens that were fed while log-probabilities were recorded."""
    held = golden.load(f"{model}_io.npz")
    ids: list[int] = held[f"{case}.forced" if f"{case}.forced" in held else "forced"].tolist()
    return ids


def logp(backend: Backend, given: dict[str, list[int]], forced: list[int], steps: int) -> Floats:
    """Log-probabilities of the first steps while tokens are fed; shape (steps, V)."""
    rows = [log_softmax(backend.prefill(**given, room=steps))]
    rows += [log_softmax(backend.step(token)) for token in forced[: steps - 1]]
    return np.stack(rows)
