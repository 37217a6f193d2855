"""EPUB 2 and 3: the spine gives the order, the contents list the chapters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from studio.book.coverage import Ledger
from studio.book.manuscript import Block, LeftOut, Manuscript
from studio.book.marks import fold
from studio.book.policies import Notes, Policies
from studio.book.readers.archive import Archive
from studio.book.readers.chapters import Start, heading_starts, opens_with_heading
from studio.book.readers.encoding import decode_markup
from studio.book.readers.finishing import Document, Draft, finish, seen
from studio.book.readers.markup import Node
from studio.book.readers.matter import Book, Reason, reason_against
from studio.book.readers.notes import note_targets
from studio.book.readers.package import Item, Package, read_package
from studio.book.readers.page import read_page
from studio.book.readers.placing import Call, place_notes
from studio.book.readers.reading import Note, Page, Progress, Reading
from studio.book.readers.styles import hidden_by
from studio.book.readers.unstyled import set_headings

_KEPT = 24 * 2**20
"""Bytes of trees that are kept between the two passes, about; other pages are parsed again."""
_NODE_COST = 100
_TITLE_LENGTH = 120


@dataclass(slots=True)
class _Source:
    """One page of the book, read."""

    item: Item
    page: Page
    reason: Reason | None
    """Why it starts unticked."""
    ticked: bool
    title: str
    apart: bool
    """Whether it is by its content no part of the story."""


def read_epub(
    name: str,
    data: Path | bytes,
    policies: Policies,
    ticks: Mapping[str, bool],
    tell: Progress,
) -> Manuscript:
    """Read an EPUB.

    Args:
        name: The book's file name.
        data: Where it is, or its bytes.
        policies: What is narrated.
        ticks: What a person chose, by piece.
        tell: Told how much of it is read, 0 to 1.

    Returns:
        Its chapters; what starts unticked is left out and accounted for.

    Raises:
        BadInput: It is no EPUB, it is damaged or encrypted.
    """
    with Archive(name, data) as archive:
        package = read_package(archive)
        left_out = [
            LeftOut(f"page {item.href}", "the book names it but does not hold it")
            for item in package.spine
            if not item.name
        ]
        sources = _Reader(archive, package, policies, ticks).sources(tell)
    ticked = [source for source in sources if source.ticked]
    if not package.contents and not any(i.level for s in ticked for i in s.page.blocks):
        for source in ticked:
            set_headings(source.page.blocks, source.page.ledger)
    blocks = [
        Block(item.block.kind, item.block.text, item.block.language, piece=source.item.name)
        for source in ticked
        for item in source.page.blocks
    ]
    starts = _starts(package, ticked)
    placed: list[Note] = []
    if policies.notes is not Notes.SKIPPED:
        calls = _calls(archive, ticked, sources)
        blocks, starts, placed = place_notes(blocks, starts, calls, policies.notes)
    ledgers = [_account(source, placed, left_out) for source in sources]
    draft = Draft(
        title=package.title or Path(name).stem,
        author=package.author,
        language=package.language,
        documents=[_document(source) for source in sources],
        blocks=blocks,
        starts=starts,
        ledgers=ledgers,
        left_out=left_out,
    )
    return finish(draft, ticks)


class _Reader:
    """Two passes over a book's pages: what points at notes, then the text."""

    def __init__(
        self, archive: Archive, package: Package, policies: Policies, ticks: Mapping[str, bool]
    ) -> None:
        self.archive = archive
        self.package = package
        self.policies = policies
        self.ticks = ticks
        self.items = [item for item in package.spine if item.name]
        self.roots: dict[str, Node] = {}
        self.sheets: dict[str, frozenset[str]] = {}
        self.notes: dict[str, set[str]] = {}
        self.chapter_ids: dict[str, set[str]] = {}
        self.titles: dict[str, str] = {}
        for entry in package.contents:
            self.titles.setdefault(entry.name, entry.title)
            if entry.fragment:
                self.chapter_ids.setdefault(entry.name, set()).add(entry.fragment)
        self.book = Book(
            package.title,
            package.author,
            package.nav,
            sum(not item.why for item in self.items),
        )

    def sources(self, tell: Progress) -> list[_Source]:
        """All pages, read."""
        kept = 0
        steps = 2 * len(self.items)
        for step, item in enumerate(self.items, 1):
            tell(step / steps)
            root = self.archive.page(item.name)
            kept += sum(_NODE_COST for _ in root.walk())
            for href in note_targets(root):
                name = self.archive.resolve(item.name, href)
                self.notes.setdefault(name, set()).add(href.partition("#")[2])
            kept += sum(map(len, root.texts()))
            if kept <= _KEPT:
                self.roots[item.name] = root
        sources = []
        for step, item in enumerate(self.items, len(self.items) + 1):
            sources.append(self.source(item))
            tell(step / steps)
        return sources

    def source(self, item: Item) -> _Source:
        """One page, read as far as it is wanted."""
        name = item.name
        root = self.roots.pop(name, None) or self.archive.page(name)
        reading = Reading(
            policies=self.policies,
            chapter_ids=self.chapter_ids.get(name, frozenset()),
            note_ids=frozenset(self.notes.get(name, ())),
            hidden=self.hidden(item, root),
            aside=bool(item.why),
        )
        page = read_page(root, name, reading)
        if item.why:
            reason: Reason | None = Reason(f"page {name}", item.why)
            found = None
        else:
            reason, found = reason_against(name, root, page, item.guide, self.book, self.policies)
        ticked = reason is None or self.ticks.get(name) is True
        if ticked and (reason is not None or not page.blocks):
            page = read_page(root, name, replace(reading, whole=True))
        title = self.title(name, page, found or reason)
        return _Source(item, page, reason, ticked, title, found is not None)

    def title(self, name: str, page: Page, reason: Reason | None) -> str:
        """What the chapter picker calls a page."""
        heads = [item.block.text for item in page.blocks if item.level]
        texts = [item.block.text for item in page.blocks if item.block.text]
        said = self.titles.get(name) or next(iter(heads), "")
        if not said and reason is not None and not reason.what.startswith("page "):
            said = reason.what.partition(" (")[0].capitalize()
        said = said or next(iter(texts), "") or name.rpartition("/")[2]
        return said if len(said) <= _TITLE_LENGTH else said[: _TITLE_LENGTH - 1].rstrip() + "…"

    def hidden(self, item: Item, root: Node) -> frozenset[str]:
        """What the style sheets of a page hide; linked ones are read once for all pages."""
        hidden = frozenset[str]().union(*(hidden_by(style.text()) for style in root.find("style")))
        for link in islice(root.find("link"), 50):
            if "stylesheet" not in link.attributes.get("rel", "").lower():
                continue
            href = link.attributes.get("href", "")
            name = self.archive.name_of(self.archive.resolve(item.name, href))
            if name and name not in self.sheets:
                self.sheets[name] = hidden_by(decode_markup(self.archive.read(name)))
            hidden |= self.sheets.get(name, frozenset())
        return hidden


