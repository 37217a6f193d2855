"""Whom a sentence is about: a pronoun, a name with its title, or an article and what follows it.

English only. Rather nobody than somebody else: what is not certain is nobody.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from studio.book.speech_words import (
    GIVEN_NAMES,
    MEN,
    NOBODY,
    NOT_NAMES,
    PRONOUNS,
    SAID,
    STOPS,
    THINGS,
    TITLES,
    WOMEN,
)

_TOKEN = re.compile(r"[^\W_]+(?:[’'\-][^\W_]+)*[’']?\.?")
_ABBREVIATED = frozenset(
    f"{title}." for title in "Dr Mr Mrs Ms Mx Prof Capt Col Gen Sgt Lt Rev St".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?…])[”’\"»)]*\s+")
ARTICLES = frozenset("the a an his her my our their your its this that".split())
_PARTICLES = frozenset("of de von van der du la le al ibn bin y".split())
_ING_NOUNS = frozenset("king being darling stripling hireling viking".split())


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a sentence, and the marks behind it."""

    text: str
    start: int
    end: int
    after: str
    """What stands between this word and the next."""

    @property
    def low(self) -> str:
        """As the word lists have it."""
        return self.text.lower().rstrip(".")

    @property
    def capital(self) -> bool:
        """Whether it begins with a capital."""
        return self.text[:1].isupper()


@dataclass(frozen=True, slots=True)
class Subject:
    """Somebody a sentence is about."""

    name: str
    """Such as ``Dr. Harrow`` or ``the miller``; empty for a pronoun, and for nobody certain."""
    pronoun: str = ""
    gender: str = ""
    """``m`` or ``f`` where that is known."""
    end: int = 0
    """Number of the first word behind it."""


def words(text: str) -> list[Token]:
    """The words of a text; a full stop belongs to an abbreviated title."""
    found: list[Token] = []
    matches = list(_TOKEN.finditer(text))
    for place, match in enumerate(matches):
        word, end = match[0], match.end()
        if word.endswith(".") and word not in _ABBREVIATED:
            word, end = word[:-1], end - 1
        following = matches[place + 1].start() if place + 1 < len(matches) else len(text)
        start = match.start()
        if word == "on" and found and found[-1].text in ("went", "goes") and found[-1].after == " ":
            start = found.pop().start  # “went on” is one verb of saying
            word = text[start:end]
        found.append(Token(word, start, end, text[end:following]))
    return found


def sentences(text: str) -> list[str]:
    """A stretch of narration in sentences, roughly: titles do not end one."""
    parts: list[str] = []
    for part in _SENTENCE_END.split(text):
        if parts and parts[-1].rpartition(" ")[2] in _ABBREVIATED:
            parts[-1] += f" {part}"
        elif part.strip():
            parts.append(part)
    return parts


def subject_at(tokens: Sequence[Token], at: int, *, closed: bool) -> Subject | None:
    """Read somebody who begins at a word.

    Args:
        tokens: The sentence.
        at: Where to begin.
        closed: Whether the words must end before a verb of saying (“the old woman whispered”);
            else they end where the sentence goes on (“said the old woman at last”).
    """
    if at >= len(tokens):
        return None
    first = tokens[at]
    if first.low in PRONOUNS and (first.text == "I" or first.low != "i"):
        if first.low in ("it", "you"):
            return None
        if first.low == "i":
            return Subject("I", end=at + 1)
        if first.low in ("they", "we"):
            return Subject("", end=at + 1)
        return Subject("", first.low, PRONOUNS[first.low], at + 1)
    if first.low in NOBODY:
        return Subject("", end=at + 1)
    if first.low in ARTICLES:
        return _described(tokens, at, closed)
    if first.capital and (first.low not in NOT_NAMES or first.low in TITLES):
        return _named(tokens, at)
    return None


