"""The project at 20,000 segments: figures are printed, counts and ratios are asserted."""

from __future__ import annotations

import gc
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "project"))

from bookmaking import CARD, make

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.model import NewTake
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id

pytestmark = pytest.mark.perf

LINE = "Nobody in the village remembered when Dr. Harrow had last wound the old clock, number {}."


def long_book(chapters: int) -> list[ChapterDraft]:
    """Chapters of 500 lines, a third of them spoken otherwise than they are written."""
    book = []
    for chapter in range(chapters):
        lines = []
        for number in range(500):
            text = LINE.format(chapter * 500 + number)
            spoken = text if number % 3 else text.replace("Dr.", "Doctor")
            lines.append(SegmentDraft(Kind.PROSE, text, spoken, number % 4 == 0, number))
        book.append(ChapterDraft(f"Chapter {chapter}", tuple(lines)))
    return book


def cpu(what: str, call: Callable[[], object], times: int = 5) -> float:
    """Best CPU time of a few calls, in milliseconds; printed."""
    best = float("inf")
    for _ in range(times):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    print(f"{what:<44}{best * 1000:9.2f} ms CPU")
    return best * 1000


def statements(project: Project, call: Callable[[], object]) -> int:
    """How many statements a call sends to the database."""
    seen: list[str] = []
    project._session.store.connection.set_trace_callback(seen.append)
    call()
    project._session.store.connection.set_trace_callback(None)
    return len(seen)


def batches(project: Project) -> Iterator[list[NewTake]]:
    """Takes for the whole queue, eight at a time, without clips."""
    voice = project.voices()["heart"]
    rows = {segment.uid: segment for segment in project.segments()}
    queue = project.queue()
    provenance: dict[str, Any] = {"build": build_of(CARD), "stages": "x" * 500}
    for start in range(0, len(queue), 8):
        batch = []
        for item in queue[start : start + 8]:
            recipe = recipe_for(rows[item.segment], voice, CARD, item.seed)
            name = recipe_id(recipe)
            batch.append(NewTake(item, name, recipe, provenance, name, 24_000, 1, 96_000, 0.01, ()))
        yield batch


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """20,000 segments, each with a take."""
    with make(tmp_path_factory.mktemp("perf") / "book", chapters=long_book(40)) as project:
        project.enqueue([segment.uid for segment in project.segments()])
        total = 0.0
        made = list(batches(project))
        for batch in made:
            start = time.process_time()
            project.record(batch)
            total += time.process_time() - start
        print(f"\nrecord() of 8 takes, mean of {len(made)}: {total / len(made) * 1000:.2f} ms CPU")
        yield project


def test_the_list_is_read_in_one_go_per_chapter(book: Project, tmp_path: Path) -> None:
    long = cpu("segments(), 20,000 rows", book.segments)
    assert statements(book, book.segments) <= 40 + 3
    with make(tmp_path / "short", chapters=long_book(10)) as short:
        short.enqueue([segment.uid for segment in short.segments()])
        for batch in batches(short):
            short.record(batch)
        quarter = cpu("segments(), 5,000 rows", short.segments)
    assert long < 4 * quarter * 2, "reading the list is not linear"


def test_a_command_costs_the_same_in_a_long_book(book: Project) -> None:
    uid = book.segments()[10_000].uid
    eight = [segment.uid for segment in book.segments()[15_000:15_008]]
    numbers = iter(range(1000))
    cpu("edit_spoken()", lambda: book.edit_spoken(uid, f"Edit {next(numbers)}."))
    assert statements(book, lambda: book.edit_spoken(uid, "Last.")) < 40
    cpu(
        "chapters() after an edit",
        lambda: (book.set_note(uid, str(next(numbers))), book.chapters()),
    )
    book.chapters()
    book.set_note(uid, "once more")
    assert statements(book, book.chapters) <= 5
    cpu("undo()", book.undo)
    cpu("segments_by_uid(), 8 rows", lambda: book.segments_by_uid(eight))


def test_a_decision_over_the_whole_book(book: Project) -> None:
    uids = [segment.uid for segment in book.segments()]
    typed = {uid: f"Typed {number}." for number, uid in enumerate(uids)}
    before = book.can_undo
    for what, command in {
        "mark()": lambda: book.mark(uids),
        "set_pause()": lambda: book.set_pause(uids, 300),
        "set_speed()": lambda: book.set_speed(uids, 1.25),
        "set_voices()": lambda: book.set_voices(dict.fromkeys(uids, "heart"), "voices"),
        "replace_spoken()": lambda: book.replace_spoken(typed, "replaced"),
        "set_kind()": lambda: book.set_kind(uids, Kind.DIALOGUE),
        "enqueue()": lambda: book.enqueue(uids),
        "clear_queue()": book.clear_queue,
        "delete(), all but one": lambda: book.delete(uids[1:]),
    }.items():
        assert once_for_each(book, f"{what} of 20,000", command) < 5 * 20_000
    while book.can_undo != before:
        assert once_for_each(book, f"undo(): {book.can_undo}", book.undo) < 5 * 20_000
    assert [segment.uid for segment in book.segments()] == uids


def once_for_each(project: Project, what: str, call: Callable[[], object]) -> int:
    """How many statements a call sends, a trigger's counted once; its CPU time is printed."""
    count = 0

    def seen(statement: str) -> None:
        nonlocal count
        count += not statement.startswith("--")

    project._session.store.connection.set_trace_callback(seen)
    cpu(what, call, times=1)
    project._session.store.connection.set_trace_callback(None)
    return count


def test_shaping_costs_the_same_in_a_long_book(book: Project) -> None:
    uid, following = (segment.uid for segment in book.segments()[10_500:10_502])
    at = LINE.index("when")
    book.split(uid, at)
    book.join(uid)
    shapes: dict[str, Callable[[], object]] = {
        "split()": lambda: book.split(uid, at),
        "join()": lambda: book.join(uid),
        "insert()": lambda: book.insert(uid, "A word."),
        "delete()": lambda: book.delete([following]),
        "undo() of a deletion": book.undo,
    }
    for what, command in shapes.items():
        assert once_for_each(book, what, command) < 60
    cpu("insert() in one place", lambda: book.insert(uid, "A word."), times=40)
    assert statements(book, book.chapters) <= 40 + 3
    while len(book.segments()) > 20_000:
        book.undo()


def test_the_rows_fit_into_memory(book: Project) -> None:
    gc.collect()
    tracemalloc.start()
    rows = book.segments()
    gc.collect()
    size = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    print(f"20,000 segments in memory: {size / 1e6:.1f} MB")
    assert len(rows) == 20_000
    assert size < 25e6


def test_opening_does_not_read_the_book(book: Project) -> None:
    folder = book.folder
    book.close()
    cpu("open() and close()", lambda: Project.open(folder).close())
    # The fixture closes once more, which is harmless.
