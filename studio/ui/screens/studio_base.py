"""What every part of the studio screen stands on: the book, the widgets, the current segment."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from textual import getters
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from studio.project.model import Change, Segment, Take
from studio.ui.actions import STUDIO, bindings
from studio.ui.keys import Keys
from studio.ui.listening import Listening
from studio.ui.preferences import Preferences
from studio.ui.services import Session
from studio.ui.widgets.chapter_list import ChapterList
from studio.ui.widgets.engine_panel import EnginePanel
from studio.ui.widgets.player_line import PlayerLine
from studio.ui.widgets.segment_grid import SegmentGrid
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.widgets.take_list import TakeList


class StudioBase(Screen[None]):
    """The state that the actions of the studio share."""

    AUTO_FOCUS = "#grid"

    ACTIONS_OF: ClassVar[str] = STUDIO
    """Whose actions of the table are valid here."""
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(STUDIO)]

    grid = getters.query_one("#grid", SegmentGrid)
    chapter_list = getters.query_one("#chapters", ChapterList)
    panel = getters.query_one("#segment", SegmentPanel)
    take_list = getters.query_one("#takes", TakeList)
    player_line = getters.query_one("#player", PlayerLine)
    engine_panel = getters.query_one("#engine", EnginePanel)
    notice = getters.query_one("#notice", Static)
    side = getters.query_one("#side", Vertical)

    session: Session
    keys: Keys
    listening: Listening
    wishes: Preferences
    takes: tuple[Take, ...]
    """The takes of the segment under the cursor, once they are read."""
    takes_of: str
    """The uid they belong to."""
    pressed: float = 0.0
    """When the key that is served was pressed, by the monotonic clock."""

    @property
    def current(self) -> Segment | None:
        """The segment under the cursor."""
        rows = self.session.rows
        # Rows may have gone a moment before the grid hears of it.
        return rows.row(min(self.grid.cursor, len(rows) - 1)) if len(rows) else None

    @property
    def targets(self) -> list[Segment]:
        """What an action is for: the selection in the order of the book, else the segment here."""
        rows = self.session.rows
        if rows.selection:
            return rows.selected_segments()
        return [self.current] if self.current is not None else []

    @property
    def covered(self) -> bool:
        """Whether the side bar lies over the segments, as it may in a narrow window."""
        return self.has_class("-narrow") and self.has_class("-side")

    def key(self, action_id: str) -> str:
        """The key of an action, for sentences that say what to press."""
        return self.keys.shown(action_id) or f": {action_id}"

    def say_no_take(self, segment: Segment) -> None:
        """Say what to press where a segment has no take."""
        again = self.key("segment.narrate")
        self.say(f"Segment {segment.number} has no take yet; {again} narrates it.")

    async def refused(self, segments: Sequence[Segment]) -> str:
        """A sentence about segments that the engines of their voices will refuse; or nothing."""
        from studio.commands.fitting import refusals

        voices = await self.session.read(self.session.project.voices)
        found = await asyncio.to_thread(refusals, segments, voices)
        return f" {'; '.join(found)}." if found else ""

    def say(self, sentence: str, *, kind: str = "", lasting: bool = False) -> None:
        """Show one short sentence above the footer, in place of the one before.

        An answer to a key is gone with the next key: it may not be true any more. An error, and
        what nobody asked for, stays for its time.

        Args:
            sentence: What to say.
            kind: ``warning`` or ``error``, or empty for plain information.
            lasting: Whether it is no answer to a key.
        """
        raise NotImplementedError

    def forget_answer(self) -> None:
        """Take back the answer to the key before; what is lasting stays."""
        raise NotImplementedError

    async def change(self, command: Callable[..., Any], *args: Any) -> Change | None:
        """Run a command; what cannot be done is said in its own words."""
        raise NotImplementedError

    def play_segment(self, segment: Segment) -> object:
        """Play the chosen take of a segment."""
        raise NotImplementedError

    async def play_take(
        self, segment: Segment, take: Take, *, start: float = 0.0, label: str = ""
    ) -> None:
        """Play a take; where nothing can be heard, say why."""
        raise NotImplementedError

    def show_sound(self) -> None:
        """Bring the player's line up to date."""
        raise NotImplementedError

    def show_current(self) -> None:
        """Bring the panels up to date with the segment under the cursor."""
        raise NotImplementedError

    def show_counts(self) -> None:
        """Bring header, chapters and status up to date."""
        raise NotImplementedError
