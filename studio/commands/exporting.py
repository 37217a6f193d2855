"""`rhapsode export`: chapters become WAV files. Shared with the export screen."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from studio.awake import Awake
from studio.commands.notices import tell
from studio.commands.reply import Reply
from studio.commands.selection import chapters_of
from studio.errors import BadInput, Incomplete, MachineFault
from studio.project.model import Chapter, Kind, Segment
from studio.project.project import Project
from studio.sound.export import chapter_file_name, export_wav
from studio.sound.levels import Level, factors, levels
from studio.sound.plan import chosen_timeline
from studio.ui.preferences import Preferences
from studio.wording import duration, number_runs, signed

OTHER_FORMATS = frozenset(
    (".mp3", ".m4a", ".m4b", ".mp4", ".flac", ".ogg", ".opus", ".aac", ".aiff")
)
"""Names of sound files that are not written yet; a folder is hardly called so."""


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """How chapters are written."""

    rate: int | None = None
    """Samples per second, None for the engine's own."""
    bits: Literal[16, 24] = 16
    partial: bool = False
    """Whether gaps are allowed."""
    to: Path | None = None
    """A folder, or a file for a single chapter; None for the project's ``exports``."""


@dataclass(frozen=True, slots=True)
class ExportedChapter:
    """One file that was written."""

    number: int
    title: str
    path: Path
    seconds: float
    rate: int
    bits: int
    missing: tuple[int, ...]
    """Numbers of the segments that it leaves out."""
    stale: tuple[int, ...]
    """Numbers of the segments whose take is older than their text."""
    levels: tuple[Level, ...] = ()
    """How loud the voices of the book are, and what was done about it; nothing where one model of
    one engine reads it."""


def missing_segments(project: Project, chapters: Sequence[Chapter]) -> dict[int, list[int]]:
    """Numbers of the segments without a clip, by the number of the chapter that lacks them."""
    gaps: dict[int, list[int]] = {}
    for chapter in chapters:
        missing = _without_clip(project.segments(chapter.id))
        if missing:
            gaps[chapter.number] = missing
    return gaps


def export_chapters(
    project: Project,
    chapters: Sequence[Chapter],
    options: ExportOptions,
    progress: Callable[[float], None] = lambda _: None,
) -> list[ExportedChapter]:
    """Write each chapter to a WAV file of its own.

    Args:
        project: The project, open for reading at least.
        chapters: What to export.
        options: How.
        progress: Called with the fraction that is done, 0 to 1.

    Raises:
        Incomplete: Clips are missing and ``partial`` is off; nothing was written.
        BadInput: There is nothing to export, or the target does not fit.
        MachineFault: The disk is in the way.
    """
    gaps = missing_segments(project, chapters)
    if gaps and not options.partial:
        raise Incomplete(refusal(gaps))
    chapters = [chapter for chapter in chapters if chapter.segments]
    if not chapters:
        raise BadInput(f"“{project.info.title}” has no segments to export.")
    files = _targets(project, chapters, options)
    loudness = levels(project)
    written = []
    for index, (chapter, path) in enumerate(zip(chapters, files, strict=True)):

        def step(fraction: float, index: int = index) -> None:
            progress((index + fraction) / len(chapters))

        written.append(_export_one(project, chapter, path, options, loudness, step))
    return written


def refusal(gaps: dict[int, list[int]]) -> str:
    """The sentence that names what is missing."""
    parts = [f"chapter {number}: {number_runs(missing)}" for number, missing in gaps.items()]
    return (
        "These segments have no clip yet: " + "; ".join(parts) + ". "
        "Narrate them, or export with --partial to leave gaps."
    )


def _targets(project: Project, chapters: Sequence[Chapter], options: ExportOptions) -> list[Path]:
    """The file of each chapter."""
    to = options.to
    if to is not None and not to.is_dir() and to.suffix.lower() != ".wav":
        if to.suffix.lower() in OTHER_FORMATS:
            raise BadInput(f"{to} would be no WAV file; name a .wav file, or a folder.")
        if to.exists():
            raise BadInput(f"{to} is a file already; name a folder, or a .wav file.")
    if to is not None and to.suffix.lower() == ".wav" and not to.is_dir():
        if len(chapters) != 1:
            raise BadInput(
                f"{to} is one file and {len(chapters)} chapters were chosen; "
                f"name a folder, or one chapter."
            )
        return [to]
    folder = to if to is not None else project.folder / "exports"
    return [folder / chapter_file_name(chapter.number, chapter.title) for chapter in chapters]


