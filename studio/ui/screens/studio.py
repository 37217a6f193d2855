"""The studio: chapters and engine left, lines in the middle, below them text and takes."""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Static

from studio.project.model import Kind, Segment, Take
from studio.ui.actions import ACTIONS
from studio.ui.keys import Keys
from studio.ui.listening import Listening, Sound
from studio.ui.messages import (
    LeaveProject,
    NarrationChanged,
    ProjectChanged,
    SoundEnded,
    SoundNotice,
)
from studio.ui.preferences import Preferences
from studio.ui.screens.casting import Casting
from studio.ui.screens.comparing import Comparing
from studio.ui.screens.comparing_blind import ComparingBlind
from studio.ui.screens.everyday import Everyday
from studio.ui.screens.frame import Frame
from studio.ui.screens.hearing import Hearing
from studio.ui.screens.making import Making
from studio.ui.screens.moving import Moving
from studio.ui.screens.notices import Notices
from studio.ui.screens.pieces import Pieces
from studio.ui.screens.reviewing import Reviewing
from studio.ui.screens.shaping import Shaping
from studio.ui.screens.wording import Wording
from studio.ui.services import Session
from studio.ui.widgets.chapter_list import ChapterList
from studio.ui.widgets.engine_panel import EnginePanel
from studio.ui.widgets.key_footer import KeyFooter
from studio.ui.widgets.player_line import PlayerLine
from studio.ui.widgets.segment_grid import SegmentGrid
from studio.ui.widgets.segment_panel import SegmentPanel
from studio.ui.widgets.spoken_editor import SpokenEditor
from studio.ui.widgets.status_line import StatusLine
from studio.ui.widgets.take_list import TakeFacts, TakeList
from studio.ui.widgets.word_cursor import WordCursor

SETTLE_SECONDS = 0.06
"""A segment's takes are read once the cursor has rested this long."""
FOLLOW_SECONDS = 0.1
"""How often the player's line is brought up to date while something plays."""

ON_A_SEGMENT = ("segment_", "takes_", "select_", "listen_on", "listen_join")
"""How the names of actions begin that do something to the segment under the cursor."""

WHILE_EDITING = frozenset(
    {"app_keys", "app_palette", "app_quit", "app_interrupt", "segment_editor", "queue_stop"}
)
"""What keeps its key while a spoken text is edited in place."""


