"""Find and replace in what is spoken: typed, seen, ticked, then done as one step."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from studio.errors import BadInput
from studio.project.model import Segment
from studio.ui import formats
from studio.ui.action import EVERYWHERE, REPLACE
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.replacing import Found, Replacement, Wanted, named, replacements
from studio.ui.screens.own_keys import own_keys
from studio.ui.screens.window import Window
from studio.ui.typing_fields import FormLine
from studio.ui.widgets import segment_text
from studio.ui.widgets.replacement_list import ReplacementList
from studio.ui.widgets.turn_field import TurnField

PAUSE_SECONDS = 0.15
"""So long after the last key the segments are looked through."""
AS = ("as it is typed", "a pattern (regular expression)")
CASE = ("in any case", "with these capitals only")


@dataclass(frozen=True, slots=True)
class Scope:
    """Where one can look."""

    label: str
    segments: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class Agreed:
    """What a person wants to be replaced."""

    wanted: Wanted
    changes: tuple[Replacement, ...] = ()
    """Empty where the window was left; what was typed is remembered all the same."""


class ReplaceScreen(Window[Agreed]):
    """Answers with what is to be replaced."""

    ACTIONS_OF: ClassVar[str] = REPLACE
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(REPLACE),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
        Binding("down", "app.focus_next", show=False, id="form.down"),
        Binding("up", "app.focus_previous", show=False, id="form.up"),
    ]
    CSS_PATH = "replacing.tcss"

    def __init__(self, scopes: Sequence[Scope], wanted: Wanted, keys: Keys) -> None:
        """Look in one of ``scopes``; ``wanted`` stands there to begin with."""
        super().__init__()
        self._scopes, self._wanted, self._keys = tuple(scopes), wanted, keys
        self._found = Found()
        self._looked = asyncio.Event()

    def compose(self) -> ComposeResult:
        """The fields, what is found, the one under the cursor in full, what to press."""
        wanted = self._wanted
        places = [f"{it.label} ({len(it.segments):,})" for it in self._scopes]
        yield Static(Content("Find and replace in what is spoken"), classes="replace-title")
        with Vertical(id="replace-form"):
            for label, field in (
                ("find", FormLine(wanted.find, id="replace-find", compact=True)),
                ("replace by", FormLine(wanted.put, id="replace-put", compact=True)),
                ("find it", TurnField(AS, int(wanted.regex), id="replace-as")),
                ("", TurnField(CASE, int(wanted.match_case), id="replace-case")),
                ("in", TurnField(places, 0, id="replace-scope")),
            ):
                with Horizontal(classes="replace-row"):
                    yield Static(label, classes="replace-label")
                    yield field
        yield Static(id="replace-told", markup=False)
        yield ReplacementList(id="replace-list")
        with VerticalScroll(id="replace-full", can_focus=False):
            yield Static(id="replace-text", markup=False)
        yield own_keys(REPLACE, self._keys, typing=True, first=[("tab ↑ ↓", "fields")])

    def on_mount(self) -> None:
        """Begin where something is to be typed."""
        self.set_focus(self.query_one("#replace-find", FormLine))
        self._look()

    @property
    def draft(self) -> Wanted:
        """What the fields say."""
        return Wanted(
            self.query_one("#replace-find", FormLine).value,
            self.query_one("#replace-put", FormLine).value,
            self.query_one("#replace-as", TurnField).at == 1,
            self.query_one("#replace-case", TurnField).at == 1,
        )

    @on(Input.Submitted)
    def go_on(self, event: Input.Submitted) -> None:
        """Enter behind what is looked for goes on to what takes its place."""
        event.stop()
        if event.input.id == "replace-find":
            self.focus_next()
        else:
            self.action_replace_apply()

    @on(Input.Changed)
    @on(TurnField.Changed)
    def look_again(self) -> None:
        """Something was typed or turned: what was found holds no more."""
        self._looked.clear()
        self._look()

    @work(exclusive=True, group="preview", exit_on_error=False)
    async def _look(self) -> None:
        """Find what would change, once the hands rest, off the event loop."""
        await asyncio.sleep(PAUSE_SECONDS)
        wanted = self.draft
        scope = self._scopes[self.query_one("#replace-scope", TurnField).at]
        empty = "Type what to look for." if not wanted.find else "No segment would be another."
        try:
            self._found = await asyncio.to_thread(replacements, scope.segments, wanted)
            told = self._summary()
        except BadInput as error:
            self._found, told, empty = Found(), str(error), ""
        self._wanted = wanted
        self.query_one(ReplacementList).show_replacements(self._found.changed, empty)
        self.query_one("#replace-told", Static).update(Content(told))
        self._show_here()
        self._looked.set()

    def _summary(self) -> str:
        """How much was found, and what stays as it is."""
        found = self._found
        if not found.changed and not found.emptied:
            return ""
        line = f"{formats.count(found.hits, 'hit')} in"
        line = f"{line} {formats.count(len(found.changed), 'segment')}"
        if found.emptied:
            one = len(found.emptied) == 1
            stay = "it stays" if one else "they stay"
            line += f"; nothing would be left of {named(found.emptied)}, so {stay}"
        return line

    @on(ReplacementList.Moved)
    def show_full(self, event: ReplacementList.Moved) -> None:
        """Another segment: its texts in full."""
        event.stop()
        self._show_here()

    def _show_here(self) -> None:
        """The text of the row under the cursor, before and after."""
        row = self.query_one(ReplacementList).here
        columns = self.size.width
        text = segment_text.compared(row.before, row.after, columns) if row else Content("")
        self.query_one("#replace-text", Static).update(text)

    def action_replace_toggle(self) -> None:
        """Leave the segment under the cursor out, or take it in again."""
        self.query_one(ReplacementList).toggle()

    @work(exclusive=True, group="apply")
    async def action_replace_apply(self) -> None:
        """Hand over what is ticked, once all that was typed was looked for."""
        await self._looked.wait()
        if ticked := self.query_one(ReplacementList).ticked:
            self.dismiss(Agreed(self._wanted, tuple(ticked)))

    def action_replace_close(self) -> None:
        """Leave every text as it is."""
        self.dismiss(Agreed(self.draft))
