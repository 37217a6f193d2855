"""How far the segments of a book follow what a new edition asks for, and how it is read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studio.book.glyphs import same_print
from studio.book.policies import Dates
from studio.project import renaming
from studio.project.asking import Asked, Had, asked, followed
from studio.project.edition import Item, Line
from studio.project.model import Kind
from studio.project.session import Session

_STROKE = re.compile(r"\d/\d")


@dataclass(frozen=True, slots=True)
class Following:
    """What decides how far a new edition is followed."""

    voices: Mapping[str, str]
    """`Voice.id` of the book's, by every name that may stand in a marker."""
    narrator: str
    language: str
    """The book's."""
    before: Dates
    """How dates were read."""
    dates: Dates
    """How they are read from now on."""

    def asked(self, item: Item) -> Asked | None:
        """What the new edition asks for a segment; None for what is none of its text."""
        if not item.over:
            return None
        return asked(item.over[0], item.last, self.voices, self.narrator)

    def had(self, item: Item) -> Had:
        """What a segment that stays will have."""
        assert item.line is not None
        now = self.asked(item)
        return item.line.had if now is None else followed(item.line.had, item.line.asked, now)

    def base(self, item: Item) -> str | None:
        """The automatic text of an unchanged source that is read otherwise now; None if it is not.

        A text that today's rules would not have made either is left alone.
        """
        line = item.line
        if line is None or item.changed or not line.source or not item.over:
            return None
        kind = self.had(item).kind
        # Only headings have reading rules of their own.
        if (kind is Kind.HEADING) is not (line.kind is Kind.HEADING):
            return self.speak(line.source, kind, line.language) or line.source
        if self.dates is self.before or not _STROKE.search(line.source):
            return None
        if self._as_it_was(line) != line.base:
            return None
        text = self.speak(line.source, kind, line.language) or line.source
        return None if text == line.base else text

    def reprinted(self, item: Item) -> bool:
        """Whether a segment that gets another text differs only in the forms of signs.

        Then it is said as it was: “It’s” for "It's" changes no take. Where today's rules make
        another spoken text of it, as of ``3–2`` for ``3-2``, it is changed like any other.
        """
        line, draft = item.line, item.draft
        if line is None or draft is None or draft.language != line.language:
            return False
        if not same_print(item.source, line.source):
            return False
        kind = self.had(item).kind
        if (kind is Kind.HEADING) is not (line.kind is Kind.HEADING):
            return False
        now = draft.spoken if item.whole and draft.kind is kind else None
        if now is None:
            now = self.speak(item.source, kind, draft.language)
        if same_print(now or item.source, line.base):
            return True
        before = self.speak(line.source, kind, line.language) or line.source
        return same_print(now or item.source, before)

    def speak(self, source: str, kind: Kind, language: str) -> str:
        """What is said for a text; its language where it is another than the book's."""
        from studio.book.speaking import speak

        return speak(source, kind, language or self.language, self.dates)

    def _as_it_was(self, line: Line) -> str:
        from studio.book.speaking import speak

        return speak(line.source, line.kind, line.language or self.language, self.before)

    def told(self, item: Item) -> tuple[str, ...]:
        """What a segment that stays gets, in plain words."""
        assert item.line is not None
        had, has = item.line.had, self.had(item)
        told = []
        if has.kind is not had.kind:
            told.append(f"kind {has.kind.value}")
        if has.voice != had.voice:
            told.append(f"voice {has.voice}")
        if has.pause_ms != had.pause_ms:
            told.append(_pause(has.pause_ms))
        if has.kind is had.kind and (text := self.base(item)) is not None:
            told.append(f"dates {self.dates.value}: {text}")
        return tuple(told)


def following(session: Session, kept: Mapping[str, object]) -> Following:
    """What decides it for a book and the settings that its new edition brings."""
    reader = session.reader
    before = dates_of(reader.setting("import", {}))
    return Following(
        voices=renaming.names(session),
        narrator=reader.setting("voice", ""),
        language=reader.setting("language", ""),
        before=before,
        dates=dates_of(kept["import"]) if "import" in kept else before,
    )


def dates_of(choice: Any) -> Dates:
    """How a book reads dates, by its setting ``import``."""
    policies = choice.get("policies", {}) if isinstance(choice, dict) else {}
    try:
        return Dates(policies.get("dates", Dates.BY_LANGUAGE))
    except ValueError:
        return Dates.BY_LANGUAGE


def _pause(pause_ms: int | None) -> str:
    return "its usual pause" if pause_ms is None else f"pause {pause_ms / 1000:g} s"
