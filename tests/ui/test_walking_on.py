"""Whatever is done to a book while it is heard, each segment is heard as it is at its turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from needs import examples
from ui_fakes import BASE

from studio.project.model import Kind, Origin, Segment
from studio.sound.onward import Onward
from studio.sound.pauses import PauseRules, after
from studio.ui.onward import Walk
from studio.ui.rows import Rows

RATE = 1_000
LENGTH = 100
RULES = PauseRules(
    sentence=20, prose=40, dialogue=30, verse=25, heading=60, scene_break=80, head=50, tail=90
)
STEP = 10
ORIGIN = Origin("heart", "hibari", "m")


class Book:
    """As much of a session as a walk needs; each take is a clip of one level of its own."""

    def __init__(self, count: int) -> None:
        self.takes = 0
        self.rows = Rows()
        self.director = SimpleNamespace(paused=False)
        self.status = SimpleNamespace(stopped_because="")
        self.project: Any = SimpleNamespace(
            take=lambda take: SimpleNamespace(id=take, recorded=False, origin=ORIGIN),
            read_clip=lambda take: (np.full((LENGTH, 1), 10 * take.id, np.int16), RATE),
            settings=lambda: SimpleNamespace(pauses=RULES),
            asked_anew=lambda uid, take: bool((row := self.rows.get(uid)) and row.queued),
            chosen_by_origin=lambda: {ORIGIN: [1]},
        )
        self.asked: list[str] = []
        self.gone: dict[str, str | None] = {}
        """What stood behind each segment that was deleted, when it was."""
        kinds = (Kind.HEADING, Kind.PROSE, Kind.DIALOGUE, Kind.PROSE, Kind.SCENE_BREAK, Kind.PROSE)
        self.put(
            [
                self.made(replace(BASE, uid=f"u{n}", kind=kinds[n % 6], chapter=n // 8))
                for n in range(count)
            ]
        )

    def made(self, segment: Segment) -> Segment:
        """The segment with a new take."""
        if segment.kind is Kind.SCENE_BREAK:
            return replace(segment, chosen=None, seconds=0.0)
        self.takes += 1
        seconds = LENGTH / RATE
        return replace(segment, chosen=self.takes, stale=(), queued=False, seconds=seconds)

    def put(self, segments: Sequence[Segment]) -> None:
        """Another order, or others."""
        there = {row.uid for row in segments}
        behind = None
        for row in reversed(self.rows.all):
            if row.uid in there:
                behind = row.uid
            else:
                self.gone[row.uid] = behind
        self.rows.replace([replace(row, number=n) for n, row in enumerate(segments, 1)])

    async def read(self, call: Callable[..., Any], *args: Any) -> Any:
        """What the desk does, in its own time."""
        await asyncio.sleep(0)
        return call(*args)

    def chapter_of(self, segment: Segment | None) -> None:
        """No chapter is shown."""

    async def narrate_ahead(self, segments: Sequence[Segment], label: str) -> None:
        """Queue them."""
        self.asked += [row.uid for row in segments]
        self.rows.update({row.uid: replace(row, queued=True) for row in segments})

    def narrate_all(self) -> None:
        """Make what waits."""
        self.rows.update({row.uid: self.made(row) for row in self.rows.all if row.queued})


@dataclass
class Heard:
    """A clip as it began to be heard."""

    start: int
    take: int
    uid: str
    changes: int
    """How often the book had changed by then."""


class Listener:
    """Reads in small steps, and notes what the book was when each clip began."""

    def __init__(self, book: Book, walk: Walk) -> None:
        self.book, self.walk = book, walk
        self.at = 0
        self.changes = 0
        self.heard: list[Heard] = []
        self.sound: list[float] = []
        self.changed_at: list[int] = []

    def pull(self, frames: int) -> None:
        """Listen on."""
        for _ in range(0, frames, STEP):
            rows = {row.chosen: row for row in self.book.rows.all if row.chosen is not None}
            before = {(laid.label, laid.start) for laid in self._clips() if laid.start < self.at}
            self.at += len(block := self.walk.source.read(self.at, STEP))
            self.sound += block.tolist()
            for laid in self._clips():
                key = (laid.label, laid.start)
                if laid.take is None or key in before or laid.start >= self.at:
                    continue
                row = rows.get(laid.take)
                assert row is not None, f"take {laid.take} is no segment's chosen one"
                assert row.uid == laid.label
                assert not row.stale
                self.heard.append(Heard(laid.start, laid.take, row.uid, self.changes))
                self._check_order(row)

    def _clips(self) -> list[Any]:
        return [laid for laid in self.walk.source._laid if not laid.silence]

    def _check_order(self, row: Segment) -> None:
        """What begins is what follows in the book now, and the silence is that of the export."""
        if len(self.heard) < 2:
            return
        before, now = self.heard[-2:]
        book = self.book.rows
        one = book.get(before.uid)
        if one is None:
            self._check_what_stood_behind(before.uid, row)
            return
        silence, following = 0, one
        while True:
            step = book.after(following.uid)
            assert step is not None
            if step.chapter == following.chapter:
                silence += after(following, step, RULES)
            else:
                silence += RULES.tail + RULES.head
            following = step
            if following.kind is not Kind.SCENE_BREAK:
                break
        assert following.uid == row.uid
        if self.changes == before.changes:
            assert now.start - before.start == LENGTH + silence

    def _check_what_stood_behind(self, uid: str, row: Segment) -> None:
        """After a segment that was deleted comes what stood behind it, and nothing is left out."""
        following: Segment | None = None
        while following is None:
            behind = self.book.gone[uid]
            assert behind is not None
            uid, following = behind, self.book.rows.get(behind)
        first = self.book.rows.all.index(following)
        here = self.book.rows.all.index(row)
        left_out = self.book.rows.all[first:here]
        assert here >= first
        assert all(it.kind is Kind.SCENE_BREAK or it.uid.startswith("new") for it in left_out)


ACTS = (
    "pull",
    "pull",
    "pull",
    "reroll",
    "edit",
    "narrate",
    "delete",
    "delete around",
    "insert",
    "move",
    "pause",
)


@settings(max_examples=examples(150))
@given(
    acts=st.lists(
        st.tuples(st.sampled_from(ACTS), st.integers(0, 6), st.integers(1, 30)), max_size=40
    )
)
def test_each_segment_is_heard_as_it_is_at_its_turn(acts: list[tuple[str, int, int]]) -> None:
    asyncio.run(_listen_while(acts))


async def _listen_while(acts: list[tuple[str, int, int]]) -> None:
    book = Book(24)
    told: list[str] = []
    walk = Walk(
        book,  # type: ignore[arg-type]
        Onward(RATE),
        book.rows.all[0],
        narrate_ahead=True,
        tell=told.append,
    )
    await walk.begin()
    listener = Listener(book, walk)
    for act, near, amount in acts:
        if act == "pull":
            listener.pull(STEP * amount)
        else:
            change(book, walk, act, near, amount)
            listener.changes += 1
            walk.look_again(settings=False)
        await walk.look()
    book.narrate_all()
    walk.look_again(settings=False)
    for _ in range(2_000):
        await walk.look()
        listener.pull(STEP * 10)
        if walk.source.finished and listener.at >= walk.source.end:
            break
        book.narrate_all()
        walk.look_again(settings=False)
    assert walk.source.finished, "it stands still"
    assert not told
    last = [row for row in book.rows.all if row.kind is not Kind.SCENE_BREAK][-1]
    assert listener.heard[-1].uid == last.uid
    sound = np.array(listener.sound)
    for one in listener.heard:
        middle = sound[one.start + 20 : one.start + LENGTH - 20]
        assert np.allclose(middle, 10 * one.take / 32768), "a clip that is not whole"


def change(book: Book, walk: Walk, act: str, near: int, amount: int) -> None:
    """Do something to a segment a little ahead of the ear, or to the very one that is heard."""
    rows = list(book.rows.all)
    spot = walk.spot((walk.source.taken - 1) / RATE).uid
    heard = book.rows.get(spot) or book.rows.instead_of(spot) or rows[-1]
    here = rows.index(heard)
    place = min(here + near, len(rows) - 1)
    row = rows[place]
    speaks = row.kind is not Kind.SCENE_BREAK
    if act == "reroll" and speaks:
        book.rows.update({row.uid: book.made(row)})
    elif act == "edit" and speaks:
        edited = replace(row, spoken=f"{row.spoken} {amount}", stale=("text",))
        book.rows.update({row.uid: edited})
    elif act == "pause":
        book.rows.update({row.uid: replace(row, pause_ms=5 * amount)})
    elif act == "narrate":
        book.narrate_all()
    elif act == "delete" and 0 < place < len(rows) - 1 and len(rows) > 12:
        book.put(rows[:place] + rows[place + 1 :])
    elif act == "delete around" and place < len(rows) - 1 and len(rows) > 12:
        # What stands before it goes in the same step: a chapter, say, in whose middle the ear is.
        book.put(rows[: max(0, place - amount % 8)] + rows[place + 1 :])
    elif act == "insert":
        book.takes += 1
        fresh = replace(BASE, uid=f"new{book.takes}", chapter=row.chapter, chosen=book.takes)
        book.put([*rows[: place + 1], fresh, *rows[place + 1 :]])
    elif act == "move" and place + 2 < len(rows):
        after_next = rows[place + 2]
        if after_next.chapter == rows[place + 1].chapter:
            rows[place + 1], rows[place + 2] = rows[place + 2], rows[place + 1]
            book.put(rows)
