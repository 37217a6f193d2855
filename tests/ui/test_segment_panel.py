"""The segment panel: texts, reasons and the editor in place."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from screens_text import assert_golden, assert_rows_fill, screen_text, settle, strips
from textual.app import App, ComposeResult
from textual.events import Paste
from textual.message import Message
from textual.widgets import Button
from ui_fakes import BASE, TEXTS, in_state

from studio.project.model import Kind, Segment, State
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.widgets.segment_text import differences
from studio.ui.widgets.spoken_editor import SpokenEditor


@dataclass(frozen=True)
class Changed:
    """What the normaliser did."""

    rule: str
    before: str
    after: str


HARROW = replace(
    BASE,
    uid="s16",
    number=16,
    source="Dr. Harrow counted the 24 coins twice, then pushed them across.",
    spoken="Doctor Harrow counted the twenty-four coins twice, then pushed them across.",
    stale=("text",),
    note="ask the author about the coins",
    mark=True,
)
CHANGES = (Changed("abbreviation", "Dr.", "Doctor"), Changed("number", "24", "twenty-four"))


class Host(App[None]):
    """The panel, something else to have the focus, and what was posted."""

    def __init__(self) -> None:
        super().__init__()
        self.posted: list[Message] = []
        self.letters: list[str] = []

    BINDINGS = [("j", "letter('j')", ""), ("S", "letter('S')", "")]  # noqa: RUF012

    def compose(self) -> ComposeResult:
        yield Button("elsewhere")
        yield SegmentPanel()

    @property
    def panel(self) -> SegmentPanel:
        return self.query_one(SegmentPanel)

    @property
    def editor(self) -> SpokenEditor:
        return self.query_one(SpokenEditor)

    def action_letter(self, letter: str) -> None:
        self.letters.append(letter)

    def on_segment_panel_edit_done(self, event: SegmentPanel.EditDone) -> None:
        self.posted.append(event)

    def on_segment_panel_edit_cancelled(self, event: SegmentPanel.EditCancelled) -> None:
        self.posted.append(event)

    def on_segment_panel_open_in_editor(self, event: SegmentPanel.OpenInEditor) -> None:
        self.posted.append(event)


async def shown(segment: Segment, width: int = 94, state: State | None = None) -> str:
    app = Host()
    async with app.run_test(size=(width, 20)) as pilot:
        app.panel.show(segment, state=state)
        await settle(pilot)
        assert_rows_fill(app, width)
        return " ".join(screen_text(app).split())


@pytest.mark.parametrize("width", [80, 96])
async def test_golden_segment(width: int) -> None:
    app = Host()
    async with app.run_test(size=(width, 14)) as pilot:
        app.panel.show(HARROW, CHANGES)
        await settle(pilot)
        assert_golden(app, f"segment_{width}")
        app.panel.begin_edit()
        await settle(pilot)
        assert_golden(app, f"segment_edit_{width}")


async def test_the_empty_panel_says_what_to_press() -> None:
    app = Host()
    async with app.run_test(size=(60, 8)) as pilot:
        await settle(pilot)
        assert "j and k move" in screen_text(app)
        app.panel.begin_edit()
        assert not app.panel.editing


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (State.FAILED, "✗ failed: the engine ran out of memory twice"),
        (State.STALE, "~ stale: text changed since this take"),
        (State.FLAGGED, "! flagged: 0.9 s of silence inside"),
        (State.DRAFT, "○ draft: no take yet"),
        (State.APPROVED, "✓ approved"),
        (State.QUEUED, "… queued"),
        (State.READY, "● ready"),
    ],
)
async def test_a_state_gives_its_reason(state: State, said: str) -> None:
    assert said in await shown(in_state(state))


async def test_a_long_reason_gets_lines_of_its_own_and_is_whole() -> None:
    reason = "the engine refused the text because " + "it is far too long " * 8 + "to be read"
    text = await shown(replace(BASE, failure=reason), 60)
    assert "✗ failed · " in text
    assert reason in text


async def test_what_else_is_known_has_a_word() -> None:
    segment = replace(
        BASE, edited=True, elsewhere=True, pause_ms=2500, speed=1.1, kind=Kind.DIALOGUE
    )
    text = await shown(segment, 140, State.NARRATING)
    for word in ("dialogue", "▶ narrating", "typed by hand", "made elsewhere", "2.5s", "×1.10"):
        assert word in text


async def test_a_scene_break_is_a_silence() -> None:
    segment = replace(BASE, kind=Kind.SCENE_BREAK, source="", spoken="", pause_ms=2000)
    assert "silence of 2.0s" in await shown(segment)


def test_only_the_words_that_differ_are_marked() -> None:
    before, after = differences(HARROW.source, HARROW.spoken)
    assert [word for word, mark in before if mark] == ["Dr.", "24"]
    assert [word for word, mark in after if mark] == ["Doctor", "twenty-four"]


@given(st.text(max_size=80), st.text(max_size=80))
def test_what_is_not_marked_is_the_same_on_both_sides(before: str, after: str) -> None:
    left, right = differences(before, after)
    assert [word for word, _ in left] == before.split()
    assert [w for w, mark in left if not mark] == [w for w, mark in right if not mark]


async def test_marked_words_are_underlined_on_the_screen() -> None:
    app = Host()
    async with app.run_test(size=(94, 14)) as pilot:
        app.panel.show(HARROW)
        await settle(pilot)
        marked = [
            piece.text
            for strip in strips(app)
            for piece in strip
            if piece.style is not None and piece.style.underline
        ]
        assert marked == ["Dr.", "24", "Doctor", "twenty-four"]


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("width", [40, 94])
async def test_any_text_fills_its_lines(text: str, width: int) -> None:
    await shown(replace(BASE, source=text * 3, spoken=text, note=text), width)


async def test_enter_keeps_the_text_of_the_segment_it_was_opened_on() -> None:
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        button = app.query_one(Button)
        button.focus()
        await settle(pilot)
        app.panel.show(HARROW)
        app.panel.begin_edit()
        await pilot.press("S", "j")
        app.panel.show(replace(BASE, uid="s17", number=17, source="Next", spoken="Next"))
        await settle(pilot)
        assert app.panel.segment == HARROW, "another segment waits for the editor"
        await pilot.press("enter")
        await settle(pilot)
        assert app.posted == [SegmentPanel.EditDone("s16", HARROW.spoken + "Sj")]
        assert app.letters == [], "no bare letter acts while the editor has the focus"
        assert app.focused is button
        assert app.panel.segment is not None
        assert app.panel.segment.uid == "s17"
        assert not app.panel.editing


async def test_escape_keeps_nothing() -> None:
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        app.panel.show(HARROW)
        app.panel.begin_edit()
        await pilot.press("x", "escape")
        await settle(pilot)
        assert app.posted == [SegmentPanel.EditCancelled("s16")]
        assert not app.editor.display
        app.panel.begin_edit()
        assert app.editor.text == HARROW.spoken


async def test_going_on_in_an_editor_outside() -> None:
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        app.panel.show(HARROW)
        app.panel.begin_edit("Draft")
        await pilot.press("ctrl+o")
        await settle(pilot)
        assert app.posted == [SegmentPanel.OpenInEditor("s16", "Draft")]
        assert app.panel.editing
        app.panel.begin_edit("Two\nlines\n")
        await pilot.press("enter")
        await settle(pilot)
        assert app.posted[-1] == SegmentPanel.EditDone("s16", "Two lines")


async def test_a_segment_stays_one_paragraph() -> None:
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        app.panel.show(HARROW)
        app.panel.begin_edit("One")
        await settle(pilot)
        app.editor.post_message(Paste(" two\nthree\r\nfour"))
        await settle(pilot)
        assert app.editor.text == "One two three four"


async def test_words_are_motions_in_the_editor() -> None:
    app = Host()
    async with app.run_test(size=(80, 20)) as pilot:
        app.panel.show(HARROW)
        app.panel.begin_edit("one two three")
        await pilot.press("ctrl+w", "ctrl+left", "X")
        await settle(pilot)
        assert app.editor.text == "one Xtwo "


async def test_a_long_text_scrolls() -> None:
    app = Host()
    async with app.run_test(size=(60, 12)) as pilot:
        app.panel.styles.height = 6
        long = " ".join(f"word{n}" for n in range(200))
        app.panel.show(replace(BASE, source=long, spoken=long + " end", note="the last line"))
        await settle(pilot)
        assert "the last line" not in screen_text(app)
        app.panel.focus()
        await pilot.press("G")
        await settle(pilot)
        assert "the last line" in screen_text(app)
        app.panel.show(replace(HARROW, uid="s99"))
        await settle(pilot)
        assert "Harrow" in screen_text(app), "another segment starts at its top"
