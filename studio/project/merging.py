"""How the segments of a book and a new edition of its text go together: pure, nothing is written.

Every character of the new edition goes to one of four: a segment that says it already, what a
person has taken out, a segment that said nearly this, or a new segment. A segment that says it
already keeps its cut, whoever made it, so that its takes stay what they are.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from studio.book.aligning import BREAK, canonical
from studio.book.drafts import ChapterDraft
from studio.project.claiming import Claim, Claims, Piece
from studio.project.edition import Book, Item, Line, Text
from studio.project.likeness import similar
from studio.project.removed import Removed


@dataclass(slots=True, eq=False)
class Outline:
    """A chapter of the book as it will be."""

    title: str
    items: list[Item] = field(default_factory=list)
    id: int | None = None
    """The chapter that it is now; None for a new one."""


@dataclass(frozen=True, slots=True)
class TakenOut:
    """Something of the new edition that a person has taken out before."""

    removed: Removed
    source: str
    host: Item | None
    """What it stands behind or in."""
    at: int | None
    """Where in it; None for its end."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The book as it will be."""

    outlines: tuple[Outline, ...]
    gone: tuple[Line, ...]
    removed: tuple[TakenOut, ...]


def plan(
    lines: Sequence[Line],
    removed: Sequence[Removed],
    chapters: Sequence[ChapterDraft],
    titles: Mapping[int, str],
) -> Plan:
    """Bring a book and a new edition together.

    Args:
        lines: The segments, in the order of the book.
        removed: What a person has taken out, in order.
        chapters: What cutting the new edition gave.
        titles: The titles of the chapters as they are, by id, in order.
    """
    book = Book(lines, removed)
    text = Text(chapters)
    claims = Claims(book, text)
    pieces = claims.rest()
    outlines, taken_out = _Writer(text, claims, similar(book, claims, pieces)).write(pieces)
    kept = {id(item.line) for outline in outlines for item in outline.items if item.line}
    gone = tuple(line for line in lines if not line.own and id(line) not in kept)
    _mark_moved(outlines)
    _name(outlines, titles)
    _put_own(outlines, lines)
    full = tuple(outline for outline in outlines if outline.items)
    return Plan(full, gone, tuple(taken_out))


class _Writer:
    """Lays the book out as it will be."""

    def __init__(
        self, text: Text, claims: Claims, similar: Mapping[int, tuple[Line, list[Piece]]]
    ) -> None:
        self._text = text
        self._claims = claims.by_start
        self._similar = similar
        self._spans: defaultdict[str, list[Claim]] = defaultdict(list)
        for start in sorted(self._claims):
            claim = self._claims[start]
            if isinstance(claim.owner, Line):
                self._spans[claim.owner.uid].append(claim)

    def write(self, pieces: Sequence[Piece]) -> tuple[list[Outline], list[TakenOut]]:
        """The chapters, and where in them something is left out."""
        outlines = [Outline(title) for title in self._text.titles]
        taken_out: list[TakenOut] = []
        host: Item | None = None
        written: dict[str, Item] = {}
        inside = {piece.start for _, run in self._similar.values() for piece in run[1:]}
        rest = {piece.start: piece for piece in pieces if piece.start not in inside}
        for start in sorted([*self._claims, *rest]):
            claim = self._claims.get(start)
            if claim is not None and isinstance(claim.owner, Removed):
                source = self._text.source(claim.start, claim.end)
                source = "" if source == BREAK else source
                taken_out.append(TakenOut(claim.owner, source, host, self._inside(host, claim)))
                continue
            if claim is not None and claim.owner.uid in written:  # type: ignore[union-attr]
                continue
            host = self._said(claim) if claim is not None else self._new(rest[start])
            if host.line is not None:
                written[host.line.uid] = host
            outlines[self._text.chapter[self._text.at(start)]].items.append(host)
        return outlines, taken_out

    def _said(self, claim: Claim) -> Item:
        """A segment that stays, with the text that it has; or with a mark more."""
        line = claim.owner
        assert isinstance(line, Line)
        claims = self._spans[line.uid]
        spans = [(each.start, each.end) for each in claims]
        item = self._text.item(line, spans)
        blank = item.whole and item.source != line.source
        if not blank and not any(each.changed for each in claims):
            item.draft, item.source = None, line.source
        return item

    def _new(self, piece: Piece) -> Item:
        """A new segment, or one that gets nearly the same text."""
        line, run = self._similar.get(piece.start, (None, [piece]))
        item = self._text.item(line, [(run[0].start, run[-1].end)])
        if line is not None and canonical(item.source) == canonical(line.source):
            # What is left of a sentence when its other parts are found may be all of a segment.
            item.draft, item.source = None, line.source
        return item

    def _inside(self, host: Item | None, claim: Claim) -> int | None:
        """Where within its host something was taken out; None for behind it."""
        if host is None or host.line is None:
            return None
        claims = self._spans[host.line.uid]
        if not claims or claims[-1].start < claim.start:
            return None
        before = sum(
            sum(not letter.isspace() for letter in self._text.stream.text[each.start : each.end])
            for each in claims
            if each.start < claim.start
        )
        return _behind(host.source, before)


