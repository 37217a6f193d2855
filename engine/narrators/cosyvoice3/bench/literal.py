"""Repetition-aware sampling written down literally, on the device; only measured, never used.

What the host sampler (`cosyvoice3.sampler`) is compared with: the running sum of the nucleus is a
tensor of the device, so each test of the loop waits for it; so do the id, the count of repetitions
and the checks inside ``multinomial``. `Waits` counts them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from engine.narrators.cosyvoice3.sampler import Sampler

WAITING = ("aten::_local_scalar_dense", "aten::item", "aten::is_nonzero", "aten::equal")
"""Operators that give the host a number of the device."""


class Waits(TorchDispatchMode):
    """Counts how often the host waits for a number; on any device, so that a CPU tells as well."""

    def __init__(self) -> None:
        """Start at nothing."""
        super().__init__()
        self.count = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        """Look at one operator and let it pass."""
        self.count += func._schema.name in WAITING
        return func(*args, **(kwargs or {}))


class LiteralSampler:
    """The recipe of `sampler.Sampler` on the device that the logits are on."""

    def __init__(self, device: torch.device, seed: int, recipe: Sampler | None = None) -> None:
        """Start at a seed; a CPU's draws are those of the host sampler then."""
        self._chance = torch.Generator(device).manual_seed(seed)
        self._recipe = recipe or Sampler()

    def sample(self, logp: Tensor, history: Sequence[int]) -> int:
        """Draw one token.

        Args:
            logp: Log-probabilities, masked ones -inf; (V,) on the device. Left as it is.
            history: The tokens so far.
        """
        recipe = self._recipe
        token = int(self._nucleus(logp).item())
        recent = torch.tensor(history[-recipe.window :], dtype=torch.long, device=logp.device)
        repeats = (recent == token).sum()
        if repeats >= recipe.window * recipe.tau:
            others = logp.clone()
            others[token] = -torch.inf
            return int(self._draw(others.softmax(dim=0)).item())
        return token

    def _nucleus(self, logp: Tensor) -> Tensor:
        """One id out of the nucleus."""
        values, ids = logp.softmax(dim=0).sort(descending=True, stable=True)
        total = torch.zeros((), device=logp.device)
        kept = 0
        while kept < self._recipe.top_k and total < self._recipe.top_p:
            total += values[kept]
            kept += 1
        return ids[self._draw(values[:kept])]

    def _draw(self, weights: Tensor) -> Tensor:
        """One index by weights."""
        return torch.multinomial(weights, 1, replacement=True, generator=self._chance)
