"""The price of recycling: the same lines without a limit, as configured, and every few clips."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from studio.commands.reply import table
from studio.tools.soak.verdict import Takes

ROUNDS = 3
"""Rounds that the lines are cut into; in each, every policy has its turn, in another order."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one policy took; sums over its rounds, in seconds."""

    name: str
    takes: Takes | None = None
    wall: float = 0.0
    """From the start of the first process of each round to its end."""
    steady: float = 0.0
    """From the first recorded clips of each round to its end: the first load is not in it."""
    steady_audio: float = 0.0
    """Audio seconds recorded in that time."""
    recycles: int = 0
    crashes: int = 0

    def plus(self, other: Cost) -> Cost:
        """One round more."""
        return replace(
            self,
            wall=self.wall + other.wall,
            steady=self.steady + other.steady,
            steady_audio=self.steady_audio + other.steady_audio,
            recycles=self.recycles + other.recycles,
            crashes=self.crashes + other.crashes,
        )

    @property
    def rtf_whole(self) -> float:
        """Wall seconds per audio second, every load in it."""
        return self.wall / self._audio

    @property
    def rtf_steady(self) -> float:
        """The same from the first clip of each round on: what a long run comes to."""
        return self.steady / self.steady_audio if self.steady_audio else 0.0

    @property
    def rtf_synthesis(self) -> float:
        """Synthesis alone: no load, no wait."""
        return self.takes.synthesis / self._audio if self.takes else 0.0

    def per_recycle(self, first: Cost) -> float:
        """Wall seconds that one recycle has cost; 0 without recycles.

        Unlike the cost of the whole, this does not depend on how many of them a round could hold.
        """
        if not self.recycles:
            return 0.0
        return (self.rtf_steady - first.rtf_steady) * self.steady_audio / self.recycles

    @property
    def _audio(self) -> float:
        return (self.takes.audio if self.takes else 0.0) or float("inf")

    def data(self, first: Cost) -> dict[str, Any]:
        """The facts for programs; ``first`` is the policy that the others are compared with."""
        return {
            "policy": self.name,
            "recycles": self.recycles,
            "crashes": self.crashes,
            "wall_seconds": round(self.wall, 3),
            "rtf_whole": round(self.rtf_whole, 5),
            "rtf_steady": round(self.rtf_steady, 5),
            "rtf_synthesis": round(self.rtf_synthesis, 5),
            "cost_steady": round(ratio(self, first, _steady), 4),
            "cost_synthesis": round(ratio(self, first, _synthesis), 4),
            "seconds_per_recycle": round(self.per_recycle(first), 3),
            "lost": list(self.takes.lost) if self.takes else [],
            "doubled": list(self.takes.doubled) if self.takes else [],
            "digest": self.takes.digest if self.takes else "",
        }


def ratio(cost: Cost, first: Cost, value: Callable[[Cost], float]) -> float:
    """How much more than the first policy; 0.05 is 5 % more."""
    return value(cost) / value(first) - 1 if value(first) else 0.0


def rows(costs: list[Cost]) -> list[str]:
    """The comparison as a table for people."""
    head = (
        "policy",
        "recycles",
        "RTF, all loads",
        "after the first load",
        "cost",
        "per recycle",
        "synthesis alone",
        "cost",
    )
    cells = [head]
    for cost in costs:
        cells.append(
            (
                cost.name,
                f"{cost.recycles:,}",
                f"{cost.rtf_whole:.4f}",
                f"{cost.rtf_steady:.4f}",
                f"{ratio(cost, costs[0], _steady):+.1%}",
                f"{cost.per_recycle(costs[0]):.2f} s" if cost.recycles else "–",
                f"{cost.rtf_synthesis:.4f}",
                f"{ratio(cost, costs[0], _synthesis):+.1%}",
            )
        )
    return table(cells, right=range(1, len(head)))


def _steady(cost: Cost) -> float:
    return cost.rtf_steady


def _synthesis(cost: Cost) -> float:
    return cost.rtf_synthesis
