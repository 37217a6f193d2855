"""What a style sheet hides.

Only plain selectors are read: ``tag``, ``.class``, ``tag.class``, ``#id``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from studio.book.readers.elements import hides
from studio.book.readers.markup import Node

LONGEST_SHEET = 1_000_000
"""Characters of a style sheet; what is longer is not read for this."""
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_CONDITION = re.compile(
    r"@[\w-]{1,40}[^{};]{0,400}\{(?:[^{}]{0,9999}\{[^{}]{0,9999}\}){0,999}[^{}]*\}"
)
"""Rules for some screens only."""
_RULE = re.compile(r"([^{}@;]{1,400})\{([^{}]{0,4000})\}")
_SHOWS = re.compile(r"display\s{0,9}:")
_SELECTOR = re.compile(r"(?:[a-z][\w-]{0,20})?[.#][\w-]{1,60}|(?!body\b|html\b)[a-z][\w-]{0,20}")


def hidden_by(sheet: str) -> frozenset[str]:
    """The plain selectors of a style sheet whose elements are not shown.

    Args:
        sheet: The text of a style sheet.
    """
    if len(sheet) > LONGEST_SHEET or "{" not in sheet:
        return frozenset()
    sheet = _CONDITION.sub(" ", _COMMENT.sub(" ", sheet))
    hidden: set[str] = set()
    for rule in _RULE.finditer(sheet):
        selectors = [selector.strip().lower() for selector in rule[1].split(",")]
        plain = {selector for selector in selectors if _SELECTOR.fullmatch(selector)}
        if hides(rule[2].lower()):
            hidden |= plain
        elif _SHOWS.search(rule[2].lower()):
            hidden -= plain  # The later rule counts.
    return frozenset(hidden)


def is_hidden(node: Node, hidden: frozenset[str]) -> bool:
    """Whether one of the selectors means this element."""
    return bool(hidden) and any(name in hidden for name in _names(node))


def _names(node: Node) -> Iterator[str]:
    """The plain selectors that mean an element."""
    yield node.tag
    if node.id:
        yield f"#{node.id.lower()}"
        yield f"{node.tag}#{node.id.lower()}"
    for name in node.classes.split():
        yield f".{name}"
        yield f"{node.tag}.{name}"
