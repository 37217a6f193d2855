"""A cast in the making: who says which segments, who reads whom, and what applying it changes.

Nothing here touches the project before `apply`, which is one step of its history.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.book.attribution import Attribution, Line, Said, attribute
from studio.book.joining import aligned, parted
from studio.errors import BadInput
from studio.project.model import Change, Segment
from studio.project.project import Project

NOBODY = "dialogue, nobody named"
"""What is said by nobody knows whom."""
OTHERS = "all dialogue without a voice"
"""What is said by those who have got no voice of their own, nobody included."""
NARRATION = "narration"
"""Prose, headings and verse in which nothing is said."""
SPECIAL = (NOBODY, OTHERS, NARRATION)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What applying a cast does."""

    voices: Mapping[str, str]
    """`Voice.id` by uid, for whole segments that get another."""
    pieces: Mapping[str, tuple[tuple[int, str], ...]]
    """For a segment that is split: where each piece begins, and its voice, empty to leave it."""
    cast: Mapping[str, str]
    """`Voice.id` by speaker, to be remembered."""


@dataclass(slots=True)
class Cast:
    """Who says what, and who reads whom."""

    segments: Sequence[Segment]
    """Those that are cast, in the order of the book."""
    found: Mapping[str, Attribution]
    """What is said in a segment, by uid."""
    voices: dict[str, str] = field(default_factory=dict)
    """`Voice.id` by speaker, or by one of `SPECIAL`."""
    split: bool = False
    """Whether segments of both speech and narration are split at the quotation marks."""
    left_out: set[str] = field(default_factory=set)
    """Uids of lines that a person has ticked off."""
    corrected: dict[str, str] = field(default_factory=dict)
    """Who says a segment, where a person said so."""
    renamed: dict[str, str] = field(default_factory=dict)
    """New names of speakers."""

    @property
    def choices(self) -> tuple[object, ...]:
        """Everything that a person has chosen, to be compared with what it was."""
        kept = self.voices, self.corrected, self.renamed
        return (self.split, frozenset(self.left_out), *(frozenset(it.items()) for it in kept))

    def role(self, uid: str) -> str:
        """Who says a segment: a name, or one of `SPECIAL`."""
        if (told := self.corrected.get(uid)) is not None:
            return told
        attribution = self.found.get(uid)
        if attribution is None:
            return NARRATION
        return self.named(attribution.speaker) or NOBODY

    def named(self, speaker: str) -> str:
        """A speaker by the name that a person has given."""
        return self.renamed.get(speaker, speaker)

    def lines(self) -> dict[str, list[Segment]]:
        """The segments of each speaker, those with the most first, then those of `SPECIAL`."""
        by: dict[str, list[Segment]] = {}
        for segment in self.segments:
            for role in self._roles(segment):
                by.setdefault(role, []).append(segment)
        names = sorted((n for n in by if n not in SPECIAL), key=lambda n: (-len(by[n]), n))
        others = [
            segment
            for segment in self.segments
            if (role := self.role(segment.uid)) != NARRATION and role not in self.voices
        ]
        special = {NOBODY: by.get(NOBODY, []), OTHERS: others, NARRATION: by.get(NARRATION, [])}
        return {name: by[name] for name in names} | special

    def _roles(self, segment: Segment) -> Sequence[str]:
        """Who says a segment; where it will be split, each one who says a part of it."""
        attribution = self.found.get(segment.uid)
        if not self.split or attribution is None or segment.uid in self.corrected:
            return (self.role(segment.uid),)
        return list(dict.fromkeys(self._speaker(said) for said in attribution.said))

    def voice_of(self, role: str) -> str:
        """Who reads a role; empty where its segments keep what they have."""
        own = self.voices.get(role, "")
        return own or ("" if role == NARRATION else self.voices.get(OTHERS, ""))

    def rename(self, old: str, new: str) -> None:
        """Give a speaker another name; one that is there already merges both."""
        for speaker in {self.found[uid].speaker for uid in self.found} | {
            said.speaker for it in self.found.values() for said in it.said
        }:
            if speaker and self.named(speaker) == old:
                self.renamed[speaker] = new
        for uid, role in self.corrected.items():
            if role == old:
                self.corrected[uid] = new
        voice = self.voices.pop(old, "")
        if voice:
            self.voices.setdefault(new, voice)

    def wanted(self) -> Wanted:
        """What applying would change."""
        voices: dict[str, str] = {}
        pieces: dict[str, tuple[tuple[int, str], ...]] = {}
        for segment in self.segments:
            if segment.uid in self.left_out:
                continue
            parts = self._pieces(segment) if self.split else ()
            if len(parts) > 1 and any(voice not in ("", segment.voice) for _, voice in parts):
                pieces[segment.uid] = parts
                continue
            voice = self.voice_of(self.role(segment.uid))
            if voice and voice != segment.voice:
                voices[segment.uid] = voice
        cast = {name: voice for name, voice in self.voices.items() if name not in SPECIAL}
        return Wanted(voices, pieces, cast)

    def _pieces(self, segment: Segment) -> tuple[tuple[int, str], ...]:
        """Where a segment is split, and who reads each piece; one piece where it cannot be."""
        attribution = self.found.get(segment.uid)
        if attribution is None or segment.inserted:
            return ()
        if not attribution.mixed and len(set(map(self._speaker, attribution.said))) < 2:
            return ()
        own = self.corrected.get(segment.uid)
        narrator = self.voice_of(NARRATION)
        marks: list[tuple[int, str]] = []
        at = 0
        for said in attribution.said:
            if _words(segment.source[at : said.start]):
                marks.append((at, narrator))
            marks.append((said.start, self.voice_of(own or self._speaker(said))))
            at = _next_word(segment.source, said.end)
        if _words(segment.source[at:]):
            marks.append((at, narrator))
        parts = tuple((0 if place == 0 else start, v) for place, (start, v) in enumerate(marks))
        return parts if _can_be_cut(segment, [start for start, _ in parts[1:]]) else ()

    def _speaker(self, said: Said) -> str:
        return self.named(said.speaker) or NOBODY


