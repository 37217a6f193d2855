"""What a soak narrates: a throw-away copy of a book, lines shuffled and with seeds of their own.

The same book, number of clips and seed give the same lines, so that two runs can be compared byte
for byte. Every line is a segment of its own, so no take is ever found again instead of narrated.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput
from studio.project.model import Kind, Segment, Voice
from studio.project.project import Project

CHAPTER_LINES = 250
"""Lines of one chapter of the copy."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a soak changes of the engines' configuration; None leaves a setting as it is."""

    budget_mb: int | None = None
    """0 takes the ceiling away as well: nothing recycles for memory."""
    max_clips: int | None = None
    spare: bool | None = None


def lines(segments: Sequence[Segment], clips: int, seed: int) -> list[tuple[Segment, int]]:
    """Pick the lines: the whole book in shuffled order, and again until there are enough.

    Args:
        segments: The book.
        clips: How many lines.
        seed: Decides the order and every line's own seed.

    Returns:
        Segments of the book, each with the 32-bit seed that it is narrated with here.

    Raises:
        BadInput: The book has nothing to speak.
    """
    spoken = [s for s in segments if s.kind is not Kind.SCENE_BREAK and s.spoken.strip()]
    if not spoken:
        raise BadInput("There is nothing to narrate in this book; import one with text.")
    chance = random.Random(seed)
    picked: list[Segment] = []
    while len(picked) < clips:
        chance.shuffle(spoken)
        picked += spoken[: clips - len(picked)]
    return [(segment, _seed(seed, place, segment)) for place, segment in enumerate(picked)]


def copy(source: Path, folder: Path, clips: int, seed: int) -> Project:
    """Make and open the throw-away project.

    Args:
        source: The book's project, which is only read.
        folder: Where the copy goes; it must not exist.
        clips: How many lines it gets.
        seed: As for `lines`.

    Raises:
        BadInput: The book has nothing to speak, or the folder exists.
        MachineFault: The disk is in the way.
    """
    with Project.open(source, read_only=True) as book:
        info = book.info
        voices = {name: _absolute(voice, source) for name, voice in book.voices().items()}
        picked = lines(book.segments(), clips, seed)
    narrator = voices.pop(info.voice)
    project = Project.create(
        folder,
        title=f"Soak of {info.title}",
        author=info.author,
        language=info.language,
        voice=narrator,
        chapters=list(_chapters(picked)),
    )
    try:
        for voice in voices.values():
            project.put_voice(voice)
        _give(project, picked, narrator.id)
    except BaseException:
        project.close()
        raise
    return project


def engines(project: Project) -> list[str]:
    """The engines that the lines of a project need, by name."""
    voices = project.voices()
    used = {segment.voice for segment in project.segments()}
    return sorted({voices[name].engine for name in used if name in voices})


def limited(catalogue: Catalogue, limits: Limits) -> Catalogue:
    """The same engines under other limits."""
    changed = {}
    for name in catalogue:
        spec = catalogue[name]
        if limits.budget_mb is not None:
            spec = replace(spec, budget_mb=limits.budget_mb)
            spec = spec if limits.budget_mb else replace(spec, ceiling_mb=0)
        if limits.max_clips is not None:
            spec = replace(spec, max_clips=limits.max_clips)
        if limits.spare is not None:
            spec = replace(spec, spare=limits.spare)
        changed[name] = spec
    return Catalogue(changed)


def _seed(seed: int, place: int, segment: Segment) -> int:
    """A line's own seed: as good as chance, and the same in every run."""
    digest = hashlib.sha256(f"{seed}\n{place}\n{segment.uid}".encode()).digest()
    return int.from_bytes(digest[:4], "big")


def _absolute(voice: Voice, source: Path) -> Voice:
    """A voice whose reference audio is found from anywhere, and is therefore copied."""
    if not voice.reference:
        return voice
    return replace(voice, reference=str(source.resolve() / voice.reference))


def _chapters(picked: Sequence[tuple[Segment, int]]) -> list[ChapterDraft]:
    drafts = [
        SegmentDraft(
            kind=segment.kind,
            source=segment.source,
            spoken=segment.spoken,
            ends_paragraph=segment.ends_paragraph,
            seed=seed,
        )
        for segment, seed in picked
    ]
    starts = range(0, len(drafts), CHAPTER_LINES)
    return [
        ChapterDraft(f"Lines from {start + 1}", tuple(drafts[start : start + CHAPTER_LINES]))
        for start in starts
    ]


def _give(project: Project, picked: Sequence[tuple[Segment, int]], narrator: str) -> None:
    """Give lines the voice and the speed that they have in the book."""
    made = project.segments()
    by_voice: dict[str, list[str]] = {}
    by_speed: dict[float, list[str]] = {}
    for new, (old, _) in zip(made, picked, strict=True):
        if old.voice != narrator:
            by_voice.setdefault(old.voice, []).append(new.uid)
        if old.speed != 1.0:
            by_speed.setdefault(old.speed, []).append(new.uid)
    for voice, uids in by_voice.items():
        project.set_voice(uids, voice)
    for speed, uids in by_speed.items():
        project.set_speed(uids, speed)
