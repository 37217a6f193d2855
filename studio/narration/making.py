"""From a queued item to a job, and from a clip to a take: what runs off the event loop."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.book.engine_marks import marks
from studio.book.pronunciation import plain
from studio.errors import BadInput, MachineFault
from studio.narration import repeating, validate
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
from studio.project.tokens import TOKENS_BLOB, are_tokens, tokens_of
from studio.review import pace, signal


@dataclass(frozen=True, slots=True)
class Order:
    """What one job was made from; a job's ``tag``."""

    item: QueueItem
    segment: Segment
    """As it is asked for: its text and speed those of the recipe where a take is made again."""
    voice: Voice
    tokens: bytes = b""
    """Speech tokens of an earlier take, where these are to be voiced again."""


def order_of(job: Job) -> Order:
    """What a job was made from."""
    order: Order = job.tag
    return order


def item_of(job: Job) -> QueueItem:
    """The queue's row of a job."""
    return order_of(job).item


@dataclass(frozen=True, slots=True)
class Made:
    """What a worker has made of a job."""

    clip: wire.Clip
    samples: NDArray[np.float32]
    """Shape (frames, channels), checked."""
    blobs: Mapping[str, bytes]
    """What came along with the samples, checked."""
    card: wire.Card
    """The engine that made it."""
    worker: int
    """Number of the worker that made it."""


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
    marked: str = ""
    """The book's title, where each of its takes must follow from its recipe alone."""
    refused: dict[str, str] = field(default_factory=dict)
    """Engines that are loaded and not for such a book, and why, as sentences."""


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
    project: Project,
    count: int,
    skip: Collection[int],
    cards: Mapping[str, wire.Card],
    only: Collection[str] | None = None,
) -> Gathered:
    """Turn the head of the queue into jobs; to be called where the project may be used.

    Args:
        project: Whose queue.
        count: Items at most.
        skip: Ids of items that are taken already.
        cards: Engines that are loaded, by name.
        only: Uids of the segments to look at; None for all.
    """
    items = project.next_items(count, skip, only)
    gathered = Gathered(more=len(items) == count, size=project.queue_size())
    if not items:
        return gathered
    segments = project.segments_by_uid([item.segment for item in items])
    voices = project.voices()
    gathered.marked = project.info.title if project.settings().reproducible else ""
    for item in items:
        segment = segments.get(item.segment)
        if segment is None:
            continue
        order = _order(project, item, segment, voices)
        if isinstance(order, str):
            gathered.failures.append(Failure(item, order))
        elif order.voice.engine not in cards:
            gathered.engines.add(order.voice.engine)
            gathered.waiting.append((order.voice.engine, item.id))
        elif not _refused(project, order, cards[order.voice.engine], gathered):
            _sort(project, order, cards[order.voice.engine], gathered)
    return gathered


def _refused(project: Project, order: Order, card: wire.Card, gathered: Gathered) -> bool:
    """Whether the book must not be narrated by an engine; then its item waits for a person."""
    why = repeating.of_card(card) if gathered.marked else ""
    if why:
        name = order.voice.engine
        gathered.refused[name] = repeating.refusal(gathered.marked, project.folder, name, why)
        gathered.waiting.append((name, order.item.id))
    return bool(why)


def _order(
    project: Project, item: QueueItem, segment: Segment, voices: Mapping[str, Voice]
) -> Order | str:
    """What an item asks for, or why nobody can make it."""
    if item.remake is not None:
        return _recorded_order(project, item, segment, voices)
    voice = voices.get(segment.voice)
    if voice is None:
        return f"The voice {segment.voice} is not in this project; choose another with V."
    return Order(item, segment, voice)


def _recorded_order(
    project: Project, item: QueueItem, segment: Segment, voices: Mapping[str, Voice]
) -> Order | str:
    """What a take was made from, to be made again: the text and the voice as they were then."""
    try:
        take = project.take(item.remake or 0)
    except BadInput:
        return "The take that was to be made again is not there any more."
    recipe = take.recipe
    if take.recorded:
        return f"Take {take.number} is a recording; no engine can make it again."
    tokens = b""
    if item.replay or take.replayed:
        tokens = project.blob(take.id, TOKENS_BLOB) or b""
        if not tokens or not are_tokens(tokens):
            return f"Take {take.number} keeps no speech tokens, so it cannot be voiced again."
    reading = [v for v in voices.values() if v.fingerprint == recipe["voice"]]
    # Two voices may be alike but for their names: the one of that name, where it is among them.
    voice = next((v for v in reading if v.id == take.voice), reading[0] if reading else None)
    if voice is None:
        known = take.voice in voices
        gone = "has changed since" if known else "is not in this project any more"
        again = "voiced" if item.replay else "made"
        return (
            f"Take {take.number} cannot be {again} again: the voice “{take.voice}” {gone}; "
            "its take stays as it is."
        )
    asked = replace(segment, spoken=recipe["spoken"], speed=recipe["speed"])
    return Order(item, asked, replace(voice, language=recipe["language"]), tokens)


