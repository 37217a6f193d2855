"""A blind comparison: what is drawn, and what the answers are worth."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.review import blind
from studio.review.blind import Candidate, Pair, Trial


def take(number: int, segment: str, **changes: str) -> Candidate:
    same = Candidate(number, segment, f"text of {segment}", "hibari", "heart", "heart 1", "b1")
    return same._replace(**changes)


def test_two_sets_are_the_same_texts_in_two_ways() -> None:
    takes = [
        take(1, "s1"),
        take(2, "s2"),
        take(3, "s3"),
        take(4, "s1", engine="cosyvoice3", voice="miller", settings="miller 1", build="c1"),
        take(5, "s2", engine="cosyvoice3", voice="miller", settings="miller 1", build="c1"),
        take(6, "s3", engine="cosyvoice3", voice="miller", build="c1", spoken="another text"),
        take(7, "s1", settings="heart 2"),
        take(8, "s3", build="b2"),
    ]
    found = {(it.what, it.first, it.second): it.takes for it in blind.pairs(takes)}
    assert found == {
        ("engine", "cosyvoice3", "hibari"): (("s1", 4, 7), ("s2", 5, 2)),
        ("settings", "heart 1", "heart 2"): (("s1", 1, 7),),
        ("build", "b1", "b2"): (("s3", 3, 8),),
    }
    assert blind.pairs(takes)[0].what == "engine", "the most takes come first"


def test_the_two_newest_takes_of_what_is_selected() -> None:
    takes = [take(1, "s1"), take(2, "s1"), take(3, "s1"), take(4, "s2"), take(5, "s3")]
    (pair,) = blind.pairs(takes, frozenset({"s1", "s2"}))
    assert (pair.what, pair.takes) == ("take", (("s1", 3, 2),))


PAIR = Pair("engine", "one", "two", tuple((f"s{it}", it, 100 + it) for it in range(40)))


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 30))
def test_a_seed_draws_a_test_and_always_the_same(seed: int, size: int, trials: int) -> None:
    pair = replace(PAIR, takes=PAIR.takes[:size])
    a, b, questions = blind.plan(pair, seed, trials)
    assert (a, b, questions) == blind.plan(pair, seed, trials)
    assert {a, b} == {"one", "two"}
    assert [it.number for it in questions] == [*range(1, len(questions) + 1)]
    assert min(size, trials) <= len(questions) <= trials
    for it in questions:
        first, second = (it.a, it.b) if a == "one" else (it.b, it.a)
        assert (it.segment, first, second) in pair.takes
        assert it.x in "ab"


def test_x_is_either_of_both_about_as_often() -> None:
    drawn = [it.x for seed in range(100) for it in blind.plan(PAIR, seed, 20)[2]]
    assert 0.45 < drawn.count("a") / len(drawn) < 0.55
    assert 30 < sum(blind.plan(PAIR, seed, 20)[0] == "one" for seed in range(100)) < 70


@pytest.mark.parametrize(
    ("right", "answers", "p"),
    [(0, 0, 1.0), (0, 5, 1.0), (5, 5, 1 / 32), (12, 16, 0.0384), (9, 10, 0.0107), (8, 16, 0.598)],
)
def test_the_p_value_is_that_of_the_binomial(right: int, answers: int, p: float) -> None:
    assert blind.by_guessing(right, answers) == pytest.approx(p, abs=5e-4)


def finished(right: int, wrong: int) -> blind.Test:
    answers = ["a"] * right + ["b"] * wrong + [""]
    trials = tuple(Trial(at, f"s{at}", at, 100 + at, "a", it) for at, it in enumerate(answers, 1))
    return blind.Test(3, "2026-11-30T09:00:00+00:00", 7, "engine", "one, it was", "two", trials)


def test_what_the_answers_are_worth_is_said() -> None:
    assert "You hear the difference" in blind.verdict(finished(9, 1))
    assert "no sign of a difference" in blind.verdict(finished(8, 8))
    assert "say little" in blind.verdict(finished(2, 1))
    assert blind.verdict(finished(0, 0)) == "Nothing was answered."


def test_the_table_can_be_read_again() -> None:
    table = blind.to_csv([finished(2, 1)], {"s1": 14})
    rows = [*csv.DictReader(io.StringIO(table))]
    assert [it["right"] for it in rows] == ["1", "1", "0"]
    assert (rows[0]["segment"], rows[1]["segment"]) == ("14", "")
    assert rows[0]["a"] == "one, it was"
    assert rows[0]["seed"] == "7"