class StudioScreen(
    Frame,
    Notices,
    Shaping,
    Comparing,
    ComparingBlind,
    Wording,
    Casting,
    Everyday,
    Pieces,
    Hearing,
    Making,
    Reviewing,
    Moving,
):
    """One open book."""

    CSS_PATH = "studio.tcss"

    _return: str = ""
    """Where to go back to, until that much of the book is read."""

    def __init__(
        self,
        session: Session,
        make_player: Callable[[], Sound],
        keys: Keys,
        *,
        wishes: Preferences | None = None,
    ) -> None:
        """Show a session's book."""
        super().__init__()
        self.session, self.keys = session, keys
        self.wishes = wishes or Preferences()
        self.listening = Listening(make_player, self._sound_ended, self._sound_notice)
        self.takes: tuple[Take, ...] = ()
        self.takes_of = ""
        self._sounded = False
        self._rest: Timer | None = None

    def _sound_ended(self, number: int, fault: str) -> None:
        """From a thread of the player's."""
        if self.is_attached:
            self.post_message(SoundEnded(number, fault))

    def _sound_notice(self, sentence: str) -> None:
        """From a thread of the player's."""
        if self.is_attached:
            self.post_message(SoundNotice(sentence))

    def compose(self) -> ComposeResult:
        """The panes."""
        key = self.key
        again, play = key("segment.narrate"), key("segment.play")
        editor = (("save", "keeps"), ("leave", "leaves it"), ("outside", "$EDITOR"))
        editor_keys = " · ".join(f"{key(f'editor.{name}')} {does}" for name, does in editor)
        quiet = f"Nothing is playing. {play} plays this segment, {key('listen.on')} from here on."
        idle = f"No engine is running. {again} narrates a segment, {key('narrate.chapter')} a"
        yield Static(id="header")
        with Horizontal(id="body"):
            with Vertical(id="side"):
                yield Static("Chapters", classes="pane-title")
                yield ChapterList(id="chapters")
                yield Static("Engine", classes="pane-title", id="engine-title")
                yield EnginePanel(id="engine", empty=f"{idle} chapter.", go_on=key("queue.stop"))
            with Vertical(id="main"):
                yield SegmentGrid(
                    id="grid", empty=f"No segment matches the filter; {key('back')} shows all."
                )
                yield Static(id="tour")
                with Vertical(id="below"):
                    yield SegmentPanel(id="segment", editor_keys=editor_keys)
                    yield TakeList(id="takes", empty=self._no_takes(None))
                    yield PlayerLine(id="player", empty=quiet)
        yield StatusLine(id="status")
        yield Static(id="notice")
        yield KeyFooter(id="footer")

    def on_mount(self) -> None:
        """Show the book and listen to its session."""
        self.add_class("-opening")
        self.panel.can_focus = False
        self.session.listener = self.post_message
        self.grid.expected = sum(chapter.segments for chapter in self.session.chapters)
        self.grid.set_source(self.session.rows)
        self._return = self.session.place
        self._go_back_to_place()
        self.grid.focus()
        self.show_counts()
        self.show_status()
        self.set_interval(FOLLOW_SECONDS, self._tick)
        self.show_keys()
        self.welcome()
        if self.session.first_book:
            self.action_app_tour()
        self.begin_sound()
        self.call_after_refresh(self.session.begin)

    def _go_back_to_place(self) -> None:
        """To the segment of last time, as soon as that much of the book is read."""
        if self._return and self.grid.move_to_uid(self._return, center=True):
            self._return = ""
        elif self.session.complete.is_set():
            self._return = ""  # It is not in the book any more.

    async def on_unmount(self) -> None:
        """Fall silent."""
        await self.end_sound()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """While a text is edited, only what cannot be meant for the text keeps its key."""
        if action not in _METHODS or not self.is_mounted:
            return True
        if self.covered and action.startswith(ON_A_SEGMENT) and action != "takes_list":
            return False  # Nothing happens to a segment that the side bar hides.
        if self.panel.choosing:
            return action in WHILE_EDITING and action != "segment_editor"
        return not self.panel.editing or action in WHILE_EDITING

    # What the session tells.

    @on(ProjectChanged)
    def show_change(self, event: ProjectChanged) -> None:
        """Repaint what a transaction touched, and nothing else."""
        change = event.change
        if (
            change.structure
            or len(self.session.rows) != self.grid.virtual_size.height - self.grid.HEADER
        ):
            self.grid.reload()
            self._go_back_to_place()
        self.grid.refresh_rows(change.segments)
        self.call_after_refresh(self.session.seen.painted, change.segments)
        self.show_counts()
        here = self.current
        if here is not None and (change.structure or here.uid in change.segments):
            self.show_current()
        self.hear_change(change)
        self.tell_end_of_bulk()

    @on(NarrationChanged)
    def show_narration(self, event: NarrationChanged) -> None:
        """The engine's figures, and the segments that began or ceased to be narrated."""
        self.grid.refresh_rows(event.rows)
        self.show_status()
        if (here := self.current) is not None and here.uid in event.rows:
            self.panel.show(here, state=self.session.rows.state_of(here))
        self.play_when_ready(event.rows)

    # The segment under the cursor.

    @on(SegmentGrid.CursorMoved)
    def follow_cursor(self, event: SegmentGrid.CursorMoved) -> None:
        """Another segment: its chapter, its text, its takes."""
        event.stop()
        if not self._return:
            self.session.place = event.uid
        self.show_current()
        self.show_counts()

    @on(SegmentGrid.Activated)
    def edit_activated(self, event: SegmentGrid.Activated) -> None:
        """A double click on a segment edits it."""
        event.stop()
        self.action_segment_edit()

    def show_current(self) -> None:
        """The text at once; the takes as soon as they are read."""
        segment = self.current
        state = self.session.rows.state_of(segment) if segment else None
        self.panel.show(segment, state=state)
        if segment is None or segment.uid != self.takes_of:
            self.takes, self.takes_of = (), segment.uid if segment else ""
            self.take_list.show((), TakeFacts())
            self.take_list.set_empty(self._no_takes(segment))
        self.workers.cancel_group(self, "takes")
        # A worker for each segment that a held key passes would cost as much as painting its row.
        if self._rest is None:
            self._rest = self.set_timer(SETTLE_SECONDS, self._come_to_rest)
        else:
            self._rest.reset()

    def _no_takes(self, segment: Segment | None) -> str:
        """What stands in the place of takes that are not there."""
        if segment is not None and segment.kind is Kind.SCENE_BREAK:
            return "A scene break is silence; it has no takes."
        return f"No take yet. {self.key('segment.narrate')} narrates this segment."

    def _come_to_rest(self) -> None:
        """The cursor stays for a moment: read on."""
        self._rest = None
        self.remove_class("-opening")  # By now everything stands where it belongs.
        self.read_takes()
        self.explain()

    def _tick(self) -> None:
        # Once more when it is over: what another screen plays may break off before it begins.
        if self.listening.active or self._sounded:
            self.show_sound()
        self._sounded = self.listening.active

    # The rest.

    def on_resize(self) -> None:
        """The header is laid out by hand."""
        self.show_counts()

    async def on_descendant_focus(self, event: events.DescendantFocus) -> None:
        """Show the keys of the pane; a click beside the open editor keeps what was typed."""
        # In a narrow window the side bar lies over the segments: open while it has the focus.
        self.set_class(self.side in event.widget.ancestors, "-side")
        self.show_keys()
        if self.has_class("-low") and (self.panel.editing or self.panel.choosing):
            self.hide_notice()  # It lies over the keys that matter now.
        if self.panel.editing and not isinstance(event.widget, SpokenEditor):
            await self.keep_edit()
        elif self.panel.choosing and not isinstance(event.widget, WordCursor):
            self.panel.end_words()
        self.set_class(self.panel.editing or self.panel.choosing, "-typing")

    async def action_back(self) -> None:
        """One layer back: the sequence of layers is what a person opened last."""
        if await self.end_comparing():
            self.say("Nothing is compared any more.")
        elif self.has_class("-side") or self.focused is not self.grid:
            self.remove_class("-side")
            self.grid.focus()
        elif self.listening.active:
            await self.listening.stop()
            self.show_sound()
        elif self.unselect():
            pass
        elif self.clear_search():
            self.say("The search is over.")
        elif self.session.rows.filter is not None:
            await self.apply_filter(None)
        else:
            self.hide_notice()

    async def action_book_export(self) -> None:
        """Open the export window."""
        from studio.ui.screens.export import ExportScreen

        await self.app.push_screen(
            ExportScreen(self.session, self.session.chapter_of(self.current), self.keys)
        )

    async def action_book_library(self) -> None:
        """Close the book."""
        if await self.keep_edit():
            self.post_message(LeaveProject())


_METHODS = frozenset(action.method for action in ACTIONS)
