"""Whatever is done in whatever order: undone all the way it is the book as it was, redone it is
the book as it became, to the eye and to the ear."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import soundfile
from bookmaking import CARD, HEART, clip_of, make, tone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from needs import examples

from studio.book.lexicon import Rule
from studio.errors import BadInput
from studio.project import queueing
from studio.project.history import TRACKED
from studio.project.lexicon import lexed
from studio.project.model import (
    Change,
    Failure,
    Kind,
    NewTake,
    QueueItem,
    Reuse,
    Segment,
    Take,
    Voice,
)
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id
from studio.project.rows import Reader
from studio.review.blind import pairs
from studio.sound.plan import chosen_timeline

FRAMES = 480
which = st.integers(0, 9)
some = st.lists(which, min_size=1, max_size=4, unique=True)
RULES = (
    Rule("Harrow", "Harro"),
    Rule("doctor Harrow", "the doctor"),
    Rule(r"(\d+)", r"number \1", regex=True),
    Rule("of", "ov", match_case=True),
)
words = st.sampled_from(["One.", "Two words.", "Dr. Harrow, 1914 — 今日は。"])


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


def heard(project: Project) -> str:
    """The whole book as it would be exported, digested."""
    digest = hashlib.sha256()
    for chapter in project.chapters():
        timeline = chosen_timeline(project, project.segments(chapter.id), partial=True)
        digest.update(f"{chapter.title}\n{timeline.rate}\n".encode())
        digest.update(timeline.read(0, timeline.frames).tobytes())
    return digest.hexdigest()


class Book(RuleBasedStateMachine):
    """A person and a director work on one book."""

    def __init__(self) -> None:
        super().__init__()
        # Hypothesis begins every example with the same chance; the system's would be another's.
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(queueing, "draw_seed", lambda: random.getrandbits(32))
        self.home = Path(tempfile.mkdtemp())
        # That what was done survives a power cut is tried elsewhere; here it is half of the time.
        self.patch.setattr(os, "fsync", lambda handle: None)
        self.project = self.hasty(make(self.home / "book"))
        self.begin = tracked_rows(self.project)
        self.silence = heard(self.project)
        self.held: list[NewTake] = []
        self.known: dict[int, Take] = {}
        self.answers: dict[int, str] = {}
        self.meant: dict[str, int | None] = {}
        """Takes that were approved after all that was asked for their segments, by uid."""

    @staticmethod
    def hasty(project: Project) -> Project:
        """The same book, whose database does not wait for the disk."""
        project._session.store.connection.execute("PRAGMA synchronous = OFF")
        return project

    # ---- what the rules are made of --------------------------------------------------------------

    def pick(self, places: list[int]) -> list[str]:
        segments = self.project.segments()
        return list({segments[place % len(segments)].uid: None for place in places})

    def one(self, place: int) -> Segment:
        segments = self.project.segments()
        return segments[place % len(segments)]

    def do(self, call: Callable[[], Change | None]) -> None:
        """A command: refused, it changes nothing; done, it names all that looks otherwise."""
        rows = tracked_rows(self.project)
        before = {segment.uid: segment for segment in self.project.segments()}
        try:
            change = call() or Change()
        except BadInput:
            assert tracked_rows(self.project) == rows
            return
        after = {segment.uid: segment for segment in self.project.segments()}
        if change.structure:
            before = {uid: replace(segment, number=0) for uid, segment in before.items()}
            after = {uid: replace(segment, number=0) for uid, segment in after.items()}
        else:
            assert list(before) == list(after)
        unlike = {uid for uid in before.keys() | after.keys() if before.get(uid) != after.get(uid)}
        assert unlike <= change.segments
        assert change.history or tracked_rows(self.project) == rows

    def record(self, results: list[NewTake | Reuse], failures: list[Failure] | None = None) -> None:
        """Results come; a take that a person has approved since they were asked for stays."""
        stay = {
            segment.uid: segment.chosen
            for segment in self.project.segments()
            if segment.chosen == segment.approved == self.meant.get(segment.uid)
            and segment.chosen is not None
            and not segment.stale
        }
        self.do(lambda: self.project.record(results, failures or []))
        now = self.project.segments_by_uid(stay)
        assert {uid: segment.chosen for uid, segment in now.items()} == stay
        assert all(now[uid].approved == chosen for uid, chosen in stay.items())

    # ---- a person's commands ---------------------------------------------------------------------

    @rule(place=which, text=st.none() | words)
    def edit(self, place: int, text: str | None) -> None:
        self.do(lambda: self.project.edit_spoken(self.one(place).uid, text))

    @rule(places=some, text=st.none() | words)
    def replace_texts(self, places: list[int], text: str | None) -> None:
        texts = dict.fromkeys(self.pick(places), text)
        self.do(lambda: self.project.replace_spoken(texts, "replaced"))

    @rule(place=which, at=st.integers(0, 40), spoken_at=st.none() | st.integers(0, 40))
    def split(self, place: int, at: int, spoken_at: int | None) -> None:
        uid = self.one(place).uid
        self.do(lambda: self.project.split(uid, at, spoken_at=spoken_at))

    @rule(place=which)
    def split_between_words(self, place: int) -> None:
        segment = self.one(place)
        at = (segment.source or segment.spoken).find(" ") + 1
        self.do(lambda: self.project.split(segment.uid, at))

    @rule(place=which)
    def join(self, place: int) -> None:
        self.do(lambda: self.project.join(self.one(place).uid))

    @rule(place=which, text=st.just("") | words, kind=st.sampled_from(Kind), before=st.booleans())
    def insert(self, place: int, text: str, kind: Kind, before: bool) -> None:
        uid = self.one(place).uid
        self.do(lambda: self.project.insert(uid, text, kind, before=before))

    @rule(places=some)
    def delete(self, places: list[int]) -> None:
        self.do(lambda: self.project.delete(self.pick(places)))

    @rule(places=some, kind=st.sampled_from(Kind))
    def kind(self, places: list[int], kind: Kind) -> None:
        self.do(lambda: self.project.set_kind(self.pick(places), kind))

    @rule(places=some, on=st.booleans())
    def mark(self, places: list[int], on: bool) -> None:
        self.do(lambda: self.project.mark(self.pick(places), on))

    @rule(place=which, text=st.sampled_from(["", "slower", "louder"]))
    def note(self, place: int, text: str) -> None:
        self.do(lambda: self.project.set_note(self.one(place).uid, text))

    @rule(places=some, ms=st.sampled_from([None, 0, 250]))
    def pause(self, places: list[int], ms: int | None) -> None:
        self.do(lambda: self.project.set_pause(self.pick(places), ms))

    @rule(place=which, seed=st.sampled_from([1, 2, 2**32 - 1]))
    def seed(self, place: int, seed: int) -> None:
        self.do(lambda: self.project.set_seed(self.one(place).uid, seed))

    @rule(places=some, speed=st.sampled_from([1.0, 1.1, 0.1 + 0.7]))
    def speed(self, places: list[int], speed: float) -> None:
        self.do(lambda: self.project.set_speed(self.pick(places), speed))

    @rule(places=some, voice=st.sampled_from(["heart", "bella"]))
    def voice(self, places: list[int], voice: str) -> None:
        self.do(lambda: self.project.set_voice(self.pick(places), voice))

    @rule(places=some, voice=st.sampled_from(["heart", "bella"]), who=st.sampled_from(["", "Ann"]))
    def cast(self, places: list[int], voice: str, who: str) -> None:
        voices = dict.fromkeys(self.pick(places), voice)
        cast = {who: voice} if who else None
        self.do(lambda: self.project.set_voices(voices, "cast", cast=cast))

    @rule(style=st.sampled_from(["", "calm"]), voice=st.sampled_from(["heart", "bella"]))
    def define_voice(self, style: str, voice: str) -> None:
        new = Voice(id=voice, engine=HEART.engine, speaker=voice, style=style)
        self.do(lambda: self.project.put_voice(new))

    @rule(
        engine=st.sampled_from([HEART.engine, "other"]), voice=st.sampled_from(["heart", "bella"])
    )
    def give_a_voice_another_engine(self, engine: str, voice: str) -> None:
        if (now := self.project.voices().get(voice)) is not None:
            self.do(lambda: self.project.put_voice(replace(now, engine=engine)))

    @rule(names=st.permutations(["heart", "bella", "tam"]))
    def rename_a_voice(self, names: list[str]) -> None:
        """A name is no sound: nothing of what was made is another one."""
        old, new, _ = names

        def made() -> list[tuple[object, ...]]:
            return [
                (it.uid, it.state(), it.stale, it.chosen, it.approved, it.takes, it.seed)
                for it in self.project.segments()
            ]

        before = made()
        self.do(lambda: self.project.rename_voice(old, new))
        assert made() == before

    @rule(sound=st.integers(1, 2), voice=st.sampled_from(["heart", "bella"]))
    def take_a_voice_of_the_library(self, sound: int, voice: str) -> None:
        kept = self.home / "kept.wav"
        soundfile.write(kept, tone(sound), 24_000)
        new = Voice(id=voice, engine=HEART.engine, reference=str(kept), transcript="The lamp.")
        self.do(lambda: self.project.put_voice(new))

    @rule(seed=st.integers(0, 9), answer=st.sampled_from(["a", "b"]))
    def compare_blindly(self, seed: int, answer: str) -> None:
        """A result and no step: what is undone and redone afterwards is as before."""
        steps = self.project.history()
        rows = tracked_rows(self.project)
        for pair in pairs(self.project.comparable())[:1]:
            test = self.project.begin_blind(pair, seed)
            self.project.answer_blind(test.id, test.trials[0].number, answer)
            self.answers[test.id] = answer
        assert (self.project.history(), tracked_rows(self.project)) == (steps, rows)

    @rule(voice=st.sampled_from(["heart", "bella"]))
    def remove_voice(self, voice: str) -> None:
        self.do(lambda: self.project.remove_voice(voice))

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
        self.do(lambda: self.project.set_settings(**values))

    @rule(rules=st.lists(st.sampled_from(RULES), min_size=1, max_size=3), user=st.booleans())
    def put_rules(self, rules: list[Rule], user: bool) -> None:
        self.do(lambda: self.project.put_rules(rules, user=user))

    @rule(rule=st.sampled_from(RULES), user=st.booleans())
    def remove_rule(self, rule: Rule, user: bool) -> None:
        self.do(lambda: self.project.remove_rules([rule.word], user=user))

    @rule(places=some, on=st.booleans())
    def approve(self, places: list[int], on: bool) -> None:
        uids = self.pick(places)
        self.do(lambda: self.project.approve(uids, on))
        segments = self.project.segments_by_uid(uids).values()
        if on and all(it.approved == it.chosen for it in segments):
            self.meant |= {it.uid: it.chosen for it in segments}

    @rule(places=some, number=st.integers(0, 3))
    def approve_what_was_seen(self, places: list[int], number: int) -> None:
        """Narration has chosen others since: those that were seen are approved, or nothing is."""
        takes = {uid: self.project.takes(uid) for uid in self.pick(places)}
        seen = {uid: its[number % len(its)].id for uid, its in takes.items() if its}
        before = tracked_rows(self.project)
        self.do(lambda: self.project.approve(seen, seen=seen))
        if seen and tracked_rows(self.project) != before:
            now = self.project.segments_by_uid(seen).values()
            assert {it.uid: it.chosen for it in now} == seen
            assert not any(it.stale or it.approved != it.chosen for it in now)
            self.meant |= seen

    @rule(place=which, number=st.integers(0, 3))
    def choose(self, place: int, number: int) -> None:
        takes = self.project.takes(self.one(place).uid)
        if number < len(takes):
            self.do(lambda: self.project.choose_take(takes[0].segment, takes[number].id))

    @rule(number=st.integers(0, 3))
    def choose_everywhere(self, number: int) -> None:
        takes = {s.uid: self.project.takes(s.uid) for s in self.project.segments()}
        wanted = {uid: its[number].id for uid, its in takes.items() if number < len(its)}
        self.do(lambda: self.project.choose_takes(wanted))

    @rule(place=which, number=st.integers(0, 3), on=st.booleans())
    def star(self, place: int, number: int, on: bool) -> None:
        takes = self.project.takes(self.one(place).uid)
        if number < len(takes):
            self.do(lambda: self.project.star_take(takes[number].id, on))

    @rule(place=which, number=st.integers(0, 1))
    def record_a_take(self, place: int, number: int) -> None:
        pcm = tone(number, FRAMES)
        uid = self.one(place).uid
        self.do(lambda: self.project.add_recording(uid, pcm, 24_000, f"{number}.wav", "0" * 64))

    @initialize(places=some)
    def begin_with_work(self, places: list[int]) -> None:
        """By chance alone it is rare that there is a queue when a rule needs one."""
        self.ask(places, first=False, new_seeds=False)
        self.held += [self.make_take(item) for item in self.project.queue()[:1]]

    # ---- the queue -------------------------------------------------------------------------------

    @rule(places=some, first=st.booleans(), new_seeds=st.booleans())
    def ask(self, places: list[int], first: bool, new_seeds: bool) -> None:
        uids = self.pick(places)
        self.do(lambda: self.project.enqueue(uids, first=first, new_seeds=new_seeds))
        for uid in uids:
            self.meant.pop(uid, None)

    @rule()
    def narrate_the_book(self) -> None:
        self.project.enqueue([segment.uid for segment in self.project.segments()])
        self.meant.clear()
        self.record([self.make_take(item) for item in self.project.queue()])

    @rule(places=some, count=st.integers(1, 3))
    def ask_for_candidates(self, places: list[int], count: int) -> None:
        self.do(lambda: self.project.enqueue(self.pick(places), candidates=count))

    @rule(place=which, number=st.integers(0, 3))
    def ask_again(self, place: int, number: int) -> None:
        takes = self.project.takes(self.one(place).uid)
        if number < len(takes):
            take = takes[number]
            self.do(lambda: self.project.enqueue([take.segment], remake=take.id))

    @rule()
    def empty(self) -> None:
        self.do(self.project.clear_queue)

    def make_take(self, item: QueueItem) -> NewTake:
        if item.remake is not None:
            recipe = dict(self.project.take(item.remake).recipe)
        else:
            segment = self.project.segments_by_uid([item.segment])[item.segment]
            voice = self.project.voices()[segment.voice]
            recipe = recipe_for(segment, voice, CARD, item.seed)
        provenance = {"build": build_of(CARD)}
        name = recipe_id(recipe)
        pcm = clip_of(recipe)[:FRAMES]
        digest = self.project.write_clip(pcm, 24_000)
        return NewTake(item, name, recipe, provenance, digest, 24_000, 1, len(pcm), 0.01, ())

    @precondition(lambda self: self.project.queue())
    @rule(place=which)
    def begin_narration(self, place: int) -> None:
        queue = self.project.queue()
        self.held.append(self.make_take(queue[place % len(queue)]))

    @rule(place=which, later=st.booleans())
    def approve_while_another_is_made(self, place: int, later: bool) -> None:
        """By chance alone it is rare that one is asked for, begun, and the chosen one approved."""
        uid = self.one(place).uid
        for new_seeds in (False, True):
            self.ask([place], first=True, new_seeds=new_seeds)
            items = [it for it in self.project.queue() if it.segment == uid]
            made = [self.make_take(it) for it in items if it.remake is None and not it.candidate]
            if not new_seeds:
                self.record([*made])
        self.approve([place], on=True)
        if later:
            self.held += made
        else:
            self.record([*made])

    @precondition(lambda self: self.held)
    @rule(count=st.integers(1, 4))
    def end_narrations(self, count: int) -> None:
        ended, self.held = self.held[:count], self.held[count:]
        self.record([*ended])

    @precondition(lambda self: self.project.queue())
    @rule(count=st.integers(1, 4), fails=st.booleans())
    def narrate(self, count: int, fails: bool) -> None:
        items = self.project.next_items(count)
        if fails:
            self.record([], [Failure(item, "refused") for item in items])
        else:
            self.record([self.make_take(item) for item in items])

    @precondition(lambda self: self.project.queue())
    @rule()
    def reuse(self) -> None:
        (item,) = self.project.next_items(1)
        takes = [take for take in self.project.takes(item.segment) if not take.recorded]
        if takes:
            self.record([Reuse(item, takes[0].id)])

    # ---- back and forth --------------------------------------------------------------------------

    @rule(times=st.integers(1, 3))
    def undo(self, times: int) -> None:
        for _ in range(times):
            label = self.project.can_undo
            self.do(self.project.undo)
            assert label is None or self.project.can_redo == label

    @rule(times=st.integers(1, 3))
    def redo(self, times: int) -> None:
        for _ in range(times):
            label = self.project.can_redo
            self.do(self.project.redo)
            assert label is None or self.project.can_undo == label

    @rule()
    def reopen(self) -> None:
        before = tracked_rows(self.project), self.project.history(), self.project.queue()
        self.project.close()
        self.project = self.hasty(Project.open(self.home / "book"))
        after = tracked_rows(self.project), self.project.history(), self.project.queue()
        assert after == before
        assert self.project.reopened_edits is None

    # ---- what always holds -----------------------------------------------------------------------

    @invariant()
    def answers_stay(self) -> None:
        found = {test.id: test.trials[0].answer for test in self.project.blind_tests()}
        assert found == self.answers

    @invariant()
    def one_ordinary_row_for_each_segment_in_the_queue(self) -> None:
        queue = self.project.queue()
        asked = [item.segment for item in queue if not item.candidate and item.remake is None]
        assert len(asked) == len(set(asked))
        again = [item.remake for item in queue if item.remake is not None]
        assert len(again) == len(set(again))
        assert {item.segment for item in queue} <= {s.uid for s in self.project.segments()}

    @invariant()
    def what_is_remembered_is_what_is_there(self) -> None:
        fresh = Reader(self.project._session.store)
        assert self.project.chapters() == fresh.chapters()
        listed = {s.uid: s for s in fresh.segments()}
        assert self.project.segments_by_uid(listed) == listed
        assert all(chapter.segments for chapter in fresh.chapters())

    @invariant()
    def every_segment_that_is_spoken_has_something_to_say(self) -> None:
        for segment in self.project.segments():
            assert bool(segment.spoken) is (segment.kind is not Kind.SCENE_BREAK)
            assert segment.inserted is (bool(segment.spoken) and not segment.source)

    @invariant()
    def every_automatic_text_went_through_the_lexicon(self) -> None:
        session = self.project._session
        rows = session.store.rows("SELECT COALESCE(spoken, source), lexed FROM segments")
        for base, text in rows:
            assert text == (lexed(session, base) if base else None)

    @invariant()
    def takes_only_grow(self) -> None:
        # A star is no part of a take, and its voice may be called otherwise by now.
        takes = self.project.all_takes()
        now = {take.id: replace(take, star=False, voice="") for take in takes}
        assert {key: now.get(key) for key in self.known} == self.known
        self.known = now

    def teardown(self) -> None:
        trail = [(tracked_rows(self.project), heard(self.project))]
        while self.project.undo() is not None:
            trail.append((tracked_rows(self.project), heard(self.project)))
        assert trail[-1] == (self.begin, self.silence)
        for state in reversed(trail[:-1]):
            assert self.project.redo() is not None
            assert (tracked_rows(self.project), heard(self.project)) == state
        self.takes_only_grow()
        self.project.close()
        shutil.rmtree(self.home)
        self.patch.undo()


Book.TestCase.settings = settings(
    # In these every rule is applied; a search (RHAPSODE_SEARCH) tries as many more as one likes.
    max_examples=examples(30),
    stateful_step_count=24,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
TestBook = Book.TestCase


def test_the_rows_are_read_as_they_are_stored(tmp_path: Path) -> None:
    with make(tmp_path / "book") as project:
        rows = tracked_rows(project)
        assert json.loads(dict(rows["settings"])["title"]) == "The Ferry"
        assert len(rows["segments"]) == 8
