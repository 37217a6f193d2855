"""The columns of the list of takes: which give way first, and whether they stay in line."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len
from screens_text import assert_golden, assert_rows_fill, screen_text, settle
from textual.app import App, ComposeResult
from ui_fakes import WAVE, take

from studio.project.model import RECORDING
from studio.ui.widgets.take_list import TakeFacts, TakeList

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
TAKES = (
    take(1, voice="語り手の声"),
    take(2, star=True, voice="heart"),
    take(3, findings=("0.9 s of silence inside", "clipped"), voice="해설자"),
    take(4, recipe={"engine": RECORDING}, voice=RECORDING, rtf=0.0, seed=0),
)
FACTS = TakeFacts(
    chosen=12,
    approved=12,
    best=11,
    peaks={11: WAVE, 12: WAVE[::-1], 13: WAVE, 14: WAVE},
    differs={11: ("text", "voice", "seed"), 13: ("engine",)},
    now=NOW,
)
LEAST = {"best": 56, "objection": 56, "≠": 72, ".008": 88, "語": 104, "2 h": 118}
"""From which width on each fact is told."""


class Host(App[None]):
    """The list alone."""

    def compose(self) -> ComposeResult:
        yield TakeList()


async def shown(width: int, facts: TakeFacts = FACTS) -> list[str]:
    """The rows at a width."""
    app = Host()
    async with app.run_test(size=(width, 4)) as pilot:
        app.query_one(TakeList).show(TAKES, facts)
        await settle(pilot)
        assert_rows_fill(app, width)
        return screen_text(app).splitlines()


@pytest.mark.parametrize(
    "width", [30, 55, 56, 71, 72, 73, 78, 80, 87, 88, 103, 104, 117, 118, 149, 200]
)
async def test_what_tells_least_gives_way_first(width: int) -> None:
    first, second, third, fourth = await shown(width)
    assert first.startswith("   1")
    assert second.startswith("▌  2 ✓★")
    assert "◆" in first, "the best has a sign at every width"
    assert str(TAKES[1].seed) in second
    assert "recorded" in fourth
    assert "seed" not in fourth
    for fact, least in LEAST.items():
        assert (fact in first) is (width >= least), fact
    if width >= 72:
        assert "≠ engine" in third
    if width >= 150:
        assert "≠ text, voice, seed" in first
        assert "0.9 s of silence" in third


@pytest.mark.parametrize("width", [78, 104, 120, 150, 200])
async def test_wide_characters_leave_the_columns_in_line(width: int) -> None:
    rows = await shown(width)
    places = set()
    for row in rows:
        wave = next(place for place, sign in enumerate(row) if sign in WAVE)
        places.add(cell_len(row[:wave]))
    assert len(places) == 1


@pytest.mark.parametrize("width", [78, 200])
async def test_golden_columns(width: int) -> None:
    app = Host()
    async with app.run_test(size=(width, 5)) as pilot:
        app.query_one(TakeList).show(TAKES, FACTS)
        await settle(pilot)
        assert_golden(app, f"takelist_{width}")


async def test_without_a_best_the_place_stays_free() -> None:
    with_best, without = await shown(100), await shown(100, replace(FACTS, best=None))
    assert "◆ best" in with_best[0]
    assert not any("◆" in row for row in without)
    assert with_best[1] == without[1]


async def test_following_moves_the_cursor_and_tells_nobody() -> None:
    app = Host()
    async with app.run_test(size=(80, 4)) as pilot:
        takes = app.query_one(TakeList)
        takes.show(TAKES, FACTS)
        told: list[object] = []
        takes.cursor_moved = lambda: told.append(1)  # type: ignore[method-assign]
        assert takes.follow(14)
        await settle(pilot)
        assert (takes.take_id, told) == (14, [])
        assert not takes.follow(99)
        assert takes.take_id == 14
