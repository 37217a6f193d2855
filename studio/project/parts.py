"""The texts of a segment's parts: source, automatic and typed, as columns of a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from studio.errors import BadInput
from studio.project import removed
from studio.project.following import dates_of
from studio.project.lexicon import lexed_each
from studio.project.model import Kind, Segment
from studio.project.rows import FEW
from studio.project.session import Session


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a segment that is split."""

    source: str
    typed: str | None
    start: int
    """Where it begins in the source text of the whole."""
    before: int
    """How long the source text before it is."""


def of_edition(session: Session, uid: str) -> tuple[str, str]:
    """The language of a segment's text, where it is not the book's, and what its text asks for."""
    row = session.store.row("SELECT language, asked FROM segments WHERE uid = ?", (uid,))
    assert row is not None
    return row[0], row[1]


def of_editions(session: Session, segments: Sequence[Segment]) -> dict[str, tuple[str, str]]:
    """The same of several segments, by uid."""
    if len(segments) <= FEW:
        return {segment.uid: of_edition(session, segment.uid) for segment in segments}
    rows = session.store.rows("SELECT uid, language, asked FROM segments")
    return {uid: (language, asked) for uid, language, asked in rows}


def automatic(
    session: Session,
    segments: Sequence[Segment],
    sources: Sequence[str],
    kinds: Sequence[Kind],
) -> list[dict[str, Any]]:
    """The columns of the automatic text of each source text, read in its segment's language.

    Raises:
        BadInput: There is nothing to say in one of them.
    """
    # The rules take a while to load, and opening a book needs none of them.
    from studio.book.speaking import SPEAKING_VERSION, speak

    book = session.reader.setting("language", "")
    dates = dates_of(session.reader.setting("import", {}))
    editions = of_editions(session, segments)
    tongues = [editions[segment.uid][0] or book for segment in segments]
    asked = list(zip(sources, kinds, tongues, strict=True))
    # “he said.” is split off a thousand times in a book, and read once.
    spoken = {it: speak(*it, dates) for it in set(asked)}
    bases = [spoken[it] for it in asked]
    for source, base in zip(sources, bases, strict=True):
        if not base:
            raise BadInput(f"There is nothing to say in “{source.strip()}”; choose another place.")
    return [
        {
            "spoken": None if base == source else base,
            "lexed": text,
            "speaking": SPEAKING_VERSION,
        }
        for source, base, text in zip(sources, bases, lexed_each(session, bases), strict=True)
    ]


def texts(session: Session, pieces: Sequence[tuple[Segment, Piece]]) -> list[dict[str, Any]]:
    """The columns of texts: source, automatic and typed; what is typed alike is automatic."""
    sourced = [(segment, piece) for segment, piece in pieces if piece.source]
    read = iter(
        automatic(
            session,
            [segment for segment, _ in sourced],
            [piece.source for _, piece in sourced],
            [segment.kind for segment, _ in sourced],
        )
    )
    columns_of = []
    for _, piece in pieces:
        by_hand = {"spoken": None, "lexed": None, "speaking": removed.BY_HAND}
        columns = next(read) if piece.source else by_hand
        typed = piece.typed
        if typed is not None:
            typed = typed.strip() if piece.source else typed
            must_be_speakable(typed)
            if piece.source and typed == (columns["lexed"] or columns["spoken"] or piece.source):
                typed = None
        columns_of.append({"source": piece.source, **columns, "override": typed})
    return columns_of


def must_be_speakable(text: str) -> None:
    from studio.book.marks import speakable

    if not speakable(text):
        raise BadInput(f"There is nothing to say in “{text}”; it needs a letter or a number.")
