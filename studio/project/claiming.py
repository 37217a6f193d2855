"""Which text of a new edition stands in the book already, and which segment has it."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from studio.book.aligning import Block, canonical, common
from studio.book.marks import speakable
from studio.project.edition import Book, Line, Text
from studio.project.removed import Removed

_TELLING = 8
"""So many letters within a sentence are no accident."""
_SENTENCE_ENDS = frozenset('.!?…:;”»")。！？」』')
_MOST_LOOKED_THROUGH = 1_000_000_000
"""Characters; what is left over in a book that has hardly changed is looked for everywhere."""
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
        self._taken = bytearray(len(text.stream.text))
        self.said: set[str] = set()
        """Uids of segments whose text stands in the new edition as it is."""
        self._kept_out: set[int] = set()
        for place, owner in enumerate(book.owners):
            if isinstance(owner, Removed):
                self._claim([place])
        for line in book.lines:
            self._claim(book.parts[line.uid])
        self._claim_found()
        self._claim_elsewhere()

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
            start, end = stream.starts[part], stream.ends[part]
            block = self.block(start, end)
            if block is None:
                return
            new = block.new + start - block.old
            if spans and not self._all_taken(spans[-1][1], new):
                return
            spans.append((new, new + end - start))
        if not spans or any(any(self._taken[start:end]) for start, end in spans):
            return
        first, last = parts[0], parts[-1]
        before = self.block(stream.starts[first], stream.ends[first])
        behind = self.block(stream.starts[last], stream.ends[last])
        assert before is not None
        assert behind is not None
        goes_on = (
            before.old < stream.starts[first],
            behind.old + behind.size > stream.ends[last],
        )
        if self._may_cut(parts, spans[0][0], spans[-1][1], goes_on):
            self._take(self.book.owners[first], spans)

    def _all_taken(self, start: int, end: int) -> bool:
        """Whether a person has taken out all that stands between two places."""
        return start <= end and all(
            taken or blank == " "
            for taken, blank in zip(
                self._taken[start:end], self.text.stream.text[start:end], strict=True
            )
        )

    def _may_cut(
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
        left = goes_on[0] or self._parts_at(start)
        right = goes_on[1] or self._parts_at(end)
        left_within = parts[0] > 0 and not closing[parts[0] - 1]
        return (
            (left or left_within)
            and (right or not closing[parts[-1]])
            and (left or right or end - start >= _TELLING)
        )

    def _parts_at(self, place: int) -> bool:
        """Whether a draft or a sentence of the new edition ends at a place."""
        text = self.text
        if place in text.starts or place in text.ends:
            return True
        return text.stream.text[place - 1 : place] in _SENTENCE_ENDS

    def _take(self, owner: Line | Removed, spans: Iterable[tuple[int, int]]) -> None:
        for start, end in spans:
            self._taken[start:end] = b"\1" * (end - start)
            self.by_start[start] = Claim(start, end, owner)
        if isinstance(owner, Line):
            self.said.add(owner.uid)
        else:
            self._kept_out.add(owner.id)

    def _claim_found(self) -> None:
        """Look through the whole edition for what has moved and was cut within a phrase."""
        stream, text = self.book.stream, self.text.stream.text
        parts = [
            place
            for place, owner in enumerate(self.book.owners)
            if stream.ends[place] - stream.starts[place] >= _TELLING
            and not self._is_placed(owner, place)
        ]
        for part in parts[: _MOST_LOOKED_THROUGH // (len(text) + 1)]:
            wanted = stream.text[stream.starts[part] : stream.ends[part]]
            if isinstance(self.book.owners[part], Removed) and not (
                stream.text.count(wanted) == text.count(wanted) == 1
            ):
                continue  # Nobody has said that it must not be told in another place.
            start = text.find(wanted)
            while start >= 0:
                end = start + len(wanted)
                if (
                    not any(self._taken[start:end])
                    and not _within_word(text, start)
                    and not _within_word(text, end)
                    and self._may_cut([part], start, end, (False, False))
                ):
                    self._take(self.book.owners[part], [(start, end)])
                    break
                start = text.find(wanted, start + 1)

    def _is_placed(self, owner: Line | Removed, part: int) -> bool:
        """Whether no place needs to be found any more for a piece of the book, or none can be."""
        if isinstance(owner, Removed):
            return owner.id in self._kept_out
        return owner.uid in self.said or self.book.parts[owner.uid] != [part]

    def _claim_elsewhere(self) -> None:
        """Let segments whose text occurs often have it where it is left, in order."""
        stream = self.text.stream
        free: defaultdict[str, list[int]] = defaultdict(list)
        for place, (start, end) in enumerate(zip(stream.starts, stream.ends, strict=True)):
            if self.text.drafts[place].source and not any(self._taken[start:end]):
                free[stream.text[start:end]].append(place)
        for places in free.values():
            places.reverse()
        for line in self.book.lines:
            if line.uid not in self.said and line.source:
                places = free[canonical(line.source)]
                if places:
                    place = places.pop()
                    self._take(line, [(stream.starts[place], stream.ends[place])])

    def rest(self) -> list[Piece]:
        """What nobody says, in order, after claims that leave a mark alone have been widened."""
        pieces: list[Piece] = []
        stream = self.text.stream
        for place, (start, end) in enumerate(zip(stream.starts, stream.ends, strict=True)):
            chapter = self.text.chapter[place]
            free = [*_free(self._taken, stream.text, start, end)]
            for first, last in free:
                alone = (first, last) == (start, end)
                if alone or speakable(stream.text[first:last]):
                    pieces.append(Piece(first, last, chapter))
                else:
                    self._widen(first, last, start)
        return _without_crumbs(pieces, self.text)

    def _widen(self, start: int, end: int, draft: int) -> None:
        """Give marks that nobody can say to what stands before them in their draft, or behind."""
        before = start - 1
        while before > draft and not self._taken[before]:
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
        self._taken[start:end] = b"\1" * (end - start)

    def _holding(self, place: int) -> Claim | None:
        while place not in self.by_start:
            place -= 1
        return self.by_start[place]


def _within_word(text: str, place: int) -> bool:
    """Whether a word goes on over a place."""
    return text[place - 1 : place].isalnum() and text[place : place + 1].isalnum()


def _free(taken: bytearray, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches that are not taken, without the blanks around them."""
    while start < end:
        first = taken.find(0, start, end)
        if first < 0:
            return
        last = taken.find(1, first, end)
        last = end if last < 0 else last
        low, high = first, last
        while low < high and text[low] == " ":
            low += 1
        while high > low and text[high - 1] == " ":
            high -= 1
        if low < high:
            yield low, high
        start = last


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
