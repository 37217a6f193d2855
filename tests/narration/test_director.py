"""The whole way from a queued segment to a chosen take, with a real process and a real project."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from pathlib import Path

import pytest
from narration_helpers import MakeStudio, Studio, alive, line, scripted, until
from needs import promised

from studio.engines.catalogue import Catalogue
from studio.errors import MachineFault
from studio.narration.making import estimate
from studio.narration.status import WorkerState
from studio.narration.verify import verify
from studio.project.model import State

TEXTS = [line(number) for number in range(12)]


def made(studio: Studio) -> int:
    """How many segments have a take."""
    return sum(segment.takes > 0 for segment in studio.project.segments())


async def test_a_queue_becomes_takes(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS, scripted(), workers=1)
    studio.ask(label="narrated the chapter")
    await studio.idle()
    segments = studio.project.segments()
    assert {segment.state() for segment in segments} == {State.READY}
    assert not studio.project.queue()
    take = studio.project.takes(studio.uids[3])[0]
    pcm, rate = studio.project.read_clip(take)
    assert (len(pcm), rate) == (take.frames, 24_000)
    assert take.recipe["spoken"] == TEXTS[3]
    assert take.provenance["worker"] == 1
    assert take.provenance["build"] == {"script": "1", "device": "cpu"}
    assert len(studio.project.history()) == 1, "a group is one entry"
    assert frozenset().union(*(change.segments for change in studio.changes)) == set(studio.uids)
    status = studio.director.status
    assert status.queued == 0, "the picture is fresh when everything is done"
    assert status.made == len(TEXTS)
    assert status.audio_made == pytest.approx(sum(segment.seconds for segment in segments))
    assert 0 < status.rtf_now
    assert 0 < status.rtf_rolling
    assert 0 < status.rtf_chapter
    assert status.workers[0].state is WorkerState.READY
    assert status.free_memory > 0


async def test_takes_do_not_depend_on_workers_recycling_or_order(make_studio: MakeStudio) -> None:
    expected: list[str] = []
    for spec, workers in (
        (scripted(), 1),
        (scripted(), 2),
        (scripted(max_clips=2, spare=False), 1),
        (scripted("--fault", "exit", "--at", "5"), 1),
    ):
        studio = make_studio(TEXTS, spec, workers=workers)
        studio.ask()
        await studio.idle()
        expected = expected or studio.hashes()
        assert studio.hashes() == expected
    studio = make_studio(TEXTS, scripted(), workers=1)
    studio.ask(studio.uids[::-1], first=True)
    await studio.idle()
    assert studio.hashes() == expected


async def test_a_single_line_goes_before_bulk_work(make_studio: MakeStudio) -> None:
    studio = make_studio([line(n) for n in range(60)], scripted("--clip-time", "0.05"), workers=1)
    studio.ask()
    await until(lambda: made(studio) >= 2)
    before = made(studio)
    studio.ask([studio.uids[-1]], first=True)
    await until(lambda: studio.segment(-1).takes == 1)
    assert made(studio) - before < 15
    await studio.director.stop()


async def test_a_recipe_that_has_a_take_is_not_narrated_again(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:3], scripted(), workers=1)
    studio.ask()
    await studio.idle()
    first = studio.hashes()
    studio.ask([studio.uids[0]], new_seeds=True)
    await studio.idle()
    assert studio.segment(0).takes == 2
    assert studio.hashes()[0] != first[0]
    studio.project.choose_take(studio.uids[0], studio.project.takes(studio.uids[0])[0].id)
    studio.ask()
    await studio.idle()
    assert [segment.takes for segment in studio.project.segments()] == [2, 1, 1]
    assert studio.hashes() == first
    assert studio.director.status.made == 4


async def test_a_take_whose_clip_is_damaged_is_made_again_when_asked_for(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:1], scripted(), workers=1)
    studio.ask()
    await studio.idle()
    take = studio.project.takes(studio.uids[0])[0]
    clip = studio.project.clip_path(take)
    whole = clip.read_bytes()
    clip.write_bytes(whole[:-40])
    studio.ask(first=True)
    await studio.idle()
    assert studio.director.status.made == 2
    assert clip.read_bytes() == whole


async def test_a_text_that_is_too_long_never_reaches_the_engine(make_studio: MakeStudio) -> None:
    texts = [TEXTS[0], "word " * 50, TEXTS[1], "   "]
    studio = make_studio(texts, scripted("--max-chars", "100"), workers=1)
    studio.ask()
    await studio.idle()
    assert [segment.takes for segment in studio.project.segments()] == [1, 0, 1, 0]
    failure = studio.segment(1).failure
    assert "250 characters" in failure or "249 characters" in failure
    assert "split it" in failure
    assert "nothing to speak" in studio.segment(3).failure
    assert not studio.project.queue()


async def test_a_faulty_clip_is_flagged_and_not_failed(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:3], scripted("--fault", "silence", "--text", "Line 1:"), workers=1)
    studio.ask()
    await studio.idle()
    assert studio.segment(1).findings == ("silent",)
    assert studio.segment(1).state() is State.FLAGGED
    assert studio.segment(0).findings == ()


async def test_a_segment_that_cannot_be_made_says_why(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:4], scripted("--fault", "nan", "--text", "Line 2:"), workers=1)
    studio.ask()
    await studio.idle()
    states = [segment.state() for segment in studio.project.segments()]
    assert states == [State.READY, State.READY, State.FAILED, State.READY]
    assert "not numbers" in studio.segment(2).failure


async def test_kill_loses_nothing_and_needs_no_key(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS, scripted("--clip-time", "0.1"), workers=1)
    studio.ask()
    for wanted in (2, 6):
        await until(lambda wanted=wanted: made(studio) >= wanted)
        await until(lambda: bool(studio.director.status.narrating))
        os.kill(studio.director.status.workers[0].pid, signal.SIGKILL)
    await studio.idle()
    assert all(segment.takes == 1 for segment in studio.project.segments())
    await until(lambda: studio.director.status.crashes == 2)
    assert studio.director.status.recycles == 0


async def test_stop_keeps_the_queue_and_goes_on(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:5], scripted("--clip-time", "0.2"), workers=1)
    studio.ask()
    await until(lambda: made(studio) >= 1)
    started = time.monotonic()
    await studio.director.stop()
    assert time.monotonic() - started < promised(1)
    assert studio.director.paused
    await studio.idle()
    left = len(studio.project.queue())
    assert left >= 3
    assert not studio.director.status.crashes
    studio.director.resume()
    await studio.idle()
    assert made(studio) == 5
    assert all(segment.takes == 1 for segment in studio.project.segments())


async def test_pause_finishes_what_was_begun(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:6], scripted("--clip-time", "0.1"), workers=1)
    studio.ask()
    await until(lambda: made(studio) >= 1)
    studio.director.pause()
    await studio.idle()
    assert 1 <= made(studio) <= 4
    assert len(studio.project.queue()) == 6 - made(studio)
    studio.director.resume()
    await studio.idle()
    assert made(studio) == 6


async def test_an_edit_while_it_is_narrated_keeps_the_take_unchosen(
    make_studio: MakeStudio,
) -> None:
    studio = make_studio(TEXTS[:2], scripted("--clip-time", "0.4"), workers=1)
    studio.ask([studio.uids[0]])
    await until(lambda: studio.uids[0] in studio.director.status.narrating)
    studio.project.edit_spoken(studio.uids[0], "Another text.")
    await studio.idle()
    assert studio.segment(0).takes == 1
    assert studio.segment(0).chosen is None


async def test_a_missing_engine_is_said_and_the_queue_kept(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:2], scripted(command=("/no/such/engine",)))
    studio.ask()
    await studio.idle()
    await until(lambda: "/no/such/engine" in studio.director.status.stopped_because)
    assert len(studio.project.queue()) == 2
    assert not studio.director.paused


async def test_an_engine_nobody_knows(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:2], scripted())
    studio.director._catalogue = Catalogue({})
    studio.ask()
    await studio.idle()
    await until(lambda: "no engine named scripted" in studio.director.status.stopped_because)
    assert len(studio.project.queue()) == 2


async def test_a_full_disk_pauses_and_loses_nothing(
    make_studio: MakeStudio, monkeypatch: pytest.MonkeyPatch
) -> None:
    studio = make_studio(TEXTS[:6], scripted(), workers=1)
    write, full = studio.project.write_clip, [True]

    def write_or_not(pcm: object, rate: int) -> str:
        if full[0] and made(studio) >= 2:
            raise MachineFault("The disk of /book is full; make room and try again.")
        return write(pcm, rate)  # type: ignore[arg-type]

    monkeypatch.setattr(studio.project, "write_clip", write_or_not)
    studio.ask([studio.uids[0], studio.uids[1]])
    await studio.idle()
    studio.ask()
    await studio.idle()
    assert studio.director.paused
    await until(lambda: "disk of /book is full" in studio.director.status.stopped_because)
    assert len(studio.project.queue()) == 4
    full[0] = False
    studio.director.resume()
    await studio.idle()
    assert made(studio) == 6
    assert not studio.director.status.stopped_because


async def test_closing_in_the_middle_keeps_what_was_made(
    make_studio: MakeStudio, tmp_path: Path
) -> None:
    studio = make_studio(TEXTS, scripted("--clip-time", "0.1"), workers=2)
    studio.ask()
    await until(lambda: made(studio) >= 3)
    pids = [worker.pid for worker in studio.director.status.workers]
    assert len(pids) == 2
    await studio.director.close()
    assert not [pid for pid in pids if alive(pid)]
    done = made(studio)
    assert done >= 3
    assert len(studio.project.queue()) == len(TEXTS) - done


async def test_an_idle_engine_is_unloaded_and_comes_back(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:2], scripted(idle_seconds=0.3), workers=1)
    studio.ask([studio.uids[0]])
    await studio.idle()
    await until(lambda: made(studio) == 1 and not studio.director.status.workers)
    studio.ask([studio.uids[1]])
    await studio.idle()
    assert made(studio) == 2
    assert studio.director.status.crashes == 0


async def test_asking_twice_while_it_is_made_makes_both(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted("--clip-time", "0.3"), workers=1)
    studio.ask(new_seeds=True)
    await until(lambda: bool(studio.director.status.narrating))
    studio.ask(new_seeds=True)
    await studio.idle()
    assert studio.segment(0).takes == 2
    assert not studio.project.queue()


async def test_the_event_loop_is_never_held_up(make_studio: MakeStudio) -> None:
    studio = make_studio([line(n) for n in range(100)], scripted("--clip-time", "0"), workers=1)
    worst = 0.0

    async def watch() -> None:
        nonlocal worst
        while True:
            before = time.thread_time()
            await asyncio.sleep(0)
            # CPU time of this thread alone: other work of the machine must not count.
            worst = max(worst, time.thread_time() - before)
            await asyncio.sleep(0.001)

    watching = asyncio.create_task(watch())
    studio.ask()
    await studio.idle()
    watching.cancel()
    assert made(studio) == 100
    assert worst < 0.05


async def test_verify_finds_the_take_that_differs(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:4], scripted(), workers=1)
    studio.ask()
    await studio.idle()
    takes = list(studio.project.all_takes())
    seen: list[tuple[int, int]] = []
    catalogue = Catalogue({"scripted": scripted()})
    differences = await verify(
        studio.project, catalogue, takes, lambda done, total: seen.append((done, total))
    )
    assert differences == []
    assert seen[-1] == (4, 4)
    catalogue = Catalogue({"scripted": scripted("--fault", "silence", "--text", "Line 2:")})
    differences = await verify(studio.project, catalogue, takes)
    assert [difference.take.spoken for difference in differences] == [TEXTS[2]]
    assert differences[0].got
    assert differences[0].tried
    assert "same build" in differences[0].why
    catalogue = Catalogue({"scripted": scripted("--fault", "fail-load")})
    differences = await verify(studio.project, catalogue, takes)
    assert {difference.why for difference in differences} == {"The weights are missing."}
    assert not any(difference.tried for difference in differences)


async def test_the_estimate_learns_from_the_book(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS, scripted("--clip-time", "0.02"), workers=1)
    studio.project.enqueue(studio.uids)
    rows = studio.project.segments()
    guess = estimate(rows, rows)
    assert guess.segments == len(TEXTS)
    assert guess.seconds_wall is None
    studio.project.clear_queue()
    studio.ask(studio.uids[:6])
    await studio.idle()
    studio.project.enqueue(studio.uids[6:])
    rows = studio.project.segments()
    learned = estimate(rows, [row for row in rows if row.queued])
    assert learned.segments == 6
    actual = sum(studio.segment(index).seconds for index in range(6))
    assert learned.seconds_audio == pytest.approx(actual, rel=0.1)
    assert learned.seconds_wall is not None
    assert learned.seconds_wall == pytest.approx(0.02 * 6, rel=0.5)
