"""Who says each quotation of a chapter, as far as the text makes it certain.

In the order of certainty: somebody is *named* beside the quotation (“said the miller”); a *pronoun*
there can only mean one person; two people take *turns*, and this is the turn of one of them;
somebody known acts in the same paragraph, *beside* what is said. Whatever is less certain stays
unknown: a wrong voice costs more than a question. Only English has these rules; of other languages
only the quotation marks are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from studio.book.kinds import Kind
from studio.book.marks import DIALOGUE_DASHES, speakable
from studio.book.people import People, key
from studio.book.quotations import Confidence as Confidence
from studio.book.quotations import Marks, Paragraph, Quote, Span
from studio.book.speakers import Scene, read_tags
from studio.book.speech_words import TITLES
from studio.book.tags import tag_after

_MARKS = "“”„‚‘’\"'«»「」『』"


@dataclass(frozen=True, slots=True)
class Line:
    """A segment, as far as this needs to know it."""

    kind: Kind
    source: str
    ends_paragraph: bool


@dataclass(frozen=True, slots=True)
class Said:
    """A quotation, or the part of one that stands in a segment."""

    start: int
    """Its first character in the segment’s source text, the mark included."""
    end: int
    speaker: str
    """Such as ``Dr. Harrow`` or ``the miller``; empty where nobody is certain."""
    evidence: str
    """The words that tell, or which turn it is."""
    confidence: Confidence | None


@dataclass(frozen=True, slots=True)
class Attribution:
    """What is said in a segment, and by whom."""

    said: tuple[Said, ...]
    mixed: bool
    """Whether there is narration beside the quotations."""

    @property
    def speaker(self) -> str:
        """Who says all that is said here; empty where that is not certain."""
        names = {key(said.speaker) for said in self.said}
        return self.said[0].speaker if len(names) == 1 else ""

    @property
    def evidence(self) -> str:
        """The words that tell."""
        return self.said[0].evidence if self.speaker else ""

    @property
    def confidence(self) -> Confidence | None:
        """By what it is known."""
        return self.said[0].confidence if self.speaker else None


def attribute(
    chapters: Sequence[Sequence[Line]], language: str = "en"
) -> tuple[tuple[Attribution | None, ...], ...]:
    """Find who says what in a book.

    Args:
        chapters: Their segments, in order. What one chapter tells of somebody helps in another.
        language: BCP 47 tag; in another language than English nobody is named.

    Returns:
        For each segment of each chapter what is said in it; None where nothing is.
    """
    book = [_paragraphs(lines) for lines in chapters]
    whole = Marks.of([it.text for paragraphs in book for it in paragraphs if it])
    for paragraphs in book:
        marks = Marks.of([paragraph.text for paragraph in paragraphs if paragraph])
        if marks.style == "single" and whole.style != "single":
            marks = Marks("")  # a chapter in which nobody speaks, with apostrophes
        for paragraph in paragraphs:
            if paragraph is not None:
                _find_quotes(paragraph, marks)
        _continue(paragraphs)
    if language.lower().replace("_", "-").split("-")[0] == "en":
        people = People()
        for paragraphs in book:
            introduction = ""
            for paragraph in paragraphs:
                if paragraph is not None:
                    read_tags(paragraph, people, introduction)
                introduction = _introduction(paragraph)
        for paragraphs in book:
            people.learn(paragraphs)
        for paragraphs in book:
            Scene(paragraphs, people).resolve()
    return tuple(
        _by_line(lines, paragraphs) for lines, paragraphs in zip(chapters, book, strict=True)
    )


def proposals(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of names that may be one person: “Tam” and “Tam Lin”, “Harrow” and “Dr. Harrow”.

    Only a person can tell; nothing is put together here.
    """
    known = sorted(set(names))
    parts = {name: _essence(name) for name in known}
    return tuple(
        (short, long)
        for short in known
        for long in known
        if short != long and parts[short] and _within(parts[short], parts[long], short, long)
    )


def _essence(name: str) -> tuple[str, ...]:
    """A name without titles and articles."""
    low = [part.rstrip(".").lower() for part in name.split()]
    return tuple(part for part in low if part not in TITLES and part not in ("the", "a", "an"))


def _within(short: tuple[str, ...], long: tuple[str, ...], one: str, other: str) -> bool:
    if short == long:
        return one < other
    return len(short) < len(long) and (long[: len(short)] == short or long[-len(short) :] == short)


