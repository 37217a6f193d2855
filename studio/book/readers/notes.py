"""Notes and the marks that point at them: neither is narrated."""

from __future__ import annotations

import re

from studio.book.marks import fold, speakable
from studio.book.readers.markup import Node

_NOTE_CLASS = re.compile(r"note-?ref|footnote|endnote|fnref|\bfn\b|note-?anchor|noteanchor")
_RAISED_CLASS = re.compile(r"\bsup(?:er(?:script)?)?\b")
_RAISED_STYLE = re.compile(r"vertical-align\s{0,9}:\s{0,9}(?:super|top)")
_NOTE_MARK = re.compile(
    r"[\[(]?\s?(?:\d{1,4}|[ivxlc]{1,6}|[a-z]|[*†‡§¶]{1,4}|note \d{1,4})\s?[\])]?|\[[a-z]{2}\]"
)
_OPENING_MARK = re.compile(r"[\[(]?(?:\d{1,4}|[*†‡§¶↑^])[\]).:]?|\[[a-z]{1,2}\]")
_CALLED_NOTE = re.compile(r"\b(?:foot|end)-?note(?:-?text|s?-?body)?\b")
_COMMENT_ID = re.compile(r"cmnt\d{1,6}")
_NESTED = 4
_MARK_BEFORE_TEXT = re.compile(
    r"\A\s{0,9}(?:[\[(]\s?(?:\d{1,4}|[a-z]|[*†‡§¶]{1,4})\s?[\])][.:]?|\d{1,4}\s?[.):\]]"
    r"|[*†‡§¶↑^]{1,4}[.):]?|[.):](?=\s))\s{0,9}(?=\S)"
)
_BARE_MARK = re.compile(r"\d{1,3}\s{1,9}(?=\D)")
_LONGEST_MARK = 60
_WAY_BACK = re.compile(
    r"[↩↑↵⤴^⬆\ufe0e\ufe0f]{1,3}|(?:go )?back|return|\[?\d{1,4}\]?", re.IGNORECASE
)
_UNLINKED_MARK = re.compile(r"[\[(]?(?:\d{1,3}|[*†‡§¶]{1,4})[\])]?")
_BEFORE_A_MARK = re.compile(r"[.,;:!?…”’\"')\]]$|(?:^|[^\w])[^\W\d_]*([a-zà-ÿ]{3,})$|\b\d{4}$")
_MEASURES = re.compile(
    r"(?:feet|foot|yards?|inch(?:es)?|miles?|(?:kilo|centi|milli)?met(?:er|re)s?|acres)$", re.I
)


def is_note_reference(node: Node) -> bool:
    """Whether an element is the mark that points at a note."""
    if "noteref" in node.types:
        return True
    if node.tag not in {"a", "sup", "span"}:
        return False
    text = fold(node.start(_LONGEST_MARK)).lower()
    if not _NOTE_MARK.fullmatch(text):
        return False
    near = list(node.near())
    links = [link for link in near if link.tag == "a" and "#" in link.attributes.get("href", "")]
    raised = any(map(_is_raised, near))
    named = any(_NOTE_CLASS.search(below.classes) for below in near)
    bracketed = text[0] in "[(*†‡§¶" and node.tag == "a"
    return bool(links) and (raised or named or bracketed)


def _is_raised(node: Node) -> bool:
    """Whether an element stands above the line."""
    return (
        node.tag == "sup"
        or bool(_RAISED_CLASS.search(node.classes))
        or bool(_RAISED_STYLE.search(node.attributes.get("style", "").lower()))
    )


def is_unlinked_mark(node: Node, before: str) -> bool:
    """Whether a raised number is a note's mark although it leads nowhere.

    Args:
        node: The element.
        before: The paragraph's text before it. Behind a word, a stop or a year it is a mark;
            behind a measure, a letter or a number it is a power.
    """
    raised = node.tag == "sup" or (node.tag == "span" and _is_raised(node))
    if not raised or not _UNLINKED_MARK.fullmatch(fold(node.start(_LONGEST_MARK))):
        return False
    return _BEFORE_A_MARK.search(before[-80:]) is not None and not _MEASURES.search(before)


def note_targets(node: Node) -> list[str]:
    """Where the note references of a page point."""
    return [
        target
        for reference in node.walk()
        if is_note_reference(reference)
        for target in targets_of(reference)
    ]


def targets_of(reference: Node) -> list[str]:
    """Where a note reference points."""
    return [
        link.attributes["href"]
        for link in reference.near()
        if link.tag == "a" and "#" in link.attributes.get("href", "")
    ]


def is_note(node: Node) -> bool:
    """Whether an element that a note reference points at is the note.

    A list counts its notes itself; others open with their mark or end with a way back.
    """
    if opens_with_mark(node) or node.tag == "li":
        return any(map(speakable, node.texts()))
    return any(map(is_way_back, node.find("a")))


def is_comment(node: Node) -> bool:
    """Whether an element is a remark that people made to each other while they wrote, as Google
    Docs exports it."""
    if node.tag not in {"div", "p"}:
        return False
    for _ in range(_NESTED):
        if _COMMENT_ID.fullmatch(node.id):
            return True
        first = next((child for child in node.children if not _is_blank(child)), None)
        if not isinstance(first, Node):
            return False
        node = first
    return False


def _is_blank(child: Node | str) -> bool:
    """Whether a child is nothing but white space."""
    return isinstance(child, str) and not child.strip()


def is_called_note(node: Node) -> bool:
    """Whether an element's class calls it a note, and it opens with a note's mark."""
    if node.tag not in {"p", "li", "div", "aside", "dd"}:
        return False
    return _CALLED_NOTE.search(node.classes) is not None and opens_with_mark(node)


def is_way_back(node: Node) -> bool:
    """Whether an element leads from a note back to where it was called."""
    return (
        node.tag == "a"
        and "#" in node.attributes.get("href", "")
        and _WAY_BACK.fullmatch(fold(node.start(_LONGEST_MARK))) is not None
    )


def opens_with_mark(node: Node) -> bool:
    """Whether an element's text begins with a note's number or sign."""
    text = fold(node.start(_LONGEST_MARK))
    return bool(_OPENING_MARK.match(text)) and any(map(speakable, node.texts()))


def without_mark(text: str, *, listed: bool) -> str:
    """A note's text without the number or sign that it opens with.

    Args:
        text: The note's first paragraph.
        listed: Whether a list counts the notes; then a bare number belongs to the text.
    """
    bare = None if listed else _BARE_MARK.match(text)
    return text[bare.end() :] if bare else _MARK_BEFORE_TEXT.sub("", text, count=1)
