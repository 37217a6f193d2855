"""Find and replace over spoken texts: what it finds, what it leaves alone, what undo gives."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screens_text import assert_golden, screen_text, settle
from studio_rig import Rig, make_project, open_rig
from ui_fakes import BASE

from studio.errors import BadInput
from studio.project.model import Kind, Segment, State
from studio.ui import replacing
from studio.ui.replacing import Wanted, named, replacements
from studio.ui.screens.replacing import ReplaceScreen
from studio.ui.widgets.replacement_list import ReplacementList


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_project(tmp_path / "ferry")


def spoken(*texts: str) -> list[Segment]:
    return [
        replace(BASE, uid=f"s{n}", number=n, source=f"other {n}", spoken=text)
        for n, text in enumerate(texts, 1)
    ]


def test_only_what_is_spoken_is_looked_at() -> None:
    found = replacements(spoken("a mill", "no", "Mill. MILL"), Wanted("mill", "weir"))
    assert [(it.number, it.after, it.hits) for it in found.changed] == [
        (1, "a weir", 1),
        (3, "weir. weir", 2),
    ]
    assert found.hits == 3
    assert not replacements(spoken("mill"), Wanted("other", "x")).changed


def test_capitals_and_patterns() -> None:
    some = spoken("Dr. Harrow", "dr. harrow", "a.b")
    assert [
        it.number for it in replacements(some, Wanted("Dr.", "X", match_case=True)).changed
    ] == [1]
    assert [it.number for it in replacements(some, Wanted("a.b", "X")).changed] == [3]
    turned = replacements(some, Wanted(r"(\w+)\. (\w+)", r"\2, \1", regex=True)).changed
    assert [it.after for it in turned] == ["Harrow, Dr", "harrow, dr"]


@pytest.mark.parametrize(
    ("find", "put"),
    [("(", "x"), ("(a+)+", "x"), ("a", r"\2"), ("x*", "y"), ("(.*)[^q]*q", "x"), ("a", "\\")],
)
def test_what_cannot_be_used_is_said(find: str, put: str) -> None:
    with pytest.raises(BadInput):
        replacements(spoken("a"), Wanted(find, put, regex=True))


def test_backslashes_that_are_typed_as_text_stay_backslashes() -> None:
    (one,) = replacements(spoken("a mill"), Wanted("mill", r"\1 \g<0> \\")).changed
    assert one.after == r"a \1 \g<0> \\"


def test_a_group_that_took_no_part_puts_in_nothing() -> None:
    (one,) = replacements(spoken("cat dog"), Wanted("(c)?(at|dog)", r"[\1\2]", regex=True)).changed
    assert (one.after, one.hits) == ("[cat] [dog]", 2)


def test_a_look_through_a_book_ends_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replacing, "LONGEST_SECONDS", 0.02)
    wanted = Wanted("(e.*e.*)q", "x", regex=True)
    assert not replacements(spoken("they were there"), wanted).changed
    with pytest.raises(BadInput, match="takes too long to look for"):
        replacements(spoken("she " * 100) * 10_000, wanted)


def test_nothing_is_emptied_and_blanks_close_up() -> None:
    found = replacements(spoken("oh", "he said oh and went"), Wanted("oh", ""))
    assert found.emptied == (1,)
    assert [it.after for it in found.changed] == ["he said and went"]
    silent = [replace(BASE, kind=Kind.SCENE_BREAK, source="", spoken="")]
    assert replacements(silent, Wanted("a", "b")) == replacements([], Wanted("a", "b"))


@given(
    st.lists(st.text("abA .(", min_size=1, max_size=12), max_size=6),
    st.text("abA.(", min_size=1, max_size=3),
    st.text("ab\\", max_size=3),
    st.booleans(),
)
def test_a_typed_text_is_found_as_it_stands(
    texts: list[str], find: str, put: str, match_case: bool
) -> None:
    found = replacements(spoken(*texts), Wanted(find, put, match_case=match_case))
    flags = re.NOFLAG if match_case else re.IGNORECASE
    expected = {}
    for number, text in enumerate(texts, 1):
        after = " ".join(re.sub(re.escape(find), lambda _: put, text, flags=flags).split())
        if re.search(re.escape(find), text, flags) and after not in ("", text):
            expected[number] = after
    assert {it.number: it.after for it in found.changed} == expected


def test_segments_are_named_by_a_few_numbers() -> None:
    assert named([3]) == "segment 3"
    assert named([3, 7]) == "segments 3 and 7"
    assert named(range(1, 9)) == "segments 1, 2, 3, 4 and 4 more"


async def found(rig: Rig, count: int) -> ReplacementList:
    """Wait until so many segments would change."""
    rows = rig.app.screen.query_one(ReplacementList)
    await rig.until(lambda: rows.count() == count, f"for {count} segments")
    return rows


async def test_what_is_ticked_is_replaced_as_one_step(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("j", "j", "j", "r")
        await rig.narrated()
        before = list(rig.screen.session.rows.all)
        await rig.press("F", *"harrow")
        await found(rig, 3)
        await rig.press("enter", *"Barrow", "tab", "tab", "tab", "tab", "down", "space")
        await rig.until(lambda: "3 hits in 3 segments" in screen_text(rig.app))
        await rig.press("enter")
        await rig.until(lambda: not isinstance(rig.app.screen, ReplaceScreen))
        after = rig.screen.session.rows.all
        changed = [old.number for old, new in zip(before, after, strict=True) if old != new]
        assert changed == [4, 16]
        assert after[
            3
        ].spoken == "Doctor Barrow counted the coins twice, then pushed them across" + (
            " the table."
        )
        assert after[3].state() is State.STALE
        assert "Replaced 2 hits in 2 segments; 1 is stale now" in rig.notice
        await rig.press("u")
        await rig.until(lambda: list(rig.screen.session.rows.all) == before)
        assert "replaced “harrow” in 2 segments" in rig.notice


async def test_enter_right_behind_the_letters_replaces_what_they_find(folder: Path) -> None:
    async with open_rig(folder) as rig:
        await rig.press("F", *"whispered", "enter")
        await rig.pilot.press(*"said", "enter")
        await rig.until(lambda: not isinstance(rig.app.screen, ReplaceScreen))
        assert rig.screen.session.rows.all[2].spoken == "“Is it true?” he said."


async def test_the_selection_alone_and_leaving_changes_nothing(folder: Path) -> None:
    async with open_rig(folder) as rig:
        before = list(rig.screen.session.rows.all)
        await rig.press("j", "j", "x", "x", "F", *"e")
        await found(rig, 2)
        await rig.press("escape")
        assert list(rig.screen.session.rows.all) == before
        await rig.press("F")
        await found(rig, 2)
        assert "the selection (2)" in screen_text(rig.app)
        await rig.press("escape")


@pytest.mark.parametrize("size", [(120, 36), (80, 24)], ids=["120", "80"])
async def test_the_window_looks_as_it_did(folder: Path, size: tuple[int, int]) -> None:
    async with open_rig(folder, size) as rig:
        await rig.press("F", *"harrow")
        await found(rig, 3)
        await rig.press("enter", *"Barrow")
        await rig.until(lambda: "Barrow" in str(rig.app.screen.query_one("#replace-text").render()))
        await settle(rig.pilot)
        assert_golden(rig.app, f"replace_{size[0]}")
