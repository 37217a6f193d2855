"""Lists of contents inside a page: of an HTML file, or of what Markdown becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from studio.book.marks import fold
from studio.book.readers.contents import is_contents_head, without_page
from studio.book.readers.elements import is_block, level_of
from studio.book.readers.markup import Node
from studio.book.readers.matter import is_contents, linked_text

_LISTS = ("ul", "ol", "dl", "table", "nav")
_MOST_LISTS = 50
_MOST_ENTRIES = 2_000
_FEWEST = 2
_TITLE_LENGTH = 1_000
_LINE_LENGTH = 200
"""Longer lines are no titles of chapters."""
_NUMBER_BEFORE = re.compile(r"\s{0,9}\d{1,4}[.)]\s{1,9}")


def contents_list(root: Node) -> Node | None:
    """The list of contents of a page, or None.

    It is a list of nothing but links, or what the page calls its navigation; of two links only
    where both lead to headings. Without links it is a list below a heading such as “Contents”
    whose lines are headings of the page.

    Args:
        root: The page's tree.
    """
    heads: dict[str, int] = {}
    for place, node in enumerate(_headings(root)):
        heads.setdefault(_folded(node.start(_LINE_LENGTH)), place)
    places = _chapter_places(root)
    for one in islice(root.find(*_LISTS), _MOST_LISTS):
        if is_contents(one, {"toc" if one.tag == "nav" else "list"}):
            return one
        if _leads_to_chapters(one, places, heads):
            return one
    return _below_heading(root, heads)


def entries(contents: Node) -> Iterator[tuple[str, str]]:
    """Where a list of contents points in its page, and what it calls that."""
    for link in contents.find("a"):
        page, _, target = link.attributes.get("href", "").partition("#")
        if target and not page:
            yield target, fold(link.start(_TITLE_LENGTH))


def _headings(root: Node) -> Iterator[Node]:
    """The headings of a page."""
    return (node for node in root.walk() if level_of(node))


def _folded(text: str) -> str:
    """A title as it is compared: letters and digits in small letters."""
    return " ".join(re.sub(r"[\W_]+", " ", text).split()).casefold()


def _chapter_places(root: Node) -> frozenset[str]:
    """Ids at which a heading stands: its own, one inside it, one around it or right before it."""
    found: set[str] = set()
    waiting: list[str] = []
    inside: set[int] = set()
    for node in root.walk():
        if id(node) in inside:
            found.add(node.id)
        elif level_of(node):
            found.update([*waiting, node.id])
            waiting = []
            inside.update(map(id, node.walk()))
        elif any(isinstance(child, str) and child.strip() for child in node.children):
            waiting = []
        elif node.id:
            waiting.append(node.id)
    return frozenset(found - {""})


def _leads_to_chapters(one: Node, places: frozenset[str], heads: dict[str, int]) -> bool:
    """Whether a list is links alone, all of which lead to headings of its page."""
    links, linked, length = linked_text(one)
    led = list(islice(entries(one), _MOST_ENTRIES)) if linked == length else []
    return _FEWEST <= len(led) == links and all(
        target in places or _folded(title) in heads or _folded(target) in heads
        for target, title in led
    )


def _below_heading(root: Node, heads: dict[str, int]) -> Node | None:
    """A list without links below a heading of contents, if its lines are the page's headings."""
    head = False
    tried = 0
    for node in root.walk():
        if level_of(node):
            head = is_contents_head(fold(node.start(_LINE_LENGTH)))
        elif head and node.tag in {"ul", "ol"} and tried < _MOST_LISTS:
            tried += 1
            lines = (one for one in node.children if isinstance(one, Node) and one.tag == "li")
            items = [fold(item.start(_LINE_LENGTH)) for item in islice(lines, _MOST_ENTRIES)]
            titles = [_folded(_NUMBER_BEFORE.sub("", without_page(item), 1)) for item in items]
            whole = [_folded(item) for item in items]
            pairs = list(zip(titles, whole, strict=True))
            if len(pairs) >= _FEWEST and all(a in heads or b in heads for a, b in pairs):
                return node
            head = False
        elif head and is_block(node) and node.tag not in {"body", "html", "div", "section"}:
            head = False
    return None
