"""Notes that are read are put where they are called, each once."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from studio.book.manuscript import Block
from studio.book.policies import Notes
from studio.book.readers.chapters import Start
from studio.book.readers.reading import Note


@dataclass(frozen=True, slots=True)
class Call:
    """A reference to a note."""

    at: int
    """Index into the blocks of the book."""
    note: Note


def place_notes(
    blocks: list[Block], starts: Sequence[Start], calls: Sequence[Call], where: Notes
) -> tuple[list[Block], list[Start], list[Note]]:
    """Put notes into a book.

    Args:
        blocks: All blocks of the book.
        starts: Where its chapters start.
        calls: References, in the order of the text; a note is read at its first one.
        where: After the paragraph that calls, or at the end of its chapter.

    Returns:
        The blocks, the starts in them, and the notes that were put in.
    """
    bounds = sorted({start.at for start in starts})
    placed: list[Note] = []
    inserts: dict[int, list[Block]] = {}
    known: set[int] = set()
    for call in sorted(calls, key=lambda call: call.at):
        if id(call.note) in known or not call.note.blocks or not blocks:
            continue
        known.add(id(call.note))
        placed.append(call.note)
        after = bisect_right(bounds, call.at)
        chapter_end = bounds[after] if after < len(bounds) else len(blocks)
        at = call.at + 1 if where is Notes.INLINE else chapter_end
        piece = blocks[call.at].piece
        inserts.setdefault(at, []).extend(replace(b, piece=piece) for b in call.note.blocks)
    if not inserts:
        return blocks, list(starts), []
    places = sorted(inserts)
    sizes = [0]
    for place in places:
        sizes.append(sizes[-1] + len(inserts[place]))
    moved = [Start(s.at + sizes[bisect_right(places, s.at)], s.title) for s in starts]
    whole: list[Block] = []
    at = 0
    for place in places:
        whole += [*blocks[at:place], *inserts[place]]
        at = place
    return [*whole, *blocks[at:]], moved, placed
