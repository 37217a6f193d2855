"""A reference out of a recording: its best seconds, what speaks against them, what is said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studio.errors import StudioError
from studio.project.model import Voice
from studio.ui import cut_text, inks
from studio.ui.action import EVERYWHERE, PREPARE
from studio.ui.actions import bindings, for_screen
from studio.ui.keys import Keys
from studio.ui.listening import Listening
from studio.ui.screens.own_keys import own_keys, own_pairs
from studio.ui.screens.prompt import Prompt
from studio.ui.screens.window import Window
from studio.ui.services import Session
from studio.ui.trying import Hearer, sample_line
from studio.ui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from studio.ui.preparation import Preparation

STEP, FAR, LENGTH = 0.05, 1.0, 0.5
"""Seconds that a key moves an edge by."""
AROUND = 0.25
"""Seconds before and after a word that is played."""
HEARD_WHOLE = 300.0
"""A recording up to so many seconds is listened to as a whole, so that sentences are known."""
NEAR = 30.0
"""Seconds around the cut that are listened to in a longer one."""
FRAME = 0.1
"""Seconds between two pictures while it plays."""
_OF_WORDS = (
    ("confirm", ""),
    ("edge", "next doubtful"),
    ("word", "type it"),
    ("sure", ""),
    ("keep", ""),
    ("play", "play the word"),
    ("close", "to the sound"),
)
"""The footer among the words: actions, and what they are called there."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """What comes of it."""

    reference: Path
    transcript: str


class PreparingScreen(Window[Prepared | None]):
    """Answers with a file that was cut and a text that was confirmed, or None."""

    ACTIONS_OF: ClassVar[str] = PREPARE
    # What is valid everywhere is the application's, which a window over a screen does not see.
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(PREPARE),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "preparing.tcss"

    def __init__(
        self,
        made: Preparation,
        voice: Voice,
        folder: Path,
        session: Session,
        listening: Listening,
        keys: Keys,
    ) -> None:
        """Prepare a reference.

        Args:
            made: The recording, with the cut to begin with.
            voice: Whose it will be, with its language; its engine reads the sample line.
            folder: Where cuts are written; whoever opened the screen removes it.
            session: The open book.
            listening: Plays.
            keys: The keys in force.
        """
        super().__init__()
        self._made, self._voice, self._folder = made, voice, folder
        self._session, self._listening, self._keys = session, listening, keys
        self._hearer = Hearer(session, listening)
        self._among_words = False
        self._hears = False
        self._played = (-1, 0.0)
        """Which playing was ours, and at which second of the recording it began."""
        self._files = 0

    def compose(self) -> ComposeResult:
        """Title, the sound, what speaks against it, the words, what is told, keys."""
        yield Static(id="prepare-title", markup=False)
        yield Static(id="prepare-sound", markup=False)
        yield Static(cut_text.SHORTER, id="prepare-shorter", markup=False)
        yield Static(id="prepare-checks", markup=False)
        yield Static(id="prepare-said", markup=False)
        with VerticalScroll(can_focus=False):
            yield Static(id="prepare-words", markup=False)
        yield Static(id="prepare-told", markup=False)
        yield own_keys(PREPARE, self._keys)

    def on_mount(self) -> None:
        """Show it, and listen to it where the listener may know the language."""
        source = self._made.source
        title = f" Reference for {self._voice.id} · {source.path.name}   {source.words}"
        self.query_one("#prepare-title", Static).update(Content.styled(title, "bold"))
        self.set_interval(FRAME, self._show_position)
        self._show()
        language = self._voice.language
        if source.seconds <= HEARD_WHOLE and language.lower().startswith("en"):
            self.action_prepare_listen()

    async def on_unmount(self) -> None:
        """Fall silent."""
        await self._hearer.stop()
        if self._listening.active and self._listening.number == self._played[0]:
            await self._listening.stop()

    def on_resize(self) -> None:
        """Draw it as wide as there is room."""
        self._show()

    # What is seen.

    def _show(self) -> None:
        """Draw everything."""
        if not self.is_mounted:
            return
        self._show_sound()
        checks = cut_text.checks(self._made.objections())
        self.query_one("#prepare-checks", Static).update(checks)
        self._show_words()

    def _show_sound(self) -> None:
        drawn = cut_text.sound(self._made, self.size.width - 2, self._position())
        self.query_one("#prepare-sound", Static).update(drawn)

    def _show_words(self) -> None:
        title = cut_text.words_title(self._made, listening=self._hears)
        style = "bold" if self._among_words else inks.MUTED
        self.query_one("#prepare-said", Static).update(Content.styled(title, style))
        words = cut_text.words(self._made, active=self._among_words)
        self.query_one("#prepare-words", Static).update(words)
        shown = own_pairs(PREPARE, self._keys)
        if self._among_words:
            all_of = {it.id: it for it in for_screen(PREPARE)}
            shown = [
                (self._keys.shown(f"prepare.{name}"), label or all_of[f"prepare.{name}"].label)
                for name, label in _OF_WORDS
            ]
        self.query_one(KeyFooter).show(shown)

    def _position(self) -> float | None:
        """The second of the recording that sounds now."""
        number, begun = self._played
        if not self._listening.active or self._listening.number != number:
            return None
        return begun + self._listening.position

    def _show_position(self) -> None:
        if self._listening.active:
            self._show_sound()

    def tell(self, sentence: str, kind: str = "") -> None:
        """One sentence above the keys."""
        if self.is_mounted:
            style = {"error": inks.ERROR, "warning": inks.WARNING}.get(kind, "")
            self.query_one("#prepare-told", Static).update(Content.styled(sentence, style))

    # The cut.

    def action_prepare_back(self) -> None:
        """Move the edge back, or go one word back."""
        self._step(-1)

    def action_prepare_forward(self) -> None:
        """Move the edge on, or go one word on."""
        self._step(1)

    def _step(self, way: int) -> None:
        if self._among_words:
            self._made.step(way)
            self._show_words()
        else:
            self._move(way * STEP)

    def action_prepare_far_back(self) -> None:
        """Move the edge a second back."""
        self._move(-FAR)

    def action_prepare_far_forward(self) -> None:
        """Move the edge a second on."""
        self._move(FAR)

    def _move(self, seconds: float) -> None:
        self._made.move(seconds)
        self._show()

    def action_prepare_longer(self) -> None:
        """Make the cut longer."""
        self._made.lengthen(LENGTH)
        self._show()

    def action_prepare_shorter(self) -> None:
        """Make the cut shorter."""
        self._made.lengthen(-LENGTH)
        self._show()

    def action_prepare_best(self) -> None:
        """Find the best seconds of this length."""
        self._made.best(self._made.seconds)
        self._show()
        self.tell("These are the best of about this length.")

    def action_prepare_edge(self) -> None:
        """The other edge; among the words, the next doubtful one."""
        if self._among_words:
            if not self._made.next_doubtful():
                self.tell("No word is doubtful any more.")
            self._show_words()
        else:
            self._made.at_end = not self._made.at_end
            self._show_sound()

    # What is heard.

    @work(exclusive=True, group="sound")
    async def action_prepare_play(self) -> None:
        """Play the cut or the word, or stop."""
        from studio.sound.source import ClipSource

        if self._listening.active:
            await self._listening.stop()
            self._show_sound()
            return
        made = self._made
        start, end = made.start, made.end
        if self._among_words and (place := made.place) is not None:
            word = made.proposal.words[place]
            start, end = max(0.0, word.start - AROUND), word.end + AROUND
        source = ClipSource.from_pcm(made.source.between(start, end), made.source.rate)
        try:
            await self._listening.play_alone(source, made.source.path.name)
        except StudioError as error:
            self.tell(str(error), "error")
            return
        self._played = (self._listening.number, start)

    @work(exclusive=True, group="sound")
    async def action_prepare_hear(self) -> None:
        """Hear the engine read the sample line with this cut."""
        if self._listening.active:
            await self._listening.stop()
            return
        self.tell(f"{self._voice.engine} reads …")
        try:
            path = await self._cut()
        except StudioError as error:
            self.tell(str(error), "error")
            return
        voice = replace(
            self._voice, reference=str(path), transcript=self._made.text, fingerprint=""
        )
        await self._hearer.toggle(voice, sample_line(self._session, voice), self.tell)

    async def _cut(self) -> Path:
        """Write the cut into a file of its own."""
        from studio.sound.preparing import cut

        self._files += 1
        made, to = self._made, self._folder / f"cut-{self._files}.flac"
        levelled = await asyncio.to_thread(cut, made.source.path, made.start, made.end, to)
        return levelled.path

    # What is said.

    @work(exclusive=True, group="listen")
    async def action_prepare_listen(self) -> None:
        """Have the listener propose what is said."""
        import numpy as np

        from studio.review.proposal import Proposal

        made = self._made
        start, end = 0.0, made.source.seconds
        if end > HEARD_WHOLE:
            start, end = max(0.0, made.start - NEAR), min(end, made.end + NEAR)
        samples = made.source.between(start, end).astype(np.float32) / np.float32(32768)
        self._hears = True
        self._show_words()
        try:
            heard = await self._session.ear.hear(samples, made.source.rate, self._voice.language)
        except StudioError as error:
            self.tell(f"{error} {self._keys.shown('prepare.text')} types it.", "error")
            return
        finally:
            self._hears = False
            self._show()
        made.take_in(Proposal.of(heard.words, offset=start), start, end)
        self._show()
        if not made.typed:
            self._tell_lack()

    def action_prepare_words(self) -> None:
        """Go to the words, and back."""
        if not self._among_words and (self._made.typed or not self._made.places):
            self.tell(self._in_words(self._made.lacks()) or "You have typed all of it.")
            return
        self._among_words = not self._among_words
        self._show_words()

    def action_prepare_confirm(self) -> None:
        """The word is right; from the sound, go to the words."""
        if not self._among_words:
            self.action_prepare_words()
        else:
            self._made.confirm()
            self._tell_lack()
            self._show_words()

    def action_prepare_sure(self) -> None:
        """All that are not doubtful are right."""
        if self._among_words:
            self._made.confirm_sure()
            self._made.next_open()
            self._tell_lack()
            self._show_words()

    @work(exclusive=True, group="type")
    async def action_prepare_word(self) -> None:
        """Type what is said in place of the word."""
        place = self._made.place
        if not self._among_words or place is None:
            return
        word = self._made.proposal.words[place].text
        hint = "one word, or several, or nothing where nobody says it · enter takes it · esc leaves"
        typed = await self.app.push_screen_wait(Prompt("What is said here", value=word, hint=hint))
        if typed is not None:
            self._made.type_word(typed)
            self._made.next_open()
            self._tell_lack()
        self._show_words()

    @work(exclusive=True, group="type")
    async def action_prepare_text(self) -> None:
        """Type all that is said."""
        hint = "word for word, with its marks; nothing goes back to the listener’s words"
        title = "What is said in the cut"
        typed = await self.app.push_screen_wait(
            Prompt(title, value=self._made.text, hint=hint, work=True)
        )
        if typed is not None:
            self._made.type_all(typed)
            self._among_words = False
        self._show_words()

    def _tell_lack(self) -> None:
        """Say what is left to confirm."""
        keep = self._keys.shown("prepare.keep")
        done = f"Every word is confirmed; {keep} goes on with it."
        self.tell(self._in_words(self._made.lacks()) or done)

    def _in_words(self, lack: str) -> str:
        """A sentence with the keys in it."""
        names = ("listen", "text", "words", "edge", "confirm", "sure")
        return lack.format(**{name: self._keys.shown(f"prepare.{name}") for name in names})

    # The end.

    @property
    def unkept(self) -> str:
        """What was done here and is no voice yet."""
        keep = self._keys.shown("prepare.keep")
        return f"The reference is not kept yet; {keep} keeps it." if self._made.begun else ""

    @work(exclusive=True, group="keep")
    async def action_prepare_keep(self) -> None:
        """Go on, where the text is confirmed."""
        if lack := self._made.lacks():
            self.tell(self._in_words(lack), "warning")
            return
        self.tell("Cutting …")
        try:
            path = await self._cut()
        except StudioError as error:
            self.tell(str(error), "error")
            return
        self.dismiss(Prepared(path, self._made.text))

    def action_prepare_close(self) -> None:
        """To the sound, or leave."""
        if self._among_words:
            self.action_prepare_words()
        else:
            self.dismiss(None)