def _behind(text: str, letters: int) -> int:
    """The place behind so many characters of a text, white space not counted."""
    at = 0
    while letters:
        letters -= not text[at].isspace()
        at += 1
    return at


def _mark_moved(outlines: Iterable[Outline]) -> None:
    """Mark what does not stand in the old order: as few segments as can be."""
    items = [item for outline in outlines for item in outline.items if item.line is not None]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, item in enumerate(items):
        assert item.line is not None
        at = bisect_left(tails, item.line.place)
        tails[at : at + 1] = [item.line.place]
        ends[at : at + 1] = [number]
        before.append(ends[at - 1] if at else -1)
    number = ends[-1] if ends else -1
    in_order = set()
    while number >= 0:
        in_order.add(number)
        number = before[number]
    for number, item in enumerate(items):
        item.moved = number not in in_order


def _name(outlines: Sequence[Outline], titles: Mapping[int, str]) -> None:
    """Say which chapter of today each one is: by what they share, else by the title."""
    shared: defaultdict[tuple[int, int], int] = defaultdict(int)
    for number, outline in enumerate(outlines):
        for item in outline.items:
            if item.line is not None:
                shared[number, item.line.chapter] += 1 + len(item.source)
    left = dict(titles)
    for (number, chapter), _ in sorted(shared.items(), key=lambda entry: (-entry[1], entry[0])):
        if outlines[number].id is None and chapter in left:
            outlines[number].id = chapter
            del left[chapter]
    for outline in outlines:
        if outline.id is None and outline.title in left.values():
            outline.id = next(chapter for chapter, title in left.items() if title == outline.title)
            del left[outline.id]


def _put_own(outlines: Sequence[Outline], lines: Sequence[Line]) -> None:
    """Put what a person has put in behind what it stood behind, or as near as can be."""
    homes = {
        item.line.uid: (outline, item)
        for outline in outlines
        for item in outline.items
        if item.line is not None
    }
    for line in lines:
        if not line.own:
            continue
        item = Item(line, "", None, ends=line.ends)
        home, step = _home(lines, line, homes)
        if home is None:
            outlines[0].items.insert(0, item)
            homes[line.uid] = (outlines[0], item)
            continue
        outline, neighbour = home
        outline.items.insert(outline.items.index(neighbour) + step, item)
        homes[line.uid] = (outline, item)


def _home(
    lines: Sequence[Line], line: Line, homes: Mapping[str, tuple[Outline, Item]]
) -> tuple[tuple[Outline, Item] | None, int]:
    """The nearest segment that stays, first in the chapter, and whether to go behind it."""
    for anywhere in (False, True):
        for step, behind in ((-1, 1), (1, 0)):
            place = line.place + step
            while 0 <= place < len(lines) and (anywhere or lines[place].chapter == line.chapter):
                if lines[place].uid in homes:
                    return homes[lines[place].uid], behind
                place += step
    return None, 0
