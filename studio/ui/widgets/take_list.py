"""The takes of one segment, each with its waveform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
_BEST = "◆ best "
_AGE = 10
_VERDICT_FROM, _DIFFERS_FROM, _RTF_FROM, _VOICE_FROM, _AGE_FROM = 56, 72, 88, 104, 118
"""From which width on the columns are shown, the most telling first; the waveform has the rest."""
MUTED = "line-list--muted"
_ROOMY_FROM = 150
"""From which width on words need not be cut so short."""


@dataclass(frozen=True, slots=True)
class TakeFacts:
    """What is known of a segment's takes beside the takes themselves."""

    chosen: int | None = None
    """`Take.id` of the chosen take."""
    approved: int | None = None
    """`Take.id` of the approved take."""
    best: int | None = None
    """`Take.id` of the take that the checks like best; None where there is nothing to compare."""
    peaks: Mapping[int, str] = field(default_factory=dict)
    """Waveforms by `Take.id`, as block characters of any length; what is missing is drawn when
    the list is shown again with it."""
    differs: Mapping[int, Sequence[str]] = field(default_factory=dict)
    """By `Take.id`: how a take differs from what the segment asks for now, a word for each."""
    now: datetime | None = None
    """The present, for the age; None leaves the age out."""


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
        & > .take-list--best { color: $text-accent; text-style: bold; }
        & > .take-list--objection { color: $text-warning; text-style: bold; }
        & > .take-list--wave { color: $text-muted; }
        & > .take-list--wave-chosen { color: $text-accent; }
    }
    """
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        "take-list--chosen",
        "take-list--approved",
        "take-list--star",
        "take-list--best",
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
        self._facts = TakeFacts()

    def show(self, takes: Sequence[Take], facts: TakeFacts) -> None:
        """Show the takes of a segment.

        Args:
            takes: All of them, in order. For another segment the cursor goes to the chosen one.
            facts: What else is known of them.
        """
        if not takes and not self._takes:
            return  # held keys come by many segments that have none
        old = self._takes[self.cursor].id if self.cursor < len(self._takes) else None
        same = bool(takes and self._takes and takes[0].segment == self._takes[0].segment)
        rechosen = facts.chosen != self._facts.chosen
        self._takes, self._facts = tuple(takes), facts
        wanted = old if same and not rechosen else facts.chosen
        self.rows_changed()
        if not self.follow(wanted):
            self._put_cursor(0)

    def follow(self, take_id: int | None) -> bool:
        """Put the cursor on a take, such as the one that is heard; False where it is not here."""
        places = [index for index, take in enumerate(self._takes) if take.id == take_id]
        if places:
            self._put_cursor(places[0])
        return bool(places)

    def _put_cursor(self, place: int) -> None:
        """Move the cursor without telling: nobody moved it by hand."""
        self.set_reactive(TakeList.cursor, self.validate_cursor(place))
        self.refresh()
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
        pieces = [*self._marks(take, columns), *self._columns(take, columns)]
        used = sum(cells.width(text) for text, _ in pieces)
        wave = fit_waveform(self._facts.peaks.get(take.id, ""), columns - used - 1)
        chosen = "-chosen" if take.id == self._facts.chosen else ""
        pieces.append((wave, self.style(f"take-list--wave{chosen}")))
        strip = Strip(on_ground(pieces, base))
        return strip.adjust_cell_length(columns, base)

    def _marks(self, take: Take, columns: int) -> list[tuple[str, Style]]:
        """Which take it is, and what a person and the checks have said of it."""
        facts = self._facts
        plain = self.style("take-list--chosen") if take.id == facts.chosen else Style.null()
        best = _BEST if columns >= _VERDICT_FROM else _BEST[:2]
        return [
            ("▌" if take.id == facts.chosen else " ", self.style("line-list--bar")),
            (f"{take.number:>3} ", plain),
            ("✓" if take.id == facts.approved else " ", self.style("take-list--approved")),
            ("★ " if take.star else "  ", self.style("take-list--star")),
            (best if take.id == facts.best else " " * len(best), self.style("take-list--best")),
        ]

    def _columns(self, take: Take, columns: int) -> list[tuple[str, Style]]:
        """What it is made of; narrow lists leave out what tells least."""
        plain = self.style("take-list--chosen") if take.id == self._facts.chosen else Style.null()
        muted = self.style(MUTED)
        roomy = columns >= _ROOMY_FROM
        verdict, differs = self._rooms(columns)
        pieces = self._origin(take, plain)
        pieces.append((cells.fit(formats.seconds(take.seconds), 8, right=True) + "  ", plain))
        if columns >= _RTF_FROM:
            pieces.append((cells.fit(formats.rtf(take.rtf), 4, right=True) + "  ", muted))
        if columns >= _VOICE_FROM:
            pieces.append((cells.fit(take.voice, 14 if roomy else 7) + "  ", muted))
        if columns >= _VERDICT_FROM:
            pieces.append(self._verdict(take, verdict))
        if differs:
            pieces.append((cells.fit(self._difference(take), differs) + "  ", muted))
        if columns >= _AGE_FROM and self._facts.now is not None:
            age = formats.age(take.made, self._facts.now)
            pieces.append((cells.fit(age, _AGE, right=True) + "  ", muted))
        return pieces

    def _rooms(self, columns: int) -> tuple[int, int]:
        """Cells for the verdict and for what differs: what one does not need the other has."""
        roomy = columns >= _ROOMY_FROM
        verdict, most = (24, 26) if roomy else (12, 14)
        if columns < _DIFFERS_FROM:
            return verdict, 0
        needed = max((cells.width(self._difference(take)) for take in self._takes), default=0)
        differs = min(most, needed)
        spare = most - differs if differs else most + 2
        wanted = max((cells.width(_objection(take)) for take in self._takes), default=0)
        return max(verdict, min(verdict + spare, wanted)), differs

    def _difference(self, take: Take) -> str:
        """How it differs from what is asked for now; empty where it does not."""
        words = ", ".join(self._facts.differs.get(take.id, ()))
        return f"≠ {words}" if words else ""

    def _origin(self, take: Take, plain: Style) -> list[tuple[str, Style]]:
        """The seed that made it, or that a person recorded it."""
        if take.recorded:
            return [(cells.fit("recorded", _SEED + 5, right=True), plain)]
        seed = cells.fit(formats.seed(take.seed), _SEED, right=True)
        return [("seed ", self.style(MUTED)), (seed, plain)]

    def _verdict(self, take: Take, room: int) -> tuple[str, Style]:
        """What the checks say of it: the panel above tells all, here is room for one."""
        if not take.findings:
            return cells.fit("no objection", room) + "  ", self.style(MUTED)
        more = _more(take)
        words = cells.crop(take.findings[0], room - 2 - len(more)) + more
        return cells.fit(f"! {words}", room) + "  ", self.style("take-list--objection")


def _objection(take: Take) -> str:
    """The first thing that the checks object to, and how many more there are."""
    return f"! {take.findings[0]}{_more(take)}" if take.findings else ""


def _more(take: Take) -> str:
    return f" +{len(take.findings) - 1}" if len(take.findings) > 1 else ""
