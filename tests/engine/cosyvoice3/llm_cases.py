"""What the goldens hold of the speech language model, and how a backend is asked for the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import golden
import numpy as np

from engine.narrators.cosyvoice3.config import LlmConfig, State, llm_config, load_state
from engine.narrators.cosyvoice3.decoding import Backend
from engine.narrators.cosyvoice3.sampler import Floats, log_softmax

TOLERANCE = 2e-5
"""How far a log-probability may lie from the reference's."""
MODEL, CASE = golden.own("llm_tiny_io.npz"), "cross_lingual"
"""One of ours, to work with."""


def models() -> list[str]:
    """Files of what checkpoints gave."""
    return golden.names("llm")


def cases(field: str) -> list[tuple[str, str]]:
    """Model and case of every record that has a field."""
    return [(model, case) for model, case, _ in golden.fields("llm", field)]


def seeds() -> list[tuple[str, str, int]]:
    """Model, case and seed of every sampled sequence."""
    return [
        (model, case, int(field.removeprefix("ras_seed")))
        for model, case, field in golden.fields("llm", r"ras_seed\d+")
    ]


def state(model: str, folder: Path) -> tuple[State, LlmConfig]:
    """A checkpoint among the goldens and its configuration, which passes through a folder."""
    weights = golden.weights(model)
    qwen = folder / f"{re.sub(r'[^a-z0-9]', '_', weights)}.json"
    qwen.write_text(json.dumps(golden.config(weights)["qwen2_config"]))
    read = load_state(golden.folder() / weights, "llm")
    return read, llm_config(read, qwen)


def inputs(model: str, case: str) -> dict[str, list[int]]:
    """What a case was given."""
    names = ("prompt_text", "text", "prompt_speech")
    return {name: sequence(model, case, name) for name in names}


def told(model: str, case: str) -> dict[str, Any]:
    """What the index says of a case, if anything."""
    found: dict[str, Any] = golden.config(golden.weights(model)).get("cases", {}).get(case, {})
    return found


def lengths(model: str, case: str) -> dict[str, int]:
    """The lengths that a case was made with, where the index says so."""
    known = told(model, case)
    return {name: known[name] for name in ("min_len", "max_len") if name in known}


def sequence(model: str, case: str, field: str) -> list[int]:
    """A recorded sequence."""
    ids: list[int] = golden.load(model)[golden.key(case, field)].tolist()
    return ids


def forced(model: str, case: str) -> list[int]:
    """The tokens that were fed while log-probabilities were recorded."""
    mine = golden.key(case, "forced") in golden.load(model)
    return sequence(model, case if mine else "", "forced")


def logp(backend: Backend, given: dict[str, list[int]], forced: list[int], steps: int) -> Floats:
    """Log-probabilities of the first steps while tokens are fed; shape (steps, V)."""
    rows = [log_softmax(backend.prefill(**given, room=steps))]
    rows += [log_softmax(backend.step(token)) for token in forced[: steps - 1]]
    return np.stack(rows)
