"""How long a text takes to read aloud, roughly, whoever reads it."""

from __future__ import annotations

from functools import cache

from studio.book.pronunciation import plain

CHARACTERS_PER_SECOND = 14.0
"""A calm English reader; the embedded voice reads 11 to 23."""

_DIGIT = 4
"""A digit is a word: it reads as long as about four letters."""

_SYLLABLE = 3
"""A Chinese, Japanese or Korean character is a syllable or more."""


def length(text: str) -> int:
    """Letters that a text is worth when it is read.

    Args:
        text: Spoken text; phonemes beside a word are not counted.
    """
    return sum(map(_weight, plain(text)))


def expected_seconds(text: str, speed: float = 1.0) -> float:
    """How long a text takes to read.

    Args:
        text: Spoken text.
        speed: 1.0 for the voice's own pace.
    """
    return max(0.3, length(text) / CHARACTERS_PER_SECOND) / max(speed, 0.1)


@cache
def _weight(character: str) -> int:
    """What one character is worth, in letters."""
    if character.isdigit():
        return _DIGIT
    if "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3":
        return _SYLLABLE
    return 1 if character.isalpha() or character.isspace() else 0
