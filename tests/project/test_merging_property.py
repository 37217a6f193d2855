"""Whatever moves, and however much of it is alike: no segment is lost whose text is still there.

A great many books, brought together without a database: lines that a person has joined across
paragraphs, split within sentences and deleted, headings included.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from authors import Author
from editions import Draft, drafts_of
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import examples

from studio.book.aligning import BREAK, Stream, canonical
from studio.book.drafts import ChapterDraft
from studio.book.joining import joined, parted
from studio.book.kinds import Kind
from studio.errors import BadInput
from studio.project.edition import Book, Line
from studio.project.merging import Plan, plan
from studio.project.removed import Removed

TELLING = 8
"""Shorter texts are cut out of a paragraph only where nothing else is left of it."""
ENDS = frozenset('.!?…:;”»")')


class Desk:
    """A book as a person has it, without a database."""

    def __init__(self, chapters: Sequence[ChapterDraft]) -> None:
        self.rows = [
            Line(0, f"{chapter}.{place}", chapter, d.kind, d.source, d.source, None, *flags)
            for chapter, each in enumerate(chapters)
            for place, d in enumerate(each.segments)
            for flags in ((d.ends_paragraph, False),)
        ]
        self.away: list[Removed] = []
        self.names = 0

    def lines(self) -> list[Line]:
        return [replace(line, place=place) for place, line in enumerate(self.rows)]

    def removed(self) -> list[Removed]:
        """In the order of the book, as the store gives them."""
        order = {line.uid: place for place, line in enumerate(self.rows)}
        return sorted(self.away, key=lambda it: (order.get(it.segment, -1), it.at))

    def join(self, place: int) -> None:
        first, *more = self.rows[place : place + 2]
        silent = Kind.SCENE_BREAK in (first.kind, *(line.kind for line in more))
        if silent or not more or more[0].chapter != first.chapter:
            return
        source = joined(first.source, more[0].source, paragraph=not first.ends)
        start = len(source) - len(more[0].source)
        self.away = [
            replace(it, segment=first.uid, at=it.at + start) if it.segment == more[0].uid else it
            for it in self.away
        ]
        self.rows[place : place + 2] = [replace(first, source=source, ends=more[0].ends)]

    def split(self, place: int, pick: int) -> None:
        line = self.rows[place]
        gaps = [at + 1 for at, letter in enumerate(line.source) if letter == " "]
        try:
            first, second = parted(line.source, gaps[pick % len(gaps)] if gaps else 0)
        except BadInput:
            return
        self.names += 1
        start = len(line.source) - len(second)
        other = replace(line, uid=f"split {self.names}", source=second)
        self.away = [self._after_split(it, line.uid, len(first), start, other) for it in self.away]
        self.rows[place : place + 1] = [replace(line, source=first, ends=False), other]

    def _after_split(self, it: Removed, uid: str, length: int, start: int, other: Line) -> Removed:
        if it.segment != uid or it.at <= length:
            return it
        if it.at >= start:
            return replace(it, segment=other.uid, at=it.at - start)
        return replace(it, at=length)

    def delete(self, place: int) -> None:
        line = self.rows[place]
        if len(self.rows) < 3 or any(it.segment == line.uid for it in self.away):
            return
        host = self.rows[place - 1] if place else None
        uid, at = ("", 0) if host is None else (host.uid, len(host.source))
        self.names += 1
        self.away.append(Removed(line.source, line.kind, line.ends, uid, at, self.names))
        del self.rows[place]

    def shape(self, rng: random.Random) -> None:
        place = rng.randrange(len(self.rows))
        what = rng.randrange(3)
        if what == 0:
            self.join(place)
        elif what == 1:
            self.split(place, rng.randrange(1000))
        else:
            self.delete(place)


def kept(found: Plan) -> set[str]:
    """Uids of segments whose text stays."""
    items = [item for outline in found.outlines for item in outline.items]
    return {item.line.uid for item in items if item.line is not None and not item.changed}


def runs(found: Plan) -> Iterator[tuple[str, set[int]]]:
    """What no segment said before, as long as it goes on, and where a segment may end in it."""
    for outline in found.outlines:
        run: list[tuple[str, bool]] = []
        for item in [*outline.items, None]:
            if item is not None and (item.line is None or item.changed):
                run.append((item.source or BREAK, item.ends))
                continue
            if run:
                stream = Stream.of(run)
                ends = {at for at, letter in enumerate(stream.text, 1) if letter in ENDS}
                yield stream.text, ends | {*stream.starts, *stream.ends}
            run = []


def stands_in(text: str, run: str, cuts: set[int]) -> bool:
    """Whether a text stands in a run so that a segment might be cut out for it."""
    if len(text) < TELLING:
        return text == run and cuts == {0, len(run)}
    at = run.find(text)
    while at >= 0:
        before, behind = {at, at - (run[at - 1 : at] == " ")}, {at + len(text)}
        behind |= {place + 1 for place in behind if run[place : place + 1] == " "}
        if before & cuts and behind & cuts:
            return True
        at = run.find(text, at + 1)
    return False


def lost_to_a_deletion(desk: Desk, found: Plan) -> list[str]:
    """Texts that went although an equal one beside them that was deleted stays out."""
    book = Book(desk.lines(), desk.removed())
    stays, out = kept(found), {taken.removed.id for taken in found.removed}
    stream = book.stream
    texts = [stream.text[a:b] for a, b in zip(stream.starts, stream.ends, strict=True)]
    bad, first = [], 0
    while first < len(texts):
        last = first
        while last < len(texts) and texts[last] == texts[first]:
            last += 1
        alike = book.owners[first:last]
        gone = [it for it in alike if isinstance(it, Line) and it.uid not in stays]
        gone = [it for it in gone if len(book.parts[it.uid]) == 1]
        if texts[first] != BREAK and gone:
            if any(isinstance(it, Removed) and it.id in out for it in alike):
                bad.append(texts[first])
        first = last
    return bad


def bring_together(desk: Desk, old: Sequence[ChapterDraft], author: Author) -> Plan:
    titles = {number: chapter.title for number, chapter in enumerate(old)}
    return plan(desk.lines(), desk.removed(), drafts_of(author.book), titles)


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.integers(0, 2**32), often=st.integers(1, 4), heads=st.integers(0, 3))
def test_no_segment_is_lost_whose_text_is_still_there(seed: int, often: int, heads: int) -> None:
    rng = random.Random(seed)
    author = Author(often, heads)
    author.write(rng.randrange(1000))
    old = drafts_of(author.book)
    desk = Desk(old)
    for _ in range(rng.randrange(20)):
        desk.shape(rng)
    for _ in range(1 + rng.randrange(4)):
        author.revise(*(rng.randrange(1000) for _ in range(4)))
    found = bring_together(desk, old, author)
    stays = kept(found)
    free = list(runs(found))
    for line in desk.rows:
        text = canonical(line.source)
        if text and line.uid not in stays:
            assert not any(stands_in(text, *run) for run in free), text
    assert not lost_to_a_deletion(desk, found)


def desk_of(*paragraphs: str, title: str = "One") -> tuple[Desk, Author, tuple[ChapterDraft, ...]]:
    author = Author()
    author.book = [Draft(title, [[text] if text else [] for text in paragraphs])]
    old = drafts_of(author.book)
    return Desk(old), author, old


def test_of_equal_texts_the_one_that_was_kept_keeps_the_place_that_is_left() -> None:
    desk, author, old = desk_of("Yes.", "Yes.", "Rain fell on the river all night.")
    desk.delete(1)
    del author.book[0].paragraphs[1]
    found = bring_together(desk, old, author)
    assert kept(found) == {line.uid for line in desk.rows}
    assert not found.removed


def test_of_equal_texts_far_apart_each_is_its_own() -> None:
    rain, wind = "Rain fell on the river all night.", "The wind turned before the morning."
    desk, author, old = desk_of(rain, "Yes.", wind, "Yes.", rain.replace("Rain", "Snow"))
    desk.delete(2)
    del author.book[0].paragraphs[3]
    found = bring_together(desk, old, author)
    assert [line.source for line in found.gone] == ["Yes."]
    assert len(found.removed) == 1


def test_a_short_text_that_moves_into_a_paragraph_is_found() -> None:
    author = Author()
    author.book = [
        Draft(
            "Chapter one begins here", [["Yes."], ["She waited by the river.", "Yes."], ["Yes."]]
        ),
        Draft("Chapter two begins here", [["Yes."], []]),
    ]
    old = drafts_of(author.book)
    desk = Desk(old)
    desk.join(0)
    desk.join(1)
    author.book[0].paragraphs[1].insert(0, "Yes.")
    del author.book[1].paragraphs[0]
    assert kept(bring_together(desk, old, author)) == {line.uid for line in desk.rows}


@pytest.mark.parametrize("cuts", [False, True])
def test_a_joined_heading_keeps_its_text_around_what_was_deleted(cuts: bool) -> None:
    rain, wind = "Rain fell on the river all night.", "The wind turned before the morning."
    desk, author, old = desk_of(rain, wind, "Then it was day and nobody came.")
    desk.delete(2)
    desk.join(0)
    if cuts:
        desk.split(0, 3)
    paragraphs = author.book[0].paragraphs
    paragraphs.insert(0, paragraphs.pop(1))
    found = bring_together(desk, old, author)
    assert kept(found) == {line.uid for line in desk.rows}
    assert [taken.source for taken in found.removed] == [wind]


def test_of_two_places_a_segment_has_the_one_with_more_of_its_text() -> None:
    desk, author, old = desk_of("Yes.", "Yes.", "")
    desk.delete(2)
    desk.join(0)
    del author.book[0].paragraphs[2]
    found = bring_together(desk, old, author)
    assert kept(found) == {desk.rows[0].uid}
    assert len(found.removed) == 1
