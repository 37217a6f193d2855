"""Who is named as speaking in a book, and what it tells of them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from studio.book.quotations import Paragraph
from studio.book.speech_words import STOPS
from studio.book.subjects import Subject, Token, gender_of, sentences, words

ENOUGH_VOTES = 2
"""How often a book must use a pronoun for somebody before it tells their gender."""

_PERSON = re.compile(
    r"\b(?:the|a|an|another) (?:[a-z]+ ){0,2}?"
    r"(man|woman|boy|girl|lady|gentleman|lad|lass|fellow|stranger|child|mother|father)\b",
    re.IGNORECASE,
)


def key(name: str) -> str:
    """A name as it is compared."""
    return re.sub(r"^an? ", "the ", name.lower().replace("'", "’"))


class People:
    """Who is named as speaking in a book, and what the book tells of their gender."""

    def __init__(self) -> None:
        """Nobody yet."""
        self.names: dict[str, str] = {}
        """As first written, by `key`."""
        self._certain: dict[str, str] = {}
        self._votes: dict[str, Counter[str]] = defaultdict(Counter)
        self._any: tuple[int, re.Pattern[str]] | None = None
        """How many names there were, and what finds any of them."""

    def meet(self, subject: Subject) -> str:
        """Note somebody; returns the name as it was written first."""
        known = key(subject.name)
        if subject.gender:
            self._certain[known] = subject.gender
        return self.names.setdefault(known, subject.name)

    def knows(self, subject: Subject) -> bool:
        """Whether somebody is named as speaking anywhere."""
        return bool(subject.name) and key(subject.name) in self.names

    def gender(self, known: str) -> str:
        """``m`` or ``f``, or nothing where it is not certain."""
        if told := self._certain.get(known) or gender_of(known):
            return told
        votes = self._votes[known]
        for gender, other in (("m", "f"), ("f", "m")):
            if votes[gender] >= ENOUGH_VOTES and votes[other] * 4 <= votes[gender]:
                return gender
        return ""

    def in_text(self, text: str) -> set[str]:
        """Keys of those whom a text mentions; of “Tam Lin” not “Tam” as well."""
        if self._any is None or self._any[0] != len(self.names):
            longest_first = sorted(self.names.values(), key=lambda name: (-len(name), name))
            either = "|".join(map(re.escape, longest_first)) or "(?!)"
            pattern = re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
            self._any = (len(self.names), pattern)
        return {key(found) for found in self._any[1].findall(text)} & self.names.keys()

    def learn(self, paragraphs: Sequence[Paragraph | None]) -> None:
        """See by which pronouns a chapter speaks of whom.

        “said Tam, and put his hands in his pockets”; “Tam stood up. He …”; “His name was Tam.”
        """
        before = ""
        for paragraph in paragraphs:
            if paragraph is None:
                before = ""
                continue
            for chunk in paragraph.between:
                for sentence in sentences(chunk):
                    before = self._learn_from(sentence, before)
            if paragraph.quotes:
                before = ""

    def _learn_from(self, sentence: str, before: str) -> str:
        """Learn from one sentence; returns who alone stands in it."""
        tokens = words(sentence)
        if not tokens:
            return ""
        named = self.in_text(sentence)
        first = tokens[0].low
        if not named and before and first in ("he", "she"):
            self._votes[before]["m" if first == "he" else "f"] += 1
            return before
        if len(named) != 1:
            return ""
        person = next(iter(named))
        called = re.match(r"(his|her) name was ", sentence, re.IGNORECASE)
        if called:
            self._votes[person]["m" if called[1].lower() == "his" else "f"] += ENOUGH_VOTES
            return person
        told = {gender for place in range(len(tokens)) if (gender := _own(tokens, place))}
        if len(told) == 1 and not _PERSON.search(sentence):
            self._votes[person][told.pop()] += 1
        return person


def _own(tokens: Sequence[Token], place: int) -> str:
    """The gender that a word tells of the one person of its sentence."""
    word = tokens[place].low
    if word in ("himself", "his"):
        return "m"
    if word in ("herself",):
        return "f"
    if word == "her" and place + 1 < len(tokens) and not tokens[place].after.strip():
        following = tokens[place + 1].low
        return "" if following in STOPS or following in ("the", "a", "an", "to") else "f"
    if word in ("he", "she") and place > 1:
        return "m" if word == "he" else "f"
    return ""


def strangers(narration: str) -> set[str]:
    """People whom a text mentions by what they are."""
    return {key(match[0]) for match in _PERSON.finditer(narration)}
