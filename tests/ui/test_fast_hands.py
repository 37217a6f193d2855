"""Keys that come all at once, as over a slow line: none is lost, none overtakes another."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest
from studio_rig import Rig, make_project, open_rig
from textual import events
from textual.widgets import Input

from studio.errors import MachineFault
from studio.project.model import State
from studio.ui.screens.prompt import Prompt
from studio.ui.widgets.spoken_editor import SpokenEditor


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def burst(rig: Rig, *keys: str) -> None:
    """Send keys without a pause between them."""
    for key in keys:
        character = key if len(key) == 1 else {"space": " ", "colon": ":"}.get(key)
        rig.app.post_message(events.Key(key, character))


async def test_edit_narrate_and_play_in_one_go_plays_the_new_text(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("r")
        # Before the key is served nothing is queued either: only the take says that it was.
        await rig.until(lambda: rig.line.takes == 1, "for the first take")
        await rig.narrated()
        before = rig.line.chosen
        burst(rig, "e", "end", *"dog", "enter", "r", "space")
        await rig.until(lambda: rig.player.played, "for the new take to sound")
        assert rig.line.spoken.endswith("dog")
        assert rig.line.chosen != before
        assert rig.line.takes == 2
        assert rig.screen.session.rows.state_of(rig.line) is State.READY
        assert len(rig.player.played) == 1, "the old clip must not pass for the new one"


async def test_keys_behind_escape_are_the_lists_again(folder: Path) -> None:
    async with open_rig(folder) as rig:
        was = rig.line.spoken
        burst(rig, "e", *"cat", "escape", "j", "j")
        await rig.until(lambda: rig.line.number == 3, "for the cursor to move")
        assert rig.screen.session.rows.row(0).spoken == was


async def test_corrections_are_made_where_they_were_typed(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("e")
        editor = rig.screen.query_one(SpokenEditor)
        editor.start("")
        burst(rig, *"tehx", "backspace", "backspace", "backspace", *"he", "home", *"at", "space")
        await rig.until(lambda: editor.text == "at the", f"for the text, not {editor.text!r}")


async def test_corrections_in_a_prompt_too(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("o")
        await rig.until(lambda: isinstance(rig.app.screen, Prompt))
        line = rig.app.screen.query_one(Input)
        burst(rig, *"tehx", "backspace", "backspace", "backspace", *"he", "home", *"at", "space")
        await rig.until(lambda: line.value == "at the", "for the line")


async def test_a_text_that_cannot_be_kept_is_in_the_editor_still(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rig(folder) as rig:
        full = MachineFault("The disk is full; nothing was changed.")

        def refuse(uid: str, text: str | None) -> None:
            raise full

        monkeypatch.setattr(rig.project, "edit_spoken", refuse)
        await rig.press("e", *"dog", "enter")
        await rig.until(lambda: "disk is full" in rig.notice)
        editor = rig.screen.query_one(SpokenEditor)
        await rig.until(lambda: rig.screen.panel.editing)
        assert editor.text.endswith("dog")
        await rig.press("ctrl+q")
        await rig.until(lambda: rig.screen.panel.editing, "for the text to come back")
        assert rig.app.is_running, "quitting would lose what was typed"
        assert editor.text.endswith("dog")
        monkeypatch.undo()
        await rig.press("enter")
        await rig.until(lambda: rig.line.spoken.endswith("dog"))


async def test_a_signal_keeps_what_was_typed(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("e", "end", *"dog")
        rig.app.leave(signal.SIGTERM)
        await rig.until(lambda: rig.app._exit, "to leave")
        assert rig.line.spoken.endswith("dog")
        assert rig.app.return_value == 128 + signal.SIGTERM


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (60, 20)])
async def test_the_line_that_is_typed_in_is_in_view(folder: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size=size) as rig:
        await rig.press("j", "e")
        editor = rig.screen.query_one(SpokenEditor)
        rig.app.post_message(events.Paste("and on it went, word after word,\n" * 9))

        def cursor_in_view() -> bool:
            spot = editor.cursor_screen_offset
            return rig.screen.panel.region.contains_point(spot) and spot in editor.region

        await rig.until(lambda: "word after" in editor.text and cursor_in_view(), "at the end")
        await rig.press("ctrl+home")
        await rig.until(cursor_in_view, "at the start")
        assert rig.screen.grid.region.height >= 4
        await rig.press("escape")


@pytest.mark.parametrize("keys", [("colon",), ("E",), ("V",), ("g", "v"), ("C",)])
async def test_what_is_typed_behind_the_key_of_a_window_is_for_the_window(
    folder: Path, keys: tuple[str, ...]
) -> None:
    async with open_rig(folder) as rig:
        await rig.press("m")
        await rig.until(lambda: rig.line.mark)
        burst(rig, *keys, *"ammam")
        await rig.until(lambda: rig.app.screen is not rig.screen, "for the window")
        await rig.pilot.pause()
        assert rig.line.mark, "the letters were keys of the studio below"
        assert rig.app.is_running


async def test_what_is_typed_behind_a_question_answers_it(folder: Path) -> None:
    async with open_rig(folder) as rig:
        burst(rig, "j", "V", "escape", "a", "j")
        await rig.until(lambda: rig.line.number == 3, "for the cursor to move")
        assert rig.app.screen is rig.screen, "esc was for the list of voices"


async def test_a_page_can_be_turned_before_a_list_is_laid_out(folder: Path) -> None:
    async with open_rig(folder) as rig:
        for opened in ("colon", "f", "V"):
            burst(rig, opened, "down", "pageup", "pagedown", "pageup", "pagedown")
            await rig.until(lambda: rig.app.screen is not rig.screen, "for the window")
            burst(rig, "pageup", "pagedown", "escape")
            await rig.until(lambda: rig.app.screen is rig.screen, "for the window to close")


async def test_leaving_while_the_palette_opens_is_no_fault(folder: Path) -> None:
    async with open_rig(folder) as rig:
        burst(rig, "colon")
        rig.app.exit(0)
    assert not rig.app._exit_renderables


@pytest.mark.parametrize(
    "keys",
    [
        ("f", "enter", "enter", "enter", "escape"),
        ("f", "escape", "enter", "escape", "escape"),
        ("o", "x", "enter", "enter", "escape"),
        ("c", "escape", "escape"),
        ("V", "enter", "enter", "escape"),
        ("F", "escape", "escape"),
        ("H", "enter", "escape"),
        ("g", "l", "escape", "escape"),
        ("question_mark", "escape", "escape"),
        ("colon", "escape", "escape"),
        ("E", "escape", "escape", "escape"),
    ],
)
async def test_a_window_is_closed_once(folder: Path, keys: tuple[str, ...]) -> None:
    async with open_rig(folder) as rig:
        await rig.press("m")
        await rig.until(lambda: rig.line.mark)
        window = keys[:2] if keys[0] == "g" else keys[:1]
        burst(rig, *window)
        await rig.until(lambda: rig.app.screen is not rig.screen, "for the window")
        burst(rig, *keys[len(window) :])
        await rig.until(lambda: rig.app.screen is rig.screen, "for the studio")
        await rig.press("escape", "j")
        await rig.until(lambda: rig.line.number == 2, "for the list to have the keys")


@pytest.mark.parametrize("move", ["tab", "down"])
async def test_what_is_typed_behind_the_key_to_another_field_is_for_that_field(
    folder: Path, move: str
) -> None:
    async with open_rig(folder) as rig:
        await rig.press("F")
        await rig.until(lambda: rig.app.screen is not rig.screen, "for the window")
        burst(rig, *"cats", "backspace", move, *"dogs", "backspace", move, move, *"xx")
        fields = list(rig.app.screen.query(Input))
        await rig.until(lambda: fields[1].value == "dog", "for the second field")
        await rig.pilot.pause()
        assert [it.value for it in fields] == ["cat", "dog"]
        back = {"tab": "shift+tab", "down": "up"}[move]
        burst(rig, back, back, back, *"mice", move, *"owls")
        await rig.until(lambda: [it.value for it in fields] == ["mice", "owls"])
