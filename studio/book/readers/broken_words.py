"""Words that the end of a line has cut in two are made whole, with or without their hyphen."""

from __future__ import annotations

import re

from studio.book.coverage import Ledger
from studio.book.readers.hyphens import hyphen_between, words_of
from studio.book.readers.markup import Node

_BROKEN_WORD = re.compile(r"(?<![^\W\d_])([^\W\d_]{1,40}+)-[ \t]{0,9}\r?\n\s{0,40}([^\W\d_]{1,40})")
_LEFT_HALF = re.compile(r"(?<![^\W\d_])([^\W\d_]{1,40}+)-\s{0,40}$")
_RIGHT_HALF = re.compile(r"\s{0,40}([^\W\d_]{1,40})")
_HALF = 90


class BrokenWords:
    """Mends the broken words of one page; its other words tell which hyphens belong."""

    def __init__(self, root: Node, ledger: Ledger) -> None:
        """Read nothing yet.

        Args:
            root: The page’s tree.
            ledger: Takes down the hyphens that are left out.
        """
        self._root = root
        self._ledger = ledger
        self._words: frozenset[str] | None = None

    def mended(self, text: str) -> str:
        """A text that holds ends of lines, with its broken words whole."""
        return _BROKEN_WORD.sub(self._whole, text)

    def joined(self, lines: list[str]) -> str:
        """Lines as one; a word that a break has cut is whole again."""
        for at, line in enumerate(lines[:-1]):
            left = _LEFT_HALF.search(line[-_HALF:])
            right = _RIGHT_HALF.match(lines[at + 1])
            if left and right:
                lines[at] = line.rstrip()[:-1] + self._between(left[1], right[1])
                lines[at + 1] = lines[at + 1].lstrip()
            else:
                lines[at] = f"{line} "
        return "".join(lines)

    def _between(self, left: str, right: str) -> str:
        """What stands between the halves of a word that a line's end has cut."""
        if self._words is None:
            self._words = words_of(self._root.text())
        between = hyphen_between(left, right, self._words)
        if not between:
            self._ledger.skip("hyphen at a line's end", 1)
        return between

    def _whole(self, match: re.Match[str]) -> str:
        """A word that a line's end has cut."""
        return match[1] + self._between(match[1], match[2]) + match[2]
