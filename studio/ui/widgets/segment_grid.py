"""The book as a grid of segments: any length, painted from what is visible, holding no data.

It asks a `RowSource` for the rows on the screen and for nothing else. A changed row is one
repainted line; a book of fifty thousand segments opens like one of fifty.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar, Protocol

from rich.segment import Segment as Piece
from rich.style import Style
from textual.events import MouseScrollDown, MouseScrollUp
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip

from studio.project.model import GLYPHS, Kind, Segment, State
from studio.ui import cells
from studio.ui.widgets.line_list import LineList, on_ground
from studio.ui.widgets.segment_columns import LENGTH, TAKE, Layout, layout, values

SCENE_BREAK = "———  (scene break)"


class RowSource(Protocol):
    """What the grid shows: rows by index, already filtered and in order."""

    def __len__(self) -> int:
        """How many rows there are."""
        ...

    def row(self, index: int) -> Segment:
        """The segment in a row."""
        ...

    def revision(self, index: int) -> int:
        """A number that changes whenever what `row` gives for this segment changes."""
        ...

    def state(self, index: int) -> State:
        """The state to show, *narrating* included."""
        ...

    def index_of(self, uid: str) -> int | None:
        """Where a segment stands, or None where it is not shown; not a search."""
        ...

    def selected(self, uid: str) -> bool:
        """Whether a person selected it."""
        ...


class SegmentGrid(LineList):
    """The segments of a book or a chapter."""

    DEFAULT_CSS = """
    SegmentGrid {
        & > .segment-grid--selected { background: $secondary 14%; }
        & > .segment-grid--hit { color: $text; background: $warning 45%; text-style: bold; }
        & > .segment-grid--mark { color: $text-accent; text-style: bold; }
        & > .segment-grid--heading { text-style: bold; }
        & > .segment-grid--dialogue { color: $text-primary; }
        & > .segment-grid--verse { text-style: italic; }
        & > .segment-grid--narrating { color: $text-primary; text-style: bold; }
        & > .segment-grid--queued { color: $text-primary; }
        & > .segment-grid--failed { color: $text-error; text-style: bold; }
        & > .segment-grid--draft { color: $text-muted; }
        & > .segment-grid--stale { color: $text-warning; }
        & > .segment-grid--flagged { color: $text-warning; text-style: bold; }
        & > .segment-grid--approved { color: $text-success; }
        & > .segment-grid--ready { color: $foreground; }
        &:ansi > .segment-grid--selected { background: $background; }
        &:ansi > .segment-grid--hit { color: ansi_black; background: $warning; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"segment-grid--{state.value}" for state in State),
        "segment-grid--selected",
        "segment-grid--hit",
        "segment-grid--mark",
        "segment-grid--heading",
        "segment-grid--dialogue",
        "segment-grid--verse",
    }
    HEADER = 1

    following: reactive[bool] = reactive(False, repaint=False)
    """Whether `follow` moves the cursor; a person who moves or scrolls switches it off."""

    @dataclass
    class CursorMoved(Message):
        """The cursor has come to another segment."""

        uid: str
        index: int

    @dataclass
    class Activated(Message):
        """A segment was double-clicked, or entered where the screen says so."""

        uid: str

    def __init__(
        self,
        source: RowSource | None = None,
        *,
        empty: str = "There is nothing here yet.",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """A grid.

        Args:
            source: Whom to ask for rows; can be set later.
            empty: What to say where there are none, and what to press.
            id: Widget id.
            classes: Widget classes.
        """
        super().__init__(empty=empty, id=id, classes=classes)
        self._source = source
        self._uid: str | None = None
        self._pattern: re.Pattern[str] | None = None
        self._layout: tuple[tuple[int, int], Layout] | None = None
        self.expected = 0
        """Rows that are to come, so that columns stand where they will stand."""

    # Data.

    @property
    def source(self) -> RowSource | None:
        """Whom the grid asks."""
        return self._source

    @property
    def uid(self) -> str | None:
        """The segment under the cursor."""
        return self._uid

    def set_source(self, source: RowSource) -> None:
        """Show other rows, from the first one; the segment under the cursor is kept if it is there.

        Args:
            source: Whom to ask from now on.
        """
        self._source = source
        self.reload(self._uid)

    def reload(self, keep_uid: str | None = None) -> None:
        """Rows came, went or moved: look at the source again.

        Args:
            keep_uid: The segment to leave the cursor on, on the same line of the screen if it can
                be; None for the one it is on. Where it is gone, the cursor stays at its place.
        """
        uid = keep_uid or self._uid
        found = self._source.index_of(uid) if self._source is not None and uid else None
        old_index, old_top = self.cursor, self.scroll_offset.y
        index = old_index if found is None else found
        self.forget_lines()  # a new list may count its revisions from the start again
        self.rows_changed()
        self.set_reactive(SegmentGrid.cursor, self.validate_cursor(index))
        if self.cursor != old_index:
            self.scroll_to(y=max(0, old_top + self.cursor - old_index), animate=False)
        if self.count():
            self.reveal(self.cursor)
        self._tell()

    def refresh_rows(self, uids: Collection[str]) -> None:
        """Some segments changed: repaint those on the screen.

        Args:
            uids: Which; any number of them, the cost is at most that of a screenful.
        """
        if self._source is None:
            return
        if len(uids) > self.page:
            self.refresh()
            return
        for uid in uids:
            index = self._source.index_of(uid)
            if index is not None:
                self.refresh_row(index)

    def set_highlight(self, pattern: re.Pattern[str] | str | None) -> None:
        """Mark what was searched for, wherever it is visible.

        Args:
            pattern: A compiled expression, a plain text (any case), or None for nothing.
        """
        if isinstance(pattern, str):
            pattern = re.compile(re.escape(pattern), re.IGNORECASE) if pattern else None
        self._pattern = pattern
        self.forget_lines()

    # The cursor.

    def move_to_uid(self, uid: str, *, center: bool = False) -> bool:
        """Put the cursor on a segment.

        Args:
            uid: Which.
            center: Whether to put it in the middle of the screen.

        Returns:
            Whether it is among the rows.
        """
        index = self._source.index_of(uid) if self._source is not None else None
        if index is None:
            return False
        self.move_to(index, center=center)
        return True

    def follow(self, uid: str) -> None:
        """Move the cursor along with playback, as long as `following` is on."""
        if self.following:
            self.move_to_uid(uid)

    def move_by(self, rows: int) -> None:
        """Move the cursor by hand, which ends following."""
        self.following = False
        super().move_by(rows)

    def clicked(self) -> None:
        """A click is a move by hand."""
        self.following = False

    def on_mouse_scroll_down(self, _event: MouseScrollDown) -> None:
        """Scrolling ends following, or the next line would pull the view back."""
        self.following = False

    def on_mouse_scroll_up(self, _event: MouseScrollUp) -> None:
        """The same upwards."""
        self.following = False

    def activate(self) -> None:
        """Post `Activated` for the row under the cursor."""
        if self._uid is not None:
            self.post_message(self.Activated(self._uid))

    def cursor_moved(self) -> None:
        """Post `CursorMoved`."""
        self._tell()

    def _tell(self) -> None:
        """Take note of the segment under the cursor, and say so if it is another one."""
        rows = self.count()
        uid = self._source.row(self.cursor).uid if self._source is not None and rows else None
        if uid != self._uid:
            self._uid = uid
            if uid is not None:
                self.post_message(self.CursorMoved(uid, self.cursor))

    def on_mount(self) -> None:
        """Start with the first row."""
        self.reload()

    # Painting.

    def count(self) -> int:
        """How many rows the source has."""
        return 0 if self._source is None else len(self._source)

    def _shared(self, columns: int) -> Layout:
        """The layout at this width."""
        most = max(self.count(), self.expected)
        key = (columns, len(str(most)))
        if self._layout is None or self._layout[0] != key:
            self._layout = (key, layout(columns, most))
        return self._layout[1]

    def render_lines(self, crop: Region) -> list[Strip]:
        """The lines that the screen asks for, from this list's own cache.

        Textual's cache knows lines by their place on the screen, so every scroll would empty it.
        """
        columns, top = self.columns, self.scroll_offset.y
        strips = [self.line(y, columns, top) for y in crop.line_range]
        background = self.background_colors[1]
        for line_filter in self.get_line_filters():
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def draw_header(self, columns: int) -> Strip:
        """The names of the columns."""
        key = ("header", columns, self._shared(columns).number)
        known = self.cached(key)
        if known is not None:
            return known
        at = self._shared(columns)
        line = "   " + cells.fit("#", at.number, right=True) + "  "
        line += cells.fit("state" if at.state > 1 else "", at.state) + " "
        line += cells.fit("text", at.text)
        for column in at.columns:
            line += " " + cells.fit(column.name, column.cells, right=column.right)
        style = self.rich_style + self.style("line-list--header")
        return self.keep(key, Strip([Piece(cells.fit(line, columns), style)], columns))

    def draw_row(self, index: int, columns: int) -> Strip:
        """One segment, from the cache where nothing about it changed."""
        assert self._source is not None
        segment = self._source.row(index)
        state = self._source.state(index)
        selected = self._source.selected(segment.uid)
        here = index == self.cursor
        key = (
            segment.uid,
            self._source.revision(index),
            segment.number,
            state,
            columns,
            self._shared(columns).number,
            selected,
            here and (2 if self.has_focus else 1),
        )
        known = self.cached(key)
        if known is not None:
            return known
        at = self._shared(columns)
        pieces = self._pieces(segment, state, selected, here, at)
        base = self.ground(index)
        if selected and not here:
            base = self.style("segment-grid--selected", ground=True)
        strip = Strip(on_ground(pieces, base))
        return self.keep(key, strip.adjust_cell_length(columns, base))

    def _pieces(
        self, segment: Segment, state: State, selected: bool, here: bool, at: Layout
    ) -> list[tuple[str, Style]]:
        """The parts of a row from left to right, each already as wide as its place."""
        plain, muted = Style.null(), self.style("line-list--muted")
        mark = "◆" if segment.mark else "≡" if segment.note else " "
        word = f"{GLYPHS[state]} {state.value}" if at.state > 1 else GLYPHS[state]
        pieces = [
            ("▌" if here else " ", self.style("line-list--bar")),
            ("+" if selected else " ", self.style("segment-grid--mark")),
            (mark, self.style("segment-grid--mark")),
            (cells.fit(str(segment.number), at.number, right=True) + "  ", muted),
            (cells.fit(word, at.state) + " ", self.style(f"segment-grid--{state.value}")),
            *self._text(segment, at.text),
        ]
        shown = values(segment)
        for column in at.columns:
            value = cells.fit(shown[column.name], column.cells, right=column.right)
            quiet = column is not TAKE and column is not LENGTH
            pieces.append((" " + value, muted if quiet else plain))
        return pieces

    def _text(self, segment: Segment, width: int) -> list[tuple[str, Style]]:
        """The text of a segment, its kind visible and what was searched for marked."""
        if segment.kind is Kind.SCENE_BREAK:
            return [(cells.fit(SCENE_BREAK, width), self.style("line-list--muted"))]
        indent = "  " if segment.kind is Kind.VERSE and width > 8 else ""
        style = Style.null()
        if segment.kind is not Kind.PROSE:
            style = self.style(f"segment-grid--{segment.kind.value}")
        text = segment.spoken if segment.inserted else segment.source
        shown = cells.crop(text, width - len(indent))
        pieces = [(indent, style), *self._hits(text, shown, style)]
        return [*pieces, (" " * (width - len(indent) - cells.width(shown)), style)]

    def _hits(self, text: str, shown: str, style: Style) -> list[tuple[str, Style]]:
        """The visible text in pieces; where only the cut part has a hit, the ellipsis tells."""
        if self._pattern is None:
            return [(shown, style)]
        hit = style + self.style("segment-grid--hit", ground=True)
        pieces: list[tuple[str, Style]] = []
        end = 0
        for match in self._pattern.finditer(shown):
            if match.end() > match.start():
                pieces += [(shown[end : match.start()], style), (match.group(), hit)]
                end = match.end()
        rest = shown[end:]
        cut = not pieces and rest.endswith(cells.ELLIPSIS)
        if cut and any(match.group() for match in self._pattern.finditer(text)):
            return [(rest[:-1], style), (cells.ELLIPSIS, hit)]
        return [*pieces, (rest, style)]
