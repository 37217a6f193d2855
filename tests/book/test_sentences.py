"""Sentence boundaries against labelled cases, and text that nobody may lose."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_cases import collected, own

from studio.book.sentences import split

CASES = collected("sentences.json")
OWN = own("sentences.json")


def ends(pieces: list[str]) -> set[int]:
    """Boundaries as counts of characters that are no blanks."""
    found, count = set(), 0
    for piece in pieces[:-1]:
        count += sum(not character.isspace() for character in piece)
        found.add(count)
    return found


def judged(case: dict[str, Any]) -> tuple[set[int], set[int]]:
    """Boundaries found and wanted, optional ones taken out of both."""
    text = case["join"].join(case["sents"])
    optional = {
        sum(not character.isspace() for character in text[:end])
        for at in case.get("optional", [])
        for end in (at, at + 1)
    }
    return ends(split(text, case["lang"])) - optional, ends(case["sents"]) - optional


@pytest.mark.parametrize("cases", [CASES, OWN], ids=["collected", "own"])
def test_boundaries_are_as_labelled(cases: list[dict[str, Any]]) -> None:
    results = [(case["id"], *judged(case)) for case in cases]
    hits = sum(len(found & wanted) for _, found, wanted in results)
    extra = sum(len(found - wanted) for _, found, wanted in results)
    missed = sum(len(wanted - found) for _, found, wanted in results)
    wrong = [name for name, found, wanted in results if found != wanted]
    assert 2 * hits / (2 * hits + extra + missed) >= 0.99, wrong


@pytest.mark.parametrize("case", CASES + OWN, ids=lambda case: case["id"])
def test_pieces_joined_are_the_text(case: dict[str, Any]) -> None:
    text = case["join"].join(case["sents"])
    assert "".join(split(text, case["lang"])) == text


PROSE = st.text(
    st.sampled_from(list("aA1 .!?…,;:-—–\n\t\"'“”‘’«»„()[]。！？「」『』漢かé\u00a0")), max_size=200
)


@given(PROSE, st.sampled_from(["en", "de", "fr", "es", "zh", "ja", "en-GB", "", "xx"]))
def test_nothing_is_altered(text: str, language: str) -> None:
    assert "".join(split(text, language)) == text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("“Where have you been?” Captain Rowe demanded.", "Nobody answered."),
        ("“Halt!” shouted the guard.", "The cart stopped."),
        ("He came at 10 a.m. on Friday.", "She came later."),
        ("The bill was $4.75, i.e. nothing.", "They paid."),
        ("Mrs. A. B. Hart lives at 12 Elm St. in Dover.", "She is out."),
        ("„Komm her!“, sagte sie.", "Er kam."),
        ("他问：“谁？”", "没有人回答。"),
        ("“谁？”", "“我。”"),
        ("He was gone.—", "The rest is rumour."),
        ("Well....", "I suppose so."),
        ("It is well known.¹", "It is not true."),
        ("_He ran._", "She stayed."),
        ("He was Martin Hale Sr.", "His son was Tom."),
        ("It was signed D. H.", "We laughed."),
    ],
)
def test_two_sentences_are_two(before: str, after: str) -> None:
    language = "zh" if "。" in after else "de" if before[0] == "„" else "en"
    join = "" if language == "zh" else " "
    assert [piece.strip() for piece in split(before + join + after, language)] == [before, after]


HOSTILE = {
    "quotes": '"' * 100_000,
    "speech": "“a.” " * 20_000,
    "brackets": "[(" * 50_000,
    "initials": "J. " * 33_000,
    "joined initials": "J." * 50_000,
    "dots": "." * 100_000,
    "spaced dots": ". " * 50_000,
    "ellipses": "… " * 50_000,
    "marks": "?! " * 33_000,
    "chinese": "。”" * 50_000,
    "blanks": "a." + " " * 100_000,
    "lines": "\n" * 100_000,
    "numbers": "1. " * 33_000,
    "one word": "a" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_length_alone(name: str) -> None:
    text = HOSTILE[name]
    started = time.process_time()
    assert "".join(split(text, "en")) == text
    assert time.process_time() - started < 3.0  # A quadratic rule takes ten times this.


@pytest.mark.parametrize(
    "text",
    [
        "No. |I will not.",
        "Wait a sec. |I’ll come.",
        "It was no. V is a letter.".replace("no. ", "no. |"),
        "See Vol. I and No. IV of Sect. 4.",
        "“Well . . . I suppose,” he said.",
        "“Then… I don’t know.”",
        "“Ready?” M. Poirot said. |“Go.”",
        "“Ready?” J. P. Morgan asked. |“Go.”",
        "“Ready?” Tom and Ann cried. |“Go.”",
        "“Ready?” Mary quietly asked. |“Go.”",
        "“Run!” Old Tom bawled. |She ran.",
        "“Run!” |Ann put down her cup.",
    ],
)
def test_words_that_only_look_like_an_end(text: str) -> None:
    assert split(text.replace("|", ""), "en") == text.split("|")
