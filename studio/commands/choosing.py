"""What of a manuscript is narrated: from the command line, or asked for by `rhapsode pieces`."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from studio.book.manuscript import Manuscript, Piece
from studio.book.policies import Policies
from studio.commands.progress import Bar
from studio.commands.reply import Reply, table
from studio.errors import BadInput
from studio.project.manuscripts import Choice, Progress, Source

STANDARD_INPUT = Path("-")
MOST_PIPED = 256 * 2**20
"""Bytes taken from standard input; a book with many pictures has a tenth of that."""
_STEP = 2**20
_TITLE = 60
"""Characters of a piece's title in the list."""


def source_of(book: Path) -> Source:
    """The manuscript that a person has named; ``-`` is what comes through standard input.

    Raises:
        BadInput: Nothing comes through it, or more than any book.
    """
    if book != STANDARD_INPUT:
        return Source(book)
    if sys.stdin.isatty():
        raise BadInput(
            "Nothing comes through standard input. Name the manuscript's file, or send the "
            "manuscript in, as in: rhapsode new - < book.epub"
        )
    return Source(None, piped(sys.stdin.buffer.read))


def piped(read: Callable[[int], bytes], most: int = MOST_PIPED) -> bytes:
    """All that a pipe gives.

    Raises:
        BadInput: It gives more than any book has.
    """
    data = bytearray()
    while chunk := read(_STEP):
        data += chunk
        if len(data) > most:
            raise BadInput(
                f"Standard input is larger than any book (more than {most // 2**20} MB). "
                "Check that it is the manuscript."
            )
    return bytes(data)


def choice_of(
    source: Source,
    policies: Mapping[str, str],
    skip: Iterable[int],
    take: Iterable[int],
    progress: Progress | None = None,
) -> Choice:
    """What a person has chosen on the command line.

    Args:
        source: The manuscript, which is read if pieces are named: their numbers are its own.
        policies: By name; what is not named keeps its default.
        skip: Numbers of pieces that are not to be narrated, as `pieces` lists them.
        take: Numbers of pieces that are.
        progress: Told how far the reading is.

    Raises:
        BadInput: There is no such choice or piece, or the manuscript cannot be read.
    """
    chosen = Policies.of(policies)
    wanted = _wanted(skip, take)
    if not wanted:
        return Choice(chosen)
    found = source.offered(Choice(chosen), progress).pieces
    for number in wanted:
        if number > len(found):
            raise BadInput(
                f"{source.name} has no piece {number}; it has {len(found)}, "
                f"which rhapsode pieces lists."
            )
    return Choice(chosen, {found[number - 1].id: tick for number, tick in wanted.items()})


def _wanted(skip: Iterable[int], take: Iterable[int]) -> dict[int, bool]:
    wanted = dict.fromkeys(skip, False)
    for number in take:
        if number in wanted and not wanted[number]:
            raise BadInput(f"Piece {number} is both skipped and taken; name it once.")
        wanted[number] = True
    return wanted


def pieces(book: Path, policies: Mapping[str, str], *, quiet: bool = False) -> Reply:
    """List the pieces of a manuscript: which are narrated, and why others are not.

    Raises:
        BadInput: It cannot be read.
    """
    source = source_of(book)
    with Bar(f"reading {source.name}", quiet=quiet) as bar:
        manuscript = source.offered(Choice(Policies.of(policies)), bar.show)
    listed = manuscript.pieces
    return Reply(
        {
            "title": manuscript.title,
            "author": manuscript.author,
            "pieces": [
                {"number": number, **asdict(piece)} for number, piece in enumerate(listed, 1)
            ],
        },
        [
            _head(source, manuscript),
            "",
            *table(
                [("", "", "characters", "title", "why not"), *_rows(listed)],
                right=(0, 2),
            ),
            "",
            f"To choose otherwise: rhapsode new {shlex.quote(str(book))} --skip N … --take N …",
        ],
    )


def _head(source: Source, manuscript: Manuscript) -> str:
    ticked = [piece for piece in manuscript.pieces if piece.ticked]
    title = manuscript.title or source.name
    number = len(manuscript.pieces)
    characters = sum(piece.characters for piece in ticked)
    return (
        f"“{title}”: {number:,} piece{'s' * (number != 1)}; {len(ticked):,} narrated, "
        f"{characters:,} characters."
    )


def _rows(listed: Sequence[Piece]) -> list[tuple[str, ...]]:
    return [
        (
            str(number),
            "✓" if piece.ticked else "–",
            f"{piece.characters:,}",
            piece.title if len(piece.title) <= _TITLE else f"{piece.title[: _TITLE - 1]}…",
            "" if piece.ticked else piece.why,
        )
        for number, piece in enumerate(listed, 1)
    ]
