"""A lexicon as a table that any spreadsheet opens: one rule a line, a header above them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence

from studio.book.lexicon import Rule, check, tidied
from studio.errors import BadInput

COLUMNS = ("word", "spoken", "regex", "phonemes", "match_case", "whole")
"""The header that is written; the first two must be there when a file is read."""

_DEFAULTS = {"regex": False, "phonemes": False, "match_case": False, "whole": True}
_TRUE = frozenset("yes true 1 x".split())
_FALSE = frozenset("no false 0".split())


def to_csv(rules: Iterable[Rule]) -> bytes:
    """Rules as the content of a file.

    Args:
        rules: In the order in which they shall stand there.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(COLUMNS)
    for rule in rules:
        flags = ("yes" if getattr(rule, name) else "no" for name in _DEFAULTS)
        writer.writerow([rule.word, rule.spoken, *flags])
    return out.getvalue().encode()


def from_csv(content: bytes, name: str) -> tuple[Rule, ...]:
    """Read the content of a file.

    Args:
        content: UTF-8, with or without a byte order mark; commas, semicolons or tabs between cells.
        name: What to call the file in the sentence of an error.

    Returns:
        The rules in the order of the file.

    Raises:
        BadInput: It is malformed or holds a rule that cannot be; the sentence names the line.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(
            f"{name} is not UTF-8 text (byte {error.start}); save it as UTF-8."
        ) from error
    head = text.partition("\n")[0]
    mark = next((mark for mark in ",;\t" if mark in head), ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, strict=True)
    rules: dict[str, Rule] = {}
    columns: list[str] = []
    try:
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            where = f"{name}, line {reader.line_num}"
            if not columns:
                columns = _header(cells, where)
                continue
            rule = _rule(_row(columns, cells, where), where)
            if rule.word in rules:
                raise BadInput(
                    f"{where}: “{rule.word}” stands here a second time; keep one of them."
                )
            rules[rule.word] = rule
    except csv.Error as error:
        raise BadInput(f"{name}, line {reader.line_num}: {error}; mend the quotes.") from error
    if not columns:
        raise BadInput(f"{name} is empty; its first line names the columns: {', '.join(COLUMNS)}.")
    return tuple(rules.values())


def _header(cells: Sequence[str], where: str) -> list[str]:
    """The names of the columns."""
    columns = [cell.strip().lower() for cell in cells]
    for column in columns:
        if column not in COLUMNS:
            raise BadInput(
                f"{where}: there is no column “{column}”; known are {', '.join(COLUMNS)}."
            )
    for needed in COLUMNS[:2]:
        if columns.count(needed) != 1:
            raise BadInput(f"{where}: one column must be called “{needed}”; name it so.")
    return columns


def _row(columns: Sequence[str], cells: Sequence[str], where: str) -> Mapping[str, str]:
    """The cells of a line by the names of their columns."""
    if len(cells) > len(columns):
        raise BadInput(
            f"{where} has {len(cells)} cells for {len(columns)} columns; put quotes around cells "
            "that hold the separator."
        )
    return dict(zip(columns, cells, strict=False))


def _rule(row: Mapping[str, str], where: str) -> Rule:
    """One line as a rule."""
    flags = {}
    for name, default in _DEFAULTS.items():
        said = row.get(name, "").strip().lower()
        if said and said not in _TRUE | _FALSE:
            raise BadInput(f"{where}: “{name}” is “{row[name]}”; write yes or no.")
        flags[name] = said in _TRUE if said else default
    rule = tidied(Rule(row.get("word", ""), row.get("spoken", ""), **flags))
    try:
        check(rule)
    except BadInput as error:
        raise BadInput(f"{where}: {error}") from error
    return rule
