"""Small books and takes for the tests of the project room."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from engine.wire import Card
from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project.model import NewTake, QueueItem, Voice
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id

HEART = Voice(id="heart", engine="hibari", speaker="heart", language="en-US")
CARD = Card(
    engine="hibari",
    version="1",
    model="m",
    sample_rate=24_000,
    languages=("en-US",),
    max_chars=300,
    backend="onnxruntime",
    precision="fp32",
    device="cpu",
    build={"onnxruntime": "1.23"},
)


def drafts(chapters: int = 2, segments: int = 4) -> list[ChapterDraft]:
    """Chapters of a heading, sentences and a scene break."""
    book = []
    for chapter in range(chapters):
        lines = [SegmentDraft(Kind.HEADING, f"Chapter {chapter}", f"Chapter {chapter}", True, 7)]
        for line in range(segments - 2):
            text = f"Line {line} of chapter {chapter}, by Dr. Harrow."
            spoken = text.replace("Dr.", "Doctor")
            lines.append(SegmentDraft(Kind.PROSE, text, spoken, line % 2 == 1, 100 + line))
        lines.append(SegmentDraft(Kind.SCENE_BREAK, "", "", True, 0))
        book.append(ChapterDraft(f"Chapter {chapter}", tuple(lines)))
    return book


def make(folder: Path, **changes: Any) -> Project:
    """A project of two short chapters, open for writing."""
    values: dict[str, Any] = {
        "title": "The Ferry",
        "author": "A. Writer",
        "language": "en-US",
        "voice": HEART,
        "chapters": drafts(),
    }
    return Project.create(folder, **{**values, **changes})


def tone(number: int, frames: int = 2400) -> np.ndarray:
    """A short clip that differs from every other number's (32 bits)."""
    wave = (np.sin(np.arange(frames) * 0.05) * 8000).astype(np.int16)
    wave[:4] = [number >> shift & 0xFF for shift in (0, 8, 16, 24)]
    return wave.reshape(-1, 1)


def clip_of(recipe: dict[str, Any]) -> np.ndarray:
    """The clip that the engine of these tests makes of a recipe."""
    return tone(int(recipe_id(recipe)[:8], 16))


def narrated(project: Project, item: QueueItem, **changes: Any) -> NewTake:
    """What a director would hand in for an item, its clip on disk."""
    segment = project.segments_by_uid([item.segment])[item.segment]
    voice = project.voices()[segment.voice]
    recipe = {**recipe_for(segment, voice, CARD, item.seed), **changes}
    pcm = clip_of(recipe)
    return NewTake(
        item=item,
        recipe_id=recipe_id(recipe),
        recipe=recipe,
        provenance={"build": build_of(CARD), "worker": 1},
        pcm_hash=project.write_clip(pcm, CARD.sample_rate),
        rate=CARD.sample_rate,
        channels=1,
        frames=len(pcm),
        rtf=0.01,
        findings=(),
    )


def narrate_all(project: Project) -> None:
    """Record a take for everything in the queue."""
    project.record([narrated(project, item) for item in project.queue()])
