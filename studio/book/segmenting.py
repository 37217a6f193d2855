"""Blocks become segments: a sentence or a few, of a length that narrates well.

Nothing is lost and nothing is added: the segments of a paragraph, joined with their blanks, are
the paragraph. Sentences are joined up to a target length; only a sentence over the maximum is cut
inside, at the strongest mark near the middle of what is left.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from studio.book.abbreviations import CONNECTING, EITHER_WAY, NUMBERED, TITLES, UNITS
from studio.book.drafts import ChapterDraft as ChapterDraft
from studio.book.drafts import SegmentDraft as SegmentDraft
from studio.book.kinds import Kind
from studio.book.languages import foreign
from studio.book.limits import Limits as Limits
from studio.book.manuscript import Block, ChapterText, Manuscript
from studio.book.marks import has_cjk
from studio.book.policies import Dates
from studio.book.sentences import SENTENCES_VERSION, split
from studio.book.speaking import speak

SEGMENTING_VERSION = 4 + SENTENCES_VERSION * 100
"""Changes whenever the same book could be cut elsewhere; the sentence rules count too."""

_MOST_SENTENCES = 3
_TOO_SHORT = 25
"""A segment shorter than this, in characters, is joined to its neighbour where there is room."""
_TOO_SHORT_CJK = 8
_NEAREST = 0.6
"""How far before the ideal place a cut inside a sentence may fall."""

_GROWS = re.compile(r"[\d%&@#+=/$£€]")
"""What is longer as it is spoken than as it is written."""
_GROWING_FROM = 15
"""Fewer of these never make a segment too long."""

_GAP = re.compile(r" +")
_ANY_GAP = re.compile(r"\s+")
_STRONG_MARK = re.compile(r"[;:—–―…)\]!?.][”’\"»)]{0,3}$|(?:^|\s)-{1,2}$")
_WEAK_MARK = re.compile(r"[,”’\"»][”’\"»)]{0,3}$")
_TIGHT_DASH = re.compile(r"[—―](?=\w)")
_CJK_STRONG = re.compile("[；：。！？…—][”’」』）]{0,3}")
_CJK_WEAK = re.compile("[，、][”’」』）]{0,3}")
_CJK_ANY = re.compile(
    "(?<=[\u3040-\u30ff\u3400-\u9fff])(?=[\u3040-\u30ff\u3400-\u9fff])(?![ぁぃぅぇぉっゃゅょーァィゥェォッャュョ])"
)
_INITIAL = re.compile(r"(?:[^\W\d_]\.)+-?")
_QUOTE_STEPS = {"“": 1, "”": -1, "«": 1, "»": -1, "「": 1, "」": -1, "『": 1, "』": -1}

_STRONG, _WEAK, _WORD_GAP, _NARROW_GAP = 0.0, 2.0, 4.0, 8.0
_IN_QUOTATION = 1.5
"""Added to a cut's rank inside a quotation: a weaker mark outside is better."""
_BOUND = 6.0
"""Added where the words belong together, as in ``Dr. Lee`` and ``5 km``."""


@dataclass(frozen=True, slots=True)
class _Cut:
    """A segment before it has its spoken text and seed."""

    kind: Kind
    source: str
    ends_paragraph: bool
    language: str = ""
    """Where it is another than the book's."""
    voice: str = ""
    pause_ms: int | None = None


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a book is cut and read; each paragraph goes by the rules of its own language."""

    limits: Limits
    language: str
    """The book's."""
    dates: Dates
    by_voice: Mapping[str, Limits]
    """Of voices that markers name, where they are others."""

    def of(self, voice: str) -> _Reading:
        """The same for what a voice reads."""
        limits = self.by_voice.get(voice)
        return self if limits is None else replace(self, limits=limits)

    def spoken(self, piece: _Cut) -> str:
        """What is said for a piece."""
        return speak(piece.source, piece.kind, piece.language or self.language, self.dates)

    def shorter(self) -> _Reading:
        """The same for what is too long as it is spoken."""
        return replace(self, limits=self.limits.half())


def cut(
    manuscript: Manuscript,
    limits: Limits,
    language: str,
    progress: Callable[[float], None] | None = None,
    dates: Dates = Dates.BY_LANGUAGE,
    by_voice: Mapping[str, Limits] = MappingProxyType({}),
) -> tuple[ChapterDraft, ...]:
    """Cut a book into segments.

    Args:
        manuscript: The book as it was read.
        limits: Lengths in characters.
        language: BCP 47 tag that chooses sentence and reading rules, but for paragraphs that the
            book says are in another language.
        progress: Told how much of the text is cut, 0 to 1.
        dates: Which number of an English ``3/4/2025`` is the day.
        by_voice: Lengths for voices that markers name, where their engines take others.

    Returns:
        One draft per chapter that has segments, in order.
    """
    occurrences: Counter[str] = Counter()
    chapters = []
    whole = sum(len(block.text) for chapter in manuscript.chapters for block in chapter.blocks)
    done = 0
    reading = _Reading(limits, language, dates, by_voice)
    for chapter in manuscript.chapters:
        segments = []
        for segment in _drafts(chapter, reading, occurrences):
            segments.append(segment)
            done += len(segment.source)
            if progress is not None:
                progress(min(1.0, done / max(1, whole)))
        if segments:
            chapters.append(ChapterDraft(chapter.title, tuple(segments)))
    return tuple(chapters)