# Paragraphs and their quotations.


def _paragraphs(lines: Sequence[Line]) -> list[Paragraph | None]:
    """Segments as paragraphs again; None for what ends a conversation: a heading, a break."""
    found: list[Paragraph | None] = []
    open_: Paragraph | None = None
    for number, line in enumerate(lines):
        if line.kind not in (Kind.PROSE, Kind.DIALOGUE) or not line.source:
            open_ = None
            found.append(None)
            continue
        if open_ is None:
            open_ = Paragraph("", [])
            found.append(open_)
        gap = " " if open_.text else ""
        start = len(open_.text) + len(gap)
        open_.text += gap + line.source
        open_.parts.append((number, start, len(open_.text)))
        if line.ends_paragraph:
            open_ = None
    return found


def _find_quotes(paragraph: Paragraph, marks: Marks) -> None:
    text = paragraph.text
    at = 0
    for span in marks.find(text):
        inner = text[span.start : span.end].strip(_MARKS + " ")
        if marks.style == "dash" or text[span.start] in DIALOGUE_DASHES:
            _find_behind_dash(paragraph, span)
            return
        if not _is_speech(text, span, inner):
            continue
        paragraph.between.append(text[at : span.start])
        paragraph.quotes.append(Quote(span, inner))
        at = span.end
    paragraph.between.append(text[at:])


_DASH_TAG = re.compile(r"(?<=[,!?.…])\s+(?=(?:[a-z]+ed|said|says|cried|[a-z]+s|he|she)\s)")


def _find_behind_dash(paragraph: Paragraph, span: Span) -> None:
    """Speech behind a dash has no end of its own: a tag of saying is looked for in it."""
    text = paragraph.text
    inner = text.lstrip(DIALOGUE_DASHES + " ")
    quote = Quote(span, inner)
    for match in _DASH_TAG.finditer(text):
        said = text[: match.start()]
        if tag_after(said, text[match.end() :]):
            quote.inner = said
            paragraph.between = ["", text[match.end() :]]
            break
    else:
        paragraph.between = ["", ""]
    paragraph.quotes = [quote]


def _is_speech(text: str, span: Span, inner: str) -> bool:
    """Whether marks hold something said and not a word in quotation marks."""
    if not speakable(inner):
        return False
    before = text[: span.start].rstrip()
    if not before or not span.closed:
        return True
    last = inner[-1:]
    if before[-1] in ',:;.!?…—–-”’"»':
        return last in ",.!?…—–-:;" or text[span.end : span.end + 1] in (",", ".")
    # In the midst of a sentence: a word in quotation marks, unless it is a sentence of its own.
    return inner[:1].isupper() and last in ".!?…,"


def _introduction(paragraph: Paragraph | None) -> str:
    """A paragraph that ends with a colon, or with a comma and a dash: speech follows."""
    if paragraph is None or paragraph.quotes:
        return ""
    text = paragraph.text.rstrip(" -—–")
    return text if text[-1:] in (":", ",") else ""


def _continue(paragraphs: Sequence[Paragraph | None]) -> None:
    """A speech of several paragraphs is closed in the last one only."""
    before: Paragraph | None = None
    for paragraph in paragraphs:
        if (
            before
            and paragraph
            and before.quotes
            and paragraph.quotes
            and not before.quotes[-1].span.closed
            and paragraph.quotes[0].span.start == 0
        ):
            paragraph.goes_on = True
        before = paragraph


# The result.


def _by_line(
    lines: Sequence[Line], paragraphs: Sequence[Paragraph | None]
) -> tuple[Attribution | None, ...]:
    """Quotations as they stand in the segments."""
    found: list[Attribution | None] = [None] * len(lines)
    for paragraph in paragraphs:
        if paragraph is None:
            continue
        for number, start, end in paragraph.parts:
            said = []
            rest = lines[number].source
            for quote in paragraph.quotes:
                first, last = max(quote.span.start, start), min(quote.span.end, end)
                if not speakable(paragraph.text[first:last] if first < last else ""):
                    continue
                said.append(
                    Said(
                        first - start,
                        last - start,
                        quote.speaker,
                        quote.evidence,
                        quote.confidence,
                    )
                )
            for one in reversed(said):
                rest = rest[: one.start] + rest[one.end :]
            if said:
                found[number] = Attribution(tuple(said), mixed=speakable(rest))
    return tuple(found)
