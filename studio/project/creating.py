"""A project's folder comes into being whole, or not at all."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.errors import BadInput, MachineFault
from studio.project import configuring, own_lexicon
from studio.project.asking import asked
from studio.project.clips import sync_folder
from studio.project.model import Voice
from studio.project.session import Session
from studio.project.settings_file import SETTINGS_NAME, parse, render
from studio.project.store import Store

STEP = 1024
"""Distance of two neighbours' positions, so that others fit between them later."""


def create(
    folder: Path,
    title: str,
    author: str,
    language: str,
    voice: Voice,
    chapters: Sequence[ChapterDraft],
    speaking: int,
    kept: Mapping[str, object],
    progress: Callable[[float], None] | None = None,
) -> None:
    """Make a project's folder beside its final place, then move it there.

    ``kept`` are settings that are for the program: where the book comes from, and how it was read.

    Raises:
        BadInput: The folder exists, or a setting cannot be.
        MachineFault: The disk is in the way; nothing is left behind.
    """
    if folder.exists() or folder.is_symlink():
        raise BadInput(f"{folder} exists already; name another folder with --to.")
    partial: Path | None = None
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        partial = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name[:40]}.part-"))
        partial.chmod(0o755)
        store = Store.create(partial)
        try:
            session = Session(partial, store)
            with store.transaction():
                _fill(session, title, author, language, voice, kept)
                _insert_chapters(session, chapters, voice, speaking, progress)
                own_lexicon.begin(session)
            # The same rules as for a settings file that a person has typed.
            parse(render(configuring.current(session)), folder / SETTINGS_NAME)
        finally:
            store.close()
        sync_folder(partial)
        partial.rename(folder)
        partial = None
        sync_folder(folder.parent)
    except OSError as error:
        raise MachineFault(
            f"{folder} cannot be made ({error.strerror}); check the disk and the permissions of "
            f"{folder.parent}."
        ) from error
    finally:
        if partial is not None:
            shutil.rmtree(partial, ignore_errors=True)


def segment_uids(chapters: Sequence[ChapterDraft]) -> Iterator[str]:
    """A uid for each segment in turn; two imports of one book give the same ones."""
    seen: dict[str, int] = {}
    used: set[str] = set()
    for chapter in chapters:
        for segment in chapter.segments:
            while True:
                seen[segment.source] = seen.get(segment.source, 0) + 1
                text = f"{seen[segment.source]}\n{segment.source}"
                uid = hashlib.sha256(text.encode()).hexdigest()[:12]
                if uid not in used:
                    break
            used.add(uid)
            yield uid


def _fill(
    session: Session,
    title: str,
    author: str,
    language: str,
    voice: Voice,
    kept: Mapping[str, object],
) -> None:
    values: dict[str, object] = {
        **kept,
        "title": title,
        "author": author,
        "language": language,
        "voice": voice.id,
    }
    for name, value in values.items():
        configuring.put_setting(session, name, value)
    configuring.insert_voice(session, configuring.adopted(session, voice))


def _insert_chapters(
    session: Session,
    chapters: Sequence[ChapterDraft],
    voice: Voice,
    speaking: int,
    progress: Callable[[float], None] | None,
) -> None:
    uids = segment_uids(chapters)
    voices = session.reader.voices()
    names = {name: name for name in voices}
    for number, chapter in enumerate(chapters, 1):
        session.store.execute(
            "INSERT INTO chapters (id, position, title) VALUES (?, ?, ?)",
            (number, number * STEP, chapter.title),
        )
        session.store.connection.executemany(
            "INSERT INTO segments (uid, chapter, position, kind, source, spoken, speaking,"
            " ends_paragraph, language, voice, seed, pause_ms, asked)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (
                    next(uids),
                    number,
                    place * STEP,
                    *_columns(segment, speaking),
                    segment.language,
                    asks.given,
                    segment.seed,
                    segment.pause_ms,
                    asks.kept(),
                )
                for place, segment in enumerate(chapter.segments, 1)
                for asks in (asked(segment, segment, names, voice.id),)
            ),
        )
        if progress is not None:
            progress(number / len(chapters))


def _columns(segment: SegmentDraft, speaking: int) -> tuple[str, str, str | None, int, int]:
    """Kind, source, spoken (nothing where it is the same), rules and end of a paragraph."""
    spoken = None if segment.spoken == segment.source else segment.spoken
    return (segment.kind.value, segment.source, spoken, speaking, int(segment.ends_paragraph))
