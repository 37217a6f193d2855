"""A text is cut in two between words, and the two parts are the text again."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.book.joining import aligned, joined, parted
from studio.errors import BadInput

ODD = st.text(
    st.sampled_from("ab é日本ーのすไทย。「」、“”—.,-!?…  \u00a0\u0301\u200d\ufe0f😀👩🏽1"),
    max_size=24,
)


ANY = st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)
"""What no reader lets through, control codes, is left out."""


@given(ODD | ANY, st.integers(-1, 26))
def test_the_parts_joined_are_the_text(text: str, at: int) -> None:
    try:
        first, second = parted(text, at)
    except BadInput:
        return
    assert joined(first, second) == text
    assert first.strip()
    assert second.strip()
    if first + second == text and not first[-1].isspace():
        # Without a blank no character is taken apart, and no word of a script with blanks.
        assert unicodedata.category(second[0])[0] not in "MC"
        assert not (first[-1].isascii() and first[-1].isalnum() and second[0].isalnum())


@pytest.mark.parametrize(
    ("text", "word", "parts"),
    [
        ("She waited. He came.", "He", ("She waited.", "He came.")),
        ("She said, “Go home.”", "Go", ("She said,", "“Go home.”")),
        ("the river—and the sea", "and", ("the river—", "and the sea")),
        ("the river — and the sea", "and", ("the river —", "and the sea")),
        ("one  two", "two", ("one  ", "two")),
        ("one\u00a0two", "two", ("one\u00a0", "two")),
        ("naïve cafe\u0301 owners", "owners", ("naïve cafe\u0301", "owners")),
        ("今日は。いい天気だ", "いい", ("今日は。", "いい天気だ")),
        ("彼は「行く」と言った", "行く", ("彼は", "「行く」と言った")),
        ("今日は いい天気だ", "いい", ("今日は ", "いい天気だ")),
        ("ฉันรักคุณ", "รัก", ("ฉัน", "รักคุณ")),
        ("שלום עולם", "עולם", ("שלום", "עולם")),
        ("go 👩‍👩‍👧 home", "👩‍👩‍👧", ("go", "👩‍👩‍👧 home")),
    ],
)
def test_marks_go_with_their_words(text: str, word: str, parts: tuple[str, str]) -> None:
    first, second = parted(text, text.index(word))
    assert (first, second) == parts
    assert joined(first, second) == text


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("wonderful", 3),
        ("well-known facts", 5),
        ("cafe\u0301s", 4),
        ("か\u3099く", 1),
        ("👩\u200d👧", 1),
        ("The end.", 7),
        ("今日。", 2),
    ],
)
def test_a_word_is_not_cut(text: str, at: int) -> None:
    with pytest.raises(BadInput, match=r"inside a word|both sides"):
        parted(text, at)


@pytest.mark.parametrize("at", [-1, 0, 1, 12, 13, 99])
def test_both_sides_need_words(at: int) -> None:
    with pytest.raises(BadInput, match="both sides"):
        parted(" one two    ", at)


def test_a_tight_dash_stands_within_a_paragraph_only() -> None:
    assert joined("the river—", "and the sea") == "the river—and the sea"
    assert joined("the river—", "and the sea", paragraph=False) == "the river— and the sea"
    assert joined("the river —", "and the sea") == "the river — and the sea"
    assert joined("", "one") == "one"


@pytest.mark.parametrize(
    ("text", "other", "word", "second"),
    [
        ("Dr. Lee came. He sat.", "Doctor Lee came. He sat.", "He", "He sat."),
        ("In 1914 it rained. All day.", "In nineteen fourteen it rained. All day.", "All", "All d"),
        ("One two three", "Quite another text", "two", "another"),
        ("One two", "Longer one two three four", "two", "two three"),
        ("He came. She left.", "She left.", "She", "left."),
        ("今日は。いい天気だ", "きょうは。いい天気だ", "いい", "いい天気だ"),
    ],
)
def test_a_place_is_found_in_another_wording(text: str, other: str, word: str, second: str) -> None:
    assert other[aligned(text, other, text.index(word)) :].startswith(second)


@given(ODD, ODD, st.integers(0, 26))
def test_a_place_in_another_wording_is_a_place_in_it(text: str, other: str, at: int) -> None:
    assert 0 <= aligned(text, other, at) < max(1, len(other))
