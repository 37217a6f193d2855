"""FB2: its tree is turned into that of a page, and read as one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

from studio.book.manuscript import Manuscript
from studio.book.marks import fold
from studio.book.policies import Policies
from studio.book.readers.archive import Archive
from studio.book.readers.encoding import decode_markup
from studio.book.readers.markup import Node, parse_text
from studio.book.readers.reading import Progress, Reading
from studio.book.readers.single import Stated, read_single
from studio.errors import BadInput

_NOTES = frozenset(("notes", "comments", "footnotes", "примечания", "комментарии"))
_DEEPEST_HEADING = 5
_TITLE_LENGTH = 1_000
_BINARY = re.compile(r"<binary\b[^<>]{0,400}>[^<]*+</binary\s{0,9}>")
_OWN_NAMES = re.compile(r"<(/?)(title|body)(?=[\s/>])", re.IGNORECASE)
_RENAMED = {
    "fb-title": "div",
    "section": "div",
    "fb-body": "div",
    "epigraph": "blockquote",
    "cite": "blockquote",
    "text-author": "p",
    "date": "p",
    "subtitle": "h6",
    "v": "line",
    "empty-line": "div",
    "emphasis": "em",
    "strikethrough": "s",
    "stylesheet": "style",
    "image": "img",
}


def read_fb2(
    name: str, data: Path | bytes, policies: Policies, ticks: Mapping[str, bool], tell: Progress
) -> Manuscript:
    """Read an FB2 file, packed or not.

    Args:
        name: Its name.
        data: Where it is, or its bytes.
        policies: What is narrated.
        ticks: What a person chose, by piece.
        tell: Told how much of it is read, 0 to 1.

    Raises:
        BadInput: It is no FB2, or it is damaged.
    """
    text = decode_markup(_unpacked(name, data))
    tell(0.1)
    # Pictures stand in the file as letters; a browser's parser has other uses for two names.
    text = _OWN_NAMES.sub(r"<\1fb-\2", _BINARY.sub("", text))
    root = parse_text(text, name)
    tell(0.4)
    book = next((node for node in root.walk() if node.tag == "fictionbook"), None)
    if book is None:
        raise BadInput(
            f"{name} is not an FB2 book, although its name says so. "
            "Open it in a reading program, and export or download it again."
        )
    stated = _stated(book, name)
    note_ids = _as_page(book)
    reading = Reading(policies=policies, note_ids=note_ids)
    return read_single(root, reading, stated, ticks, tell=tell)


def _unpacked(name: str, data: Path | bytes) -> bytes:
    """The bytes of the book itself."""
    start = data[:4] if isinstance(data, bytes) else b"PK\x03\x04"
    if isinstance(data, bytes) and start != b"PK\x03\x04":
        return data
    with Archive(name, data, "a packed FB2 book") as archive:
        inside = next((one for one in archive.names() if one.lower().endswith(".fb2")), None)
        if inside is None:
            raise BadInput(f"{name} holds no FB2 book. Look what is in it, and give that.")
        return archive.read(inside)


def _stated(book: Node, name: str) -> Stated:
    """What the book says about itself."""
    info = next(book.find("title-info"), Node("", {}))

    def first(tag: str, below: Node = info) -> str:
        return next((fold(node.start(_TITLE_LENGTH)) for node in below.find(tag)), "")

    authors = [
        " ".join(filter(None, (first(part, author) for part in _NAME_PARTS)))
        for author in islice(info.find("author"), 20)
    ]
    title = first("book-title") or Path(name).stem.removesuffix(".fb2")
    return Stated(title, ", ".join(filter(None, authors)), first("lang"))


_NAME_PARTS = ("first-name", "middle-name", "last-name")


def _as_page(book: Node) -> frozenset[str]:
    """Give the elements of a book the names they have in a page; returns the ids of its notes."""
    for child in book.children:
        if isinstance(child, Node) and child.tag == "description":
            child.tag = "fb-data"
    note_ids = frozenset(_mark_notes(book))
    waiting: list[tuple[Node, int]] = [(book, 0)]
    while waiting:
        node, depth = waiting.pop()
        if node.tag in {"section", "fb-body"}:
            depth += 1
        for child in node.children:
            if not isinstance(child, Node):
                continue
            if child.tag == "fb-title" and node.tag in {"section", "fb-body"}:
                _make_heading(child, min(depth, _DEEPEST_HEADING))
            elif child.tag == "fb-title":
                _make_heading(child, 6)
            else:
                waiting.append((child, depth))
        if node.tag == "a" and node.attributes.get("href", "").lstrip("#") in note_ids:
            node.attributes = {**node.attributes, "epub:type": "noteref"}
    for node in book.walk():
        node.tag = _RENAMED.get(node.tag, node.tag)
    return note_ids


def _mark_notes(book: Node) -> Iterator[str]:
    """Mark what stands in the bodies of notes; gives the ids of the notes."""
    marked: set[int] = set()
    for body in list(book.find("fb-body")):
        if body.attributes.get("name", "").lower() not in _NOTES or id(body) in marked:
            continue
        # A body inside of it is part of it; looking at each again would take for ever.
        marked.update(map(id, body.find("fb-body")))
        body.attributes = {**body.attributes, "epub:type": "footnotes"}
        body.tag = "aside"
        for node in body.walk():
            if node.tag == "fb-title":
                node.tag = "note-mark"
            elif node.tag == "section" and node.id:
                yield node.id


def _make_heading(title: Node, level: int) -> None:
    """Make a heading of a title; its paragraphs are lines."""
    title.tag = f"h{level}"
    children: list[Node | str] = []
    for child in title.children:
        if isinstance(child, Node) and child.tag in {"p", "empty-line"}:
            if children:
                children.append(Node("br", {}))
            child.tag = "span"
        children.append(child)
    title.children = children
