"""Which text of a new edition stands in the book already, and which segment has it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from studio.book.aligning import Block, common
from studio.book.marks import speakable
from studio.project import seeking
from studio.project.edition import Book, Line, Text
from studio.project.removed import Removed
from studio.project.seeking import TELLING, free

_SENTENCE_ENDS = frozenset('.!?…:;”»")。！？」』')
_SHORT, _LONG = 25, 300
"""A remainder shorter than this joins its neighbour, up to that, in characters."""


@dataclass(slots=True, eq=False)
class Claim:
    """A stretch of the new edition that is accounted for."""

    start: int
    end: int
    owner: Line | Removed
    changed: bool = False


@dataclass(slots=True, eq=False)
class Piece:
    """A stretch of the new edition that nobody says yet; never of two drafts but as a whole."""

    start: int
    end: int
    chapter: int


class Claims:
    """Which text of the new edition stands in the book as it is."""

    def __init__(self, book: Book, text: Text) -> None:
        self.book = book
        self.text = text
        self.blocks = common(book.stream, text.stream)
        self._olds = [block.old for block in self.blocks]
        self.by_start: dict[int, Claim] = {}
        self.taken = bytearray(len(text.stream.text))
        """Which characters of the new edition are accounted for."""
        self.away = bytearray(len(text.stream.text))
        """The part of it that a person has taken out."""
        self.said: set[str] = set()
        """Uids of segments whose text stands in the new edition as it is."""
        self.kept_out: set[int] = set()
        """Ids of what a person has taken out, and what stays out."""
        removed = [place for place, owner in enumerate(book.owners) if isinstance(owner, Removed)]
        for place in removed:
            self._claim([place])
        # Before the segments, which may stand around what a person has taken out.
        seeking.find(self, removed)
        for line in book.lines:
            self._claim(book.parts[line.uid])
        parts = [place for line in book.lines for place in book.parts[line.uid]]
        seeking.find_around(self)
        seeking.find(self, parts)
        seeking.claim_elsewhere(self)
        seeking.prefer_kept(self)

    def block(self, start: int, end: int) -> Block | None:
        """The block that holds a stretch of the book as it is."""
        place = bisect_right(self._olds, start) - 1
        if place < 0:
            return None
        block = self.blocks[place]
        return block if end <= block.old + block.size else None

    def overlap(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Where in the new edition parts of a stretch of the book stand."""
        place = max(bisect_right(self._olds, start) - 1, 0)
        for block in self.blocks[place:]:
            if block.old >= end:
                return
            first, last = max(start, block.old), min(end, block.old + block.size)
            if first < last:
                yield block.new + first - block.old, block.new + last - block.old

    def _claim(self, parts: Sequence[int]) -> None:
        """Let the owner of some pieces have their text, if all of it is there, side by side."""
        stream = self.book.stream
        spans: list[tuple[int, int]] = []
        for part in parts:
            found = self._spans(stream.starts[part], stream.ends[part])
            if not found or (spans and not self._all_away(spans[-1][1], found[0][0])):
                return
            spans += found
        if not spans or any(any(self.taken[start:end]) for start, end in spans):
            return
        start, end = stream.starts[parts[0]], stream.ends[parts[-1]]
        before, behind = self.block(start, start + 1), self.block(end - 1, end)
        assert before is not None
        assert behind is not None
        goes_on = (before.old < start, behind.old + behind.size > end)
        if self.may_cut(parts, spans[0][0], spans[-1][1], goes_on):
            self.take(self.book.owners[parts[0]], spans)

    def _spans(self, start: int, end: int) -> list[tuple[int, int]]:
        """Where a stretch of the book stands in the new edition; nothing where not all of it does.

        What stands there in between must be text that a person has taken out: it may have moved
        into a segment whose parts that person has joined.
        """
        block = self.block(start, end)
        if block is not None:
            return [(block.new + start - block.old, block.new + end - block.old)]
        spans: list[tuple[int, int]] = []
        for first, last in self.overlap(start, end):
            if spans and not self._all_away(spans[-1][1], first):
                return []
            spans.append((first, last))
        text = self.text.stream.text
        here = "".join(text[first:last] for first, last in spans)
        whole = self.book.stream.text[start:end]
        return spans if here.replace(" ", "") == whole.replace(" ", "") else []

    def _all_away(self, start: int, end: int) -> bool:
        """Whether a person has taken out all that stands between two places."""
        return start <= end and all(
            away or blank == " "
            for away, blank in zip(
                self.away[start:end], self.text.stream.text[start:end], strict=True
            )
        )

    def may_cut(
        self, parts: Sequence[int], start: int, end: int, goes_on: tuple[bool, bool]
    ) -> bool:
        """Whether the new edition may be cut around a text that a segment says.

        It may where a draft or a sentence ends, and where the text goes on as it did; within a
        sentence only if that was within a paragraph before: then what stood beside it has changed.
        """
        closing = self.book.stream.closing
        chapters = self.text.chapter
        owner = self.book.owners[parts[0]]
        if chapters[self.text.at(start)] != chapters[self.text.at(end - 1)]:
            return isinstance(owner, Removed)
        left = goes_on[0] or self.parts_at(start)
        right = goes_on[1] or self.parts_at(end)
        left_within = parts[0] > 0 and not closing[parts[0] - 1]
        return (
            (left or left_within)
            and (right or not closing[parts[-1]])
            and (left or right or end - start >= TELLING)
        )

    def parts_at(self, place: int) -> bool:
        """Whether a draft or a sentence of the new edition ends at a place."""
        text = self.text
        if place in text.starts or place in text.ends:
            return True
        return text.stream.text[place - 1 : place] in _SENTENCE_ENDS

    def take(self, owner: Line | Removed, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            self.taken[start:end] = b"\1" * (end - start)
            if isinstance(owner, Removed):
                self.away[start:end] = b"\1" * (end - start)
            self.by_start[start] = Claim(start, end, owner)
        if isinstance(owner, Line):
            self.said.add(owner.uid)
        else:
            self.kept_out.add(owner.id)

    def rest(self) -> list[Piece]:
        """What nobody says, in order, after claims that leave a mark alone have been widened."""
        pieces: list[Piece] = []
        stream = self.text.stream
        for place, (start, end) in enumerate(zip(stream.starts, stream.ends, strict=True)):
            chapter = self.text.chapter[place]
            for first, last in [*free(self.taken, stream.text, start, end)]:
                alone = (first, last) == (start, end)
                if alone or speakable(stream.text[first:last]):
                    pieces.append(Piece(first, last, chapter))
                else:
                    self._widen(first, last, start)
        return _without_crumbs(pieces, self.text)

    def _widen(self, start: int, end: int, draft: int) -> None:
        """Give marks that nobody can say to what stands before them in their draft, or behind."""
        before = start - 1
        while before > draft and not self.taken[before]:
            before -= 1
        claim = self._holding(before) if start > draft else None
        if claim is not None:
            claim.end = end
        else:
            claim = self.by_start[end if end in self.by_start else end + 1]
            del self.by_start[claim.start]
            claim.start = start
            self.by_start[start] = claim
        claim.changed = True
        self.taken[start:end] = b"\1" * (end - start)

    def _holding(self, place: int) -> Claim | None:
        while place not in self.by_start:
            place -= 1
        return self.by_start[place]


def _without_crumbs(pieces: Sequence[Piece], text: Text) -> list[Piece]:
    """Remainders of drafts, a short one joined to what is free beside it in its paragraph."""
    merged: list[Piece] = []
    for piece in pieces:
        last = merged[-1] if merged else None
        if (
            last is not None
            and adjoin(last, piece, text)
            and piece.end - last.start <= _LONG
            and min(piece.end - piece.start, last.end - last.start) < _SHORT
            and not (_whole(last, text) and _whole(piece, text))
            and not text.drafts[text.at(last.end - 1)].ends_paragraph
        ):
            last.end = piece.end
        else:
            merged.append(Piece(piece.start, piece.end, piece.chapter))
    return merged


def adjoin(first: Piece, second: Piece, text: Text) -> bool:
    """Whether a piece goes on where another one ends."""
    between = text.stream.text[first.end : second.start]
    return between in ("", " ") and first.chapter == second.chapter


def _whole(piece: Piece, text: Text) -> bool:
    return piece.start in text.starts and piece.end in text.ends
