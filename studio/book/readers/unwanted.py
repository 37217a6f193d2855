"""Which elements of a page are left out, and by which rule."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from studio.book.policies import Said
from studio.book.readers import elements
from studio.book.readers.elements import is_block
from studio.book.readers.markup import NO_ATTRIBUTES, Node
from studio.book.readers.notes import (
    is_called_note,
    is_comment,
    is_note_reference,
    is_unlinked_mark,
    is_way_back,
)
from studio.book.readers.reading import Reading
from studio.book.readers.styles import is_hidden
from studio.book.rules_of_reading import LEFT_OUT_TYPES

_TELLING = frozenset(("a", "sup", "span", "p", "li", "dd", "ul", "ol", "dl", "nav", "table"))
"""Elements that may be left out although they have no attributes, for what is in them."""


def unwanted(
    node: Node, reading: Reading, before: Sequence[str], untaken: AbstractSet[int], *, in_note: bool
) -> str | None:
    """The rule that leaves an element out, or None.

    Args:
        node: The element.
        reading: How its page is read.
        before: The texts in front of it, in the same paragraph.
        untaken: Identities of the elements that are an alternative to others.
        in_note: Whether it is in a note that is read by itself.
    """
    if node.tag in elements.UNSEEN:
        return elements.UNSEEN[node.tag]
    if is_hidden(node, reading.hidden):
        return "hidden text"
    if node.attributes is NO_ATTRIBUTES and node.tag not in _TELLING and not untaken:
        return None
    if elements.is_hidden(node):
        return "hidden text"
    if node.tag in {"body", "html"}:
        return None
    if id(node) in untaken:
        return "alternative for programs"
    if elements.is_page_number(node):
        return "page number"
    if is_comment(node):
        return "comment"
    if in_note and is_way_back(node):
        return "note mark"
    if is_note_reference(node) or is_unlinked_mark(node, "".join(before[-3:])):
        return "note reference"
    return None if reading.whole or in_note else _by_choice(node, reading)


def _by_choice(node: Node, reading: Reading) -> str | None:
    """The rule that leaves an element out unless a person wants it, or None."""
    policies = reading.policies
    for kind in node.types & LEFT_OUT_TYPES.keys():
        return LEFT_OUT_TYPES[kind]
    if is_called_note(node):
        return "note"
    named = reading.aside and node.id in reading.note_ids and is_block(node)
    if named or elements.is_pointed_note(node, reading.note_ids):
        return "note"
    if elements.is_notice(node):
        return "archive's notices"
    if id(node) in reading.contents:
        return "contents list"
    if node.tag == "table" and policies.tables is Said.SKIPPED:
        return "table"
    if policies.addresses is Said.SKIPPED and elements.is_address(node):
        return "address"
    return None
