"""What was scripted and what was heard, brought into one form so that they can be compared.

Folding hides what no listener can hear: figures and words, contractions, British and American
spellings, marks. Words that only sound alike are a class of their own, because likeness may also
hide a misreading.
"""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Iterator, Mapping
from enum import StrEnum

from studio.book.kinds import Kind
from studio.book.pronunciation import plain
from studio.book.speaking import speak
from studio.review.alike import SOUNDS, spelled
from studio.review.number_words import in_figures

Words = tuple[str, ...]


class Likeness(StrEnum):
    """How alike a script and what was heard are."""

    SAME = "same"
    """The same words."""
    ALIKE = "alike"
    """Words that sound the same; probably right."""
    DIFFERENT = "different"


_APOSTROPHES = str.maketrans("‘’ʼ´`", "'''''")
_CONTRACTIONS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), words)
    for pattern, words in (
        (r"\bwon't\b", "will not"),
        (r"\bcan't\b", "can not"),
        (r"\bshan't\b", "shall not"),
        (r"\bain't\b", "is not"),
        (r"(?<=[a-z])n't\b", " not"),
        (r"\blet's\b", "let us"),
        (r"\bi'm\b", "i am"),
        (r"(?<=[a-z])'re\b", " are"),
        (r"(?<=[a-z])'ve\b", " have"),
        (r"(?<=[a-z])'ll\b", " will"),
        (r"\bo'clock\b", "oclock"),
        (r"(?<!\w)'(cause|em|til|tis|twas)\b", r"\1"),
    )
)
_IS_OR_HAS = re.compile(
    r"\b(he|she|it|that|what|who|there|here|where|how|when|why|everybody|everyone|nobody|somebody|"
    r"someone|everything|nothing|something|one)'s\b"
)
_HAD_OR_WOULD = re.compile(r"\b(i|you|he|she|it|we|they|that|who|there)'d\b")
_LIKE_ANOTHER_WORD = re.compile(r"\b(?:(?:it|who)'s|(?:you|they)'re|we've)\b")
"""Said like its, whose, your, their, weave."""
_MAC = re.compile(r"^mc(?=[a-z]{3})")
"""McDonald and MacDonald sound alike."""
_MOST_READINGS = 4
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_COINS = re.compile(
    r"\b(\d+ (?:pounds?|dollars?|euros?))(?: and)? (\d+)"
    r"(?: (?:pence|p|cents?|pennies|penny))?\b"
)
_DAY_MONTH = re.compile(rf"\b(?:the )?(\d+(?:st|nd|rd|th)) (?:of )?({_MONTHS})\b")
_MONTH_DAY = re.compile(rf"\b({_MONTHS}) (?:the )?(\d+(?:st|nd|rd|th))\b")
_HALF = re.compile(r"\b(\d+) and a half\b")
_NO_WHOLE = re.compile(r"(?<!\d )\b0 point (?=\d)")
_FEET = re.compile(r"\b(\d+) (?:foot|feet) (\d+)\b")
_MINUS = re.compile(r"\bnegative (?=\d)")
_LETTERS = re.compile(r"\b[a-z](?: [a-z]\b)+")


def fold(text: str, language: str) -> Words:
    """A text as the words that anybody would hear; contractions in their likeliest reading.

    Args:
        text: Scripted or recognised.
        language: BCP 47 tag; English is folded further than other languages.
    """
    return next(_readings(text, language))


def sounds(words: Words) -> Words:
    """Words by their sound: one for each set of words that sound alike.

    Args:
        words: Folded words.
    """
    return tuple(SOUNDS.get(word, _MAC.sub("mac", word)) for word in words)


def compare(
    script: str, heard: str, language: str, respelled: Mapping[str, str] | None = None
) -> Likeness:
    """How alike a script and what was heard are.

    Args:
        script: What should have been said.
        heard: What was recognised.
        language: BCP 47 tag.
        respelled: Words of the script, in small letters, and how they were written for the
            engine, such as a name by its sound; either counts.
    """
    ours = list(itertools.islice(_readings(script, language), _MOST_READINGS))
    theirs = list(itertools.islice(_readings(heard, language), _MOST_READINGS))
    if respelled:
        ours += [_respelled(words, respelled, language) for words in ours]
    pairs = list(itertools.product(ours, theirs))
    if any(a == b for a, b in pairs):
        return Likeness.SAME
    if not language or language.lower().startswith("en"):
        pairs.append((_contracted(script, language), _contracted(heard, language)))
    for a, b in pairs:
        if "".join(a) == "".join(b) or _run_together(a) == _run_together(b):
            return Likeness.ALIKE
    return Likeness.DIFFERENT


def _contracted(text: str, language: str) -> Words:
    """English with the contractions that sound like another word left as they are."""
    joined = _LIKE_ANOTHER_WORD.sub(lambda match: match[0].replace("'", ""), _said(text, language))
    return _folded(_expanded(joined))


def _expanded(said: str) -> str:
    """English without the contractions that can be read in one way only."""
    for pattern, words in _CONTRACTIONS:
        said = pattern.sub(words, said)
    return said


def _said(text: str, language: str) -> str:
    """A text in spoken words and small letters."""
    return speak(plain(text), Kind.PROSE, language).translate(_APOSTROPHES).lower()


def _run_together(words: Words) -> str:
    """The sounds of words, without blanks, so that ``for ever`` and ``forever`` are alike."""
    return "".join(sounds(words))


def _respelled(words: Words, respelled: Mapping[str, str], language: str) -> Words:
    """Words with those that were written otherwise for the engine."""
    return tuple(
        part for word in words for part in fold(respelled.get(word, word), language) or (word,)
    )


def _readings(text: str, language: str) -> Iterator[Words]:
    """The ways in which a text can be folded, the likeliest first."""
    english = not language or language.lower().partition("-")[0] == "en"
    said = _said(text, language)
    if not english:
        yield tuple(re.findall(r"\w+", said.casefold()))
        return
    said = _expanded(said)
    had = ("had", "would") if _HAD_OR_WOULD.search(said) else ("had",)
    has = ("is", "has") if _IS_OR_HAS.search(said) else ("is",)
    for one, other in itertools.product(has, had):
        yield _folded(_HAD_OR_WOULD.sub(rf"\1 {other}", _IS_OR_HAS.sub(rf"\1 {one}", said)))


def _folded(said: str) -> Words:
    """English text in small letters without contractions, as words."""
    letters = unicodedata.normalize("NFKD", said)
    letters = "".join(c for c in letters if not unicodedata.combining(c)).replace("'", "")
    words = " ".join(spelled(word) for word in re.findall(r"[^\W_]+", letters))
    text = " ".join(in_figures(words.split()))
    text = _COINS.sub(r"\1 \2", text)
    text = _HALF.sub(r"\1 point 5", text)
    text = _NO_WHOLE.sub("point ", text)
    text = _FEET.sub(r"\1 feet \2", text)
    text = _MINUS.sub("minus ", text)
    text = _DAY_MONTH.sub(r"\2 \1", text)
    text = _MONTH_DAY.sub(lambda match: f"{match[1]} {match[2][:-2]}", text)
    text = _LETTERS.sub(lambda match: match[0].replace(" ", ""), text)
    return tuple(text.split())
