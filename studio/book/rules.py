"""A reading rule: what it is called, what it looks for, what is said instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Replace = Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Rule:
    """One step from written to spoken text."""

    name: str
    """For people: it is shown beside every change the rule made."""
    pattern: re.Pattern[str]
    replace: Replace


@dataclass(frozen=True, slots=True)
class SpokenChange:
    """One place where spoken text differs from source text."""

    rule: str
    before: str
    after: str


def rule(name: str, pattern: str, replace: Replace | str, flags: int = 0) -> Rule:
    """A rule from a pattern and a function, or a fixed text."""
    if isinstance(replace, str):
        fixed = replace
        return Rule(name, re.compile(pattern, flags), lambda _: fixed)
    return Rule(name, re.compile(pattern, flags), replace)


def apply(rules: Sequence[Rule], text: str, log: list[SpokenChange] | None) -> str:
    """Apply rules in order.

    Args:
        rules: In the order in which they are tried; each sees what the ones before it left.
        text: What is written.
        log: Takes one entry per change, in the order they were made; None for none.

    Returns:
        What is spoken.
    """
    for step in rules:
        text = step.pattern.sub(step.replace if log is None else _logged(step, log), text)
    return text


def _logged(step: Rule, log: list[SpokenChange]) -> Replace:
    """The rule's function, writing down what it changes."""

    def replace(match: re.Match[str]) -> str:
        after = step.replace(match)
        if after != match[0]:
            log.append(SpokenChange(step.name, match[0], after))
        return after

    return replace
