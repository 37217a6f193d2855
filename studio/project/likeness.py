"""Segments whose text a new edition changes a little: which is which."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from studio.book.aligning import BREAK, canonical
from studio.project.claiming import Claims, Piece, adjoin
from studio.project.edition import Book, Line, Text

SIMILAR = 0.5
"""From this share of common text on, a changed text is the same segment: one of three words may
be another in a short sentence, half of them in a long one."""
_ALIKE = 0.6
"""The same for letters, where neighbours say that it is the place: a typo in a short line."""
_MOST_LETTERS = 600


def similar(
    book: Book, claims: Claims, pieces: Sequence[Piece]
) -> dict[int, tuple[Line, list[Piece]]]:
    """The segments that get nearly the same text: by the place of their first piece, the line."""
    starts = [piece.start for piece in pieces]
    ranked: list[tuple[float, int, int, int]] = []
    lines = [line for line in book.lines if line.uid not in claims.said and line.source]
    for number, line in enumerate(lines):
        shared: defaultdict[int, int] = defaultdict(int)
        for part in book.parts[line.uid]:
            for start, end in claims.overlap(book.stream.starts[part], book.stream.ends[part]):
                for place in range(
                    max(bisect_right(starts, start) - 1, 0), bisect_left(starts, end)
                ):
                    both = min(end, pieces[place].end) - max(start, pieces[place].start)
                    if both > 0:
                        shared[place] += both
        length = len(canonical(line.source))
        ranked += [
            (-share, number, first, last)
            for share, first, last in _runs(shared, pieces, length, claims.text)
        ]
    found: dict[int, tuple[Line, list[Piece]]] = {}
    used: set[int] = set()
    done: set[int] = set()
    for share, number, first, last in sorted(ranked):
        run = range(first, last + 1)
        if -share >= SIMILAR and number not in done and used.isdisjoint(run):
            found[pieces[first].start] = (lines[number], [pieces[place] for place in run])
            used.update(run)
            done.add(number)
    free = {pieces[place].start: pieces[place] for place in range(len(pieces)) if place not in used}
    _beside(book, claims, free, found, [lines[n] for n in range(len(lines)) if n not in done])
    return found


def _runs(
    shared: Mapping[int, int], pieces: Sequence[Piece], length: int, text: Text
) -> Iterator[tuple[float, int, int]]:
    """How alike a segment is to each piece that it shares text with, and to runs of such."""
    for first in shared:
        both, size = 0, 0
        place = first
        while place in shared and (
            place == first or adjoin(pieces[place - 1], pieces[place], text)
        ):
            both += shared[place]
            size += pieces[place].end - pieces[place].start
            if place == first or 2 * shared[place] >= pieces[place].end - pieces[place].start:
                yield 2 * both / (length + size), first, place
            else:
                break
            place += 1


def _beside(
    book: Book,
    claims: Claims,
    free: dict[int, Piece],
    found: dict[int, tuple[Line, list[Piece]]],
    lines: Iterable[Line],
) -> None:
    """Find segments of few words whose letters changed, by the neighbours that they still have."""
    entries = sorted([*claims.by_start, *free, *found])
    where: dict[str, tuple[int, int]] = {}
    for start in entries:
        claim = claims.by_start.get(start)
        owner = claim.owner if claim else found[start][0] if start in found else None
        if isinstance(owner, Line):
            first = where.get(owner.uid, (start, start))[0]
            where[owner.uid] = (first, start)
    places = {line.uid: place for place, line in enumerate(book.lines)}
    for line in lines:
        place = places[line.uid]
        for step, side in ((-1, 1), (1, 0)):
            if not 0 <= place + step < len(book.lines):
                continue
            neighbour = where.get(book.lines[place + step].uid)
            if neighbour is None:
                continue
            index = bisect_left(entries, neighbour[side]) - step
            piece = free.get(entries[index]) if 0 <= index < len(entries) else None
            if piece is not None and _letters_alike(line, claims.text, piece):
                found[piece.start] = (line, [piece])
                del free[piece.start]
                where[line.uid] = (piece.start, piece.start)
                break


def _letters_alike(line: Line, text: Text, piece: Piece) -> bool:
    ours, theirs = canonical(line.source), text.stream.text[piece.start : piece.end]
    if max(len(ours), len(theirs)) > _MOST_LETTERS or theirs == BREAK:
        return False
    matcher = SequenceMatcher(None, ours, theirs, autojunk=False)
    return matcher.real_quick_ratio() >= _ALIKE <= matcher.ratio()
