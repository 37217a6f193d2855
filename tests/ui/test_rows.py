"""The rows in memory: order, filter, revisions."""

from __future__ import annotations

from dataclasses import replace

from ui_fakes import BASE

from studio.project.model import State
from studio.ui.rows import FILTERS, PROBLEMS, Rows, pattern


def rows(count: int = 6) -> Rows:
    return Rows([replace(BASE, uid=f"s{n}", number=n, mark=n % 2 == 0) for n in range(count)])


def marked() -> int:
    return next(place for place, it in enumerate(FILTERS) if it.marked)


def test_an_update_touches_one_revision() -> None:
    some = rows()
    before = [some.revision(index) for index in range(len(some))]
    some.update({"s3": replace(BASE, uid="s3", number=3, note="new")})
    after = [some.revision(index) for index in range(len(some))]
    assert [a != b for a, b in zip(before, after, strict=True)] == [n == 3 for n in range(6)]
    assert some.row(3).note == "new"


def test_a_filter_hides_keeps_and_reveals() -> None:
    some = rows()
    some.set_filter(FILTERS[marked()])
    assert [some.row(index).uid for index in range(len(some))] == ["s0", "s2", "s4"]
    assert some.index_of("s3") is None
    assert some.index_of("s4") == 2
    some.update({"s2": replace(BASE, uid="s2", number=2, mark=False)})
    assert some.index_of("s2") == 1, "what no longer matches stays until the filter is set again"
    assert some.update({"s3": replace(BASE, uid="s3", number=3, mark=True)})
    assert some.index_of("s3") == 2
    some.set_filter(None)
    assert len(some) == 6


def test_find_goes_round_and_comes_to_the_start_last() -> None:
    some = rows()
    assert some.find(4, 1, lambda row, _: row.mark) == 0
    assert some.find(4, -1, lambda row, _: row.mark) == 2
    assert some.find(4, 1, lambda row, _: row.uid == "s4") == 4
    assert some.find(0, 1, lambda row, _: False) is None
    assert Rows().find(0, 1, lambda row, _: True) is None


def test_what_was_asked_for_shows_queued_until_it_is_answered() -> None:
    some = rows()
    old = some.revision(1)
    some.ask(["s1"])
    assert some.state(1) is State.QUEUED
    assert some.revision(1) > old
    some.answered(["s1"])
    assert some.state(1) is State.READY


def test_narrating_is_known_at_once_and_tells_which_rows_changed() -> None:
    some = rows()
    assert some.set_narrating(frozenset({"s1", "s2"})) == {"s1", "s2"}
    assert some.state(1) is State.NARRATING
    assert some.set_narrating(frozenset({"s2", "s3"})) == {"s1", "s3"}


def test_filters_name_every_state() -> None:
    assert {state for it in FILTERS for state in it.states} == set(State)
    assert PROBLEMS == FILTERS[0].states


def test_smart_case_and_broken_patterns() -> None:
    assert pattern("harrow")[0].search("Dr. Harrow")
    assert not pattern("HARROW")[0].search("Dr. Harrow")
    found, complaint = pattern("(2")
    assert found.search("Landing (2)")
    assert "no regular expression" in complaint
