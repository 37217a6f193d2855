"""EPUB 2 and 3: the spine gives the order, the contents list the chapters."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from studio.book.manuscript import LeftOut, Manuscript
from studio.book.marks import fold
from studio.book.readers.archive import Archive
from studio.book.readers.chapters import Start, by_starts, heading_starts, opens_with_heading
from studio.book.readers.encoding import decode_markup
from studio.book.readers.markup import Node
from studio.book.readers.notes import note_targets
from studio.book.readers.package import Item, Package, read_package
from studio.book.readers.page import Page, read_page
from studio.book.readers.styles import hidden_by

_COVER_LENGTH = 200
"""A cover page has no more text than this, in characters."""
_COPYRIGHT_LENGTH = 6000
_LINKED_SHARE = 0.8
"""From this share of linked text on, a page of links is a contents page."""
_CONTENTS_LINKS = 3
_COPYRIGHT_SIGNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"©|\(c\) ?\d{4}|\bcopyright\b",
        r"\ball rights reserved\b",
        r"\bISBN\b",
        r"\blibrary of congress|british library\b",
        r"\bno part of this (?:book|publication)\b",
        r"\bpublished (?:by|in)\b",
        r"\bfirst (?:published|edition|printing)\b",
        r"\b10 9 8 7 6 5 4 3 2 1\b|\b1 3 5 7 9 10 8 6 4 2\b",
    )
)
_COPYRIGHT_NEEDED = 3


@dataclass(slots=True)
class _Source:
    """One page of the spine, parsed."""

    item: Item
    root: Node


def read_epub(path: Path) -> Manuscript:
    """Read an EPUB.

    Args:
        path: The book.

    Returns:
        Its chapters; cover, contents and copyright pages are left out and accounted for.

    Raises:
        BadInput: It is no EPUB, it is damaged or encrypted.
    """
    with Archive(path) as archive:
        package = read_package(archive)
        left_out: list[LeftOut] = []
        sources = _sources(archive, package, left_out)
        notes = _notes(archive, sources)
        targets = _targets(package)
        sheets: dict[str, frozenset[str]] = {}
        pages: list[tuple[Item, Page]] = []
        for source in sources:
            name = source.item.name
            page = read_page(
                source.root,
                name,
                chapter_ids=targets.get(name, ()),
                note_ids=notes.get(name, ()),
                hidden=_hidden(archive, source, sheets),
            )
            reason = _unwanted(source, page, package)
            if reason is None:
                pages.append((source.item, page))
                left_out += page.left_out
            else:
                left_out.append(reason)
    blocks = [item.block for _, page in pages for item in page.blocks]
    return Manuscript(
        title=package.title or path.stem,
        author=package.author,
        language=package.language,
        chapters=by_starts(blocks, _starts(package, pages)),
        left_out=tuple(left_out),
    )


def _sources(archive: Archive, package: Package, left_out: list[LeftOut]) -> list[_Source]:
    """Parse the pages of the spine; what cannot be narrated is accounted for."""
    sources = []
    for item in package.spine:
        if not item.name:
            left_out.append(LeftOut(f"page {item.href}", "the book names it but does not hold it"))
            continue
        root = archive.page(item.name)
        if item.linear:
            sources.append(_Source(item, root))
            continue
        text = fold(root.text())
        why = "the book marks it as not part of the reading order"
        left_out.append(LeftOut(f"page {item.name}", why, len(text)))
    return sources


def _notes(archive: Archive, sources: list[_Source]) -> dict[str, set[str]]:
    """Per page, the ids that note references anywhere point at."""
    notes: dict[str, set[str]] = {}
    for source in sources:
        for href in note_targets(source.root):
            name = archive.resolve(source.item.name, href)
            notes.setdefault(name, set()).add(href.partition("#")[2])
    return notes


def _hidden(archive: Archive, source: _Source, sheets: dict[str, frozenset[str]]) -> frozenset[str]:
    """What the style sheets of a page hide; linked ones are read once for all pages."""
    hidden = frozenset[str]().union(
        *(hidden_by(style.text()) for style in source.root.find("style"))
    )
    for link in source.root.find("link"):
        if "stylesheet" not in link.attributes.get("rel", "").lower():
            continue
        name = archive.name_of(archive.resolve(source.item.name, link.attributes.get("href", "")))
        if name and name not in sheets:
            sheets[name] = hidden_by(decode_markup(archive.read(name)))
        hidden |= sheets.get(name, frozenset())
    return hidden


def _targets(package: Package) -> dict[str, set[str]]:
    """Per page, the ids at which the contents list starts chapters."""
    targets: dict[str, set[str]] = {}
    for entry in package.contents:
        if entry.fragment:
            targets.setdefault(entry.name, set()).add(entry.fragment)
    return targets


def _unwanted(source: _Source, page: Page, package: Package) -> LeftOut | None:
    """Why a whole page is not narrated, or None. Never for its name or title alone."""
    name, kinds = source.item.name, {source.item.guide, *_page_types(source.root)}
    text = fold(source.root.text())
    if not page.blocks and not page.left_out:
        return LeftOut(f"page {name}", "it has no text")
    if not page.blocks:
        return LeftOut(
            f"page {name}",
            "it holds only: " + ", ".join(item.what.partition(" (")[0] for item in page.left_out),
            sum(item.characters for item in page.left_out),
        )
    if "cover" in kinds and page.characters <= _COVER_LENGTH:
        return LeftOut(f"cover ({name})", "a cover is for the eye", page.characters)
    is_nav = name == package.nav and page.characters <= _COVER_LENGTH
    if is_nav or _is_contents(source.root, kinds):
        return LeftOut(
            f"contents page ({name})", "its titles are the chapters' labels", page.characters
        )
    if page.characters <= _COPYRIGHT_LENGTH and _is_copyright(text, kinds):
        return LeftOut(f"copyright page ({name})", "it is not part of the story", page.characters)
    return None


def _page_types(root: Node) -> frozenset[str]:
    """What the page's outermost elements say they are."""
    node = next(root.find("body"), root)
    kinds = set(node.types)
    for _ in range(3):
        inner = [child for child in node.children if isinstance(child, Node)]
        if len(inner) != 1:
            break
        node = inner[0]
        kinds |= node.types
    return frozenset(kinds)


def _is_contents(root: Node, kinds: set[str]) -> bool:
    """Whether a page is a list of links."""
    links = [
        link
        for link in root.find("a")
        if (href := link.attributes.get("href", "")) and "://" not in href
    ]
    body = next(root.find("body"), root)
    length = len(fold(body.text()))
    linked = sum(len(fold(link.text())) for link in links)
    share = 0.5 if "toc" in kinds else _LINKED_SHARE
    enough = 1 if "toc" in kinds else _CONTENTS_LINKS
    return len(links) >= enough and linked >= share * length


def _is_copyright(text: str, kinds: set[str]) -> bool:
    """Whether a page states rights and printings, by its words."""
    signs = sum(sign.search(text) is not None for sign in _COPYRIGHT_SIGNS)
    return signs >= (1 if "copyright-page" in kinds else _COPYRIGHT_NEEDED)


def _starts(package: Package, pages: list[tuple[Item, Page]]) -> list[Start]:
    """Where chapters start: by the contents list, else by pages and headings."""
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
    listed = {entry.name for entry in package.contents}
    begun = min((start.at for start in starts), default=None)
    for item, page in pages:
        at = first[item.name]
        if begun is None:
            starts.append(Start(at, ""))
            starts += heading_starts(page.blocks, at)
        elif at < begun or (item.name not in listed and opens_with_heading(page.blocks)):
            starts.append(Start(at, ""))
    return starts
