"""From what stands beside the quotations to who says them, for `studio.book.attribution`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from studio.book.people import People, key, strangers
from studio.book.quotations import Confidence, Paragraph, Quote
from studio.book.speech_words import PERCEIVES
from studio.book.subjects import acting, sentences, subject_at, words
from studio.book.tags import Tag, tag_after, tag_before

LOOK_BACK = 5
"""Paragraphs in which a pronoun looks for whom it means."""
LONGEST_TURNS = 4
"""Quotations without a name that are counted off before two people’s turns are lost."""


_CLAUSE = re.compile(r"\b(?:and|but|while|as|when|then|until|before)\s+|;\s*")


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
        mentioned = self._people.in_text(paragraph.narration) | strangers(paragraph.narration)
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
            found |= self._people.in_text(paragraph.narration) | strangers(paragraph.narration)
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
        others = (self._people.in_text(narration) | strangers(narration)) - named
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
