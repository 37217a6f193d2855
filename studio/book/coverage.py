"""What became of every character of a book: spoken, or skipped by a rule that has a name.

The characters of a book are the Unicode code points of its text, without white space: of an EPUB
or a web page the text nodes of its documents, with entities decoded; of a text or Markdown file
the decoded file. Each text is in normal form C, control codes are no characters, and those of
U+0080 to U+009F are the Windows-1252 signs they were meant to be. Texts of pictures count where
they are spoken.

The account is exact: `Coverage.total` is counted on the documents by themselves, `spoken` on the
blocks, and `skipped` by the rules as they act.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from studio.book.rules_of_reading import QUIET, WHY

_SHORT = 1 << 12
_WHITE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006"
    "\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""All white space as Python knows it, that of ASCII first."""
_ASCII_WHITE = 10
_SHOWN = 4


def count(text: str) -> int:
    """How many characters of a text are not white space."""
    if len(text) <= _SHORT:
        return sum(map(len, text.split()))
    # A long text is not held a second time as a list of words.
    white = _WHITE[:_ASCII_WHITE] if text.isascii() else _WHITE
    return len(text) - sum(map(text.count, white))


@dataclass(frozen=True, slots=True)
class Skipped:
    """What one rule left out in one place."""

    rule: str
    why: str
    where: str
    """A document of the book, or empty where the book is one document."""
    characters: int
    times: int = 1


@dataclass(frozen=True, slots=True)
class Added:
    """What a rule put in that the text does not have, such as the marks of ``<q>``."""

    rule: str
    characters: int


@dataclass(frozen=True, slots=True)
class Coverage:
    """The account of a whole book; without a flaw, `unaccounted` is 0."""

    total: int = 0
    """Characters of the book."""
    spoken: int = 0
    """Those of them that stand in blocks."""
    skipped: tuple[Skipped, ...] = ()
    added: tuple[Added, ...] = ()
    """Characters of blocks that are none of the book; not part of the sum."""

    @property
    def left(self) -> int:
        """How many characters are skipped."""
        return sum(item.characters for item in self.skipped)

    @property
    def unaccounted(self) -> int:
        """What the sum is short of; anything but 0 is a fault of ours."""
        return self.total - self.spoken - self.left

    def by_rule(self) -> list[tuple[str, str, int, int]]:
        """Rule, why, characters and times, the rules that took most first."""
        characters: Counter[tuple[str, str]] = Counter()
        times: Counter[tuple[str, str]] = Counter()
        for item in self.skipped:
            characters[item.rule, item.why] += item.characters
            times[item.rule, item.why] += item.times
        ordered = sorted(characters.items(), key=lambda entry: (-entry[1], entry[0]))
        return [(*key, number, times[key]) for key, number in ordered]


class Ledger:
    """The account of one document while it is read."""

    def __init__(self, where: str = "") -> None:
        self.where = where
        self.total = 0
        """Characters of the document, counted apart from the walk over it."""
        self._skipped: Counter[tuple[str, str]] = Counter()
        self._times: Counter[tuple[str, str]] = Counter()
        self._added: Counter[str] = Counter()

    def skip(self, rule: str, characters: int, times: int = 1, *, why: str = "") -> None:
        """Take down what a rule leaves out."""
        key = (rule, why or WHY[rule])
        self._skipped[key] += characters
        self._times[key] += times

    def add(self, rule: str, characters: int) -> None:
        """Take down what a rule puts in."""
        self._added[rule] += characters

    @property
    def left(self) -> int:
        """How many characters are skipped so far."""
        return self._skipped.total()

    @property
    def extra(self) -> int:
        """How many characters were put in so far."""
        return self._added.total()

    def take(self, other: Ledger) -> None:
        """Take over the account of a part, but for its total."""
        self._skipped.update(other._skipped)
        self._times.update(other._times)
        self._added.update(other._added)

    def seen(self) -> list[tuple[str, str, int, int]]:
        """Rule, why, characters and times of what a reader of the book would miss."""
        return [
            (rule, why, characters, self._times[rule, why])
            for (rule, why), characters in self._skipped.items()
            if rule not in QUIET
        ]

    def skipped(self) -> list[Skipped]:
        """What was left out, rule by rule; what has no characters is not in it."""
        return [
            Skipped(rule, why, self.where, characters, self._times[rule, why])
            for (rule, why), characters in self._skipped.items()
            if characters
        ]

    def added(self) -> Counter[str]:
        """What was put in, rule by rule."""
        return self._added


def close(ledgers: Iterable[Ledger], in_blocks: int) -> Coverage:
    """The account of a book, from those of its documents.

    Args:
        ledgers: One for each document.
        in_blocks: Characters of all blocks.
    """
    total = 0
    skipped: list[Skipped] = []
    added: Counter[str] = Counter()
    for ledger in ledgers:
        total += ledger.total
        skipped += ledger.skipped()
        added.update(ledger.added())
    extra = tuple(Added(rule, number) for rule, number in sorted(added.items()) if number)
    return Coverage(total, in_blocks - added.total(), tuple(skipped), extra)


def settled(coverage: Coverage, in_segments: int) -> Coverage:
    """The account after cutting: a chapter that leaves nothing to say has no segments.

    Args:
        coverage: As the book was read.
        in_segments: Characters of the source text of all segments.
    """
    unsaid = coverage.spoken + sum(item.characters for item in coverage.added) - in_segments
    if not unsaid:
        return coverage
    rule = "paragraph without words"
    skipped = (*coverage.skipped, Skipped(rule, WHY[rule], "", unsaid))
    return replace(coverage, spoken=coverage.spoken - unsaid, skipped=skipped)


def totals(coverage: Coverage) -> list[str]:
    """The account in a few lines, for whoever imports a book."""
    lines = [
        f"{coverage.total:,} characters, without white space: "
        f"{coverage.spoken:,} are spoken, {coverage.left:,} skipped."
    ]
    rules = coverage.by_rule()
    lines += [f"  {number:,} {rule}: {why}" for rule, why, number, _ in rules[:_SHOWN]]
    if more := rules[_SHOWN:]:
        lines.append(f"  {sum(entry[2] for entry in more):,} by {len(more)} other rules")
    return lines + _doubtful(coverage)


def report(coverage: Coverage) -> list[str]:
    """The whole account: by rule and by place."""
    lines = [
        f"{coverage.total:,} characters, without white space.",
        f"{coverage.spoken:,} are spoken.",
        f"{coverage.left:,} are skipped{':' if coverage.skipped else '.'}",
    ]
    for rule, why, characters, times in coverage.by_rule():
        often = "once" if times == 1 else f"{times:,} times"
        lines.append(f"  {characters:>10,}  {rule}, {often}: {why}")
        places = [
            item for item in coverage.skipped if (item.rule, item.why) == (rule, why) and item.where
        ]
        lines += [f"  {item.characters:>14,}  in {item.where}" for item in places]
    if coverage.added:
        lines.append("Put in by rules, and not part of the sum:")
        lines += [f"  {item.characters:>10,}  {item.rule}" for item in coverage.added]
    return lines + _doubtful(coverage)


def _doubtful(coverage: Coverage) -> list[str]:
    """What is said where the sum does not hold."""
    if not coverage.unaccounted:
        return []
    number = abs(coverage.unaccounted)
    return [
        f"{number:,} character{'s' * (number != 1)} not accounted for: a fault of the reader, "
        "not of the book. Look at the text before you narrate it."
    ]
