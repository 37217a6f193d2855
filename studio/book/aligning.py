"""Two editions of a text side by side: which stretches of one stand in the other, and where.

Both are compared as canonical text, which knows nothing of how they are cut into segments: white
space stands in it only where it parts two words. Text that stands in both is found wherever it has
gone: first by phrases that each edition has once, then by what lies between the same neighbours.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from studio.book.joining import UNSPACED
from studio.book.sequences import in_order

BREAK = "\0"
"""A scene break in canonical text: something that has a place, and no text."""

_LETTER = rf"[^\W{UNSPACED}]"
_IDLE_GAP = re.compile(rf"\s++(?!{_LETTER})|(?<!{_LETTER})(?<!\s)\s++")
_GAP = re.compile(r"\s+")
_LAST_LETTER = re.compile(rf"{_LETTER}\Z")
_FIRST_LETTER = re.compile(_LETTER)

_OPENS = "“„«‹(\\[「『"
_CLOSES = '.!?…;:,—–―”»›")\\]。、，！？；：」』'
_PHRASE = re.compile(
    f"{BREAK}|[{_OPENS}]*[^{_OPENS}{_CLOSES}{BREAK}]+[{_CLOSES}]*|[{_OPENS}{_CLOSES}]+"
)
_WORD = re.compile(rf"{_LETTER}+|[^\s{BREAK}]|{BREAK}")

_ROUNDS = 3
"""How often phrases are looked for that what is left has once."""


def canonical(text: str) -> str:
    """A text with white space only between words that would be one without it."""
    return _GAP.sub(" ", _IDLE_GAP.sub("", text.strip()))


def offsets(text: str) -> list[int]:
    """For each character of `canonical`, where it stands in the text itself."""
    lead = len(text) - len(text.lstrip())
    idle = {at for gap in _IDLE_GAP.finditer(text.strip()) for at in range(*gap.span())}
    places = []
    blank = False
    for at, character in enumerate(text.strip()):
        if at in idle or (blank and character.isspace()):
            continue
        blank = character.isspace()
        places.append(at + lead)
    return places


@dataclass(slots=True)
class Stream:
    """A whole edition as canonical text, and where its pieces stand in it."""

    text: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    closing: list[bool] = field(default_factory=list)
    """Whether a paragraph ends with the piece."""

    @classmethod
    def of(cls, pieces: Iterable[tuple[str, bool]]) -> Stream:
        """Lay out pieces: the text of each (`BREAK` for a scene break) and whether it closes."""
        stream = cls()
        parts: list[str] = []
        length = 0
        ends_in_letter = False
        for text, closes in pieces:
            plain = text if text == BREAK else canonical(text)
            if ends_in_letter and _FIRST_LETTER.match(plain):
                parts.append(" ")
                length += 1
            stream.starts.append(length)
            length += len(plain)
            parts.append(plain)
            stream.ends.append(length)
            stream.closing.append(closes)
            if plain:
                ends_in_letter = _LAST_LETTER.search(plain) is not None
        stream.text = "".join(parts)
        return stream

    def phrases(self) -> Iterator[tuple[int, int]]:
        """The text from mark to mark; no phrase reaches over the end of a paragraph."""
        start = -1
        for place, (first, last) in enumerate(zip(self.starts, self.ends, strict=True)):
            if start < 0:
                start = first
            if self.closing[place] or last == len(self.text):
                for phrase in _PHRASE.finditer(self.text, start, last):
                    yield phrase.span()
                start = -1


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of text that stands in both editions."""

    old: int
    """Where it begins in the old one."""
    new: int
    """Where it begins in the new one."""
    size: int


def common(old: Stream, new: Stream) -> list[Block]:
    """What stands in both editions, in the order of the old one; no character is paired twice."""
    phrases = _Pairs([*old.phrases()], [*new.phrases()], old.text, new.text)
    for _ in range(_ROUNDS):
        found = phrases.pair_unique(old)
        phrases.pair_gaps()
        if not found:
            break
    words = phrases.words(old.text, new.text)
    words.pair_gaps()
    blocks = [
        Block(phrases.old[left][0], phrases.new[right][0], len(phrases.old_keys[left]))
        for left, right in enumerate(phrases.mate)
        if right >= 0
    ]
    blocks += [
        Block(words.old[left][0], words.new[right][0], len(words.old_keys[left]))
        for left, right in enumerate(words.mate)
        if right >= 0 and words.old_keys[left] and not words.fixed[left]
    ]
    blocks.sort(key=lambda block: block.old)
    return _merged(blocks, old.text, new.text)


