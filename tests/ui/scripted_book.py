"""One book in every state a segment can be in, the same to the bit each time; and a fixed clock."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Self

import numpy as np
import pytest
from studio_rig import CARD, HEART, RATE, Rig

from studio.book.drafts import ChapterDraft, SegmentDraft
from studio.book.kinds import Kind
from studio.project import history, narrating, queueing
from studio.project.model import Failure, NewTake, QueueItem, Voice
from studio.project.project import Project
from studio.project.recipe import build_of, recipe_for, recipe_id
from studio.ui import recipe_text
from studio.ui.screens import library, notices, showing_takes

LANDING = (
    (Kind.HEADING, "The Landing"),
    (
        Kind.PROSE,
        "She had waited eleven years for a letter that nobody in the village believed in.",
    ),
    (Kind.DIALOGUE, "“Is it true?” he whispered."),
    (Kind.PROSE, "Dr. Harrow counted the coins twice, then pushed them across the table."),
    (Kind.SCENE_BREAK, ""),
    (Kind.PROSE, "Nobody remembered when the mill had stopped turning."),
    (Kind.DIALOGUE, "“The ferry goes at six,” said Ann, “and not a minute later.”"),
    (Kind.VERSE, "Low water, slow water, carry me home."),
    (Kind.PROSE, "In the cellar the old clock struck thirteen, as it had every night since March."),
    (Kind.DIALOGUE, "“Then we are late,” said Dr. Harrow."),
)
WATER = (
    (Kind.HEADING, "Low Water"),
    (Kind.PROSE, "The boards of the landing were grey and as soft as bread."),
    (Kind.DIALOGUE, "“Who wrote that?” asked the miller, and he pointed at the door."),
    (Kind.PROSE, "On the 3rd of May, 1911, the water rose by 4 m in one night."),
    (Kind.DIALOGUE, "“I did,” said Ann."),
)
BELL = (
    (Kind.HEADING, "The Bell"),
    (Kind.PROSE, "It rang once. Nobody in the village would ring it again."),
)
CHAPTERS = (("The Landing", LANDING), ("Low Water", WATER), ("The Bell", BELL))
MILLER = Voice("miller", "hibari", "heart", settings={"pitch": -3}, sample="Mind the step.")
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MIB = 1 << 20


class Clock(datetime):
    """A clock that stands still until a test moves it."""

    present = NOW

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> Self:
        there = cls.present.astimezone(tz)
        return cls.fromisoformat(there.isoformat())


def seed(number: int) -> int:
    """The n-th seed: as long as seeds are, and the same each time."""
    return number * 2_654_435_761 % 2**32


@contextmanager
def nothing_by_chance() -> Iterator[None]:
    """The same clock and the same seeds each time, and notices that stay until they are read."""
    drawn = iter(range(1_000, 2_000))
    with pytest.MonkeyPatch.context() as patch:
        for module in (history, narrating, recipe_text, library, showing_takes):
            patch.setattr(module, "datetime", Clock)
        patch.setattr(Clock, "present", NOW)
        patch.setattr(queueing, "draw_seed", lambda: seed(next(drawn)))
        for name in ("NOTICE_SECONDS", "WELCOME_SECONDS"):
            patch.setattr(notices, name, 3_600.0)
        yield


def drafts() -> list[ChapterDraft]:
    """The chapters as an import makes them."""
    made, number = [], 0
    for title, lines in CHAPTERS:
        segments = []
        for kind, text in lines:
            number += 1
            spoken = text.replace("Dr.", "Doctor").replace("4 m ", "four metres ")
            segments.append(SegmentDraft(kind, text, spoken, True, seed(number)))
        made.append(ChapterDraft(title, tuple(segments)))
    return made


def fresh_book(folder: Path) -> Path:
    """The book as it was imported, closed again."""
    Project.create(
        folder,
        title="The Ferry",
        author="A. Writer",
        language="en-US",
        voice=HEART,
        chapters=drafts(),
    ).close()
    return folder


def worked_book(folder: Path) -> Path:
    """The book after a day's work: a segment of the first chapter in each state, closed again."""
    fresh_book(folder)
    with nothing_by_chance(), Project.open(folder) as project:
        project.put_voice(MILLER)
        uids = [segment.uid for segment in project.segments()]
        Clock.present = NOW - timedelta(days=1)
        narrate(project, uids[:5])
        Clock.present = NOW - timedelta(hours=2)
        narrate(project, [uids[5]], findings=("0.9 s of silence inside", "it is clipped"))
        narrate(project, [uids[5]], candidates=2)
        project.add_recording(uids[5], wave(3.4, 7), RATE, "pick-up.wav", "00" * 32)
        narrate(project, [uids[2]], findings=("0.9 s of silence inside",), candidates=1)
        takes = project.takes(uids[5])
        project.star_take(takes[1].id, True)
        project.choose_take(uids[5], takes[2].id)
        project.choose_take(uids[2], project.takes(uids[2])[-1].id)
        Clock.present = NOW - timedelta(minutes=5)
        project.approve(uids[:2])
        project.edit_spoken(uids[3], "Doctor Harrow counted the coins, then pushed them across.")
        fail(project, uids[6], "the engine cannot say “Ann”")
        project.mark([uids[7]])
        project.set_note(uids[7], "sung, or spoken?")
    return folder


