"""How long it is silent after a segment."""

from __future__ import annotations

import pytest
from sound_segments import segment

from studio.project.model import Kind
from studio.sound.pauses import PauseRules, after

RULES = PauseRules()
PROSE, DIALOGUE, VERSE = Kind.PROSE, Kind.DIALOGUE, Kind.VERSE
HEADING, BREAK = Kind.HEADING, Kind.SCENE_BREAK


def test_defaults_are_those_of_the_agreement() -> None:
    assert RULES == PauseRules(
        sentence=350,
        prose=700,
        dialogue=550,
        verse=450,
        heading=1200,
        scene_break=2000,
        head=750,
        tail=1500,
    )


@pytest.mark.parametrize(
    ("kind", "following", "expected"),
    [
        (PROSE, PROSE, 700),
        (DIALOGUE, DIALOGUE, 550),
        (VERSE, VERSE, 450),
        (HEADING, HEADING, 1200),
        (DIALOGUE, PROSE, 700),
        (PROSE, DIALOGUE, 700),
        (VERSE, DIALOGUE, 550),
        (HEADING, PROSE, 1200),
        (PROSE, HEADING, 1200),
    ],
)
def test_kind_decides_and_at_a_change_the_longer(
    kind: Kind, following: Kind, expected: int
) -> None:
    assert after(segment(1, kind), segment(2, following), RULES) == expected


@pytest.mark.parametrize("kind", [PROSE, DIALOGUE, VERSE, HEADING])
def test_within_a_paragraph_it_is_a_sentence(kind: Kind) -> None:
    inside = segment(1, kind, ends_paragraph=False)
    assert after(inside, segment(2, kind), RULES) == 350
    assert after(inside, segment(2, HEADING), RULES) == 350


@pytest.mark.parametrize("own", [0, 1, 5000])
def test_what_a_person_set_counts_even_if_it_is_nothing(own: int) -> None:
    for following in (PROSE, HEADING):
        for ends in (True, False):
            one = segment(1, PROSE, ends_paragraph=ends, pause_ms=own)
            assert after(one, segment(2, following), RULES) == own


@pytest.mark.parametrize(
    ("before", "own_break", "total"),
    [
        (None, None, 2000),
        (0, None, 2000),
        (3000, None, 3000),
        (None, 500, 700),
        (None, 0, 700),
        (0, 0, 0),
        (2500, 2500, 2500),
    ],
)
def test_a_scene_break_and_the_pause_before_it_last_as_long_as_the_longer(
    before: int | None, own_break: int | None, total: int
) -> None:
    one = segment(1, PROSE, pause_ms=before)
    rest = segment(2, BREAK, pause_ms=own_break)
    two = segment(3, PROSE)
    assert after(one, rest, RULES) + after(rest, two, RULES) == total


def test_a_scene_break_is_no_longer_for_what_follows_it() -> None:
    assert after(segment(1, BREAK), segment(2, HEADING), RULES) == 2000
    assert after(segment(1, BREAK), segment(2, BREAK), RULES) == 0


@pytest.mark.parametrize("kind", list(Kind))
@pytest.mark.parametrize("own", [None, 0, 900])
def test_the_last_of_a_chapter_leaves_the_silence_to_the_tail(kind: Kind, own: int | None) -> None:
    assert after(segment(9, kind, pause_ms=own), None, RULES) == 0
