"""The account of a book's characters, as it was read and as a person has changed it since.

What the reading has left out is kept with the project; what is spoken and what was deleted is
counted on the book as it is. So a fault in either shows as a sum that does not hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.book.coverage import Added, Coverage, Skipped, count
from studio.project.session import Session

COVERAGE = "coverage"
"""Name of the setting that keeps the account of the reading."""


@dataclass(frozen=True, slots=True)
class Span:
    """The segments of one chapter, and how much of the book they say."""

    chapter: str
    first: int
    """Number of its first segment."""
    last: int
    characters: int


@dataclass(frozen=True, slots=True)
class Account:
    """What has become of every character of a manuscript."""

    reading: Coverage
    """As the manuscript was read."""
    spans: tuple[Span, ...]
    """What is spoken, chapter by chapter."""
    removed: tuple[str, ...]
    """Texts of the book that a person has deleted."""
    inserted: int
    """Characters that a person has put in; they are none of the book's."""

    @property
    def total(self) -> int:
        """Characters of the manuscript."""
        return self.reading.total

    @property
    def in_segments(self) -> int:
        """Characters of the source text of all segments."""
        return sum(span.characters for span in self.spans)

    @property
    def deleted(self) -> int:
        """Characters of what a person has deleted."""
        return sum(map(count, self.removed))

    @property
    def added(self) -> int:
        """Characters that rules have put in, and that are none of the book's."""
        return sum(item.characters for item in self.reading.added)

    @property
    def spoken(self) -> int:
        """Characters of the book that segments say."""
        return self.in_segments - self.added

    @property
    def unaccounted(self) -> int:
        """What the sum is short of; anything but 0 is a fault of ours."""
        return self.total - self.spoken - self.deleted - self.reading.left


def compact(coverage: Coverage) -> dict[str, Any]:
    """An account of a reading as it is kept; each reason stands in it once."""
    reasons = list(dict.fromkeys((item.rule, item.why) for item in coverage.skipped))
    place = {reason: number for number, reason in enumerate(reasons)}
    return {
        "total": coverage.total,
        "spoken": coverage.spoken,
        "rules": [list(reason) for reason in reasons],
        "skipped": [
            [place[item.rule, item.why], item.where, item.characters, item.times]
            for item in coverage.skipped
        ],
        "added": [[item.rule, item.characters] for item in coverage.added],
    }


def restored(kept: Mapping[str, Any]) -> Coverage:
    """What `compact` gave, as it was."""
    reasons = kept["rules"]
    return Coverage(
        kept["total"],
        kept["spoken"],
        tuple(Skipped(*reasons[reason], *rest) for reason, *rest in kept["skipped"]),
        tuple(Added(*item) for item in kept["added"]),
    )


def account(session: Session) -> Account | None:
    """The account of a book as it is; None where its reading kept none."""
    kept = session.reader.setting(COVERAGE)
    if kept is None:
        return None
    spans: list[Span] = []
    chapter = None
    inserted = 0
    rows = session.store.rows(
        "SELECT s.chapter, c.title, s.source, s.override FROM segments s"
        " JOIN chapters c ON c.id = s.chapter ORDER BY c.position, s.position"
    )
    first = characters = 0
    for number, (its, title, source, override) in enumerate(rows, 1):
        if its != chapter:
            chapter, first, characters = its, number, 0
            spans.append(Span(title, first, number, 0))
        characters += count(source)
        spans[-1] = Span(title, first, number, characters)
        if not source and override:
            inserted += count(override)
    removed = session.store.rows("SELECT source FROM removed WHERE source <> '' ORDER BY id")
    return Account(restored(kept), tuple(spans), tuple(row[0] for row in removed), inserted)
