"""Blocks become segments of a length that narrates well, and nothing is lost."""

from __future__ import annotations

import hashlib
import re

from hypothesis import given
from hypothesis import strategies as st

from studio.book.kinds import Kind
from studio.book.manuscript import Block, ChapterText, Manuscript
from studio.book.segmenting import Limits, SegmentDraft, cut, first_seed

USUAL = Limits()


def segments_of(*blocks: Block, limits: Limits = USUAL, language: str = "en") -> list[SegmentDraft]:
    book = Manuscript("t", "", language, (ChapterText("c", blocks),))
    return [segment for chapter in cut(book, limits, language) for segment in chapter.segments]


def sources(text: str, limits: Limits = USUAL, language: str = "en") -> list[str]:
    return [
        s.source for s in segments_of(Block(Kind.PROSE, text), limits=limits, language=language)
    ]


def test_sentences_are_joined_up_to_the_target() -> None:
    text = " ".join(
        f"Sentence {word} goes on for about sixty characters in all, no more." for word in "abcdefg"
    )
    lengths = [len(source) for source in sources(text)]
    assert max(lengths) <= 220
    assert min(lengths) > 60


def test_a_short_answer_stays_with_its_neighbour() -> None:
    assert sources("“Is it far?” he asked. “Yes.”") == ["“Is it far?” he asked. “Yes.”"]


def test_an_overlong_sentence_is_cut_at_its_dash() -> None:
    text = "A low grey cloud off the sea precedes rain — a mix of sleet and hail is rare here"
    assert sources(text, Limits(70, 60))[0].endswith("precedes rain —")


def test_a_cut_avoids_quotations_names_and_measures() -> None:
    text = "They walked by the river and mill with Dr. Lee for 5 km to the old bridge in town"
    for most in range(24, 60):
        pieces = sources(text, Limits(most, most))
        assert all(any(bound in piece for piece in pieces) for bound in ("Dr. Lee", "5 km"))
    quoted = "He said the sign read “keep off the grass today” and that he had kept off it, mostly"
    assert any("“keep off the grass today”" in piece for piece in sources(quoted, Limits(60, 60)))


def test_without_any_mark_cuts_fall_between_words() -> None:
    text = "we went on and on past the mill " * 100
    pieces = sources(text)
    assert " ".join(pieces) == text.strip()
    assert all(100 < len(piece) <= 300 for piece in pieces)


def test_a_word_over_the_limit_stays_whole() -> None:
    word = "a" * 3000
    assert sources(f"He typed {word} and stopped.") == ["He typed", word, "and stopped."]


def test_chinese_without_blanks_is_cut_at_its_marks() -> None:
    text = "天很黑，路很长，" * 60 + "他走了。"
    pieces = sources(text, Limits(250, 200), "zh")
    assert "".join(pieces) == text
    # A character takes as long to say as some letters do.
    assert all(len(piece) <= 100 and piece[-1] in "，。" for piece in pieces)


def test_kinds_and_paragraph_ends() -> None:
    found = segments_of(
        Block(Kind.HEADING, "Chapter IV"),
        Block(Kind.PROSE, "One. " + "A sentence of a fair length that stands alone here. " * 9),
        Block(Kind.SCENE_BREAK, ""),
        Block(Kind.VERSE, "A line of verse"),
    )
    assert found[0].kind is Kind.HEADING
    assert found[0].spoken == "Chapter four."
    prose = [s for s in found if s.kind is Kind.PROSE]
    assert [s.ends_paragraph for s in prose] == [False] * (len(prose) - 1) + [True]
    assert (found[-2].kind, found[-2].source, found[-2].spoken) == (Kind.SCENE_BREAK, "", "")


def test_text_that_leaves_nothing_to_say_joins_a_neighbour() -> None:
    found = segments_of(Block(Kind.PROSE, "<|a|>"), Block(Kind.PROSE, "He ran."))
    assert [(s.source, s.spoken) for s in found] == [("<|a|> He ran.", "He ran.")]


def test_seeds_come_from_text_and_occurrence() -> None:
    twice = segments_of(Block(Kind.PROSE, "Again."), Block(Kind.PROSE, "Again."))
    digest = hashlib.sha256(b"Again.\n2").digest()
    assert twice[0].seed == first_seed("Again.", 1) != twice[1].seed
    assert twice[1].seed == int.from_bytes(digest[:4], "big")


