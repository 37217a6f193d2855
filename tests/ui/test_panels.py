"""Chapters, takes, player, engine, status line and keys: what they show at every width."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from screens_text import assert_golden, assert_rows_fill, screen_text, settle
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget
from ui_fakes import MIB, STATUS, WAVE, WORKER, chapters, take

from studio.narration.status import NarrationStatus, WorkerState
from studio.ui.widgets.chapter_list import ChapterList, bar
from studio.ui.widgets.engine_panel import BLOCKS, EnginePanel, History
from studio.ui.widgets.key_footer import KeyFooter
from studio.ui.widgets.player_line import PlayerLine
from studio.ui.widgets.status_line import StatusLine
from studio.ui.widgets.take_list import TakeFacts, TakeList, fit_waveform

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TAKES = (
    take(1),
    take(2, star=True),
    take(3, findings=("0.9 s of silence inside", "clipped")),
)
FACTS = TakeFacts(
    chosen=12,
    approved=12,
    best=12,
    peaks={11: WAVE, 12: WAVE[::-1]},
    differs={11: ("text", "seed"), 13: ("voice", "seed")},
    now=NOW,
)


class Host(App[None]):
    """One widget and what it posted."""

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self.widget = widget
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield self.widget

    def on_chapter_list_chapter_chosen(self, event: ChapterList.ChapterChosen) -> None:
        self.posted.append(event)

    def on_take_list_take_chosen(self, event: TakeList.TakeChosen) -> None:
        self.posted.append(event)

    def on_take_list_take_played(self, event: TakeList.TakePlayed) -> None:
        self.posted.append(event)

    def on_take_list_take_highlighted(self, event: TakeList.TakeHighlighted) -> None:
        self.posted.append(event)

    def on_player_line_seek_requested(self, event: PlayerLine.SeekRequested) -> None:
        self.posted.append(event)


def fill(widget: Widget) -> None:
    """Give a widget what it would show in the middle of work."""
    match widget:
        case ChapterList():
            widget.set_chapters(chapters(300))
            widget.current = 102
        case TakeList():
            widget.show(TAKES, FACTS)
        case PlayerLine():
            widget.show(1.42, 3.9, True, "take 2 of 16")
        case EnginePanel():
            for grown in range(40):
                footprint = 268 * MIB + grown * 8 * MIB
                worker = replace(WORKER, footprint=footprint)
                widget.show(replace(STATUS, workers=(worker,)))
        case StatusLine():
            widget.show(chapters(2)[1], STATUS)
        case KeyFooter():
            widget.show(KEYS)


KEYS = [
    ("space", "play"),
    ("r", "again"),
    ("R", "new seed"),
    ("e", "edit"),
    ("a", "approve"),
    (", .", "takes"),
    ("=", "A/B"),
    ("!", "next problem"),
    ("E", "export"),
]
WIDGETS = (ChapterList, TakeList, PlayerLine, EnginePanel, StatusLine, KeyFooter)


@pytest.mark.parametrize("kind", WIDGETS)
@pytest.mark.parametrize("width", [120, 80, 24, 9])
async def test_every_line_is_exactly_as_wide_as_the_screen(kind: type[Widget], width: int) -> None:
    for filled in (False, True):
        widget = kind()
        async with Host(widget).run_test(size=(width, 24)) as pilot:
            if filled:
                fill(widget)
            await settle(pilot)
            assert_rows_fill(pilot.app, width)
            assert screen_text(pilot.app).strip(), "something is said, also where nothing is"


@pytest.mark.parametrize(
    ("kind", "width", "height"),
    [
        (ChapterList, 24, 12),
        (ChapterList, 48, 12),
        (TakeList, 80, 5),
        (TakeList, 120, 5),
        (EnginePanel, 24, 16),
        (EnginePanel, 80, 8),
    ],
)
async def test_golden_panel(kind: type[Widget], width: int, height: int) -> None:
    widget = kind()
    async with Host(widget).run_test(size=(width, height)) as pilot:
        fill(widget)
        await settle(pilot)
        assert_golden(pilot.app, f"{kind.__name__.lower()}_{width}")


# Chapters.


def test_a_bar_is_full_only_when_all_is_approved() -> None:
    whole, some, *_ = chapters(3)
    assert bar(whole, 4) == (4, 0, 0)
    almost = replace(whole, approved=47, done=49)
    assert bar(almost, 4) == (3, 0, 1)
    ready = replace(whole, approved=0)
    assert bar(ready, 4) == (0, 4, 0)
    assert sum(bar(some, 4)) == 4
    begun = replace(whole, approved=0, done=3)
    assert bar(begun, 4) == (0, 1, 3), "something done is never shown as nothing"
    untouched = replace(whole, approved=0, done=2)
    assert bar(untouched, 4) == (0, 0, 4), "scene breaks alone are no progress"


@given(st.integers(0, 500), st.integers(0, 20), st.data())
def test_a_bar_fills_its_cells(spoken: int, breaks: int, data: st.DataObject) -> None:
    done = data.draw(st.integers(0, spoken))
    approved = data.draw(st.integers(0, done))
    chapter = replace(
        chapters(1)[0],
        segments=spoken + breaks,
        spoken=spoken,
        done=done + breaks,
        approved=approved,
    )
    parts = bar(chapter, 8)
    assert sum(parts) == 8
    assert min(parts) >= 0


async def test_chapters_are_chosen_with_keys_and_clicks() -> None:
    widget = ChapterList()
    app = Host(widget)
    async with app.run_test(size=(24, 12)) as pilot:
        fill(widget)
        widget.focus()
        await pilot.press("j", "j", "k", "enter")
        await settle(pilot)
        assert app.posted == [ChapterList.ChapterChosen(103)]
        await pilot.press("G", "enter")
        await settle(pilot)
        assert app.posted[-1] == ChapterList.ChapterChosen(400)
        await pilot.press("home")
        await pilot.click(ChapterList, offset=(5, 4))
        await settle(pilot)
        assert app.posted[-1] == ChapterList.ChapterChosen(105)
        assert widget.current == 102, "the screen decides what is current"


async def test_the_current_chapter_comes_into_sight() -> None:
    widget = ChapterList()
    async with Host(widget).run_test(size=(24, 12)) as pilot:
        pilot.app.set_focus(None)
        fill(widget)
        widget.current = 350
        await settle(pilot)
        current = [line for line in screen_text(pilot.app).splitlines() if line.startswith("▌")]
        assert len(current) == 1
        assert "250 Night 250" in current[0]
        widget.set_chapters(chapters(2))
        await settle(pilot)
        assert widget.cursor == 1


async def test_problems_are_counted_worst_first() -> None:
    widget = ChapterList()
    async with Host(widget).run_test(size=(40, 12)) as pilot:
        fill(widget)
        await settle(pilot)
        lines = screen_text(pilot.app).splitlines()
        assert "3!" in lines[1]
        assert "1~" in lines[2]
        assert "2✗" in lines[3]


# Takes.


def test_a_waveform_keeps_its_peaks_at_every_width() -> None:
    assert fit_waveform("▁█▁▁▃▁", 3) == "█▁▃"
    assert fit_waveform("▁█", 6) == "▁▁▁███"
    assert fit_waveform("", 6) == ""
    assert fit_waveform("▁▂", 0) == ""


@given(st.text(BLOCKS, min_size=1, max_size=200), st.integers(1, 200))
def test_a_waveform_has_the_width_and_the_height(blocks: str, length: int) -> None:
    shown = fit_waveform(blocks, length)
    assert len(shown) == length
    assert max(shown) <= max(blocks)
    if length <= len(blocks):
        assert max(shown) == max(blocks)


async def test_takes_are_heard_and_chosen_apart() -> None:
    widget = TakeList()
    app = Host(widget)
    async with app.run_test(size=(80, 6)) as pilot:
        fill(widget)
        widget.focus()
        assert widget.take_id == 12, "the cursor begins on the chosen take"
        await pilot.press("j", "space", "enter")
        await settle(pilot)
        assert app.posted == [
            TakeList.TakeHighlighted(13),
            TakeList.TakePlayed(13),
            TakeList.TakeChosen(13),
        ]
        widget.show((*TAKES, take(4)), FACTS)
        assert widget.take_id == 13, "a take that arrives moves nothing"
        widget.show((*TAKES, take(4)), replace(FACTS, chosen=14))
        assert widget.take_id == 14, "a choice does"
        widget.show((), TakeFacts())
        await pilot.press("space", "enter", "k")
        await settle(pilot)
        assert "r narrates" in screen_text(app)
        assert len(app.posted) == 3


async def test_a_take_says_what_the_checks_object_to() -> None:
    widget = TakeList()
    async with Host(widget).run_test(size=(120, 6)) as pilot:
        fill(widget)
        await settle(pilot)
        first, second, third = screen_text(pilot.app).splitlines()[:3]
        assert "no objection" in first
        assert "✓★" in second
        assert second.startswith("▌  2")
        assert "! 0.9 s" in third
        assert "+1" in third
        assert all("2 h" in line for line in (first, second, third))
        # The columns before the waveform stand under each other.
        places = {line.index("seed") for line in (first, second, third)}
        assert len(places) == 1


# Player.


async def test_the_playhead_is_where_the_sound_is() -> None:
    widget = PlayerLine()
    app = Host(widget)
    async with app.run_test(size=(80, 1)) as pilot:
        await settle(pilot)
        assert "space plays" in screen_text(app)
        played = []
        for position in (0.0, 1.95, 3.9, 9.0):
            widget.show(position, 3.9, True, "take 2 of 16")
            await settle(pilot)
            line = screen_text(app)
            assert line.count("●") == 1
            played.append(line.count("━") / (line.count("━") + line.count("─")))
        assert played[0] == 0
        assert played[1] == pytest.approx(0.5, abs=0.03)
        assert played[2] == played[3] == 1
        widget.show(1.0, 3.9, True, "x", paused=True)
        await settle(pilot)
        assert "❚❚ paused" in screen_text(app)
        widget.show(1.0, 3.9, False, "x")
        await settle(pilot)
        assert "■ stopped" in screen_text(app)


async def test_a_click_on_the_bar_seeks_there() -> None:
    widget = PlayerLine()
    app = Host(widget)
    async with app.run_test(size=(80, 1)) as pilot:
        widget.show(0.0, 10.0, True, "")
        await settle(pilot)
        line = screen_text(app)
        start, end = line.index("●"), line.rindex("─") + 1
        await pilot.click(PlayerLine, offset=((start + end) // 2, 0))
        await pilot.click(PlayerLine, offset=(1, 0))
        await settle(pilot)
        assert len(app.posted) == 1
        assert isinstance(app.posted[0], PlayerLine.SeekRequested)
        assert app.posted[0].seconds == pytest.approx(5.0, abs=0.2)


# Engine.


@given(st.lists(st.integers(1, 10**10), max_size=1000))
def test_a_history_is_bounded_and_forgets_no_peak(values: list[int]) -> None:
    history = History()
    for value in values:
        history.add(value)
    assert len(history.samples) < History.LENGTH
    drawn = history.draw(24, 0, 10**10)
    assert len(drawn) <= 24
    if values:
        assert max(drawn) == BLOCKS[max(values) * 7 // 10**10]


async def panel_text(status: NarrationStatus, width: int = 24, height: int = 30) -> str:
    widget = EnginePanel()
    async with Host(widget).run_test(size=(width, height)) as pilot:
        widget.show(status)
        await settle(pilot)
        assert_rows_fill(pilot.app, width)
        return screen_text(pilot.app)


@pytest.mark.parametrize("width", [24, 80])
async def test_the_engine_panel_tells_everything(width: int) -> None:
    status = replace(STATUS, swap_used=1_536 * MIB, last_problem="the engine died of signal 9")
    shown = " ".join((await panel_text(status, width)).split())
    for fact in (
        "worker 3 ● ready",
        "cpu fp32",
        "312 MB",
        "+44 of 512 MB",
        ".007",
        ".008",
        "12 · eta 0:04",
        "140 · 9:34",
        "2 · crash 0",
        "12.4 GB",
        "1.5 GB",
        "grew 530 MB",
        "died of signal 9",
    ):
        assert fact in shown


@pytest.mark.parametrize("width", [24, 80])
async def test_memory_of_an_accelerator_is_shown_where_there_is_some(width: int) -> None:
    (worker,) = STATUS.workers
    busy = replace(STATUS, workers=(replace(worker, device_memory=2_345 * MIB),))
    assert "device 2,345 MB" in await panel_text(busy, width)
    assert "device" not in await panel_text(STATUS, width)


@pytest.mark.parametrize("width", [24, 80])
async def test_why_nothing_happens_is_said(width: int) -> None:
    paused = " ".join((await panel_text(replace(STATUS, paused=True), width)).split())
    assert "❚❚ paused, 12 waiting. S goes on." in paused
    stopped = replace(STATUS, stopped_because="no interpreter at the path in config.toml")
    assert "stopped: no interpreter at the path" in " ".join((await panel_text(stopped)).split())
    assert "r narrates" in " ".join((await panel_text(NarrationStatus())).split())


async def test_a_long_problem_leaves_the_chapters_their_room() -> None:
    problem = "This voice cannot read " + ", ".join(f"“word{n}” (Arabic)" for n in range(40))
    panel = EnginePanel()
    panel.show(replace(STATUS, last_problem=""))
    plain = panel.lines(24)
    panel.show(replace(STATUS, last_problem=problem))
    more = panel.lines(24)[len(plain) :]
    assert len(more) == 4
    assert more[0].plain.startswith(" ! This voice")
    assert more[-1].plain.endswith("…")
    stopped = replace(STATUS, stopped_because="The disk is full.", last_problem="The disk is full.")
    assert (await panel_text(stopped, 80)).count("The disk is full.") == 1


async def test_many_workers_have_room() -> None:
    workers = tuple(replace(WORKER, number=n, state=WorkerState.NARRATING) for n in range(1, 9))
    shown = await panel_text(replace(STATUS, workers=workers))
    assert shown.count("▶ narrating") == 4
    assert "and 4 more workers" in shown


async def test_loading_shows_how_far_it_is() -> None:
    loading = replace(WORKER, state=WorkerState.LOADING, loading=0.42, baseline=0)
    shown = await panel_text(replace(STATUS, workers=(loading,)))
    assert "loading 42%" in shown
    assert "of 512 MB" not in shown


async def test_a_snapshot_of_the_same_shape_is_no_layout() -> None:
    widget = EnginePanel()
    async with Host(widget).run_test(size=(24, 30)) as pilot:
        widget.show(STATUS)
        await settle(pilot)
        layouts: list[bool] = []
        refresh = widget.refresh

        def spy(*args: Any, layout: bool = False, **more: Any) -> Any:
            layouts.append(layout)
            return refresh(*args, layout=layout, **more)

        widget.refresh = spy  # type: ignore[method-assign]
        widget.show(replace(STATUS, rtf_now=0.009))
        widget.show(replace(STATUS, paused=True))
        assert layouts == [False, True]


async def test_a_gone_worker_leaves_no_history() -> None:
    widget = EnginePanel()
    async with Host(widget).run_test(size=(24, 30)):
        for number in range(1, 50):
            widget.show(replace(STATUS, workers=(replace(WORKER, number=number),)))
        assert list(widget._histories) == [("hibari", 49)]


@pytest.mark.parametrize("width", [20, 26, 40, 100])
async def test_workers_of_several_engines_are_told_apart(width: int) -> None:
    names = ("hibari", "cosyvoice3", "qwen3-tts")
    workers = tuple(
        replace(WORKER, engine=name, number=1, footprint=number * 100 * MIB)
        for number, name in enumerate(names, 1)
    )
    widget = EnginePanel()
    async with Host(widget).run_test(size=(width, 30)) as pilot:
        for _ in range(3):
            widget.show(replace(STATUS, workers=workers))
        await settle(pilot)
        shown = screen_text(pilot.app)
        assert {name: [*history.samples] for (name, _), history in widget._histories.items()} == {
            name: [number * 100 * MIB] * 3 for number, name in enumerate(names, 1)
        }
    for name in names:
        assert name[:5] in shown


# Status line and keys.


async def status_text(width: int, status: NarrationStatus = STATUS) -> str:
    widget = StatusLine()
    async with Host(widget).run_test(size=(width, 1)) as pilot:
        widget.show(chapters(2)[1], status)
        await settle(pilot)
        assert_rows_fill(pilot.app, width)
        return screen_text(pilot.app).strip()


async def test_the_status_line_holds_everything_at_80() -> None:
    assert await status_text(80) == (
        "2 Low Water · 31/48 ✓ · 3 ! · 1 ~ · w3 ● ready 312 MB · rtf .008 · q12 0:04"
    )


async def test_the_status_line_has_no_mark_for_a_time_that_nobody_knows_yet() -> None:
    assert (await status_text(80, replace(STATUS, eta=None))).endswith(" · q12")


async def test_the_status_line_gives_up_the_least_important_first() -> None:
    assert await status_text(46) == "2 Low Water · 31/48 ✓ · 3 ! · 1 ~ · q12 0:04"
    assert await status_text(29) == "2 Low Water · 31/48 ✓ · 3 !"
    paused = replace(STATUS, paused=True)
    assert "❚❚ paused" in await status_text(28, paused), "why nothing happens is never left out"


async def test_keys_are_left_out_from_the_right() -> None:
    for width in (120, 80, 40, 20):
        widget = KeyFooter()
        async with Host(widget).run_test(size=(width, 1)) as pilot:
            widget.show(KEYS)
            await settle(pilot)
            line = screen_text(pilot.app)
            assert cell_len(line) == width
            assert line.endswith("? keys ")
            shown = widget.fitting(width)
            assert shown == KEYS[: len(shown)]
            assert len(shown) == {120: 9, 80: 6, 40: 2, 20: 1}[width]
