"""``rhapsode lexicon``: list, read and write how words are spoken; the studio reads and writes
files through the same functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from studio.book.lexicon import Rule
from studio.book.lexicon_csv import from_csv, to_csv
from studio.book.lexicon_pls import from_pls, to_pls
from studio.book.uncommon import uncommon
from studio.commands.notices import tell
from studio.commands.reply import Reply
from studio.engines.dictionary import dictionary
from studio.errors import BadInput, MachineFault
from studio.project import own_lexicon
from studio.project.clips import write_atomically
from studio.project.model import Change
from studio.project.project import Project

PLS = (".pls", ".xml")
LARGEST = 64 << 20
"""Bytes of a file that is read; a hundred thousand rules have a twentieth of them."""
SHOWN = 200
"""Uncommon words that a person is shown; ``--json`` has all of them."""


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Read rules from a file, PLS or CSV by its ending.

    Raises:
        BadInput: It does not exist, is too large, malformed, or holds a rule that cannot be.
        MachineFault: It cannot be read.
    """
    pls = _is_pls(path)
    if not path.is_file():  # a device or a pipe may have no end
        raise BadInput(f"{path} is no file; name a CSV or PLS file.")
    try:
        if path.stat().st_size > LARGEST:
            raise BadInput(
                f"{path} has more than {LARGEST >> 20} MB, which no lexicon has; name another file."
            )
        content = path.read_bytes()
    except OSError as error:
        raise MachineFault(
            f"{path} cannot be read ({error.strerror}); check its permissions."
        ) from error
    return (from_pls if pls else from_csv)(content, str(path))


def write_rules(path: Path, rules: Sequence[Rule], language: str) -> int:
    """Write rules to a file, PLS or CSV by its ending.

    Returns:
        How many patterns were left out, because the format has none.

    Raises:
        BadInput: The ending is unknown, or a rule holds what the format cannot.
        MachineFault: The disk is in the way.
    """
    if _is_pls(path):
        write_atomically(path, to_pls(rules, language))
        return sum(rule.regex for rule in rules)
    write_atomically(path, to_csv(rules))
    return 0


