"""The person's own lexicon, for all books: a file in the user's configuration folder.

Each book keeps a copy of the rules, so that it sounds the same wherever it is opened, and remembers
which content of the file it has taken over. Only another content is taken over at the next opening:
who undoes that step is not overruled.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from studio.book.lexicon import Rule
from studio.book.lexicon_csv import from_csv, to_csv
from studio.errors import MachineFault, StudioError
from studio.project import lexicon
from studio.project.clips import write_atomically
from studio.project.folders import config_folder
from studio.project.model import Change
from studio.project.session import Session
from studio.project.settings_file import digest
from studio.project.store import Store

FILE_NAME = "lexicon.csv"

_REMEMBERED = "user lexicon"
_IN_USE = "lexicon in use"


def path() -> Path:
    """Where the file is looked for. It may not exist."""
    return config_folder() / FILE_NAME


def content() -> bytes | None:
    """What the file holds; None where there is none.

    Raises:
        MachineFault: It cannot be read.
    """
    try:
        return path().read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise MachineFault(
            f"Your lexicon {path()} cannot be read ({error.strerror}); check its permissions."
        ) from error


def read() -> tuple[Rule, ...]:
    """The rules of the file; none where there is none.

    Raises:
        BadInput: It is malformed; the sentence names the line.
        MachineFault: It cannot be read.
    """
    there = content()
    return () if there is None else from_csv(there, str(path()))


def put(rules: Iterable[Rule]) -> int:
    """Put rules into the file, over those of the same words; what else stands there stays.

    Returns:
        How many of them are new or others.

    Raises:
        BadInput: The file is malformed, or a rule cannot be; nothing was changed.
        MachineFault: It cannot be written.
    """
    before = {rule.word: rule for rule in read()}
    after = before | {rule.word: rule for rule in rules}
    changed = sum(before.get(word) != rule for word, rule in after.items())
    if changed:
        write_atomically(path(), to_csv(lexicon.checked(after.values())))
    return changed


def follow(store: Store, before: Iterable[Rule], after: Iterable[Rule]) -> None:
    """Make the change in the file that was made in a book's copy; what else stands there stays.

    Within the command that changes the copy: where the file cannot be written, nothing is changed.

    Args:
        store: The book, which remembers what it knows of the file.
        before: The book's copy as it was.
        after: The copy as it is.

    Raises:
        BadInput: The file is malformed; it was not touched.
        MachineFault: It cannot be written.
    """
    old = {rule.word: rule for rule in before}
    new = {rule.word: rule for rule in after}
    there = content()
    known = there is None or digest(there) == remembered(store)
    rules = {rule.word: rule for rule in read()}
    for word in old.keys() - new.keys():
        rules.pop(word, None)
    rules |= {word: rule for word, rule in new.items() if old.get(word) != rule}
    written = to_csv(rules[word] for word in sorted(rules))
    if written != there:
        write_atomically(path(), written)
    if known:
        remember(store, written)


def take_over(session: Session) -> tuple[Change, str]:
    """Let a book follow the file where that has changed, as one step ``your lexicon changed``.

    Returns:
        The change, and a sentence about it or about why it could not be; empty where there is none.
    """
    try:
        there = content()
        if there is None or digest(there) == remembered(session.store):
            return Change(), ""
        new = lexicon.checked(from_csv(there, str(path())))
        if new == lexicon.rules(session.store, lexicon.USER):
            with session.store.transaction():
                remember(session.store, there)
            return Change(), ""
        found = lexicon.preview(session, user=new)
        with session.command("your lexicon changed") as step:
            failed = lexicon.rewrite(session, user=new)
            remember(session.store, there)
            step.change = Change(segments=failed)
    except StudioError as error:
        return Change(), str(error)
    count = len(found.changed)
    sentence = f"Your lexicon changed: {count:,} segment{'s' * (count != 1)} of this book"
    return step.change, f"{sentence} {'is' if count == 1 else 'are'} spoken otherwise; u undoes it."


def begin(session: Session) -> None:
    """Put the file's rules into a new book, before it has a history; within a transaction.

    A file that cannot be used does not stand in the way: the first opening says so.
    """
    in_use(session.store)
    try:
        there = content()
        if there is None:
            return
        lexicon.rewrite(session, user=from_csv(there, str(path())))
    except StudioError:
        return
    remember(session.store, there)


def remembered(store: Store) -> str:
    """Names the content of the file that a book has taken over; empty for none."""
    return str(_internal(store, _REMEMBERED) or "")


def remember(store: Store, taken: bytes) -> None:
    """Keep in mind which content was taken over; within a transaction."""
    _set_internal(store, _REMEMBERED, digest(taken))


def in_use(store: Store) -> bool:
    """Whether the segments follow the book's rules; from now on they do. Within a transaction."""
    before = _internal(store, _IN_USE) is not None
    if not before:
        _set_internal(store, _IN_USE, "yes")
    return before


def _internal(store: Store, name: str) -> str | None:
    value: str | None = store.value("SELECT value FROM internal WHERE name = ?", (name,))
    return value


def _set_internal(store: Store, name: str, value: str) -> None:
    store.execute(
        "INSERT INTO internal (name, value) VALUES (?, ?)"
        " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        (name, value),
    )
