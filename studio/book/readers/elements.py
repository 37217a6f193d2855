"""What the elements of a page are: paragraphs, verse, headings, or nothing to hear."""

from __future__ import annotations

import re
from itertools import islice

from studio.book.marks import OPENING_QUOTES, fold
from studio.book.readers.markup import UNRESOLVED, Node
from studio.book.readers.notes import is_note, opens_with_mark

BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol optgroup option p pre section select summary table tbody tfoot thead tr ul "
    "line stanza poem".split()
)
CELLS = frozenset(("td", "th"))
PICTURES = frozenset(("img", "image", "svg"))
UNSEEN = {
    **dict.fromkeys(("head", "link", "meta", "param", "colgroup"), "head of the page"),
    **dict.fromkeys(("script", "style", "template", "noscript"), "script or style"),
    **dict.fromkeys(("rt", "rp", "rtc"), "ruby reading"),
    **dict.fromkeys(("audio", "video", "canvas", "iframe", "area", "map"), "fallback for media"),
    **dict.fromkeys(
        ("datalist", "textarea", "input", "button", "progress", "meter"), "form control"
    ),
    **dict.fromkeys(("annotation", "annotation-xml"), "alternative for programs"),
    "del": "deleted text",
    "fb-data": "data about the book",
    "note-mark": "note mark",
    UNRESOLVED: "entity without meaning",
}
"""Elements that nobody hears, by the rule that leaves them out."""

_LEVELS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_STYLE = re.compile(r"display\s{0,9}:\s{0,9}(?:block|table|flex|grid|list-item)")
_HIDDEN_STYLE = re.compile(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)"
    r"|(?:font-size|opacity)\s{0,9}:\s{0,9}0(?:\.0{1,4})?(?:px|pt|r?em|%)?\s{0,9}(?:;|!|$)"
)
_VERSE_CLASS = re.compile(r"\b(?:verse|poem|poetry|stanza|lyrics?|song)")
_PAGE_NUMBER_CLASS = re.compile(r"page-?(?:num|no\b|break)|\bpb\b|pagenr")
_PAGE_NUMBER = re.compile(r"[\[({|]?\s?(?:p(?:age|g)?\.?\s?)?(?:\d{1,5}|[ivxlcdm]{1,9})\s?[\])}|]?")
_ADDRESS = re.compile(
    r"<?(?:(?:https?|ftp)://|www\.)[^\s<>]{1,2000}>?|[\w.+-]{1,80}@[\w-]{1,80}(?:\.[\w-]{1,80}){1,5}",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 30
_LONGEST_ADDRESS = 2_100


def is_block(node: Node) -> bool:
    """Whether an element is a paragraph of its own, by its name or its style."""
    return node.tag in BLOCKS or bool(_BLOCK_STYLE.search(node.attributes.get("style", "").lower()))


def level_of(node: Node) -> int:
    """The level of heading that an element is; 0 where it is none."""
    if node.tag not in BLOCKS:
        return 0
    return _LEVELS.get(node.tag, 2 if node.types & {"heading", "title"} else 0)


def is_verse(node: Node) -> bool:
    """Whether an element says that verse stands in it."""
    return node.tag in {"poem", "stanza"} or bool(_VERSE_CLASS.search(node.classes))


def hides(style: str) -> bool:
    """Whether declarations of a style hide what they are for."""
    return _HIDDEN_STYLE.search(style) is not None


def is_hidden(node: Node) -> bool:
    """Whether an element says of itself that it is not shown."""
    style = node.attributes.get("style", "")
    return "hidden" in node.attributes or bool(style and _HIDDEN_STYLE.search(style.lower()))


def is_page_number(node: Node) -> bool:
    """Whether an element marks where a printed page began."""
    if "pagebreak" not in node.types and not _PAGE_NUMBER_CLASS.search(node.classes):
        return False
    return _PAGE_NUMBER.fullmatch(fold(node.start(_LONGEST_NUMBER)).lower()) is not None


def is_notice(node: Node) -> bool:
    """Whether an element is what an archive puts around its books."""
    return "pg-boilerplate" in node.classes


def is_address(node: Node) -> bool:
    """Whether a link's text is an address and nothing else."""
    return node.tag == "a" and _ADDRESS.fullmatch(node.start(_LONGEST_ADDRESS).strip()) is not None


def other_cases(switch: Node) -> list[Node]:
    """The alternatives of ``epub:switch`` that are not read: all but the default, or the first."""
    cases = [
        child
        for child in switch.children
        if isinstance(child, Node) and child.tag in {"case", "default"}
    ]
    chosen = next((case for case in cases if case.tag == "default"), cases[0] if cases else None)
    return [case for case in cases if case is not chosen]


def opens_at_note(node: Node, note_ids: frozenset[str]) -> bool:
    """Whether a paragraph's first element is where a note reference points."""
    first = next((child for child in node.children if isinstance(child, Node)), None)
    if first is None or not any(below.id in note_ids for below in first.near() if below.id):
        return False
    return opens_with_mark(node)


def is_pointed_note(node: Node, note_ids: frozenset[str]) -> bool:
    """Whether an element is a note by what points at it."""
    if node.id in note_ids and node.tag in BLOCKS and is_note(node):
        return True
    return node.tag in {"p", "li", "dd"} and bool(note_ids) and opens_at_note(node, note_ids)


def quotation_mark(node: Node, side: int) -> str:
    """The mark that a reading program puts at one side of ``<q>``; none where the text has it."""
    return "" if node.start(1) in OPENING_QUOTES else "“”"[side]


def notes_in(node: Node, note_ids: frozenset[str]) -> list[tuple[frozenset[str], Node]]:
    """The notes of an element: those that are pointed at, or all of it where none is.

    Args:
        node: A note, or what holds several.
        note_ids: Ids that note references point at.

    Returns:
        Each note's ids and element, in document order.
    """
    wanted: list[tuple[Node, str]] = []
    waiting: list[tuple[Node, Node]] = [(node, node)]
    while waiting:
        below, block = waiting.pop()
        if below is not node and is_block(below):
            block = below
        if below.id in note_ids and below is not node:
            wanted.append((below if is_block(below) else block, below.id))
        waiting.extend(
            (child, block) for child in reversed(below.children) if isinstance(child, Node)
        )
    if node.id in note_ids or not wanted or any(element is node for element, _ in wanted):
        return [(frozenset({node.id, *(name for _, name in wanted)}), node)]
    ids: dict[int, set[str]] = {}
    found = {id(element): element for element, _ in wanted}
    for element, name in wanted:
        ids.setdefault(id(element), set()).add(name)
    inside = [id(below) for element in found.values() for below in islice(element.walk(), 1, None)]
    if not found.keys().isdisjoint(inside):
        # Notes inside of notes: one note, so that nothing is said twice.
        return [(frozenset(name for _, name in wanted), node)]
    return [(frozenset(ids[key]), element) for key, element in found.items()]
