"""Two editions side by side."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.book.aligning import Stream, canonical, common, offsets
from studio.book.sequences import in_order

UNIQUE = [f"The ferry number {number} left, and nobody went aboard." for number in range(12)]


def stream(*paragraphs: str) -> Stream:
    return Stream.of((paragraph, True) for paragraph in paragraphs)


def shared(old: Stream, new: Stream) -> list[str]:
    return [old.text[block.old : block.old + block.size] for block in common(old, new)]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("every  day", "every day"),
        (" “Is it true?” he said. ", "“Is it true?”he said."),
        ("the river — and the sea", "the river—and the sea"),
        ("山の 水。 そして", "山の水。そして"),
        ("5 % of 1\u00a0000", "5%of 1 000"),
    ],
)
def test_canonical_text_has_blanks_between_words_alone(text: str, plain: str) -> None:
    assert canonical(text) == plain


@given(st.text("ab 1.,“—山\u00a0\t", max_size=30))
def test_every_letter_of_canonical_text_is_found_again(text: str) -> None:
    plain = canonical(text)
    places = offsets(text)
    assert len(places) == len(plain)
    assert places == sorted(set(places))
    assert "".join(" " if text[at].isspace() else text[at] for at in places) == plain


@given(
    st.lists(st.sampled_from("abcd"), max_size=14), st.lists(st.sampled_from("abcd"), max_size=14)
)
def test_as_many_pairs_as_can_be(old: list[str], new: list[str]) -> None:
    pairs = in_order(old, new)
    assert all(old[left] == new[right] for left, right in pairs)
    assert pairs == sorted(pairs)
    assert all(one < two for one, two in pairwise(pairs))
    assert all(a[1] < b[1] for a, b in pairwise(pairs))
    assert len(pairs) == longest(old, new)


def longest(old: list[str], new: list[str]) -> int:
    """By the classical table."""
    row = [0] * (len(new) + 1)
    for left in old:
        above = row
        row = [0]
        for place, right in enumerate(new):
            row.append(above[place] + 1 if left == right else max(above[place + 1], row[place]))
    return row[-1]


def test_how_a_text_is_cut_makes_no_difference() -> None:
    whole = stream(" ".join(UNIQUE))
    pieces = Stream.of((word, False) for word in " ".join(UNIQUE).split())
    assert shared(whole, pieces) == [whole.text]


@given(st.permutations(UNIQUE))
def test_text_is_found_wherever_it_went(order: list[str]) -> None:
    old, new = stream(*UNIQUE), stream(*order)
    blocks = common(old, new)
    assert sum(block.size for block in blocks) >= sum(map(len, map(canonical, UNIQUE)))
    for block in blocks:
        assert (
            old.text[block.old : block.old + block.size]
            == new.text[block.new : block.new + block.size]
        )


@given(
    st.lists(st.sampled_from(["Yes.", "No, he said.", *UNIQUE[:4]]), max_size=12),
    st.lists(st.sampled_from(["Yes.", "No, he said.", *UNIQUE[:4]]), max_size=12),
)
def test_no_letter_is_paired_twice(old: list[str], new: list[str]) -> None:
    before, after = stream(*old), stream(*new)
    ours: set[int] = set()
    theirs: set[int] = set()
    for block in common(before, after):
        left = range(block.old, block.old + block.size)
        right = range(block.new, block.new + block.size)
        assert before.text[left.start : left.stop] == after.text[right.start : right.stop]
        # A blank between two words belongs to neither, so that it may stand in two blocks.
        assert not ours & {at for at in left if before.text[at] != " "}
        assert not theirs & {at for at in right if after.text[at] != " "}
        ours |= set(left)
        theirs |= set(right)


def test_a_word_that_changed_leaves_the_words_around_it() -> None:
    old = stream("The old clock struck thirteen before the ferry left")
    new = stream("The old clock struck twelve before the ferry left")
    assert shared(old, new) == ["The old clock struck", "before the ferry left"]
