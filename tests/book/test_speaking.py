"""Source text becomes spoken text."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.book.kinds import Kind
from studio.book.speaking import changes, speak

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases" / "normalise.json").read_text("utf-8")
)


def bare(text: str) -> str:
    """Blind to case, punctuation and "and"."""
    text = text.lower().replace("’", "").replace("'", "")
    return " ".join(word for word in re.sub(r"[\W_]", " ", text).split() if word != "and")


def test_reading_rules_stay_as_good_as_they_are() -> None:
    wrong = [
        case["in"]
        for case in CASES
        if bare(speak(case["in"], Kind.PROSE, "en")) not in map(bare, case["accept"])
    ]
    assert len(wrong) <= 3, wrong


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("Chapter IV", "Chapter four."),
        ("CHAPTER IV", "Chapter four."),
        ("IV.", "Four."),
        ("I", "One."),
        ("XII. The Storm", "Twelve. The Storm."),
        ("THE STORM", "The storm."),
        ("Who Goes There?", "Who Goes There?"),
        ("I Am Here", "I Am Here."),
        ("7", "seven."),
        ("MIX", "Mix."),
    ],
)
def test_headings(source: str, spoken: str) -> None:
    assert speak(source, Kind.HEADING, "en") == spoken


@pytest.mark.parametrize(
    ("source", "spoken"),
    [
        ("Louis XIV’s court", "Louis the fourteenth’s court"),
        ("I know a CD when I see one.", "I know a CD when I see one."),
        ("It was No. 10.", "It was number ten."),
        ("No. Ten men came.", "No. Ten men came."),
        ("Dr. Lee lives on Mill St. now.", "Doctor Lee lives on Mill Street now."),
        ("H₂O", "H two O"),
        ("He wrote <|endofprompt|> down.", "He wrote down."),
        ("a <strong>bold</strong> man", "a bold man"),
        ("[breath] He ran.", "(breath) He ran."),
        ("Good 😀 day ✅️.", "Good day."),
        ("extra\u00adordi\u200bnary ﬁve", "extraordinary five"),
        ("She saw A NATO SPOKESMAN.", "She saw A NATO spokesman."),
        ("_Really_, *now*?", "Really, now?"),
        ("x=1 & y=2", "x equals one and y equals two"),
        ("10,000 of 1066", "ten thousand of ten sixty-six"),
        ("3–4 p.m. on 9/11, 24/7.", "three to four p m on nine eleven, twenty-four seven."),
        ("Mr. and Mrs. Hall (b. 1902)", "Mister and Missus Hall (born nineteen oh two)"),
        ("Room 12B in MCMXCIX.", "Room twelve B in nineteen ninety-nine."),
        ("1.000.000 men in WWII", "one million men in World War two"),
        ("----------", ""),
        ("<|a|>", ""),
        ("Привет, 你好.", "Привет, 你好."),
    ],
)
def test_prose(source: str, spoken: str) -> None:
    assert speak(source, Kind.PROSE, "en") == spoken


def test_other_languages_keep_their_numbers() -> None:
    assert speak("Am 3. Okto\u00adber.", Kind.PROSE, "de") == "Am 3. Oktober."


def test_every_change_is_shown_by_name() -> None:
    shown = changes("Dr. Lee paid $5.", Kind.PROSE, "en")
    assert [(c.rule, c.before, c.after) for c in shown] == [
        ("abbreviation", "Dr.", "Doctor"),
        ("money", "$5", "five dollars"),
    ]
    assert changes("Nothing to do here.", Kind.PROSE, "en") == ()


@given(st.text(max_size=120), st.sampled_from(list(Kind)), st.sampled_from(["en", "de", ""]))
def test_any_text_can_be_spoken(text: str, kind: Kind, language: str) -> None:
    spoken = speak(text, kind, language)
    assert "<|" not in spoken
    assert spoken == spoken.strip()
    assert "\n" not in spoken


@given(
    st.lists(st.sampled_from("the lamp went out and nobody spoke of it again".split()), min_size=1)
)
def test_plain_words_stay_as_they_are(words: list[str]) -> None:
    text = " ".join(words)
    assert speak(text, Kind.PROSE, "en") == text


@given(st.integers(0, 10**18))
def test_no_digit_reaches_an_engine(number: int) -> None:
    assert not re.search(
        r"\d", speak(f"There were {number} and {number:,} of them.", Kind.PROSE, "en")
    )


HOSTILE = {
    "commas": "1," * 20_000,
    "digits": "1" * 40_000,
    "capitals": "A " * 20_000,
    "tags": "<a " * 15_000,
    "tokens": "<|" * 20_000,
    "stars": "*" * 40_000,
    "addresses": "a@" * 20_000,
    "saints": "St. " * 10_000,
    "dashes": "1-" * 20_000,
    "emoji": "😀" * 20_000,
    "accents": "a" + "\u0301" * 40_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_grows_with_length_alone(name: str) -> None:
    started = time.process_time()
    speak(HOSTILE[name], Kind.PROSE, "en")
    assert time.process_time() - started < 3.0
