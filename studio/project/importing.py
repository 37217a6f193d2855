"""A manuscript becomes a project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.book.coverage import Coverage
from studio.book.manuscript import LeftOut
from studio.book.policies import Policies
from studio.book.segmenting import SEGMENTING_VERSION, Limits
from studio.book.speaking import SPEAKING_VERSION
from studio.errors import BadInput
from studio.project import account
from studio.project.manuscripts import Choice, Prepared, Progress, Source, part, prepare
from studio.project.model import Voice
from studio.project.project import Project

_NO_TICKS: Mapping[str, bool] = {}
_PREPARING = 0.9
"""The share of reading and cutting in an import, about; the rest is storing."""


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was taken from a manuscript, and what was not."""

    chapters: int
    segments: int
    characters: int
    """Length of the source text that was taken."""
    left_out: tuple[LeftOut, ...]
    coverage: Coverage
    """What became of every character of the manuscript."""
    choice: Choice
    """What was chosen of it."""
    notices: tuple[str, ...] = ()
    """Sentences for a person about what was assumed."""


def import_book(
    book: Path | Source,
    folder: Path | None,
    *,
    voice: Voice,
    language: str | None = None,
    limits: Limits | None = None,
    policies: Policies | None = None,
    ticks: Mapping[str, bool] = _NO_TICKS,
    default_folder: Callable[[str], Path] | None = None,
    progress: Progress | None = None,
) -> tuple[Project, ImportReport]:
    """Read a manuscript, cut it and make a project of it; on failure nothing is left behind.

    Args:
        book: The manuscript.
        folder: Where the project goes; None to let ``default_folder`` choose.
        voice: The narrator.
        language: BCP 47 tag; None for what the book says of itself.
        limits: How long segments may be.
        policies: What of the manuscript is narrated; None for the defaults.
        ticks: What a person chose, by `Piece.id`.
        default_folder: Gives a folder for the book's title.
        progress: Told how far it is, 0 to 1.

    Returns:
        The project, open for writing, and what was taken.

    Raises:
        BadInput: The manuscript cannot be used, or the folder exists.
        MachineFault: The disk is in the way.
    """
    source = book if isinstance(book, Source) else Source(book)
    choice = Choice(policies or Policies(), ticks)
    tell = progress or (lambda fraction: None)
    ready = prepare(
        source,
        choice,
        spoken_language=voice.language,
        language=language,
        limits=limits,
        progress=part(tell, 0.0, _PREPARING),
    )
    title = ready.manuscript.title.strip() or Path(source.name).stem
    if folder is None:
        if default_folder is None:
            raise BadInput("Name a folder for the project.")
        folder = default_folder(title)
    project = Project.create(
        folder,
        title=title,
        author=ready.manuscript.author,
        language=ready.language,
        voice=voice,
        chapters=ready.chapters,
        speaking=SPEAKING_VERSION,
        segmenting=SEGMENTING_VERSION,
        kept={
            "source": source.origin(),
            "import": choice.values(),
            account.COVERAGE: account.compact(ready.coverage),
        },
        progress=part(tell, _PREPARING, 1.0),
    )
    report = ImportReport(
        chapters=len(ready.chapters),
        segments=sum(len(chapter.segments) for chapter in ready.chapters),
        characters=ready.characters,
        left_out=ready.manuscript.left_out,
        coverage=ready.coverage,
        choice=choice,
        notices=(*ready.notices, *_about_voices(ready, voice)),
    )
    return project, report


def _about_voices(ready: Prepared, voice: Voice) -> list[str]:
    """What a person should know about who reads."""
    notices = []
    tongue = ready.language
    if tongue.partition("-")[0].lower() != voice.language.partition("-")[0].lower():
        notices.append(
            f"the book is in {tongue} and the voice {voice.id} speaks {voice.language}; "
            f"it will sound foreign"
        )
    named = (segment.voice for chapter in ready.chapters for segment in chapter.segments)
    for name in dict.fromkeys(named):
        if name and name != voice.id:
            notices.append(
                f"the text calls for the voice {name}, which this book does not have; "
                f"{voice.id} reads it"
            )
    return notices
