"""From what stands beside the quotations to who says them, for `studio.book.attribution`."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from studio.book.quotations import Span
from studio.book.speech_words import PERCEIVES, STOPS
from studio.book.tags import (
    Subject,
    Tag,
    Token,
    acting,
    gender_of,
    sentences,
    subject_at,
    tag_after,
    tag_before,
    words,
)

LOOK_BACK = 5
"""Paragraphs in which a pronoun looks for whom it means."""
LONGEST_TURNS = 4
"""Quotations without a name that are counted off before two people’s turns are lost."""
ENOUGH_VOTES = 2
"""How often a book must use a pronoun for somebody before it tells their gender."""

_PERSON = re.compile(
    r"\b(?:the|a|an|another) (?:[a-z]+ ){0,2}?"
    r"(man|woman|boy|girl|lady|gentleman|lad|lass|fellow|stranger|child|mother|father)\b",
    re.IGNORECASE,
)


_CLAUSE = re.compile(r"\b(?:and|but|while|as|when|then|until|before)\s+|;\s*")


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


def read_tags(paragraph: Paragraph, people: People, introduction: str = "") -> None:
    """Take what stands beside each quotation, and who acts in the narration.

    Args:
        paragraph: Its quotations get what stands beside them.
        people: Who is met in it is noted there.
        introduction: The paragraph before, where that ends with “he said:” and is no speech.
    """
    for place, quote in enumerate(paragraph.quotes):
        before = paragraph.between[place]
        if not place and quote.span.start == 0:
            before = introduction
        if place and before[:1] == ",":
            before = before[1:]
        tag = tag_after(quote.inner, paragraph.between[place + 1]) or tag_before(
            before, quote.inner
        )
        if tag is not None:
            _note(quote, tag, people)
    for chunk in paragraph.between:
        for sentence in sentences(chunk):
            if (subject := acting(sentence)) is not None:
                paragraph.actors.append(subject)


def _note(quote: Quote, tag: Tag, people: People) -> None:
    subject = tag.subject
    if subject.name:
        quote.take(people.meet(subject), tag.evidence, Confidence.NAMED)
    elif subject.pronoun:
        quote.pronoun, quote.gender = tag.evidence, subject.gender
    else:
        quote.other = True


class Scene:
    """The paragraphs of a chapter, and who speaks in them."""

    def __init__(self, paragraphs: Sequence[Paragraph | None], people: People) -> None:
        """None stands for what ends a conversation."""
        self._paragraphs = paragraphs
        self._people = people

    def resolve(self) -> None:
        """From the most certain to the least."""
        present = [paragraph for paragraph in self._paragraphs if paragraph]
        self._settle(present)
        for place in range(len(self._paragraphs)):
            self._read_pronouns(place)
        self._settle(present)
        for paragraph in present:
            self._read_acts(paragraph)
        self._settle(present)
        self._take_turns()
        self._settle(present)

    def _settle(self, present: Sequence[Paragraph]) -> None:
        """Let what is known hold for the rest of each speech."""
        for paragraph in present:
            self._spread(paragraph)
        self._hand_on()

    def _spread(self, paragraph: Paragraph) -> None:
        """One paragraph has one speaker, unless it names two."""
        quotes = paragraph.quotes
        names = {key(quote.speaker) for quote in quotes if quote.speaker}
        if len(names) != 1 or any(quote.other for quote in quotes):
            return
        name = next(iter(names))
        source = next(quote for quote in quotes if quote.speaker)
        actors = {key(actor.name) for actor in paragraph.actors if self._people.knows(actor)}
        actors |= self._also_acting(paragraph)
        if actors - names or source.confidence is None:
            return
        own = self._people.gender(name)
        for quote in quotes:
            if not quote.speaker and (not quote.gender or own in ("", quote.gender)):
                quote.take(source.speaker, source.evidence, source.confidence)

    def _also_acting(self, paragraph: Paragraph) -> set[str]:
        """Who acts in a later clause: “Peter said, and Ann laughed.”"""
        found: set[str] = set()
        for sentence in (it for chunk in paragraph.between for it in sentences(chunk)):
            for clause in _CLAUSE.split(sentence)[1:]:
                subject = subject_at(words(clause), 0, closed=False)
                if subject is not None and self._people.knows(subject):
                    found.add(key(subject.name))
        return found

    def _hand_on(self) -> None:
        """A speech that goes on in the next paragraph has one speaker, in both directions."""
        order = list(zip(self._paragraphs, self._paragraphs[1:], strict=False))
        for first, second in order:
            if first and second and second.goes_on:
                self._copy(first.quotes[-1], second.quotes[0])
                self._spread(second)
        for first, second in reversed(order):
            if first and second and second.goes_on:
                self._copy(second.quotes[0], first.quotes[-1])
                self._spread(first)

    def _copy(self, known: Quote, quote: Quote) -> None:
        if known.speaker and known.confidence is not None and not quote.speaker:
            quote.take(known.speaker, known.evidence, known.confidence)

    # Pronouns.

    def _read_pronouns(self, place: int) -> None:
        """A pronoun means somebody only where nobody else can be meant."""
        paragraph = self._paragraphs[place]
        for quote in paragraph.quotes if paragraph else ():
            if not quote.pronoun or quote.speaker or paragraph is None:
                continue
            meant = self._who_acts(paragraph, quote.gender)
            if meant is None:
                meant = self._only_one(self._around(place), quote.gender)
            if meant:
                name = self._people.names[meant]
                quote.take(name, f"{quote.pronoun}: {name}", Confidence.PRONOUN)

    def _who_acts(self, paragraph: Paragraph, gender: str) -> str | None:
        """Who alone acts in a paragraph; None where nobody does, empty where it is not certain."""
        acting_here = {key(actor.name) for actor in paragraph.actors if actor.name}
        people = {known for known in acting_here if known in self._people.names}
        mentioned = self._people.in_text(paragraph.narration) | _strangers(paragraph.narration)
        if not people and not mentioned:
            return None
        fitting = [it for it in mentioned if self._gender(it) in ("", gender)]
        if not fitting:
            return None
        sure = len(fitting) == 1 and fitting[0] in people
        return fitting[0] if sure else ""

    def _only_one(self, around: Sequence[Paragraph], gender: str) -> str:
        """The only one in a stretch of text whom a pronoun can mean."""
        found: set[str] = set()
        for paragraph in around:
            found |= {key(quote.speaker) for quote in paragraph.quotes if quote.speaker}
            found |= self._people.in_text(paragraph.narration) | _strangers(paragraph.narration)
        found.discard("i")
        fitting = [it for it in found if self._gender(it) in ("", gender)]
        if len(fitting) != 1 or fitting[0] not in self._people.names:
            return ""
        # Of unknown gender it may be somebody whom nobody has named yet, unless two are talking.
        certain = self._gender(fitting[0]) == gender or len(found) == 2
        return fitting[0] if certain else ""

    def _gender(self, known: str) -> str:
        return self._people.gender(known)

    def _around(self, place: int) -> list[Paragraph]:
        """A paragraph and those before it, as far as the scene goes."""
        found: list[Paragraph] = []
        for paragraph in reversed(self._paragraphs[max(0, place - LOOK_BACK) : place + 1]):
            if paragraph is None:
                break
            found.append(paragraph)
        return found

    # Acts.

    def _read_acts(self, paragraph: Paragraph) -> None:
        """“Tam put down the lamp. ‘There’s a door.’”: who acts beside it says it."""
        quotes = paragraph.quotes
        if not quotes or any(it.speaker or it.other for it in quotes):
            return
        named = {key(actor.name) for actor in paragraph.actors if actor.name}
        if len(named) != 1 or not named <= self._people.names.keys():
            return
        narration = paragraph.narration
        others = (self._people.in_text(narration) | _strangers(narration)) - named
        person = next(iter(named))
        spoken_of = {token.low for token in words(narration)}
        if others or spoken_of & PERCEIVES or not _all_of(spoken_of, self._gender(person)):
            return
        told = {it.gender for it in quotes} | {it.gender for it in paragraph.actors if it.pronoun}
        own = self._gender(person)
        if own and told - {"", own}:
            return
        beside = (it for chunk in paragraph.between for it in sentences(chunk))
        evidence = next(it for it in beside if (who := acting(it)) and who.name)
        quotes[0].take(self._people.names[person], evidence.strip(), Confidence.BESIDE)

    # Turns.

    def _take_turns(self) -> None:
        """Two who alternate: what stands between their names goes to one and the other."""
        run: list[list[Paragraph]] = []
        for paragraph in [*self._paragraphs, None]:
            if paragraph is None or not paragraph.quotes:
                if len(run) > 2:
                    self._alternate(run)
                run = []
            elif paragraph.goes_on and run:
                run[-1].append(paragraph)
            else:
                run.append([paragraph])

    def _alternate(self, run: Sequence[Sequence[Paragraph]]) -> None:
        speakers = [_speaker(turn) for turn in run]
        for place, turn in enumerate(run):
            if speakers[place] != "":
                continue
            pair = _whose_turn(speakers, place)
            if pair is None or not self._may_say(turn, pair[0]):
                continue
            name, partner = (self._people.names.get(known, known) for known in pair)
            for quote in turn[0].quotes:
                quote.take(name, f"{name} and {partner} take turns", Confidence.TURN)

    def _may_say(self, turn: Sequence[Paragraph], known: str) -> bool:
        """Whether nothing in a turn speaks against somebody."""
        own = self._gender(known)
        for paragraph in turn:
            told = {quote.gender for quote in paragraph.quotes if quote.gender}
            if told and told != {own}:
                return False
            if any(actor.name and key(actor.name) != known for actor in paragraph.actors):
                return False
        return True


def _speaker(turn: Sequence[Paragraph]) -> str | None:
    """Who has a turn: a key, empty where nobody is known, None where it is not one person’s."""
    quotes = [quote for paragraph in turn for quote in paragraph.quotes]
    if any(quote.other for quote in quotes):
        return None
    names = {key(quote.speaker) for quote in quotes}
    return next(iter(names)) if len(names) == 1 else None


def _whose_turn(speakers: Sequence[str | None], place: int) -> tuple[str, str] | None:
    """Whose turn it is, and who the other is, where the turns around agree."""
    same: set[str] = set()
    other: set[str] = set()
    nearest = LONGEST_TURNS + 1
    for step in (-1, 1):
        for away in range(1, LONGEST_TURNS + 2):
            at = place + step * away
            if not 0 <= at < len(speakers) or (found := speakers[at]) is None:
                break
            if found:
                (other if away % 2 else same).add(found)
                nearest = min(nearest, away)
    if len(same) != 1 or len(other) != 1 or same == other or nearest > LONGEST_TURNS:
        return None
    return same.pop(), other.pop()


def _all_of(low: set[str], gender: str) -> bool:
    """Whether the pronouns of a text can all mean one person, of a gender or of none known."""
    men, women = low & {"he", "his", "him"}, low & {"she", "her", "hers"}
    return not (men and (women or gender == "f")) and not (women and gender == "m")


def _strangers(narration: str) -> set[str]:
    """People whom a text mentions by what they are."""
    return {key(match[0]) for match in _PERSON.finditer(narration)}
