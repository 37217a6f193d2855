"""A script and what was heard are compared by what a listener can tell apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from text_cases import collected, own

from studio.review.folding import Likeness, compare, fold, sounds

CASES = collected("folding.json") + own("folding.json")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['script']}|{case['heard']}")
def test_pairs_are_judged_as_labelled(case: dict[str, Any]) -> None:
    likeness = compare(case["script"], case["heard"], "en")
    assert (likeness is not Likeness.DIFFERENT) == case["same"], (
        fold(case["script"], "en"),
        fold(case["heard"], "en"),
    )


@pytest.mark.parametrize(
    ("script", "heard", "likeness"),
    [
        ("He paid 25 men.", "he paid twenty five men", Likeness.SAME),
        ("It’s late.", "it is late", Likeness.SAME),
        ("It’s late.", "its late", Likeness.ALIKE),
        ("Their horse", "there horse", Likeness.ALIKE),
        ("for ever", "forever", Likeness.SAME),
        ("now here", "nowhere", Likeness.ALIKE),
        ("The horse ran.", "the house ran", Likeness.DIFFERENT),
    ],
)
def test_words_that_only_sound_alike_are_a_class_of_their_own(
    script: str, heard: str, likeness: Likeness
) -> None:
    assert compare(script, heard, "en") is likeness


@pytest.mark.parametrize(
    ("language", "script", "heard", "same"),
    [
        ("de", "Am 3. Mai kamen 5 Männer.", "am dritten mai kamen fünf männer", True),
        ("de", "Er ging.", "er kam", False),
        ("fr", "Il a 21 ans.", "il a vingt et un ans", True),
        ("es", "Tiene 21 años.", "tiene veintiún años", True),
        ("zh", "他有2只羊。", "他有两只羊", True),
        ("zh", "他有2只羊。", "他有三只羊", False),
    ],
)
def test_other_languages_are_folded_by_their_numbers(
    language: str, script: str, heard: str, same: bool
) -> None:
    assert (compare(script, heard, language) is Likeness.SAME) == same


def test_a_name_counts_as_the_engine_was_given_it() -> None:
    assert compare("Xanthe came.", "zan thee came", "en") is Likeness.DIFFERENT
    respelled = {"xanthe": "Zan-thee"}
    assert compare("Xanthe came.", "zan thee came", "en", respelled) is Likeness.SAME
    assert compare("Xanthe came.", "xanthe came", "en", respelled) is Likeness.SAME


def test_phonemes_are_not_compared() -> None:
    assert compare("[Harrow](/hˈæɹO/) came.", "harrow came", "en") is Likeness.SAME


@given(st.text(max_size=80), st.sampled_from(["en", "de", "zh", ""]))
def test_any_text_is_like_itself(text: str, language: str) -> None:
    assert compare(text, text, language) is Likeness.SAME
    assert fold(text, language) == fold(text, language)
    assert len(sounds(fold(text, language))) == len(fold(text, language))


@given(st.integers(0, 10**12))
def test_a_number_is_the_same_however_it_is_written(number: int) -> None:
    assert compare(f"about {number:,} of them", f"about {number} of them", "en") is Likeness.SAME
