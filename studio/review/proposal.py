"""A transcript in the making: words as a listener has them, until a person has confirmed each.

A listener's text is a proposal and nothing more. What a person has typed or confirmed is never
overruled by it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from studio.book.kinds import Kind
from studio.book.speaking import speak
from studio.sound.trimming import Timed

DOUBTFUL = 0.6
"""A word that the listener is less sure of is one to look at."""
_SLACK = 0.08
"""Seconds that a word may stand out of a cut and still belong to it."""
_SIGNS = re.compile(r"[\d$£€%&@#+=/]")
"""What is read otherwise than it is written: the listener heard words, not figures."""


@dataclass(frozen=True, slots=True)
class SaidWord:
    """One word, and what is known of it."""

    text: str
    start: float
    """Seconds from the beginning of the recording."""
    end: float
    probability: float
    confirmed: bool = False
    """Whether a person has said that this is what is said."""
    guessed: bool = False
    """Whether figures or signs were put into words for it."""

    @property
    def doubtful(self) -> bool:
        """Whether a person should look at it first."""
        return not self.confirmed and (self.guessed or self.probability < DOUBTFUL)


@dataclass(slots=True)
class Proposal:
    """The words of a recording."""

    words: list[SaidWord] = field(default_factory=list)
    """In their order."""

    @classmethod
    def of(cls, heard: Iterable[Timed], language: str = "en", offset: float = 0.0) -> Proposal:
        """What a listener has heard, with figures in words.

        Args:
            heard: Its words.
            language: Of the recording.
            offset: Seconds at which what it heard begins in the recording.
        """
        return cls([_said(it, language, offset) for it in heard])

    def within(self, start: float, end: float) -> list[int]:
        """Places of the words that are said between two seconds."""
        return [
            place
            for place, it in enumerate(self.words)
            if start - _SLACK <= (it.start + it.end) / 2 <= end + _SLACK
        ]

    def text(self, places: Sequence[int]) -> str:
        """What is said, as the words stand now."""
        return " ".join(it for place in places if (it := self.words[place].text))

    def open(self, places: Sequence[int]) -> list[int]:
        """Those that nobody has confirmed."""
        return [place for place in places if not self.words[place].confirmed]

    def doubtful(self, places: Sequence[int]) -> list[int]:
        """Those to look at first."""
        return [place for place in places if self.words[place].doubtful]

    def confirm(self, places: Iterable[int]) -> None:
        """A person says that these are right."""
        for place in places:
            self.words[place] = replace(self.words[place], confirmed=True)

    def type(self, place: int, text: str) -> None:
        """A person types what is said there; nothing for a word that nobody says."""
        typed = " ".join(text.split())
        self.words[place] = replace(self.words[place], text=typed, confirmed=True, guessed=False)

    def merge(self, newer: Proposal, start: float, end: float) -> None:
        """Take over what was heard between two seconds; what a person has confirmed there stays."""
        kept = [
            it for it in self.words if it.confirmed or not start <= (it.start + it.end) / 2 <= end
        ]
        taken = [(it.start, it.end) for it in kept if it.confirmed]
        added = [
            it
            for it in newer.words
            if not any(begin < (it.start + it.end) / 2 < stop for begin, stop in taken)
        ]
        self.words = sorted([*kept, *added], key=lambda it: (it.start, it.end))


def _said(word: Timed, language: str, offset: float) -> SaidWord:
    text, guessed = word.text, False
    if _SIGNS.search(text):
        # The marks stay at its end; what is between them is read as a book's figures are.
        spoken = speak(text, Kind.PROSE, language).strip()
        text, guessed = spoken or text, True
    return SaidWord(text, word.start + offset, word.end + offset, word.probability, guessed=guessed)


def marked(proposal: Proposal, places: Sequence[int]) -> str:
    """The words in a line, doubtful ones in ⟨ ⟩."""
    return " ".join(
        f"⟨{it.text}⟩" if it.doubtful else it.text
        for it in (proposal.words[place] for place in places)
        if it.text
    )
