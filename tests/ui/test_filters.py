"""Conditions as they are typed: what they keep, against a plain reading; what is refused."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screens_text import screen_text, settle
from studio_rig import make_project, open_rig
from ui_fakes import BASE, segment

from studio.errors import BadInput
from studio.project.model import Kind, Segment, State
from studio.ui import slices
from studio.ui.filters import FLAGS, parse
from studio.ui.screens.filtering import FilterScreen

BOOK = [segment(number) for number in range(1, 240)]


def kept(line: str, segments: list[Segment] = BOOK) -> list[int]:
    wanted = parse(line)
    assert wanted is not None
    return [it.number for it in segments if wanted.keeps(it, it.state())]


@pytest.mark.parametrize("state", State)
def test_every_state_is_a_word_and_a_value(state: State) -> None:
    expected = [it.number for it in BOOK if it.state() is state]
    assert kept(state.value) == kept(f"state:{state.value}") == expected


def test_values_marks_numbers_and_texts() -> None:
    some = [
        replace(BASE, uid="a", number=1, voice="Heart", mark=True, seconds=9.0, rtf=0.6),
        replace(BASE, uid="b", number=2, note="Ask her", edited=True, spoken="The Harrow mill"),
        replace(BASE, uid="c", number=3, kind=Kind.SCENE_BREAK, source="", spoken="", pause_ms=900),
        replace(BASE, uid="d", number=4, source="", spoken="oh", findings=("0.9 s of silence",)),
        replace(BASE, uid="e", number=5, chosen=None, seconds=0.0, rtf=0.0, takes=0, speed=1.5),
    ]
    for line, expected in {
        "voice:heart": [1, 2, 3, 4, 5],
        "marked": [1],
        "-marked": [2, 3, 4, 5],
        "noted": [2],
        "note:ask": [2],
        "edited": [2],
        "inserted": [4],
        "pause": [3],
        "pause>500": [3],
        "kind:scene": [3],
        'kind:"scene break"': [3],
        "kind:prose,scene": [1, 2, 3, 4, 5],
        "finding": [4],
        "finding:Silence": [4],
        "problem": [4],
        "len>8": [1],
        "len<1": [],
        "rtf>=0.6": [1],
        "takes=0": [5],
        "speed>1": [5],
        "chars<5": [3, 4],
        "number<=2": [1, 2],
        '"harrow mill"': [2],
        '"HARROW"': [],
        "text:/harr(o|e)w/": [2],
        "/harrow$|oh/": [4],
        "text:oh": [4],
        'marked -noted "letter': [1],
        "“harrow”": [2],
        "-/mill|letter/": [3, 4],
    }.items():
        assert kept(line, some) == expected, line


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("harow", "is no condition. There are: problem,"),
        ("colour:red", "“colour:” is no condition"),
        ("state:asleep", "is no state. States are: narrating,"),
        ("kind:poem", "is no kind. Kinds are: heading,"),
        ("voice:", "needs a value"),
        ("len>", "needs a number"),
        ("mark>2", "is no number. Numbers are: len,"),
        ("/(/", "cannot be read"),
        ("/(a+)+/", "for ever"),
        ("/.*.*q/", "for ever"),
        ('""', "is empty"),
        ("-", "is no condition"),
    ],
)
def test_what_is_no_condition_is_said_with_what_there_is(line: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        parse(line)
    assert said in str(error.value)


def test_an_empty_line_is_no_filter() -> None:
    assert parse("  ") is None


WORDS = st.one_of(
    st.sampled_from(sorted(FLAGS)).map(lambda name: (name, lambda it: FLAGS[name](it, it.state()))),
    st.tuples(st.sampled_from(["len", "chars", "takes"]), st.integers(0, 90)).map(
        lambda pair: (
            f"{pair[0]}>{pair[1]}",
            lambda it: (
                {
                    "len": it.seconds if it.chosen is not None else -1,
                    "chars": len(it.spoken),
                    "takes": it.takes,
                }[pair[0]]
                > pair[1]
            ),
        )
    ),
    st.sampled_from(["the", "mill", "village", "静か", "5", "?"]).map(
        lambda text: (
            f'"{text}"',
            lambda it: text in it.source.lower() or text in it.spoken.lower(),
        )
    ),
)


@given(st.lists(st.tuples(WORDS, st.booleans()), min_size=1, max_size=4))
def test_all_words_must_hold_and_a_dash_turns_one_round(words) -> None:
    line = " ".join(f"{'-' * turned}{text}" for (text, _), turned in words)
    expected = [
        it.number for it in BOOK if all(test(it) is not turned for (_, test), turned in words)
    ]
    assert kept(line) == expected


@given(st.text(max_size=30))
def test_any_line_is_a_filter_or_a_sentence(line: str) -> None:
    with contextlib.suppress(BadInput):
        assert (parse(line) is None) is (not line.strip())


async def test_conditions_are_counted_as_one_types_and_kept_for_the_next_time(
    tmp_path: Path,
) -> None:
    async with open_rig(make_project(tmp_path / "ferry")) as rig:
        await rig.press("j", "m", "f", "tab", *"marked")
        await rig.until(lambda: "1 of 18 segments" in screen_text(rig.app))
        await rig.press("x", "enter")
        await rig.until(lambda: "is no condition" in screen_text(rig.app))
        assert isinstance(rig.app.screen, FilterScreen)
        await rig.press("backspace", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 1)
        assert "only marked: 1" in screen_text(rig.app)
        await rig.press("escape")
        await rig.until(lambda: len(rig.screen.session.rows) == 18)
        await rig.press("f", "f", "end", *" noted", "enter")
        await rig.until(lambda: "nothing would be shown" in screen_text(rig.app))
        await rig.press("escape")
        await settle(rig.pilot)
        assert len(rig.screen.session.rows) == 18


async def test_conditions_that_take_too_long_are_said_and_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slices, "FILTER_SECONDS", 0.0)
    async with open_rig(make_project(tmp_path / "ferry")) as rig:
        await rig.press("f", "tab", *"/e.*x/")
        await rig.until(lambda: "takes too long" in screen_text(rig.app))
        await rig.press("enter")
        await settle(rig.pilot)
        assert isinstance(rig.app.screen, FilterScreen)
        assert "takes too long to look for" in screen_text(rig.app)
        await rig.press("escape")
        await rig.screen.apply_filter(parse("/e.*x/"))
        assert "takes too long" in rig.notice
        assert len(rig.screen.session.rows) == 18


@pytest.mark.parametrize("rows", [24, 29, 30, 31, 36, 44])
async def test_what_to_press_is_in_view_at_any_height(tmp_path: Path, rows: int) -> None:
    async with open_rig(make_project(tmp_path / "ferry"), (100, rows)) as rig:
        await rig.press("f")
        await rig.until(lambda: "Conditions: " in screen_text(rig.app))
        await settle(rig.pilot)
        assert "tab or f types conditions" in screen_text(rig.app)


async def test_a_filter_leaves_the_cursor_near_where_it_was(tmp_path: Path) -> None:
    async with open_rig(make_project(tmp_path / "ferry")) as rig:
        await rig.press("j", "m", "j", "j", "m", "G", "m", "g", "g", "j", "j", "j")
        await rig.until(lambda: rig.line.number == 4 and len(rig.screen.session.rows.all) == 18)
        await rig.press("k", "f", "tab", *"marked", "enter")
        await rig.until(lambda: len(rig.screen.session.rows) == 3)
        assert rig.line.number == 4, "the next one shown behind the third"
        await rig.press("escape")
        await rig.until(lambda: len(rig.screen.session.rows) == 18)
        assert rig.line.number == 4
