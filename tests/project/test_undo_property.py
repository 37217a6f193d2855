"""Whatever is done in whatever order: undone all the way it is the book as it was, redone it is
the book as it became."""

from __future__ import annotations

import json
import shutil
import tempfile
from pathlib import Path
from typing import Any

from bookmaking import CARD, HEART, make
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from studio.errors import BadInput
from studio.project.history import TRACKED
from studio.project.model import Failure, Kind, NewTake, QueueItem, Reuse, Voice
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id
from studio.project.rows import Reader

which = st.integers(0, 7)
some = st.lists(which, min_size=1, max_size=4, unique=True)


def tracked_rows(project: Project) -> dict[str, list[Any]]:
    """Everything that the history covers, as it stands in the database."""
    store = project._session.store
    return {
        table: store.rows(
            f"SELECT {tracked.key}, {', '.join(tracked.columns)} FROM {table}"
            f" ORDER BY {tracked.key}"
        )
        for table, tracked in TRACKED.items()
    }


class Book(RuleBasedStateMachine):
    """A person and a director work on one book."""

    def __init__(self) -> None:
        super().__init__()
        self.home = Path(tempfile.mkdtemp())
        self.project = make(self.home / "book")
        self.begin = tracked_rows(self.project)
        self.uids = [s.uid for s in self.project.segments()]
        self.held: list[NewTake] = []

    def pick(self, places: list[int]) -> list[str]:
        return [self.uids[place] for place in places]

    @rule(place=which, text=st.sampled_from(["One.", "Two.", None]))
    def edit(self, place: int, text: str | None) -> None:
        segment = self.project.segments()[place]
        if segment.kind is not Kind.SCENE_BREAK:
            self.project.edit_spoken(segment.uid, text)

    @rule(places=some, on=st.booleans())
    def mark(self, places: list[int], on: bool) -> None:
        self.project.mark(self.pick(places), on)

    @rule(place=which, text=st.sampled_from(["", "slower", "louder"]))
    def note(self, place: int, text: str) -> None:
        self.project.set_note(self.uids[place], text)

    @rule(places=some, ms=st.sampled_from([None, 0, 250]))
    def pause(self, places: list[int], ms: int | None) -> None:
        self.project.set_pause(self.pick(places), ms)

    @rule(place=which, seed=st.sampled_from([1, 2, 2**32 - 1]))
    def seed(self, place: int, seed: int) -> None:
        self.project.set_seed(self.uids[place], seed)

    @rule(places=some, speed=st.sampled_from([1.0, 1.1, 0.1 + 0.7]))
    def speed(self, places: list[int], speed: float) -> None:
        self.project.set_speed(self.pick(places), speed)

    @rule(places=some, voice=st.sampled_from(["heart", "bella"]))
    def voice(self, places: list[int], voice: str) -> None:
        if voice in self.project.voices():
            self.project.set_voice(self.pick(places), voice)

    @rule(style=st.sampled_from(["", "calm"]), voice=st.sampled_from(["heart", "bella"]))
    def define_voice(self, style: str, voice: str) -> None:
        self.project.put_voice(Voice(id=voice, engine=HEART.engine, speaker=voice, style=style))

    @rule(
        values=st.fixed_dictionaries(
            {},
            optional={
                "title": st.sampled_from(["The Ferry", "Other"]),
                "language": st.sampled_from(["en-US", "en-GB"]),
                "pauses": st.sampled_from([{}, {"prose": 900}]),
                "lexicon": st.sampled_from([{}, {"Harrow": "Harro"}, {"Low": "Loe"}]),
            },
        )
    )
    def settings(self, values: dict[str, Any]) -> None:
        self.project.set_settings(**values)

    @rule(places=some, on=st.booleans())
    def approve(self, places: list[int], on: bool) -> None:
        before = tracked_rows(self.project)
        try:
            self.project.approve(self.pick(places), on)
        except BadInput:
            assert tracked_rows(self.project) == before

    @rule(place=which, number=st.integers(0, 3))
    def choose(self, place: int, number: int) -> None:
        takes = self.project.takes(self.uids[place])
        if number < len(takes):
            self.project.choose_take(self.uids[place], takes[number].id)

    @rule(places=some, first=st.booleans(), new_seeds=st.booleans())
    def ask(self, places: list[int], first: bool, new_seeds: bool) -> None:
        self.project.enqueue(self.pick(places), first=first, new_seeds=new_seeds)

    @rule()
    def empty(self) -> None:
        self.project.clear_queue()

    def make_take(self, item: QueueItem) -> NewTake:
        segment = self.project.segments_by_uid([item.segment])[item.segment]
        voice = self.project.voices()[segment.voice]
        recipe = recipe_for(segment, voice, CARD, item.seed)
        provenance = {"build": build_of(CARD)}
        name = recipe_id(recipe)
        return NewTake(item, name, recipe, provenance, name, 24_000, 1, 2400, 0.01, ())

    @precondition(lambda self: self.project.queue())
    @rule(place=which)
    def begin_narration(self, place: int) -> None:
        queue = self.project.queue()
        self.held.append(self.make_take(queue[place % len(queue)]))

    @precondition(lambda self: self.held)
    @rule(count=st.integers(1, 4))
    def end_narrations(self, count: int) -> None:
        self.project.record(self.held[:count])
        del self.held[:count]

    @precondition(lambda self: self.project.queue())
    @rule(count=st.integers(1, 4), fails=st.booleans())
    def narrate(self, count: int, fails: bool) -> None:
        items = self.project.next_items(count)
        if fails:
            self.project.record([], [Failure(item, "refused") for item in items])
        else:
            self.project.record([self.make_take(item) for item in items])

    @precondition(lambda self: self.project.queue())
    @rule()
    def reuse(self) -> None:
        (item,) = self.project.next_items(1)
        takes = self.project.takes(item.segment)
        if takes:
            self.project.record([Reuse(item, takes[0].id)])

    @rule(times=st.integers(1, 3))
    def undo(self, times: int) -> None:
        for _ in range(times):
            label = self.project.can_undo
            assert (self.project.undo() is None) == (label is None)
            assert label is None or self.project.can_redo == label

    @rule(times=st.integers(1, 3))
    def redo(self, times: int) -> None:
        for _ in range(times):
            label = self.project.can_redo
            assert (self.project.redo() is None) == (label is None)
            assert label is None or self.project.can_undo == label

    @rule()
    def reopen(self) -> None:
        before = tracked_rows(self.project), self.project.history()
        self.project.close()
        self.project = Project.open(self.home / "book")
        assert (tracked_rows(self.project), self.project.history()) == before
        assert self.project.reopened_edits is None

    @invariant()
    def one_row_for_each_segment_in_the_queue(self) -> None:
        asked = [item.segment for item in self.project.queue()]
        assert len(asked) == len(set(asked))

    @invariant()
    def what_is_remembered_is_what_is_there(self) -> None:
        fresh = Reader(self.project._session.store)
        assert self.project.chapters() == fresh.chapters()
        listed = {s.uid: s for s in fresh.segments()}
        assert self.project.segments_by_uid(listed) == listed

    def teardown(self) -> None:
        end = tracked_rows(self.project)
        takes = [take.id for take in self.project.all_takes()]
        trail = [end]
        while self.project.undo() is not None:
            trail.append(tracked_rows(self.project))
        assert trail[-1] == self.begin
        for state in reversed(trail[:-1]):
            assert self.project.redo() is not None
            assert tracked_rows(self.project) == state
        assert [take.id for take in self.project.all_takes()] == takes
        self.project.close()
        shutil.rmtree(self.home)


Book.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestBook = Book.TestCase


def test_the_rows_are_read_as_they_are_stored(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        rows = tracked_rows(project)
        assert json.loads(dict(rows["settings"])["title"]) == "The Ferry"
        assert len(rows["segments"]) == 8