def _export_one(
    project: Project,
    chapter: Chapter,
    path: Path,
    options: ExportOptions,
    loudness: tuple[Level, ...],
    progress: Callable[[float], None],
) -> ExportedChapter:
    """Write one chapter."""
    segments = project.segments(chapter.id)
    timeline = chosen_timeline(
        project,
        segments,
        partial=options.partial,
        where=f"chapter {chapter.number}",
        gains=factors(loudness),
    )
    result = export_wav(timeline, path, rate=options.rate, bits=options.bits, progress=progress)
    return ExportedChapter(
        number=chapter.number,
        title=chapter.title,
        path=result.path,
        seconds=result.seconds,
        rate=result.rate,
        bits=options.bits,
        missing=tuple(_without_clip(segments)),
        stale=tuple(segment.number for segment in segments if segment.stale),
        levels=loudness,
    )


def _without_clip(segments: Sequence[Segment]) -> list[int]:
    """Numbers of the segments that should be heard and have no clip."""
    return [
        segment.number
        for segment in segments
        if segment.kind is not Kind.SCENE_BREAK and segment.chosen is None
    ]


def _opened(folder: Path) -> Project:
    """The project with a hand edit of its settings taken over, where nobody else has it open.

    Raises:
        BadInput: There is no project.
        MachineFault: It cannot be read.
    """
    try:
        return Project.open(folder)
    except MachineFault:
        # In use, or not ours to write: what was finished can be exported all the same.
        return Project.open(folder, read_only=True)


def export(folder: Path, *, chapters: Sequence[int], options: ExportOptions) -> Reply:
    """Export chapters of a project and say where they are."""
    with _opened(folder) as project:
        tell(project)
        with Awake(on=Preferences.load().keep_awake):
            written = export_chapters(project, chapters_of(project, chapters), options)
    lines = []
    for item in written:
        lines.append(f"Chapter {item.number}, {duration(item.seconds)}: {item.path}")
        if item.missing:
            lines.append(f"  gaps where no clip exists: {number_runs(item.missing)}")
        if item.stale:
            which = number_runs(item.stale)
            lines.append(f"  stale, made before text, voice or speed was changed: {which}")
    loudness = written[0].levels if written else ()
    lines += [_level_line(level, loudness) for level in loudness]
    data: dict[str, Any] = {
        "levels": [
            {
                **level.origin._asdict(),
                "lufs": round(level.lufs, 1) if math.isfinite(level.lufs) else None,
                "gain_db": level.gain_db,
                "speech_seconds": round(level.seconds, 1),
            }
            for level in loudness
        ],
        "files": [
            {
                "chapter": item.number,
                "title": item.title,
                "path": str(item.path),
                "seconds": round(item.seconds, 3),
                "rate": item.rate,
                "bits": item.bits,
                "missing": list(item.missing),
                "stale": list(item.stale),
            }
            for item in written
        ],
    }
    return Reply(data, lines)


def _level_line(level: Level, among: Sequence[Level]) -> str:
    """What was done about a voice's loudness; its model is named where the engine has several."""
    voice, engine, model = level.origin
    who = f"Voice “{voice}” of {engine}"
    if len({it.origin.model for it in among if it.origin.engine == engine}) > 1:
        who += f", model {model[:12] or '–'}"
    if not math.isfinite(level.lufs):
        return f"{who}: too short or too soft to be measured, left as it is"
    if not level.known:
        return (
            f"{who}: only {level.seconds:.1f} s of speech, too little to tell how loud it is; left "
            "as it is"
        )
    if not level.gain_db:
        return f"{who}: {signed(level.lufs)} LUFS, left as it is"
    return f"{who}: {signed(level.lufs)} LUFS, {signed(level.gain_db, '+')} dB to match the others"
