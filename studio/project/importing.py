"""A manuscript becomes a project."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.book.coverage import Coverage, count, settled
from studio.book.languages import language_tag
from studio.book.manuscript import LeftOut
from studio.book.policies import Policies
from studio.book.readers import read
from studio.book.segmenting import SEGMENTING_VERSION, Limits, cut
from studio.book.speaking import SPEAKING_VERSION
from studio.errors import BadInput
from studio.project.model import Voice
from studio.project.project import Project

_NO_TICKS: Mapping[str, bool] = {}


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
    notices: tuple[str, ...] = ()
    """Sentences for a person about what was assumed."""


def import_book(
    path: Path,
    folder: Path | None,
    *,
    voice: Voice,
    language: str | None = None,
    limits: Limits | None = None,
    policies: Policies | None = None,
    ticks: Mapping[str, bool] = _NO_TICKS,
    default_folder: Callable[[str], Path] | None = None,
) -> tuple[Project, ImportReport]:
    """Read a manuscript, cut it and make a project of it; on failure nothing is left behind.

    Args:
        path: The manuscript.
        folder: Where the project goes; None to let ``default_folder`` choose.
        voice: The narrator.
        language: BCP 47 tag; None for what the book says of itself.
        limits: How long segments may be.
        policies: What of the manuscript is narrated; None for the defaults.
        ticks: What a person chose, by `Piece.id`.
        default_folder: Gives a folder for the book's title.

    Returns:
        The project, open for writing, and what was taken.

    Raises:
        BadInput: The manuscript cannot be used, or the folder exists.
        MachineFault: The disk is in the way.
    """
    wanted = language_tag(language) if language else ""
    if language and not wanted:
        raise BadInput(f"“{language}” is no language; write a tag such as en or en-GB.")
    manuscript = read(path, policies, ticks)
    notices = []
    title = manuscript.title.strip() or path.stem
    tongue = wanted or manuscript.language
    if not tongue:
        tongue = voice.language
        notices.append(f"the book does not name its language; it is taken for {tongue}")
    elif tongue.partition("-")[0].lower() != voice.language.partition("-")[0].lower():
        notices.append(
            f"the book is in {tongue} and the voice {voice.id} speaks {voice.language}; "
            f"it will sound foreign"
        )
    notices += manuscript.notices
    chapters = cut(manuscript, limits or Limits(), tongue)
    segments = [segment for chapter in chapters for segment in chapter.segments]
    if not any(segment.spoken for segment in segments):
        raise BadInput(f"{path} has no text to narrate; check that it is the right file.")
    for name in dict.fromkeys(segment.voice for segment in segments):
        if name and name != voice.id:
            notices.append(
                f"the text calls for the voice {name}, which this book does not have; "
                f"{voice.id} reads it"
            )
    if folder is None:
        if default_folder is None:
            raise BadInput("Name a folder for the project.")
        folder = default_folder(title)
    project = Project.create(
        folder,
        title=title,
        author=manuscript.author,
        language=tongue,
        voice=voice,
        chapters=chapters,
        source=path,
        speaking=SPEAKING_VERSION,
        segmenting=SEGMENTING_VERSION,
    )
    report = ImportReport(
        chapters=len(chapters),
        segments=len(segments),
        characters=sum(len(segment.source) for segment in segments),
        left_out=manuscript.left_out,
        coverage=settled(manuscript.coverage, sum(count(segment.source) for segment in segments)),
        notices=tuple(notices),
    )
    return project, report
