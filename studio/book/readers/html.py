"""HTML files: one page, whose headings or list of links give the chapters."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from studio.book.manuscript import Manuscript
from studio.book.marks import fold
from studio.book.policies import Policies
from studio.book.readers.listed import contents_list, entries
from studio.book.readers.markup import Node, parse
from studio.book.readers.notes import note_targets
from studio.book.readers.reading import Progress, Reading
from studio.book.readers.single import Stated, read_single
from studio.book.readers.styles import hidden_by

_TITLE_LENGTH = 1_000
_ARCHIVES_TITLE = re.compile(
    r"The Project Gutenberg e-?book of (?P<title>.{1,500}?)(?:,? by (?P<author>.{1,200}))?"
    r"|(?P<before>.{1,500}?) \| Project Gutenberg",
    re.IGNORECASE,
)
"""What a well-known archive writes around the titles of its pages."""


def read_html(
    name: str, data: bytes, policies: Policies, ticks: Mapping[str, bool], tell: Progress
) -> Manuscript:
    """Read an HTML file.

    Args:
        name: Its name.
        data: Its bytes.
        policies: What is narrated.
        ticks: What a person chose, by piece.
        tell: Told how much of it is read, 0 to 1.
    """
    root = parse(data, name)
    tell(0.4)
    contents = contents_list(root)
    listed = list(entries(contents)) if contents is not None else []
    hidden = frozenset[str]().union(*(hidden_by(style.text()) for style in root.find("style")))
    reading = Reading(
        policies=policies,
        chapter_ids=frozenset(target for target, _ in listed),
        note_ids=frozenset(href.partition("#")[2] for href in note_targets(root)),
        hidden=hidden,
        contents=frozenset((id(contents),)) if contents is not None else frozenset(),
    )
    stated = _stated(root, Path(name).stem)
    return read_single(root, reading, stated, ticks, listed, tell=tell)


def _stated(root: Node, name: str) -> Stated:
    """What a page says about itself."""
    metas = {
        meta.attributes.get("name", "").lower().removeprefix("dc.").removeprefix("dcterms."): (
            meta.attributes.get("content", "")
        )
        for meta in root.find("meta")
    }
    head = next(root.find("head"), Node("", {}))
    title = next((fold(node.start(_TITLE_LENGTH)) for node in head.find("title")), "")
    language = next((said for node in root.find("html", "body") if (said := node.language)), "")
    named = _ARCHIVES_TITLE.fullmatch(title)
    if named:
        title = named["title"] or named["before"]
    shown = (node for node in root.find("p", "h1") if "title" in node.classes.split())
    title = metas.get("title") or title
    return Stated(
        title=title or next((fold(node.start(_TITLE_LENGTH)) for node in shown), "") or name,
        author=metas.get("author") or metas.get("creator") or (named and named["author"]) or "",
        language=language or metas.get("language", ""),
    )
