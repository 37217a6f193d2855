"""The voices of a book: hear them, make new ones, change and remove them."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Static

from studio import temporary
from studio.engines.catalogue import BUILT_IN, Catalogue
from studio.engines.voice_settings import as_meant
from studio.errors import StudioError
from studio.project import voice_library
from studio.project.model import Kind, Voice
from studio.project.voice_fields import check_id
from studio.ui import formats, inks
from studio.ui.action import EVERYWHERE, VOICES
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.listening import Listening
from studio.ui.screens.own_keys import own_keys
from studio.ui.screens.preparing import PreparingScreen
from studio.ui.screens.prompt import Confirm, Prompt
from studio.ui.screens.voice_form import VoiceForm
from studio.ui.screens.voice_pick import settings_line, who
from studio.ui.screens.voice_shelf import VoiceShelf
from studio.ui.screens.window import Window
from studio.ui.services import Session
from studio.ui.trying import Hearer, Tell, objection, sample_line
from studio.ui.widgets.column_list import Column, ColumnList

if TYPE_CHECKING:
    from studio.ui.preparation import Preparation

COLUMNS = (
    Column("voice", 16),
    Column("engine", 11),
    Column("who", 14),
    Column("language", 8, from_columns=100),
    Column("settings", 18, ink="muted"),
    Column("reads", 7, right=True),
    Column("sample line", ink="muted", from_columns=100),
)


class VoicesScreen(Window[None]):
    """A list of the voices, and all that is known of the one under the cursor."""

    ACTIONS_OF: ClassVar[str] = VOICES
    # What is valid everywhere is the application's, which a window over a screen does not see.
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(VOICES),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "voices.tcss"

    def __init__(self, session: Session, listening: Listening, keys: Keys) -> None:
        """Show the voices of a session’s book."""
        super().__init__()
        self._session, self._keys, self._listening = session, keys, listening
        self._hearer = Hearer(session, listening)
        self._voices: list[Voice] = []

    def compose(self) -> ComposeResult:
        """Title, list, details, what is told, keys."""
        yield Static(id="voices-title", markup=False)
        with Vertical():
            yield ColumnList(COLUMNS, id="voices-list")
            yield Static(id="voices-about", markup=False)
        yield Static(id="voices-told", markup=False)
        yield own_keys(VOICES, self._keys)

    async def on_mount(self) -> None:
        """Read the voices."""
        self.query_one(ColumnList).focus()
        await self._read()

    async def on_unmount(self) -> None:
        """Fall silent."""
        await self._hearer.stop()

    async def _read(self, cursor: str = "") -> None:
        """Read the voices again, with the cursor on one of them."""
        project = self._session.project
        found = await self._session.read(project.voices)
        self._voices = list(found.values())
        counts = Counter(
            it.voice for it in self._session.rows.all if it.kind is not Kind.SCENE_BREAK
        )
        rows = [
            (
                voice.id,
                voice.engine,
                who(voice),
                voice.language,
                settings_line(voice),
                f"{counts[voice.id]:,}",
                voice.sample or "–",
            )
            for voice in self._voices
        ]
        ids = [voice.id for voice in self._voices]
        place = ids.index(cursor) if cursor in ids else None
        self.query_one(ColumnList).show(rows, cursor=place)
        title = f" Voices · {self._session.title}   {formats.count(len(ids), 'voice')}"
        self.query_one("#voices-title", Static).update(Content.styled(title, "bold"))
        self._describe()

    @property
    def _current(self) -> Voice | None:
        place = self.query_one(ColumnList).cursor
        return self._voices[place] if place < len(self._voices) else None

    @on(ColumnList.Moved)
    def describe_row(self, event: ColumnList.Moved) -> None:
        """Another voice: all that is known of it."""
        event.stop()
        self._describe()

    def _describe(self) -> None:
        voice = self._current
        if voice is None:
            return
        facts = [
            ("sample", sample_line(self._session, voice)),
            ("style", voice.style),
            ("description", voice.description),
            ("reference", voice.reference),
            ("transcript", voice.transcript),
        ]
        lines = [
            Content.assemble((f"{name:<12}", inks.MUTED), value) for name, value in facts if value
        ]
        self.query_one("#voices-about", Static).update(Content("\n").join(lines))

    def tell(self, sentence: str, kind: str = "") -> None:
        """One sentence above the keys."""
        if self.is_mounted:
            style = inks.ERROR if kind == "error" else ""
            self.query_one("#voices-told", Static).update(Content.styled(sentence, style))

    # What can be done.

    @work(exclusive=True, group="hear")
    async def action_voices_hear(self) -> None:
        """Hear the voice, or stop."""
        if (voice := self._current) is not None:
            await self._hearer.toggle(voice, sample_line(self._session, voice), self.tell)

    @work(exclusive=True, group="form")
    async def action_voices_prepare(self) -> None:
        """Make a reference out of a recording, for this voice or for a new one."""
        stored, shown = await self._as_kept(), self._current
        if stored is None or shown is None:
            return
        new = stored.engine == BUILT_IN
        if new:
            # The embedded engine has a voice of its own and clones none.
            engine = await self._session.read(_cloning_engine)
            stored = replace(stored, engine=engine, speaker="", settings={}, sample="")
        title = "A recording for a new voice" if new else f"A recording for {stored.id}"
        hint = "its path: WAV, FLAC, MP3, M4A …, up to 15 minutes · enter takes it · esc leaves"
        typed = await self.app.push_screen_wait(Prompt(title, hint=hint, empty=False))
        if typed is None:
            return
        self.tell("Reading it …")
        with temporary.folder("reference") as folder:
            try:
                made = await asyncio.to_thread(_read_recording, typed)
            except StudioError as error:
                self.tell(str(error), "error")
                return
            self.tell("")
            name = replace(stored, language=shown.language, id="a new voice" if new else stored.id)
            prepared = await self.app.push_screen_wait(
                PreparingScreen(*(made, name, folder), self._session, self._listening, self._keys)
            )
            if prepared is not None:
                changed = replace(
                    stored,
                    reference=str(prepared.reference),
                    transcript=prepared.transcript,
                    fingerprint="",
                )
                await self._form(changed, new=new)

    @work(exclusive=True, group="form")
    async def action_voices_library(self) -> None:
        """Bring a voice of the library into the book."""
        shelf = await self._session.read(voice_library.shelf)
        note = " ".join(shelf.troubles)
        if not shelf.voices:
            key = self._keys.shown("voices.shelve")
            self.tell(
                note or f"Your library is empty; {key} puts the voice under the cursor there."
            )
            return
        offered = VoiceShelf(shelf, self._try_out)
        chosen = await self.app.push_screen_wait(offered)
        await self._hearer.stop()
        if chosen:
            await self._take(offered.voices[chosen])

    async def _try_out(self, voice: Voice, tell: Tell) -> None:
        await self._hearer.toggle(voice, sample_line(self._session, voice), tell)

    async def _take(self, voice: Voice) -> None:
        """Put a voice of the library into the book; under another name where that is taken."""
        there = {it.id: it.fingerprint for it in self._voices}
        if there.get(voice.id) == voice.fingerprint:
            self.tell(f"The book has this very voice {voice.id} already.")
            return
        if voice.id in there:
            title = f"The book has another voice {voice.id}; what shall this one be called?"
            name = await self.app.push_screen_wait(Prompt(title, empty=False))
            if name is None:
                return
            try:
                check_id(name, there)
            except StudioError as error:
                self.tell(str(error), "error")
                return
            voice = replace(voice, id=name)
        if await self._do(self._session.project.put_voice, voice):
            await self._read(voice.id)
            undo = self._keys.shown("voices.undo")
            self.tell(f"{voice.id} of your library is in the book; {undo} takes that back.")

    @work(exclusive=True, group="form")
    async def action_voices_shelve(self) -> None:
        """Put the voice into the library; over another one of its name only when told to."""
        if (voice := await self._as_kept()) is None:
            return
        folder = self._session.project.folder
        try:
            try:
                kept = await self._session.read(voice_library.keep, voice, folder)
            except voice_library.Taken as taken:
                question = f"Your library has another voice {voice.id}."
                yes, no = "put this one in its place", "leave the library as it is"
                if not await self.app.push_screen_wait(Confirm(question, yes=yes, no=no)):
                    self.tell(str(taken))
                    return
                kept = await self._session.read(voice_library.keep, voice, folder, over=True)
        except StudioError as error:
            self.tell(str(error), "error")
            return
        self.tell(f"{voice.id} is in your library {'now' if kept else 'already'}.")

    @work(exclusive=True, group="form")
    async def action_voices_new(self) -> None:
        """Make a voice out of the one under the cursor."""
        if (voice := await self._as_kept()) is not None:
            await self._form(voice, new=True)

    @work(exclusive=True, group="form")
    async def action_voices_edit(self) -> None:
        """Change the voice."""
        if (voice := await self._as_kept()) is not None:
            await self._form(voice, new=False)

    @on(ColumnList.Activated)
    def edit_row(self, event: ColumnList.Activated) -> None:
        """A double click changes a voice."""
        event.stop()
        self.action_voices_edit()

    async def _as_kept(self) -> Voice | None:
        """The voice as it is stored: an empty language means the book’s."""
        if self._current is None:
            return None
        stored = await self._session.read(self._session.project.stored_voices)
        return stored.get(self._current.id)

    async def _form(self, voice: Voice, *, new: bool) -> None:
        from studio.commands.fitting import few_runs, refusals_of

        before = {it.uid for it in self._session.rows.all if it.stale}

        async def keep(changed: Voice) -> str:
            if complaint := await objection(self._session, changed):
                return complaint
            if not new:
                changed = await asyncio.to_thread(as_meant, voice, changed)
            try:
                await self._session.do(self._session.project.put_voice, changed)
            except StudioError as error:
                return str(error)
            return ""

        taken = {it.id for it in self._voices}
        kept = await self.app.push_screen_wait(VoiceForm(voice, keep, new=new, taken=taken))
        if kept is None:
            return
        await self._read(kept.id)
        rows = self._session.rows.all
        stale = [it.number for it in rows if it.stale and it.uid not in before]
        told = f"The voice {kept.id} is {'there' if new else 'changed'}"
        if stale:
            told += f"; {formats.count(len(stale), 'take')} became stale ({few_runs(stale)})"
        refused = await self._session.read(refusals_of, self._session.project, kept.id)
        told = ". ".join([told, *(f"{it[:1].upper()}{it[1:]}" for it in refused)])
        self.tell(f"{told}. {self._keys.shown('voices.undo')} takes that back.")

    @work(exclusive=True, group="form")
    async def action_voices_rename(self) -> None:
        """Give the voice another name; what it has read stays as it is."""
        if (voice := self._current) is None:
            return
        hint = "letters, digits, - and _ · enter takes it, no take becomes stale · esc leaves"
        title = f"What shall the voice {voice.id} be called?"
        name = await self.app.push_screen_wait(
            Prompt(title, value=voice.id, hint=hint, empty=False)
        )
        if name is None or name == voice.id:
            return
        if await self._do(self._session.project.rename_voice, voice.id, name):
            await self._read(name)
            undo = self._keys.shown("voices.undo")
            self.tell(f"{voice.id} is called {name} now; {undo} takes that back.")

    async def action_voices_remove(self) -> None:
        """Remove the voice, where it reads nothing."""
        if (voice := self._current) is not None:
            project = self._session.project
            if await self._do(project.remove_voice, voice.id):
                undo = self._keys.shown("voices.undo")
                self.tell(f"The voice {voice.id} is gone; {undo} brings it back.")

    async def action_voices_undo(self) -> None:
        """Take the last change of the book back."""
        await self._turn(self._session.project.undo, "Nothing to undo.")

    async def action_voices_redo(self) -> None:
        """Do again what was undone."""
        await self._turn(self._session.project.redo, "Nothing to redo.")

    async def _turn(self, turn: Callable[[], Any], nothing: str) -> None:
        change = await self._do(turn)
        self.tell(f"{change.label[:1].upper()}{change.label[1:]}." if change else nothing)

    async def _do(self, command: Callable[..., Any], *args: Any) -> Any:
        """Run a command; what cannot be done is said."""
        cursor = self._current.id if self._current else ""
        try:
            change = await self._session.do(command, *args)
        except StudioError as error:
            self.tell(str(error), "error")
            return None
        await self._read(cursor)
        return change

    def action_voices_close(self) -> None:
        """Go back to the segments."""
        self.dismiss(None)


def _cloning_engine() -> str:
    """An engine of this machine that may clone voices, or the name of one that could be here."""
    catalogue = Catalogue.of_user()
    return next((it for it in (*catalogue, *catalogue.missing) if it != BUILT_IN), "")


def _read_recording(text: str) -> Preparation:
    """A recording whose path was typed, or dropped on the terminal."""
    from studio.sound.preparing import read_source
    from studio.sound.recording import paths_meant
    from studio.ui.preparation import Preparation

    meant = paths_meant(text) or (Path(text),)
    path = next((it for it in meant if it.is_file()), meant[0])
    return Preparation.of(read_source(path.absolute()))
