"""The editor of a spoken text: moving by glyphs and words in any script, widths, what it drops."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screens_text import assert_rows_fill, screen_text, settle
from textual.app import App, ComposeResult
from textual.events import Paste

from studio.ui.widgets.spoken_editor import SpokenEditor, one_paragraph
from studio.ui.word_spans import glyph_edges


class Desk(App[None]):
    """An editor in a window."""

    def compose(self) -> ComposeResult:
        yield SpokenEditor()

    @property
    def editor(self) -> SpokenEditor:
        return self.query_one(SpokenEditor)


MIXED = "Don’t go, cafe\u0301 雪が 👨\u200d👩\u200d👧 ok"


async def test_words_are_gone_over_as_words_in_their_script() -> None:
    app = Desk()
    async with app.run_test(size=(60, 5)) as pilot:
        app.editor.start(MIXED)
        app.editor.focus()
        await pilot.press("home")
        stops = []
        for _ in range(6):
            await pilot.press("ctrl+right")
            stops.append(MIXED[app.editor.cursor_location[1] :][:2])
        assert stops == ["go", "ca", "雪が", "が ", "ok", ""]
        back = []
        for _ in range(3):
            await pilot.press("alt+left")
            back.append(MIXED[app.editor.cursor_location[1] :][:2])
        assert back == ["ok", "が ", "雪が"]
        await pilot.press("ctrl+w")
        assert app.editor.text == MIXED.replace("cafe\u0301 ", "")


async def test_a_glyph_is_one_step_and_one_backspace() -> None:
    app = Desk()
    async with app.run_test(size=(60, 5)) as pilot:
        app.editor.start("e\u0301👨\u200d👩\u200d👧x")
        app.editor.focus()
        await pilot.press("home", "right")
        assert app.editor.cursor_location == (0, 2)
        await pilot.press("right")
        assert app.editor.cursor_location == (0, 7)
        await pilot.press("backspace", "backspace")
        assert app.editor.text == "x"


@pytest.mark.parametrize(
    ("text", "cells"), [("雪が", 4), ("cafe\u0301", 4), ("ab\u202ecd\u202c", 4), ("한국어", 6)]
)
async def test_the_cursor_stands_behind_as_many_cells_as_are_painted(text: str, cells: int) -> None:
    app = Desk()
    async with app.run_test(size=(40, 5)) as pilot:
        app.editor.start(text)
        app.editor.focus()
        await settle(pilot)
        left = app.editor.content_region.x
        assert app.editor.cursor_screen_offset.x - left == cells
        assert_rows_fill(app, 40)
        assert "\u202e" not in screen_text(app), "it would turn the whole line round"
        assert app.editor.text == text, "what is painted is not what is kept"


async def test_what_a_terminal_would_obey_is_not_taken_over() -> None:
    app = Desk()
    async with app.run_test(size=(40, 5)) as pilot:
        app.editor.start("a\x1b[31mb\x07")
        assert app.editor.text == "a [31mb"
        app.editor.focus()
        app.editor.start("")
        app.post_message(Paste("one\ntwo\x1bthree"))
        await settle(pilot)
        assert one_paragraph(app.editor.text) == "one two three"


@given(st.text(max_size=40))
def test_edges_cover_the_text_and_never_part_a_mark_from_its_base(text: str) -> None:
    edges = glyph_edges(text)
    assert edges[0] == 0
    assert edges[-1] == len(text)
    assert edges == sorted(set(edges))
    assert all(text[edge] not in "\u0301\u200d" for edge in edges[1:-1])
