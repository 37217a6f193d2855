"""What the segment grid costs at 20,000 and 50,000 rows; prints figures in CPU milliseconds.

Absolute times depend on the machine and are only printed. What is asserted is a ratio within one
run: the cost must not grow with the number of rows.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from studio.ui.widgets.segment_grid import SegmentGrid

sys.path.insert(0, str(Path(__file__).parents[1] / "ui"))
from screens_text import settle
from ui_fakes import Rows, segment

pytestmark = pytest.mark.perf

SMALL = 2_000
"""Rows of the book that the others are compared with."""


class Host(App[None]):
    """A grid over a screen."""

    def __init__(self, rows: Rows) -> None:
        super().__init__()
        self.rows = rows

    def compose(self) -> ComposeResult:
        yield SegmentGrid(self.rows)


async def cpu_ms(times: int, act: Callable[[int], Awaitable[None]]) -> float:
    """CPU milliseconds per call, this process."""
    start = time.process_time()
    for number in range(times):
        await act(number)
    return (time.process_time() - start) * 1000 / times


async def measure(count: int) -> dict[str, float]:
    """Every figure for one size of book."""
    rows = Rows(count)
    rows.changed = {uid: segment(int(uid[1:])) for uid in rows.uids}  # a real source builds none
    app = Host(rows)
    figures: dict[str, float] = {}
    async with app.run_test(size=(140, 45)) as pilot:
        grid = app.query_one(SegmentGrid)
        grid.focus()
        await settle(pilot)

        async def fill(number: int) -> None:
            grid.set_source(rows)
            await settle(pilot)

        async def press(key: str) -> None:
            app.simulate_key(key)  # the pilot's own press costs more than the grid
            await pilot.pause()

        async def update(number: int) -> None:
            changed(grid, rows, number % 30)
            await pilot.pause()

        figures["nothing"] = await cpu_ms(50, lambda _: pilot.pause())
        figures["fill"] = await cpu_ms(10, fill)
        figures["key down"] = await cpu_ms(30, lambda _: press("j"))
        grid.move_to(60)
        await settle(pilot)
        figures["key down, scrolling"] = await cpu_ms(60, lambda _: press("j"))
        grid.move_to(0)
        await settle(pilot)
        figures["visible update"] = await cpu_ms(60, update)
        figures["page down"] = await cpu_ms(40, lambda _: press("pagedown"))
        figures["flood %"] = await flood(pilot, grid, rows)
    return figures


def changed(grid: SegmentGrid, rows: Rows, index: int) -> None:
    """One row gets another text."""
    uid = rows.uids[index]
    text = f"Changed {rows.revisions.get(uid, 0)} times"
    rows.change(uid, replace(segment(index + 1), source=text))
    grid.refresh_rows([uid])


async def flood(pilot: Pilot[None], grid: SegmentGrid, rows: Rows) -> float:
    """200 updates a second for two seconds: per cent of one core."""
    grid.move_to(0)
    await settle(pilot)
    start, cpu = time.monotonic(), time.process_time()
    for number in range(400):
        changed(grid, rows, number % 30)
        await asyncio.sleep(max(0.0, start + (number + 1) / 200 - time.monotonic()))
    await settle(pilot)
    return (time.process_time() - cpu) / (time.monotonic() - start) * 100


async def test_the_grid_costs_the_same_for_any_book() -> None:
    sizes = (SMALL, 20_000, 50_000)
    figures = {count: await measure(count) for count in sizes}
    names = list(figures[SMALL])
    print(f"\nCPU ms per act{'':10}" + "".join(f"{count:>12,}" for count in sizes))
    for name in names:
        print(f"  {name:<22}" + "".join(f"{figures[count][name]:>12.2f}" for count in sizes))
    for count in sizes[1:]:
        for name in names[1:]:
            allowed = 2 * figures[SMALL][name] + 2
            assert figures[count][name] < allowed, f"{name} at {count:,} rows"
