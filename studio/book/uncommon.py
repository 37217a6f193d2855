"""Words of a book that a voice may not know how to say: names, and what no dictionary has.

With a dictionary a word is uncommon if that has neither the word nor what it is formed of. Without
one, only names can be told: words that are capitalised inside sentences and never written small.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from studio.book.lexicon import folded
from studio.book.marks import has_cjk

Known = Callable[[frozenset[str]], frozenset[str] | None]
"""Given words in small letters, says which of them a dictionary has; None where there is none."""

_WORD = re.compile(r"(?<!\w)[^\W\d_]+(?:['’][^\W\d_]+)*(?!\w)")
_INSIDE = re.compile(r"[\w,;’')\]]\s+[“‘\"'(\[]*$|[-–—/]$")
"""What stands before a word inside a sentence."""
_CONTRACTED = re.compile(r"(?:n't|'(?:s|ll|ve|re|d|m|t|em|n))$")
_ENDINGS = (
    ("iest", "y"),
    ("ies", "y"),
    ("ied", "y"),
    ("ier", "y"),
    ("ing", ""),
    ("ing", "e"),
    ("est", ""),
    ("est", "e"),
    ("ed", ""),
    ("ed", "e"),
    ("er", ""),
    ("er", "e"),
    ("es", ""),
    ("ly", ""),
    ("s", ""),
)
"""English endings, and what stands in their place in the word that carries them."""


@dataclass(frozen=True, slots=True)
class Uncommon:
    """A word that is worth a look."""

    word: str
    """As the book mostly writes it, without a possessive ending."""
    count: int
    """How often it occurs, in all its forms."""
    first: int
    """Place of the first text that has it, 0 for the first."""


@dataclass(slots=True)
class _Seen:
    """What is known of a word while the book is read."""

    first: int
    count: int = 0
    small: int = 0
    """How often it is written with a small letter."""
    inside: int = 0
    """How often it is capitalised inside a sentence."""
    shown: str = ""
    sure: bool = False
    """Whether `shown` stood where a capital means something."""


def uncommon(texts: Sequence[str], known: Known) -> tuple[Uncommon, ...]:
    """Find the uncommon words of a book.

    Args:
        texts: Its segments.
        known: The dictionary.

    Returns:
        The words, those that occur most often first, then by their first place.
    """
    seen = _read(texts)
    forms = {key: frozenset(_forms(key)) for key in seen}
    there = known(frozenset().union(*forms.values())) if forms else frozenset()
    found = [
        Uncommon(word.shown, word.count, word.first)
        for key, word in seen.items()
        if (forms[key].isdisjoint(there) if there is not None else word.inside and not word.small)
    ]
    return tuple(sorted(found, key=lambda word: (-word.count, word.first)))


def _read(texts: Sequence[str]) -> dict[str, _Seen]:
    """Every word of some length, by its folded form."""
    seen: dict[str, _Seen] = {}
    for place, text in enumerate(texts):
        for match in _WORD.finditer(unicodedata.normalize("NFC", text)):
            shown = _without_possessive(match[0])
            if len(shown) < 2 or has_cjk(shown):
                continue
            key = folded(shown)
            word = seen.get(key)
            if word is None:
                word = seen[key] = _Seen(place, shown=shown)
            word.count += 1
            capital = shown[0].isupper()
            if not capital:
                word.small += 1
            inside = not capital or _INSIDE.search(match.string, 0, match.start()) is not None
            if capital and inside:
                word.inside += not shown.isupper()
            if inside and not word.sure and not (shown.isupper() and len(shown) > 1):
                word.shown, word.sure = shown, True
    return seen


def _without_possessive(word: str) -> str:
    """A word without its ’s."""
    return word[:-2] if word[-2:].lower() in ("’s", "'s") else word


def _forms(key: str) -> Iterator[str]:
    """The words of which one in a dictionary is enough."""
    yield key
    bare = _CONTRACTED.sub("", key)
    if bare and bare != key:
        yield bare
    for ending, stead in _ENDINGS:
        stem = bare.removesuffix(ending)
        if stem != bare and len(stem + stead) > 2:
            yield stem + stead
            if not stead and stem[-1] == stem[-2]:
                yield stem[:-1]
