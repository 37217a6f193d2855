"""Which of several takes of one text a person should hear first."""

from __future__ import annotations

import math
from collections.abc import Sequence

from studio.project.model import Take
from studio.review import pace

PACE_STEPS = 10
"""Steps per doubling of the pace; within a step, 7 %, no ear tells which of two is the faster."""

RUNAWAY = "runaway:"
"""How the finding of such a clip begins; the wire's own word."""

LEVEL_STEP_DB = 1.0
"""Levels that differ by less are alike to an ear."""


def best(takes: Sequence[Take], level: float | None = None) -> Take | None:
    """The take that the checks like best: a proposal, never a verdict.

    One that ran away comes after all others. Fewest findings first, then the pace nearest to
    what the text should take, then the level nearest to the neighbours', then the earliest.

    Args:
        takes: Takes of one segment, in any order.
        level: How loud the segments around it are, in dBFS; None where that is not known.

    Returns:
        One of the takes, the same one whatever their order; None where there is none.
    """
    return min(takes, key=lambda take: _rank(take, level), default=None)


def level_of(take: Take) -> float | None:
    """How loud a take is, in dBFS, where it was measured when it was made."""
    level = take.provenance.get("level")
    return float(level) if isinstance(level, int | float) else None


def level_around(neighbours: Sequence[Take]) -> float | None:
    """How loud the takes around a segment are, or None where none was measured."""
    levels = [level for take in neighbours if (level := level_of(take)) is not None]
    return sum(levels) / len(levels) if levels else None


def ran_away(take: Take) -> bool:
    """Whether its engine says that it could not end it, so that what is heard is not the text."""
    return any(finding.startswith(RUNAWAY) for finding in take.findings)


def _rank(take: Take, level: float | None) -> tuple[bool, int, int, int, int]:
    """What is compared; the smallest is the best."""
    # A recording has no speed that was asked for.
    expected = pace.expected_seconds(take.spoken, float(take.recipe.get("speed") or 1.0))
    off = abs(math.log2(max(take.seconds, 0.01) / expected))
    own = level_of(take)
    away = 0 if level is None or own is None else round(abs(own - level) / LEVEL_STEP_DB)
    return ran_away(take), len(take.findings), round(off * PACE_STEPS), away, take.number