def _sort(project: Project, order: Order, card: wire.Card, gathered: Gathered) -> None:
    """One item becomes a failure, a take that is there already, or a job."""
    item, segment, voice = order.item, order.segment, order.voice
    reason = _objection(segment.spoken, card) or _cannot_replay(project, order, card)
    if item.remake is None and segment.edited and not reason:
        reason = _unknown_marks(segment.spoken, card)
    if reason:
        gathered.failures.append(Failure(item, reason))
        return
    recipe = recipe_for(segment, voice, card, item.seed, order.tokens)
    build = build_id(card.engine, build_of(card))
    made = None
    if item.remake is None or item.replay:
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
        tokens=tokens_of(order.tokens) if order.tokens else (),
        seconds=pace.expected_seconds(segment.spoken, segment.speed),
        tag=order,
    )
    gathered.jobs.append((voice.engine, job))


def _cannot_replay(project: Project, order: Order, card: wire.Card) -> str:
    """Why an engine must not be given a take's speech tokens, or nothing."""
    if not order.tokens:
        return ""
    take = project.take(order.item.remake or 0)
    if take.recipe["engine"] != card.engine:
        return (
            f"Take {take.number} cannot be voiced again: its speech tokens are those of the engine "
            f"{take.recipe['engine']}, and its voice is read by {card.engine} now."
        )
    if not card.replays:
        return (
            f"Take {take.number} cannot be voiced again: the engine {card.engine} does not voice "
            "kept speech tokens."
        )
    return ""


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
    length = len(plain(text))
    if length > card.max_chars:
        return (
            f"This segment has {length} characters, and {card.engine} reads at most "
            f"{card.max_chars} at a time: split it, or shorten its text."
        )
    return ""


def _unknown_marks(text: str, card: wire.Card) -> str:
    """Why an engine must not be given a text that was typed for another one, or nothing."""
    found = marks(text) if card.all_words else ()
    if not found:
        return ""
    return (
        f"This segment has {'the marks' if len(found) > 1 else 'the mark'} {', '.join(found)}, "
        f"which {card.engine} would say as words: take them out of its text, or give it a voice of "
        "the engine that they are for."
    )


def keep(project: Project, job: Job, made: Made) -> NewTake:
    """Round, judge and write one clip; safe on any thread.

    Args:
        project: Where the clip goes.
        job: What was narrated; its tag is an `Order`.
        made: What came of it.

    Raises:
        MachineFault: The disk is full or cannot be written to.
    """
    order = order_of(job)
    clip, card = made.clip, made.card
    pcm = to_int16(made.samples)
    # What the engine says against its own clip comes first: it was there.
    told = validate.notes(clip.notes)
    findings = (*told, *signal.check(pcm, clip.rate, job.text, speed=job.speed))
    recipe = recipe_for(order.segment, order.voice, card, job.seed, order.tokens)
    audio = clip.frames / clip.rate
    # A take that was voiced from tokens keeps those, so that it can be made again.
    blobs = {**made.blobs, TOKENS_BLOB: order.tokens} if order.tokens else made.blobs
    return NewTake(
        item=order.item,
        recipe_id=recipe_id(recipe),
        recipe=recipe,
        provenance={
            "build": build_of(card),
            "worker": made.worker,
            "seconds": clip.seconds,
            "cpu_seconds": clip.cpu_seconds,
            "stages": dict(clip.stages),
            "footprint": clip.footprint,
            "device_memory": clip.device_memory,
            "level": signal.level(pcm, clip.rate),
        },
        pcm_hash=project.write_clip(pcm, clip.rate),
        rate=clip.rate,
        channels=clip.channels,
        frames=clip.frames,
        rtf=clip.seconds / audio,
        findings=findings,
        blobs=blobs,
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
