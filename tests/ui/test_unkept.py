"""What was typed or chosen in a window and is kept nowhere yet: nobody loses it with one key."""

from __future__ import annotations

from pathlib import Path

from screens_text import screen_text
from studio_rig import Rig, make_project, open_rig
from textual.widgets import Input

from studio.ui.screens.cast import CastScreen
from studio.ui.screens.lexicon_rule import RuleScreen
from studio.ui.screens.prompt import Confirm, Prompt
from studio.ui.screens.voice_form import VoiceForm
from studio.ui.screens.voice_pick import VoicePick


async def shown(rig: Rig, window: type) -> None:
    await rig.until(lambda: isinstance(rig.app.screen, window), f"for {window.__name__}")


async def asks(rig: Rig, key: str, said: str, window: type) -> None:
    """The key asks, and esc goes back to the window as it was."""
    await rig.press(key)
    await shown(rig, Confirm)
    await rig.until(lambda: said in screen_text(rig.app), f"for “{said}”")
    await rig.press("escape")
    await shown(rig, window)


async def test_quitting_asks_where_something_typed_would_be_lost(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "ferry", 1), (80, 24)) as rig:
        await rig.press("j", "o")
        await shown(rig, Prompt)
        await rig.press(*"slow")
        await asks(rig, "ctrl+q", "not kept yet; enter keeps it", Prompt)
        await rig.press("enter")
        await rig.until(lambda: rig.line.note == "slow", "for the note")
        await rig.press("L", "enter")
        await shown(rig, RuleScreen)
        await rig.press("x")
        await asks(rig, "ctrl+q", "The rule as it stands", RuleScreen)
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
        await rig.press("escape", "g", "v")
        await rig.press("enter")
        await shown(rig, VoiceForm)
        await rig.press("x")
        await asks(rig, "ctrl+q", "The voice as it stands", VoiceForm)
        await rig.press("escape", "escape")
        await rig.until(lambda: rig.app.screen is rig.screen)
        await rig.press("o")
        await shown(rig, Prompt)
        assert rig.app.screen.query_one(Input).value == "slow"
        await rig.press("ctrl+q")
        await rig.until(lambda: rig.app.return_value == 0, "to quit: nothing was typed")


async def test_a_cast_is_not_left_unapplied_by_a_slip(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "ferry", 1), (80, 24)) as rig:
        await rig.press("C")
        await shown(rig, CastScreen)
        await rig.until(lambda: "nothing is changed before" in screen_text(rig.app))
        await rig.press("escape")
        await rig.until(lambda: rig.app.screen is rig.screen, "to leave what is as it was")
        await rig.press("C")
        await shown(rig, CastScreen)
        await rig.until(lambda: "nothing is changed before" in screen_text(rig.app))
        await rig.press("enter")
        await shown(rig, VoicePick)
        await rig.press("enter")
        await shown(rig, CastScreen)
        await asks(rig, "escape", "The cast is not applied yet", CastScreen)
        await asks(rig, "q", "The cast is not applied yet", CastScreen)
        await rig.press("escape", "y")
        await rig.until(lambda: rig.app.screen is rig.screen, "to leave it all the same")
