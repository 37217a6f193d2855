"""A cursor that moves over a text by words, for choosing one of them or a phrase.

Give it a text and the spans to move over (`studio.ui.word_spans` finds them); it paints the text,
wrapped, with the current words marked, and posts `WordChosen` or `WordLeft`. While it has the
focus it owns every letter, so that no bare key acts elsewhere.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from rich.cells import chop_cells
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.events import Click, Key
from textual.geometry import Region, Size
from textual.message import Message
from textual.widget import Widget

from studio.ui import cells
from studio.ui.word_spans import Span

CURRENT = "bold reverse"
"""The words that enter would choose; reversed, for colour alone tells nothing to some."""


@dataclass(frozen=True, slots=True)
class _Atom:
    """A part of the text that is painted in one style."""

    text: str
    word: int
    """Place of its span, or -1 between the words."""


class WordCursor(Widget, can_focus=True, inherit_bindings=False):
    """A text with a cursor on its words."""

    DEFAULT_CSS = """
    WordCursor { height: auto; min-height: 1; margin: 0 1 0 9; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        # At once, so that what is typed behind them waits until they are done.
        Binding("enter", "choose", "Choose", priority=True, id="words.choose"),
        Binding("escape", "leave", "Leave", priority=True, id="words.leave"),
        Binding("l,right", "move(1)", "Next word", id="words.after"),
        Binding("h,left", "move(-1)", "Word before", id="words.before"),
        Binding("j,down", "line(1)", "Line down", id="words.down"),
        Binding("k,up", "line(-1)", "Line up", id="words.up"),
        Binding("home", "end(0)", "First word", id="words.first"),
        Binding("end", "end(-1)", "Last word", id="words.last"),
        Binding("shift+right", "extend(1)", "Extend", id="words.more"),
        Binding("shift+left", "extend(-1)", "Shrink", id="words.less"),
        Binding("v", "anchor", "Phrase", id="words.phrase"),
    ]

    owns_letters: ClassVar[bool] = True
    """Every letter is for this widget while it has the focus; see `typing_fields.is_typing`."""

    @dataclass
    class WordChosen(Message):
        """Enter was pressed on a word or a phrase."""

        start: int
        """Where it begins in the text."""
        end: int

    @dataclass
    class WordLeft(Message):
        """Escape was pressed."""

    @dataclass
    class Moved(Message):
        """The cursor is on another word; its line is to be in view."""

        region: Region
        """Where the word is painted, in this widget."""

    def __init__(self, id: str | None = None) -> None:  # noqa: A002 (Textual's word)
        """A cursor without a text; see `start`."""
        super().__init__(id=id)
        self._text = ""
        self._spans: tuple[Span, ...] = ()
        self._at = 0
        self._anchor: int | None = None
        self._phrases = False
        self._lines: tuple[int, list[list[_Atom]]] | None = None
        self.settled = asyncio.Event()
        """Cleared when the cursor is left; whoever takes the message sets it when that is done."""
        self.settled.set()

    def start(
        self, text: str, spans: Sequence[Span], *, at: int = 0, phrases: bool = False
    ) -> None:
        """Show a text with the cursor on one of its words.

        Args:
            text: Any text.
            spans: The words, in order, not overlapping.
            at: Place of the word to begin with.
            phrases: Whether several words in a row can be chosen (shift-→, or v).
        """
        self._text, self._spans, self._phrases = text, tuple(spans), phrases
        self._at = max(0, min(at, len(self._spans) - 1))
        self._anchor, self._lines = None, None
        self.refresh(layout=True)

    @property
    def chosen(self) -> Span:
        """Start and end of what enter would choose; an empty span where there are no words."""
        if not self._spans:
            return (0, 0)
        first, last = self._range()
        return (self._spans[first][0], self._spans[last][1])

    def _range(self) -> tuple[int, int]:
        """Places of the first and the last chosen word."""
        anchor = self._at if self._anchor is None else self._anchor
        return min(anchor, self._at), max(anchor, self._at)

    # Keys.

    async def _on_key(self, event: Key) -> None:
        """A letter that means nothing here means nothing at all."""
        # With the keys that a person chose; acted on here, so that none overtakes another.
        bound = self.screen.active_bindings.get(event.key)
        mine = bound is not None and bound.node is self and not bound.binding.priority
        if mine or event.is_printable:
            event.stop()
            event.prevent_default()
        if bound is not None and mine:
            await self.run_action(bound.binding.action)

    def action_choose(self) -> None:
        """Post `WordChosen`, once the keys before it have moved the cursor."""
        if self._spans:
            self.settled.clear()
            self.call_later(lambda: self.post_message(self.WordChosen(*self.chosen)))

    def action_leave(self) -> None:
        """Give up the phrase first, then the cursor."""
        self.settled.clear()
        self.call_later(self._leave)

    def _leave(self) -> None:
        if self._anchor is not None:
            self._anchor = None
            self.settled.set()
            self.refresh()
        else:
            self.post_message(self.WordLeft())

    def action_move(self, step: int) -> None:
        """To another word."""
        self._go(self._at + step)

    def action_end(self, place: int) -> None:
        """To the first word, or the last."""
        self._go(place % max(1, len(self._spans)))

    def action_extend(self, step: int) -> None:
        """Take one word more or less into the phrase."""
        if self._phrases and self._anchor is None:
            self._anchor = self._at
        self._go(self._at + step)

    def action_anchor(self) -> None:
        """Begin a phrase here, or give it up."""
        if self._phrases:
            self._anchor = self._at if self._anchor is None else None
            self.refresh()

    def action_line(self, step: int) -> None:
        """To the word above or below."""
        lines = self._laid_out(self.content_size.width)
        here = self._cell_of(self._at)
        row = here.y + step
        if (
            0 <= row < len(lines)
            and (word := self._word_at(here.x + here.width // 2, row)) is not None
        ):
            self._go(word)

    def on_click(self, event: Click) -> None:
        """A click puts the cursor on a word."""
        spot = event.get_content_offset(self)
        if spot is not None and (word := self._word_at(spot.x, spot.y)) is not None:
            event.stop()
            self._go(word)

    def _go(self, place: int) -> None:
        self._at = max(0, min(place, len(self._spans) - 1))
        self.refresh()
        self.post_message(self.Moved(self._cell_of(self._at)))

    # Painting.

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the text has at this width."""
        return max(1, len(self._laid_out(width)))

    def render(self) -> Content:
        """The text with the chosen words marked."""
        first, last = self._range()
        lines = self._laid_out(self.content_size.width)
        return Content("\n").join(
            Content.assemble(
                *(
                    (atom.text, CURRENT if self._inside(line, n, first, last) else "")
                    for n, atom in enumerate(line)
                )
            )
            for line in lines
        )

    def _inside(self, line: list[_Atom], place: int, first: int, last: int) -> bool:
        """Whether a part of a line is chosen; what stands between two chosen words is, too."""
        word = line[place].word
        if word >= 0:
            return first <= word <= last
        before = next((atom.word for atom in reversed(line[:place]) if atom.word >= 0), -1)
        after = next((atom.word for atom in line[place:] if atom.word >= 0), -1)
        return first <= before < last and after >= 0

    def _laid_out(self, columns: int) -> list[list[_Atom]]:
        """The lines at a width; kept until text or width change."""
        if self._lines is None or self._lines[0] != columns:
            self._lines = (columns, _wrapped(_atoms(self._text, self._spans), max(2, columns)))
        return self._lines[1]

    def _cell_of(self, word: int) -> Region:
        """Where a word is painted."""
        for y, line in enumerate(self._laid_out(self.content_size.width)):
            x = 0
            for atom in line:
                if atom.word == word:
                    return Region(x, y, cells.width(atom.text), 1)
                x += cells.width(atom.text)
        return Region(0, 0, 1, 1)

    def _word_at(self, column: int, row: int) -> int | None:
        """The word in a cell, else the next one to the left, else the first of the line."""
        lines = self._laid_out(self.content_size.width)
        if not 0 <= row < len(lines):
            return None
        found, x = None, 0
        for atom in lines[row]:
            if atom.word >= 0 and (x <= column or found is None):
                found = atom.word
            x += cells.width(atom.text)
        return found


def _atoms(text: str, spans: Sequence[Span]) -> list[_Atom]:
    """The text as words and what stands between them; each blank is a part of its own."""
    atoms: list[_Atom] = []
    end = 0
    for place, (start, stop) in enumerate([*spans, (len(text), len(text))]):
        for number, part in enumerate(text[end:start].split(" ")):
            if number:
                atoms.append(_Atom(" ", -1))
            if shown := cells.clean(part):
                atoms.append(_Atom(shown, -1))
        if place < len(spans):
            atoms.append(_Atom(cells.clean(text[start:stop]), place))
        end = stop
    return atoms


def _wrapped(atoms: Sequence[_Atom], columns: int) -> list[list[_Atom]]:
    """Lines broken at blanks, and only where there is none in a whole line, between words."""
    lines: list[list[_Atom]] = [[]]
    used = 0
    for cluster in _clusters(atoms):
        need = sum(cells.width(atom.text) for atom in cluster)
        fits = used + 1 + need <= columns or (need > columns > used + 2)
        if used and not fits:
            lines.append([])
            used = 0
        elif used:
            lines[-1].append(_Atom(" ", -1))
            used += 1
        for atom in cluster:
            for part in chop_cells(atom.text, columns):
                size = cells.width(part)
                if used + size > columns:
                    lines.append([])
                    used = 0
                lines[-1].append(_Atom(part, atom.word))
                used += size
    return lines


def _clusters(atoms: Sequence[_Atom]) -> list[list[_Atom]]:
    """What stands between two blanks."""
    clusters: list[list[_Atom]] = [[]]
    for atom in atoms:
        if atom.text == " " and atom.word < 0:
            clusters.append([])
        else:
            clusters[-1].append(atom)
    return [cluster for cluster in clusters if cluster]
