"""The lexicon's screens as text, in a low and narrow window and in a larger one."""

from __future__ import annotations

from pathlib import Path

import pytest
from screens_text import assert_golden, assert_rows_fill
from studio_rig import Rig, make_project, open_rig

from studio.book.lexicon import Rule
from studio.ui.screens.lexicon_list import LexiconScreen
from studio.ui.screens.lexicon_rule import RuleScreen
from studio.ui.screens.lexicon_words import UncommonScreen
from studio.ui.widgets.column_list import ColumnList

SIZES = [(80, 24), (120, 36)]


async def rules_of_every_kind(rig: Rig) -> None:
    """A few rules, one of them in a script of wide characters."""
    rig.project.put_rules(
        [
            Rule("Harrow", "Harro", match_case=True),
            Rule("窓の外", "まどのそと"),
            Rule(r"(\d+)nd\b", r"\1 second", regex=True),
            Rule("ill", "eel", whole=False),
        ]
    )
    rig.project.put_rules([Rule("letter", "lˈɛɾəɹ", phonemes=True)], user=True)


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_form_looks_as_it_should(tmp_path: Path, size: tuple[int, int]) -> None:
    async with open_rig(make_project(tmp_path / "book"), size=size) as rig:
        await rig.press("j", "j", "j", "L")
        await rig.until(lambda: rig.screen.panel.choosing)
        await rig.press("l", "enter")
        await rig.until(lambda: isinstance(rig.app.screen, RuleScreen))
        await rig.press(*"Harro")
        screen = rig.app.screen
        await rig.until(
            lambda: screen._found.changed and "Harro " in screen._found.changed[0].after
        )  # type: ignore[attr-defined]
        assert_rows_fill(rig.app, size[0])
        assert_golden(rig.app, f"lexicon_rule_{size[0]}")


@pytest.mark.parametrize("size", SIZES, ids=str)
async def test_the_lists_look_as_they_should(
    tmp_path: Path, size: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "studio.ui.screens.lexicon_words.dictionary",
        lambda language: lambda words: words - {"harrow", "doctor", "village"},
    )
    async with open_rig(make_project(tmp_path / "book"), size=size) as rig:
        await rules_of_every_kind(rig)
        await rig.press("g", "l")
        await rig.until(lambda: isinstance(rig.app.screen, LexiconScreen))
        shown = rig.app.screen.query_one(ColumnList)
        await rig.until(lambda: any(row[-1] == "3" for row in shown._rows), "for the counts")
        assert_rows_fill(rig.app, size[0])
        assert_golden(rig.app, f"lexicon_{size[0]}")
        await rig.press("escape", "g", "w")
        await rig.until(lambda: isinstance(rig.app.screen, UncommonScreen))
        words = rig.app.screen.query_one(ColumnList)
        await rig.until(lambda: words.count() > 0, "for the words")
        assert_rows_fill(rig.app, size[0])
        assert_golden(rig.app, f"uncommon_{size[0]}")


async def test_an_empty_lexicon_says_what_to_press(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "book"), size=(80, 24)) as rig:
        await rig.press("g", "l")
        await rig.until(lambda: isinstance(rig.app.screen, LexiconScreen))
        await rig.until(lambda: rig.app.screen.query_one(ColumnList)._empty != "")
        await rig.pilot.pause()
        assert_golden(rig.app, "lexicon_empty_80")
