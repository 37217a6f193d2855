"""Moving about in the studio: segments, chapters, panes, search and filter."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from typing import ClassVar

from textual import on

from studio.errors import BadInput
from studio.project.model import Segment, State
from studio.ui.filters import PROBLEMS, Filter
from studio.ui.rows import pattern
from studio.ui.screens.filtering import FilterScreen
from studio.ui.screens.prompt import Prompt
from studio.ui.screens.studio_base import StudioBase
from studio.ui.slices import hits, matching
from studio.ui.widgets.chapter_list import ChapterList
from studio.ui.widgets.line_list import LineList


class Moving(StudioBase):
    """The actions of the groups Move and Find."""

    PANES: ClassVar[tuple[str, ...]] = ("chapters", "grid", "takes")

    _pattern: re.Pattern[str] | None = None
    _searched: str = ""
    _conditions: str = ""
    """The conditions that were typed last."""

    def _list(self) -> LineList:
        """The list that moving moves: the one with the focus, else the segments."""
        return self.focused if isinstance(self.focused, LineList) else self.grid

    def action_move_down(self) -> None:
        """One row down."""
        self._list().action_cursor_down()

    def action_move_up(self) -> None:
        """One row up."""
        self._list().action_cursor_up()

    def action_move_half_down(self) -> None:
        """Half a page down."""
        self._list().action_half_page_down()

    def action_move_half_up(self) -> None:
        """Half a page up."""
        self._list().action_half_page_up()

    def action_move_page_down(self) -> None:
        """A page down."""
        self._list().action_page_down()

    def action_move_page_up(self) -> None:
        """A page up."""
        self._list().action_page_up()

    def action_move_first(self) -> None:
        """To the first row."""
        self._list().action_cursor_home()

    def action_move_last(self) -> None:
        """To the last row."""
        self._list().action_cursor_end()

    # Chapters.

    def action_chapter_before(self) -> None:
        """To the start of this chapter, or of the one before when it is there already."""
        segment, chapter = self.current, self.session.chapter_of(self.current)
        if segment is None or chapter is None:
            return
        at_start = segment.number <= chapter.first
        self._go_to_chapter(chapter.number - 1 if at_start else chapter.number)

    def action_chapter_after(self) -> None:
        """To the start of the next chapter."""
        if (chapter := self.session.chapter_of(self.current)) is not None:
            self._go_to_chapter(chapter.number + 1)

    def _go_to_chapter(self, number: int) -> None:
        """Put the cursor on the first segment of a chapter that the filter shows."""
        wanted = next((item for item in self.session.chapters if item.number == number), None)
        if wanted is None:
            self.say("There is no further chapter that way.")
            return
        index = self.session.rows.first_of(wanted)
        if index is None:
            self.say(f"The filter hides all segments of chapter {number}; esc shows everything.")
            return
        self.grid.following = False
        self.grid.move_to(index, center=False)
        self.grid.scroll_to(y=index, animate=False)

    @on(ChapterList.ChapterChosen)
    def go_to_chosen_chapter(self, event: ChapterList.ChapterChosen) -> None:
        """A chapter was chosen in its list."""
        event.stop()
        for chapter in self.session.chapters:
            if chapter.id == event.chapter_id:
                self._go_to_chapter(chapter.number)
        self.action_pane_segments()

    # Panes.

    def action_pane_next(self) -> None:
        """The next pane that is shown."""
        self._step_pane(1)

    def action_pane_before(self) -> None:
        """The pane before."""
        self._step_pane(-1)

    def _step_pane(self, step: int) -> None:
        shown = [name for name in self.PANES if self._is_shown(name)]
        here = self.focused.id if self.focused is not None else None
        # What has the focus may be shown no more; from there it is a step to where one came from.
        place = shown.index(here) if here in shown else 0
        self.query_one(f"#{shown[(place + step) % len(shown)]}").focus()

    def _is_shown(self, name: str) -> bool:
        widget = self.query_one(f"#{name}")
        return widget.display and all(node.display for node in widget.ancestors if node.is_attached)

    def action_pane_chapters(self) -> None:
        """The chapters; in a narrow window they open over the segments."""
        self.add_class("-side")
        self.chapter_list.focus()

    def action_pane_segments(self) -> None:
        """The segments."""
        self.remove_class("-side")  # First, for what is hidden cannot take the focus for good.
        self.grid.focus()

    def action_pane_takes(self) -> None:
        """The takes."""
        self.remove_class("-side")
        self.take_list.focus()

    def action_takes_list(self) -> None:
        """The takes, too: its own key, because it is what a hand looks for."""
        self.action_pane_takes()

    def action_pane_engine(self) -> None:
        """Open the engine's figures in a narrow window, or close them."""
        if not self.has_class("-narrow"):
            self.say("The engine’s figures are at the left already.")
        elif self.has_class("-side"):
            self.remove_class("-side")
            self.grid.focus()
        else:
            self.action_pane_chapters()  # they stand above the figures, and take the keys

    # Looking for something.

    def action_go_problem(self) -> None:
        """To the next segment that failed, is flagged or is stale."""
        here = self.grid.cursor
        shown = "" if self.session.rows.filter is None else " that the filter shows"
        nothing = f"No segment{shown} failed, is flagged or is stale."
        if self._jump(1, lambda _, state: state in PROBLEMS, nothing) and self.grid.cursor == here:
            self.say(f"This is the only segment{shown} that failed, is flagged or is stale.")

    def _jump(self, step: int, wanted: Callable[[Segment, State], bool], nothing: str) -> bool:
        """Move to the next segment that satisfies ``wanted``, or say that there is none."""
        index = self.session.rows.find(self.grid.cursor, step, wanted)
        if index is None:
            self.say(nothing)
            return False
        self._jump_to(index)
        return True

    def _jump_to(self, index: int) -> None:
        """From afar: the row is put into the middle."""
        self.grid.following = False
        self.grid.move_to(index, center=True)

    async def action_find_filter(self) -> None:
        """Offer the filters, each with how many segments it keeps, and a line for conditions."""
        rows = self.session.rows

        async def take(chosen: tuple[Filter | None] | None) -> None:
            if chosen is not None:
                (wanted,) = chosen
                if wanted is not None and wanted.conditions:
                    self._conditions = wanted.label
                await self.apply_filter(wanted)

        await self.app.push_screen(FilterScreen(rows, self._conditions), take)

    async def apply_filter(self, chosen: Filter | None) -> None:
        """Show what a filter keeps, or all; the cursor stays where it is, or as near as can be."""
        rows, keep = self.session.rows, self.current
        try:
            places = None if chosen is None else await matching(rows, chosen)
        except BadInput as error:
            self.say(str(error), kind="warning")
            return
        rows.set_filter(chosen, places)
        self.grid.reload(rows.near(keep.uid) if keep else None)
        self.show_current()
        self.show_counts()

    async def action_find_search(self) -> None:
        """Ask for a pattern and go to its first hit."""
        hint = "a regular expression; capitals matter once you type one"
        prompt = Prompt("Search source and spoken text", value=self._searched, hint=hint)
        await self.app.push_screen(prompt, self._search_for)

    async def _search_for(self, text: str | None) -> None:
        """Search for what was typed; nothing at all ends the search."""
        if text is None:
            return
        self._searched = text
        if not text:
            if self.clear_search():
                self.say("The search is over.")
            return
        self._pattern, complaint = pattern(text)
        await self._search(1, complaint)
        self.grid.set_highlight(self._pattern)

    async def action_find_after(self) -> None:
        """The next hit."""
        await self._search(1)

    async def action_find_before(self) -> None:
        """The hit before."""
        await self._search(-1)

    async def _search(self, step: int, complaint: str = "") -> None:
        """Go to the next hit and say which of how many it is."""
        if self._pattern is None:
            self.say(f"Nothing is searched for yet; {self.key('find.search')} begins a search.")
            return
        try:
            found = await hits(self.session.rows, self._pattern)
        except BadInput as error:
            self.clear_search()
            self.say(str(error), kind="warning")
            return
        if not found:
            nothing = f"“{self._searched}” is not in any segment shown."
            self.say(f"{complaint} It is not in any segment shown." if complaint else nothing)
            return
        here = self.grid.cursor
        next_ = bisect_right(found, here) if step > 0 else bisect_left(found, here) - 1
        place = next_ % len(found)
        self._jump_to(found[place])
        after, before = self.key("find.after"), self.key("find.before")
        which = f"“{self._searched}”: {place + 1:,} of {len(found):,}"
        self.say(complaint or f"{which}; {after} goes to the next, {before} to the one before.")

    def clear_search(self) -> bool:
        """Forget the search; False where there was none."""
        if self._pattern is None:
            return False
        self._pattern = None
        self.grid.set_highlight(None)
        return True
