"""First letters set apart from their words, and what makes words of them again."""

from __future__ import annotations

import re

from studio.book.readers.markup import Node

_CLASS = re.compile(r"drop|initial|lettrine|first-?letter|bigcap|raised")
LONGEST_DROP_CAP = 2
"""A first letter set apart, perhaps with its quotation mark."""
LETTER_ALONE = re.compile(r"[“\"‘'«]?[^\W\d_]")
_COMPLETES = {
    "A": re.compile(r"(?:t|s|n|nd|ll|fter|lthough|lways|nother|mong|lready|ny|re|bove|unt)\b"),
    "I": re.compile(r"(?:n|t|f|s|nto|ndeed|nside|nstead|mmediately|magine)\b"),
    "O": re.compile(r"(?:n|f|r|h|ne|nce|nly|ther|ften|ld|ver|ut|ur|utside)\b"),
}
"""What makes words of the letters that are words themselves."""
LONE_LETTERS = frozenset(_COMPLETES)
"""Letters that are words too, so that a blank behind them may be meant."""


def is_drop_cap(node: Node) -> bool:
    """Whether an element is a first letter set apart from its word."""
    return (
        bool(node.classes)
        and bool(_CLASS.search(node.classes))
        and len(text := node.start(9).strip()) <= LONGEST_DROP_CAP
        and bool(LETTER_ALONE.fullmatch(text))
    )


def completes(letter: str, text: str) -> bool:
    """Whether a text goes on with the rest of the word that one of `LONE_LETTERS` begins."""
    return _COMPLETES[letter].match(text) is not None
