"""The lexicon of a book and the person's own, and what they make of the segments.

A segment's automatic text goes through the rules in force once, and what they make of it is kept
beside it. When rules change, only segments that a changed rule hits, in its old form or in its new
one, are worked out again; all others cannot differ.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from typing import Any, NamedTuple

from studio.book.lexicon import Lexicon, Rule, check, folded, tidied
from studio.book.marks import speakable
from studio.book.rules import SpokenChange
from studio.project.bounded import reworded_in_time
from studio.project.history import RULE
from studio.project.session import Session
from studio.project.store import Store

BOOK, USER = "lexicon", "user_lexicon"
"""Tables: the book's own rules, and the person's as this book has taken them over."""

_COLUMNS = ", ".join(RULE)


class Reworded(NamedTuple):
    """A segment whose spoken text changes with the lexicon."""

    uid: str
    number: int
    before: str
    after: str


class AutomaticText(NamedTuple):
    """A segment's text before the lexicon."""

    uid: str
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Preview:
    """What a change of the lexicon does to the book."""

    changed: tuple[Reworded, ...] = ()
    """Segments that are spoken otherwise, in the order of the book."""
    typed: int = 0
    """Segments that the rules would change, but whose text a person has typed: they stay."""


@dataclass(frozen=True, slots=True)
class _Row:
    """A segment as the lexicon sees it."""

    uid: str
    number: int
    base: str
    lexed: str | None
    override: str | None


def rules(store: Store, table: str = BOOK) -> tuple[Rule, ...]:
    """The rules of one table, by word."""
    rows = store.rows(f"SELECT word, {_COLUMNS} FROM {table} ORDER BY word")
    return tuple(Rule(row[0], row[1], *map(bool, row[2:])) for row in rows)


def in_force(book: Iterable[Rule], user: Iterable[Rule]) -> tuple[Rule, ...]:
    """Both lists as one: the book's rules go before the person's, and exact case before any."""
    ordered = [
        *sorted(book, key=lambda rule: not rule.match_case),
        *sorted(user, key=lambda rule: not rule.match_case),
    ]
    by_word: dict[str, Rule] = {}
    for rule in ordered:
        by_word.setdefault(rule.word, rule)
    return tuple(by_word.values())


def lexed(session: Session, base: str) -> str | None:
    """What the lexicon in force makes of an automatic text; None where it makes no difference.

    Args:
        session: The book.
        base: What the reading rules have made.

    Raises:
        BadInput: A pattern of the lexicon takes too long on it.
    """
    return lexed_each(session, [base])[0]


def lexed_each(session: Session, bases: Sequence[str]) -> list[str | None]:
    """The same for many texts at once."""
    now = _lexicon(in_force(rules(session.store), rules(session.store, USER)))
    texts = reworded_in_time(now, now, bases)
    return [_kept(base, texts.get(place, base)) for place, base in enumerate(bases)]


def preview(
    session: Session, book: Sequence[Rule] | None = None, user: Sequence[Rule] | None = None
) -> Preview:
    """What would change if these were the rules.

    Args:
        session: The book.
        book: Its rules; None for those that it has.
        user: The person's rules; None for those that the book has taken over.

    Raises:
        BadInput: A rule cannot be kept.
    """
    found = _reworded(session.store, _now(session.store), _wanted(session.store, book, user))
    changed = []
    typed = 0
    for row, text in found:
        after = row.base if text is None else text
        if row.override is not None:
            typed += row.override != after
        else:
            changed.append(Reworded(row.uid, row.number, row.lexed or row.base, after))
    return Preview(tuple(changed), typed)


def automatic_texts(store: Store) -> list[AutomaticText]:
    """What the reading rules have made of each segment, in the order of the book."""
    return [AutomaticText(row.uid, row.number, row.base) for row in _rows(store)]


def automatic_text(session: Session, uid: str) -> str:
    """What the reading rules have made of one segment."""
    text = session.store.value(
        "SELECT COALESCE(spoken, source) FROM segments WHERE uid = ?", (uid,)
    )
    return str(text or "")


def rule_hits(store: Store) -> dict[str, int]:
    """How many segments each rule in force hits, by its word; those that may be slow are not in."""
    quick = _quick(store)
    counts = dict.fromkeys((rule.word for rule in quick.rules), 0)
    for row in _rows(store):
        for word in {hit.rule.word for hit in quick.hits(row.base)}:
            counts[word] += 1
    return counts


def explained(session: Session, uid: str) -> tuple[SpokenChange, ...]:
    """What the lexicon changes in a segment; patterns that may be slow are not named."""
    base = session.store.value(
        "SELECT COALESCE(spoken, source) FROM segments WHERE uid = ? AND override IS NULL"
        " AND lexed IS NOT NULL",
        (uid,),
    )
    return () if base is None else _quick(session.store).changes(base)


def _quick(store: Store) -> Lexicon:
    """The rules in force but for patterns that may be slow: nothing could stop them here."""
    now = _lexicon(in_force(*_now(store)))
    return Lexicon(rule for rule in now.rules if rule not in now.slow) if now.slow else now


