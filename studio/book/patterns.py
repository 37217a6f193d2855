"""What a person's regular expression is like before it runs: bad, endless, or slow at worst.

Python's matcher goes back over its steps, so some patterns take longer than anybody lives. The
worst are told by their shape and refused; those that may be slow are run where they can be stopped.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator

# The parser is the only part of Python that knows what a pattern is made of.
from re import _parser  # type: ignore[attr-defined]
from typing import Any

from studio.errors import BadInput

_MANY = 10
"""A repetition whose count varies by less does no harm."""

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
    tree = _parser.parse(pattern)
    return sum(_varying(tree)) > 1 or any(_branches(tree, False))


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


def _varying(tree: Any) -> Iterator[int]:
    """A 1 for each repetition of open length."""
    for op, value in tree:
        if str(op) in _REPEATS and value[1] - value[0] >= _MANY:
            yield 1
        for part in _parts(op, value):
            yield from _varying(part)


def _branches(tree: Any, repeated: bool) -> Iterator[bool]:
    """Whether there are alternatives, or optional parts, in something that is repeated."""
    for op, value in tree:
        is_repeat = str(op) in _REPEATS
        if repeated and (str(op) == "BRANCH" or (is_repeat and value[0] != value[1])):
            yield True
        for part in _parts(op, value):
            yield from _branches(part, repeated or (is_repeat and value[1] >= _MANY))


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
