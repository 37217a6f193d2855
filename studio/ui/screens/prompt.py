"""Small dialogs: a line of text, a choice out of a list, yes or no. Escape is the safe answer."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from studio.ui.screens.window import Window
from studio.ui.typing_fields import Line
from studio.ui.widgets.choices import Choices

_ESCAPE: list[BindingType] = [Binding("escape", "close", "close", show=False, id="dialog.close")]


class Prompt(Window[str | None]):
    """Asks for one line; answers None when it is left with escape."""

    BINDINGS: ClassVar[list[BindingType]] = _ESCAPE
    CSS_PATH = "dialogs.tcss"
    UNKEPT = "What is typed here is not kept yet; enter keeps it."

    def __init__(
        self,
        title: str,
        *,
        value: str = "",
        hint: str = "",
        empty: bool = True,
        work: bool = False,
    ) -> None:
        """Ask.

        Args:
            title: What is asked.
            value: What stands there to begin with.
            hint: A line below it: what may be typed.
            empty: Whether nothing at all is an answer.
            work: Whether what is typed is work that would be missed.
        """
        super().__init__()
        self._work = work
        self._title, self._value, self._hint, self._empty = title, value, hint, empty

    def compose(self) -> ComposeResult:
        """The question, the line, the hint."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Line(self._value, select_on_focus=bool(self._value))
            yield Static(
                Content(self._hint or "enter takes it · esc leaves it as it was"),
                classes="dialog-hint",
            )

    @property
    def unkept(self) -> str:
        """What is typed and not taken yet, where it would be missed."""
        return super().unkept if self._work else ""

    def on_mount(self) -> None:
        """Take the keys that follow, at once."""
        self.set_focus(self.query_one(Input))

    @on(Input.Submitted)
    def take_answer(self, event: Input.Submitted) -> None:
        """Hand the line over."""
        event.stop()
        answer = event.value.strip()
        if answer or self._empty:
            self.dismiss(answer)

    def action_close(self) -> None:
        """Leave without an answer."""
        self.dismiss(None)


class Choose(Window[int | None]):
    """Offers a list; answers with the place of the choice, or None."""

    BINDINGS: ClassVar[list[BindingType]] = [
        *_ESCAPE,
        Binding("j", "down", show=False, id="dialog.down"),
        Binding("k", "up", show=False, id="dialog.up"),
    ]
    CSS_PATH = "dialogs.tcss"

    def __init__(
        self, title: str, choices: Sequence[str | Content], *, current: int = 0, hint: str = ""
    ) -> None:
        """Offer ``choices`` with the cursor on ``current``."""
        super().__init__()
        self._title, self._choices, self._current, self._hint = title, choices, current, hint

    def compose(self) -> ComposeResult:
        """The question and the list."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Choices(
                *[
                    Option(Content(choice) if isinstance(choice, str) else choice)
                    for choice in self._choices
                ]
            )
            yield Static(
                Content(self._hint or "↑ ↓ move · enter chooses · esc leaves"),
                classes="dialog-hint",
            )

    def on_mount(self) -> None:
        """Begin on the current choice."""
        choices = self.query_one(OptionList)
        choices.highlighted = self._current if self._choices else None
        self.set_focus(choices)

    def action_down(self) -> None:
        """One down."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """One up."""
        self.query_one(OptionList).action_cursor_up()

    @on(OptionList.OptionSelected)
    def take_choice(self, event: OptionList.OptionSelected) -> None:
        """Hand the choice over."""
        event.stop()
        self.dismiss(event.option_index)

    def action_close(self) -> None:
        """Leave without a choice."""
        self.dismiss(None)


class Confirm(Window[bool]):
    """Yes or no; everything but `y` is no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False, id="dialog.yes"),
        Binding("escape,n,q", "answer(False)", show=False, id="dialog.no"),
    ]
    CSS_PATH = "dialogs.tcss"

    def __init__(self, question: str, *, yes: str, no: str) -> None:
        """Ask ``question``; ``yes`` and ``no`` say what each answer does."""
        super().__init__()
        self._question, self._yes, self._no = question, yes, no

    def compose(self) -> ComposeResult:
        """The question and both answers."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._question), classes="dialog-title")
            yield Choices(Option(f"y    {self._yes}"), Option(f"esc  {self._no}"))

    def on_mount(self) -> None:
        """Begin on the safe answer."""
        answers = self.query_one(OptionList)
        answers.highlighted = 1
        self.set_focus(answers)

    @on(OptionList.OptionSelected)
    def take_choice(self, event: OptionList.OptionSelected) -> None:
        """Hand the answer over."""
        event.stop()
        self.dismiss(event.option_index == 0)

    def action_answer(self, yes: bool) -> None:
        """Answer."""
        self.dismiss(yes)


class Report(Window[None]):
    """Shows a few lines until a key is pressed: what an import took and what it left out."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,enter,space,q", "close", show=False, id="dialog.done")
    ]
    CSS_PATH = "dialogs.tcss"

    def __init__(self, title: str, lines: Sequence[str], *, hint: str = "enter goes on") -> None:
        """Show ``segments`` below ``title``."""
        super().__init__()
        self._title, self._lines, self._hint = title, lines, hint

    def compose(self) -> ComposeResult:
        """The title, the segments in a list that scrolls, the hint."""
        with Vertical(classes="dialog"):
            yield Static(Content(self._title), classes="dialog-title")
            yield Choices(*[Option(Content(line)) for line in self._lines])
            yield Static(Content(self._hint), classes="dialog-hint")

    @on(OptionList.OptionSelected)
    def close_with_enter(self, event: OptionList.OptionSelected) -> None:
        """Enter on a segment closes it, too."""
        event.stop()
        self.dismiss(None)

    def action_close(self) -> None:
        """Go on."""
        self.dismiss(None)
