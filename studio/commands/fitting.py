"""What the engine of a voice can read: how long segments may be, which languages, and marks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from engine import wire
from studio.book.costs import cost_of
from studio.book.engine_marks import marks
from studio.book.limits import Limits
from studio.book.pronunciation import plain
from studio.engines import cards, hello
from studio.engines.catalogue import BUILT_IN, Catalogue
from studio.errors import StudioError
from studio.project.model import Kind, Segment, Voice
from studio.project.project import Project
from studio.wording import number_runs

_SHOWN = 20
"""So many numbers of segments are named."""
BUILT_IN_CHARS = 600
"""What the built-in engine takes at once; it is asked for nothing, so that an import is quick."""


@dataclass(frozen=True, slots=True)
class Fitting:
    """Lengths for a book."""

    limits: Limits
    """For what the narrator reads."""
    by_voice: Mapping[str, Limits]
    """For what each voice reads, by `Voice.id` and by what it was called before."""
    notices: tuple[str, ...]
    """Sentences for a person about what was assumed."""


def fitting(narrator: Voice, others: Iterable[Voice] = ()) -> Fitting:
    """The lengths that the engines of some voices take.

    Args:
        narrator: Who reads where the text names nobody.
        others: Voices that the text may name.
    """
    known: dict[str, Limits | None] = {}
    notices = []
    voices = (narrator, *others)
    for voice in voices:
        if voice.engine in known:
            continue
        limits = known[voice.engine] = limits_of(voice.engine)
        if limits is None:
            notices.append(
                f"how much the engine {voice.engine} of the voice {voice.id} takes at once is not "
                f"known here; the text is cut to the usual lengths"
            )
    return Fitting(
        known[narrator.engine] or Limits(),
        {voice.id: known[voice.engine] or Limits() for voice in voices},
        tuple(notices),
    )


def fitting_of(project: Project) -> Fitting:
    """The lengths for a book that is here: for its narrator and all its voices."""
    voices = project.voices()
    narrator = voices[project.info.voice]
    fit = fitting(narrator, [voice for voice in voices.values() if voice != narrator])
    by_name = {name: fit.by_voice[now] for name, now in project.voice_names().items()}
    return replace(fit, by_voice=by_name)


def limits_of(engine: str) -> Limits | None:
    """The lengths that an engine takes; None where nobody can tell.

    Its card is what it said when it was loaded last; else it is started, without its model.
    """
    card = cards.remembered(engine)
    if card is None and engine == BUILT_IN:
        return Limits.for_engine(BUILT_IN_CHARS)
    if card is None:
        try:
            catalogue = Catalogue.of_user()
            card = hello.card_of(catalogue[engine]) if engine in catalogue else None
        except StudioError:
            card = None
    return None if card is None else limits_for(card)


def limits_for(card: wire.Card) -> Limits:
    """The lengths that a card allows."""
    if card.max_chars <= 0:
        return Limits()
    return Limits.for_engine(card.max_chars, cost_of(card.cost), card.max_cost)


@dataclass(frozen=True, slots=True)
class TooLong:
    """Segments that the engine of their voice will refuse."""

    engine: str
    most: int
    """Characters that it reads at a time."""
    numbers: tuple[int, ...]

    def __str__(self) -> str:
        """In a sentence without its full stop."""
        one = len(self.numbers) == 1
        count = f"{len(self.numbers):,} {'segment is' if one else 'segments are'}"
        return (
            f"{count} longer than the {self.most} characters that {self.engine} reads at a time "
            f"and will fail ({few_runs(self.numbers)}): split {'it' if one else 'them'}, or "
            f"shorten the text"
        )


def too_long(segments: Iterable[Segment], voices: Mapping[str, Voice]) -> list[TooLong]:
    """What the engines of their voices will refuse of some segments.

    Only engines that were loaded here before are known; of others nothing is said.

    Args:
        segments: What is to be narrated, in the order of the book.
        voices: Of the project, by id.
    """
    by_engine: dict[str, list[Segment]] = {}
    for segment in segments:
        if segment.kind is not Kind.SCENE_BREAK and segment.voice in voices:
            by_engine.setdefault(voices[segment.voice].engine, []).append(segment)
    found = []
    for engine, its in by_engine.items():
        card = cards.remembered(engine)
        if card is not None and card.max_chars > 0:
            long = [each.number for each in its if len(plain(each.spoken)) > card.max_chars]
            if long:
                found.append(TooLong(engine, card.max_chars, tuple(long)))
    return found


@dataclass(frozen=True, slots=True)
class Marked:
    """Segments with marks that the engine of their voice would say as words."""

    engine: str
    marks: tuple[str, ...]
    numbers: tuple[int, ...]

    def __str__(self) -> str:
        """In a sentence without its full stop."""
        one = len(self.numbers) == 1
        shown = ", ".join(self.marks[:3]) + ("…" if len(self.marks) > 3 else "")
        return (
            f"{len(self.numbers):,} {'segment has' if one else 'segments have'} marks of another "
            f"engine ({shown}), which {self.engine} would say as words, and will fail "
            f"({few_runs(self.numbers)}): take the marks out, or give {'it' if one else 'them'} "
            "another voice"
        )


def marked(segments: Iterable[Segment], voices: Mapping[str, Voice]) -> list[Marked]:
    """What was typed for another engine than that of its voice, as far as its last card is known.

    Args:
        segments: What is to be narrated, in the order of the book.
        voices: Of the project, by id.
    """
    by_engine: dict[str, dict[int, tuple[str, ...]]] = {}
    for segment in segments:
        if segment.edited and segment.voice in voices and (those := marks(segment.spoken)):
            by_engine.setdefault(voices[segment.voice].engine, {})[segment.number] = those
    found = []
    for engine, its in by_engine.items():
        card = cards.remembered(engine)
        if card is not None and card.all_words:
            named = tuple(dict.fromkeys(mark for those in its.values() for mark in those))
            found.append(Marked(engine, named, tuple(its)))
    return found


@dataclass(frozen=True, slots=True)
class NotSpoken:
    """A voice in a language that its engine does not speak."""

    voice: str
    language: str
    engine: str
    languages: tuple[str, ...]
    """Those that the engine speaks."""
    numbers: tuple[int, ...]
    """Segments that the voice reads; none where it reads nothing yet."""

    def __str__(self) -> str:
        """In a sentence without its full stop."""
        count = len(self.numbers)
        fail = f"{count:,} segment{'s' * (count != 1)} will fail ({few_runs(self.numbers)}), "
        return (
            f"the voice {self.voice} reads {self.language}, and {self.engine} speaks only "
            f"{', '.join(self.languages)}: {fail if count else ''}give the voice another engine or "
            f"another language"
        )


def not_spoken(segments: Iterable[Segment], voices: Iterable[Voice]) -> list[NotSpoken]:
    """Voices whose engine does not speak their language, as far as its last card is known.

    Args:
        segments: What is to be narrated, in the order of the book.
        voices: Those to look at, each with its language.
    """
    reads: dict[str, list[int]] = {}
    for segment in segments:
        if segment.kind is not Kind.SCENE_BREAK:
            reads.setdefault(segment.voice, []).append(segment.number)
    found = []
    for voice in voices:
        card = cards.remembered(voice.engine)
        if card is None or not card.languages or not voice.language:
            continue
        # Countries are the engine's own affair: each takes any English, say, or tells it itself.
        if _root(voice.language) not in map(_root, card.languages):
            numbers = tuple(reads.get(voice.id, ()))
            found.append(NotSpoken(voice.id, voice.language, voice.engine, card.languages, numbers))
    return found


def _root(tag: str) -> str:
    """The language of a tag, without country and script."""
    return tag.partition("-")[0].lower()


def refusals(segments: Sequence[Segment], voices: Mapping[str, Voice]) -> list[str]:
    """Sentences, without full stops, on what engines will refuse of some segments.

    Args:
        segments: What is to be narrated, in the order of the book.
        voices: Of the project, by id.
    """
    reading = {it.voice for it in segments}
    those = [voice for name, voice in voices.items() if name in reading]
    found = (
        *too_long(segments, voices),
        *not_spoken(segments, those),
        *marked(segments, voices),
    )
    return [str(it) for it in found]


def refusals_of(project: Project, voice: str) -> list[str]:
    """What the engine of a voice, just given or changed, will refuse; sentences as `refusals`."""
    voices = project.voices()
    its = [segment for segment in project.segments() if segment.voice == voice]
    found = (
        *too_long(its, voices),
        *not_spoken(its, [voices[voice]]),
        *marked(its, voices),
    )
    return [str(it) for it in found]


def few_runs(numbers: Sequence[int]) -> str:
    """Numbers with their runs folded, the first of them where they are many."""
    return number_runs(numbers[:_SHOWN]) + ("…" if len(numbers) > _SHOWN else "")
