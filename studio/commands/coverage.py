"""`rhapsode coverage`: what has become of every character of the manuscript."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

from studio.book.coverage import count
from studio.commands.reply import Reply
from studio.errors import BadInput
from studio.project.account import Account
from studio.project.project import Project

DIFFERS = 4
"""Exit code where the sum does not hold."""
_PREVIEW = 60
"""Characters of a deleted text in the list."""


def coverage(folder: Path, *, rules: bool = False) -> Reply:
    """Account for every character of a book's manuscript.

    Args:
        folder: The project.
        rules: Whether the places are listed, too: chapter by chapter, rule by rule.

    Raises:
        BadInput: The project keeps no account.
    """
    with Project.open(folder, read_only=True) as project:
        title = project.info.title
        account = project.account()
    if account is None:
        raise BadInput(
            f"{folder} keeps no account of its manuscript; "
            "one is kept of every book that is imported now, with: rhapsode new BOOK"
        )
    lines = [f"“{title}”: {account.total:,} characters, without white space.", *_sum(account)]
    if rules:
        lines += _places(account)
    if account.unaccounted:
        lines.append(
            f"{abs(account.unaccounted):,} not accounted for: a fault of ours, not of the book. "
            "Look at the text before you narrate it."
        )
    return Reply(_data(account), lines, DIFFERS if account.unaccounted else 0)


def _sum(account: Account) -> Iterator[str]:
    """The summands, and what is no part of the sum."""
    segments = account.spans[-1].last if account.spans else 0
    yield f"  {account.spoken:>12,}  spoken, in {segments:,} segment{'s' * (segments != 1)}"
    yield f"  {account.reading.left:>12,}  skipped by rules"
    for rule, why, characters, times in account.reading.by_rule():
        often = "once" if times == 1 else f"{times:,} times"
        yield f"  {'':>12}    {characters:>10,}  {rule}, {often}: {why}"
    passages = len(account.removed)
    where = f", {passages:,} text{'s' * (passages != 1)}" if passages else ""
    yield f"  {account.deleted:>12,}  deleted by a person{where}"
    if account.added or account.inserted:
        yield "Beside the sum, because the book does not have it:"
    if account.inserted:
        yield f"  {account.inserted:>12,}  put in by a person"
    for item in account.reading.added:
        yield f"  {item.characters:>12,}  put in by a rule: {item.rule}"


def _places(account: Account) -> Iterator[str]:
    """The long list: where everything is."""
    yield "Spoken:"
    for span in account.spans:
        which = f"segment {span.first}" if span.first == span.last else f"{span.first}–{span.last}"
        yield f"  {span.characters:>12,}  {which}, “{span.chapter}”"
    if account.reading.skipped:
        yield "Skipped:"
    for item in account.reading.skipped:
        where = f" in {item.where}" if item.where else ""
        yield f"  {item.characters:>12,}  {item.rule}{where}"
    if account.removed:
        yield "Deleted by a person:"
    for text in account.removed:
        shown = text if len(text) <= _PREVIEW else f"{text[: _PREVIEW - 1]}…"
        yield f"  {count(text):>12,}  {shown}"


def _data(account: Account) -> dict[str, Any]:
    """For programs."""
    return {
        "total": account.total,
        "spoken": account.spoken,
        "skipped": account.reading.left,
        "deleted": account.deleted,
        "unaccounted": account.unaccounted,
        "in_segments": account.in_segments,
        "inserted": account.inserted,
        "added": [asdict(item) for item in account.reading.added],
        "chapters": [asdict(span) for span in account.spans],
        "rules": [asdict(item) for item in account.reading.skipped],
        "removed": list(account.removed),
    }
