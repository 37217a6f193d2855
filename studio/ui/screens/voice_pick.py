"""A list of the book’s voices to choose one of; each can be heard before."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from studio.project.model import Voice
from studio.ui import cells, inks
from studio.ui.screens.window import Window
from studio.ui.trying import Tell
from studio.ui.widgets.choices import Choices

NONE = ""
"""The answer that takes a choice back."""


class VoicePick(Window[str | None]):
    """Answers with a voice’s id, `NONE` where that was offered, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False, id="dialog.close"),
        Binding("j", "down", show=False, id="dialog.down"),
        Binding("k", "up", show=False, id="dialog.up"),
        Binding("space", "hear", show=False, id="voices.hear"),
    ]
    CSS_PATH = "dialogs.tcss"
    HINT: ClassVar[str] = "↑ ↓ move · space hears it · enter chooses · esc leaves"

    def __init__(
        self,
        title: str,
        voices: Sequence[Voice],
        hear: Callable[[Voice, Tell], Awaitable[None]],
        *,
        current: str = "",
        none: str = "",
        note: str = "",
    ) -> None:
        """Offer voices.

        Args:
            title: What is asked.
            voices: In the order in which they are offered.
            hear: Plays one, or stops it; told where to put a sentence.
            current: The id to begin on.
            none: What choosing no voice is called; empty where it is not offered.
            note: A sentence below the list to begin with.
        """
        super().__init__()
        self._title, self._voices, self._hear = title, voices, hear
        self._current, self._none, self._note = current, none, note

    def compose(self) -> ComposeResult:
        """The question, the voices, what is told, what to press."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Choices(*self._options())
            yield Static(Content.styled(self._note, inks.MUTED), id="pick-told")
            yield Static(
                Content(self.HINT),
                classes="dialog-hint",
            )

    def _options(self) -> list[Option]:
        width = max((cells.width(voice.id) for voice in self._voices), default=0)
        options = [Option(_line(voice, min(width, 24))) for voice in self._voices]
        return [*options, Option(Content(self._none))] if self._none else options

    def show(self, voices: Sequence[Voice]) -> None:
        """Offer other voices."""
        self._voices = voices
        self.query_one(OptionList).clear_options().add_options(self._options())

    def on_mount(self) -> None:
        """Begin on the voice that reads now."""
        ids = [voice.id for voice in self._voices]
        options = self.query_one(OptionList)
        options.highlighted = ids.index(self._current) if self._current in ids else 0
        self.set_focus(options)

    def action_down(self) -> None:
        """One down."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """One up."""
        self.query_one(OptionList).action_cursor_up()

    @work(exclusive=True, group="hear")
    async def action_hear(self) -> None:
        """Hear the voice under the cursor, or stop."""
        place = self.query_one(OptionList).highlighted
        if place is not None and place < len(self._voices):
            await self._hear(self._voices[place], self._tell)

    def _tell(self, sentence: str, kind: str) -> None:
        if self.is_mounted:
            style = inks.ERROR if kind == "error" else inks.MUTED
            self.query_one("#pick-told", Static).update(Content.styled(sentence, style))

    @on(OptionList.OptionSelected)
    def take_choice(self, event: OptionList.OptionSelected) -> None:
        """Hand the choice over."""
        event.stop()
        place = event.option_index
        self.dismiss(self._voices[place].id if place < len(self._voices) else NONE)

    def action_close(self) -> None:
        """Leave without a choice."""
        self.dismiss(None)


def who(voice: Voice) -> str:
    """Who a voice is, in a few words: its speaker, reference or description.

    Where a reference of the library lies is the library’s own affair, and no name of it.
    """
    reference = "its own reference" if voice.reference.startswith("/") else voice.reference
    return voice.speaker or reference or voice.description or "–"


def settings_line(voice: Voice) -> str:
    """A voice’s settings in one line: ``pitch -3, strength 1.5``."""
    return ", ".join(f"{name} {value}" for name, value in voice.settings.items()) or "–"


def _line(voice: Voice, width: int) -> Content:
    facts = [voice.engine, who(voice)]
    if voice.settings:
        facts.append(settings_line(voice))
    return Content.assemble(
        (cells.fit(voice.id, width), "bold"), "  ", (" · ".join(facts), inks.MUTED)
    )
