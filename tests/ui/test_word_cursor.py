"""The word cursor: where words stand in any script, what the keys do, how it is painted."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screens_text import screen_text, settle
from textual.app import App, ComposeResult

from studio.ui import cells
from studio.ui.widgets.word_cursor import WordCursor
from studio.ui.word_spans import Span, pieces, words

TEXT = "Dr. O’Brien said: “Well-known, isn't it?” cafe\u0301 — yes."


def parts(text: str, spans: list[Span]) -> list[str]:
    return [text[start:end] for start, end in spans]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, ["Dr", "O’Brien", "said", "Well-known", "isn't", "it", "cafe\u0301", "yes"]),
        ("窓の雪、x", ["窓", "の", "雪", "x"]),
        ("rock-- 'n' roll", ["rock", "n", "roll"]),
        ("  ", []),
    ],
)
def test_words_are_what_a_lexicon_knows(text: str, expected: list[str]) -> None:
    assert parts(text, words(text)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TEXT, TEXT.split()),
        (
            "「窓の外では、雪が」 and x",
            ["「窓", "の", "外", "で", "は、", "雪", "が」", "and", "x"],
        ),
        ("วันดี", ["วั", "น", "ดี"]),
        ("a 👨\u200d👩\u200d👧 b", ["a", "👨\u200d👩\u200d👧", "b"]),
    ],
)
def test_pieces_are_what_a_text_is_cut_between(text: str, expected: list[str]) -> None:
    assert parts(text, pieces(text)) == expected


@given(st.text(max_size=60))
def test_spans_are_in_order_and_pieces_leave_out_blanks_alone(text: str) -> None:
    for spans in (words(text), pieces(text)):
        places = [place for span in spans for place in span]
        assert places == sorted(places)
        assert all(start < end for start, end in spans)
    left = text
    for start, end in reversed(pieces(text)):
        left = left[:start] + left[end:]
    assert not left.strip()


class Desk(App[None]):
    """A word cursor in a window, and what it told."""

    def __init__(self, text: str, spans: list[Span], *, phrases: bool = False) -> None:
        super().__init__()
        self._given = (text, spans, phrases)
        self.told: list[tuple[int, int] | None] = []

    def compose(self) -> ComposeResult:
        yield WordCursor()

    def on_mount(self) -> None:
        text, spans, phrases = self._given
        self.query_one(WordCursor).start(text, spans, phrases=phrases)
        self.query_one(WordCursor).focus()

    def on_word_cursor_word_chosen(self, event: WordCursor.WordChosen) -> None:
        self.told.append((event.start, event.end))

    def on_word_cursor_word_left(self) -> None:
        self.told.append(None)


async def test_the_keys_move_choose_and_leave() -> None:
    app = Desk(TEXT, words(TEXT))
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.press("l", "l", "h", "enter", "end", "enter", "home", "left", "enter", "escape")
        await settle(pilot)
        chosen = [TEXT[it[0] : it[1]] if it else None for it in app.told]
        assert chosen == ["O’Brien", "yes", "Dr", None]


async def test_a_phrase_grows_only_where_one_is_allowed() -> None:
    app = Desk(TEXT, words(TEXT), phrases=True)
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.press("l", "shift+right", "enter", "l", "enter", "escape", "escape")
        await settle(pilot)
        chosen = [TEXT[it[0] : it[1]] if it else None for it in app.told]
        assert chosen == ["O’Brien said", "O’Brien said: “Well-known", None]
    app = Desk(TEXT, words(TEXT))
    async with app.run_test(size=(60, 6)) as pilot:
        await pilot.press("shift+right", "v", "enter")
        await settle(pilot)
        assert app.told == [(4, 11)]


@pytest.mark.parametrize("columns", [9, 14, 30, 60])
@pytest.mark.parametrize(
    "text", [TEXT, "窓の外では雪が静かに降り続いていた。" * 3, "x" * 70 + " y"]
)
async def test_all_of_the_text_is_painted_within_the_width(text: str, columns: int) -> None:
    app = Desk(text, pieces(text))
    async with app.run_test(size=(columns + 10, 40)) as pilot:
        await settle(pilot)
        cursor = app.query_one(WordCursor)
        lines = str(cursor.render()).split("\n")
        assert "".join("".join(lines).split()) == "".join(cells.clean(text).split())
        assert all(cells.width(line) <= columns for line in lines)
        assert len(lines) == cursor.size.height


async def test_down_goes_to_the_word_below() -> None:
    text = "one two three four five six seven"
    app = Desk(text, words(text))
    async with app.run_test(size=(25, 8)) as pilot:  # lines of 15 cells
        await pilot.press("l", "down")
        await settle(pilot)
        cursor = app.query_one(WordCursor)
        assert text[slice(*cursor.chosen)] == "five"
        await pilot.press("k", "k")
        assert text[slice(*cursor.chosen)] == "two"
        assert "four five six" in screen_text(app)