def first_seed(source: str, occurrence: int) -> int:
    """The seed a segment starts with: first 32 bits of SHA-256 over text and occurrence.

    Args:
        source: The segment's source text.
        occurrence: 1 for the first segment of the book with this text.
    """
    digest = hashlib.sha256(f"{source}\n{occurrence}".encode("utf-8", "replace")).digest()
    return int.from_bytes(digest[:4], "big")


def _drafts(
    chapter: ChapterText, reading: _Reading, occurrences: Counter[str]
) -> Iterator[SegmentDraft]:
    """A chapter's segments with what is spoken and their seeds."""
    for piece, spoken in _sayable(chapter, reading):
        occurrences[piece.source] += 1
        seed = first_seed(piece.source, occurrences[piece.source])
        yield SegmentDraft(
            *(piece.kind, piece.source, spoken, piece.ends_paragraph, seed),
            *(piece.language, piece.voice, piece.pause_ms),
        )


def _sayable(chapter: ChapterText, reading: _Reading) -> Iterator[tuple[_Cut, str]]:
    """A chapter's cuts with their spoken text; one that leaves nothing to say joins the next."""
    silent: list[str] = []
    # The last piece that is said, and the scene breaks after it.
    waiting: list[tuple[_Cut, str]] = []
    for block in chapter.blocks:
        for piece in _speakable_pieces(block, reading.of(block.voice)):
            spoken = reading.spoken(piece)
            if piece.kind is not Kind.SCENE_BREAK:
                if not spoken:
                    silent.append(piece.source)
                    continue
                if silent:
                    piece = replace(piece, source=" ".join([*silent, piece.source]))
                    spoken = reading.spoken(piece)
                    silent.clear()
                yield from waiting
                waiting.clear()
            waiting.append((piece, spoken))
    if waiting and silent:
        # Nothing follows in this chapter, so it stays with what came before.
        last = replace(waiting[0][0], source=" ".join([waiting[0][0].source, *silent]))
        waiting = [(last, reading.spoken(last))]
    yield from waiting


def _speakable_pieces(block: Block, reading: _Reading) -> Iterator[_Cut]:
    """The cuts of one block, none of them too long as it is spoken, as far as words allow."""
    limits = reading.limits
    for piece in _pieces(block, reading):
        may = (
            limits.cost is not None
            or len(piece.source) * 5 > limits.max_spoken * 3
            or len(_GROWS.findall(piece.source)) >= _GROWING_FROM
        )
        if (
            not may
            or limits.max_chars < 2 * _TOO_SHORT
            or not limits.exceeded(reading.spoken(piece))
        ):
            yield piece
            continue
        whole = replace(block, text=piece.source)
        parts = list(_speakable_pieces(whole, reading.shorter()))
        for part in parts[:-1]:
            yield replace(part, ends_paragraph=False, pause_ms=None)
        yield replace(parts[-1], ends_paragraph=piece.ends_paragraph, pause_ms=piece.pause_ms)


def _pieces(block: Block, reading: _Reading) -> Iterator[_Cut]:
    """The cuts of one block."""
    if block.kind is Kind.SCENE_BREAK:
        yield _Cut(block.kind, "", True, pause_ms=block.pause_ms)
        return
    text = block.text.strip()
    limits = reading.limits.fitted(text)
    tongue = foreign(block.language, reading.language)
    if block.kind in (Kind.HEADING, Kind.VERSE) and len(text) <= limits.max_chars:
        spans = [text] if text else []
    else:
        sentences = _fitting(text, limits, tongue or reading.language)
        spans = [span.strip() for span in _join(sentences, limits)]
    for number, span in enumerate(spans, 1):
        last = number == len(spans)
        ends = last and not block.runs_on
        pause = block.pause_ms if last else None
        yield _Cut(block.kind, span, ends, tongue, block.voice, pause)


def _fitting(text: str, limits: Limits, language: str) -> Iterator[str]:
    """Sentences, the over-long ones cut so that each fits."""
    for sentence in split(text, language):
        if len(sentence.strip()) <= limits.max_chars:
            yield sentence
        else:
            yield from _cut_sentence(sentence, limits.max_chars)


