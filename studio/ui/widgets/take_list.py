"""The takes of one segment, each with its waveform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import ClassVar

from rich.style import Style
from textual.binding import Binding, BindingType
from textual.message import Message
from textual.strip import Strip

from studio.project.model import Take
from studio.ui import cells, formats
from studio.ui.widgets.line_list import LineList, on_ground

_SEED = 10
_VOICE = 7
_VERDICT = 12
_AGE = 10
_VERDICT_FROM, _VOICE_FROM, _AGE_FROM = 62, 84, 100
"""From which width on the less important columns are shown; the waveform has the rest."""


def fit_waveform(blocks: str, length: int) -> str:
    """A waveform of block characters at another width.

    Args:
        blocks: Characters of ``▁▂▃▄▅▆▇█`` (higher code points are louder), any number.
        length: Cells to fill.

    Returns:
        The loudest character of each stretch, or nothing where there is nothing.
    """
    if not blocks or length <= 0:
        return ""
    have = len(blocks)
    starts = [i * have // length for i in range(length + 1)]
    return "".join(max(blocks[start : max(start + 1, end)]) for start, end in pairwise(starts))


class TakeList(LineList):
    """Every take of a segment; the chosen one has the bar at its left."""

    DEFAULT_CSS = """
    TakeList {
        & > .take-list--chosen { text-style: bold; }
        & > .take-list--approved { color: $text-success; }
        & > .take-list--star { color: $text-accent; text-style: bold; }
        & > .take-list--objection { color: $text-warning; text-style: bold; }
        & > .take-list--wave { color: $text-muted; }
        & > .take-list--wave-chosen { color: $text-accent; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "take-list--chosen",
        "take-list--approved",
        "take-list--star",
        "take-list--objection",
        "take-list--wave",
        "take-list--wave-chosen",
    }
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "choose", "Choose the take", show=False, id="takes.choose"),
        Binding("space", "play", "Play the take", show=False, id="takes.play"),
    ]
    SCROLL_OFF = 0

    @dataclass
    class TakeChosen(Message):
        """A person wants this take to be the segment's."""

        take_id: int

    @dataclass
    class TakePlayed(Message):
        """A person wants to hear this take without choosing it."""

        take_id: int

    @dataclass
    class TakeHighlighted(Message):
        """The cursor has come to another take, moved by hand."""

        take_id: int

    def __init__(
        self,
        *,
        empty: str = "No take yet. r narrates this segment.",
        id: str | None = None,  # noqa: A002 (Textual's word)
        classes: str | None = None,
    ) -> None:
        """A list without takes; see `show`."""
        super().__init__(empty=empty, id=id, classes=classes)
        self._takes: tuple[Take, ...] = ()
        self._chosen: int | None = None
        self._approved: int | None = None
        self._peaks: Mapping[int, str] = {}
        self._now: datetime | None = None

    def show(
        self,
        takes: Sequence[Take],
        chosen: int | None,
        peaks: Mapping[int, str],
        *,
        approved: int | None = None,
        now: datetime | None = None,
    ) -> None:
        """Show the takes of a segment.

        Args:
            takes: All of them, in order. For another segment the cursor goes to the chosen one.
            chosen: `Take.id` of the chosen take.
            peaks: Waveforms by `Take.id`, as block characters of any length; what is missing
                is drawn when `show` is called again with it.
            approved: `Take.id` of the approved take.
            now: The present, for the age; None leaves the age out.
        """
        if not takes and not self._takes:
            return  # held keys come by many segments that have none
        old = self._takes[self.cursor].id if self.cursor < len(self._takes) else None
        same = bool(takes and self._takes and takes[0].segment == self._takes[0].segment)
        rechosen = chosen != self._chosen
        self._takes, self._chosen, self._approved = tuple(takes), chosen, approved
        self._peaks, self._now = peaks, now
        wanted = old if same and not rechosen else chosen
        places = [index for index, take in enumerate(self._takes) if take.id == wanted]
        self.rows_changed()
        self.set_reactive(TakeList.cursor, self.validate_cursor(places[0] if places else 0))
        self.reveal(self.cursor)

    @property
    def take_id(self) -> int | None:
        """`Take.id` under the cursor."""
        return self._takes[self.cursor].id if self._takes else None

    def count(self) -> int:
        """How many takes there are."""
        return len(self._takes)

    def cursor_moved(self) -> None:
        """Post `TakeHighlighted`."""
        if (take_id := self.take_id) is not None:
            self.post_message(self.TakeHighlighted(take_id))

    def activate(self) -> None:
        """A double click chooses."""
        self.action_choose()

    def action_choose(self) -> None:
        """Post `TakeChosen` for the take under the cursor."""
        if (take_id := self.take_id) is not None:
            self.post_message(self.TakeChosen(take_id))

    def action_play(self) -> None:
        """Post `TakePlayed` for the take under the cursor."""
        if (take_id := self.take_id) is not None:
            self.post_message(self.TakePlayed(take_id))

    def draw_row(self, index: int, columns: int) -> Strip:
        """One take."""
        take = self._takes[index]
        base = self.ground(index) if self.has_focus else self.rich_style
        pieces = self._facts(take, columns)
        used = sum(cells.width(text) for text, _ in pieces)
        wave = fit_waveform(self._peaks.get(take.id, ""), columns - used - 1)
        chosen = "-chosen" if take.id == self._chosen else ""
        pieces.append((wave, self.style(f"take-list--wave{chosen}")))
        strip = Strip(on_ground(pieces, base))
        return strip.adjust_cell_length(columns, base)

    def _facts(self, take: Take, columns: int) -> list[tuple[str, Style]]:
        """Everything left of the waveform."""
        chosen = take.id == self._chosen
        plain = self.style("take-list--chosen") if chosen else Style.null()
        muted = self.style("line-list--muted")
        approved = take.id == self._approved
        pieces = [
            ("▌" if chosen else " ", self.style("line-list--bar")),
            (f"{take.number:>3} ", plain),
            ("✓" if approved else " ", self.style("take-list--approved")),
            ("★ " if take.star else "  ", self.style("take-list--star")),
            ("seed ", muted),
            (cells.fit(formats.seed(take.seed), _SEED, right=True), plain),
            (cells.fit(formats.seconds(take.seconds), 8, right=True), plain),
            (cells.fit(formats.rtf(take.rtf), 6, right=True) + "  ", muted),
        ]
        if columns >= _VOICE_FROM:
            pieces.append((cells.fit(take.voice, _VOICE) + "  ", muted))
        if columns >= _VERDICT_FROM:
            pieces.append(self._verdict(take))
        if columns >= _AGE_FROM and self._now is not None:
            age = formats.age(take.made, self._now)
            pieces.append((cells.fit(age, _AGE, right=True) + "  ", muted))
        return pieces

    def _verdict(self, take: Take) -> tuple[str, Style]:
        """What the checks say of it: the panel above tells all, here is room for one."""
        if not take.findings:
            return cells.fit("no objection", _VERDICT) + "  ", self.style("line-list--muted")
        more = f" +{len(take.findings) - 1}" if len(take.findings) > 1 else ""
        words = cells.crop(take.findings[0], _VERDICT - 2 - len(more)) + more
        return cells.fit(f"! {words}", _VERDICT) + "  ", self.style("take-list--objection")
