"""A paused queue lets through what is asked for meanwhile, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from narration_helpers import MakeStudio, Studio, line, scripted, until

TEXTS = [line(number) for number in range(12)]


def with_takes(studio: Studio) -> list[int]:
    """Which segments have a take, counted from 0."""
    return [n for n, segment in enumerate(studio.project.segments()) if segment.takes]


def paused(make_studio: MakeStudio, *switches: str) -> Studio:
    """A studio whose whole book waits in a paused queue."""
    studio = make_studio(TEXTS, scripted(*switches), workers=1)
    studio.director.pause()
    studio.ask()
    return studio


@pytest.mark.parametrize("crashes", [False, True])
async def test_one_segment_is_made_and_the_queue_stays_paused(
    make_studio: MakeStudio, tmp_path: Path, crashes: bool
) -> None:
    fault = ("--fault", "exit", "--at", "1", "--once", str(tmp_path / "struck"))
    studio = paused(make_studio, *(fault if crashes else ()))
    studio.ask([studio.uids[7]], first=True)
    studio.director.let_through([studio.uids[7]])
    await studio.idle()
    assert with_takes(studio) == [7]
    assert studio.director.paused
    assert not studio.director.serving
    assert len(studio.project.queue()) == len(TEXTS) - 1
    studio.ask([studio.uids[7]], first=True)
    await studio.idle()
    assert len(studio.project.queue()) == len(TEXTS), "what comes later is not let through"


async def test_candidates_and_a_second_segment_join_what_is_let_through(
    make_studio: MakeStudio,
) -> None:
    studio = paused(make_studio, "--clip-time", "0.1")
    studio.ask([studio.uids[3]], first=True, candidates=3)
    studio.director.let_through([studio.uids[3]])
    await until(lambda: bool(studio.director.status.narrating))
    studio.ask([studio.uids[9]], first=True)
    studio.director.let_through([studio.uids[9]])
    await studio.idle()
    assert with_takes(studio) == [3, 9]
    assert studio.segment(3).takes in (3, 4), "the new seeds, and perhaps its own"
    assert not studio.segment(3).queued, "the one that waited already is satisfied as well"
    assert len(studio.project.queue()) == len(TEXTS) - 2


async def test_stopping_takes_the_permission_back(make_studio: MakeStudio) -> None:
    studio = paused(make_studio, "--clip-time", "30")
    studio.director.let_through([studio.uids[0]])
    await until(lambda: bool(studio.director.status.narrating))
    await studio.director.stop()
    assert not studio.director.serving
    await studio.idle()
    assert with_takes(studio) == []
    assert len(studio.project.queue()) == len(TEXTS)


async def test_going_on_serves_all(make_studio: MakeStudio) -> None:
    studio = paused(make_studio)
    studio.director.let_through([studio.uids[11]])
    studio.director.resume()
    await studio.idle()
    assert with_takes(studio) == list(range(len(TEXTS)))
