"""The one table of actions, and what is generated from it."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest
from textual.binding import Binding

from studio.ui.actions import (
    ACTIONS,
    BY_ID,
    EVERYWHERE,
    SCREENS,
    Action,
    bindings,
    for_screen,
)
from studio.ui.keys import EATEN, binding_key, resolve, show_key
from studio.ui.keys_page import keys_page
from studio.ui.widgets.chapter_list import ChapterList
from studio.ui.widgets.segment_grid import SegmentGrid
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.widgets.spoken_editor import SpokenEditor
from studio.ui.widgets.take_list import TakeList
from studio.ui.widgets.word_cursor import WordCursor

PAGE = Path(__file__).parents[2] / "docs" / "keys.md"


def test_the_committed_page_is_the_generated_one() -> None:
    assert PAGE.read_text(encoding="utf-8") == keys_page(), (
        "docs/keys.md is old: python -m studio.ui.actions > docs/keys.md"
    )


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_every_action_explains_itself_and_can_be_found(action: Action) -> None:
    assert action.help.endswith(".")
    assert len(action.help) > 10
    assert action.label
    assert len(action.label) < 30
    assert action.screen in SCREENS
    assert f"`{action.id}`" in keys_page()
    reachable = action.palette or action.footer or action.group == "Move" or action.keys
    assert reachable
    if not action.keys:
        assert action.palette, "without a key and outside the palette nobody finds it"


@pytest.mark.parametrize("action", ACTIONS, ids=lambda action: action.id)
def test_no_key_is_one_that_terminals_eat(action: Action) -> None:
    for key in action.keys:
        assert not EATEN.intersection(key.split())


@pytest.mark.parametrize("screen", [name for name in SCREENS if name != EVERYWHERE])
def test_no_two_actions_of_a_screen_share_a_key(screen: str) -> None:
    actions = for_screen(screen)
    for one, other in combinations(actions, 2):
        if one.pane != other.pane:
            continue
        assert not set(one.keys) & set(other.keys), (one.id, other.id)
    starts = {key.split()[0] for action in actions for key in action.keys if " " in key}
    singles = {key for action in actions for key in action.keys if " " not in key}
    assert not starts & singles, "a key cannot act and begin a sequence at once"


def test_what_widgets_bind_is_what_the_table_says() -> None:
    """A pane's widget acts before the screen, so its keys must be the table's."""
    for widget in (SegmentGrid, ChapterList, TakeList, SpokenEditor, SegmentPanel, WordCursor):
        for entry in Binding.make_bindings(widget.BINDINGS):
            assert entry.id in BY_ID, (widget.__name__, entry.key)
            keys = [binding_key(key) for key in BY_ID[entry.id].keys]
            assert entry.key in keys or widget is SegmentPanel, (widget.__name__, entry.key)
    assert {action.id for action in ACTIONS if action.pane} == {
        entry.id
        for widget in (ChapterList, TakeList, SpokenEditor, WordCursor)
        for entry in Binding.make_bindings(widget.BINDINGS)
        if not str(entry.id).startswith("move.")
    }


def test_ids_are_unique_and_every_binding_has_one() -> None:
    assert len(BY_ID) == len(ACTIONS)
    for screen in SCREENS:
        assert all(binding.id in BY_ID for binding in bindings(screen))


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("ctrl-d", "ctrl+d"),
        ("g c", "g+c"),
        (",", "comma"),
        ("?", "question_mark"),
        ("shift-tab", "shift+tab"),
    ],
)
def test_keys_are_translated_for_textual(key: str, name: str) -> None:
    assert binding_key(key) == name


def test_a_persons_keys_replace_the_tables() -> None:
    keys = resolve(ACTIONS, {"segment.play": ["Ctrl+X", "f5"], "narrate.chapter": "g n"})
    assert keys.problems == ()
    assert keys.of["segment.play"] == ("ctrl-x", "f5")
    assert keys.changed["segment.play"] == "ctrl+x,f5"
    assert keys.sequences(["narrate.chapter"]) == {"g": {"n": "narrate.chapter"}}
    assert keys.of["segment.edit"] == BY_ID["segment.edit"].keys


def test_two_actions_can_swap_their_keys() -> None:
    keys = resolve(ACTIONS, {"segment.narrate": "R", "segment.reseed": "r"})
    assert keys.problems == ()
    assert (keys.of["segment.narrate"], keys.of["segment.reseed"]) == (("R",), ("r",))


def test_an_empty_list_takes_the_key_away() -> None:
    keys = resolve(ACTIONS, {"segment.mark": []})
    assert keys.of["segment.mark"] == ()
    assert keys.shown("segment.mark") == ""
    assert "m" not in keys.changed["segment.mark"].split(",")


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"segment.sing": "x"}, "segment.sing is not an action"),
        ({"segment.play": "r"}, "r cannot be segment.play, because it is segment.narrate already"),
        ({"segment.play": "g"}, "g cannot be segment.play"),
        ({"segment.play": "ctrl-i"}, "terminals keep ctrl-i for themselves"),
        ({"segment.play": "a b c"}, "more than two keys"),
        ({"segment.play": "sapce"}, "there is no key sapce"),
        ({"segment.play": "ctrl-zz"}, "there is no key ctrl-zz"),
        ({"segment.play": "cmd-p"}, "there is no key cmd-p"),
        ({"segment.play": "g f99"}, "there is no key f99"),
        ({"segment.play": 5}, "must be a key or a list of keys"),
        ({"segment.play": "q"}, "app.quit already"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_sentence(
    chosen: dict[str, object], words: str
) -> None:
    keys = resolve(ACTIONS, chosen)
    assert len(keys.problems) == 1
    assert words in keys.problems[0]
    assert keys.problems[0].endswith(".")
    assert keys.of["segment.play"] == BY_ID["segment.play"].keys
    assert keys.changed == {}


@pytest.mark.parametrize(
    "key", ["Ctrl+X", "alt-left", "F9", "ctrl-alt-x", "question_mark", "_", "ctrl--", "g é", "7"]
)
def test_keys_that_there_are_can_be_chosen(key: str) -> None:
    assert resolve(ACTIONS, {"segment.mark": key}).problems == ()


def test_keys_are_shown_short() -> None:
    assert show_key("escape") == "esc"
    assert show_key("g c") == "g c"
    assert show_key("down") == "↓"