TEXT = st.text(
    st.sampled_from(list("aAb1 .!?…,;:-—\"'“”‘’«»()。，「」漢か\u00a0")), min_size=1, max_size=400
)


@given(
    st.lists(
        st.tuples(st.sampled_from([Kind.PROSE, Kind.DIALOGUE, Kind.VERSE, Kind.HEADING]), TEXT),
        max_size=5,
    ),
    st.integers(20, 300),
    st.sampled_from(["en", "zh", "de"]),
)
def test_nothing_is_lost(parts: list[tuple[Kind, str]], most: int, language: str) -> None:
    # A letter in each block, because text without one has nothing to say and no segment.
    blocks = [Block(kind, f"{text} x") for kind, text in parts]
    found = segments_of(*blocks, limits=Limits(most, most), language=language)
    assert "".join("".join(s.source for s in found).split()) == "".join(
        "".join(block.text for block in blocks).split()
    )
    assert all(s.spoken for s in found)


@given(TEXT, st.integers(20, 300))
def test_only_a_single_word_or_a_silent_text_exceeds_the_limit(text: str, most: int) -> None:
    words = [word for word in text.split() if any(map(str.isalnum, word))]
    if len(words) == len(text.split()):
        for segment in segments_of(Block(Kind.PROSE, text), limits=Limits(most, most)):
            assert len(segment.source) <= most or " " not in segment.source


def test_what_is_long_only_when_it_is_spoken_is_cut_too() -> None:
    years = "He told them all: " + ", ".join(map(str, range(1901, 1990))) + ". Then he sat."
    ones = "1 " * 140 + "end."
    heading = Block(Kind.HEADING, " ".join(["1,234,567"] * 30))
    said = segments_of(Block(Kind.PROSE, years), Block(Kind.PROSE, ones), heading)
    assert max(len(segment.spoken) for segment in said) <= 500
    assert " ".join(segment.source for segment in said) == f"{years} {ones} {heading.text}"
    assert sum(segment.ends_paragraph for segment in said) == 3


WORDS = st.lists(
    st.sampled_from(
        "a an it’s well-known Dr. 5 km river—and “yes” no, end. extraordinarily so; – (was)".split()
    ),
    min_size=1,
    max_size=120,
)


@given(WORDS, st.integers(20, 200))
def test_no_cut_falls_inside_a_word(words: list[str], most: int) -> None:
    text = " ".join(["Start", *words])
    pieces = sources(text, Limits(most, most))
    # A tight dash parts two words; anything else is cut at a blank alone.
    parts = [part for word in text.split() for part in re.split(r"(?<=—)(?=\w)", word)]
    found = [part for piece in pieces for word in piece.split() for part in word.split()]
    rebuilt = [part for word in found for part in re.split(r"(?<=—)(?=\w)", word)]
    assert rebuilt == parts


@given(WORDS, st.integers(60, 300))
def test_an_engine_is_given_no_more_than_its_card_allows(words: list[str], most: int) -> None:
    text = " ".join(["Start", *words])
    for piece in segments_of(Block(Kind.PROSE, text), limits=Limits.for_engine(most)):
        assert len(piece.spoken) <= most or len(piece.source) <= 50


def test_what_an_engine_counts_bounds_a_segment() -> None:
    text = " ".join(["one two three four five six seven eight nine ten"] * 12)

    def words(spoken: str) -> int:
        return len(spoken.split())

    pieces = segments_of(Block(Kind.PROSE, text), limits=Limits.for_engine(600, words, 20))
    assert max(words(piece.spoken) for piece in pieces) <= 20
    assert " ".join(piece.source for piece in pieces) == text
    assert [piece.ends_paragraph for piece in pieces] == [False] * (len(pieces) - 1) + [True]


def test_a_short_line_is_not_joined_across_paragraphs_or_voices() -> None:
    found = segments_of(
        Block(Kind.PROSE, "“Yes.”", voice="ann", runs_on=True),
        Block(Kind.PROSE, "He sat."),
        Block(Kind.PROSE, "So."),
    )
    assert [(s.source, s.voice) for s in found] == [("“Yes.”", "ann"), ("He sat.", ""), ("So.", "")]