class _Pairs:
    """Items of both editions, in order, and which are paired."""

    def __init__(
        self, old: list[tuple[int, int]], new: list[tuple[int, int]], before: str, after: str
    ) -> None:
        self.old, self.new = old, new
        self.old_keys = [before[start:end] for start, end in old]
        self.new_keys = [after[start:end] for start, end in new]
        self.mate = [-1] * len(old)
        """For each old item its new one, or -1."""
        self.back = [-1] * len(new)
        self.fixed = bytearray(len(old))
        """What was paired from the beginning."""

    def pair(self, left: int, right: int) -> None:
        """Pair two items."""
        self.mate[left] = right
        self.back[right] = left

    def words(self, before: str, after: str) -> _Pairs:
        """The words of what is not paired; all that is paired between two gaps is one item."""
        sides: list[list[tuple[int, int]]] = [[], []]
        marks: list[dict[int, int]] = [{}, {}]
        for side, (items, mates, text) in enumerate(
            ((self.old, self.mate, before), (self.new, self.back, after))
        ):
            for place, (start, end) in enumerate(items):
                if mates[place] < 0:
                    sides[side] += [word.span() for word in _WORD.finditer(text, start, end)]
                else:
                    marks[side][place] = len(sides[side])
                    sides[side].append((start, end))
        words = _Pairs(sides[0], sides[1], before, after)
        for left, place in marks[0].items():
            words.pair(place, marks[1][self.mate[left]])
            words.fixed[place] = 1
        return words

    def pair_unique(self, old: Stream) -> int:
        """Pair what is left of each edition once, and what goes on alike on both sides of it.

        Only runs that hold a whole piece of the old edition are kept: for less, the neighbours
        are the better guide.
        """
        left = Counter(key for key, mate in zip(self.old_keys, self.mate, strict=True) if mate < 0)
        right = {}
        for place, key in enumerate(self.new_keys):
            if self.back[place] < 0 and left.get(key) == 1:
                right[key] = -1 if key in right else place
        right.pop(BREAK, None)
        anchors = [
            (place, right[key])
            for place, key in enumerate(self.old_keys)
            if self.mate[place] < 0 and right.get(key, -1) >= 0
        ]
        bounds = _Bounds(old)
        runs = [_Run(*run[0], len(run)) for run in _runs(anchors)]
        for run in runs:
            for step in range(run.size):
                self.pair(run.old + step, run.new + step)
        # First what stands in one piece with it, so that no other run takes half of a piece.
        for extend in (self._within_piece, self._by_pieces):
            for run in sorted(runs, key=lambda run: run.size, reverse=True):
                extend(run, bounds)
        found = 0
        for run in _joined(runs):
            if bounds.hold_a_piece(self.old[run.old][0], self.old[run.old + run.size - 1][1]):
                found += run.size
            else:
                for step in range(run.size):
                    self.mate[run.old + step] = self.back[run.new + step] = -1
        return found

    def _within_piece(self, run: _Run, bounds: _Bounds) -> None:
        """Let a run grow by what is alike, to the bounds of the pieces that it stands in."""
        start = bounds.piece(self.old[run.old][0])[0]
        while self._goes_on(run.old - 1, run.new - 1) and self.old[run.old - 1][1] > start:
            self._grow(run, 1, -1)
        end = bounds.piece(self.old[run.old + run.size - 1][1] - 1)[1]
        while (
            self._goes_on(run.old + run.size, run.new + run.size)
            and self.old[run.old + run.size][0] < end
        ):
            self._grow(run, 1, 1)

    def _by_pieces(self, run: _Run, bounds: _Bounds) -> None:
        """Let a run grow by what is alike, whole pieces at a time."""
        steps = good = 0
        while self._goes_on(run.old - steps - 1, run.new - steps - 1):
            steps += 1
            if self.old[run.old - steps][0] in bounds.starts:
                good = steps
        self._grow(run, good, -1)
        steps = good = 0
        while self._goes_on(run.old + run.size + steps, run.new + run.size + steps):
            steps += 1
            if self.old[run.old + run.size + steps - 1][1] in bounds.ends:
                good = steps
        self._grow(run, good, 1)

    def _grow(self, run: _Run, steps: int, side: int) -> None:
        for _ in range(steps):
            if side < 0:
                run.old, run.new = run.old - 1, run.new - 1
            run.size += 1
            place = 0 if side < 0 else run.size - 1
            self.pair(run.old + place, run.new + place)

    def _goes_on(self, left: int, right: int) -> bool:
        inside = 0 <= left < len(self.old) and 0 <= right < len(self.new)
        return inside and self._alike(left, right)

    def _alike(self, left: int, right: int) -> bool:
        return (
            self.mate[left] < 0
            and self.back[right] < 0
            and self.old_keys[left] == self.new_keys[right]
        )

    def pair_gaps(self) -> None:
        """Pair, in order, what lies between, before or behind the same neighbours."""
        gaps = [*_gaps(self.mate)]
        starts = {start: (start, end) for start, end in _gaps(self.back)}
        ends = {end: (start, end) for start, end in starts.values()}
        for start, end in gaps:
            before = 0 if start == 0 else self.mate[start - 1] + 1
            after = len(self.new) if end == len(self.old) else self.mate[end]
            facing = dict.fromkeys(filter(None, (starts.get(before), ends.get(after))))
            for low, high in facing:
                ours = [place for place in range(start, end) if self.mate[place] < 0]
                theirs = [place for place in range(low, high) if self.back[place] < 0]
                pairs = in_order(
                    [self.old_keys[place] for place in ours],
                    [self.new_keys[place] for place in theirs],
                )
                for left, right in pairs:
                    self.pair(ours[left], theirs[right])


