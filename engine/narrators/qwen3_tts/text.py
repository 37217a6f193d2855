"""What of a text reaches the tokenizer, how long it may take, and where it may be cut."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from engine.registry import Refusal

LETTERS_PER_SECOND = 14.0
"""Letters that are read in a second."""
_DIGIT, _SYLLABLE = 4, 3
"""Letters that a digit, and a Chinese, Japanese or Korean character are worth."""
FRAMES_PER_SECOND = 12.5
MOST_FRAMES = 2048
"""The model's own limit of a clip, 164 seconds."""
_PATIENCE, _SPARE = 3.0, 3.0
"""A clip may take so many times as long as its text should, and so many seconds more."""

_BLANKS = re.compile(r"\s+")
_SHORTEST = 12
"""Letters of a piece below which it is not cut any further: very short texts end worst of all."""
_CUTS = (
    re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+|(?<=[。！？])[”’」』）]*"),
    re.compile(r"(?<=[,;:–—])\s+|(?<=[，；：、])"),
    re.compile(r"\s+"),
)
"""Where a text may be cut: after a sentence, after a clause, between words."""


def guard(text: str, controls: Collection[str]) -> str:
    """A text in which nothing is a command to the model, in normal form C and on one line.

    Args:
        text: Any text.
        controls: Every token of the tokenizer that is no piece of text, such as ``<|im_end|>``.

    Raises:
        Refusal: It holds half of a surrogate pair.
    """
    for place, character in enumerate(text, start=1):
        if "\ud800" <= character <= "\udfff":
            raise Refusal(f"Character {place} of the text is broken (half of a pair); take it out.")
    text = unicodedata.normalize("NFC", text)
    text = "".join(_visible(character) for character in text)
    before = None
    while text != before:  # what is left around a command may be one, too
        before = text
        for control in controls:
            text = text.replace(control, " ")
        # No command of this model lacks these; without them none can be made of what is left.
        text = text.replace("<|", " ").replace("|>", " ")
    return _BLANKS.sub(" ", text).strip()


def spoken(text: str, controls: Collection[str]) -> str:
    """A text as it is said: guarded.

    Raises:
        Refusal: There is nothing to say in it.
    """
    guarded = guard(text, controls)
    if not any(character.isalnum() for character in guarded):
        raise Refusal("There is nothing to say in the text: no letter and no digit.")
    return guarded


def letters(text: str) -> int:
    """How much there is to say, in letters."""
    return sum(map(_worth, text))


def expected_frames(text: str) -> int:
    """How many frames of sound a text takes as a rule."""
    return max(1, round(letters(text) / LETTERS_PER_SECOND * FRAMES_PER_SECOND))


def most_frames(text: str) -> int:
    """After how many frames a text is not being said any more: it has come loose."""
    seconds = _SPARE + _PATIENCE * letters(text) / LETTERS_PER_SECOND
    return min(MOST_FRAMES, round(seconds * FRAMES_PER_SECOND))


def halves(text: str) -> tuple[str, ...]:
    """A text in two pieces, at the best place near its middle; itself where it is too short."""
    if letters(text) < 2 * _SHORTEST:
        return (text,)
    for cut in _CUTS:
        places = [match.end() for match in cut.finditer(text)]
        fit = [
            place
            for place in places
            if min(letters(text[:place]), letters(text[place:])) >= _SHORTEST
        ]
        if fit:
            place = min(fit, key=lambda place: abs(place - len(text) / 2))
            return text[:place].strip(), text[place:].strip()
    return (text,)


def _visible(character: str) -> str:
    """A character, a blank for a control, nothing for what only formats."""
    category = unicodedata.category(character)
    if category == "Cc":
        return " "
    # Joiners decide how letters of some scripts are read; other marks could hide a command.
    return "" if category == "Cf" and character not in "\u200c\u200d" else character


def _worth(character: str) -> int:
    """What a character is worth when it is read, in letters."""
    if character.isdigit():
        return _DIGIT
    if "\u3040" <= character <= "\u9fff" or "\uac00" <= character <= "\ud7a3":
        return _SYLLABLE
    return 1 if character.isalpha() or character.isspace() else 0
