"""The book as it is, and a new edition, each as one text that knows what stands where."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from studio.book.aligning import BREAK, Stream, offsets
from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.joining import joined
from studio.book.kinds import Kind
from studio.project.asking import Asked, Had
from studio.project.removed import Removed, laid_out


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """A segment of the book as it is."""

    place: int
    """Its place in the book, 0 for the first."""
    uid: str
    chapter: int
    kind: Kind
    source: str
    base: str
    """What the reading rules have made of it."""
    override: str | None
    ends: bool
    own: bool
    """Whether a person has put it in."""
    language: str = ""
    """Where it is another than the book's."""
    voice: str = ""
    pause_ms: int | None = None
    asked: Asked | None = None
    """What its edition has asked for; None where nobody knows."""

    @property
    def had(self) -> Had:
        """What it has of what an edition may ask for."""
        return Had(self.kind, self.voice, self.pause_ms)


@dataclass(slots=True, eq=False)
class Item:
    """A segment of the book as it will be."""

    line: Line | None
    """What it is now; None for a new one."""
    source: str
    draft: SegmentDraft | None
    """The draft that its text begins in, None where the text does not change."""
    whole: bool = False
    """Whether its text is that of the whole draft."""
    last: SegmentDraft | None = None
    """The draft that its text ends with, where it ends as that does."""
    over: tuple[SegmentDraft, ...] = ()
    """The drafts that its text stands in; none for what a person has put in."""
    ends: bool = False
    moved: bool = False

    @property
    def changed(self) -> bool:
        """Whether it is a segment that gets another text."""
        return self.line is not None and self.draft is not None


class Book:
    """The book as it is, as one text."""

    def __init__(self, lines: Sequence[Line], removed: Sequence[Removed]) -> None:
        within: defaultdict[str, list[Removed]] = defaultdict(list)
        for each in removed:
            within[each.segment].append(each)
        self.owners: list[Line | Removed] = []
        """What each piece of the text belongs to."""
        self.parts: dict[str, list[int]] = defaultdict(list)
        """The pieces of each segment, by uid."""
        self.lines = [line for line in lines if not line.own]
        pieces: list[tuple[str, bool]] = []

        def add(owner: Line | Removed, text: str, ends: bool) -> None:
            if text.strip() or owner.kind is Kind.SCENE_BREAK:
                self.owners.append(owner)
                pieces.append((text if text.strip() else BREAK, ends))

        for each in within[""]:
            add(each, each.source, each.ends_paragraph)
        for line in self.lines:
            for part in laid_out(line.source, within[line.uid]):
                if isinstance(part, Removed):
                    add(part, part.source, part.ends_paragraph)
                    continue
                self.parts[line.uid].append(len(pieces))
                add(line, part, False)
            pieces[self.parts[line.uid][-1]] = (pieces[self.parts[line.uid][-1]][0], line.ends)
        self.stream = Stream.of(pieces)


class Text:
    """The new edition as one text."""

    def __init__(self, chapters: Sequence[ChapterDraft]) -> None:
        self.titles = [chapter.title for chapter in chapters]
        self.drafts = [draft for chapter in chapters for draft in chapter.segments]
        self.chapter = [number for number, chapter in enumerate(chapters) for _ in chapter.segments]
        self.stream = Stream.of(
            (BREAK if draft.kind is Kind.SCENE_BREAK else draft.source, draft.ends_paragraph)
            for draft in self.drafts
        )
        self.starts = {start: place for place, start in enumerate(self.stream.starts)}
        self.ends = {end: place for place, end in enumerate(self.stream.ends)}

    def at(self, place: int) -> int:
        """The draft that a character stands in."""
        return bisect_right(self.stream.starts, place) - 1

    def source(self, start: int, end: int) -> str:
        """What the edition says between two places, as it is written there."""
        text = ""
        paragraph = True
        for place in range(self.at(start), self.at(end - 1) + 1):
            draft = self.drafts[place]
            first = max(start - self.stream.starts[place], 0)
            last = min(end, self.stream.ends[place]) - self.stream.starts[place]
            part = draft.source
            if first or last < self.stream.ends[place] - self.stream.starts[place]:
                where = offsets(part)
                part = part[where[first] : where[last - 1] + 1].strip()
            text = joined(text, part, paragraph=paragraph) if text else part
            paragraph = not draft.ends_paragraph
        return text

    def item(self, line: Line | None, spans: Sequence[tuple[int, int]]) -> Item:
        """A segment with the text of some places."""
        first, last = self.at(spans[0][0]), self.at(spans[-1][1] - 1)
        start, end = spans[0][0], spans[-1][1]
        source = ""
        for place, span in enumerate(spans):
            part = self.source(*span)
            source = joined(source, part) if place else part
        if source == BREAK:
            source = ""
        reaches = end == self.stream.ends[last]
        return Item(
            line,
            source,
            self.drafts[first],
            whole=len(spans) == 1
            and first == last
            and reaches
            and start == self.stream.starts[first],
            last=self.drafts[last] if reaches else None,
            over=tuple(self.drafts[first : last + 1]),
            ends=reaches and self.drafts[last].ends_paragraph,
        )
