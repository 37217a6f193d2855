"""Where the text of segments stands in a new edition when no alignment has found it.

What a person has joined across paragraphs, cut within a sentence, or has as one of many equal
texts has no place among its neighbours once it moves: it is looked for in all that is left.
"""

from __future__ import annotations

from array import array
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from studio.book.aligning import BREAK, Stream, canonical
from studio.project.edition import Line
from studio.project.removed import Removed

if TYPE_CHECKING:
    from studio.project.claiming import Claim, Claims

TELLING = 8
"""So many letters within a sentence are no accident."""
_MOST_LOOKED_THROUGH = 1_000_000_000
"""Characters; what is left over in a book that has hardly changed is looked for everywhere."""
_NEAR = 1000
"""So many equal texts in a row are looked through."""


def find(claims: Claims, parts: Iterable[int]) -> None:
    """Look through the whole edition for what has moved and was cut within a phrase."""
    stream, text = claims.book.stream, claims.text.stream.text
    for part in _lost(claims, parts):
        wanted = stream.text[stream.starts[part] : stream.ends[part]]
        if isinstance(claims.book.owners[part], Removed) and not (
            stream.text.count(wanted) == text.count(wanted) == 1
        ):
            continue  # Nobody has said that it must not be told in another place.
        for start in _places(wanted, text):
            end = start + len(wanted)
            if _is_free(claims, part, start, end) and claims.may_cut(
                [part], start, end, (False, False)
            ):
                _give_back(claims, start, end)
                claims.take(claims.book.owners[part], [(start, end)])
                break


