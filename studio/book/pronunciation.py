"""A word with its phonemes, written into a text: ``[Harrow](/hˈæɹO/)``.

Engines that know the notation are given it; for all others, and wherever a length counts, the word
stands for itself.
"""

from __future__ import annotations

import re

_MARK = re.compile(r"\[([^\[\]()\n]+)\]\(/([^\[\]()/\n]+)/\)")

NOT_IN_A_WORD = frozenset("[]()\n")
"""What a word that is given phonemes cannot hold."""

NOT_IN_PHONEMES = NOT_IN_A_WORD | {"/"}
"""What phonemes cannot hold."""


def marked(word: str, phonemes: str) -> str:
    """A word with its phonemes, as it stands in a spoken text.

    Args:
        word: As the book has it.
        phonemes: In the signs of the voice that will speak it.

    Raises:
        ValueError: One of them is empty or holds a sign of the notation itself.
    """
    text = f"[{word}](/{phonemes}/)"
    if _MARK.fullmatch(text) is None:
        raise ValueError(f"{word!r} cannot be given the phonemes {phonemes!r}")
    return text


def plain(text: str) -> str:
    """A text whose words stand for themselves, without phonemes.

    Args:
        text: Spoken text.
    """
    return _MARK.sub(r"\1", text) if "](/" in text else text


def voiced(text: str) -> str:
    """A text whose words stand as the phonemes that they are given.

    Args:
        text: Spoken text.
    """
    return _MARK.sub(r"\2", text) if "](/" in text else text
