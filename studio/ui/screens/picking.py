"""The pieces of a manuscript before it is imported: what is narrated, and why the rest is not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import ClassVar

from textual import work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.content import Content
from textual.widgets import Static

from studio.book.manuscript import Manuscript, Piece
from studio.book.policies import Policies
from studio.errors import StudioError
from studio.project.manuscripts import Choice
from studio.ui import cells, formats, inks
from studio.ui.action import EVERYWHERE, PICKING
from studio.ui.actions import bindings
from studio.ui.keys import Keys
from studio.ui.screens.own_keys import own_keys
from studio.ui.screens.window import Window
from studio.ui.widgets.column_list import Column, ColumnList, DrawnRows

COLUMNS = (
    Column("", 1, ink="good"),
    Column("#", 5, right=True, ink="muted"),
    Column("piece"),
    Column("characters", 10, right=True),
    Column("why it starts unticked", ink="muted"),
)
POLICIES: Mapping[str, str] = {
    "notes": "notes",
    "addresses": "addresses",
    "tables": "tables",
    "images": "pictures",
    "front": "front",
    "back": "back",
    "dates": "dates",
}
"""What each policy is called on the lines of choices."""
IN_LINE = 3
"""So many choices stand in a line."""
CHOICE = 24
"""Cells of one, without its key."""


class PickingScreen(Window[Choice | None]):
    """Answers with what is to be narrated, or None where the book is left alone."""

    ACTIONS_OF: ClassVar[str] = PICKING
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings(PICKING),
        *(replace(it, action=f"app.{it.action}") for it in bindings(EVERYWHERE)),
    ]
    CSS_PATH = "picking.tcss"

    def __init__(
        self,
        manuscript: Manuscript,
        read: Callable[[Choice], Manuscript],
        keys: Keys,
        choice: Choice | None = None,
    ) -> None:
        """Offer the pieces of a manuscript.

        Args:
            manuscript: As it was read with the policies of ``choice`` and no ticks.
            read: Reads it with other policies; off the event loop.
            keys: The keys in force.
            choice: What was chosen so far.
        """
        super().__init__()
        self._manuscript, self._read, self._keys = manuscript, read, keys
        begun = choice or Choice()
        self._policies, self._ticks = begun.policies, dict(begun.ticks)

    def compose(self) -> ComposeResult:
        """Title, pieces, the line of choices, the answer to the last key, the keys."""
        title = self._manuscript.title or "The manuscript"
        yield Static(Content(f"{title} · what is narrated"), classes="picking-title")
        yield ColumnList(COLUMNS, empty="The manuscript has no pieces.", id="pieces")
        yield Static(id="picking-choices", markup=False)
        yield Static(id="picking-told", markup=False)
        yield own_keys(PICKING, self._keys)

    def on_mount(self) -> None:
        """Begin on the first piece."""
        self._show()
        self.set_focus(self._list)

    @property
    def _list(self) -> ColumnList:
        return self.query_one(ColumnList)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """The pieces in reading order, ticked as they start."""
        return self._manuscript.pieces

    def ticked(self, piece: Piece) -> bool:
        """Whether a piece is to be narrated."""
        return self._ticks.get(piece.id, piece.ticked)

    # What is shown.

    def _show(self) -> None:
        """Show everything as it is now chosen."""
        self._list.show(DrawnRows(len(self.pieces), self._row))
        self._show_choices()
        self._tell_sum()

    def _row(self, place: int) -> tuple[str, ...]:
        piece = self.pieces[place]
        return (
            "✓" if self.ticked(piece) else "·",
            str(place + 1),
            piece.title,
            f"{piece.characters:,}",
            piece.why,
        )

    def _show_choices(self) -> None:
        """The policies with the keys that turn them."""
        parts: list[str | tuple[str, str]] = []
        for place, (name, label) in enumerate(POLICIES.items(), 1):
            key = self._keys.shown(f"picking.{name}")
            end = "\n" if place % IN_LINE == 0 else ""
            said = cells.fit(f" {label}: {getattr(self._policies, name)}", CHOICE)
            parts += [(key, "bold $accent"), said.rstrip() + end if end else said]
        self.query_one("#picking-choices", Static).update(Content.assemble(*parts))

    def _tell_sum(self) -> None:
        """How much is narrated."""
        chosen = [piece for piece in self.pieces if self.ticked(piece)]
        characters = sum(piece.characters for piece in chosen)
        self._tell(
            f"{len(chosen):,} of {formats.count(len(self.pieces), 'piece')}, "
            f"{formats.count(characters, 'character')}."
        )

    def _tell(self, sentence: str, *, error: bool = False) -> None:
        style = inks.ERROR if error else inks.MUTED
        text = f"{'✗ ' if error else ''}{cells.clean(sentence)}"
        self.query_one("#picking-told", Static).update(Content.styled(text, style))

    # What can be done.

    def action_picking_tick(self) -> None:
        """Turn the tick of the piece under the cursor."""
        if not self.pieces:
            return
        piece = self.pieces[self._list.cursor]
        self._ticks[piece.id] = not self.ticked(piece)
        self._list.refresh_row(self._list.cursor)
        self._tell_sum()

    def on_column_list_activated(self, event: ColumnList.Activated) -> None:
        """A double click turns the tick, too."""
        event.stop()
        self.action_picking_tick()

    def action_picking_all(self) -> None:
        """Tick everything, or nothing."""
        tick = not all(map(self.ticked, self.pieces))
        self._ticks |= dict.fromkeys((piece.id for piece in self.pieces), tick)
        self._show()

    def action_picking_reset(self) -> None:
        """Forget what was chosen piece by piece."""
        self._ticks.clear()
        self._show()

    def action_picking_take(self) -> None:
        """Answer, unless nothing would be narrated."""
        if not any(self.ticked(piece) and piece.characters for piece in self.pieces):
            self._tell("Nothing would be narrated; tick a piece that has text.", error=True)
            return
        starts = {piece.id: piece.ticked for piece in self.pieces}
        ticks = {name: it for name, it in self._ticks.items() if starts.get(name) is not it}
        self.dismiss(Choice(self._policies, ticks))

    def action_picking_close(self) -> None:
        """Leave the manuscript alone."""
        self.dismiss(None)

    # The line of choices.

    def action_picking_notes(self) -> None:
        """Turn what becomes of notes."""
        self._turn("notes")

    def action_picking_addresses(self) -> None:
        """Turn whether addresses are read."""
        self._turn("addresses")

    def action_picking_tables(self) -> None:
        """Turn whether tables are read."""
        self._turn("tables")

    def action_picking_images(self) -> None:
        """Turn whether the texts of pictures are read."""
        self._turn("images")

    def action_picking_front(self) -> None:
        """Turn what becomes of the pages before the story."""
        self._turn("front")

    def action_picking_back(self) -> None:
        """Turn what becomes of the pages behind the story."""
        self._turn("back")

    def action_picking_dates(self) -> None:
        """Turn which number of a date is the day."""
        self._turn("dates")

    def _turn(self, name: str) -> None:
        """Go to the next choice of a policy, and see what becomes of the pieces."""
        offered = Policies.offered()[name]
        now = offered.index(str(getattr(self._policies, name)))
        values = {each: str(getattr(self._policies, each)) for each in Policies.offered()}
        values[name] = offered[(now + 1) % len(offered)]
        self._policies = Policies.of(values)
        self._show_choices()
        self._tell("Reading…")
        self._read_again()

    @work(exclusive=True, group="read", exit_on_error=False)
    async def _read_again(self) -> None:
        """Read the manuscript by the policies in force; ticks that were set stay."""
        try:
            self._manuscript = await asyncio.to_thread(self._read, Choice(self._policies))
        except StudioError as error:
            self._tell(str(error), error=True)
            return
        self._show()