def _calls(archive: Archive, ticked: list[_Source], sources: list[_Source]) -> list[Call]:
    """The references of the pages that are narrated, to the notes of all pages."""
    notes = {
        (source.item.name, name): note
        for source in reversed(sources)
        for note in reversed(source.page.notes)
        for name in note.ids
    }
    calls = []
    offset = 0
    for source in ticked:
        for at, href in source.page.calls:
            name = archive.resolve(source.item.name, href)
            note = notes.get((name, href.partition("#")[2]))
            if note is not None:
                calls.append(Call(offset + at, note))
        offset += len(source.page.blocks)
    return calls


def _account(source: _Source, placed: list[Note], left_out: list[LeftOut]) -> Ledger:
    """The account of one page; says what a person has to know at once."""
    page = source.page
    read = {id(note) for note in placed}
    mine = [note for note in page.notes if id(note) in read]
    if source.ticked:
        ledger = page.ledger
        for note in page.notes:
            if id(note) not in read:
                ledger.skip("note", note.characters)
        left_out += seen(ledger)
    else:
        assert source.reason is not None
        ledger = Ledger(source.item.name)
        ledger.total = page.ledger.total
        left = ledger.total - sum(note.characters for note in mine)
        rule = source.reason.what.partition(" (")[0]
        rule = "page set aside" if rule.startswith("page ") else rule
        ledger.skip(rule, left, why=source.reason.why)
        shown = page.characters or sum(entry[2] for entry in page.ledger.seen())
        left_out.append(LeftOut(source.reason.what, source.reason.why, shown))
    for note in mine:
        ledger.take(note.ledger)
    return ledger


def _document(source: _Source) -> Document:
    """What the chapter picker is told about a page."""
    page = source.page
    return Document(
        id=source.item.name,
        title=fold(source.title),
        characters=page.characters or sum(entry[2] for entry in page.ledger.seen()),
        ticked=source.ticked,
        why=source.reason.why if source.reason else "",
    )


def _starts(package: Package, sources: list[_Source]) -> list[Start]:
    """Where chapters start: by the contents list, else by pages and headings."""
    pages = [(source.item, source.page) for source in sources]
    # A page that is no chapter is called what the chapter picker calls it, and has no number.
    apart = {source.item.name: source.title for source in sources if source.apart}
    first: dict[str, int] = {}
    count = 0
    for item, page in pages:
        first[item.name] = count
        count += len(page.blocks)
    read = {item.name: page for item, page in pages}
    starts = []
    astray = []
    for entry in package.contents:
        if entry.name not in first:
            continue
        at = read[entry.name].anchors.get(entry.fragment, 0)
        if entry.fragment and entry.fragment not in read[entry.name].anchors:
            astray.append(entry)
        elif at < len(read[entry.name].blocks):
            starts.append(Start(first[entry.name] + at, entry.title))
    # A line whose place is not in the page still names the page, unless another line does.
    named = {start.at for start in starts}
    starts += [Start(at, e.title) for e in astray if (at := first[e.name]) not in named]
    if len(pages) == 1 and len({start.at for start in starts}) == 1:
        # A list that names one place of a book of one page is none; its headings know better.
        starts += heading_starts(pages[0][1].blocks)
    listed = {entry.name for entry in package.contents}
    begun = min((start.at for start in starts), default=None)
    for item, page in pages:
        at = first[item.name]
        if begun is None:
            starts.append(_opening(item.name, at, apart))
            starts += heading_starts(page.blocks, at)
        elif at < begun or (item.name not in listed and opens_with_heading(page.blocks)):
            starts.append(_opening(item.name, at, apart))
    return starts


def _opening(name: str, at: int, apart: Mapping[str, str]) -> Start:
    """The start of a page that no list names."""
    return Start(at, apart.get(name, ""), name in apart)
