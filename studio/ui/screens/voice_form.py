"""A form for one voice: who reads, how, and a line to hear it by."""

from __future__ import annotations

import tomllib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static, TextArea

from studio.errors import BadInput
from studio.project.model import Voice
from studio.project.voice_fields import check_id, check_setting
from studio.ui.screens.window import Window
from studio.ui.typing_fields import FormLine, InOrder

_FIELDS = (
    ("engine", "engine", "such as hibari"),
    ("speaker", "speaker", "one of the engine’s own"),
    ("reference", "reference", "path of reference audio"),
    ("transcript", "transcript", "what is said in it"),
    ("description", "description", "a voice in words"),
    ("style", "style", "how to read, in words"),
    ("language", "language", "the book’s"),
    ("sample", "sample line", "a sentence to hear it by"),
)
"""Attribute, label, and what an empty field means."""


class Settings(InOrder, TextArea):
    """Lines of ``key = value``."""


class VoiceForm(Window[Voice | None]):
    """Answers with the voice as it was kept, or None when it is left with escape."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False, id="dialog.close", priority=True),
        Binding("ctrl+e", "done", show=False, id="form.keep", priority=True),
        Binding("down", "app.focus_next", show=False, id="form.down"),
        Binding("up", "app.focus_previous", show=False, id="form.up"),
    ]
    CSS_PATH = ["dialogs.tcss", "voices.tcss"]  # noqa: RUF012 (Textual's)
    UNKEPT = "The voice as it stands in the form is not kept yet; ctrl-e keeps it."

    def __init__(
        self, voice: Voice, keep: Callable[[Voice], Awaitable[str]], *, new: bool, taken: set[str]
    ) -> None:
        """Ask for a voice.

        Args:
            voice: What stands there to begin with.
            keep: Keeps it, or says in a sentence why that cannot be.
            new: Whether it gets an id of its own.
            taken: Ids that are in use.
        """
        super().__init__()
        self._voice, self._keep, self._new, self._taken = voice, keep, new, taken

    def compose(self) -> ComposeResult:
        """One line for each field, the settings, what is wrong, what to press."""
        title = f"New voice, out of {self._voice.id}" if self._new else f"Voice {self._voice.id}"
        with Vertical(classes="dialog"):
            yield Static(Content(title), classes="dialog-title")
            if self._new:
                yield from self._row("id", "id", "", "a short name, such as miller")
            for name, label, hint in _FIELDS:
                yield from self._row(name, label, str(getattr(self._voice, name)), hint)
            with Horizontal(classes="voice-row -settings"):
                yield Static("settings", classes="voice-label")
                yield Settings(written(self._voice.settings), id="voice-settings", compact=True)
            yield Static(id="voice-told", markup=False)
            yield Static(
                Content("tab moves · a setting: pitch = -3 · ctrl-e keeps · esc leaves"),
                classes="dialog-hint",
            )

    def _row(self, name: str, label: str, value: str, hint: str) -> ComposeResult:
        with Horizontal(classes="voice-row"):
            yield Static(label, classes="voice-label")
            yield FormLine(value, placeholder=hint, id=f"voice-{name}", compact=True)

    def on_mount(self) -> None:
        """Begin with the id of a new voice, else where changes are likeliest."""
        self.set_focus(self.query_one("#voice-id" if self._new else "#voice-settings"))

    @on(Input.Submitted)
    def submit(self, event: Input.Submitted) -> None:
        """Enter in a line keeps all of them."""
        event.stop()
        self.action_done()

    @work(exclusive=True, group="keep")
    async def action_done(self) -> None:
        """Keep the voice; what cannot be is said, and the form stays."""
        try:
            voice = self._typed()
        except BadInput as error:
            self._tell(str(error))
            return
        self._tell("…")
        objection = await self._keep(voice)
        if objection:
            self._tell(objection)
        else:
            self.dismiss(voice)

    def _tell(self, sentence: str) -> None:
        self.query_one("#voice-told", Static).update(Content(sentence))

    def _typed(self) -> Voice:
        """The voice as it stands in the form.

        Raises:
            BadInput: An id or a setting cannot be; the sentence says why.
        """
        texts = {
            name: self.query_one(f"#voice-{name}", FormLine).value.strip() for name, _, _ in _FIELDS
        }
        name = self._voice.id
        if self._new:
            name = self.query_one("#voice-id", FormLine).value.strip()
            check_id(name, self._taken)
        if not texts["engine"]:
            raise BadInput("A voice needs an engine, such as hibari.")
        settings = read(self.query_one("#voice-settings", Settings).text)
        return replace(self._voice, id=name, settings=settings, fingerprint="", **texts)

    def action_close(self) -> None:
        """Leave everything as it was."""
        self.dismiss(None)


def written(settings: Mapping[str, Any]) -> str:
    """Settings as lines to edit."""
    import tomli_w

    return tomli_w.dumps(dict(settings)).rstrip("\n")


def read(text: str) -> dict[str, Any]:
    """Settings out of lines.

    Raises:
        BadInput: A line is no setting; the sentence says which.
    """
    settings: dict[str, Any] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        try:
            (name, value), *more = tomllib.loads(line).items()
        except (tomllib.TOMLDecodeError, ValueError):
            raise BadInput(
                f"Line {number} of the settings, “{line.strip()}”, is no setting; write a name,"
                " = and a number or a text in quotation marks, such as pitch = -3."
            ) from None
        check_setting(name, None if more else value)
        if name in settings:
            raise BadInput(f"The setting “{name}” stands there twice; keep one of them.")
        settings[name] = value
    return settings
