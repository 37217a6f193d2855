"""Segments that are cut, joined, deleted and asked for again while a real process narrates them."""

from __future__ import annotations

from narration_helpers import MakeStudio, Studio, scripted, until

from studio.project.model import Change, State

TEXTS = [
    "The ferry was late again, and nobody minded.",
    "The miller counted his coins twice.",
    "Down by the water a bell rang.",
]


async def busy_with_the_first(make_studio: MakeStudio) -> Studio:
    """A studio whose engine is in the middle of the first line."""
    studio = make_studio(TEXTS, scripted("--clip-time", "0.4"), workers=1)
    studio.ask()
    await until(lambda: studio.uids[0] in studio.director.status.narrating)
    return studio


def do(studio: Studio, change: Change) -> None:
    """What the studio does after a command."""
    assert change.queue, "what waits has changed"
    studio.director.wake()


def no_stray_row(studio: Studio) -> None:
    """Nothing waits, nothing is doubled, and what is chosen is what is asked for."""
    assert studio.project.queue() == ()
    for segment in studio.project.segments():
        takes = studio.project.takes(segment.uid)
        assert len({(take.recipe_id, take.pcm_hash) for take in takes}) == len(takes)
        assert segment.chosen is None or not segment.stale


async def test_a_segment_that_is_deleted_in_progress(make_studio: MakeStudio) -> None:
    studio = await busy_with_the_first(make_studio)
    first = studio.uids[0]
    do(studio, studio.project.delete([first]))
    await studio.idle()
    no_stray_row(studio)
    assert [s.state() for s in studio.project.segments()] == [State.READY] * 2
    assert first not in studio.project.segments_by_uid([first])
    while first not in studio.project.segments_by_uid([first]):
        assert studio.project.undo() is not None
    back = studio.project.segments_by_uid([first])[first]
    assert (back.takes, back.chosen, back.queued) == (1, None, False)
    studio.ask([first], first=True)
    await studio.idle()
    no_stray_row(studio)
    # The take that came late is the one that was asked for: nothing is narrated again.
    assert studio.project.segments_by_uid([first])[first].takes == 1
    assert studio.segment(0).state() is State.READY


async def test_a_segment_that_is_split_in_progress(make_studio: MakeStudio) -> None:
    studio = await busy_with_the_first(make_studio)
    do(studio, studio.project.split(studio.uids[0], TEXTS[0].index("and")))
    await studio.idle()
    first, second = studio.project.segments()[:2]
    assert studio.project.queue() == ()
    assert (first.takes, first.chosen, second.takes) == (1, None, 0)
    assert studio.project.takes(first.uid)[0].spoken == TEXTS[0]
    studio.ask([first.uid, second.uid], first=True)
    await studio.idle()
    no_stray_row(studio)
    studio.project.join(first.uid)
    takes = studio.project.takes(first.uid)
    assert [take.spoken for take in takes] == [TEXTS[0], "The ferry was late again,"]
    assert studio.segment(0).stale == ("text",)
    studio.ask([first.uid], first=True)
    await studio.idle()
    no_stray_row(studio)
    assert studio.project.takes(first.uid) == takes


async def test_a_line_that_waits_is_narrated_as_it_is_by_then(make_studio: MakeStudio) -> None:
    studio = await busy_with_the_first(make_studio)
    do(studio, studio.project.join(studio.uids[1]))
    await studio.idle()
    joined = studio.project.segments()[1]
    assert joined.source == f"{TEXTS[1]} {TEXTS[2]}"
    assert studio.project.queue() == ()
    made = [take.spoken for take in studio.project.takes(joined.uid)]
    # The second line may have been on its way to the engine; then that is kept and not chosen.
    assert made == ([joined.spoken] if joined.chosen else [TEXTS[1]])


async def test_twenty_times_the_same_line_is_one_take(make_studio: MakeStudio) -> None:
    studio = make_studio(TEXTS[:1], scripted("--clip-time", "0.2"), workers=1)
    for _ in range(20):
        do(studio, studio.project.enqueue(studio.uids, first=True))
        assert len(studio.project.queue()) == 1
    await studio.idle()
    no_stray_row(studio)
    assert studio.segment(0).takes == 1
    assert len(studio.project.history()) == 1
