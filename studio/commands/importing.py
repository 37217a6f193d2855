"""`rhapsode new`: a manuscript becomes a project."""

from __future__ import annotations

import itertools
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from studio.book.coverage import totals
from studio.book.readers.finishing import UNTICKED
from studio.commands.choosing import choice_of, source_of
from studio.commands.fitting import fitting
from studio.commands.progress import Bar
from studio.commands.reply import Reply
from studio.errors import BadInput
from studio.project import places
from studio.project.importing import ImportReport, import_book
from studio.project.library import remember
from studio.project.manuscripts import Choice, Progress, Source, part
from studio.project.model import Voice
from studio.wording import in_shell

FEW = 3
"""So many places of one kind are named."""
_CHOOSING = 0.15
"""The share of finding out which pieces are meant, about."""
VOICES = {"heart": Voice(id="heart", engine="hibari", speaker="heart", language="en-US")}
"""Voices that every installation has."""


def slug(title: str) -> str:
    """A folder name for a title: letters and digits of any script, joined by hyphens."""
    words = re.findall(r"[^\W_]+", unicodedata.normalize("NFC", title).casefold())
    name = "-".join(words)
    while len(name.encode()) > 80:
        name = name[:-1]
    return name.strip("-") or "book"


def default_folder(title: str, base: Path | None = None) -> Path:
    """Where a new book goes: below ``./projects`` where that exists, else right here."""
    here = base or Path.cwd()
    parent = here / "projects" if (here / "projects").is_dir() else here
    return parent / slug(title)


def free_folder(title: str, base: Path | None = None) -> Path:
    """The default folder, or where that exists the first of ``title-2``, ``title-3``… that is free.

    For where nobody can name another folder.
    """
    folder = default_folder(title, base)
    numbered = (folder.with_name(f"{folder.name}-{count}") for count in itertools.count(2))
    return next(path for path in itertools.chain([folder], numbered) if not path.exists())


def voice_named(name: str | None) -> Voice:
    """A built-in voice by its name.

    Raises:
        BadInput: There is no such voice.
    """
    if name is None:
        return VOICES["heart"]
    if name not in VOICES:
        raise BadInput(f"There is no voice “{name}”; this installation has {', '.join(VOICES)}.")
    return VOICES[name]


def new(
    book: Path,
    *,
    to: Path | None,
    voice: str | None,
    language: str | None,
    policies: Mapping[str, str] | None = None,
    skip: Sequence[int] = (),
    take: Sequence[int] = (),
    quiet: bool = True,
) -> Reply:
    """Import a manuscript into a new project and say what was taken and what was not.

    Args:
        book: The manuscript; ``-`` for standard input.
        to: The project's folder; None for the default one.
        voice: Who reads; None for the built-in voice.
        language: Of the book, where it does not say.
        policies: What of it is narrated, by name; what is not named keeps its default.
        skip: Numbers of pieces that are not narrated, as `choosing.pieces` lists them.
        take: Numbers of pieces that are.
        quiet: Whether no progress is shown.

    Raises:
        BadInput: The manuscript cannot be read, or the folder exists.
        MachineFault: The disk is in the way.
    """
    voice_named(voice)
    source = source_of(book)
    with Bar(f"importing {source.name}", quiet=quiet) as bar:
        choosing = _CHOOSING if skip or take else 0.0
        choice = choice_of(source, policies or {}, skip, take, part(bar.show, 0.0, choosing))
        return take_in(
            source,
            choice,
            to=to,
            voice=voice,
            language=language,
            progress=part(bar.show, choosing, 1.0),
        )


def take_in(
    source: Source,
    choice: Choice,
    *,
    to: Path | None = None,
    voice: str | None = None,
    language: str | None = None,
    default: Callable[[str], Path] = default_folder,
    progress: Progress | None = None,
) -> Reply:
    """Import a manuscript as it was chosen; see `new`.

    Args:
        source: The manuscript.
        choice: What of it is narrated.
        to: The project's folder; None leaves it to ``default``.
        voice: Who reads; None for the built-in voice.
        language: Of the book, where it does not say.
        default: Gives a folder for a title.
        progress: Told how far it is, 0 to 1.
    """
    narrator = voice_named(voice)
    fit = fitting(narrator)
    project, report = import_book(
        source,
        to,
        default_folder=default,
        voice=narrator,
        limits=fit.limits,
        language=language,
        policies=choice.policies,
        ticks=choice.ticks,
        progress=progress,
    )
    try:
        remember(project.folder, project.info.title)
        chapters = project.chapters()
        title, folder = project.info.title, str(project.folder)
    finally:
        project.close()
    notices = [*report.notices, *fit.notices]
    if warning := places.warning(project.folder):
        notices.append(warning)
    data = {
        "project": folder,
        "title": title,
        "chapters": [
            {"number": c.number, "title": c.title, "segments": c.segments} for c in chapters
        ],
        "segments": report.segments,
        "characters": report.characters,
        "choice": report.choice.values(),
        "left_out": [asdict(item) for item in report.left_out],
        "coverage": asdict(report.coverage),
        "notices": notices,
    }
    return Reply(data, _lines(data, report))


def _lines(data: Mapping[str, Any], report: ImportReport) -> list[str]:
    """What a person is told about an import."""
    chapters = len(data["chapters"])
    lines = [
        f"“{data['title']}”: {chapters} chapter{'s' * (chapters != 1)}, "
        f"{report.segments:,} segment{'s' * (report.segments != 1)}."
    ]
    lines.append(totals(report.coverage)[0])
    lines += _left_out(report)
    lines += [f"  note: {notice}" for notice in data["notices"]]
    return [*lines, f"In {data['project']}", f"Next: rhapsode open {in_shell(data['project'])}"]


def _left_out(report: ImportReport) -> Iterator[str]:
    """What is not spoken: the rules, whose characters add up, then what has no characters."""
    where: dict[tuple[str, str], list[str]] = {}
    for skipped in report.coverage.skipped:
        places = where.setdefault((skipped.rule, skipped.why), [])
        if skipped.where:
            places.append(skipped.where)
    for rule, why, characters, times in report.coverage.by_rule():
        if rule == UNTICKED:
            for piece in report.left_out:
                if piece.why == why:
                    yield _line(piece.what, why, piece.characters)
            continue
        name = rule if times == 1 else f"{times:,} × {rule}"
        yield _line(f"{name}{_places(where[rule, why])}", why, characters)
    told = {f"page {place}" for places in where.values() for place in places}
    for item in report.left_out:
        if not item.characters and item.what not in told:
            yield _line(item.what, item.why, 0)


def _places(places: Sequence[str]) -> str:
    """The documents that something was left out of, where they are few."""
    if not places:
        return ""
    return f" ({', '.join(places) if len(places) <= FEW else f'{len(places):,} pages'})"


def _line(what: str, why: str, characters: int) -> str:
    """One line of what is not spoken."""
    return f"  left out: {what}: {why} ({characters:,} character{'s' * (characters != 1)})"
