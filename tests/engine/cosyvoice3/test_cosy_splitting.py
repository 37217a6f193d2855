"""A long text in pieces: all of it, in order, none too long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.narrators.cosyvoice3.splitting import (
    LONGEST,
    REST,
    SHORTEST,
    in_characters,
    pieces,
    seed_of,
)

SENTENCE = "This is one sentence of a fairly long paragraph that keeps going. "


def words(text: str) -> int:
    """A length as a tokenizer may have it."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def test_a_text_of_a_good_length_stays_whole() -> None:
    text = "Mr. Smith went to Washington... Really?! Yes."
    assert pieces(text, words) == [text]


def test_a_long_text_is_cut_after_sentences() -> None:
    found = pieces(SENTENCE * 20, words)
    assert len(found) > 2
    assert all(piece.endswith("going.") for piece in found)
    assert all(SHORTEST < words(piece) <= LONGEST for piece in found[:-1])


def test_no_piece_ends_after_a_title() -> None:
    text = "Mr. Smith and Dr. Jones met Mrs. Brown at St. Mary's on the hill above the town. " * 8
    assert all(piece.endswith("town.") for piece in pieces(text, words))


def test_an_endless_sentence_is_cut_at_commas_and_then_between_words() -> None:
    clauses = "and so it went on for a long time, " * 20
    assert all(piece.endswith(",") for piece in pieces(clauses.strip(), words))
    assert max(map(words, pieces("word " * 500, words))) <= LONGEST + REST


def test_chinese_is_cut_at_its_own_marks_and_without_any() -> None:
    assert all(piece.endswith("。") for piece in pieces("她等这封信已经等了十一年。" * 20, len))
    assert max(map(len, pieces("她" * 1000, len))) <= LONGEST + REST


def test_a_pair_of_commands_is_not_taken_apart() -> None:
    text = SENTENCE * 3 + f"<strong>{SENTENCE * 8}</strong> " + SENTENCE * 3
    for piece in pieces(text, words):
        assert piece.count("<strong>") == piece.count("</strong>")


@given(
    st.lists(
        st.one_of(
            st.text(max_size=12),
            st.sampled_from(["Word. ", "word, ", "她等。", "“No!” ", "... ", "3.5 ", "[sigh] "]),
        ),
        max_size=120,
    ).map(lambda bits: " ".join("".join(bits).split()))
)
def test_nothing_is_lost(text: str) -> None:
    for length in (words, len):
        found = pieces(text, length)
        assert "".join("".join(found).split()) == "".join(text.split())
        place = 0
        for piece in found:  # each stands in the text as it is
            place = text.index(piece, place) + len(piece)


@given(st.lists(st.sampled_from(["a", "word", "她", ". ", ", ", " "]), max_size=400).map("".join))
def test_no_piece_is_much_too_long(text: str) -> None:
    blank_free = max((len(part) for part in text.split()), default=0)
    if blank_free < LONGEST:
        assert max(map(len, pieces(text, len))) <= LONGEST + SHORTEST + REST


@pytest.mark.parametrize(("language", "counts"), [("zh-CN", True), ("ja", True), ("en", False)])
def test_what_is_counted(language: str, counts: bool) -> None:
    assert in_characters(language) is counts


def test_every_piece_has_a_seed_of_its_own() -> None:
    seeds = [seed_of(12345, number) for number in range(100)]
    assert seeds[0] == 12345
    assert len(set(seeds)) == 100
    assert all(0 <= seed < 2**32 for seed in seeds)
    assert seeds[1:] != [seed_of(12346, number) for number in range(1, 100)]
