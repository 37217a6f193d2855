"""The lexicon by its keys: a word, the form, what it changes; the list; uncommon words."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest
from studio_rig import Rig, make_project, open_rig

from studio.book.lexicon import Rule
from studio.errors import MachineFault
from studio.project.lexicon import Reworded
from studio.project.model import State
from studio.ui import cells
from studio.ui.screens.lexicon_list import LexiconScreen
from studio.ui.screens.lexicon_rule import RuleScreen, spoken_alone, why_nothing
from studio.ui.screens.lexicon_words import UncommonScreen
from studio.ui.widgets.column_list import ColumnList
from studio.ui.widgets.reworded_list import RewordedList, first_change
from studio.ui.widgets.segment_grid import SegmentGrid

HARROW = Rule("Harrow", "Harro")


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    async with open_rig(make_project(tmp_path / "book"), size=(80, 24)) as opened:
        yield opened


def said(rig: Rig, name: str) -> str:
    """What stands in one of the lines of the screen on top."""
    return str(rig.app.screen.query_one(f"#{name}").content)  # type: ignore[attr-defined]


def rows(rig: Rig) -> list[list[str]]:
    """The rows of the list on top."""
    shown = rig.app.screen.query_one(ColumnList)
    return [list(shown._rows[place]) for place in range(shown.count())]


async def form_of_harrow(rig: Rig) -> None:
    """L on the fourth segment, on the word Harrow."""
    await rig.press("j", "j", "j", "L")
    await rig.until(lambda: rig.screen.panel.choosing, "for the word cursor")
    await rig.press("l", "enter")
    await rig.until(lambda: isinstance(rig.app.screen, RuleScreen), "for the form")
    await rig.until(lambda: "segments change" in said(rig, "rule-count"), "for the preview")


async def test_a_word_becomes_a_rule_and_only_hit_segments_are_stale(rig: Rig) -> None:
    await rig.press("g", "b")
    await rig.narrated()
    await form_of_harrow(rig)
    assert said(rig, "rule-count") == "3 segments change"
    assert rig.app.screen.query_one("#rule-word").value == "Harrow"  # type: ignore[attr-defined]
    await rig.press(*"Harro")
    await rig.until(
        lambda: rig.app.screen.query_one(RewordedList)._rows[0].after.find("Harro ") > 0
    )
    before = {row.uid: row.spoken for row in rig.project.segments()}
    await rig.press("ctrl+e")
    await rig.until(lambda: "changed" in rig.notice, "for the rule to be kept")
    assert rig.notice == "3 segments changed: 3 stale now; g f narrates them."
    assert rig.project.lexicon() == (HARROW,)
    for row in rig.project.segments():
        hit = "Harrow" in row.source
        assert (row.spoken != before[row.uid]) is hit
        assert (row.state() is State.STALE) is hit, row
    assert isinstance(rig.app.focused, SegmentGrid)
    shown = rig.screen.panel.query_one("#segment-head")
    await rig.until(lambda: "Harrow → Harro (lexicon: Harrow)" in str(shown.content), "because")  # type: ignore[attr-defined]
    await rig.press("u")
    await rig.until(lambda: not rig.project.lexicon(), "for undo")
    assert not any(row.stale for row in rig.project.segments())


async def test_the_form_says_what_is_wrong_and_keeps_nothing_on_escape(rig: Rig) -> None:
    await form_of_harrow(rig)
    await rig.press("ctrl+e")
    await rig.until(lambda: "Nothing is given to be spoken" in said(rig, "rule-told"))
    assert isinstance(rig.app.screen, RuleScreen)
    await rig.press(*"x", "down", "down", "right", "right")
    await rig.until(lambda: "3 segments change" in said(rig, "rule-count"))
    await rig.press("up", "up", "up", "end", "left_parenthesis")
    await rig.until(lambda: "cannot be read at character 7" in said(rig, "rule-told"))
    await rig.press("escape")
    await rig.until(lambda: not isinstance(rig.app.screen, RuleScreen))
    assert rig.project.lexicon() == ()
    assert rig.project.can_undo is None


async def test_letters_on_a_choice_of_the_form_do_nothing(rig: Rig) -> None:
    await form_of_harrow(rig)
    await rig.press(*"Harro", "down", *"quS1", "l")
    await rig.until(lambda: "phonemes" in str(rig.app.focused.render()))  # type: ignore[union-attr]
    assert isinstance(rig.app.screen, RuleScreen)
    assert rig.app._exit is False
    await rig.press("escape")
    await rig.until(lambda: not isinstance(rig.app.screen, RuleScreen))


async def test_a_phrase_and_a_typed_segment(rig: Rig) -> None:
    line = rig.project.segments()[9]
    rig.project.edit_spoken(line.uid, "Doctor Harrow, typed.")
    await rig.press("j", "j", "j", "L")
    await rig.until(lambda: rig.screen.panel.choosing)
    await rig.press("v", "l", "enter")
    await rig.until(lambda: isinstance(rig.app.screen, RuleScreen))
    await rig.until(lambda: "typed by hand" in said(rig, "rule-count"))
    assert rig.app.screen.query_one("#rule-word").value == "Doctor Harrow"  # type: ignore[attr-defined]
    assert said(rig, "rule-count") == "2 segments change · 1 typed by hand stays as it is"


async def test_a_rule_is_tried_without_touching_the_book(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Clip:
        pcm = np.zeros((2400, 1), np.int16)
        rate = 24_000

    async def speak(session: object, voice: object, text: str) -> Clip:
        asked.append(text)
        if text == "bad":
            raise MachineFault("The engine is gone; see the log.")
        return Clip()

    monkeypatch.setattr("studio.ui.screens.lexicon_rule.speak_alone", speak)
    await form_of_harrow(rig)
    await rig.press("ctrl+t")
    await rig.until(lambda: "Type how it is spoken" in said(rig, "rule-told"))
    await rig.press(*"Harro", "ctrl+t")
    await rig.until(lambda: len(rig.player.played) == 1, "for the sound")
    await rig.press("down", "right", "ctrl+t")
    await rig.until(lambda: len(asked) == 2)
    assert asked == ["Harro", "[Harrow](/Harro/)"]
    await rig.press("left", "up", *["backspace"] * 5, *"bad", "ctrl+t")
    await rig.until(lambda: "The engine is gone" in said(rig, "rule-told"))
    assert rig.project.history() == ()
    assert not rig.project.queue()


async def test_the_list_edits_deletes_and_finds(rig: Rig) -> None:
    rig.project.put_rules([HARROW, Rule("mill", "mihl")])
    rig.project.put_rules([Rule("letter", "lˈɛɾəɹ", phonemes=True)], user=True)
    await rig.press("g", "l")
    await rig.until(lambda: isinstance(rig.app.screen, LexiconScreen))
    await rig.until(lambda: rows(rig) and rows(rig)[0][-1] == "3", "for the counts")
    assert rows(rig) == [
        ["Harrow", "Harro", "word", "this book", "3"],
        ["letter", "lˈɛɾəɹ", "phonemes", "all books", "3"],
        ["mill", "mihl", "word", "this book", "3"],
    ]
    await rig.press("slash", *"mi", "enter")
    assert [row[0] for row in rows(rig)] == ["mill"]
    await rig.press("d")
    await rig.until(lambda: len(rig.project.lexicon()) == 1, "for the deletion")
    await rig.until(lambda: "u brings it back" in said(rig, "lexicon-told"))
    await rig.press("escape", "u")
    await rig.until(lambda: len(rows(rig)) == 3, "for undo")
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, RuleScreen))
    await rig.press(*["down"] * 4, "right", "ctrl+e")
    await rig.until(lambda: isinstance(rig.app.screen, LexiconScreen))
    await rig.until(lambda: rows(rig)[0][3] == "all books", "for the move")
    assert {rule.word for rule in rig.project.user_lexicon()} == {"Harrow", "letter"}
    await rig.press("escape")
    await rig.until(lambda: rig.app.screen is rig.screen)


async def test_rules_are_written_and_read(rig: Rig, tmp_path: Path) -> None:
    rig.project.put_rules([HARROW])
    await rig.press("g", "l")
    await rig.until(lambda: isinstance(rig.app.screen, LexiconScreen))
    await rig.until(lambda: len(rows(rig)) == 1)
    await rig.press("ctrl+e", "enter")
    await rig.until(lambda: "1 rule written" in said(rig, "lexicon-told"))
    file = rig.project.folder / "lexicon.csv"
    file.write_text(file.read_text().replace("Harrow", "letter"))
    await rig.press("ctrl+o", *str(file), "enter")
    await rig.until(lambda: "1 rule read" in said(rig, "lexicon-told"))
    assert {rule.word for rule in rig.project.lexicon()} == {"Harrow", "letter"}
    assert rig.project.can_undo == "lexicon read from lexicon.csv"


async def test_uncommon_words_are_listed_and_given_rules(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    def only_the(language: str) -> object:
        return lambda words: words & {"the", "landing", "she", "had", "waited", "is", "it", "true"}

    monkeypatch.setattr("studio.ui.screens.lexicon_words.dictionary", only_the)
    await rig.press("g", "w")
    await rig.until(lambda: isinstance(rig.app.screen, UncommonScreen))
    await rig.until(lambda: rows(rig), "for the words")
    found = {row[0]: row for row in rows(rig)}
    assert found["Harrow"] == ["Harrow", "3", "4", ""]
    assert "Landing" not in found
    await rig.press("slash", *"harr", "enter", "space")
    await rig.until(lambda: "no take yet" in said(rig, "uncommon-told"))
    assert rig.line.number == 4
    await rig.press("enter")
    await rig.until(lambda: isinstance(rig.app.screen, RuleScreen))
    await rig.press(*"Harro", "ctrl+e")
    await rig.until(lambda: isinstance(rig.app.screen, UncommonScreen))
    await rig.until(lambda: rows(rig)[0][3] == "Harro", "for the mark")


async def test_a_scene_break_has_no_word(rig: Rig) -> None:
    await rig.press("j", "j", "j", "j", "L")
    await rig.until(lambda: "has no word" in rig.notice)


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_lines_of_changes_keep_their_width(columns: int) -> None:
    shown = RewordedList()
    text = "彼女は👨\u200d👩\u200d👧手紙を cafe\u0301 " * 4
    shown._rows = [
        Reworded("a", 12_345, f"{text} Harrow {text}", f"{text} Harro {text}"),
        Reworded("b", 1, "Harrow", "Harro" * 60),
        Reworded("c", 2, "one two Harrow Harrow", "one two Harro Harro"),
    ]
    from rich.style import Style

    shown.style = lambda name, ground=False: Style.null()  # type: ignore[method-assign]
    for place in range(3):
        parts = shown.pieces(place, columns)
        line = "".join(part for part, _ in parts)
        assert cells.width(line) <= columns
        assert " → " in line


def test_the_first_change_is_told_by_its_words() -> None:
    assert first_change("a Harrow b Pym", "a Harro b Pim") == (
        "a ",
        "Harrow",
        "Harro",
        " b Pym",
        1,
    )
    assert first_change("same", "same") == ("same", "", "", "", 0)


def test_a_pattern_is_tried_on_its_first_place() -> None:
    row = Reworded("a", 1, "the 22nd day", "the 22 second day")
    rule = Rule(r"(\d+)nd", r"\1 second", regex=True)
    assert spoken_alone(rule, [row]) == "22 second"
    assert spoken_alone(rule, []) == ""
    assert spoken_alone(Rule("a(b", "x", phonemes=True), []) == ""


def test_a_rule_that_cannot_be_tried_says_why() -> None:
    assert why_nothing(Rule("a", "")) == "Type how it is spoken first."
    assert "hold “/”" in why_nothing(Rule("a", "a/b", phonemes=True))
    assert "cannot be read" in why_nothing(Rule("(", "x", regex=True))
    assert "changes no segment" in why_nothing(Rule("q+", "x", regex=True))
