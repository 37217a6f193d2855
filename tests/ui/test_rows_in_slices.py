"""The rows follow the book through every change, reading no more of it than changed."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from studio_rig import ToneDirector, make_project

from studio.errors import BadInput
from studio.project.model import Kind, Segment
from studio.ui import slices
from studio.ui.filters import parse
from studio.ui.rows import Rows
from studio.ui.services import Session
from studio.ui.slices import counts, matching

CHAPTERS = 5


@asynccontextmanager
async def opened(folder: Path) -> AsyncIterator[Session]:
    """A session whose queue nobody serves."""
    session = await Session.open(folder, ToneDirector)
    session.begin()
    await session.complete.wait()
    session.director.pause()
    try:
        yield session
    finally:
        await session.close()


async def in_step(session: Session, after: str) -> None:
    """Insist that the rows are what the project says, and that what is known of them is right."""
    rows, project = session.rows, session.project
    segments = await session.read(project.segments)
    assert list(rows.all) == segments, after
    assert session.chapters == await session.read(project.chapters), after
    assert session.waiting == sum(it.queued for it in segments), after
    for place, it in enumerate(segments):
        assert rows.get(it.uid) is rows.all[place], after
    for chapter in session.chapters:
        span = rows.spans()[chapter.id]
        assert (span.start + 1, span.stop - span.start) == (chapter.first, chapter.segments), after
    if rows.filter is None:
        assert [rows.row(index) for index in range(len(rows))] == segments, after


def any_command(session: Session, chance: random.Random) -> tuple[str, Any, tuple[Any, ...]]:
    """Something that a person might do; it may be refused."""
    project, every = session.project, session.rows.all
    one = chance.choice(every)
    word = one.source.find(" ") + 1
    start = chance.randrange(len(every))
    some = [it.uid for it in every[start : start + chance.choice((2, 7, 13))]]
    other = every[min(start + 3, len(every) - 1)]
    joined, second = [every[start].uid, other.uid], other.source

    def both(project: Any) -> None:
        project.mark(joined, True)
        project.delete(some[:1])
        project.split(joined[1], second.find(" ") + 1)

    return chance.choice(
        (
            ("split", project.split, (one.uid, word)),
            ("join", project.join, (one.uid,)),
            ("insert", project.insert, (one.uid, "Something of my own.")),
            ("delete", project.delete, ([one.uid],)),
            ("delete some", project.delete, (some,)),
            ("kind", project.set_kind, (some, chance.choice((Kind.VERSE, Kind.HEADING)))),
            ("mark", project.mark, (some, chance.random() < 0.5)),
            ("enqueue", project.enqueue, (some,)),
            ("together", project.together, ("several things", both)),
            *((("undo", project.undo, ()),) * 4),
            *((("redo", project.redo, ()),) * 3),
        )
    )


@pytest.mark.parametrize("seed", range(6))
async def test_rows_are_the_books_after_every_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(slices, "SLICE", 4)
    monkeypatch.setattr("studio.ui.mirror.MANY", 5)
    chance = random.Random(seed)
    async with opened(make_project(tmp_path / "ferry", chapters=CHAPTERS)) as session:
        done: list[str] = []
        for _ in range(60):
            if chance.random() < 0.2:
                wanted = parse("-marked") if session.rows.filter is None else None
                session.rows.set_filter(wanted)
            name, command, arguments = any_command(session, chance)
            try:
                await session.do(command, *arguments)
            except BadInput:
                name += " (refused)"
            done.append(name)
            await in_step(session, f"seed {seed}: {', '.join(done)}")


async def test_commands_at_the_same_time_leave_the_rows_right(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE", 2)
    async with opened(make_project(tmp_path / "ferry", chapters=CHAPTERS)) as session:
        project, every = session.project, list(session.rows.all)
        await asyncio.gather(
            session.do(project.delete, [it.uid for it in every[3:9]]),
            session.do(project.mark, [it.uid for it in every[10:]], True),
            session.do(project.split, every[13].uid, every[13].source.index(" ") + 1),
            session.do(project.insert, every[20].uid, "Mine."),
            session.do(project.enqueue, [it.uid for it in every[:3]]),
        )
        await in_step(session, "five at once")


async def test_a_change_in_one_chapter_reads_that_chapter_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(make_project(tmp_path / "ferry", chapters=CHAPTERS)) as session:
        project, read = session.project, list[object]()
        whole = project.segments

        def noted(chapter: int | None = None) -> list[Segment]:
            read.append(chapter)
            return whole(chapter)

        monkeypatch.setattr(project, "segments", noted)
        second = session.chapters[1]
        one = session.rows.all[second.first]
        for command, arguments in (
            (project.split, (one.uid, one.source.index(" ") + 1)),
            (project.join, (one.uid,)),
            (project.insert, (one.uid, "Mine.")),
            (project.delete, ([one.uid],)),
            (project.undo, ()),
            (project.undo, ()),
            (project.redo, ()),
        ):
            await session.do(command, *arguments)
        assert read == [second.id] * 7


async def test_a_filter_lets_others_in_between_and_begins_again_where_rows_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "SLICE", 4)
    chosen = parse('"years"')
    assert chosen is not None
    async with opened(make_project(tmp_path / "ferry", chapters=CHAPTERS)) as session:
        rows, looks = session.rows, list[int]()
        keeps = rows.matching

        def noted(*arguments: Any) -> list[int]:
            looks.append(turns)
            if len(looks) == 3:
                rows.replace(list(rows.all)[6:])
            return keeps(*arguments)

        monkeypatch.setattr(rows, "matching", noted)
        turns, looking = 0, asyncio.create_task(matching(rows, chosen))
        while not looking.done():
            turns += 1
            await asyncio.sleep(0)
        assert [rows.all[place].spoken for place in looking.result()] == [
            it.spoken for it in rows.all if "years" in it.spoken
        ]
        assert len(set(looks)) >= len(looks) - 1, "each slice had a turn of the loop of its own"


async def test_counts_in_slices_are_the_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    from ui_fakes import BASE

    monkeypatch.setattr(slices, "SLICE", 3)
    rows = Rows(
        [
            Segment(**{**_facts(BASE), "uid": f"s{n}", "number": n + 1, "mark": n % 3 == 0})
            for n in range(20)
        ]
    )
    assert await counts(rows) == rows.counts()


def _facts(segment: Segment) -> dict[str, Any]:
    return {name: getattr(segment, name) for name in Segment.__slots__}
