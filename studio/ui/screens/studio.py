"""The studio: chapters and engine left, lines in the middle, below them text and takes."""

from __future__ import annotations

from collections.abc import Callable

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from studio.project.model import Chapter, Kind, Segment, Take
from studio.ui import cells, inks
from studio.ui.actions import ACTIONS, BY_ID, Action, for_screen
from studio.ui.keys import Keys, show_key
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
from studio.ui.screens.hearing import Hearing
from studio.ui.screens.making import Making
from studio.ui.screens.moving import Moving
from studio.ui.screens.pieces import Pieces
from studio.ui.screens.reviewing import Reviewing
from studio.ui.screens.selecting import Selecting
from studio.ui.screens.shaping import Shaping
from studio.ui.screens.studio_base import NOTICE_SECONDS
from studio.ui.screens.wording import Wording
from studio.ui.services import Session, counts_line
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
WELCOME_SECONDS = 12.0
"""How long the first words stay; in a low window they lie over the keys."""

ON_A_SEGMENT = ("segment_", "takes_", "select_", "listen_on", "listen_join")
"""How the names of actions begin that do something to the segment under the cursor."""

ALSO = {"takes": ("takes.compare", "takes.keep", "takes.star", "takes.recipe", "takes.remake")}
"""By pane: keys of the whole screen that are meant for what is under the pane's cursor."""

WHILE_EDITING = frozenset(
    {"app_keys", "app_palette", "app_quit", "app_interrupt", "segment_editor", "queue_stop"}
)
"""What keeps its key while a spoken text is edited in place."""


