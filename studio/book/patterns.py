"""What a person's regular expression is like before it runs: bad, endless, or slow at worst.

Python's matcher goes back over its steps, so some patterns take longer than anybody lives. The
worst are told by their shape and refused; those that may be slow are run where they can be stopped.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Iterator

# The parser is the only part of Python that knows what a pattern is made of.
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from studio.errors import BadInput

_MANY = 10
"""A repetition whose count varies by less does no harm."""

_OPEN = 100
"""Ways of a repetition of open length; a longer stretch is rare in a segment."""
_FEW_WAYS = 2_000
"""Ways that are gone through in no time, on every segment of a long book."""
_SOON = _OPEN**2
"""Ways that a person can wait for: two repetitions of open length, as in ``she .* said .* no``."""

_REPEATS = frozenset({"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"})


def compiled(pattern: str, *, match_case: bool) -> re.Pattern[str]:
    """A pattern, ready to search with.

    Args:
        pattern: A regular expression as Python knows them.
        match_case: Whether capitals must match.

    Raises:
        BadInput: It cannot be read, can match nothing at all, or can take for ever.
    """
    flags = 0 if match_case else re.IGNORECASE
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = re.compile(pattern, flags)
            tree = _parser.parse(pattern, flags)
    except re.error as error:
        where = "" if error.pos is None else f" at character {error.pos + 1}"
        raise BadInput(
            f"The pattern “{pattern}” cannot be read{where}: {error.msg}; mend it there."
        ) from error
    except (Warning, ValueError, OverflowError, RecursionError) as error:
        raise BadInput(f"The pattern “{pattern}” cannot be used: {error}; simplify it.") from error
    if tree.getwidth()[0] == 0:
        raise BadInput(
            f"The pattern “{pattern}” can match nothing at all, which stands everywhere; "
            "let it ask for at least one character."
        )
    if any(_nested(tree, 0)):
        raise BadInput(
            f"The pattern “{pattern}” repeats a group that repeats something itself, which can "
            "take for ever; leave out one of the two repetitions."
        )
    return found


def quick(pattern: str, *, match_case: bool) -> re.Pattern[str]:
    """The same for a pattern that is to be tried while a person waits, where nothing can stop it.

    Raises:
        BadInput: As `compiled`; or it could be tried in too many ways.
    """
    found = compiled(pattern, match_case=match_case)
    tree = _parser.parse(pattern)
    if _ways(tree) > _SOON or _sweeps(tree) > 1:
        raise BadInput(
            f"The pattern “{pattern}” can be tried in so many ways that it may take for ever; "
            "use fewer repetitions and alternatives."
        )
    return found


def check_replacement(pattern: re.Pattern[str], replacement: str) -> None:
    """See whether what is put in the place of a match fits the groups of its pattern.

    Raises:
        BadInput: It names a group that there is not, or is not well formed.
    """
    try:
        _parser.parse_template(replacement, pattern)
    except (re.error, IndexError) as error:
        raise BadInput(
            f"What is spoken for the pattern “{pattern.pattern}” cannot be used: {error}; "
            "groups are written \\1, a backslash \\\\."
        ) from error


def may_be_slow(pattern: str) -> bool:
    """Whether a pattern that `compiled` accepts could still take long on some text."""
    return _ways(_parser.parse(pattern)) > _FEW_WAYS


def _ways(tree: Any) -> float:
    """In how many ways a pattern could be tried at one place, at most, on a text of some length.

    Each one is a step back for the matcher, whatever the ways come from: open repetitions,
    alternatives, or many short repetitions one behind the other.
    """
    ways = 1.0
    for op, value in tree:
        parts = [_ways(part) for part in _parts(op, value)]
        if str(op) in _REPEATS:
            low, high, _ = value
            ways *= _repeated(parts[0], low, high)
        elif str(op) in ("BRANCH", "GROUPREF_EXISTS"):
            ways *= sum(parts) + (len(parts) == 1)
        else:
            ways *= math.prod(parts)
        if ways > _SOON:
            break
    return ways


def _sweeps(tree: Any) -> int:
    """How many repetitions of almost anything a pattern begins with, one right behind the other.

    From every place of a text each of them goes to its end: with two, a long text is too much.
    """
    count = 0
    for op, value in tree:
        if str(op) == "SUBPATTERN":
            inner = value[3]
            count += _sweeps(inner)
            if _sweeps(inner) < len(inner):
                break
        elif str(op) in _REPEATS and value[1] - value[0] >= _MANY and _is_broad(value[2]):
            count += 1
        else:
            break
    return count


def _is_broad(tree: Any) -> bool:
    """Whether what is repeated is any character, or any but a few."""
    if len(tree) != 1:
        return False
    op, value = tree[0]
    return str(op) in ("ANY", "NOT_LITERAL") or (str(op) == "IN" and str(value[0][0]) == "NEGATE")


def _repeated(ways: float, low: int, high: int) -> float:
    """The ways of a repetition: one for each count, each of them with those of what is repeated."""
    if ways == 1:
        return min(high - low + 1, _OPEN)
    if high > 20 or ways > _FEW_WAYS:
        return math.inf
    return sum(ways**count for count in range(low, high + 1))


def _nested(tree: Any, around: int) -> Iterator[bool]:
    """Whether a repetition stands in another one, both of open length."""
    for op, value in tree:
        inside = around
        if str(op) in _REPEATS:
            low, high, _ = value
            if around and high - low >= _MANY:
                yield True
            inside += high >= _MANY
        for part in _parts(op, value):
            yield from _nested(part, inside)


def _parts(op: Any, value: Any) -> Iterator[Any]:
    """The parts of one piece of a parsed pattern."""
    name = str(op)
    if name in _REPEATS:
        yield value[2]
    elif name == "SUBPATTERN":
        yield value[3]
    elif name == "BRANCH":
        yield from value[1]
    elif name in ("ASSERT", "ASSERT_NOT"):
        yield value[1]
    elif name == "ATOMIC_GROUP":
        yield value
    elif name == "GROUPREF_EXISTS":
        yield from (part for part in value[1:] if part is not None)
