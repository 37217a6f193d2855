"""A transcript in the making: what a person has typed or confirmed is never overruled."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from studio.review.proposal import Proposal, marked


@dataclass(frozen=True)
class Heard:
    text: str
    start: float
    end: float
    probability: float = 0.99


HEARD = (
    Heard("The", 0.0, 0.2),
    Heard("fairy", 0.2, 0.5, 0.4),
    Heard("leaves", 0.5, 0.9),
    Heard("at", 0.9, 1.0),
    Heard("6,", 1.0, 1.4),
    Heard("says", 1.6, 2.0),
    Heard("he.", 2.0, 2.3),
)


def test_figures_are_put_into_words_and_doubted() -> None:
    proposal = Proposal.of(HEARD)
    places = proposal.within(0, 3)
    assert proposal.text(places) == "The fairy leaves at six, says he."
    assert proposal.doubtful(places) == [1, 4]
    assert marked(proposal, places) == "The ⟨fairy⟩ leaves at ⟨six,⟩ says he."


def test_a_cut_has_the_words_that_are_said_in_it() -> None:
    proposal = Proposal.of(HEARD)
    assert proposal.text(proposal.within(0.5, 1.45)) == "leaves at six,"
    assert proposal.within(5, 6) == []


def test_every_word_is_confirmed_by_itself() -> None:
    proposal = Proposal.of(HEARD)
    places = proposal.within(0, 3)
    assert proposal.open(places) == places
    proposal.type(1, " ferry ")
    proposal.confirm([4])
    assert proposal.doubtful(places) == []
    assert proposal.open(places) == [0, 2, 3, 5, 6]
    proposal.confirm(places)
    assert proposal.open(places) == []
    proposal.type(3, "")  # nobody says it
    assert proposal.text(places) == "The ferry leaves six, says he."


def test_a_new_hearing_leaves_what_a_person_has_said() -> None:
    proposal = Proposal.of(HEARD)
    proposal.type(1, "ferry")
    proposal.confirm([2])
    proposal.merge(
        Proposal.of((Heard("A", 0, 0.2), Heard("very", 0.2, 0.5), Heard("x", 0.5, 0.9))), 0, 1
    )
    assert [it.text for it in proposal.words] == ["A", "ferry", "leaves", "six,", "says", "he."]
    assert [it.confirmed for it in proposal.words[:3]] == [False, True, True]


times = st.integers(0, 200).map(lambda it: it / 10)


@given(
    st.lists(st.tuples(times, st.text("ab1", min_size=1, max_size=3), st.booleans()), max_size=12),
    st.lists(st.tuples(times, st.text("xy", min_size=1, max_size=3)), max_size=12),
    times,
    times,
)
def test_merging_never_loses_a_confirmed_word(
    old: list[tuple[float, str, bool]], new: list[tuple[float, str]], one: float, other: float
) -> None:
    start, end = sorted((one, other))
    proposal = Proposal.of(Heard(text, at, at + 0.1) for at, text, _ in old)
    proposal.confirm(place for place, it in enumerate(old) if it[2])
    before = sorted((it.start, it.text) for it in proposal.words if it.confirmed)
    proposal.merge(Proposal.of(Heard(text, at, at + 0.1) for at, text in new), start, end)
    after = sorted((it.start, it.text) for it in proposal.words if it.confirmed)
    assert after == before
    assert [it.start for it in proposal.words] == sorted(it.start for it in proposal.words)
