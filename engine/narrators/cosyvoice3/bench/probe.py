"""What the host sampler makes of fixed cases, bit by bit: what a bit-identity set is made with.

A changed last bit of a probability hardly ever changes a token, and two equal candidates hardly
ever meet in a book. So recordings alone would not notice either for a long time; here every stage
of the sampler is digested by itself, over cases that are made of ties and of sums that end exactly
at the nucleus. The cases owe nothing to the sampler: they are numpy's, by seed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.narrators.cosyvoice3 import sampler
from engine.narrators.cosyvoice3.sampler import Chance, Floats, Greedy, Sampler, log_softmax

VOCABULARY = 6761
SEED = 29
PLAIN, TIED = 24, 24
ULPS = 8
"""Steps of a last bit to either side of a sum that ends the nucleus."""


def cases() -> Iterator[tuple[str, Floats]]:
    """Logits by name; shape (V,)."""
    chance = np.random.RandomState(SEED)
    for number in range(PLAIN):
        width = 1 + number % 6
        yield f"plain {number}", _narrow(chance.standard_normal(VOCABULARY) * width)
    for number in range(TIED):
        grain = (0.25, 0.5, 1.0)[number % 3]
        logits = np.round(chance.standard_normal(VOCABULARY) * 2 / grain) * grain
        yield f"ties {number}", _narrow(logits)
    for ulps in range(-ULPS, ULPS + 1):
        yield f"edge {ulps:+d}", _edge(ulps)
    certain = np.full(VOCABULARY, -40.0)
    certain[[5, 17]] = 30.0, 10.0
    yield "certain", _narrow(certain)


def _narrow(values: NDArray[np.float64]) -> Floats:
    """As a network gives them."""
    return values.astype(np.float32)


def _edge(ulps: int) -> Floats:
    """Three likely tokens of which the first two come to the nucleus' 0.8, give or take."""
    logp = np.full(VOCABULARY, -60.0, dtype=np.float32)
    logp[[400, 300, 200]] = np.log([0.5, 0.3, 0.2]).astype(np.float32)
    for _ in range(abs(ulps)):
        logp[300] = np.nextafter(logp[300], np.float32(np.inf if ulps > 0 else -np.inf))
    return logp


def digests() -> dict[str, Any]:
    """Every case through every stage.

    Returns:
        By case: a digest of each stage's bytes, and the tokens that are drawn one after the other,
        each after those before it.
    """
    found: dict[str, Any] = {}
    recipe = Sampler()
    for number, (name, logits) in enumerate(cases()):
        logp = log_softmax(logits)
        ids, weights = recipe.nucleus(logp)
        chance, history = Chance(SEED + number), []
        for _ in range(24):
            history.append(recipe.sample(logp, history, chance))
        found[name] = {
            "log-probabilities": _digest(logp),
            "probabilities": _digest(sampler._softmax(logp)),
            "nucleus": [int(it) for it in ids],
            "weights": _digest(weights),
            "chance": _digest(Chance(SEED + number).exponential(64)),
            "greedy": Greedy().sample(logp, [], Chance(0)),
            "draws": history,
        }
    return found


def _digest(values: NDArray[Any]) -> str:
    """Of a stage's bytes."""
    plain = np.ascontiguousarray(values).astype(values.dtype.newbyteorder("<"))
    return hashlib.sha256(plain.tobytes()).hexdigest()[:16]