class StudioScreen(
    Selecting,
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
        self._notice_timer: Timer | None = None
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
        self._show_status()
        self.set_interval(FOLLOW_SECONDS, self._tick)
        self._show_keys()
        self._welcome()
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
        self._show_status()
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

    # Header, engine, footer, notices.

    def show_counts(self) -> None:
        """Header, chapters, status: where the cursor is, and what is shown and selected."""
        session, chapter = self.session, self.session.chapter_of(self.current)
        if session.chapters is not self._chapters_shown:
            self._chapters_shown = session.chapters
            self.chapter_list.set_chapters(session.chapters)
        self.chapter_list.current = chapter.id if chapter else None
        self.query_one(StatusLine).show(chapter, session.status)
        title = Content.assemble((" Rhapsode", "bold $accent"), f" · {session.title}")
        chosen = session.rows.filter
        counts = f"only {cells.crop(chosen.label, 40)}: {len(session.rows):,}" if chosen else ""
        if selected := self.selected_words():
            counts = f"{selected} · {counts}" if counts else selected
        width = self.size.width
        told = (counts, "bold $warning") if counts else (counts_line(chapter), inks.MUTED)
        # The counts are news and stay; a long title gives way, the book's as much as the chapter's.
        free = width - cells.width(told[0])
        most = max(12, (free - 16) * 2 // 3, free - 6 - cells.width(cells.clean(session.title)))
        here = f"{cells.crop(f'{chapter.number} {chapter.title}', most)}   " if chapter else ""
        right = Content.assemble((here, "bold"), told, " ")
        room = max(8, width - right.cell_length - 1)
        if title.cell_length > room:
            title = Content(f" {session.title}")  # whose book it is tells more than whose program
        title = title.truncate(room, ellipsis=True)
        gap = " " * max(1, width - title.cell_length - right.cell_length)
        line = title + Content(gap) + right
        if line != self._header:
            self._header = line
            self.query_one("#header", Static).update(line, layout=False)

    def _show_status(self) -> None:
        status = self.session.status
        self.engine_panel.show(status)
        self.query_one(StatusLine).show(None, status)
        if status.stopped_because and status.stopped_because != self._told_stop:
            self.say(status.stopped_because, kind="error")
        self._told_stop = status.stopped_because
        if warnings := status.voice_notes[self._warnings_told :]:
            self.say(" ".join(warnings), kind="warning", lasting=True)
        self._warnings_told = len(status.voice_notes)

    _told_stop: str = ""
    _warnings_told: int = 0
    """How many of the engines' warnings of voices were said."""
    _return: str = ""
    """Where to go back to, until that much of the book is read."""
    _answered: bool = False
    """Whether the notice is an answer to a key."""
    _chapters_shown: tuple[Chapter, ...] = ()
    _header = Content("")

    def _show_keys(self) -> None:
        """The footer, from the table: the keys of the pane with the focus, then those of all."""
        focused = self.focused.id if self.focused is not None else None
        typing = self.panel.editing or self.panel.choosing
        pane = "editor" if self.panel.editing else "words" if self.panel.choosing else focused
        own = [action for action in ACTIONS if pane and action.pane == pane]
        own += [BY_ID[name] for name in ALSO.get(pane or "", ())]
        offered: list[Action] = []
        if not typing:
            offered = [action for action in for_screen(self.ACTIONS_OF) if action.footer]
            offered.sort(key=lambda action: action.footer)
        if own and not typing:
            own.insert(2, BY_ID["back"])
        taken = {self.keys.shown(action.id) for action in own}
        pairs = [(self.keys.shown(action.id), action.label) for action in own]
        for action in offered:
            shown = self.keys.shown(action.id)
            if shown and shown not in taken and action.id != "app.keys":
                if action.id == "takes.before":
                    shown = f"{shown} {self.keys.shown('takes.after')}".strip()
                pairs.append((shown, "takes" if action.id == "takes.before" else action.label))
        # In the editor a bare key is a letter of the text: only f1 and its like ask for the keys.
        asks = [key for key in self.keys.of["app.keys"] if len(key) > 1 or not typing]
        help_key = (show_key(asks[0]), "keys") if asks else ("", "")
        self.query_one(KeyFooter).show(pairs, help_key=help_key)

    def show_sequences(self, prefix: str, known: dict[str, str]) -> None:
        """What may follow the first key of a sequence, or nothing."""
        if not prefix:
            self._hide_notice()
            return
        lines = [Content.assemble((f"{prefix}:", "bold"))]
        for action_id in known.values():
            keys = next(key for key in self.keys.of[action_id] if " " in key)
            part = Content.assemble(
                (show_key(keys.split()[1]), "bold $accent"), f" {BY_ID[action_id].label}"
            )
            between = "  " if lines[-1].cell_length > len(prefix) + 1 else " "
            # A key and its words stay on one line.
            if lines[-1].cell_length + len(between) + part.cell_length <= self.size.width - 2:
                lines[-1] += Content(between) + part
            else:
                lines.append(Content(" " * (len(prefix) + 2)) + part)
        self._notify(Content("\n").join(lines), None)

    def say(self, sentence: str, *, kind: str = "", lasting: bool = False) -> None:
        """One short sentence above the footer; the newest replaces the one before."""
        glyph = {"warning": "! ", "error": "✗ "}.get(kind, "")
        style = {"warning": "bold $text-warning", "error": "bold $text-error"}.get(kind, "")
        stay = NOTICE_SECONDS * (2 if kind else 1)
        self._notify(Content.assemble((glyph, style), (sentence, "")), stay)
        self._answered = not lasting and kind != "error"

    def forget_answer(self) -> None:
        """Hide the answer to the key before."""
        if self._answered:
            self._hide_notice()

    def _notify(self, content: Content, seconds: float | None) -> None:
        self._answered = False
        if self._notice_timer is not None:
            self._notice_timer.stop()
            self._notice_timer = None
        self.notice.update(content)
        self.notice.add_class("-shown")
        if seconds is not None:
            self._notice_timer = self.set_timer(seconds, self._hide_notice)

    def _hide_notice(self) -> None:
        self._answered = False
        self.notice.remove_class("-shown")
        self.notice.update("")

    def _welcome(self) -> None:
        """What to press first, where nothing was narrated yet or a queue was left over."""
        waiting = self.session.waiting
        edits = self.session.project.reopened_edits
        if warning := self.session.place_warning:
            self.say(warning, kind="warning", lasting=True)
        elif waiting:
            lines = f"{waiting:,} segment{'s wait' if waiting != 1 else ' waits'}"
            self._notify(
                Content(
                    f"The queue is paused and {lines} in it:"
                    f" {self.key('queue.stop')} goes on, {self.key('queue.clear')} empties it."
                ),
                WELCOME_SECONDS,
            )
        elif edits:
            undo = self.key("history.undo")
            self.say(f"project.toml was edited outside; {undo} takes that back.", lasting=True)
        elif notices := self.session.project.notices:
            self.say(" ".join(notices), kind="warning", lasting=True)
        elif not self.session.first_book and not any(
            segment.takes for segment in self.session.rows.all
        ):
            self._notify(
                Content(
                    f"{self.key('segment.narrate')} narrates this segment,"
                    f" {self.key('segment.play')} plays"
                    f" it, {self.key('narrate.chapter')} narrates the chapter."
                ),
                WELCOME_SECONDS,
            )

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
        self._show_keys()
        if self.has_class("-low") and (self.panel.editing or self.panel.choosing):
            self._hide_notice()  # It lies over the keys that matter now.
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
            self._hide_notice()

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
