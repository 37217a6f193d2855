"""Whatever a book contains, a cell of the grid is exactly as wide as it says."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from studio.ui import cells

ANYTHING = st.text(st.characters(), max_size=120)
"""Surrogates, controls, unassigned and combining characters included."""


@given(ANYTHING, st.integers(0, 60), st.booleans())
def test_a_fitted_text_has_exactly_its_width(text: str, width: int, right: bool) -> None:
    assert cell_len(cells.fit(text, width, right=right)) == width


@given(ANYTHING)
def test_nothing_that_moves_a_cursor_or_turns_a_line_survives(text: str) -> None:
    cleaned = cells.clean(text)
    moving = {"Cc", "Cs", "Zl", "Zp"}
    assert not [char for char in cleaned if unicodedata.category(char) in moving]
    turning = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not [char for char in cleaned if unicodedata.bidirectional(char) in turning]
    assert not set(cleaned) & set("\u200e\u200f\u061c\u200b\u200d\ufeff\u00ad\ufe0f")


@given(ANYTHING, st.integers(1, 40))
def test_wrapped_lines_fit_and_lose_no_word(text: str, width: int) -> None:
    lines = cells.wrap(text, max(2, width))
    assert all(cell_len(line) <= max(2, width) for line in lines)
    assert "".join("".join(lines).split()) == "".join(cells.clean(text).split())


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        ("hello", 5, "hello"),
        ("hello!", 5, "hell…"),
        ("hello world", 7, "hello…"),
        ("雪の夜", 6, "雪の夜"),
        ("雪の夜", 5, "雪の…"),
        ("雪の夜", 4, "雪…"),
        ("cafe\u0301s", 5, "cafés"),
        ("👨‍👩‍👧", 6, "👨👩👧"),
        ("👍🏽", 2, "👍"),
        ("🇫🇷", 2, "FR"),
        ("❤️x", 2, "❤x"),
        ("a\tb\nc", 5, "a b c"),
        ("\x1b[31m", 5, "␛[31m"),
        ("\u0301a", 2, " \u0301a"),
        ("x", 0, ""),
        ("xy", 1, "…"),
        ("", 3, ""),
    ],
)
def test_crop(text: str, width: int, shown: str) -> None:
    assert cells.crop(text, width) == shown


def test_text_hidden_behind_many_zero_width_characters_is_found() -> None:
    assert cells.crop("a" + "\u200b" * 500 + "bc", 3) == "abc"


def test_only_the_head_of_a_long_text_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    clean = cells.clean
    monkeypatch.setattr(cells, "clean", lambda text: seen.append(len(text)) or clean(text))
    cells.fit("word " * 10_000, 40)
    assert sum(seen) < 500
