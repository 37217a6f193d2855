"""A key that is held down: nothing is laid out, and what an action meets is the current segment."""

from __future__ import annotations

from pathlib import Path

import pytest
from studio_rig import Rig, make_project, open_rig
from textual.screen import Screen

from studio.project.model import Kind, Segment


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry", chapters=12)


def shown_number(rig: Rig) -> str:
    """The number that the panel below the list begins with."""
    return str(rig.screen.panel.query_one("#segment-head").render()).split()[0]


async def test_moving_lays_nothing_out(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j")
        await rig.until(lambda: rig.screen.takes_of == rig.line.uid)
        layouts: list[Screen[object]] = []
        rig.screen.screen_layout_refresh_signal.subscribe(rig.screen, layouts.append)
        for _ in range(30):  # headings, long and short texts, scene breaks, several chapters
            await rig.press("j")
        await rig.until(lambda: shown_number(rig) == str(rig.line.number))
        assert rig.line.number == 32
        assert layouts == []


async def test_the_panel_comes_to_where_the_cursor_rests(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press(*"jjjjjjj")
        await rig.until(lambda: shown_number(rig) == str(rig.line.number) == "8")


async def test_an_edit_behind_a_held_key_opens_the_segment_under_the_cursor(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press(*"jjjjjjjj", "e")
        await rig.until(lambda: rig.screen.panel.editing)
        assert rig.line.kind is Kind.DIALOGUE
        assert rig.screen.panel.segment == rig.line
        await rig.press("escape")


async def test_narrating_a_book_spells_no_segment_out(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spelt: list[str] = []

    def spell(segment: Segment) -> str:
        spelt.append(segment.uid)
        return segment.uid

    async with open_rig(folder) as rig:
        monkeypatch.setattr(Segment, "__repr__", spell)
        await rig.press("g", "b")
        await rig.until(lambda: rig.screen.session.waiting or rig.director.made)
        assert spelt == [], "Textual describes a worker by its arguments unless it is told how"
        await rig.narrated()
