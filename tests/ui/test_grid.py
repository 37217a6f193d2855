"""The segment grid: what it shows, where the cursor goes, and how little it asks."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.color import ColorSystem
from rich.style import Style
from screens_text import assert_golden, assert_rows_fill, screen_text, settle, strips
from textual.app import App, ComposeResult
from textual.events import MouseScrollDown
from textual.message import Message
from textual.strip import Strip
from ui_fakes import BASE, TEXTS, Rows, in_state, segment

from studio.project.model import GLYPHS, Kind, State
from studio.ui.widgets.line_list import on_ground
from studio.ui.widgets.segment_columns import layout
from studio.ui.widgets.segment_grid import SegmentGrid


class Host(App[None]):
    """A grid and nothing else, and what it posted."""

    def __init__(self, rows: Rows, empty: str = "") -> None:
        super().__init__()
        self.rows = rows
        self.empty = empty
        self.posted: list[Message] = []

    def compose(self) -> ComposeResult:
        yield SegmentGrid(self.rows, empty=self.empty)

    def on_mount(self) -> None:
        self.grid.focus()

    @property
    def grid(self) -> SegmentGrid:
        return self.query_one(SegmentGrid)

    def on_segment_grid_cursor_moved(self, event: SegmentGrid.CursorMoved) -> None:
        self.posted.append(event)

    def on_segment_grid_activated(self, event: SegmentGrid.Activated) -> None:
        self.posted.append(event)


def lines(app: App[Any]) -> list[str]:
    return screen_text(app).splitlines()


def line_of(app: App[Any], number: int) -> str:
    """The painted line of the segment with this number."""
    found = [line for line in lines(app) if re.match(rf"[▌ ][+ ][◆≡ ] *{number}  ", line)]
    assert len(found) == 1, f"segment {number} is on {len(found)} lines"
    return found[0]


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (94, 20), (40, 10), (20, 8), (200, 50)])
async def test_every_line_fills_the_screen_whatever_the_text(size: tuple[int, int]) -> None:
    async with Host(Rows(200)).run_test(size=size) as pilot:
        await settle(pilot)
        assert_rows_fill(pilot.app, size[0])


@pytest.mark.parametrize(("size", "name"), [((80, 24), "grid_80"), ((120, 36), "grid_120")])
async def test_golden_grid(size: tuple[int, int], name: str) -> None:
    rows = Rows(20_000)
    rows.narrating = {"s10"}
    rows.chosen = {"s7", "s8"}
    async with Host(rows).run_test(size=size) as pilot:
        pilot.app.query_one(SegmentGrid).move_to(9)
        await settle(pilot)
        assert_golden(pilot.app, name)


@pytest.mark.parametrize("width", [60, 80, 84, 92, 94, 120, 160])
async def test_columns_line_up_under_their_names(width: int) -> None:
    """Counted in cells, each value ends (or starts) where the name above it does."""
    rows = Rows(len(TEXTS) * 2)
    for place, uid in enumerate(rows.uids):
        text = TEXTS[place % len(TEXTS)] * 3
        kind = Kind.VERSE if place % 2 else Kind.PROSE
        rows.change(uid, replace(BASE, uid=uid, number=place + 1, source=text, kind=kind))
    async with Host(rows).run_test(size=(width, 30)) as pilot:
        await settle(pilot)
        header, *body = lines(pilot.app)[: len(rows) + 1]
        text_at = header.index("text")
        take_ends = cell_len(header[: header.index("take") + 4])
        for line in body:
            assert cell_len(line[: line.index("● ready")]) == header.index("state")
            assert line[: line.index("● ready")].isascii() or "▌" in line
            before_take = line[: line.rindex("2/2") + 3]
            assert cell_len(before_take) == take_ends
            # The text begins in its column: state is eleven cells and a space.
            assert text_at == header.index("state") + 12
            if "len" in header:
                assert cell_len(line[: line.rindex("4.1s") + 4]) == cell_len(
                    header[: header.index("len") + 3]
                )


def test_the_seed_is_the_first_column_to_go() -> None:
    names = {
        width: [column.name for column in layout(width, 48).columns]
        for width in (94, 86, 80, 50, 30)
    }
    assert names[94] == ["voice", "seed", "take", "len", "rtf"]
    assert names[86] == ["voice", "take", "len", "rtf"]
    assert names[80] == ["take", "len"]
    assert names[50] == ["take"]
    assert names[30] == []
    assert layout(80, 20_000).text > 40


@pytest.mark.parametrize("state", list(State))
async def test_a_state_is_glyph_word_and_colour(state: State) -> None:
    rows = Rows(2)
    rows.change("s2", replace(in_state(state), uid="s2", number=2))
    rows.change("s1", replace(in_state(State.READY), uid="s1", number=1))
    if state is State.NARRATING:
        rows.narrating.add("s2")
    async with Host(rows).run_test(size=(80, 6)) as pilot:
        await settle(pilot)
        label = f"{GLYPHS[state]} {state.value}"
        assert label in line_of(pilot.app, 2)
        styles = [
            piece.style
            for strip in strips(pilot.app)[2:3]
            for piece in strip
            if label in piece.text
        ]
        assert len(styles) == 1
        if state is not State.READY:
            ready = pilot.app.query_one(SegmentGrid).style("segment-grid--ready")
            assert styles[0] is not None
            assert (styles[0].color, styles[0].bold) != (ready.color, ready.bold)


async def test_kinds_marks_notes_and_selection_are_visible() -> None:
    rows = Rows(6)
    rows.change("s1", replace(BASE, uid="s1", number=1, kind=Kind.HEADING, source="One"))
    rows.change(
        "s2", replace(BASE, uid="s2", number=2, kind=Kind.VERSE, source="A rose", mark=True)
    )
    rows.change("s3", replace(BASE, uid="s3", number=3, note="check", source="Plain"))
    rows.change("s4", replace(BASE, uid="s4", number=4, kind=Kind.SCENE_BREAK, source=""))
    rows.change("s5", replace(BASE, uid="s5", number=5, kind=Kind.SCENE_BREAK, pause_ms=1500))
    rows.chosen = {"s3"}
    async with Host(rows).run_test(size=(94, 9)) as pilot:
        await settle(pilot)
        text_at = lines(pilot.app)[0].index("text")
        assert line_of(pilot.app, 1).startswith("▌")
        assert line_of(pilot.app, 2)[2] == "◆"
        assert line_of(pilot.app, 2)[text_at : text_at + 8] == "  A rose"
        assert line_of(pilot.app, 3)[1:3] == "+≡"
        assert "———  (scene break)" in line_of(pilot.app, 4)
        assert line_of(pilot.app, 4).split()[-3:] == ["–", "·", "·"]
        assert line_of(pilot.app, 5).split()[-3:] == ["–", "1.5s", "·"]
        heading = [p for p in strips(pilot.app)[1] if "One" in p.text]
        assert heading[0].style is not None
        assert heading[0].style.bold


async def test_the_empty_grid_says_what_to_press() -> None:
    app = Host(Rows(0), empty="No line is flagged. esc shows all lines again.")
    async with app.run_test(size=(40, 8)) as pilot:
        await settle(pilot)
        assert "No line is flagged. esc shows all" in screen_text(app)
        assert_rows_fill(app, 40)
        for key in ("j", "k", "G", "home", "pagedown", "ctrl+d"):
            await pilot.press(key)
        assert app.grid.cursor == 0
        assert app.grid.uid is None
        assert not app.posted


async def test_keys_move_the_cursor_and_keep_it_in_sight() -> None:
    app = Host(Rows(300))
    async with app.run_test(size=(80, 24)) as pilot:
        page = app.grid.page
        assert page == 23
        moves: list[tuple[str, int]] = [
            ("j", 1),
            ("down", 2),
            ("k", 1),
            ("ctrl+d", 1 + page // 2),
            ("ctrl+u", 1),
            ("pagedown", page),
            ("pageup", 1),
            ("G", 299),
            ("j", 299),
            ("home", 0),
            ("up", 0),
            ("end", 299),
        ]
        for key, index in moves:
            await pilot.press(key)
            await settle(pilot)
            assert app.grid.cursor == index, key
            assert line_of(app, index + 1).startswith("▌"), key
            assert sum(line.startswith("▌") for line in lines(app)) == 1, key


async def test_the_cursor_keeps_some_lines_of_context() -> None:
    app = Host(Rows(300))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(25):
            await pilot.press("j")
        await settle(pilot)
        top = app.grid.on_screen()
        assert 25 + app.grid.SCROLL_OFF == top[-1]
        for _ in range(18):
            await pilot.press("k")
        await settle(pilot)
        assert 7 - app.grid.SCROLL_OFF <= app.grid.on_screen()[0]
        assert 7 in app.grid.on_screen()


async def test_every_step_is_posted_once() -> None:
    app = Host(Rows(50))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("j", "j", "k", "k", "k")
        await settle(pilot)
        moved = [(m.uid, m.index) for m in app.posted if isinstance(m, SegmentGrid.CursorMoved)]
        assert moved == [("s1", 0), ("s2", 1), ("s3", 2), ("s2", 1), ("s1", 0)]


async def test_the_mouse_moves_activates_and_scrolls() -> None:
    app = Host(Rows(300))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(SegmentGrid, offset=(20, 6))
        assert app.grid.cursor == 5
        await pilot.click(SegmentGrid, offset=(20, 0))
        assert app.grid.cursor == 5, "a click on the names of the columns is none on a row"
        await pilot.click(SegmentGrid, offset=(20, 8), times=2)
        await settle(pilot)
        assert app.grid.cursor == 7
        activated = [m.uid for m in app.posted if isinstance(m, SegmentGrid.Activated)]
        assert activated == ["s8"]
        app.grid.following = True
        await pilot._post_mouse_events([MouseScrollDown], SegmentGrid, offset=(20, 8))
        await settle(pilot)
        assert app.grid.cursor == 7
        assert app.grid.on_screen()[0] > 0
        assert not app.grid.following


async def test_following_ends_where_a_person_moves() -> None:
    app = Host(Rows(300))
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.follow("s9")
        assert app.grid.cursor == 0
        app.grid.following = True
        app.grid.follow("s90")
        assert app.grid.cursor == 89
        await pilot.press("k")
        app.grid.follow("s91")
        assert app.grid.cursor == 88


async def test_reload_keeps_the_segment_and_its_line_on_the_screen() -> None:
    rows = Rows(400)
    app = Host(rows)
    async with app.run_test(size=(80, 24)) as pilot:
        app.grid.move_to(200, center=True)
        await settle(pilot)
        line = 200 - app.grid.on_screen()[0]
        app.posted.clear()
        rows.keep([uid for uid in rows.uids if int(uid[1:]) % 3 == 0])  # s201 is the 67th of these
        app.grid.reload()
        await settle(pilot)
        assert (app.grid.cursor, app.grid.uid) == (66, "s201")
        assert app.grid.cursor - app.grid.on_screen()[0] == line
        assert not app.posted, "it is the same segment"
        rows.keep([uid for uid in rows.uids if uid != "s201"])
        app.grid.reload()
        await settle(pilot)
        assert (app.grid.cursor, app.grid.uid) == (66, "s204")
        rows.keep(["s3"])
        app.grid.reload("s3")
        await settle(pilot)
        assert (app.grid.cursor, app.grid.uid) == (0, "s3")
        assert "s3" not in screen_text(app)
        assert line_of(app, 3).startswith("▌")
        rows.keep([])
        app.grid.reload()
        assert app.grid.uid is None


async def test_a_new_list_with_old_revisions_is_painted_anew() -> None:
    rows = Rows(5)
    app = Host(rows)
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        rows.changed["s3"] = replace(BASE, uid="s3", number=3, source="Other words")
        app.grid.reload()
        await settle(pilot)
        assert "Other words" in line_of(app, 3)


async def test_search_hits_are_marked_also_behind_the_cut() -> None:
    rows = Rows(2)
    rows.change("s1", replace(BASE, uid="s1", number=1, source="A bell, and a Bell again"))
    rows.change("s2", replace(BASE, uid="s2", number=2, source="x " * 60 + "bell"))
    app = Host(rows)
    async with app.run_test(size=(80, 6)) as pilot:

        def hits() -> list[str]:
            ground = app.grid.style("segment-grid--hit", ground=True).bgcolor
            pieces = [piece for strip in strips(app)[1:3] for piece in strip]
            return [p.text for p in pieces if p.style is not None and p.style.bgcolor == ground]

        app.grid.set_highlight("bell")
        await settle(pilot)
        assert hits() == ["bell", "Bell", "…"]
        app.grid.set_highlight(re.compile(r"B\w+"))
        await settle(pilot)
        assert hits() == ["Bell"]
        app.grid.set_highlight(re.compile(""))
        await settle(pilot)
        assert hits() == []
        app.grid.set_highlight(None)
        await settle(pilot)
        assert hits() == []
        assert_rows_fill(app, 80)


async def test_another_theme_repaints_every_line() -> None:
    app = Host(Rows(40))
    async with app.run_test(size=(80, 12)) as pilot:
        await settle(pilot)
        dark = strips(app)[3]
        app.theme = "textual-light"
        await settle(pilot)
        light = strips(app)[3]
        assert light.text == dark.text
        assert [p.style for p in light] != [p.style for p in dark]


COUNTED: list[tuple[str, Callable[[SegmentGrid, Rows], None], int]] = [
    ("one change on the screen", lambda grid, rows: _change(grid, rows, ["s5"]), 1),
    ("one change elsewhere", lambda grid, rows: _change(grid, rows, ["s15000"]), 0),
    ("a step", lambda grid, rows: grid.move_to(1), 3),
    ("no step", lambda grid, rows: grid.move_to(0), 0),
]


def _change(grid: SegmentGrid, rows: Rows, uids: list[str]) -> None:
    for uid in uids:
        rows.change(uid, replace(segment(int(uid[1:])), source="Changed"))
    grid.refresh_rows(uids)


@pytest.mark.parametrize(("what", "act", "most"), COUNTED, ids=[case[0] for case in COUNTED])
async def test_an_act_draws_only_the_rows_it_changes(
    what: str, act: Callable[[SegmentGrid, Rows], None], most: int
) -> None:
    rows = Rows(20_000)
    app = Host(rows)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        drawn = drawings(app.grid)
        rows.reads = 0
        act(app.grid, rows)
        await settle(pilot)
        assert len(drawn) <= most, what
        assert rows.reads <= 2 * 36, "no more than a screenful for each paint"


def drawings(grid: SegmentGrid) -> list[object]:
    """A list that grows with every line that is drawn and not only taken from the cache."""
    drawn: list[object] = []
    keep = grid.keep

    def note(key: Hashable, strip: Strip) -> Strip:
        drawn.append(key)
        return keep(key, strip)

    grid.keep = note  # type: ignore[method-assign]
    return drawn


async def test_a_step_that_scrolls_draws_what_came_and_no_scroll_bar() -> None:
    app = Host(Rows(20_000))
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        app.grid.move_to(40)
        await settle(pilot)
        drawn = drawings(app.grid)
        bar = app.grid.vertical_scrollbar
        before = bar.position
        top = app.grid.scroll_offset.y
        for _ in range(10):
            app.grid.move_by(1)
            await settle(pilot)
        assert app.grid.scroll_offset.y == top + 10
        # The row that came into view, the cursor's old row and its new one.
        assert len(drawn) <= 3 * 10
        assert bar.position == before, "the thumb would look the same"
        app.grid.move_to(19_999)
        await settle(pilot)
        assert bar.position == app.grid.max_scroll_y


async def test_twenty_thousand_rows_are_opened_by_reading_a_screenful() -> None:
    rows = Rows(20_000)
    app = Host(rows)
    async with app.run_test(size=(120, 36)) as pilot:
        await settle(pilot)
        assert rows.reads <= 6 * 36, "a few paints of one screen"
        for act in (
            lambda: app.grid.move_to(12_345),
            lambda: app.grid.reload(),
            lambda: _change(app.grid, rows, rows.uids[:5000]),
        ):
            rows.reads = 0
            act()
            await settle(pilot)
            assert rows.reads <= 6 * 36


async def test_a_changed_row_is_painted_once_and_alone() -> None:
    rows = Rows(20_000)
    app = Host(rows)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        before = lines(app)
        _change(app.grid, rows, ["s5"])
        await settle(pilot)
        changed = [n for n, (a, b) in enumerate(zip(before, lines(app), strict=True)) if a != b]
        assert changed == [5]
        assert "Changed" in line_of(app, 5)


async def test_painted_lines_are_kept_within_bounds() -> None:
    app = Host(Rows(5000))
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(60):
            app.grid.action_page_down()
            await pilot.pause()
        assert len(app.grid._lines) <= app.grid.CACHED_LINES


def test_a_reversed_row_is_no_patchwork_of_inks() -> None:
    red, hit_style = Style(color="red", bold=True), Style(bgcolor="blue")
    pieces = [("  ", red), ("a", red), (" ", hit_style)]
    for ground, ink in (
        (Style(reverse=True), Style(bold=True)),  # reversed, it would be a red block
        (Style(bgcolor="black"), red),
    ):
        blank, letter, hit = on_ground(pieces, ground)
        assert blank.style == ground
        assert letter.style == ground + ink
        assert hit.style == ground + hit_style


@pytest.mark.parametrize("system", [None, ColorSystem.STANDARD, ColorSystem.TRUECOLOR])
async def test_the_row_with_the_keys_is_told_from_one_without_by_more_than_a_shade(
    system: ColorSystem | None,
) -> None:
    app = Host(Rows(9))
    async with app.run_test(size=(80, 12)) as pilot:
        app.console._color_system = system
        app.grid.forget_lines()
        await settle(pilot)

        def look() -> set[tuple[bool, bool]]:
            return {
                (bool(piece.style and piece.style.bold), bool(piece.style and piece.style.reverse))
                for piece in strips(app)[1]
                if piece.text.strip()
            }

        focused = look()
        app.set_focus(None)
        await settle(pilot)
        assert look() != focused
