"""What to show: filters to choose from, and a line of conditions counted as one types."""

from __future__ import annotations

import asyncio
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option

from studio.errors import BadInput
from studio.ui.filters import FILTERS, NAMED, Filter, parse
from studio.ui.rows import Rows
from studio.ui.screens.window import Window
from studio.ui.slices import counts, matching
from studio.ui.typing_fields import Line
from studio.ui.widgets.choices import Choices

COUNT_SECONDS = 0.12
"""Conditions are counted once nothing was typed for this long."""


class FilterScreen(Window[tuple[Filter | None] | None]):
    """Answers with a filter, with ``(None,)`` for everything, or None to leave it as it is."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "close", show=False, id="dialog.close"),
        Binding("tab,shift+tab", "other", show=False, id="filter.other"),
        Binding("f", "type", show=False, id="filter.type"),
        Binding("j", "down", show=False, id="dialog.down"),
        Binding("k", "up", show=False, id="dialog.up"),
    ]
    CSS_PATH = "dialogs.tcss"

    def __init__(self, rows: Rows, conditions: str) -> None:
        """Filter ``rows``; ``conditions`` stand in the line to begin with."""
        super().__init__()
        self._rows, self._typed = rows, conditions

    def compose(self) -> ComposeResult:
        """The list, the line, how many it keeps, what to press."""
        with Vertical(classes="dialog"):
            yield Static(Content("Show only"), classes="dialog-title")
            yield Choices(*[Option(Content(label)) for label in self._labels(None)])
            yield Line(self._typed, placeholder='stale voice:heart -marked "mill" len>8')
            yield Static(id="filter-told", markup=False)
            yield Static(
                Content("enter shows them · tab or f types conditions · esc leaves"),
                classes="dialog-hint",
            )

    def on_mount(self) -> None:
        """Begin on the filter in force."""
        choices = self.query_one(OptionList)
        now = self._rows.filter
        choices.highlighted = FILTERS.index(now) + 1 if now in FILTERS else 0
        if now is not None and now.conditions:
            self.set_focus(self.query_one(Line))
        else:
            self.set_focus(choices)
        self._count_all()
        self._count()

    def _labels(self, totals: list[int] | None) -> list[str]:
        """The choices, with how many segments each would show once that is known."""
        numbers = [len(self._rows.all), *totals] if totals else [None] * (len(FILTERS) + 1)
        names = ["everything", *(it.label for it in FILTERS)]
        return [
            f"{'·' if number is None else format(number, ','):>6}  {name}"
            for number, name in zip(numbers, names, strict=True)
        ]

    @work(exit_on_error=False)
    async def _count_all(self) -> None:
        """Count what each choice would show, beside the event loop."""
        totals = await counts(self._rows)
        choices = self.query_one(OptionList)
        for place, label in enumerate(self._labels(totals)):
            choices.replace_option_prompt_at_index(place, Content(label))

    # The list.

    def action_down(self) -> None:
        """One down."""
        self.query_one(OptionList).action_cursor_down()

    def action_up(self) -> None:
        """One up."""
        self.query_one(OptionList).action_cursor_up()

    def action_type(self) -> None:
        """To the line."""
        self.set_focus(self.query_one(Line))

    def action_other(self) -> None:
        """From the list to the line, or back."""
        line, choices = self.query_one(Line), self.query_one(OptionList)
        self.set_focus(choices if self.focused is line else line)

    @on(OptionList.OptionSelected)
    async def take_choice(self, event: OptionList.OptionSelected) -> None:
        """Hand a choice over, unless it keeps nothing."""
        event.stop()
        if event.option_index == 0:
            self.dismiss((None,))
            return
        chosen = FILTERS[event.option_index - 1]
        await self._hand_over(chosen, f"No segment is in “{chosen.label}”; nothing would be shown.")

    # The line.

    @on(Input.Changed)
    def count_typed(self, event: Input.Changed) -> None:
        """Count what the conditions keep."""
        event.stop()
        self._count()

    @work(exclusive=True, group="count", exit_on_error=False)
    async def _count(self) -> None:
        """Say how many segments the conditions keep, or what is wrong with them."""
        await asyncio.sleep(COUNT_SECONDS)
        try:
            wanted = parse(self.query_one(Line).value)
            found = 0 if wanted is None else len(await matching(self._rows, wanted))
        except BadInput as error:
            self._say(str(error))
            return
        if wanted is None:
            self._say(f"Conditions: {NAMED}.", plain=True)
            return
        self._say(f"{found:,} of {len(self._rows.all):,} segments", plain=True)

    @on(Input.Submitted)
    async def take_typed(self, event: Input.Submitted) -> None:
        """Hand the conditions over; a line without any shows everything."""
        event.stop()
        self.workers.cancel_group(self, "count")  # This answer is not to be overwritten.
        try:
            wanted = parse(event.value)
        except BadInput as error:
            self._say(str(error))
            return
        await self._hand_over(wanted, "No segment satisfies this; nothing would be shown.")

    async def _hand_over(self, wanted: Filter | None, nothing: str) -> None:
        """Answer, unless nothing at all would be shown."""
        try:
            empty = wanted is not None and not await matching(self._rows, wanted)
        except BadInput as error:
            self._say(str(error))
            return
        if empty:
            self._say(nothing)
        else:
            self.dismiss((wanted,))

    def _say(self, sentence: str, *, plain: bool = False) -> None:
        """Answer below the line; what is no complaint stands there quietly."""
        told = self.query_one("#filter-told", Static)
        told.set_class(plain, "-plain")
        told.update(Content(sentence))

    def action_close(self) -> None:
        """Leave it as it is."""
        self.dismiss(None)
