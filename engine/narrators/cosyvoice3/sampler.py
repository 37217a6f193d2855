"""The next speech token, drawn on the CPU with numpy alone: the same for torch and for MLX.

Repetition-aware sampling (RAS): a nucleus draw; where it repeats a token of the last few, one draw
from everything else. A draw is an exponential race, argmax of p/q with q from Exp(1), which is how
torch's CPU ``multinomial`` draws; `Chance` replays its numbers, so that a seed means the same here
as there. Nothing waits for a device but the one copy of the logits that the caller made.

Source: Chen et al., “VALL-E 2”, 2024 (arXiv 2406.05370), sec. 4.1, as CosyVoice has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
SEEDS = 1 << 32
GROUP = 16
"""Numbers of which only the largest is looked at first, in the search for the likeliest tokens."""


class BadLogits(ArithmeticError):
    """The network gave something that is no distribution: not a number, or nothing allowed."""


class Chance:
    """One take's random numbers: made by its seed alone, and only as many as are asked for.

    The numbers of a torch CPU generator after ``manual_seed(seed)``, from which ``exponential_`` is
    drawn: two words of MT19937 for one double.
    """

    def __init__(self, seed: int) -> None:
        """Start at a seed.

        Raises:
            ValueError: It is not within 32 bits.
        """
        if not 0 <= seed < SEEDS:
            raise ValueError(f"A seed lies between 0 and {SEEDS - 1}, {seed} does not.")
        self._words = np.random.RandomState(seed)

    def uniform(self, n: int) -> NDArray[np.float64]:
        """The next doubles of the stream, within [0, 1); shape (n,)."""
        words = self._words.randint(0, 1 << 32, size=(n, 2), dtype=np.uint32).astype(np.uint64)
        mantissa = ((words[:, 0] << np.uint64(32)) | words[:, 1]) & np.uint64((1 << 53) - 1)
        return mantissa.astype(np.float64) * 2.0**-53

    def exponential(self, n: int) -> Floats:
        """The next draws from Exp(1); shape (n,)."""
        return (-np.log1p(-self.uniform(n))).astype(np.float32)


def log_softmax(logits: Floats) -> Floats:
    """Log-probabilities of one step, taken in float64 and rounded once; shape (V,) as it comes.

    Raises:
        BadLogits: One is not a finite number.
    """
    if not np.isfinite(logits).all():
        raise BadLogits("The language model gave values that are not numbers.")
    wide = logits.astype(np.float64)
    wide -= wide.max()
    wide -= np.log(np.exp(wide).sum())
    return wide.astype(np.float32)


def _softmax(logp: Floats) -> Floats:
    """Probabilities; renormalises where something is masked. Shape as it comes.

    Taken in float64 and rounded once: float32 would differ from one processor to the next, and
    with it, once in a long while, the token.
    """
    likely = np.exp(logp.astype(np.float64) - float(logp.max()))
    return (likely / likely.sum()).astype(np.float32)


def _floor(p: Floats, k: int) -> np.float32:
    """A value that at least ``k`` of the numbers reach, and as a rule hardly more.

    That is the ``k``-th of the largest of each group: so many groups have one that reaches it.
    """
    groups = len(p) // GROUP
    if groups >= k:
        p = p[: groups * GROUP].reshape(GROUP, groups).max(axis=0)
    return np.float32(np.partition(p, len(p) - k)[len(p) - k])


def _race(weights: Floats, chance: Chance) -> int:
    """Draw one index by weights that need not sum to one; one number is used for each."""
    waits = np.maximum(chance.exponential(len(weights)), np.finfo(np.float32).tiny)
    return int(np.argmax(weights / waits))


@dataclass(frozen=True, slots=True)
class Sampler:
    """Repetition-aware sampling, with the checkpoint's recipe as its defaults."""

    top_p: float = 0.8
    """The nucleus ends with the token that takes its probability to this or above."""
    top_k: int = 25
    """The most tokens in a nucleus."""
    window: int = 10
    """How many of the latest tokens count as recent."""
    tau: float = 0.1
    """The share of the window that a token may fill; from this on it is drawn again."""

    def __post_init__(self) -> None:
        """Hold the settings to what has a meaning."""
        if not (self.top_p > 0 and self.top_k >= 1 and self.window >= 1):
            raise ValueError("top_p has to be above 0, top_k and window at least 1.")

    def nucleus(self, logp: Floats) -> tuple[NDArray[np.intp], Floats]:
        """The likeliest tokens and their probabilities, the likeliest first, ties by lower id.

        The first always belongs. Another does while the sum of those before it, added up in
        float32, is below ``top_p`` (compared in float32 too), up to ``top_k`` of them.

        Args:
            logp: Log-probabilities, masked ones -inf; shape (V,).

        Raises:
            BadLogits: Nothing is left to draw from.
        """
        if not logp.max() > -np.inf:
            raise BadLogits("The language model left no token to choose from.")
        p = _softmax(logp)
        k = min(self.top_k, len(p))
        # Sorting 6761 values takes longer than the rest; only those that can be in it are sorted.
        may = np.flatnonzero(p >= _floor(p, k))
        order = may[np.argsort(-p[may], kind="stable")][:k]
        before = np.cumsum(p[order], dtype=np.float32)[:-1]
        kept = order[: 1 + int(np.count_nonzero(before < np.float32(self.top_p)))]
        return kept, p[kept]

    def sample(self, logp: Floats, history: Sequence[int], chance: Chance) -> int:
        """Draw one token.

        Args:
            logp: Log-probabilities, masked ones -inf; shape (V,). Left as it is.
            history: The tokens so far; only the last ``window`` are looked at.
            chance: The take's own. It gives as many numbers as the nucleus has tokens, and V more
                only where the draw was a repetition.

        Returns:
            The id. A repetition is kept where everything else is masked.

        Raises:
            BadLogits: Nothing is left to draw from.
        """
        ids, weights = self.nucleus(logp)
        token = int(ids[_race(weights, chance)])
        recent = history[-self.window :]
        if sum(past == token for past in recent) < self.window * self.tau:
            return token
        others = logp.copy()
        others[token] = -np.inf
        if not others.max() > -np.inf:
            return token
        return _race(_softmax(others), chance)


@dataclass(frozen=True, slots=True)
class Greedy:
    """The likeliest token, for comparing backends; speech read this way soon repeats itself."""

    def sample(self, logp: Floats, history: Sequence[int], chance: Chance) -> int:
        """The lowest of the likeliest ids; see `Sampler.sample`."""
        del history, chance
        if not logp.max() > -np.inf:
            raise BadLogits("The language model left no token to choose from.")
        return int(np.argmax(logp))
