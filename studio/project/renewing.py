"""A project is brought to a new edition of its manuscript, read as the first one was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from studio.book.segmenting import SEGMENTING_VERSION, Limits
from studio.book.speaking import SPEAKING_VERSION
from studio.project import account
from studio.project.comparing import BookUpdate
from studio.project.manuscripts import Choice, Prepared, Progress, Source, prepare
from studio.project.model import Change
from studio.project.project import Project


@dataclass(frozen=True, slots=True)
class Renewal:
    """A new edition that was read and compared; nothing has been changed yet."""

    source: Source
    choice: Choice
    prepared: Prepared
    update: BookUpdate
    """What it does to the book, if nothing else is done to it meanwhile."""
    notices: tuple[str, ...]
    """Sentences for a person about what was assumed."""


def compare(
    project: Project,
    source: Source,
    choice: Choice,
    *,
    limits: Limits | None = None,
    by_voice: Mapping[str, Limits] = MappingProxyType({}),
    progress: Progress | None = None,
) -> Renewal:
    """Read a new edition and see what it does to a book; nothing is changed.

    Args:
        project: The book.
        source: The manuscript.
        choice: What of it is narrated; `Project.choice` is what the book goes by.
        limits: How long new segments may be.
        by_voice: The same for voices that markers name.
        progress: Told how far it is, 0 to 1.

    Raises:
        BadInput: The manuscript cannot be used.
    """
    language = project.info.language
    prepared = prepare(
        source,
        choice,
        spoken_language=language,
        language=language,
        limits=limits,
        by_voice=by_voice,
        progress=progress,
    )
    return Renewal(
        source,
        choice,
        prepared,
        project.compared(prepared.chapters, {"import": choice.values()}),
        (*prepared.notices, *_about_voices(project, prepared)),
    )


def apply(project: Project, renewal: Renewal) -> Change:
    """Take over what `compare` has read, as one step; the book is compared anew.

    Raises:
        BadInput: Nothing would be left to narrate.
        MachineFault: The manuscript, or the project, cannot be used any more.
    """
    return project.update_book(
        renewal.prepared.chapters,
        speaking=SPEAKING_VERSION,
        segmenting=SEGMENTING_VERSION,
        kept={
            "source": renewal.source.origin(),
            "import": renewal.choice.values(),
            account.COVERAGE: account.compact(renewal.prepared.coverage),
        },
    )


def with_wishes(remembered: Choice, policies: dict[str, str], wished: Choice) -> Choice:
    """What was chosen at the import, but for what a person wishes otherwise now.

    Args:
        remembered: As the book goes by it.
        policies: Names of the policies that were named now.
        wished: Their values, and pieces that were named now.
    """
    named = {name: getattr(wished.policies, name) for name in policies}
    return Choice(replace(remembered.policies, **named), {**remembered.ticks, **wished.ticks})


def _about_voices(project: Project, prepared: Prepared) -> list[str]:
    voices = project.voices()
    narrator = project.info.voice
    named = (segment.voice for chapter in prepared.chapters for segment in chapter.segments)
    return [
        f"the text calls for the voice {name}, which this book does not have; "
        f"{narrator} reads what is new of it"
        for name in dict.fromkeys(named)
        if name and name not in voices
    ]
