"""The narrator that comes with the studio, all the way into a project."""

from __future__ import annotations

from dataclasses import replace

from narration_helpers import MakeStudio

from studio.engines.catalogue import Catalogue, built_in
from studio.narration.verify import verify
from studio.project.model import State

TEXTS = [
    "We left the mill before the rain and took the upper road.",
    "“Is it true?” he whispered.",
    "Nobody in the village remembered when the mill had stopped.",
    "Doctor Harrow counted the coins twice, then pushed them across.",
    "Chapter Two. Low Water.",
    "你好",
]


async def test_the_same_book_twice_gives_the_same_bytes(make_studio: MakeStudio) -> None:
    """One worker, and two that are replaced after two clips; then verified by a third process."""
    hashes = []
    for spec, workers in (
        (built_in(), 1),
        (replace(built_in(), max_clips=2, spare=False), 2),
    ):
        studio = make_studio(TEXTS, spec, workers=workers)
        studio.ask()
        await studio.idle(90)
        hashes.append(studio.hashes())
        states = [segment.state() for segment in studio.project.segments()]
        assert states == [State.READY] * 5 + [State.FAILED]
        assert "你好" in studio.segment(5).failure
        await studio.director.stop()
    assert hashes[0] == hashes[1]
    assert len(set(hashes[0][:5])) == 5
    takes = list(studio.project.all_takes())
    assert await verify(studio.project, Catalogue.load(), takes, workers=1) == []
