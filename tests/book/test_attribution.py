"""Who says what: cases of our own, counted; and what must hold whatever a book says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.book.attribution import Attribution, Confidence, Line, attribute, proposals
from studio.book.kinds import Kind

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parent / "cases" / "attribution" / "english.json").read_text("utf-8")
)
PRECISION, RECALL = 0.99, 0.95
"""What the rules reach on the cases; a wrong voice costs more than a question."""


def line(paragraph: str) -> Line:
    if paragraph == "* * *":
        return Line(Kind.SCENE_BREAK, "", True)
    if paragraph.startswith("# "):
        return Line(Kind.HEADING, paragraph[2:], True)
    return Line(Kind.PROSE, paragraph, True)


def found_in(case: dict[str, Any]) -> list[str | None]:
    (chapter,) = attribute([[line(it) for it in case["paragraphs"]]], case["language"])
    return [said.speaker or None for it in chapter if it is not None for said in it.said]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_nobody_wrong_is_named(case: dict[str, Any]) -> None:
    """Unknown where the case knows better is a miss, counted below; a wrong name never is."""
    found = found_in(case)
    assert len(found) == len(case["said"]), found
    for name, wanted in zip(found, case["said"], strict=True):
        assert name in (wanted, None)


def test_precision_and_recall() -> None:
    pairs = [pair for case in CASES for pair in zip(found_in(case), case["said"], strict=False)]
    right = sum(1 for name, wanted in pairs if name is not None and name == wanted)
    given_ = sum(1 for name, _ in pairs if name is not None)
    wanted_ = sum(1 for _, wanted in pairs if wanted is not None)
    print(f"{len(CASES)} cases: precision {right}/{given_}, recall {right}/{wanted_}")
    assert len(CASES) >= 60
    assert right / given_ >= PRECISION
    assert right / wanted_ >= RECALL


def one(*paragraphs: str) -> list[Attribution | None]:
    return list(attribute([[line(it) for it in paragraphs]])[0])


def test_what_is_known_says_why() -> None:
    found = one("“Is it far?” asked Alice.", "“No,” said Robert.", "“I am cold.”", "“So?” he said.")
    told = [(it.speaker, it.confidence, it.evidence) for it in found if it]
    assert told == [
        ("Alice", Confidence.NAMED, "asked Alice"),
        ("Robert", Confidence.NAMED, "said Robert"),
        ("Alice", Confidence.TURN, "Alice and Robert take turns"),
        ("Robert", Confidence.PRONOUN, "he said: Robert"),
    ]


def test_a_segment_of_both_is_mixed_and_says_where_the_speech_is() -> None:
    (found,) = one("“Well,” said Tam, “go on.”")
    assert found is not None
    assert found.mixed
    source = "“Well,” said Tam, “go on.”"
    assert [source[it.start : it.end] for it in found.said] == ["“Well,”", "“go on.”"]
    (found,) = one("“Well, go on.”")
    assert found is not None
    assert not found.mixed


def test_a_paragraph_in_several_segments_has_one_speaker() -> None:
    lines = [
        Line(Kind.DIALOGUE, "“It began in spring,” said Ann.", False),
        Line(Kind.DIALOGUE, "“The water rose. It rose for", False),
        Line(Kind.DIALOGUE, "a week, and nobody asked why.”", True),
        Line(Kind.PROSE, "Nobody spoke.", True),
    ]
    found = attribute([lines])[0]
    assert [it.speaker if it else None for it in found] == ["Ann", "Ann", "Ann", None]
    assert [it.mixed for it in found if it] == [True, False, False]


def test_a_segment_with_two_speakers_has_none() -> None:
    (found,) = one("“Yes,” said Tam. “No,” said Ann.")
    assert found is not None
    assert found.speaker == ""
    assert [it.speaker for it in found.said] == ["Tam", "Ann"]


def test_one_chapter_tells_of_somebody_in_another() -> None:
    """That Quill is “he” stands in the second chapter only."""
    first = ["“Is it far?” asked Mrs. Pell.", "“No,” said Quill.", "They went.", "“So,” he said."]
    second = ["“Yes,” said Quill, and put his hat on himself.", "Quill sat down. He slept."]
    alone = attribute([[line(it) for it in first]])[0]
    both = attribute([[line(it) for it in first], [line(it) for it in second]])[0]
    assert both[-1] is not None
    assert both[-1].speaker == "Quill"
    assert [it.speaker for it in both[:2] if it] == [it.speaker for it in alone[:2] if it]


def test_apostrophes_of_a_chapter_without_speech_are_no_quotations() -> None:
    spoken = [line("“Is it far?” asked Ann."), line("“No,” said Tam.")]
    silent = [
        line("'Twas late, and the millers' boys had gone, as they say 'home to roost,' at six.")
    ]
    assert attribute([spoken, silent])[1] == (None,)
    assert attribute([silent])[0] != (None,)


def test_names_that_may_be_one_person_are_only_proposed() -> None:
    names = ["Tam", "Tam Lin", "Dr. Harrow", "Harrow", "the miller", "the old miller", "Ann"]
    assert set(proposals(names)) == {
        ("Tam", "Tam Lin"),
        ("Dr. Harrow", "Harrow"),
        ("the miller", "the old miller"),
    }


prose = st.lists(
    st.sampled_from(
        [
            *"“”‘’\"'«»—…,.!? ",
            "said",
            "he",
            "Tam",
            "the",
            "miller",
            "asked",
            " Dr. ",
            "of",
            "I",
            "’s",
            "and",
            "你好",
            "\u0301",
        ]
    )
    | st.text(max_size=4),
    max_size=30,
).map(" ".join)


@given(st.lists(st.tuples(prose, st.booleans()), max_size=8), st.sampled_from(["en", "fr", "ja"]))
def test_whatever_stands_there_spans_lie_within_and_in_order(
    texts: list[tuple[str, bool]], language: str
) -> None:
    lines = [Line(Kind.PROSE, text, ends) for text, ends in texts]
    (found,) = attribute([lines], language)
    assert len(found) == len(lines)
    for each, attribution in zip(lines, found, strict=True):
        at = 0
        for said in attribution.said if attribution else ():
            assert at <= said.start < said.end <= len(each.source)
            at = said.end
            assert bool(said.speaker) == (said.confidence is not None) == bool(said.evidence)
            assert language == "en" or not said.speaker
