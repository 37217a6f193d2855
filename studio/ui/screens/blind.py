"""A blind comparison: A, B, and X that is one of both; which one is told at the end."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from studio.errors import StudioError
from studio.project.clips import write_atomically
from studio.review import blind
from studio.ui import inks
from studio.ui.action import BLIND, EVERYWHERE
from studio.ui.actions import bindings, for_screen
from studio.ui.keys import Keys
from studio.ui.listening import Listening
from studio.ui.screens.window import Window
from studio.ui.services import Session
from studio.ui.widgets.key_footer import KeyFooter

if TYPE_CHECKING:
    from studio.sound.source import ClipSource

CSV_NAME = "blind.csv"


class BlindScreen(Window[None]):
    """One question after the other; then the score, and what A and B were."""

    ACTIONS_OF: ClassVar[str] = BLIND
    # What is valid everywhere is the application's, which a window over a screen does not see.
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(BLIND),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "blind.tcss"

    def __init__(
        self, test: blind.Test, session: Session, listening: Listening, keys: Keys
    ) -> None:
        """Ask the questions of a test that was drawn."""
        super().__init__()
        self._test, self._session, self._listening, self._keys = test, session, listening, keys
        self._sounds: dict[int, ClipSource] = {}
        """A and B of the question at hand, by `Take.id`, equally loud."""
        self._played, self._which = -1, ""
        self._heard: set[str] = set()
        """What of the question at hand has been played."""
        self._over = False

    def compose(self) -> ComposeResult:
        """Title, question or score, what is told, keys."""
        yield Static(id="blind-title", markup=False)
        with VerticalScroll(can_focus=False):
            yield Static(id="blind-body", markup=False)
        yield Static(id="blind-told", markup=False)
        yield KeyFooter(id="footer")

    def on_mount(self) -> None:
        """Begin with the first question."""
        self._show()

    async def on_unmount(self) -> None:
        """Fall silent."""
        if self._listening.active and self._listening.number == self._played:
            await self._listening.stop()

    @property
    def _trial(self) -> blind.Trial | None:
        """The question at hand; None where all are answered, or it was stopped."""
        if self._over:
            return None
        return next((it for it in self._test.trials if not it.answer), None)

    # What is seen.

    def _show(self) -> None:
        trial, count = self._trial, len(self._test.trials)
        where = "the score" if trial is None else f"question {trial.number} of {count}"
        title = f" Blind comparison · {self._session.title}   {where}"
        self.query_one("#blind-title", Static).update(Content.styled(title, "bold"))
        body = self._score() if trial is None else self._question(trial)
        self.query_one("#blind-body", Static).update(body)
        asked = ("x", "first", "second", "a", "b", "close")
        self._show_keys(("export", "close") if trial is None else asked)

    def _show_keys(self, names: tuple[str, ...]) -> None:
        """The footer: these of the actions."""
        labels = {it.id: it.label for it in for_screen(BLIND)}
        ids = [f"blind.{name}" for name in names]
        help_key = (self._keys.shown("app.keys"), "keys")
        keys = [(self._keys.shown(it), labels[it]) for it in ids]
        self.query_one(KeyFooter).show(keys, help_key=help_key)

    def _question(self, trial: blind.Trial) -> Content:
        segment = self._session.rows.get(trial.segment)
        text = segment.spoken if segment is not None else ""
        number = f"segment {segment.number}" if segment is not None else "a segment that is gone"
        marks = {name: " ♪" if name in self._heard else "" for name in "abx"}
        key = self._keys.shown
        lines = [
            Content.styled(number, inks.MUTED),
            Content(text),
            Content(""),
            Content.assemble(
                (f"{key('blind.first')}  A{marks['a']:<4}", "bold"),
                (f"{key('blind.second')}  B{marks['b']:<4}", "bold"),
                (f"{key('blind.x')}  X{marks['x']}", f"bold {inks.ACCENT}"),
            ),
            Content(""),
            Content(
                f"X is A or B. {key('blind.a')} says that it is A, {key('blind.b')} that it is B; "
                "a guess counts, too."
            ),
            Content.styled("All three are equally loud (♪: heard).", inks.MUTED),
        ]
        return Content("\n").join(lines)

    def _score(self) -> Content:
        test = self._test
        lines = [
            Content.styled(blind.verdict(test), "bold"),
            Content(f"A was {test.a}, B was {test.b}."),
            Content(""),
        ]
        for it in test.answered:
            segment = self._session.rows.get(it.segment)
            where = f"segment {segment.number:,}" if segment is not None else "gone"
            glyph, ink = ("✓ right", inks.GOOD) if it.right else ("✗ wrong", inks.ERROR)
            said = f"X was {it.x.upper()}, you said {it.answer.upper()}"
            lines.append(Content.assemble(f"{it.number:>3}  {where:<16}{said}   ", (glyph, ink)))
        return Content("\n").join(lines)

    def tell(self, sentence: str, kind: str = "") -> None:
        """One sentence above the keys."""
        if self.is_mounted:
            style = inks.ERROR if kind == "error" else ""
            self.query_one("#blind-told", Static).update(Content.styled(sentence, style))

    # What is heard.

    async def action_blind_x(self) -> None:
        """Play X, or stop where it is X that sounds."""
        self._play("x")

    async def action_blind_first(self) -> None:
        """Play A, or stop it."""
        self._play("a")

    async def action_blind_second(self) -> None:
        """Play B, or stop it."""
        self._play("b")

    @work(exclusive=True, group="sound")
    async def _play(self, which: str) -> None:
        trial = self._trial
        if trial is None:
            return
        mine = self._listening.active and self._listening.number == self._played
        if mine and which == self._which:
            await self._listening.stop()
            return
        try:
            if trial.a not in self._sounds or trial.b not in self._sounds:
                self._sounds = await self._session.read(self._equally_loud, trial)
            meant = trial.x if which == "x" else which
            source = self._sounds[trial.a if meant == "a" else trial.b]
            await self._listening.play_alone(source, which.upper())
        except StudioError as error:
            self.tell(str(error), "error")
            return
        self._played, self._which = self._listening.number, which
        self._heard.add(which)
        self.tell("")
        self._show()

    def _equally_loud(self, trial: blind.Trial) -> dict[int, ClipSource]:
        """A and B, the louder one as soft as the other; off the event loop."""
        from studio.review import signal
        from studio.sound.source import ClipSource

        project = self._session.project
        clips = {take: project.read_clip(project.take(take)) for take in (trial.a, trial.b)}
        levels = {take: signal.level(pcm, rate) for take, (pcm, rate) in clips.items()}
        softest = min((it for it in levels.values() if it is not None), default=0.0)
        sounds = {}
        for take, (pcm, rate) in clips.items():
            source = ClipSource.from_pcm(pcm, rate)
            level = levels[take]
            gain = 10 ** ((softest - level) / 20) if level is not None else 1.0
            sounds[take] = ClipSource(source.samples * source.samples.dtype.type(gain), rate)
        return sounds

    # What is answered.

    async def action_blind_a(self) -> None:
        """X is A."""
        await self._answer("a")

    async def action_blind_b(self) -> None:
        """X is B."""
        await self._answer("b")

    async def _answer(self, said: str) -> None:
        trial = self._trial
        if trial is None:
            return
        if "x" not in self._heard:
            self.tell(f"Hear X first: {self._keys.shown('blind.x')} plays it.")
            return
        answer = self._session.project.answer_blind
        try:
            self._test = await self._session.read(answer, self._test.id, trial.number, said)
        except StudioError as error:
            self.tell(str(error), "error")
            return
        await self._listening.stop()
        self._heard.clear()
        self._sounds.clear()
        self.tell("")
        self._show()

    async def action_blind_export(self) -> None:
        """Write all answers of the book as a table."""
        project = self._session.project

        def write() -> str:
            path = project.folder / "exports" / CSV_NAME
            numbers = {it.uid: it.number for it in project.segments()}
            write_atomically(path, blind.to_csv(project.blind_tests(), numbers).encode())
            return str(path)

        if self._trial is not None:
            self.tell("The table tells what X was; it is written when the comparison is over.")
            return
        try:
            self.tell(f"Written: {await self._session.read(write)}")
        except StudioError as error:
            self.tell(str(error), "error")

    async def action_blind_close(self) -> None:
        """Stop: first to the score, where there is one, then leave."""
        if self._trial is not None and self._test.answered:
            await self._listening.stop()
            self._over = True
            self._show()
        else:
            self.dismiss(None)
