"""A blind comparison: which takes are compared, what X is, and what the answers are worth.

ABX, as for codecs: A and B are known sounds, X is one of both at random, and a listener says which.
Who hears no difference is right half of the time; the p value says how likely it is to be right so
often by guessing alone.
"""

from __future__ import annotations

import csv
import io
import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from operator import attrgetter
from typing import NamedTuple

MOST_TRIALS = 20
"""In one test; ears tire."""
ASPECTS = {"engine": "engine", "voice": "voice", "settings": "voice as it was", "build": "build"}
"""What two sets of takes may differ in, and what that is called."""


class Candidate(NamedTuple):
    """A take, as far as it may be compared; of a long book there are a hundred thousand."""

    take: int
    """`Take.id`."""
    segment: str
    """`Segment.uid`."""
    spoken: str
    engine: str
    voice: str
    settings: str
    """Which state of its voice: a short name of the fingerprint."""
    build: str
    """The build, with the engine's options where it had any."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two sets of takes of the same texts."""

    what: str
    """What they differ in, of `ASPECTS`; or ``take``."""
    first: str
    second: str
    takes: tuple[tuple[str, int, int], ...]
    """Segment, and a take of each set."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One question, and its answer."""

    number: int
    segment: str
    a: int
    """`Take.id` of what is called A."""
    b: int
    x: str
    """``a`` or ``b``: what X is."""
    answer: str = ""
    """``a`` or ``b``; empty as long as there is none."""

    @property
    def right(self) -> bool:
        """Whether the answer is what X is."""
        return self.answer == self.x


@dataclass(frozen=True, slots=True)
class Test:
    """A comparison, finished or not."""

    __test__ = False  # to pytest

    id: int
    made: str
    """ISO 8601 in UTC."""
    seed: int
    """Decides which takes are heard, in which order, what is A and what X is."""
    what: str
    a: str
    """What A was."""
    b: str
    trials: tuple[Trial, ...]

    @property
    def answered(self) -> tuple[Trial, ...]:
        """Those with an answer."""
        return tuple(it for it in self.trials if it.answer)

    @property
    def right(self) -> int:
        """How many answers were right."""
        return sum(it.right for it in self.answered)

    @property
    def p(self) -> float:
        """How likely so many right answers, or more, are for somebody who guesses."""
        return by_guessing(self.right, len(self.answered))


def by_guessing(right: int, answers: int) -> float:
    """The one-sided binomial p value: P(at least ``right`` of ``answers``), each with chance ½."""
    return float(sum(comb(answers, it) for it in range(right, answers + 1)) / 2**answers)


def verdict(test: Test) -> str:
    """What the answers are worth, in a sentence or two."""
    return verdict_of(test.right, len(test.answered))


def verdict_of(right: int, answers: int) -> str:
    """What so many right answers are worth, in a sentence or two."""
    p = by_guessing(right, answers)
    if not answers:
        return "Nothing was answered."
    told = f"{right} of {answers} right; by guessing alone that happens in {p:.1%} of such tests."
    if p <= 0.05:
        return f"{told} You hear the difference."
    if answers < 8:
        return f"{told} So few answers say little."
    return f"{told} That is no sign of a difference that you hear."


def pairs(candidates: Iterable[Candidate], selected: frozenset[str] = frozenset()) -> list[Pair]:
    """Everything that can be compared, the most takes first.

    Args:
        candidates: The takes of a book, oldest first.
        selected: Segments of which the two newest takes are offered, too.
    """
    of: dict[str, list[Candidate]] = defaultdict(list)
    for it in candidates:
        of[it.segment].append(it)
    of = {uid: takes for uid, takes in of.items() if len(takes) > 1}
    found = [
        Pair(aspect, first, second, tuple(takes))
        for aspect in ASPECTS
        for (first, second), takes in _by(aspect, of).items()
    ]
    found.sort(key=lambda it: (-len(it.takes), it.what, it.first, it.second))
    newest = [
        (uid, takes[-1].take, takes[-2].take)
        for uid, takes in of.items()
        if uid in selected and len(takes) > 1
    ]
    if newest:
        found.insert(0, Pair("take", "the newest take", "the one before", tuple(newest)))
    return found


def _by(
    aspect: str, of: Mapping[str, Sequence[Candidate]]
) -> dict[tuple[str, str], list[tuple[str, int, int]]]:
    """Takes of one text that differ in an aspect: by both values, the newest take of each.

    Of two engines all else differs, too; of two states of a voice the engine must be the same, and
    of two builds the state of the voice as well.
    """
    same = {"engine": (), "voice": ("engine",), "settings": ("engine", "voice")}
    held = same.get(aspect, ("engine", "voice", "settings"))
    found: dict[tuple[str, str], list[tuple[str, int, int]]] = defaultdict(list)
    value_of, key_of = attrgetter(aspect), attrgetter("spoken", *held)
    for uid, takes in of.items():
        if len({value_of(it) for it in takes}) < 2:
            continue
        groups: dict[object, dict[str, int]] = {}
        for it in takes:
            groups.setdefault(key_of(it), {})[value_of(it)] = it.take
        seen: set[tuple[str, str]] = set()
        for values in reversed(groups.values()):  # the newest text of a segment
            for names in combinations(sorted(values), 2):
                if names not in seen:
                    seen.add(names)
                    found[names].append((uid, values[names[0]], values[names[1]]))
    return found


def plan(pair: Pair, seed: int, trials: int = MOST_TRIALS) -> tuple[str, str, tuple[Trial, ...]]:
    """Draw a test: what is called A, what B, and the questions.

    Args:
        pair: What is compared.
        seed: The same seed draws the same test.
        trials: How many questions at the most; where there are fewer takes, some come twice.
    """
    chance = random.Random(seed)
    swapped = chance.random() < 0.5
    takes = list(pair.takes)
    chance.shuffle(takes)
    if len(takes) < min(trials, 8):
        takes = (takes * 8)[: min(trials, 8)]
    questions = tuple(
        Trial(
            number,
            uid,
            second if swapped else first,
            first if swapped else second,
            chance.choice("ab"),
        )
        for number, (uid, first, second) in enumerate(takes[:trials], 1)
    )
    names = (pair.second, pair.first) if swapped else (pair.first, pair.second)
    return *names, questions


def to_csv(tests: Iterable[Test], numbers: Mapping[str, int]) -> str:
    """All answers as a table for a spreadsheet.

    Args:
        tests: In their order.
        numbers: Where segments stand in the book now, by uid; those that are gone are left out.
    """
    out = io.StringIO()
    write = csv.writer(out, lineterminator="\n").writerow
    write("test made seed what a b trial segment uid take_a take_b x answer right".split())
    for test in tests:
        for it in test.answered:
            write(
                [
                    *(test.id, test.made, test.seed, test.what, test.a, test.b, it.number),
                    *(numbers.get(it.segment, ""), it.segment, it.a, it.b, it.x, it.answer),
                    int(it.right),
                ]
            )
    return out.getvalue()
