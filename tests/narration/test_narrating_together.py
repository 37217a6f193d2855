"""Engines that take several lines together: full batches, each line its own, and the mark."""

from __future__ import annotations

from pathlib import Path

import pytest
from narration_helpers import (
    Jobs,
    MakePool,
    MakeStudio,
    line,
    make_book,
    scripted,
    until,
)

from engine import wire
from studio.engines import cards
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput
from studio.narration import repeating
from studio.narration.verify import verify
from studio.narration.worker import depth_of

CARD = wire.Card("scripted", "1", "m", 24_000, ("en",), 400)


def together(tally: Path, count: int = 3, *switches: str) -> tuple[str, ...]:
    """Switches of an engine that notes down its batches."""
    return ("--together", str(count), "--tally", str(tally), *switches)


def batches(tally: Path) -> list[list[str]]:
    """The texts of each batch."""
    return [row.split("|") for row in tally.read_text().splitlines()]


def test_a_worker_holds_two_batches_and_one_job() -> None:
    assert depth_of(None) == depth_of(CARD) == 2
    assert depth_of(wire.Card(**{**_fields(CARD), "together": 4})) == 9


def _fields(card: wire.Card) -> dict[str, object]:
    return {name: getattr(card, name) for name in wire.Card.__dataclass_fields__}


async def test_batches_are_full_and_clips_come_in_order(
    make_pool: MakePool, tmp_path: Path
) -> None:
    jobs = Jobs([line(number) for number in range(24)])
    tally = tmp_path / "tally"
    pool = make_pool(scripted(*together(tally), "--clip-time", "0.05"), jobs)
    pool.work()
    await until(lambda: jobs.settled == 24)
    assert jobs.order == [*range(24)]
    sizes = [len(batch) for batch in batches(tally)]
    assert max(sizes) == 3
    assert sum(size == 3 for size in sizes) >= 5, sizes
    assert pool.depth == 7


async def test_a_line_that_ends_a_batch_is_found_by_narrating_each_alone(
    make_pool: MakePool, tmp_path: Path
) -> None:
    jobs = Jobs([line(number) for number in range(8)])
    tally = tmp_path / "tally"
    switches = together(tally, 3, "--fault", "exit", "--text", "Line 4:", "--clip-time", "0.02")
    pool = make_pool(scripted(*switches), jobs)
    pool.work()
    await until(lambda: jobs.settled == 8)
    assert set(jobs.failures) == {4}
    assert "ended two workers" in jobs.failures[4]
    killed = [batch for batch in batches(tally) if line(4) in batch]
    assert [len(batch) for batch in killed][1:] == [1], "suspects are narrated alone"
    assert pool.crashes == 2


async def test_a_refusal_in_a_batch_is_that_lines_own(make_pool: MakePool, tmp_path: Path) -> None:
    jobs = Jobs([line(number) for number in range(7)])
    switches = together(tmp_path / "tally", 3, "--fault", "refuse", "--text", "Line 2:")
    make_pool(scripted(*switches), jobs).work()
    await until(lambda: jobs.settled == 7)
    assert set(jobs.failures) == {2}
    assert jobs.order == [0, 1, 3, 4, 5, 6]


async def test_takes_of_a_batch_say_so_and_are_not_tried_again(
    make_studio: MakeStudio, tmp_path: Path
) -> None:
    spec = scripted(*together(tmp_path / "tally", 3, "--tokens"))
    studio = make_studio([line(number) for number in range(5)], spec)
    studio.ask()
    await studio.idle()
    takes = [studio.project.take(it.chosen or 0) for it in studio.project.segments()]
    assert [take.recipe["options"] for take in takes] == [{"steps": 10, "batch": 3}] * 5
    found = await verify(studio.project, Catalogue({spec.name: spec}), takes)
    assert [(it.take.id, it.tried, it.got) for it in found] == [(t.id, False, "") for t in takes]
    assert all("does not follow from its recipe alone" in it.why for it in found)
    with pytest.raises(BadInput, match=r"batch of up to 3 lines, .* cannot be made again"):
        studio.project.enqueue([studio.uids[0]], remake=takes[0].id)
    assert not studio.project.queue()
    # Its speech tokens make it again, alone and byte for byte.
    studio.ask([studio.uids[0]], replays={studio.uids[0]: takes[0].id})
    await studio.idle()
    outcomes = [it for change in studio.changes for it in change.outcomes if it.item.replay]
    assert [it.take for it in outcomes] == [takes[0].id]
    assert studio.project.replayed_takes(studio.uids) == {
        uid: take.id for uid, take in zip(studio.uids, takes, strict=True)
    }


async def test_a_take_of_an_engine_without_batches_is_not_held_against_one_with(
    make_studio: MakeStudio, tmp_path: Path
) -> None:
    studio = make_studio([line(1), line(2)], scripted("--tokens"))
    studio.ask()
    await studio.idle()
    takes = [studio.project.take(it.chosen or 0) for it in studio.project.segments()]
    assert takes[0].recipe["options"] == {"steps": 10}
    switches = together(tmp_path / "tally", 2, "--tokens")
    for spec in (scripted(*switches), scripted(*switches, options={"batch": 2})):
        found = await verify(studio.project, Catalogue({spec.name: spec}), takes)
        assert [it.tried for it in found] == [False, False]
        assert "takes up to 2 lines together" in found[0].why
        assert "does not follow from a recipe alone" in found[0].why


# ---- the mark ------------------------------------------------------------------------------------


async def test_a_marked_book_is_not_narrated_by_an_engine_whose_card_says_so(
    make_studio: MakeStudio, tmp_path: Path
) -> None:
    """An engine whose configuration does not say how it works."""
    marked = make_studio([line(1), line(2)], scripted(*together(tmp_path / "tally", 2)))
    marked.project.set_settings(reproducible=True)
    marked.ask()
    await marked.idle()
    assert "is marked reproducible, and the engine scripted takes up to 2 lines" in (
        marked.director.status.stopped_because
    )
    assert len(marked.project.queue()) == 2, "nothing is lost"
    assert not (tmp_path / "tally").exists()
    marked.project.set_settings(reproducible=False)
    marked.director.wake()
    await marked.idle()
    assert not marked.project.queue()
    assert all(marked.hashes())


async def test_by_its_configuration_it_is_not_even_started(
    make_studio: MakeStudio, tmp_path: Path
) -> None:
    spec = scripted(*together(tmp_path / "tally", 2), options={"batch": 2})
    studio = make_studio([line(1)], spec)
    studio.project.set_settings(reproducible=True)
    studio.ask()
    await studio.idle()
    assert "its option “batch” is 2" in studio.director.status.stopped_because
    assert not studio.director.status.workers


def test_who_is_refused_is_asked_of_the_configuration_and_the_card(tmp_path: Path) -> None:
    project = make_book(tmp_path / "book", [line(1)])
    batch = Catalogue({"scripted": scripted(options={"batch": 4})})
    single = Catalogue({"scripted": scripted(options={"batch": 1})})
    with project:
        repeating.refuse(project, ["tone"], batch)
        project.set_settings(reproducible=True)
        repeating.refuse(project, ["tone", "nobody"], single)
        repeating.refuse(project, ["tone"], Catalogue({}))
        with pytest.raises(BadInput, match=r"“A book” is marked .* scripted takes up to 4 lines"):
            repeating.refuse(project, ["tone"], batch)
        cards.remember(wire.Card(**{**_fields(CARD), "seedable": False}), "scripted")
        with pytest.raises(BadInput, match="does not say the same twice"):
            repeating.refuse(project, ["tone"], single)
