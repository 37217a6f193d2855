"""The rows of the list in memory: what is shown, in which order, and what a filter leaves.

Sorting and filtering are arrays of indexes; the segments themselves never move.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from studio.book.patterns import quick
from studio.errors import BadInput
from studio.project.model import Chapter, Segment, State
from studio.ui.filters import FILTERS, Filter, smart_case
from studio.ui.patience import in_time

UNFINISHED = frozenset({State.DRAFT, State.FAILED, State.STALE})
"""States that narrating a chapter or a book makes good."""


class Rows:
    """Every segment of the book, and the part of them that is shown; the grid's `RowSource`."""

    def __init__(self, segments: Sequence[Segment] = ()) -> None:
        """Show all of ``segments``, in the order of the book."""
        self.filter: Filter | None = None
        self.narrating: frozenset[str] = frozenset()
        self._selected: set[str] = set()
        self.edition = 0
        """Counts up whenever segments came, went or moved."""
        self._asked: set[str] = set()
        self._texts = 0
        self._hits: tuple[tuple[re.Pattern[str], int], list[int]] | None = None
        self._all: list[Segment] = []
        self._places: dict[str, int] = {}
        self._instead: dict[str, str | None] = {}
        """What stood behind each segment that is gone, when it went."""
        self.replace(segments)

    # What the grid asks for.

    def __len__(self) -> int:
        """How many segments are shown."""
        return len(self._shown)

    def row(self, index: int) -> Segment:
        """The segment shown at an index."""
        return self._all[self._shown[index]]

    def revision(self, index: int) -> int:
        """Counts up whenever the segment must be painted anew."""
        return self._revisions[self._shown[index]]

    def state(self, index: int) -> State:
        """The state to show at an index."""
        return self.state_of(self.row(index))

    def index_of(self, uid: str) -> int | None:
        """Where a segment is shown, or None where the filter hides it."""
        place = self._places.get(uid)
        if place is None:
            return None
        if len(self._shown) == len(self._all):
            return place
        index = bisect_left(self._shown, place)
        return index if index < len(self._shown) and self._shown[index] == place else None

    def near(self, uid: str) -> str | None:
        """The segment itself where it is shown, else the next shown behind it, else the last."""
        place = self._places.get(uid)
        if place is None or not self._shown:
            return None
        index = min(bisect_left(self._shown, place), len(self._shown) - 1)
        return self._all[self._shown[index]].uid

    def selected(self, uid: str) -> bool:
        """Whether the segment belongs to the selection."""
        return uid in self._selected

    # What the screen asks for.

    @property
    def selection(self) -> AbstractSet[str]:
        """Uids of what a person has selected, as they are now; `select` changes them."""
        return self._selected

    @property
    def all(self) -> Sequence[Segment]:
        """Every segment, in the order of the book."""
        return self._all

    def get(self, uid: str) -> Segment | None:
        """A segment by its uid, shown or not."""
        place = self._places.get(uid)
        return None if place is None else self._all[place]

    def after(self, uid: str) -> Segment | None:
        """The segment that follows in the book, shown or not."""
        place = self._places.get(uid)
        if place is None or place + 1 >= len(self._all):
            return None
        return self._all[place + 1]

    def instead_of(self, uid: str) -> Segment | None:
        """The segment that stands in the place of one that is gone; None at the book's end."""
        following: str | None = uid
        while following is not None and following not in self._places:
            following = self._instead.get(following)
        return None if following is None else self.get(following)

    def state_of(self, segment: Segment) -> State:
        """The state of a segment, with what is known of the narration at this moment."""
        if segment.uid in self.narrating:
            return State.NARRATING
        if segment.uid in self._asked:
            return State.QUEUED
        return segment.state()

    def find(self, start: int, step: int, wanted: Callable[[Segment, State], bool]) -> int | None:
        """The next shown index that satisfies ``wanted``, round the ends; the start comes last."""
        count = len(self._shown)
        for offset in range(1, count + 1):
            index = (start + step * offset) % count
            segment = self.row(index)
            if wanted(segment, self.state_of(segment)):
                return index
        return None

    @property
    def shown(self) -> Sequence[int]:
        """The places of the segments that are shown, in order."""
        return self._shown

    @property
    def texts(self) -> int:
        """Counts up whenever a text changes or others are shown."""
        return self._texts

    def known_hits(self, wanted: re.Pattern[str]) -> Sequence[int] | None:
        """What `keep_hits` was told last, where it still holds."""
        if self._hits is None or self._hits[0] != (wanted, self._texts):
            return None
        return self._hits[1]

    def keep_hits(self, wanted: re.Pattern[str], found: list[int]) -> None:
        """Remember where the hits of a search are, until a text changes or others are shown."""
        self._hits = ((wanted, self._texts), found)

    def hits(
        self, wanted: re.Pattern[str], start: int, places: Sequence[int], seconds: float
    ) -> list[int]:
        """Where segments are shown whose source or spoken text has a hit, in order.

        Args:
            wanted: What to look for.
            start: Where the first of them is shown.
            places: A part of `shown`.
            seconds: Processor time that it may take.

        Raises:
            BadInput: It takes longer.
        """
        found = []
        for index, place in enumerate(in_time(places, seconds, wanted.pattern), start):
            segment = self._all[place]
            if wanted.search(segment.source) or (
                segment.spoken is not segment.source and wanted.search(segment.spoken)
            ):
                found.append(index)
        return found

    def counts(self, segments: Sequence[Segment] | None = None) -> list[int]:
        """How many segments each of `FILTERS` would show; of all, or of some of them."""
        wanted = self._all if segments is None else segments
        states = Counter(map(self.state_of, wanted))
        marked = sum(segment.mark for segment in wanted)
        noted = sum(bool(segment.note) for segment in wanted)
        return [
            marked
            if it.marked
            else noted
            if it.noted
            else sum(states[state] for state in it.states)
            for it in FILTERS
        ]

    def in_state(self, states: Iterable[State], chapter: int | None = None) -> list[Segment]:
        """Segments in one of the states, of one chapter or of the book."""
        wanted = frozenset(states)
        return [
            segment
            for segment in self._all
            if (chapter is None or segment.chapter == chapter) and self.state_of(segment) in wanted
        ]

    # What changes them.

    def first_of(self, chapter: Chapter) -> int | None:
        """Where a chapter begins in what is shown, or None where all of it is hidden."""
        index = bisect_left(self._shown, chapter.first - 1)
        if index < len(self._shown) and self.row(index).chapter == chapter.id:
            return index
        return None

    def spans(self) -> dict[int, slice]:
        """Where the segments of each chapter stand, by `Chapter.id`, in the order of the book."""
        spans: dict[int, slice] = {}
        start = 0
        while start < len(self._all):
            chapter = self._all[start].chapter
            stop = bisect_left(self._all, True, start, key=_elsewhere(chapter))
            spans[chapter] = slice(start, stop)
            start = stop
        return spans

    def replace(
        self,
        segments: Sequence[Segment],
        places: dict[str, int] | None = None,
        shown: list[int] | None = None,
    ) -> None:
        """Take a new list: segments came, went or moved.

        Args:
            segments: All of them, in order.
            places: Where each of them stands, by uid, where that is known already.
            shown: What `matching` found for the filter in force, where that is known already.
        """
        self.edition += 1
        before, were_there = self._all, self._places
        self._all = list(segments)
        self._places = places or {it.uid: place for place, it in enumerate(self._all)}
        if not were_there.keys() <= self._places.keys():
            self._note_gone(before)
        self._revisions = [0] * len(self._all)
        self._selected &= self._places.keys()
        self._show(shown)

    def _note_gone(self, before: Sequence[Segment]) -> None:
        """Remember of each segment that is gone what stood behind it: the same for a whole run."""
        gone = [place for place, it in enumerate(before) if it.uid not in self._places]
        ends = [n for n in range(1, len(gone)) if gone[n] != gone[n - 1] + 1]
        for start, end in pairwise((0, *ends, len(gone))):
            after = gone[end - 1] + 1
            behind = before[after].uid if after < len(before) else None
            uids = [before[place].uid for place in gone[start:end]]
            self._instead.update(dict.fromkeys(uids, behind))

    def update(self, segments: Mapping[str, Segment]) -> bool:
        """Take new versions of some segments.

        Returns:
            Whether the number of segments shown grew, because a filter now keeps one more.
        """
        grew = False
        for uid, segment in segments.items():
            place = self._places.get(uid)
            if place is None:
                continue
            self._texts += segment.spoken != self._all[place].spoken
            self._all[place] = segment
            self._revisions[place] += 1
            self._asked.discard(uid)
            if self.filter and self.filter.keeps(segment, self.state_of(segment)):
                grew |= self._reveal(place)
        return grew

    def ask(self, uids: Iterable[str]) -> None:
        """Show segments as queued at once, before the project has answered."""
        self._asked.update(uids)
        self._touch(self._asked)

    def answered(self, uids: Iterable[str]) -> None:
        """The project has answered, whatever it said."""
        for uid in uids:
            self._asked.discard(uid)
            self._touch((uid,))
        if not self._asked:
            self._asked = set()  # an emptied set keeps the room it had for a whole book

    def set_narrating(self, uids: frozenset[str]) -> frozenset[str]:
        """Take the segments in progress; returns those whose segment changed."""
        changed = uids ^ self.narrating
        self.narrating = uids
        self._touch(changed)
        return changed

    def select(self, uids: Iterable[str]) -> frozenset[str]:
        """Select exactly these segments; returns those whose selection changed."""
        wanted = self._places.keys() & uids
        changed = frozenset(wanted ^ self._selected)
        self._selected = wanted
        return changed

    def uids(self, shown: range) -> list[str]:
        """The segments that are shown at these indexes."""
        return [self._all[place].uid for place in self._shown[shown.start : shown.stop]]

    def select_more(self, uids: Iterable[str]) -> None:
        """Add segments to the selection; costs what they are, not what is selected already."""
        self._selected |= self._places.keys() & uids

    def select_less(self, uids: Iterable[str]) -> None:
        """Take segments out of the selection."""
        self._selected.difference_update(uids)

    def select_shown(self) -> bool:
        """Add all that is shown to the selection; where all of it was in, take it out.

        Returns:
            Whether it is selected now.
        """
        shown = [self._all[place].uid for place in self._shown]
        on = not self._selected.issuperset(shown)
        if on:
            self._selected.update(shown)
        else:
            self._selected.difference_update(shown)
        return on

    def selected_segments(self) -> list[Segment]:
        """What is selected, in the order of the book, whether the filter shows it or not."""
        if len(self._selected) > len(self._all) // 8:
            return [segment for segment in self._all if segment.uid in self._selected]
        places = sorted(self._places[uid] for uid in self._selected)
        return [self._all[place] for place in places]

    def matching(
        self,
        chosen: Filter | None,
        segments: Sequence[Segment] | None = None,
        start: int = 0,
        seconds: float = math.inf,
    ) -> list[int]:
        """The places that a filter keeps; of all, or of some that stand from a place on.

        Args:
            chosen: The filter; None keeps all.
            segments: Where to look; None is everywhere.
            start: The place of the first of them.
            seconds: Processor time that it may take.

        Raises:
            BadInput: It takes longer.
        """
        wanted = self._all if segments is None else segments
        if chosen is None:
            return list(range(start, start + len(wanted)))
        return [
            place
            for place, segment in enumerate(in_time(wanted, seconds, chosen.label), start)
            if chosen.keeps(segment, self.state_of(segment))
        ]

    def set_filter(self, chosen: Filter | None, places: list[int] | None = None) -> None:
        """Show only what a filter keeps, or everything.

        A segment that no longer matches stays until the filter is set again: what a person is
        working on must not vanish under the cursor.

        Args:
            chosen: The filter.
            places: What `matching` found for it, where that is known already.
        """
        self.filter = chosen
        self._show(places)

    def _show(self, places: list[int] | None = None) -> None:
        self._texts += 1
        self._shown = self.matching(self.filter) if places is None else places

    def _reveal(self, place: int) -> bool:
        index = bisect_left(self._shown, place)
        if index < len(self._shown) and self._shown[index] == place:
            return False
        insort(self._shown, place)
        self._texts += 1
        return True

    def _touch(self, uids: Iterable[str]) -> None:
        for uid in uids:
            if (place := self._places.get(uid)) is not None:
                self._revisions[place] += 1


def _elsewhere(chapter: int) -> Callable[[Segment], bool]:
    """Whether a segment is of another chapter; all of one stand together."""
    return lambda segment: segment.chapter != chapter


def pattern(text: str) -> tuple[re.Pattern[str], str]:
    """A search as typed: a regular expression, case-blind until a capital is typed.

    Returns:
        The pattern, and a sentence where the text is no regular expression, or one that may take
        for ever, and is taken literally.
    """
    flags = smart_case(text)
    try:
        return quick(text, match_case=flags is re.NOFLAG), ""
    except BadInput as problem:
        literal = re.compile(re.escape(text), flags)
        if isinstance(error := problem.__cause__, re.error):
            return literal, f"“{text}” is no regular expression ({error}); searched as it stands."
        return literal, f"{problem} Searched as it stands."