def find(segments: Sequence[Segment], language: str) -> dict[str, Attribution]:
    """Who says what in a book, by uid; takes its time with a long one."""
    chapters: dict[int, list[Segment]] = {}
    for segment in segments:
        chapters.setdefault(segment.chapter, []).append(segment)
    lines = [[Line(it.kind, it.source, it.ends_paragraph) for it in c] for c in chapters.values()]
    found = attribute(lines, language)
    return {
        segment.uid: attribution
        for chapter, attributions in zip(chapters.values(), found, strict=True)
        for segment, attribution in zip(chapter, attributions, strict=True)
        if attribution is not None
    }


def apply(project: Project, wanted: Wanted, label: str) -> Change:
    """Let the voices of a cast read, as one step; splits first where they are wanted.

    Raises:
        BadInput: Something has changed meanwhile so that it cannot be; nothing was changed.
    """
    if not wanted.pieces:
        return project.set_voices(wanted.voices, label, cast=wanted.cast)

    def steps(project: Project) -> None:
        voices = dict(wanted.voices)
        project.split_each(
            {uid: [start for start, _ in parts[1:]] for uid, parts in wanted.pieces.items()}
        )
        chapters = {it.chapter for it in project.segments_by_uid(wanted.pieces).values()}
        for chapter in sorted(chapters):
            segments = project.segments(chapter)
            for place, segment in enumerate(segments):
                for step, (_, voice) in enumerate(wanted.pieces.get(segment.uid, ())):
                    if voice:
                        voices[segments[place + step].uid] = voice
        project.set_voices(voices, label, cast=wanted.cast)

    return project.together(label, steps)


def _words(text: str) -> bool:
    return any(char.isalnum() for char in text)


def _next_word(text: str, at: int) -> int:
    """Where the next word begins: the marks behind a quotation stay with it."""
    while at < len(text) and not text[at].isalnum() and text[at] not in "“‘«„\"'([":
        at += 1
    return at


def _can_be_cut(segment: Segment, places: Sequence[int]) -> bool:
    """Whether a segment can be cut exactly there, from the last place to the first.

    A text that somebody has typed may have no words for a part: such a segment is read whole.
    """
    source, typed = segment.source, segment.spoken if segment.edited else None
    try:
        for at in reversed(places):
            if typed is not None:
                typed, rest = parted(typed, aligned(source, typed, at))
                if not (_words(typed) and _words(rest)):
                    return False
            source, _ = parted(source, at)
    except BadInput:
        return False
    return True
