"""No segment is longer than its engine takes: in characters, phonemes or tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.book.costs import cost_of, phonemes, tokens
from studio.book.kinds import Kind
from studio.book.limits import Limits
from studio.book.manuscript import Block, ChapterText, Manuscript
from studio.book.segmenting import cut

LONG = (
    "The ferryman, who had seen many such nights, said nothing at all about it, and the river rose "
    "slowly, without a sound, until it stood at the door; then he took his lamp and his coat, and "
    "walked up to the mill on the hill, where nobody had lived since the winter of 1947. "
) * 4


def spoken(limits: Limits, *blocks: Block, **by_voice: Limits) -> list[str]:
    book = Manuscript("T", "", "en", (ChapterText("One", blocks),))
    chapters = cut(book, limits, "en", by_voice=by_voice)
    return [segment.spoken for chapter in chapters for segment in chapter.segments]


@pytest.mark.parametrize("most", [60, 120, 200])
def test_characters(most: int) -> None:
    texts = spoken(Limits.for_engine(most), Block(Kind.PROSE, LONG))
    assert max(map(len, texts)) <= most
    assert min(map(len, texts)) > 10


@pytest.mark.parametrize("what", ["phonemes", "tokens"])
def test_phonemes_and_tokens(what: str) -> None:
    cost = cost_of(what)
    assert cost is not None
    most = cost(LONG) // 20
    texts = spoken(Limits.for_engine(600, cost, most), Block(Kind.PROSE, LONG))
    assert max(map(cost, texts)) <= most
    assert max(map(cost, spoken(Limits(), Block(Kind.PROSE, LONG)))) > most


def test_no_limit_of_a_kind_is_no_limit() -> None:
    assert Limits.for_engine(600, tokens, 0) == Limits.for_engine(600) == Limits()
    assert cost_of("") is None


def test_each_voice_is_cut_for_its_own_engine() -> None:
    blocks = (Block(Kind.PROSE, LONG), Block(Kind.PROSE, LONG, voice="anna"))
    texts = spoken(Limits(), *blocks, anna=Limits.for_engine(80))
    usual = spoken(Limits(), blocks[0])
    assert texts[: len(usual)] == usual
    assert max(map(len, texts[len(usual) :])) <= 80


def test_estimates() -> None:
    assert phonemes("The ferry left.") == 18
    assert phonemes("[Harrow](/hˈæɹO/) left.") == phonemes("hˈæɹO left.")
    assert tokens("The ferryman left.") == 5
    assert tokens("渡船走了。") == 9


@given(st.text(max_size=60), st.text(max_size=60))
def test_more_text_never_costs_less(first: str, second: str) -> None:
    for cost in (phonemes, tokens):
        assert cost(f"{first} {second}") >= max(cost(first), cost(second))