def find_around(claims: Claims) -> None:
    """Look for segments that have something within them that a person has taken out.

    It may have stood there before, or may have moved there.
    """
    lines = [
        line
        for line in claims.book.lines
        if line.source
        and line.uid not in claims.said
        and (claims.kept_out or len(claims.book.parts[line.uid]) > 1)
    ]
    if not lines:
        return
    stream, text = claims.book.stream, claims.text.stream.text
    # The letters that are not taken out, so that what stood beside them is beside them again.
    places = array("I", (place for place, away in enumerate(claims.away) if not away))
    places = array("I", (place for place in places if text[place] != " "))
    letters = "".join(map(text.__getitem__, places))
    for line in lines[: _MOST_LOOKED_THROUGH // (len(text) + 1)]:
        parts = claims.book.parts[line.uid]
        said = "".join(stream.text[stream.starts[part] : stream.ends[part]] for part in parts)
        wanted = said.replace(" ", "")
        at = letters.find(wanted) if len(said) >= TELLING else -1
        while at >= 0:
            spans = _spans_of(places[at : at + len(wanted)], text)
            if _may_have(claims, parts, spans):
                claims.take(line, spans)
                break
            at = letters.find(wanted, at + 1)


def _may_have(claims: Claims, parts: Sequence[int], spans: Sequence[tuple[int, int]]) -> bool:
    """Whether stretches of the new edition are free, and it may be cut around them."""
    text = claims.text.stream.text
    start, end = spans[0][0], spans[-1][1]
    return (
        not any(any(claims.taken[first:last]) for first, last in spans)
        and not _within_word(text, start)
        and not _within_word(text, end)
        and claims.may_cut(parts, start, end, (False, False))
    )


def _lost(claims: Claims, parts: Iterable[int]) -> list[int]:
    """What has no place in the new edition yet, as far as there is time to look for it."""
    stream = claims.book.stream
    lost = [
        part
        for part in parts
        if stream.ends[part] - stream.starts[part] >= TELLING
        and not _is_placed(claims, claims.book.owners[part], part)
    ]
    return lost[: _MOST_LOOKED_THROUGH // (len(claims.text.stream.text) + 1)]


def prefer_kept(claims: Claims) -> None:
    """Where equal texts stood side by side, let those that were kept have the places left.

    When there are fewer of them now, no neighbour tells which one has gone: then it is the one
    that a person had taken out.
    """
    stream, owners = claims.book.stream, claims.book.owners
    out = {
        claim.owner.id: claim
        for claim in claims.by_start.values()
        if isinstance(claim.owner, Removed)
    }
    for place, owner in enumerate(owners if out else ()):
        if isinstance(owner, Removed) or not owner.source or _is_placed(claims, owner, place):
            continue
        text = stream.text[stream.starts[place] : stream.ends[place]]
        for beside in _alike(stream, place, text):
            other = owners[beside]
            if isinstance(other, Removed) and other.id in out:
                _hand_over(claims, out.pop(other.id), owner)
                break


def _alike(stream: Stream, place: int, text: str) -> Iterator[int]:
    """Pieces of the same text that no other stands between, before and behind one."""
    for step in (-1, 1):
        beside = place + step
        while (
            0 <= beside < len(stream.starts)
            and abs(beside - place) <= _NEAR
            and stream.text[stream.starts[beside] : stream.ends[beside]] == text
        ):
            yield beside
            beside += step


def _hand_over(claims: Claims, claim: Claim, line: Line) -> None:
    """Give a segment the place of a text that a person has taken out."""
    assert isinstance(claim.owner, Removed)
    claims.kept_out.discard(claim.owner.id)
    claims.away[claim.start : claim.end] = bytes(claim.end - claim.start)
    claims.said.add(line.uid)
    claim.owner = line


def _is_free(claims: Claims, part: int, start: int, end: int) -> bool:
    """Whether a segment may have a stretch of the new edition.

    What a person has taken out is no obstacle where it is only a part of what the segment says:
    of two texts that the stretch might be, the longer one is the surer.
    """
    if not any(claims.taken[start:end]):
        return True
    if isinstance(claims.book.owners[part], Removed):
        return False
    within = [claims.by_start[place] for place in range(start, end) if place in claims.by_start]
    covered = sum(claim.end - claim.start for claim in within)
    return (
        all(isinstance(claim.owner, Removed) and claim.end <= end for claim in within)
        and covered == sum(claims.taken[start:end])
        and covered < end - start
    )


def _give_back(claims: Claims, start: int, end: int) -> None:
    """Take what a person has taken out from a stretch; it may stand beside it once more."""
    stream = claims.text.stream.text
    for place in [place for place in range(start, end) if place in claims.by_start]:
        claim = claims.by_start.pop(place)
        assert isinstance(claim.owner, Removed)
        length = claim.end - claim.start
        claims.taken[claim.start : claim.end] = claims.away[claim.start : claim.end] = bytes(length)
        claims.kept_out.discard(claim.owner.id)
        wanted = stream[claim.start : claim.end]
        at = stream.find(wanted, end, end + 2 * length + 2)
        if at >= 0 and not any(claims.taken[at : at + length]) and claims.parts_at(at):
            claims.take(claim.owner, [(at, at + length)])


def _is_placed(claims: Claims, owner: Line | Removed, part: int) -> bool:
    """Whether no place needs to be found any more for a piece of the book, or none can be."""
    if isinstance(owner, Removed):
        return owner.id in claims.kept_out
    return owner.uid in claims.said or claims.book.parts[owner.uid] != [part]


def claim_elsewhere(claims: Claims) -> None:
    """Let segments whose text occurs often have it where it is left, in order.

    It may be left of a draft that others say the rest of.
    """
    stream = claims.text.stream
    left: defaultdict[str, deque[tuple[int, int]]] = defaultdict(deque)
    for start, end in zip(stream.starts, stream.ends, strict=True):
        for first, last in free(claims.taken, stream.text, start, end):
            left[stream.text[first:last]].append((first, last))
    left.pop(BREAK, None)
    for line in claims.book.lines:
        if line.uid not in claims.said and line.source:
            spans = left.get(canonical(line.source))
            if spans:
                claims.take(line, [spans.popleft()])


def _spans_of(places: Sequence[int], text: str) -> list[tuple[int, int]]:
    """The stretches that characters stand in, with the blanks between two of them."""
    spans = [(places[0], places[0] + 1)]
    for place in places[1:]:
        start, end = spans[-1]
        if text[end:place].strip(" "):
            spans.append((place, place + 1))
        else:
            spans[-1] = (start, place + 1)
    return spans


def _places(wanted: str, text: str) -> Iterator[int]:
    """Where a text stands in another, between words."""
    start = text.find(wanted)
    while start >= 0:
        if not _within_word(text, start) and not _within_word(text, start + len(wanted)):
            yield start
        start = text.find(wanted, start + 1)


def _within_word(text: str, place: int) -> bool:
    """Whether a word goes on over a place."""
    return text[place - 1 : place].isalnum() and text[place : place + 1].isalnum()


def free(taken: bytearray, text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
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