def rewrite(
    session: Session,
    book: Sequence[Rule] | None = None,
    user: Sequence[Rule] | None = None,
    *,
    afresh: bool = False,
) -> frozenset[str]:
    """Make these the rules, and let the segments follow; within a command.

    Args:
        session: The book.
        book: Its rules; None for those that it has.
        user: The person's rules; None for those that the book has taken over.
        afresh: Whether no rule counted before.

    Returns:
        Segments whose failure is forgotten, because they are spoken otherwise now.

    Raises:
        BadInput: A rule cannot be kept.
    """
    store = session.store
    before, after = _now(store), _wanted(store, book, user)
    found = _reworded(store, ((), ()) if afresh else before, after)
    for table, old, new in ((BOOK, before[0], after[0]), (USER, before[1], after[1])):
        put(store, table, old, new)
    failed = [
        row.uid
        for row, _ in found
        if row.override is None
        and store.value("SELECT failure FROM segments WHERE uid = ?", (row.uid,))
    ]
    store.connection.executemany(
        "UPDATE segments SET lexed = ? WHERE uid = ?", ((text, row.uid) for row, text in found)
    )
    store.connection.executemany(
        "UPDATE segments SET failure = '' WHERE uid = ?", ((uid,) for uid in failed)
    )
    return frozenset(failed)


def checked(found: Iterable[Rule]) -> tuple[Rule, ...]:
    """Rules as they are kept, each one checked, in the order of their words.

    Raises:
        BadInput: One cannot be kept.
    """
    by_word = {}
    for rule in map(tidied, found):
        check(rule)
        by_word[rule.word] = rule
    return tuple(by_word[word] for word in sorted(by_word))


_Both = tuple[tuple[Rule, ...], tuple[Rule, ...]]
"""The book's rules, and the person's."""


def _now(store: Store) -> _Both:
    return rules(store), rules(store, USER)


def _wanted(store: Store, book: Sequence[Rule] | None, user: Sequence[Rule] | None) -> _Both:
    """The rules as they are to be."""
    now = _now(store)
    return (
        now[0] if book is None else checked(book),
        now[1] if user is None else checked(user),
    )


def put(store: Store, table: str, old: Iterable[Rule], new: Iterable[Rule]) -> None:
    """Write what differs between two lists of rules; within a transaction."""
    before, after = ({rule.word: rule for rule in found} for found in (old, new))
    for word in before.keys() - after.keys():
        store.execute(f"DELETE FROM {table} WHERE word = ?", (word,))
    for word, rule in after.items():
        if before.get(word) != rule:
            store.execute(
                f"INSERT INTO {table} (word, {_COLUMNS}) VALUES (?{', ?' * len(RULE)})"
                " ON CONFLICT (word) DO UPDATE SET"
                f" ({_COLUMNS}) = ({', '.join(f'excluded.{column}' for column in RULE)})",
                _values(rule),
            )


def _values(rule: Rule) -> tuple[Any, ...]:
    """A rule as a row of its table."""
    return tuple(int(value) if isinstance(value, bool) else value for value in astuple(rule))


def _reworded(store: Store, before: _Both, after: _Both) -> list[tuple[_Row, str | None]]:
    """The segments whose kept text changes with the rules, and what it will be."""
    old, new = in_force(*before), in_force(*after)
    changed = _changed(old, new)
    if not changed:
        return []
    rows = _rows(store)
    texts = reworded_in_time(Lexicon(changed), _lexicon(new), [row.base for row in rows])
    found = []
    for place, text in texts.items():
        row, kept = rows[place], _kept(rows[place].base, text)
        if kept != row.lexed:
            found.append((row, kept))
    return found


def _changed(old: Sequence[Rule], new: Sequence[Rule]) -> list[Rule]:
    """Rules that came, went, became others, or now stand before others for the same letters."""
    groups: tuple[dict[str, list[Rule]], dict[str, list[Rule]]] = ({}, {})
    for group, found in zip(groups, (old, new), strict=True):
        for rule in found:
            group.setdefault(rule.word if rule.regex else folded(rule.word), []).append(rule)
    before, after = groups
    return [
        rule
        for key in before.keys() | after.keys()
        if before.get(key) != after.get(key)
        for rule in (*before.get(key, ()), *after.get(key, ()))
    ]


def _rows(store: Store) -> list[_Row]:
    """Every segment with an automatic text, in the order of the book."""
    rows = store.rows(
        "SELECT s.uid, COALESCE(s.spoken, s.source), s.lexed, s.override FROM segments s"
        " JOIN chapters c ON c.id = s.chapter ORDER BY c.position, s.position"
    )
    return [_Row(uid, number, *rest) for number, (uid, *rest) in enumerate(rows, 1) if rest[0]]


def _kept(base: str, text: str) -> str | None:
    """What is kept beside an automatic text: nothing where it is the same, or could not be said."""
    return None if text == base or not speakable(text) else text


@functools.lru_cache(maxsize=4)
def _lexicon(found: tuple[Rule, ...]) -> Lexicon:
    """Rules made ready once."""
    return Lexicon(found)
