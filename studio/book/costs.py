"""How many phonemes or tokens a text has, about, where an engine counts those.

Only the engine knows exactly, and it is not running when a book is cut. These estimates lie on the
upper side of what engines count in prose, so that what they let through is taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from studio.book.pronunciation import voiced

_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_WORD = re.compile(r"[^\W_]+")
_MARK = re.compile(r"[^\w\s]")

_PHONEMES_OF_CJK = 5
"""A syllable with its tone."""
_TOKENS_OF_CJK = 2
_LETTERS_IN_TOKEN = 4
"""Of a frequent English word after its first letters; other alphabets have half as many."""


def cost_of(what: str) -> Callable[[str], int] | None:
    """What counts spoken text as an engine does.

    Args:
        what: ``phonemes`` or ``tokens``, as a card says; anything else is not known here.
    """
    return {"phonemes": phonemes, "tokens": tokens}.get(what)


def phonemes(text: str) -> int:
    """About how many phonemes a text has, with signs of stress, marks and blanks."""
    plain = voiced(text)
    return len(plain) + len(_WORD.findall(plain)) + _PHONEMES_OF_CJK * len(_CJK.findall(plain))


def tokens(text: str) -> int:
    """About how many tokens a text has for a language model, phonemes given in it included."""
    cjk = len(_CJK.findall(text))
    rest = _CJK.sub(" ", text)
    count = _TOKENS_OF_CJK * cjk + len(_MARK.findall(rest))
    for word in _WORD.findall(rest):
        size = _LETTERS_IN_TOKEN if word.isascii() else _LETTERS_IN_TOKEN // 2
        count += 1 + (len(word) - 1) // size
    return count
