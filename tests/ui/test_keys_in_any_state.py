"""Every key of the studio where it has nothing to do: it says so in words, and nothing is lost."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from studio_rig import Rig, make_project, open_rig

from studio.ui.actions import ACTIONS, STUDIO
from studio.ui.keys import binding_key

ELSEWHERE = ("words", "editor", "move", "listen", "pane")
"""Parts of the table that are tried where they belong, or only move about."""
KEYS = tuple(
    dict.fromkeys(
        key
        for action in ACTIONS
        if action.screen == STUDIO and action.id.partition(".")[0] not in ELSEWHERE
        for key in action.keys
    )
)


def pressed(key: str) -> list[str]:
    """A key of the table as a terminal sends it."""
    return [binding_key(part) for part in key.split()]


async def narrating_a_scene_break(rig: Rig) -> None:
    await rig.press("r", "j", "j", "j", "j")


async def in_a_filter_that_keeps_nothing(rig: Rig) -> None:
    await rig.press("m", "f", "tab", *"marked", "enter")
    await rig.until(lambda: len(rig.screen.session.rows) == 1)
    await rig.press("m")


@pytest.mark.parametrize("state", [narrating_a_scene_break, in_a_filter_that_keeps_nothing])
async def test_no_key_is_a_fault(tmp_path: Path, state: Callable[[Rig], Awaitable[None]]) -> None:
    async with open_rig(make_project(tmp_path / "ferry", 1), (80, 24)) as rig:
        assert rig.director is not None
        rig.director.hold.clear()
        await state(rig)
        for key in KEYS:
            await rig.press(*pressed(key))
            assert rig.app.is_running, f"{key} ended the studio"
            if rig.notice.startswith("✗"):
                assert rig.notice.endswith("."), f"{key} says: {rig.notice}"
            for _ in range(5):
                if rig.app.screen is rig.screen and not rig.screen.panel.editing:
                    break
                await rig.press("escape")
            assert rig.app.screen is rig.screen, f"esc leaves {rig.app.screen} behind {key}"
            assert rig.screen.focused is not None, f"{key} leaves the keys to nobody"
        assert rig.project.segments()
