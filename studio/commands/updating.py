"""`rhapsode update`: a new edition of the manuscript comes into a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from studio.book.kinds import Kind
from studio.commands.choosing import choice_of, source_of
from studio.commands.fitting import fitting_of
from studio.commands.notices import tell
from studio.commands.progress import Bar
from studio.commands.reply import Reply, table
from studio.project import renewing
from studio.project.comparing import BookUpdate, ChapterUpdate, Passage
from studio.project.manuscripts import part
from studio.project.project import Project
from studio.project.renewing import Renewal, with_wishes
from studio.wording import in_shell

SHOWN = 20
"""So many changed texts are listed for a person."""
_LONGEST = 96
"""Characters of a text in a list."""
_CHOOSING = 0.15
"""The share of finding out which pieces are meant, about."""


def update(
    folder: Path,
    book: Path,
    *,
    policies: Mapping[str, str] | None = None,
    skip: Sequence[int] = (),
    take: Sequence[int] = (),
    dry_run: bool = False,
    quiet: bool = True,
) -> Reply:
    """Bring a new edition of a manuscript into a project, as one step, and say what it changes.

    Args:
        folder: The project.
        book: The new edition; ``-`` for standard input.
        policies: What of it is narrated, by name; what is not named stays as it was chosen.
        skip: Numbers of pieces that are not narrated, as `choosing.pieces` lists them.
        take: Numbers of pieces that are.
        dry_run: Whether it is only said.
        quiet: Whether no progress is shown.

    Raises:
        BadInput: The manuscript or the project cannot be used.
        MachineFault: The disk is in the way, or a studio has the project open.
    """
    with Project.open(folder, read_only=dry_run) as project:
        tell(project)
        source = source_of(book)
        named = dict(policies or {})
        with Bar(f"reading {source.name}", quiet=quiet) as bar:
            choosing = _CHOOSING if skip or take else 0.0
            wished = choice_of(source, named, skip, take, part(bar.show, 0.0, choosing))
            fit = fitting_of(project)
            renewal = renewing.compare(
                project,
                source,
                with_wishes(project.choice(), named, wished),
                limits=fit.limits,
                by_voice=fit.by_voice,
                progress=part(bar.show, choosing, 1.0),
            )
            renewal = replace(renewal, notices=(*renewal.notices, *fit.notices))
            taken = False if dry_run else bool(renewing.apply(project, renewal))
        title = project.info.title
    return Reply(
        {"project": str(folder), "title": title, "taken": taken, **data(renewal)},
        [*summary(title, renewal), *_end(folder, renewal, dry_run)],
    )


def data(renewal: Renewal) -> dict[str, Any]:
    """What a new edition does to a book, for programs."""
    found = renewal.update
    return {
        "unchanged": found.unchanged,
        "moved": found.moved,
        "changed": [asdict(each) for each in found.changed],
        "new": [asdict(each) for each in found.new],
        "gone": [asdict(each) for each in found.gone],
        "directed": [asdict(each) for each in found.directed],
        "inside": list(found.inside),
        "reprinted": [asdict(each) for each in found.reprinted],
        "left_out": found.left_out,
        "chapters": [asdict(chapter) for chapter in found.chapters],
        "notices": list(renewal.notices),
    }


def summary(title: str, renewal: Renewal) -> list[str]:
    """What a new edition does to a book, for people: counts, chapters, texts and notices."""
    found = renewal.update
    lines = [f"“{title}”, new edition from {renewal.source.name}: {_counts(found)}."]
    if found.left_out:
        lines.append(
            f"  {found.left_out:,} that you have deleted from the book stay"
            f"{'s' * (found.left_out == 1)} deleted"
        )
    if found.reprinted:
        lines.append(
            f"  {len(found.reprinted):,} of the unchanged get other quotation marks, dashes or the "
            "like in their source, and keep their takes"
        )
    rows = [_row(chapter) for chapter in found.chapters if _is_touched(chapter)]
    if rows:
        heads = ("", "chapter", "unchanged", "moved", "changed", "new", "gone", "")
        lines += ["", *table([heads, *rows], right=(0, 2, 3, 4, 5, 6))]
    lines += _texts(found)
    if found.typed:
        lines.append(
            f"  note: the text behind what you have typed is another now; what you typed stays, "
            f"look at it: {_numbers([each.number for each in found.typed])}"
        )
    if found.inside:
        lines.append(
            f"  note: a pause or another voice begins within text that is unchanged and stays in "
            f"one piece; split it there to hear it: {_numbers(found.inside)}"
        )
    return lines + [f"  note: {notice}" for notice in renewal.notices]


def _numbers(places: Sequence[int]) -> str:
    more = "…" if len(places) > SHOWN else ""
    return ", ".join(f"{place:,}" for place in places[:SHOWN]) + more


def _counts(found: BookUpdate) -> str:
    counts = {
        "unchanged": found.unchanged,
        "moved": found.moved,
        "changed": len(found.changed),
        "new": len(found.new),
        "gone": len(found.gone),
    }
    return ", ".join(f"{count:,} {what}" for what, count in counts.items())


def _is_touched(chapter: ChapterUpdate) -> bool:
    counts = (chapter.moved, chapter.changed, chapter.new, chapter.gone)
    return any(counts) or chapter.title != chapter.before or not chapter.number


def _row(chapter: ChapterUpdate) -> tuple[str, ...]:
    if not chapter.number:
        what = "goes"
    elif chapter.before is None:
        what = "new"
    elif chapter.before != chapter.title:
        what = f"was “{_short(chapter.before)}”"
    else:
        what = ""
    counts = (chapter.unchanged, chapter.moved, chapter.changed, chapter.new, chapter.gone)
    return (
        str(chapter.number or "–"),
        _short(chapter.title, 40),
        *(f"{count:,}" if count else "·" for count in counts),
        what,
    )


def _texts(found: BookUpdate) -> list[str]:
    """The texts that change, come and go, the first of each."""
    lines = []
    for each in found.changed[:SHOWN]:
        lines += ["", f"  {each.number:,}  {_short(each.before)}", f"    → {_short(each.after)}"]
    lines += _more(len(found.changed), "changed")
    for what, passages in (("new", found.new), ("gone", found.gone)):
        if passages:
            lines += ["", f"  {what}:"]
            lines += [f"  {each.number:,}  {_said(each)}" for each in passages[:SHOWN]]
            lines += _more(len(passages), what)
    if found.directed:
        lines += ["", "  unchanged text that is read otherwise:"]
        for it in found.directed[:SHOWN]:
            lines += [f"  {it.number:,}  {_short(it.source)}", f"    → {'; '.join(it.what)}"]
        lines += _more(len(found.directed), "read otherwise")
    return [*lines, ""] if lines else lines


def _more(count: int, what: str) -> list[str]:
    if count <= SHOWN:
        return []
    return [f"  … {count - SHOWN:,} more {what}; --json lists all of them"]


def _said(passage: Passage) -> str:
    return "(scene break)" if passage.kind is Kind.SCENE_BREAK else _short(passage.source)


def _short(text: str, most: int = _LONGEST) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _end(folder: Path, renewal: Renewal, dry_run: bool) -> list[str]:
    """What a person may do next."""
    found = renewal.update
    if not found:
        return ["The book says all of it already, in this order."]
    if dry_run:
        return ["Nothing was changed; without --dry-run it will be, as one step."]
    lines = [f"One step: u in the studio takes it back (rhapsode open {in_shell(folder)})."]
    if found.new or found.changed or found.directed:
        lines.append(f"Next: rhapsode narrate {in_shell(folder)}")
    return lines
