"""The list under every list of the studio: a Line-API view that paints only what is visible.

A subclass says how many rows there are and how one is drawn. The base keeps the cursor, the
scrolling, the mouse and the cache of painted lines. Nothing here ever walks over all rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import ClassVar

from rich.segment import Segment as Piece
from rich.style import Style
from textual.binding import Binding, BindingType
from textual.cache import LRUCache
from textual.events import Click
from textual.geometry import Size
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from studio.ui import cells

MOVES: tuple[BindingType, ...] = (
    Binding("down,j", "cursor_down", "Down", show=False, id="move.down"),
    Binding("up,k", "cursor_up", "Up", show=False, id="move.up"),
    Binding("ctrl+d", "half_page_down", "Half a page down", show=False, id="move.half-down"),
    Binding("ctrl+u", "half_page_up", "Half a page up", show=False, id="move.half-up"),
    Binding("pagedown", "page_down", "A page down", show=False, id="move.page-down"),
    Binding("pageup", "page_up", "A page up", show=False, id="move.page-up"),
    Binding("home", "cursor_home", "First", show=False, id="move.first"),
    Binding("end,G", "cursor_end", "Last", show=False, id="move.last"),
)
"""Moving about, the same in every list; the ids let a keymap rebind them everywhere at once."""


FEW_COLORS = frozenset({None, "standard", "windows"})
"""What Rich calls a terminal of 16 colours, or of none."""


def on_ground(pieces: Iterable[tuple[str, Style]], base: Style) -> list[Piece]:
    """The parts of a row on its ground.

    A blank takes the ground alone, and a cursor that reverses takes no inks: each would be a block
    of its colour.
    """
    return [Piece(text, base + _ink(text, style, base)) for text, style in pieces]


def _ink(text: str, style: Style, base: Style) -> Style:
    """What of a style is to be seen on a ground."""
    if style.bgcolor is not None:
        return style
    if text.isspace():
        return Style.null()
    return style.without_color if base.reverse else style


class LineList(ScrollView, can_focus=True, inherit_bindings=False):
    """A cursor over rows that somebody else holds."""

    DEFAULT_CSS = """
    LineList {
        scrollbar-size-vertical: 1;
        overflow-x: hidden;
        overflow-y: auto;
        & > .line-list--cursor { background: $primary 30%; text-style: bold; }
        & > .line-list--cursor-blurred { background: $primary 14%; }
        & > .line-list--bar { color: $accent; }
        & > .line-list--muted { color: $text-muted; }
        & > .line-list--header { color: $text-muted; text-style: underline; }
        &:ansi > .line-list--cursor { background: $background; text-style: reverse; }
        &:ansi > .line-list--cursor-blurred { background: $background; text-style: bold; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "line-list--cursor",
        "line-list--cursor-blurred",
        "line-list--bar",
        "line-list--muted",
        "line-list--header",
    }
    BINDINGS: ClassVar[list[BindingType]] = list(MOVES)

    ALLOW_SELECT = False
    """A drag would select screen text, and a double click a word of it."""
    CACHED_LINES = 160
    """Painted lines kept; a few screenfuls."""
    HEADER = 0
    """Lines at the top that do not scroll."""
    SCROLL_OFF = 3
    """Rows of context kept above and below the cursor."""

    cursor: reactive[int] = reactive(0, repaint=False, init=False)
    """Index of the current row; 0 also where there are no rows."""

    def __init__(self, *, empty: str = "", id: str | None = None, classes: str | None = None):  # noqa: A002 (Textual's word)
        """A list without rows.

        Args:
            empty: What to say where there are no rows, and what to press.
            id: Widget id.
            classes: Widget classes.
        """
        super().__init__(id=id, classes=classes)
        self._empty = empty
        self._lines: LRUCache[Hashable, Strip] = LRUCache(self.CACHED_LINES)
        self._style_revision = 0
        self._styles: dict[tuple[str, bool], Style] = {}

    # What a subclass says.

    def count(self) -> int:
        """How many rows there are."""
        raise NotImplementedError

    def draw_header(self, columns: int) -> Strip:
        """The line at the top, exactly as wide as told; asked only where `HEADER` is 1."""
        raise NotImplementedError

    def draw_row(self, index: int, columns: int) -> Strip:
        """One row, exactly as wide as told."""
        raise NotImplementedError

    def cursor_moved(self) -> None:
        """Called when the cursor has come to another row."""

    def activate(self) -> None:
        """Called for a double click on the current row."""

    # Painting.

    def style(self, name: str, *, ground: bool = False) -> Style:
        """A component class as a Rich style.

        Args:
            name: The class.
            ground: Whether to keep its background; without it the style can lie on any row.

        Returns:
            The style; cached until the theme changes.
        """
        key = (name, ground)
        if key not in self._styles:
            full = self.get_component_rich_style(name)
            self._styles[key] = (
                full
                if ground
                else Style(
                    color=full.color,
                    bold=full.bold or None,
                    italic=full.italic or None,
                    underline=full.underline or None,
                    dim=full.dim or None,
                    reverse=full.reverse or None,
                )
            )
        return self._styles[key]

    def ground(self, index: int) -> Style:
        """The style under a whole row: the cursor's or the list's own."""
        if index != self.cursor:
            return self.rich_style
        if self.app.console.color_system in FEW_COLORS:
            # Two shades of one colour would be one: the row with the keys is turned round.
            return self.rich_style + Style(bold=True, reverse=self.has_focus or None)
        name = "line-list--cursor" if self.has_focus else "line-list--cursor-blurred"
        return self.style(name, ground=True)

    def cached(self, key: Hashable) -> Strip | None:
        """A painted line, if it is still known; styles and width need not be part of the key."""
        return self._lines.get((self._style_revision, key))

    def keep(self, key: Hashable, strip: Strip) -> Strip:
        """Remember a painted line; every later paint walks over its pieces, so few are better."""
        strip = strip.simplify()
        self._lines.set((self._style_revision, key), strip)
        return strip

    def forget_lines(self) -> None:
        """Paint everything visible anew."""
        self._lines.clear()
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """One line of the widget, as Textual asks for it."""
        return self.line(y, self.columns, self.scroll_offset.y)

    @property
    def columns(self) -> int:
        """Cells of a row; `size` counts the scroll bar's, too."""
        return self.scrollable_content_region.width

    def line(self, y: int, columns: int, top: int) -> Strip:
        """One line of the widget, where its width and its first row are known."""
        if columns <= 0:
            return Strip.blank(0)
        if y < self.HEADER:
            return self.draw_header(columns)
        index = top + y - self.HEADER
        if index < self.count():
            return self.draw_row(index, columns)
        return self._draw_empty(y - self.HEADER, columns)

    def _draw_empty(self, line: int, columns: int) -> Strip:
        """A line below the last row; where there are no rows, the sentence about that."""
        if not self.count() and line > 0 and columns > 4:
            words = cells.wrap(self._empty, columns - 2)
            if line <= len(words):
                text = cells.fit(" " + words[line - 1], columns)
                # A list without rows has no row to show that the keys go here.
                under = self.ground(self.cursor) if self.has_focus else self.rich_style
                return Strip([Piece(text, under + self.style("line-list--muted"))])
        return Strip.blank(columns, self.rich_style)

    def notify_style_update(self) -> None:
        """The theme or a class changed: no painted line is right any more."""
        super().notify_style_update()
        self._styles.clear()
        self._style_revision += 1
        self._lines.clear()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Repaint the rows; the bar only where it would look different, which is rare."""
        if round(old_value) != round(new_value):
            self.refresh(self.size.region)
        bar = self.vertical_scrollbar
        if self._thumb(new_value) != self._thumb(bar.position):
            bar.position = new_value

    def _thumb(self, position: float) -> int:
        """Where the bar's thumb begins, in eighths of a cell: that is how it is drawn."""
        rows, page = self.virtual_size.height, self.container_size.height
        if rows <= page:
            return 0
        free = page - max(1.0, page * page / rows)
        return int(position / (rows - page) * free * 8)

    # Rows coming, going and changing.

    @property
    def page(self) -> int:
        """Rows that fit on the screen, at least 1."""
        return max(1, self.size.height - self.HEADER)

    def set_empty(self, text: str) -> None:
        """Say something else where there are no rows (a filter that matches nothing)."""
        if text != self._empty:
            self._empty = text
            self.refresh()

    def rows_changed(self) -> None:
        """Take note that the number of rows may have changed; repaints what is visible."""
        self.virtual_size = Size(self.size.width, self.count() + self.HEADER)
        self._refresh_scrollbars()
        self.refresh()

    def on_screen(self) -> range:
        """Indexes of the rows on the screen."""
        top = self.scroll_offset.y
        return range(top, min(self.count(), top + self.page))

    def refresh_row(self, index: int) -> None:
        """Repaint one row, if it is on the screen."""
        if index in self.on_screen():
            self.refresh_line(index + self.HEADER)

    def refresh_indexes(self, indexes: Iterable[int]) -> None:
        """Repaint some rows, those on the screen."""
        for index in indexes:
            self.refresh_row(index)

    # The cursor.

    def move_to(self, index: int, *, center: bool = False) -> None:
        """Put the cursor on a row and bring it into view.

        Args:
            index: The row; out of range is the nearest end.
            center: Whether to put the row in the middle, for jumps from afar.
        """
        self.cursor = index
        self.reveal(self.cursor, center=center)

    def reveal(self, index: int, *, center: bool = False) -> None:
        """Scroll as little as needed to see a row and some context; the cursor stays."""
        page, top = self.page, self.scroll_offset.y
        margin = min(self.SCROLL_OFF, (page - 1) // 2)
        if index < top + margin:
            target = index - margin
        elif index > top + page - 1 - margin:
            target = index - page + 1 + margin
        else:
            return
        if center:
            target = index - page // 2
        self.scroll_to(y=max(0, target), animate=False)

    def validate_cursor(self, index: int) -> int:
        """Keep the cursor on a row."""
        return max(0, min(index, self.count() - 1))

    def watch_cursor(self, old: int, new: int) -> None:
        """Repaint the row that was left and the one that was reached."""
        self.refresh_row(old)
        self.refresh_row(new)
        self.cursor_moved()

    def watch_has_focus(self, value: bool) -> None:
        """The cursor row tells where the keys go."""
        super().watch_has_focus(value)
        self.refresh_row(self.cursor)

    def on_resize(self) -> None:
        """Keep the cursor in view, if it was."""
        self.virtual_size = Size(self.size.width, self.count() + self.HEADER)
        if self.count():
            self.reveal(self.cursor)

    def on_click(self, event: Click) -> None:
        """A click moves the cursor, a double click acts."""
        index = self.scroll_offset.y + event.y - self.HEADER
        if event.y < self.HEADER or index >= self.count():
            return
        event.stop()
        self.move_to(index)
        if event.chain == 2:
            self.activate()
        else:
            self.clicked()

    def clicked(self) -> None:
        """Called for a single click, after the cursor has come there."""

    def move_by(self, rows: int) -> None:
        """Move the cursor; every key that moves it comes here."""
        self.move_to(self.cursor + rows)

    def action_cursor_down(self) -> None:
        """One row down."""
        self.move_by(1)

    def action_cursor_up(self) -> None:
        """One row up."""
        self.move_by(-1)

    def action_half_page_down(self) -> None:
        """Half a page down."""
        self.move_by(max(1, self.page // 2))

    def action_half_page_up(self) -> None:
        """Half a page up."""
        self.move_by(-max(1, self.page // 2))

    def action_page_down(self) -> None:
        """A page down, one row kept in sight."""
        self.move_by(max(1, self.page - 1))

    def action_page_up(self) -> None:
        """A page up, one row kept in sight."""
        self.move_by(-max(1, self.page - 1))

    def action_cursor_home(self) -> None:
        """To the first row."""
        self.move_by(-self.cursor)

    def action_cursor_end(self) -> None:
        """To the last row."""
        self.move_by(self.count())
