"""In a narrow window the side bar covers the segments: no key acts on what cannot be seen."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from studio_rig import make_project, open_rig

PANES = ("1", "2", "3", "4", "tab", "shift+tab", "t")


@pytest.mark.parametrize(
    ("size", "keys_of_a_way"), [((80, 24), 2), ((120, 36), 1)], ids=["narrow", "wide"]
)
async def test_any_way_through_the_panes_ends_where_keys_work(
    tmp_path: Path, size: tuple[int, int], keys_of_a_way: int
) -> None:
    folder = make_project(tmp_path / "ferry")
    async with open_rig(folder, size=size) as rig:
        for keys in itertools.product(PANES, repeat=keys_of_a_way):
            await rig.press(*keys)
            focused = rig.screen.focused
            assert focused is None or focused.region.area > 0, f"{keys}: {focused} is not seen"
        await rig.press("2", "g", "g", "j")
        assert rig.line.number == 2
        assert rig.screen.grid.region.area > 0


@pytest.mark.parametrize("way", [("1", "2"), ("1", "enter"), ("4", "2"), ("1", "3", "2")])
async def test_what_is_acted_on_can_be_seen(tmp_path: Path, way: tuple[str, ...]) -> None:
    folder = make_project(tmp_path / "ferry")
    async with open_rig(folder, size=(80, 24)) as rig:
        await rig.press(*way)
        assert rig.screen.grid.region.area > 0
        assert rig.screen.focused is rig.screen.grid


async def test_nothing_happens_to_a_segment_that_is_covered(tmp_path: Path) -> None:
    folder = make_project(tmp_path / "ferry")
    async with open_rig(folder, size=(80, 24)) as rig:
        await rig.press("4", "m", "r", "e", "x")
        assert not rig.screen.panel.editing
        assert not any(segment.mark or segment.queued for segment in rig.project.segments())
        await rig.press("2", "m")
        await rig.until(lambda: rig.line.mark, "the mark")
