"""The cast: who speaks in the book, how that is known, and who reads it; applied after review."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.content import Content
from textual.widgets import Static

from studio.book.attribution import proposals
from studio.errors import StudioError
from studio.project.model import Chapter, Kind, Segment, Voice
from studio.ui import cast_text, formats, inks
from studio.ui.action import CAST, EVERYWHERE
from studio.ui.actions import bindings
from studio.ui.casting import NARRATION, NOBODY, SPECIAL, Cast, apply, find
from studio.ui.keys import Keys
from studio.ui.listening import Listening
from studio.ui.screens.own_keys import own_keys, own_pairs
from studio.ui.screens.prompt import Choose, Confirm, Prompt
from studio.ui.screens.voice_pick import VoicePick
from studio.ui.screens.window import Window
from studio.ui.services import Session
from studio.ui.trying import Hearer, Tell
from studio.ui.widgets.column_list import Column, ColumnList, DrawnRows
from studio.ui.widgets.key_footer import KeyFooter

LONGEST_HEARD = 300
"""Characters of a line that is heard."""
ANOTHER = "another name …"
KEPT = "–"
"""Shown where segments keep the voice that they have."""

SPEAKERS = (Column("speaker"), Column("says", 6, right=True), Column("voice", 12, ink="good"))
LINES = (
    Column("", 1),
    Column("#", 6, right=True, ink="muted"),
    Column("known by", 20, ink="muted"),
    Column("line"),
)


class CastScreen(Window[str | None]):
    """Speakers at the left, the lines of one at the right; answers with what was applied."""

    ACTIONS_OF: ClassVar[str] = CAST
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(CAST),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "voices.tcss"

    def __init__(
        self,
        session: Session,
        listening: Listening,
        keys: Keys,
        chapter: Chapter | None,
        by_use: Callable[[dict[str, Voice]], list[Voice]],
    ) -> None:
        """Show the cast of a session’s book.

        Args:
            session: The open book.
            listening: What plays lines.
            keys: The keys in force.
            chapter: The chapter that may be cast by itself.
            by_use: Puts voices in the order in which they are offered.
        """
        super().__init__()
        self._session, self._keys, self._chapter, self._by_use = session, keys, chapter, by_use
        self._hearer = Hearer(session, listening)
        self._voices: dict[str, Voice] = {}
        self._whole = True
        self._cast = Cast([], {})
        self._begun_with = self._cast.choices
        self._roles: list[str] = []
        self._lines: list[Segment] = []
        self._by: dict[str, list[Segment]] = {}
        self._read = False
        self._applying = False

    def compose(self) -> ComposeResult:
        """Title, speakers, lines, the line under the cursor, what is told, keys."""
        yield Static(id="cast-title", markup=False)
        with Horizontal(id="cast-body"):
            yield ColumnList(SPEAKERS, id="cast-speakers")
            yield ColumnList(LINES, empty="Nobody says a line here.", id="cast-lines")
        yield Static(id="cast-line", markup=False)
        yield Static(id="cast-told", markup=False)
        yield own_keys(CAST, self._keys)

    @property
    def _left(self) -> ColumnList:
        return self.query_one("#cast-speakers", ColumnList)

    @property
    def _right(self) -> ColumnList:
        return self.query_one("#cast-lines", ColumnList)

    def on_mount(self) -> None:
        """Look for who speaks."""
        self._left.focus()
        self.tell("Looking for who speaks …")
        self._find()

    def on_descendant_focus(self) -> None:
        """The keys, as they are meant in this list."""
        other = {"cast.choose": "speaker", "cast.pane": "speakers"}
        here = other if self._right.has_focus else {}
        self.query_one(KeyFooter).show(own_pairs(CAST, self._keys, here))

    async def on_unmount(self) -> None:
        """Fall silent."""
        await self._hearer.stop()

    @work(exclusive=True, group="find")
    async def _find(self) -> None:
        """Read the book in a thread; a long one takes a few seconds."""
        session, project = self._session, self._session.project
        self._voices = await session.read(project.voices)
        cast = await session.read(project.cast)
        info = await session.read(lambda: project.info)
        segments = tuple(session.rows.all)
        found = await asyncio.to_thread(find, segments, info.language)
        self._cast = Cast([], found, voices=cast)
        self._begun_with = self._cast.choices
        await self._scope()
        self._read = True
        named = len([name for name in self._roles if name not in SPECIAL])
        self.tell(
            f"{formats.count(named, 'speaker')} found. Choose a voice for each; nothing is changed"
            f" before {self._keys.shown('cast.apply')}."
        )

    async def _scope(self) -> None:
        """Take the book, or the chapter."""
        chapter = self._chapter.id if self._chapter is not None and not self._whole else None
        rows = tuple(self._session.rows.all)
        self._cast.segments = await asyncio.to_thread(_spoken, rows, chapter)
        await self._show()

    # Showing.

    async def _show(self, role: str = "") -> None:
        """Both lists, with the cursor on a speaker."""
        by = self._by = await asyncio.to_thread(self._cast.lines)
        role = role or self._role  # now: the cursor may have moved on meanwhile
        self._roles = list(by)
        rows = [(name, f"{len(by[name]):,}", self._cast.voices.get(name, KEPT)) for name in by]
        place = self._roles.index(role) if role in self._roles else 0
        self._left.show(rows, cursor=place)
        self._show_title()
        self._show_lines(0)

    def _show_title(self) -> None:
        where = "the book"
        if not self._whole and self._chapter is not None:
            where = f"chapter {self._chapter.number}"
        split = " · splits at quotation marks" if self._cast.split else ""
        title = f" Cast · {self._session.title} · {where}{split}"
        self.query_one("#cast-title", Static).update(Content.styled(title, "bold"))

    def _show_lines(self, cursor: int | None = None) -> None:
        self._lines = self._by.get(self._role, [])
        self._right.show(DrawnRows(len(self._lines), self._row), cursor=cursor)
        self._show_line()

    def _row(self, place: int) -> tuple[str, ...]:
        return cast_text.row(self._cast, self._lines[place])

    def _show_line(self) -> None:
        """The line under the cursor in full, and how its speaker is known."""
        place = self._right.cursor
        if place >= len(self._lines):
            self.query_one("#cast-line", Static).update("")
            return
        drawn = cast_text.line(self._cast, self._lines[place])
        self.query_one("#cast-line", Static).update(drawn)

    @on(ColumnList.Moved)
    def follow(self, event: ColumnList.Moved) -> None:
        """Another speaker: their lines. Another line: all of it."""
        event.stop()
        if event.list is self._left:
            self._show_lines(0)
        else:
            self._show_line()

    def tell(self, sentence: str, kind: str = "") -> None:
        """One sentence above the keys."""
        if self.is_mounted:
            style = inks.ERROR if kind == "error" else ""
            self.query_one("#cast-told", Static).update(Content.styled(sentence, style))

    @property
    def _role(self) -> str:
        place = self._left.cursor
        return self._roles[place] if place < len(self._roles) else ""

    @property
    def _here(self) -> Segment | None:
        """The line under the cursor: of the right list, or the first of the speaker’s."""
        place = self._right.cursor
        return self._lines[place] if place < len(self._lines) else None

    # What can be done.

    def action_cast_pane(self) -> None:
        """The other list."""
        (self._left if self._right.has_focus else self._right).focus()

    @on(ColumnList.Activated)
    def choose_row(self, event: ColumnList.Activated) -> None:
        """A double click chooses."""
        event.stop()
        self.action_cast_choose()

    @work(exclusive=True, group="choose")
    async def action_cast_choose(self) -> None:
        """A voice for the speaker; in the lines, who says the line."""
        if not self._read:
            return
        if self._right.has_focus:
            await self._correct()
        else:
            await self._choose_voice()

    async def _choose_voice(self) -> None:
        role = self._role
        example = self._here
        text = _heard(example) if example else ""

        async def hear(voice: Voice, tell: Tell) -> None:
            await self._hearer.toggle(voice, text, tell)

        offered = self._by_use(self._voices)
        current = self._cast.voices.get(role, "")
        pick = VoicePick(
            f"Who reads {role}?",
            offered,
            hear,
            current=current,
            none="nobody else: leave the voices as they are",
        )
        chosen = await self.app.push_screen_wait(pick)
        await self._hearer.stop()
        if chosen is None:
            return
        if chosen:
            self._cast.voices[role] = chosen
        else:
            self._cast.voices.pop(role, None)
        await self._show()

    async def _correct(self) -> None:
        """Say who says the line under the cursor."""
        segment = self._here
        if segment is None:
            return
        names = [name for name in self._roles if name not in SPECIAL]
        choices = [*names, NOBODY, NARRATION, ANOTHER]
        here = self._cast.role(segment.uid)
        current = choices.index(here) if here in choices else 0
        place = await self.app.push_screen_wait(
            Choose(f"Who says line {segment.number}?", choices, current=current)
        )
        if place is None:
            return
        name: str | None = choices[place]
        if name == ANOTHER:
            name = await self.app.push_screen_wait(Prompt("Name of the speaker", empty=False))
        if name:
            self._cast.corrected[segment.uid] = name
            await self._show()
            self._right.focus()

    @work(exclusive=True, group="hear")
    async def action_cast_hear(self) -> None:
        """Hear the line, read by the voice that is chosen for it."""
        segment = self._here
        if segment is None:
            return
        chosen = self._cast.voice_of(self._cast.role(segment.uid)) or segment.voice
        if (voice := self._voices.get(chosen)) is not None:
            await self._hearer.toggle(voice, _heard(segment), self.tell)

    def action_cast_tick(self) -> None:
        """Leave the line out, or take it in again."""
        segment = self._here
        if segment is None or not self._right.has_focus:
            self.tell(f"{self._keys.shown('cast.pane')} goes to the lines, to leave one out.")
            return
        self._cast.left_out ^= {segment.uid}
        place = self._right.cursor
        self._show_lines(min(place + 1, len(self._lines) - 1))

    @work(exclusive=True, group="choose")
    async def action_cast_rename(self) -> None:
        """Another name for the speaker."""
        role = self._role
        if not role or role in SPECIAL:
            self.tell("Only a speaker has a name; choose one of them.")
            return
        names = [name for name in self._roles if name not in SPECIAL]
        alike = _alike(role, names)
        hint = f"perhaps the same: {', '.join(alike)}" if alike else ""
        title = f"New name of {role}; a name that is there merges both"
        name = await self.app.push_screen_wait(Prompt(title, value=role, hint=hint, empty=False))
        if name and name != role and name not in SPECIAL:
            merged = name in self._roles
            self._cast.rename(role, name)
            await self._show(name)
            self.tell(f"{role} is {name} now{', both lists in one' if merged else ''}.")

    @work(exclusive=True, group="choose")
    async def action_cast_split(self) -> None:
        """Split mixed segments when applying, or do not."""
        if not self._read:
            return
        self._cast.split = not self._cast.split
        await self._show()  # who says but a part of a segment has a voice of their own now
        self.tell(
            "Segments of speech and narration are split at the quotation marks, in the same step."
            if self._cast.split
            else "Segments of speech and narration stay whole; the speaker’s voice reads all of it."
        )

    @work(exclusive=True, group="choose")
    async def action_cast_scope(self) -> None:
        """The chapter alone, or the book."""
        if self._read and self._chapter is not None:
            self._whole = not self._whole
            await self._scope()

    @work(group="apply")
    async def action_cast_apply(self) -> None:
        """Give the lines their voices."""
        if not self._read or self._applying:
            return
        if not self._cast.voices:
            self.tell(f"No voice is chosen yet; {self._keys.shown('cast.choose')} chooses one.")
            return
        self._applying = True
        self.tell("Applying …")
        wanted = await asyncio.to_thread(self._cast.wanted)
        count = len(wanted.voices) + len(wanted.pieces)
        label = f"cast: {formats.count(count, 'segment')}"
        try:
            change = await self._session.do(apply, self._session.project, wanted, label)
        except StudioError as error:
            self._applying = False
            self.tell(str(error), "error")
            return
        if not change:
            self.dismiss("Every line has the voice that was chosen for it already.")
            return
        now = [it for uid in change.segments if (it := self._session.rows.get(uid)) is not None]
        self.dismiss(cast_text.applied(now, len(wanted.pieces), self._keys))

    @property
    def unkept(self) -> str:
        """What was chosen here and is not applied yet."""
        if self._cast.choices == self._begun_with:
            return ""
        return f"The cast is not applied yet; {self._keys.shown('cast.apply')} applies it."

    def action_cast_close(self) -> None:
        """Go back; nothing is changed. Asks where choices would be lost."""
        if self._applying:
            return
        if not (lost := self.unkept):
            self.dismiss(None)
            return

        def leave(sure: bool | None) -> None:
            if sure:
                self.dismiss(None)

        question = Confirm(lost, yes="leave, and lose what was chosen", no="go on choosing")
        self.app.push_screen(question, leave)


def _spoken(segments: Sequence[Segment], chapter: int | None) -> list[Segment]:
    """What can be cast: everything with text, of the book or of a chapter."""
    return [
        it
        for it in segments
        if it.kind is not Kind.SCENE_BREAK and (chapter is None or it.chapter == chapter)
    ]


def _heard(segment: Segment) -> str:
    """What of a segment is heard to try a voice."""
    return segment.spoken[:LONGEST_HEARD]


def _alike(role: str, names: Sequence[str]) -> list[str]:
    """Names that may mean the same person."""
    pairs = proposals(names)
    return [b if a == role else a for a, b in pairs if role in (a, b)]