def _named(tokens: Sequence[Token], at: int) -> Subject | None:
    """A name: capitalised words, titles and particles."""
    end = at + 1
    while end < len(tokens) and not tokens[end - 1].after.strip():
        following = end
        while following < len(tokens) - 1 and tokens[following].low in _PARTICLES:
            following += 1
        here = tokens[following]
        if not (here.capital and here.text != "I" and here.low not in SAID):
            break
        end = following + 1
    names = [token.text for token in tokens[at:end]]
    last = names[-1].rstrip(".").lower()
    if re.search(r"[’']s?$", names[-1]) and len(names[-1]) > 2:
        return _possession(tokens, at, end)
    if len(names) == 1 and last in TITLES and names[0].endswith("."):
        return None
    return Subject(" ".join(names), gender=gender_of(" ".join(names)), end=end)


def _possession(tokens: Sequence[Token], at: int, end: int) -> Subject | None:
    """“Tam’s mother”: the one behind the name is meant."""
    if end >= len(tokens) or tokens[end].capital or tokens[end - 1].after.strip():
        return None
    head = tokens[end].low
    if head not in MEN | WOMEN and head not in ("friend", "partner", "cousin", "parent", "guard"):
        return None
    name = " ".join(token.text for token in tokens[at : end + 1])
    return Subject(name, gender=gender_of(name), end=end + 1)


def _described(tokens: Sequence[Token], at: int, closed: bool) -> Subject | None:
    """Somebody by what they are: an article and up to four words."""
    end = at + 1
    while end < len(tokens) and end - at <= 4 and not tokens[end - 1].after.strip():
        low = tokens[end].low
        if low in STOPS | PRONOUNS.keys() or low in ARTICLES or (end > at + 1 and low[-2:] == "ly"):
            break
        if low in SAID and (closed or end > at + 1):
            break
        end += 1
    while end - at > 2 and tokens[end - 1].low.endswith("ing"):
        if tokens[end - 1].low in _ING_NOUNS:
            break
        end -= 1
    if end == at + 1:
        return None
    head = tokens[end - 1].low
    if head in THINGS:
        return Subject("", end=end)
    if (
        end + 1 < len(tokens)
        and tokens[end].low == "of"
        and not tokens[end - 1].after.strip()
        and (tokens[end + 1].capital or tokens[end + 1].low == "the")
    ):
        stop = end + 2 if tokens[end + 1].capital else end + 3
        if stop <= len(tokens):
            end = stop
    if head in NOBODY or re.search(r"[’']s?$", tokens[end - 1].text):
        return Subject("", end=end)
    article = tokens[at].low
    rest = " ".join(token.text for token in tokens[at + 1 : end])
    return Subject(f"{article} {rest}", gender=gender_of(rest), end=end)


def first_noun(tokens: Sequence[Token], at: int) -> Subject | None:
    """Somebody at the start of a sentence whose noun is one of those that we know."""
    for end in range(at + 1, min(at + 5, len(tokens))):
        if tokens[end].low in MEN | WOMEN:
            name = " ".join([tokens[at].low, *(token.text for token in tokens[at + 1 : end + 1])])
            return Subject(name, gender=gender_of(name), end=end + 1)
    return None


def gender_of(name: str) -> str:
    """What a name or a description tells of a gender: ``m``, ``f`` or nothing."""
    parts = [part.rstrip(".").lower() for part in name.split()]
    if not parts:
        return ""
    if parts[0] in TITLES and TITLES[parts[0]]:
        return TITLES[parts[0]]
    head = parts[parts.index("of") - 1] if "of" in parts[1:] else parts[-1]
    if head in MEN:
        return "m"
    if head in WOMEN:
        return "f"
    return next((GIVEN_NAMES[part] for part in parts if part in GIVEN_NAMES), "")


def acting(sentence: str) -> Subject | None:
    """Who a sentence of narration begins with, where a verb follows: “Tam put down the lamp.”"""
    tokens = words(sentence)
    start = 0
    while start < len(tokens) and tokens[start].low in ("then", "and", "but", "so"):
        start += 1
    subject = subject_at(tokens, start, closed=False)
    if subject is None:
        return None
    if subject.end < len(tokens) and tokens[subject.end].low == "and":
        return None
    return subject
