"""From a queued item to a job, and from a clip to a take: what runs off the event loop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.errors import MachineFault
from studio.narration.worker import Job
from studio.project.model import Failure, NewTake, QueueItem, Reuse, Segment, Take, Voice
from studio.project.project import Project
from studio.project.recipe import (
    build_id,
    build_of,
    recipe_for,
    recipe_id,
    to_int16,
    wire_voice,
)
from studio.review import pace, signal


@dataclass(frozen=True, slots=True)
class Order:
    """What one job was made from; a job's ``tag``."""

    item: QueueItem
    segment: Segment
    voice: Voice


@dataclass(slots=True)
class Gathered:
    """What the head of the queue asks for."""

    jobs: list[tuple[str, Job]] = field(default_factory=list)
    """Engine and job, in the order of the queue."""
    reuses: list[Reuse] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    engines: set[str] = field(default_factory=set)
    """Engines that are needed and have not told their card yet."""
    waiting: list[tuple[str, int]] = field(default_factory=list)
    """Engine and id of the items that wait for these engines."""
    more: bool = False
    """Whether the queue may hold more than this."""
    size: tuple[int, int] = (0, 0)
    """Items and characters in the whole queue."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the queue will take, before it is begun."""

    segments: int
    seconds_audio: float
    seconds_wall: float | None
    """Model load left out; None while nothing is known of the engine's speed."""
    bytes: int
    """Disk space of the clips."""


FLAC_BYTES_PER_SECOND = 34_000
"""16-bit mono speech at 24 kHz, packed; measured 25 to 33 kB."""


def gather(
    project: Project, count: int, skip: Collection[int], cards: Mapping[str, wire.Card]
) -> Gathered:
    """Turn the head of the queue into jobs; to be called where the project may be used.

    Args:
        project: Whose queue.
        count: Items at most.
        skip: Ids of items that are taken already.
        cards: Engines that are loaded, by name.
    """
    items = project.next_items(count, skip)
    gathered = Gathered(more=len(items) == count, size=project.queue_size())
    if not items:
        return gathered
    segments = project.segments_by_uid([item.segment for item in items])
    voices = project.voices()
    for item in items:
        segment = segments.get(item.segment)
        if segment is None:
            continue
        voice = voices.get(segment.voice)
        if voice is None:
            reason = f"The voice {segment.voice} is not in this project; choose another with V."
            gathered.failures.append(Failure(item, reason))
        elif voice.engine not in cards:
            gathered.engines.add(voice.engine)
            gathered.waiting.append((voice.engine, item.id))
        else:
            _sort(project, Order(item, segment, voice), cards[voice.engine], gathered)
    return gathered


def _sort(project: Project, order: Order, card: wire.Card, gathered: Gathered) -> None:
    """One item becomes a failure, a take that is there already, or a job."""
    item, segment, voice = order.item, order.segment, order.voice
    reason = _objection(segment.spoken, card)
    if reason:
        gathered.failures.append(Failure(item, reason))
        return
    recipe = recipe_for(segment, voice, card, item.seed)
    build = build_id(card.engine, build_of(card))
    made = project.find_take(segment.uid, recipe_id(recipe), build)
    if made is not None and _can_be_heard(project, made):
        gathered.reuses.append(Reuse(item, made.id))
        return
    job = Job(
        key=(item.id, item.asked, item.seed, segment.spoken, voice.fingerprint, segment.speed),
        text=segment.spoken,
        language=voice.language,
        voice=wire_voice(voice, project.folder),
        seed=item.seed,
        speed=segment.speed,
        seconds=pace.expected_seconds(segment.spoken, segment.speed),
        tag=order,
    )
    gathered.jobs.append((voice.engine, job))


def _can_be_heard(project: Project, take: Take) -> bool:
    """Whether a take's clip is there and intact; to read it takes less time than to make it."""
    try:
        project.read_clip(take)
    except MachineFault:
        return False
    return True


def _objection(text: str, card: wire.Card) -> str:
    """Why an engine must not be given a text, or nothing."""
    if not text.strip():
        return "There is nothing to speak in this segment; edit its text, or delete it."
    if len(text) > card.max_chars:
        return (
            f"This segment has {len(text)} characters, and {card.engine} reads at most "
            f"{card.max_chars} at a time: split it, or shorten its text."
        )
    return ""


def keep(
    project: Project,
    job: Job,
    card: wire.Card,
    clip: wire.Clip,
    samples: NDArray[np.float32],
    worker: int,
) -> NewTake:
    """Round, judge and write one clip; safe on any thread.

    Args:
        project: Where the clip goes.
        job: What was narrated; its tag is an `Order`.
        card: The engine that made it.
        clip: What the engine says of the clip.
        samples: Shape (frames, channels), checked.
        worker: Number of the worker that made it.

    Raises:
        MachineFault: The disk is full or cannot be written to.
    """
    order: Order = job.tag
    pcm = to_int16(samples)
    findings = signal.check(pcm, clip.rate, job.text, speed=job.speed)
    recipe = recipe_for(order.segment, order.voice, card, job.seed)
    audio = clip.frames / clip.rate
    return NewTake(
        item=order.item,
        recipe_id=recipe_id(recipe),
        recipe=recipe,
        provenance={
            "build": build_of(card),
            "worker": worker,
            "seconds": clip.seconds,
            "cpu_seconds": clip.cpu_seconds,
            "stages": dict(clip.stages),
            "footprint": clip.footprint,
            "device_memory": clip.device_memory,
        },
        pcm_hash=project.write_clip(pcm, clip.rate),
        rate=clip.rate,
        channels=clip.channels,
        frames=clip.frames,
        rtf=clip.seconds / audio,
        findings=findings,
    )


def estimate(segments: Sequence[Segment], waiting: Sequence[Segment], workers: int = 1) -> Estimate:
    """What narrating segments will take, from the book's own takes where it has some.

    Args:
        segments: The whole book.
        waiting: What is to be narrated.
        workers: Workers that will share the work.
    """
    made = [segment for segment in segments if segment.seconds > 0 and segment.rtf > 0]
    expected = sum(pace.expected_seconds(segment.spoken, segment.speed) for segment in made)
    audio = sum(segment.seconds for segment in made)
    slowness = audio / expected if expected > 0 else 1.0
    seconds = slowness * sum(pace.expected_seconds(s.spoken, s.speed) for s in waiting)
    wall = None
    if made:
        rtf = sum(segment.rtf * segment.seconds for segment in made) / audio
        wall = seconds * rtf / max(1, workers)
    return Estimate(len(waiting), seconds, wall, round(seconds * FLAC_BYTES_PER_SECOND))
