"""The segment under the cursor: what the book says, what is spoken, and what is wrong with it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Region
from textual.message import Message
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from studio.project.model import Segment, State
from studio.ui.widgets import segment_text
from studio.ui.widgets.spoken_editor import SpokenEditor
from studio.ui.widgets.word_cursor import WordCursor
from studio.ui.word_spans import Span

HELD_SECONDS = 0.08
"""Segments that come faster than this are gone before anybody reads them: a key is held down."""


class SpokenChange(Protocol):
    """One thing the normaliser did; `studio.book.speaking` has such."""

    @property
    def rule(self) -> str:
        """Its name in plain words."""
        ...

    @property
    def before(self) -> str:
        """What the book says."""
        ...

    @property
    def after(self) -> str:
        """What is spoken."""
        ...


class SegmentPanel(VerticalScroll, inherit_bindings=False):
    """The texts of one segment, with the editor for what is spoken."""

    DEFAULT_CSS = """
    SegmentPanel {
        height: auto;
        scrollbar-size-vertical: 1;
        & > Static { height: auto; }
        & > #segment-foot { display: none; }
        & > SpokenEditor, & > WordCursor { display: none; }
        &.-editing > #segment-foot { display: block; }
        &.-editing > SpokenEditor { display: block; }
        &.-choosing > WordCursor { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("down,j", "scroll_down", "Down", show=False, id="move.down"),
        Binding("up,k", "scroll_up", "Up", show=False, id="move.up"),
        Binding("ctrl+d", "page_down", "Half a page down", show=False, id="move.half-down"),
        Binding("ctrl+u", "page_up", "Half a page up", show=False, id="move.half-up"),
        Binding("pagedown", "page_down", "A page down", show=False, id="move.page-down"),
        Binding("pageup", "page_up", "A page up", show=False, id="move.page-up"),
        Binding("home", "scroll_home", "Start", show=False, id="move.first"),
        Binding("end,G", "scroll_end", "End", show=False, id="move.last"),
    ]

    @dataclass
    class EditDone(Message):
        """The spoken text was edited and is to be kept."""

        uid: str
        text: str

    @dataclass
    class EditCancelled(Message):
        """The editor was left without keeping anything."""

        uid: str

    @dataclass
    class InsertDone(Message):
        """The text of a new segment was typed and is to be kept."""

        after: str
        """Uid of the segment that it follows."""
        text: str

    @dataclass
    class WordChosen(Message):
        """A word or a phrase was chosen with the word cursor."""

        uid: str
        purpose: str
        """What `begin_words` was given: whoever began it takes it, and nobody else."""
        start: int
        end: int

    @dataclass
    class OpenInEditor(Message):
        """A person wants to go on in $EDITOR; call `begin_edit` again with what comes back."""

        uid: str
        text: str

    def __init__(
        self,
        *,
        empty: str = "No segment is selected. j and k move through the list.",
        editor_keys: str = "enter keeps · esc leaves it · ctrl-o $EDITOR",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """An empty panel; see `show`.

        Args:
            empty: What to say where there is no segment.
            editor_keys: What to press in the editor; stands above it.
            id: Widget id.
            classes: Widget classes.
        """
        super().__init__(id=id, classes=classes)
        self._empty, self._editor_keys = empty, editor_keys
        self._segment: Segment | None = None
        self._state: State | None = None
        self._changes: tuple[SpokenChange, ...] = ()
        self._waiting: tuple[Segment | None, Sequence[SpokenChange], State | None] | None = None
        self._editing = False
        self._inserting = False
        self._purpose = ""
        self._words = ("", "")
        self._settles = False
        self._return_to: Widget | None = None
        self._moved = 0.0
        self._filling: Timer | None = None

    def compose(self) -> ComposeResult:
        """The text above the editor, the editor, the rest below it; without it, all in one."""
        yield Static(id="segment-head", markup=False)
        yield WordCursor()
        yield SpokenEditor()
        yield Static(id="segment-foot", markup=False)

    def on_mount(self) -> None:
        """Say what to press, until there is a segment."""
        self.query_one(WordCursor).settled = self.settled
        self._fill()
        self.watch(self, "virtual_size", self._look_again, init=False)

    @property
    def segment(self) -> Segment | None:
        """What is shown."""
        return self._segment

    @property
    def editing(self) -> bool:
        """Whether the editor is open."""
        return self._editing

    @property
    def inserting(self) -> bool:
        """Whether the editor is open on the text of a new segment."""
        return self._editing and self._inserting

    @property
    def choosing(self) -> bool:
        """Whether the word cursor is shown."""
        return bool(self._purpose)

    @property
    def settled(self) -> asyncio.Event:
        """Cleared when the editor is left; whoever takes `EditDone` sets it when that is done."""
        return self.query_one(SpokenEditor).settled

    def show(
        self,
        segment: Segment | None,
        changes: Sequence[SpokenChange] | None = None,
        *,
        state: State | None = None,
    ) -> None:
        """Show a segment. While the editor is open, another segment waits until it is closed.

        Args:
            segment: The segment, or None for none.
            changes: What was done to its text, shown where it explains a difference; None for what
                is shown already, where that is of the same text.
            state: The state to show where the caller knows better (*narrating*).
        """
        if changes is None:
            old = self._segment
            same = segment and old and (segment.uid, segment.spoken) == (old.uid, old.spoken)
            changes = self._changes if same else ()
        uid = segment.uid if segment else None
        busy = self._editing or self.choosing
        if busy and self._segment is not None and uid != self._segment.uid:
            self._waiting = (segment, changes, state)
            return
        moved = self._segment is None or uid != self._segment.uid
        self._segment, self._changes = segment, tuple(changes)
        self._state = state or (segment.state() if segment else None)
        if self.is_mounted:
            self._fill_when_read(moved)
            if moved:
                self.scroll_home(animate=False)

    def _fill_when_read(self, moved: bool) -> None:
        """Write at once, but of segments that rush by only the one where they come to rest."""
        now = time.monotonic()
        if self._filling is not None:
            self._filling.reset()
        elif moved and now - self._moved < HELD_SECONDS:
            self._filling = self.set_timer(HELD_SECONDS, self._fill)
        else:
            self._fill()
        self._moved = now if moved else self._moved

    def begin_edit(self, text: str | None = None, *, insert: bool = False) -> None:
        """Open the editor on the spoken text and give it the keys.

        Args:
            text: What to start with; None for the text that is spoken now. Called again while
                it is open, the text is replaced (back from $EDITOR).
            insert: Whether the text is that of a new segment after this one.
        """
        if self._segment is None:
            return
        self.end_words()
        editor = self.query_one(SpokenEditor)
        if not self._editing:
            self._editing, self._inserting = True, insert
            self._return_to = self.screen.focused
            self.add_class("-editing")
        editor.start(self._segment.spoken if text is None else text)
        # At once: later, it would take the keys back from what they went to meanwhile.
        self.screen.set_focus(editor)
        self._fill()

    def end_edit(self) -> None:
        """Close the editor, keeping nothing; the keys go back to where they were."""
        if not self._editing:
            return
        self._editing = False
        self.remove_class("-editing")
        self._give_keys_back()

    def _give_keys_back(self) -> None:
        """Close what was open: the keys go back to where they were, and what waited is shown."""
        if self._return_to is not None and self._return_to.is_attached:
            # At once: the keys that follow may be on their way already.
            self.screen.set_focus(self._return_to)
        self._return_to = None
        self._fill()
        if self._waiting is not None:
            (segment, changes, state), self._waiting = self._waiting, None
            self.show(segment, changes, state=state)

    def begin_words(
        self,
        purpose: str,
        text: str,
        spans: Sequence[Span],
        *,
        label: str,
        hint: str,
        at: int = 0,
        phrases: bool = False,
        settles: bool = False,
    ) -> None:
        """Show a text with a cursor on its words, in place of the segment's texts.

        Args:
            purpose: A name that comes back with `WordChosen`.
            text: The text, usually the segment's source or spoken one.
            spans: The words to move over; see `studio.ui.word_spans`.
            label: What the text is: ``source``, ``spoken``.
            hint: What to press.
            at: Place of the word to begin with.
            phrases: Whether several words can be chosen.
            settles: Whether whoever takes `WordChosen` sets `settled` when that is done, so that
                keys typed behind it wait; else they wait only until the cursor is gone.
        """
        if self._segment is None or self._editing:
            return
        cursor = self.query_one(WordCursor)
        if not self.choosing:
            self._return_to = self.screen.focused
            self.add_class("-choosing")
        self._purpose, self._words, self._settles = purpose, (label, hint), settles
        cursor.start(text, spans, at=at, phrases=phrases)
        self.screen.set_focus(cursor)  # At once: the keys that follow may be on their way already.
        self._fill()

    def end_words(self) -> None:
        """Take the word cursor away; nothing is chosen."""
        if not self.choosing:
            return
        self._purpose = ""
        self.remove_class("-choosing")
        self._give_keys_back()

    @on(WordCursor.WordChosen)
    def pass_word(self, event: WordCursor.WordChosen) -> None:
        """Pass the choice on, with the segment that it belongs to."""
        event.stop()
        if self._segment is not None:
            self.post_message(
                self.WordChosen(self._segment.uid, self._purpose, event.start, event.end)
            )
        self.end_words()
        if not self._settles:
            self.settled.set()

    @on(WordCursor.WordLeft)
    def leave_words(self, event: WordCursor.WordLeft) -> None:
        """Nothing is chosen."""
        event.stop()
        self.end_words()
        self.settled.set()

    @on(WordCursor.Moved)
    def follow_word(self, event: WordCursor.Moved) -> None:
        """The word under the cursor must be in view."""
        event.stop()
        place = self.query_one(WordCursor).virtual_region
        self.scroll_to_region(event.region.translate(place.offset), animate=False, immediate=True)

    @on(SpokenEditor.Saved)
    def save_edit(self, event: SpokenEditor.Saved) -> None:
        """Pass the text on, with the segment that it belongs to."""
        event.stop()
        if self._segment is not None:
            done = self.InsertDone if self._inserting else self.EditDone
            self.post_message(done(self._segment.uid, event.text))
        self.end_edit()

    @on(SpokenEditor.Left)
    def cancel_edit(self, event: SpokenEditor.Left) -> None:
        """Say that nothing was kept."""
        event.stop()
        if self._segment is not None:
            self.post_message(self.EditCancelled(self._segment.uid))
        self.end_edit()
        self.settled.set()

    @on(SpokenEditor.Outside)
    def edit_outside(self, event: SpokenEditor.Outside) -> None:
        """Ask for $EDITOR; the editor stays open meanwhile."""
        event.stop()
        if self._segment is not None:
            self.post_message(self.OpenInEditor(self._segment.uid, event.text))

    def on_resize(self) -> None:
        """The words break elsewhere now."""
        self._fill()
        self._look_again()

    @on(SpokenEditor.SelectionChanged)
    def follow_cursor(self, event: SpokenEditor.SelectionChanged) -> None:
        """Where one types must be in view; this panel may be lower than text and editor."""
        event.stop()
        self._look_again()

    def _look_again(self) -> None:
        """Something moved: scroll once it is in its place."""
        if self._editing:
            self.call_after_refresh(self._show_cursor)

    def _show_cursor(self) -> None:
        """Scroll to the line that the cursor is in."""
        editor = self.query_one(SpokenEditor)
        if self._editing:
            inside = editor.wrapped_document.location_to_offset(editor.cursor_location)
            y = editor.virtual_region.y + inside.y - editor.scroll_offset.y
            self.scroll_to_region(Region(0, y, 1, 1), animate=False, immediate=True)

    def _fill(self) -> None:
        """Write the texts anew."""
        if self._filling is not None:
            self._filling.stop()
            self._filling = None
        head, foot = (
            self.query_one("#segment-head", Static),
            self.query_one("#segment-foot", Static),
        )
        columns = self.scrollable_content_region.width or self.size.width
        if self._segment is None or self._state is None:
            self._write(head, segment_text.sentence(self._empty, columns))
            return
        if self.choosing:
            above = segment_text.choosing(self._segment, self._state, columns, *self._words)
            self._write(head, above)
            return
        keys = self._editor_keys if self._editing else ""
        above = segment_text.head(
            self._segment, self._state, columns, editor_keys=keys, inserting=self.inserting
        )
        below = segment_text.foot(self._segment, columns, self._changes, editing=self._editing)
        if self._editing:
            self._write(head, above)
            self._write(foot, below)
        else:
            self._write(head, Content("\n").join((above, below)) if below else above)

    def _write(self, static: Static, content: Content) -> None:
        """Show lines that are wrapped already; laid out again only where that moves something."""
        old = static.content
        fixed = not (self._editing or self.choosing or self.styles.auto_dimensions)
        least = self.scrollable_content_region.height if fixed else 0
        same = isinstance(old, Content) and _lines(old, least) == _lines(content, least)
        static.update(content, layout=not same)


def _lines(content: Content, least: int) -> int:
    """How high a text stands."""
    return max(least, content.plain.count("\n") + 1)