def _is_pls(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in (*PLS, ".csv", ".txt"):
        raise BadInput(
            f"{path} ends neither in .csv nor in .pls; the ending says what the file is."
        )
    return suffix in PLS


def imported(project: Project, path: Path, *, user: bool = False) -> tuple[int, int, Change]:
    """Read a file's rules into a book, or into the person's lexicon, as one step.

    Returns:
        How many rules the file has, how many of them are new or others, and what that changed.

    Raises:
        BadInput: The file cannot be used; nothing was changed.
    """
    rules = read_rules(path)
    there = set(project.user_lexicon() if user else project.lexicon())
    new = [rule for rule in rules if rule not in there]
    if not new:
        return len(rules), 0, Change()
    change = project.put_rules(new, user=user, label=f"lexicon read from {path.name}")
    return len(rules), len(new), change


def lexicon(
    folder: Path | None,
    *,
    read: Path | None = None,
    write: Path | None = None,
    words: bool = False,
    user: bool = False,
) -> Reply:
    """List the lexicon of a book, or read, write, or find uncommon words.

    Args:
        folder: The project; the person's own lexicon is also there without one.
        read: File to read rules from, first.
        write: File to write the rules to, afterwards.
        words: Whether to list uncommon words in place of the rules.
        user: Whether the person's own lexicon is meant.
    """
    if folder is None:
        return _own(read, write, words=words, user=user)
    with Project.open(folder, read_only=read is None) as project:
        tell(project)
        data: dict[str, object] = {}
        lines: list[str] = []
        if read is not None:
            _read(project, read, user, data, lines)
        rules = project.user_lexicon() if user else project.lexicon()
        if write is not None:
            _write(write, rules, project.info.language, data, lines)
        if words:
            _words(project, data, lines)
        elif read is None and write is None:
            _list(project.rule_hits(), rules, user, data, lines)
    return Reply(data, lines)


def _own(read: Path | None, write: Path | None, *, words: bool, user: bool) -> Reply:
    """The person's own lexicon, without a book."""
    if words or not user:
        raise BadInput(
            "Name a project’s folder"
            + (", whose words are to be listed." if words else "; or --user for your own lexicon.")
        )
    data: dict[str, object] = {}
    lines: list[str] = []
    if read is not None:
        rules = read_rules(read)
        changed = own_lexicon.put(rules)
        data |= {"read": len(rules), "changed": changed}
        lines.append(
            f"{_count(len(rules), 'rule')} read from {read}, {changed} of them new or changed; "
            "each book takes them over when it is opened next."
        )
    mine = own_lexicon.read()
    if write is not None:
        _write(write, mine, "und", data, lines)
    if read is None and write is None:
        _list({}, mine, True, data, lines)
    return Reply(data, lines)


def _write(
    path: Path,
    rules: Sequence[Rule],
    language: str,
    data: dict[str, object],
    lines: list[str],
) -> None:
    """Write a file and say what of it."""
    left_out = write_rules(path, rules, language)
    data |= {"written": len(rules) - left_out, "left_out": left_out, "file": str(path)}
    lines.append(f"{_count(len(rules) - left_out, 'rule')} written to {path}")
    if left_out:
        what = "pattern is" if left_out == 1 else "patterns are"
        lines.append(f"{left_out} {what} left out: PLS has none, CSV keeps them.")


def _read(
    project: Project, path: Path, user: bool, data: dict[str, object], lines: list[str]
) -> None:
    """Read a file and say what it changed."""
    total, new, change = imported(project, path, user=user)
    rows = project.segments_by_uid(change.segments)
    spoken = [row for row in rows.values() if not row.edited]
    stale = sum(bool(row.stale) for row in spoken)
    data |= {"read": total, "changed": new, "segments": len(spoken), "stale": stale}
    lines.append(
        f"{_count(total, 'rule')} read from {path}, {new} of them new or changed; "
        f"{_count(len(spoken), 'segment')} spoken otherwise, {stale} of them stale now."
    )


def _list(
    hits: Mapping[str, int],
    rules: Sequence[Rule],
    user: bool,
    data: dict[str, object],
    lines: list[str],
) -> None:
    """Every rule with the segments that it hits, where they are known."""
    data["rules"] = [{**asdict(rule), "segments": hits.get(rule.word)} for rule in rules]
    # Longer texts than these stand out of their columns, lest one moves those of all.
    wide, spoken = (
        min(max((len(text) for text in texts), default=0), 40)
        for texts in ([it.word for it in rules], [f"{it.spoken}{_flags(it)}" for it in rules])
    )
    for rule in rules:
        count = hits.get(rule.word)
        found = "" if count is None else _count(count, "segment")
        said = f"{rule.spoken}{_flags(rule)}"
        lines.append(f"{rule.word:<{wide}}  {said:<{spoken}}  {found}".rstrip())
    if not rules:
        whose = "Your lexicon" if user else "The lexicon of this book"
        lines.append(f"{whose} has no rule yet; L in the studio makes one, --import reads them.")


def _flags(rule: Rule) -> str:
    """What there is to say of a rule beside its two texts."""
    flags = [
        name
        for name, on in (
            ("pattern", rule.regex),
            ("phonemes", rule.phonemes),
            ("exact case", rule.match_case),
            ("parts of words", not rule.whole and not rule.regex),
        )
        if on
    ]
    return f"  ({', '.join(flags)})" if flags else ""


def _words(project: Project, data: dict[str, object], lines: list[str]) -> None:
    """Uncommon words with how often and where they stand."""
    texts = project.automatic_texts()
    found = uncommon([row.text for row in texts], dictionary(project.info.language))
    data["words"] = [
        {"word": word.word, "count": word.count, "first": texts[word.first].number}
        for word in found
    ]
    for word in found[:SHOWN]:
        lines.append(f"{word.count:>6}  {word.word}  (first in segment {texts[word.first].number})")
    if len(found) > SHOWN:
        lines.append(f"{len(found) - SHOWN} more; --json lists all of them.")
    if not found:
        lines.append("Every word of this book is a common one.")


def _count(value: int, noun: str) -> str:
    return f"{value:,} {noun}{'s' * (value != 1)}"
