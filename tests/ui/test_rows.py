"""The rows in memory: order, filter, revisions."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from ui_fakes import BASE

from studio.errors import BadInput
from studio.project.model import Chapter, State
from studio.ui.filters import FILTERS, PROBLEMS
from studio.ui.rows import Rows, pattern
from studio.ui.slices import hits


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


def test_near_is_what_is_shown_behind_or_last() -> None:
    some = rows()
    some.set_filter(FILTERS[marked()])
    assert [some.near(f"s{n}") for n in range(6)] == ["s0", "s2", "s2", "s4", "s4", "s4"]
    assert some.near("nowhere") is None
    assert Rows().near("s0") is None


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


class Counting:
    """A pattern that counts how often it is asked."""

    def __init__(self, text: str) -> None:
        self.asked = 0
        self.pattern = text
        self._pattern = re.compile(text)

    def search(self, text: str) -> re.Match[str] | None:
        self.asked += 1
        return self._pattern.search(text)


async def test_hits_are_looked_for_once_until_a_text_changes() -> None:
    some = rows(50)
    wanted = Counting("Line (7|12)[.]")
    source = some.row(0).source
    for number in range(50):
        segment = some.row(number)
        text = f"Line {number}."
        some.update({segment.uid: replace(segment, source=text, spoken=text)})
    assert source != some.row(0).source
    some.set_filter(None)
    assert await hits(some, wanted) == [7, 12]  # type: ignore[arg-type]
    assert wanted.asked == 50, "the same text twice in a segment is searched once"
    some.update({some.row(3).uid: replace(some.row(3), takes=2)})
    await hits(some, wanted)  # type: ignore[arg-type]
    assert wanted.asked == 50, "a take changes no text"
    some.update({some.row(3).uid: replace(some.row(3), spoken="Line 7.")})
    assert await hits(some, wanted) == [3, 7, 12]  # type: ignore[arg-type]
    some.update({some.row(7).uid: replace(some.row(7), mark=True)})
    some.set_filter(FILTERS[marked()])
    left = [some.row(index).spoken for index in range(len(some))]
    found = [left[index] for index in await hits(some, wanted)]  # type: ignore[arg-type]
    assert found == ["Line 7.", "Line 12."]


async def test_a_search_ends_while_texts_change_under_it_all_the_time() -> None:
    some = Rows([replace(BASE, uid=f"s{n}", source=f"Line {n}.") for n in range(5000)])
    wanted, number = re.compile("Line 4999[.]"), 0

    async def edit() -> None:
        nonlocal number
        while True:
            row = some.row(number)
            some.update({row.uid: replace(row, source="Line 4999.", spoken=f"{number}")})
            number += 1
            await asyncio.sleep(0)

    editing = asyncio.create_task(edit())
    await asyncio.sleep(0)
    found = list(await hits(some, wanted))
    editing.cancel()
    assert found == [*range(number), 4999]


def test_a_chapter_is_found_where_it_begins_unless_that_is_hidden() -> None:
    some = rows(6)
    for number, uid in enumerate([some.row(place).uid for place in range(6)], 1):
        chapter = 1 if number <= 3 else 2
        row = replace(some.row(number - 1), number=number, chapter=chapter, mark=False)
        some.update({uid: row})
    second = Chapter(2, 2, "Two", 4, 3, 3, 0, 0, 0, 0, 0, 0.0)
    assert some.first_of(second) == 3
    some.update({some.row(4).uid: replace(some.row(4), mark=True)})
    some.set_filter(FILTERS[marked()])
    assert some.first_of(second) == 0
    assert some.first_of(replace(second, id=3, first=7)) is None


def test_the_counts_are_what_the_filters_keep() -> None:
    some = rows(9)
    some.update({"s1": replace(some.row(1), note="ask"), "s3": replace(some.row(3), failure="no")})
    some.set_narrating(frozenset({"s5"}))
    for number, chosen in zip(some.counts(), FILTERS, strict=True):
        some.set_filter(chosen)
        assert number == len(some), chosen.label


@pytest.mark.parametrize("endless", [r"(\w+\s?)+!", "(a+)+b", ".*.*.*.*x", "(a|b|ab)*c+(a|b)*d"])
def test_a_search_that_may_never_end_is_made_literally(endless: str) -> None:
    found, complaint = pattern(endless)
    assert found.search(f"the text {endless} itself")
    assert "for ever" in complaint
    assert pattern("she .* years .* letter")[1] == ""


async def test_a_search_that_takes_too_long_ends() -> None:
    some = Rows([replace(BASE, uid=f"s{n}", source="a" * 250) for n in range(4000)])
    with pytest.raises(BadInput, match="takes too long"):
        await hits(some, pattern("a.*a.*b")[0])
    assert (await hits(some, pattern("aaa")[0]))[-1] == 3999
