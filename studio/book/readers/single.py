"""A book that is one page: its chapters, notes and pieces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from studio.book.coverage import Ledger
from studio.book.manuscript import Block, Manuscript
from studio.book.policies import Notes
from studio.book.readers.chapters import Start, heading_starts
from studio.book.readers.finishing import TEXT, Document, Draft, finish, seen
from studio.book.readers.markup import Node
from studio.book.readers.page import read_page
from studio.book.readers.placing import Call, place_notes
from studio.book.readers.reading import Note, Page, PageBlock, Progress, Reading, quietly
from studio.book.readers.unstyled import set_headings


@dataclass(frozen=True, slots=True)
class Stated:
    """What a manuscript says about itself."""

    title: str
    author: str = ""
    language: str = ""


def read_single(
    root: Node,
    reading: Reading,
    stated: Stated,
    ticks: Mapping[str, bool],
    entries: Sequence[tuple[str, str]] = (),
    ledger: Ledger | None = None,
    tell: Progress = quietly,
) -> Manuscript:
    """Read a book from one tree.

    Args:
        root: The tree.
        reading: How to read it.
        stated: Title, author and language.
        ticks: What a person chose, by piece.
        entries: Ids at which chapters start, and their titles; empty to go by headings.
        ledger: The account of what was taken off before; its total, if any, counts instead of
            the tree's.
        tell: Told how much of the book is read, 0 to 1.
    """
    page = read_page(root, "", reading)
    tell(0.9)
    if ledger is not None:
        total = ledger.total
        ledger.take(page.ledger)
        ledger.total = total or page.ledger.total
        page.ledger = ledger
    if not entries:
        set_headings(page.blocks, page.ledger)
    starts = _starts(page, entries)
    if not starts or min(start.at for start in starts) > 0:
        starts.append(Start(0, stated.title))
    blocks = [
        Block(item.block.kind, item.block.text, item.block.language, piece=TEXT)
        for item in page.blocks
    ]
    by_id = {name: note for note in reversed(page.notes) for name in note.ids}
    calls = [
        Call(at, by_id[name])
        for at, href in page.calls
        if (name := href.partition("#")[2]) in by_id
    ]
    placed: list[Note] = []
    if reading.policies.notes is not Notes.SKIPPED:
        blocks, starts, placed = place_notes(blocks, starts, calls, reading.policies.notes)
    read = {id(note) for note in placed}
    for note in page.notes:
        if id(note) in read:
            page.ledger.take(note.ledger)
        else:
            page.ledger.skip("note", note.characters)
    draft = Draft(
        title=stated.title,
        author=stated.author,
        language=stated.language,
        documents=[Document(TEXT, stated.title, page.characters)],
        blocks=blocks,
        starts=starts,
        ledgers=[page.ledger],
        left_out=seen(page.ledger),
        front=reading.policies.front,
    )
    return finish(draft, ticks)


def _starts(page: Page, entries: Sequence[tuple[str, str]]) -> list[Start]:
    """Where chapters start: by a list of contents that holds what it promises, else by headings."""
    listed = [
        Start(at, title)
        for target, title in entries
        if (at := page.anchors.get(target, len(page.blocks))) < len(page.blocks)
    ]
    if len({start.at for start in listed}) > 1:
        return listed
    return heading_starts(page.blocks)


def lone_title(blocks: Sequence[PageBlock]) -> str:
    """The book's title, where one heading stands at the top and all others are below it."""
    if not blocks or blocks[0].level != 1:
        return ""
    others = [item.level for item in blocks[1:] if item.level]
    return blocks[0].block.text if others and min(others) > 1 else ""
