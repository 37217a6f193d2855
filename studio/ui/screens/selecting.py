"""Selecting segments: ranges, single ones, all that are shown."""

from __future__ import annotations

from textual import on

from studio.project.model import Segment
from studio.ui.screens.studio_base import StudioBase
from studio.ui.widgets.segment_grid import SegmentGrid


class Selecting(StudioBase):
    """The actions of the group Select."""

    _anchor: int | None = None
    """The row at which a range begins, while one grows."""
    _reached: int = 0
    """The row that the range has grown to."""
    _held: bool = False
    """Whether the range grows only by shift and an arrow, and not with every move."""
    _before: frozenset[str] = frozenset()
    """What was selected before the range."""

    @property
    def targets(self) -> list[Segment]:
        """What an action is for; a range that still grows is fixed by the action."""
        self.fix_range()
        return super().targets

    def selected_words(self) -> str:
        """How many segments are selected, for the header; nothing where none is."""
        count = len(self.session.rows.selection)
        if not count:
            return ""
        grows = self._anchor is not None and not self._held
        ends = f", {self.key('select.range')} ends the range" if grows else ""
        return f"{count:,} selected{ends}"

    # Keys.

    def action_select_range(self) -> None:
        """Begin a range here, or fix the one that grows."""
        if self._anchor is not None:
            self.fix_range()
        elif self.current is not None:
            self._begin(held=False)
        self.show_counts()

    def action_select_down(self) -> None:
        """Extend the range to the next segment."""
        self._extend(1)

    def action_select_up(self) -> None:
        """Extend the range to the segment before."""
        self._extend(-1)

    def action_select_toggle(self) -> None:
        """Take the segment into the selection, or out of it, and go on to the next."""
        self.fix_range()
        rows, here = self.session.rows, self.current
        if here is None:
            return
        if rows.selected(here.uid):
            rows.select_less((here.uid,))
        else:
            rows.select_more((here.uid,))
        self.grid.refresh_rows((here.uid,))
        self.grid.move_by(1)
        self.show_counts()

    def action_select_all(self) -> None:
        """Select all that is shown; where all of it is selected, none of it."""
        self._anchor = None
        rows = self.session.rows
        on = rows.select_shown()
        self._selection_changed()
        shown = f"{len(rows):,} segment{'s' * (len(rows) != 1)}"
        if not on:
            self.say(f"{shown} went out of the selection.")
        elif rows.filter is not None:
            self.say(f"All {shown} that the filter shows are selected.")

    def unselect(self) -> bool:
        """Go back one layer: the range that grows, else the whole selection.

        Returns:
            Whether there was anything to go back from.
        """
        rows = self.session.rows
        if self._anchor is not None:
            self._anchor = None
            rows.select(self._before)
        elif rows.selection:
            rows.select(())
        else:
            return False
        self._selection_changed()
        return True

    # A range.

    def _begin(self, *, held: bool) -> None:
        """A range of one segment."""
        rows, here = self.session.rows, self.grid.cursor
        self._before = frozenset(rows.selection)
        self._anchor = self._reached = here
        self._held, self._edition = held, self._shown_edition()
        rows.select_more((rows.row(here).uid,))
        self.grid.refresh_row(here)

    def _extend(self, step: int) -> None:
        """One more segment, or one less."""
        if self.current is None:
            return
        left = self._held and self.grid.cursor != self._reached
        if self._anchor is None or left:
            self._begin(held=True)
        self.grid.move_by(step)
        self._grow()
        self.show_counts()

    @on(SegmentGrid.CursorMoved)
    def grow_range(self, _event: SegmentGrid.CursorMoved) -> None:
        """The cursor has moved, and with it the end of the range."""
        if self._anchor is not None:
            self._reach()
            self.show_counts()

    def fix_range(self) -> None:
        """What the range has come to stays selected, wherever the cursor goes."""
        if self._anchor is not None:
            self._reach()
            self._anchor = None

    def _reach(self) -> None:
        """The cursor was moved: the range grows with it, unless it was begun with shift."""
        if self._held and self.grid.cursor != self._reached:
            self._anchor = None
        else:
            self._grow()

    def _grow(self) -> None:
        """Let the range end at the cursor; only rows between its old end and the new change."""
        anchor, old, new = self._anchor, self._reached, self.grid.cursor
        if anchor is None or old == new:
            return
        if self._edition != self._shown_edition():
            self._anchor = None  # rows came or went
            return
        rows = self.session.rows
        was, now = _reach_of(anchor, old), _reach_of(anchor, new)
        for part in _outside(now, was):
            rows.select_more(rows.uids(part))
        for part in _outside(was, now):
            rows.select_less(uid for uid in rows.uids(part) if uid not in self._before)
        self._reached = new
        self.grid.refresh()

    _edition: tuple[int, int] = (0, 0)
    """What the rows were when the range began; its rows are known by their place alone."""

    def _shown_edition(self) -> tuple[int, int]:
        rows = self.session.rows
        return rows.edition, len(rows)

    def _selection_changed(self) -> None:
        """Repaint what is visible."""
        self.grid.refresh()
        self.show_counts()


def _reach_of(anchor: int, end: int) -> range:
    """The rows from one end of a range to the other, both included."""
    return range(min(anchor, end), max(anchor, end) + 1)


def _outside(one: range, other: range) -> tuple[range, range]:
    """The rows of a range that are not in another one which it overlaps."""
    return (
        range(one.start, min(one.stop, other.start)),
        range(max(one.start, other.stop), one.stop),
    )
