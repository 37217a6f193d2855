"""A reference in the making: which seconds of a recording, and what is said in them.

Nothing here touches a project, plays or listens; the screen does, and is told what to show.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from studio.review.proposal import Proposal
from studio.sound import trimming

if TYPE_CHECKING:
    from studio.sound.preparing import Source

SHORTEST = 0.5
"""Seconds that a cut has at the least."""


@dataclass(slots=True)
class Preparation:
    """A cut of a recording and its transcript."""

    source: Source
    speech: trimming.Speech
    start: float = 0.0
    end: float = 0.0
    at_end: bool = True
    """Which edge is moved."""
    touched: bool = False
    """Whether a person has chosen the cut: then no better one is put in its place."""
    proposal: Proposal = field(default_factory=Proposal)
    typed: str = ""
    """What a person has typed in place of all the words."""
    typed_for: tuple[float, float] = (0.0, 0.0)
    """The cut that was there when it was typed."""
    heard: tuple[float, float] = (0.0, 0.0)
    """Seconds between which the listener has listened."""
    cursor: int = 0
    """Place among the words of the cut."""

    @classmethod
    def of(cls, source: Source) -> Preparation:
        """Begin with the best seconds, as far as the pauses tell."""
        found = cls(source, trimming.Speech.of(source.pcm, source.rate))
        found.best(trimming.BEST)
        return found

    # The cut.

    @property
    def seconds(self) -> float:
        """How long the cut is."""
        return self.end - self.start

    def best(self, seconds: float) -> None:
        """Take the best seconds."""
        self.start, self.end = trimming.suggest(
            self.speech, self.source.pcm, self.source.rate, seconds, self.proposal.words
        )
        self._keep_in()

    def move(self, seconds: float) -> None:
        """Move the edge that is chosen."""
        self.touched = True
        if self.at_end:
            self.end = min(self.source.seconds, max(self.start + SHORTEST, self.end + seconds))
        else:
            self.start = max(0.0, min(self.end - SHORTEST, self.start + seconds))
        self._keep_in()

    def lengthen(self, seconds: float) -> None:
        """Move the end, whichever edge is chosen."""
        edge, self.at_end = self.at_end, True
        self.move(seconds)
        self.at_end = edge

    def _keep_in(self) -> None:
        self.cursor = max(0, min(self.cursor, len(self.places) - 1))

    def objections(self) -> tuple[str, ...]:
        """What speaks against the cut."""
        cut = self.source.between(self.start, self.end)
        return trimming.check(cut, self.source.rate)

    @property
    def begun(self) -> bool:
        """Whether a person has done something that would be missed."""
        words = any(word.confirmed for word in self.proposal.words)
        return self.touched or bool(self.typed) or words

    # What is said.

    @property
    def places(self) -> list[int]:
        """Places of the cut's words in the proposal."""
        return self.proposal.within(self.start, self.end)

    @property
    def place(self) -> int | None:
        """The word under the cursor."""
        places = self.places
        return places[self.cursor] if self.cursor < len(places) else None

    def take_in(self, heard: Proposal, start: float, end: float) -> None:
        """Take over what was heard between two seconds; what a person has said stays."""
        self.proposal.merge(heard, start, end)
        self.heard = (start, end)
        if not self.touched:
            self.best(trimming.BEST)
        self._keep_in()

    def step(self, words: int) -> None:
        """Go some words on."""
        self.cursor += words
        self._keep_in()

    def next_doubtful(self) -> bool:
        """Go to the next doubtful word, around the end; False where there is none."""
        places = self.places
        return self._go_to(it for it in range(len(places)) if places[it] in self._doubtful(places))

    def confirm(self) -> bool:
        """The word under the cursor is right; go on. False where none is open any more."""
        self.touched = True
        if (place := self.place) is not None:
            self.proposal.confirm([place])
        return self.next_open()

    def next_open(self) -> bool:
        """Go to the next word that nobody has confirmed; False where there is none."""
        places = self.places
        open_ones = set(self.proposal.open(places))
        return self._go_to(it for it in range(len(places)) if places[it] in open_ones)

    def confirm_sure(self) -> int:
        """All that are not doubtful are right; how many were open."""
        places = self.places
        sure = set(self.proposal.open(places)) - set(self._doubtful(places))
        self.proposal.confirm(sure)
        return len(sure)

    def _doubtful(self, places: list[int]) -> list[int]:
        return self.proposal.doubtful(places)

    def _go_to(self, wanted: Iterable[int]) -> bool:
        """Go to the first of some places behind the cursor, else to the first of all."""
        found = [*wanted]
        if not found:
            return False
        self.cursor = next((it for it in found if it > self.cursor), found[0])
        return True

    def type_word(self, text: str) -> None:
        """What is said in place of the word under the cursor."""
        self.touched = True
        if (place := self.place) is not None:
            self.proposal.type(place, text)

    def type_all(self, text: str) -> None:
        """What is said in all of the cut; nothing to go back to the words."""
        self.typed = " ".join(text.split())
        self.typed_for = (self.start, self.end)
        self.touched = True

    @property
    def text(self) -> str:
        """What is said, as far as it is known."""
        return self.typed or self.proposal.text(self.places)

    def lacks(self) -> str:
        """Why the text cannot be kept yet, in a sentence; empty where it can."""
        if self.typed:
            moved = max(abs(self.start - self.typed_for[0]), abs(self.end - self.typed_for[1]))
            return (
                "The text was typed for another cut; read it over: {text}." if moved > 0.15 else ""
            )
        places = self.places
        if not places:
            return "Nobody has said what is said in it: {listen} listens, {text} types it."
        doubtful, left = self.proposal.doubtful(places), self.proposal.open(places)
        if doubtful:
            words = "1 word is doubtful" if len(doubtful) == 1 else f"{len(doubtful)} are doubtful"
            return f"{words}: {{words}} and {{edge}} go there, {{confirm}} says that it is right."
        if left:
            words = "1 word is" if len(left) == 1 else f"{len(left)} words are"
            return f"{words} not confirmed: read them over; {{sure}} says that they are right."
        return ""
