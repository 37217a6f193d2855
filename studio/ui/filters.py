"""Which segments are shown: a few filters to choose from, and conditions as a person types them.

A line of conditions is words, all of which must hold: ``stale voice:heart -marked "the mill"
len>8``. `parse` reads it; `NAMED` says what there is.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from studio.book.patterns import quick
from studio.errors import BadInput
from studio.project.model import Kind, Segment, State

Test = Callable[[Segment, State], bool]

PROBLEMS = frozenset({State.FAILED, State.FLAGGED, State.STALE})
"""States that `!` walks through."""


@dataclass(frozen=True, slots=True)
class Filter:
    """Which segments are shown."""

    label: str
    states: frozenset[State] = frozenset()
    marked: bool = False
    noted: bool = False
    conditions: tuple[Test, ...] = ()
    """What a person typed; all must hold."""

    def keeps(self, segment: Segment, state: State) -> bool:
        """Whether the segment is shown."""
        if self.conditions:
            return all(test(segment, state) for test in self.conditions)
        if self.marked:
            return segment.mark
        if self.noted:
            return bool(segment.note)
        return state in self.states


FILTERS: tuple[Filter, ...] = (
    Filter("failed, flagged or stale", PROBLEMS),
    Filter("not approved", frozenset(State) - {State.APPROVED}),
    Filter("marked", marked=True),
    Filter("with a note", noted=True),
    *(Filter(state.value, frozenset({state})) for state in State),
)
"""What `f` offers to choose from."""

FLAGS: Mapping[str, Test] = {
    "problem": lambda _, state: state in PROBLEMS,
    **{state.value: (lambda wanted: lambda _, state: state is wanted)(state) for state in State},
    "marked": lambda segment, _: segment.mark,
    "noted": lambda segment, _: bool(segment.note),
    "edited": lambda segment, _: segment.edited,
    "inserted": lambda segment, _: segment.inserted,
    "pause": lambda segment, _: segment.pause_ms is not None,
    "finding": lambda segment, _: bool(segment.findings),
    "elsewhere": lambda segment, _: segment.elsewhere,
}
"""Conditions that are a word by themselves."""

_NUMBERS: Mapping[str, Callable[[Segment], float | None]] = {
    "len": lambda segment: segment.seconds if segment.chosen is not None else None,
    "rtf": lambda segment: segment.rtf if segment.chosen is not None else None,
    "chars": lambda segment: len(segment.spoken),
    "takes": lambda segment: segment.takes,
    "pause": lambda segment: segment.pause_ms,
    "speed": lambda segment: segment.speed,
    "number": lambda segment: segment.number,
}
"""Conditions that compare a number; None is no number, and satisfies nothing."""

_COMPARISONS: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    ">": operator.gt,
    "<": operator.lt,
    "=": operator.eq,
}

NAMED = (
    f"{', '.join(FLAGS)}; state: voice: kind: finding: note: text: with a value;"
    f" {', '.join(_NUMBERS)} with > or < and a number; a text in quotes or between slashes;"
    " - before any of them for its opposite"
)
"""What there is, for people."""

_WORD = re.compile(
    r"""(?P<not>-?)
        (?:(?P<name>[^\W\d_]+)(?P<sign>:|>=|<=|[<>=]))?
        (?P<value>
            ["“”](?P<quoted>[^"“”]*)(?:["“”]|$)
          | /(?P<regex>(?:\\.|[^/\\])*)(?:/|$)
          | \S*
        )""",
    re.VERBOSE,
)


def parse(line: str) -> Filter | None:
    """Read a line of conditions.

    Args:
        line: Words, all of which must hold; a quotation mark or a slash that is not closed yet
            reaches to the end of the line.

    Returns:
        The filter, or None for a line without a word.

    Raises:
        BadInput: A word is no condition; the sentence names what there is.
    """
    tests: list[Test] = []
    rest = line.strip()
    while rest:
        match = _WORD.match(rest)
        assert match is not None  # every part of it may be empty
        word = match.group() or rest[0]
        test = _test(match)
        tests.append(_opposite(test) if match["not"] else test)
        rest = rest[len(word) :].lstrip()
    return Filter(" ".join(line.split()), conditions=tuple(tests)) if tests else None


def smart_case(text: str) -> re.RegexFlag:
    """How a text is searched for: capitals matter once one is typed."""
    return re.NOFLAG if any(character.isupper() for character in text) else re.IGNORECASE


def _opposite(test: Test) -> Test:
    return lambda segment, state: not test(segment, state)


def _test(match: re.Match[str]) -> Test:
    """What one word of the line asks for."""
    name, sign = (match["name"] or "").casefold(), match["sign"] or ""
    value = match["value"] if match["quoted"] is None else match["quoted"]
    if not name:
        if match["quoted"] is not None or match["regex"] is not None:
            return _text(match)
        if value.casefold() in FLAGS:
            return FLAGS[value.casefold()]
        raise BadInput(f"“{value or match.group()}” is no condition. There are: {NAMED}.")
    if sign in _COMPARISONS:
        return _number(name, sign, value)
    if name == "text":
        return _text(match)
    wanted = [item.strip().casefold() for item in value.split(",") if item.strip()]
    if name not in _VALUES:
        raise BadInput(f"“{name}:” is no condition. There are: {NAMED}.")
    if not wanted:
        raise BadInput(f"“{name}:” needs a value behind the colon.")
    return _VALUES[name](wanted)


def _number(name: str, sign: str, value: str) -> Test:
    """A comparison such as ``len>8``."""
    if name not in _NUMBERS:
        raise BadInput(f"“{name}” is no number. Numbers are: {', '.join(_NUMBERS)}.")
    try:
        limit = float(value)
    except ValueError:
        raise BadInput(f"“{name}{sign}” needs a number behind it, such as {name}{sign}2.") from None
    read, holds = _NUMBERS[name], _COMPARISONS[sign]

    def test(segment: Segment, _: State) -> bool:
        number = read(segment)
        return number is not None and holds(number, limit)

    return test


def _text(match: re.Match[str]) -> Test:
    """A text to be found in what the book says or in what is spoken; capitals matter if typed."""
    plain = match["value"] if match["quoted"] is None else match["quoted"]
    typed = match["regex"]
    if not (plain if typed is None else typed):
        raise BadInput("A text to look for is empty; type some of it.")
    capitals = smart_case(plain if typed is None else typed) is re.NOFLAG
    wanted = quick(re.escape(plain) if typed is None else typed, match_case=capitals)

    def test(segment: Segment, _: State) -> bool:
        return bool(
            wanted.search(segment.source)
            or (segment.spoken is not segment.source and wanted.search(segment.spoken))
        )

    return test


def _state(wanted: list[str]) -> Test:
    states = {state.value for state in State}
    if strange := next((item for item in wanted if item not in states), ""):
        raise BadInput(f"“{strange}” is no state. States are: {', '.join(State)}.")
    return lambda _, state: state.value in wanted


def _kind(wanted: list[str]) -> Test:
    kinds = {kind for kind in Kind for item in wanted if kind.value.startswith(item)}
    if not kinds:
        raise BadInput(f"“{', '.join(wanted)}” is no kind. Kinds are: {', '.join(Kind)}.")
    return lambda segment, _: segment.kind in kinds


def _voice(wanted: list[str]) -> Test:
    return lambda segment, _: segment.voice.casefold() in wanted


def _finding(wanted: list[str]) -> Test:
    return lambda segment, _: any(
        item in finding.casefold() for finding in segment.findings for item in wanted
    )


def _note(wanted: list[str]) -> Test:
    return lambda segment, _: any(item in segment.note.casefold() for item in wanted)


_VALUES: Mapping[str, Callable[[list[str]], Test]] = {
    "state": _state,
    "kind": _kind,
    "voice": _voice,
    "finding": _finding,
    "note": _note,
}
"""Conditions with a colon; several values with commas between them: one of them must hold."""