@dataclass(slots=True)
class _Run:
    """Items that follow one another in both editions."""

    old: int
    new: int
    size: int


class _Bounds:
    """Where the pieces of an edition stand."""

    def __init__(self, stream: Stream) -> None:
        spans = zip(stream.starts, stream.ends, strict=True)
        self._spans = [(start, end) for start, end in spans if end > start]
        self._starts = [start for start, _ in self._spans]
        self.starts = {start for start, _ in self._spans}
        self.ends = {end for _, end in self._spans}

    def piece(self, place: int) -> tuple[int, int]:
        """The piece that a character stands in."""
        return self._spans[max(bisect_right(self._starts, place) - 1, 0)]

    def hold_a_piece(self, start: int, end: int) -> bool:
        """Whether a stretch of text holds a whole piece."""
        place = bisect_left(self._starts, start)
        return place < len(self._spans) and self._spans[place][1] <= end


def _runs(anchors: Sequence[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """Anchors that follow one another in both editions, together."""
    run: list[tuple[int, int]] = []
    for left, right in anchors:
        if run and (left, right) == (run[-1][0] + 1, run[-1][1] + 1):
            run.append((left, right))
            continue
        if run:
            yield run
        run = [(left, right)]
    if run:
        yield run


def _joined(runs: Iterable[_Run]) -> Iterator[_Run]:
    """Runs that have grown together, as one."""
    last: _Run | None = None
    for run in sorted(runs, key=lambda run: run.old):
        if last and (last.old + last.size, last.new + last.size) == (run.old, run.new):
            last.size += run.size
            continue
        if last:
            yield last
        last = run
    if last:
        yield last


def _gaps(mates: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Stretches of items without a mate."""
    start = None
    for place, mate in enumerate(mates):
        if mate < 0 and start is None:
            start = place
        elif mate >= 0 and start is not None:
            yield start, place
            start = None
    if start is not None:
        yield start, len(mates)


def _merged(blocks: Iterable[Block], before: str, after: str) -> list[Block]:
    """Blocks that go on alike, as one; a blank between two words belongs to neither."""
    merged: list[Block] = []
    for block in blocks:
        if merged:
            last = merged[-1]
            left, right = last.old + last.size, last.new + last.size
            between = before[left : block.old]
            if (
                block.old - left == block.new - right
                and between in ("", " ")
                and after[right : block.new] == between
            ):
                merged[-1] = Block(last.old, last.new, block.old + block.size - last.old)
                continue
        merged.append(block)
    return merged