def _join(sentences: Iterable[str], limits: Limits) -> list[str]:
    """Join sentences of one paragraph up to the target length."""
    joined: list[str] = []
    counts: list[int] = []
    for sentence in sentences:
        if joined and _belong(joined[-1], counts[-1], sentence, limits):
            joined[-1] += sentence
            counts[-1] += 1
        else:
            joined.append(sentence)
            counts.append(1)
    return joined


def _belong(segment: str, count: int, sentence: str, limits: Limits) -> bool:
    """Whether a sentence is joined to the segment before it."""
    length = len(segment) + len(sentence.rstrip())
    if _is_short(sentence) or _is_short(segment):
        return length <= limits.max_chars
    return count < _MOST_SENTENCES and length <= limits.target_chars


def _is_short(text: str) -> bool:
    """Whether a text is too short to narrate well by itself."""
    length = len(text.strip())
    return length < _TOO_SHORT and (length < _TOO_SHORT_CJK or not has_cjk(text))


def _cut_sentence(text: str, most: int) -> Iterator[str]:
    """Cut a sentence so that each piece fits; a word over the limit stays whole, by itself."""
    depths = _quotation_depths(text)
    start = 0
    end = len(text.rstrip())
    while end - start > most:
        rest = len(text) - start
        ideal = start + rest / math.ceil(rest / most)
        at = _best_cut(text, start, ideal, start + most, depths)
        if at is None:
            gap = _ANY_GAP.search(text, start + most)
            at = gap.end() if gap else len(text)
        yield text[start:at]
        start = at
    if start < len(text):
        yield text[start:]


def _best_cut(text: str, start: int, ideal: float, end: int, depths: list[int]) -> int | None:
    """Where to cut between ``start`` and ``end``, or None where one word fills it all."""
    earliest = start + (ideal - start) * _NEAREST
    near: list[tuple[float, float, int]] = []
    far: list[tuple[float, float, int]] = []
    for at, rank in _places(text, start, end):
        if depths[at]:
            rank += _IN_QUOTATION
        place = near if at >= earliest else far
        place.append((rank, abs(at - ideal), at))
    if near:
        best = min(near)
        # A word gap just anywhere is worse than a real mark somewhat earlier.
        marks = [found for found in far if found[0] < _WORD_GAP and found[2] - start > _TOO_SHORT]
        if best[0] >= _WORD_GAP and marks:
            return max(marks, key=lambda found: found[2])[2]
        return best[2]
    return max(far, key=lambda found: found[2])[2] if far else None


def _places(text: str, start: int, end: int) -> Iterator[tuple[int, float]]:
    """All places to cut between two positions, each with its rank; lower is better."""
    for gap in _GAP.finditer(text, start + 1, min(end + 1, len(text))):
        before = text[max(start, gap.start() - 12) : gap.start()]
        yield gap.end(), _gap_rank(before, text[gap.end() : gap.end() + 12])
    for pattern, rank in ((_TIGHT_DASH, _STRONG), (_CJK_STRONG, _STRONG), (_CJK_WEAK, _WEAK)):
        for mark in pattern.finditer(text, start + 1, min(end, len(text))):
            if mark.end() < len(text):
                yield mark.end(), rank
    for between in _CJK_ANY.finditer(text, start + 1, min(end, len(text))):
        yield between.start(), _NARROW_GAP


def _gap_rank(before: str, after: str) -> float:
    """How good a cut is at a blank, by the words on both sides."""
    token = before.rpartition(" ")[2].lstrip("\"“‘'«([")
    following = after.partition(" ")[0]
    # A mark that opens the next piece belongs to this one: "rain" | "— a mix" reads badly.
    if following and not any(map(str.isalnum, following)):
        return _WORD_GAP + _BOUND
    if token.endswith("."):
        word = token[:-1]
        last = word.rpartition(".")[2]
        bound = word in CONNECTING or last in NUMBERED or last in EITHER_WAY
        if bound or _INITIAL.fullmatch(token) or any(last in words for words in TITLES.values()):
            return _WORD_GAP + _BOUND
    if token[-1:].isdigit() and (
        following[:1].isdigit() or following.strip(".,;:") in UNITS | {"a.m", "p.m", "am", "pm"}
    ):
        return _WORD_GAP + _BOUND
    if _STRONG_MARK.search(before):
        return _STRONG
    return _WEAK if _WEAK_MARK.search(before) else _WORD_GAP


def _quotation_depths(text: str) -> list[int]:
    """For each position, whether it lies inside a quotation; 0 outside."""
    depth = 0
    depths = [0]
    for character in text:
        depth = max(0, depth + _QUOTE_STEPS.get(character, 0))
        depths.append(depth)
    # Unbalanced or all-embracing marks tell nothing about where to cut.
    return [0] * len(depths) if depth or min(depths[1:-1], default=0) else depths
