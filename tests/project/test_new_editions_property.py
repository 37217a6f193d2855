"""Whatever a person and an author do: unchanged text keeps its segment, its takes and its cut."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

from authors import Author
from bookmaking import HEART, narrate_all
from editions import accounted, drafts_of, own_uids, plain, whole
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needs import examples

from studio.book.aligning import canonical
from studio.book.drafts import ChapterDraft
from studio.errors import BadInput
from studio.project.history import TRACKED
from studio.project.model import Kind, Voice
from studio.project.project import Project

TELLING = 12
"""Shorter texts stand in a book by accident, too."""

pick = st.integers(0, 999)
doings = st.lists(st.tuples(pick, pick, pick, pick), max_size=6)


def shape(project: Project, what: int, where: int, place: int, more: int) -> None:
    """One of the things a person does to the segments."""
    segments = project.segments()
    segment = segments[where % len(segments)]
    text = segment.source or segment.spoken
    gaps = [at + 1 for at, letter in enumerate(text) if letter == " "]
    several = [s.uid for s in segments[where % len(segments) :][: 1 + more % 3]]
    doings: tuple[Callable[[], object], ...] = (
        lambda: gaps and project.split(segment.uid, gaps[place % len(gaps)]),
        lambda: project.join(segment.uid),
        lambda: project.insert(segment.uid, "Words of my own.", before=bool(more % 2)),
        lambda: project.insert(segment.uid, "", Kind.SCENE_BREAK, before=bool(more % 2)),
        lambda: project.delete(several),
        lambda: project.edit_spoken(segment.uid, f"Typed, {more} times."),
        lambda: project.set_note(segment.uid, f"note {more}"),
        lambda: project.set_pause(several, more),
        lambda: project.set_voice(several, "bella"),
        lambda: project.approve(several),
    )
    try:
        doings[what % len(doings)]()
    except BadInput:
        pass


def rows(project: Project) -> dict[str, list[Any]]:
    store = project._session.store
    return {
        table: store.rows(f"SELECT {t.key}, {', '.join(t.columns)} FROM {table} ORDER BY {t.key}")
        for table, t in TRACKED.items()
    }


def decided(project: Project) -> dict[str, tuple[Any, ...]]:
    """All that a person or a narrator has decided about each segment, and its text."""
    places = ("chapter", "position", "ends_paragraph")
    columns = [column for column in TRACKED["segments"].columns if column not in places]
    found = project._session.store.rows(
        f"SELECT uid, {', '.join(columns)}, (SELECT group_concat(id) FROM takes"
        " WHERE segment = uid) FROM segments"
    )
    return {row[0]: tuple(row[1:]) for row in found}


def stands_once(text: str, old: str, new: list[str]) -> bool:
    return len(text) >= TELLING and old.count(text) == 1 == sum(map(lambda t: t.count(text), new))


def take_over(project: Project, edition: tuple[ChapterDraft, ...]) -> None:
    """Update a book, and see that all of it is right."""
    old, new = accounted(project), plain(edition)
    before, removed, own = decided(project), project.removed(), own_uids(project)
    sources = {segment.uid: segment.source for segment in project.segments()}
    holed = {each.segment for each in removed if each.at < len(sources.get(each.segment, ""))}
    state = rows(project)
    told = project.compared(edition)
    assert rows(project) == state
    change = project.update_book(edition)
    after = decided(project)

    assert accounted(project) == whole(edition)
    assert own <= after.keys()
    assert all(after[uid] == before[uid] for uid in own)
    away = [canonical(each.source) for each in removed]
    for uid, source in sources.items():
        text = canonical(source)
        if uid not in own | holed and stands_once(text, old, new):
            if not any(overlap(text, each, new) for each in away if each):
                assert after.get(uid) == before[uid], source
    still = [canonical(each.source) for each in project.removed()]
    for text in away:
        if stands_once(text, old, new):
            assert text in still
    kept = before.keys() & after.keys()
    assert told.unchanged + told.moved + len(told.changed) == len(kept)
    assert {each.uid for each in told.changed} <= kept
    assert len(told.new) == len(after.keys() - before.keys())
    assert len(told.gone) == len(before.keys() - after.keys())
    # Nothing comes as new that goes at the same time; with many equal texts in the book, too.
    assert not {canonical(each.source) for each in told.gone if each.source} & {
        canonical(each.source) for each in told.new
    }
    assert [s.number for s in project.segments() if s.uid not in before] == [
        each.number for each in told.new
    ]
    assert all(chapter.segments for chapter in project.chapters())

    done = rows(project)
    if change.history:
        project.undo()
        assert rows(project) == state
        project.redo()
        assert rows(project) == done
    assert not project.compared(edition)


def leaves_something(project: Project, edition: tuple[ChapterDraft, ...]) -> bool:
    """Whether an edition can be taken over: not where a person has deleted all of it."""
    try:
        project.compared(edition)
    except BadInput:
        return False
    return True


def overlap(text: str, other: str, new: list[str]) -> bool:
    """Whether two texts share letters of an edition."""
    for chapter in new:
        at, place = chapter.find(text), chapter.find(other)
        if -1 not in (at, place) and at < place + len(other) and place < at + len(text):
            return True
    return False


@settings(max_examples=examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    author=st.builds(Author, st.integers(2, 4), st.integers(0, 3)),
    begin=pick,
    rounds=st.lists(st.tuples(doings, doings), min_size=1, max_size=3),
)
def test_unchanged_text_keeps_its_segment_always(
    author: Author, begin: int, rounds: list[tuple[list[tuple[int, ...]], list[tuple[int, ...]]]]
) -> None:
    author.write(begin)
    edition = drafts_of(author.book)
    home = Path(tempfile.mkdtemp())
    try:
        with Project.create(
            home / "book", title="T", author="", language="en-US", voice=HEART, chapters=edition
        ) as project:
            project.put_voice(Voice(id="bella", engine=HEART.engine, speaker="bella"))
            project.enqueue([segment.uid for segment in project.segments()])
            narrate_all(project)
            for shapings, revisions in rounds:
                for doing in shapings:
                    shape(project, *doing)
                    assert accounted(project) == whole(edition)
                author.book = deepcopy(author.book)
                for revision in revisions:
                    author.revise(*revision)
                edition = drafts_of(author.book)
                if not leaves_something(project, edition):
                    break
                take_over(project, edition)
    finally:
        shutil.rmtree(home)