def wave(length: float, number: int) -> np.ndarray:
    """A clip with the rise and fall of speech."""
    at = np.arange(round(length * RATE)) / RATE
    syllables = np.abs(np.sin(at * 9 + number)) * (0.55 + 0.45 * np.sin(at * 2.3 + 2 * number))
    return (np.sin(at * 900) * syllables * 16_000).astype(np.int16).reshape(-1, 1)


def narrate(
    project: Project, uids: list[str], findings: tuple[str, ...] = (), candidates: int = 0
) -> None:
    """Make what is asked for, as a director does."""
    project.enqueue(uids, candidates=candidates)
    for item in project.next_items(100):
        project.record([made(project, item, findings)])


def made(project: Project, item: QueueItem, findings: tuple[str, ...]) -> NewTake:
    """What comes of one narration."""
    segment = project.segments_by_uid([item.segment])[item.segment]
    recipe = recipe_for(segment, project.voices()[segment.voice], CARD, item.seed)
    pcm = wave(0.4 + 0.058 * len(segment.spoken) + item.seed % 7 / 10, item.seed % 11)
    return NewTake(
        item=item,
        recipe_id=recipe_id(recipe),
        recipe=recipe,
        provenance={
            "build": build_of(CARD),
            "worker": 1,
            "seconds": 0.03,
            "stages": {"speaking": 0.03},
        },
        pcm_hash=project.write_clip(pcm, RATE),
        rate=RATE,
        channels=1,
        frames=len(pcm),
        rtf=0.007 + item.seed % 5 / 1000,
        findings=findings,
    )


def fail(project: Project, uid: str, reason: str) -> None:
    """Ask for a narration that fails."""
    project.enqueue([uid])
    project.record([], [Failure(item, reason) for item in project.next_items(1)])


async def still(rig: Rig) -> None:
    """Wait until everything that was asked for is on the screen."""

    def rests() -> bool:
        screen = rig.screen
        read = {take.pcm_hash for take in screen.takes} <= screen._waves.keys()
        running = any(
            worker.group in ("takes", "explain", "count", "progress") and not worker.is_finished
            for worker in rig.app.workers
        )
        return (
            not screen.has_class("-opening")
            and screen._rest is None
            and screen.panel._filling is None
            and screen.current is not None
            and len(screen.takes) == screen.current.takes
            and read
            and not running
        )

    await rig.until(rests, "for the screen to rest")
    await rig.pilot.pause()


async def at(rig: Rig, number: int) -> None:
    """Put the cursor on a segment, and wait for its takes."""
    rig.screen.grid.move_to(number - 1)
    await rig.until(lambda: rig.line.number == number)
    await still(rig)
