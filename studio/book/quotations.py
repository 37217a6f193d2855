"""Where speech stands in a paragraph: what is between its quotation marks, or after its dash.

Which marks a book uses is seen from a whole chapter: single marks are speech only where there are
no double ones, since otherwise they are quotations inside of speech, or apostrophes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from studio.book.marks import DIALOGUE_DASHES
from studio.book.subjects import Subject

_ENDS = ",.!?…—–―:;-"
_SINGLE_OPENS = re.compile(r"(?<![\w’'])[‘'](?=[\w“\"…—–¡¿’])")
_CURLY_SINGLE_OPENS = re.compile(r"(?<![\w’'])‘(?=[\w“\"…—–¡¿’])")
_DASH_OPENS = re.compile(rf"[{DIALOGUE_DASHES}] ?(?=[\w¿¡«“\"…])")
_PAIRS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}


@dataclass(frozen=True, slots=True)
class Span:
    """One stretch of speech in a paragraph, its marks included."""

    start: int
    end: int
    opens: bool = True
    """Whether it begins with a mark; a long speech may go on from the paragraph before."""
    closed: bool = True
    """Whether its closing mark is there; without one the next paragraph may go on with it."""


@dataclass(frozen=True, slots=True)
class Marks:
    """The quotation marks of a chapter."""

    style: str
    """``double``, ``straight``, ``single``, ``reversed`` (»so«), ``dash``, or empty."""

    @classmethod
    def of(cls, paragraphs: Sequence[str]) -> Marks:
        """See which marks a chapter uses."""
        text = "\n".join(paragraphs)
        if text.count("»") > 1 and text.find("»") < (text.find("«") if "«" in text else len(text)):
            return cls("reversed")
        singles = sum(1 for paragraph in paragraphs if _SINGLE_OPENS.match(paragraph))
        doubles = sum(1 for paragraph in paragraphs if paragraph[:1] in (*_PAIRS, '"'))
        if singles > doubles:
            return cls("single")
        if any(mark in text for mark in _PAIRS):
            return cls("double")
        if text.count('"') > 1:
            return cls("straight")
        dashed = sum(1 for paragraph in paragraphs if _DASH_OPENS.match(paragraph))
        if dashed:
            return cls("dash")
        return cls("single" if _SINGLE_OPENS.search(text) else "")

    def find(self, paragraph: str) -> list[Span]:
        """All quotations of a paragraph, in order."""
        if self.style == "single":
            return _singles(paragraph)
        if self.style == "straight":
            return _straight(paragraph)
        if self.style == "dash" or (not self._has(paragraph) and _DASH_OPENS.match(paragraph)):
            return [Span(0, len(paragraph))] if _DASH_OPENS.match(paragraph) else []
        if self.style == "reversed":
            return _paired(paragraph, {"»": "«", "„": "“”", "“": "”"})
        return _paired(paragraph, _PAIRS) if self.style else []

    def _has(self, paragraph: str) -> bool:
        return any(mark in paragraph for mark in _PAIRS)


def _paired(text: str, pairs: dict[str, str]) -> list[Span]:
    """Quotations between marks that show which way they face."""
    found: list[Span] = []
    start, closes = -1, ""
    depth = 0
    for place, char in enumerate(text):
        if start < 0:
            if char in pairs:
                start, closes, depth = place, pairs[char], 0
        elif char in closes:
            if depth:
                depth -= 1
            else:
                found.append(Span(start, place + 1))
                start = -1
        elif char in pairs and char == text[start]:
            # The closing mark was forgotten: speech never opens inside of speech with its own mark.
            found.append(Span(start, place, closed=False))
            start = place
    if start >= 0:
        found.append(Span(start, len(text), closed=False))
    return found


def _straight(text: str) -> list[Span]:
    """Quotations between marks that are alike at both ends."""
    places = [place for place, char in enumerate(text) if char == '"']
    found = [Span(a, b + 1) for a, b in zip(places[::2], places[1::2], strict=False)]
    if len(places) % 2:
        found.append(Span(places[-1], len(text), closed=False))
    return found


def _singles(text: str) -> list[Span]:
    """Quotations between single marks, which apostrophes look like.

    One opens at the start of a word. One closes behind the mark that ends what was said: an
    apostrophe has a letter before it.
    """
    opens = _CURLY_SINGLE_OPENS if "‘" in text else _SINGLE_OPENS
    found: list[Span] = []
    at = 0
    while match := opens.search(text, at):
        start = match.start()
        end = _closing_single(text, start + 1)
        if end is None:
            if start == 0:
                found.append(Span(0, len(text), closed=False))
            break
        found.append(Span(start, end))
        at = end
    return found


def _closing_single(text: str, start: int) -> int | None:
    """Behind the mark that closes a quotation, or None."""
    for place in range(start, len(text)):
        if text[place] not in "’'":
            continue
        before, after = text[place - 1], text[place + 1 : place + 2]
        ended = before in _ENDS or (before in '”"' and text[place - 2] in _ENDS) or after == ","
        if ended and not after.isalnum() and place > start:
            return place + 1
    return None


class Confidence(StrEnum):
    """By what a speaker is known, most certain first."""

    NAMED = "named"
    PRONOUN = "pronoun"
    TURN = "turn"
    BESIDE = "beside"


@dataclass(slots=True)
class Quote:
    """One quotation on its way to a speaker."""

    span: Span
    inner: str
    speaker: str = ""
    evidence: str = ""
    confidence: Confidence | None = None
    pronoun: str = ""
    """“he said”, where a pronoun stands beside it."""
    gender: str = ""
    other: bool = False
    """Whether somebody says it of whom only that is known: “a voice called”."""

    def take(self, speaker: str, evidence: str, confidence: Confidence) -> None:
        """Be said by somebody."""
        self.speaker, self.evidence, self.confidence = speaker, evidence, confidence


@dataclass(slots=True)
class Paragraph:
    """A paragraph: its text out of segments, its quotations and what stands between them."""

    text: str
    parts: list[tuple[int, int, int]]
    """Number of the line, and from where to where it stands in the text."""
    quotes: list[Quote] = field(default_factory=list)
    between: list[str] = field(default_factory=list)
    """Narration: before the first quotation, …, behind the last."""
    goes_on: bool = False
    """Whether its first quotation goes on from the paragraph before."""
    actors: list[Subject] = field(default_factory=list)
    """Who begins a sentence of its narration."""

    @property
    def narration(self) -> str:
        """Everything that is not said."""
        return " ".join(self.between)
