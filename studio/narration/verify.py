"""Narrating recorded recipes again, to see whether the same bytes come out."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.engines.catalogue import Catalogue
from studio.errors import StudioError
from studio.narration import repeating
from studio.narration.engine_log import RotatingLog
from studio.narration.pool import Pool
from studio.narration.worker import Job, Worker
from studio.project.folders import log_folder
from studio.project.model import Take
from studio.project.project import Project
from studio.project.recipe import (
    build_id,
    build_of,
    here,
    pcm_hash,
    recipe_id,
    to_int16,
    wire_voice,
)
from studio.project.tokens import TOKENS_BLOB, tokens_hash, tokens_of
from studio.review import pace


@dataclass(frozen=True, slots=True)
class Difference:
    """One take that did not come out again."""

    take: Take
    got: str
    """PCM hash of the new clip, or empty where there is none."""
    why: str
    """Plain words: other bytes, another build, a voice that is gone, a failure."""
    tried: bool = True
    """Whether its recipe was narrated; it is not where the voice has changed, the kept speech
    tokens are gone, the engine does not run, or a take does not follow from its recipe alone."""


async def verify(
    project: Project,
    catalogue: Catalogue,
    takes: Sequence[Take],
    progress: Callable[[int, int], None] = lambda done, total: None,
    *,
    workers: int | None = None,
) -> list[Difference]:
    """Narrate the recipes of takes again and compare PCM hashes; nothing is kept.

    Args:
        project: Whose takes; only its voices are read.
        catalogue: The engines of this machine.
        takes: What to verify; recordings are skipped, for no engine made them.
        progress: Told how many of how many are done.
        workers: Processes per engine; None for what each engine's configuration says.

    Returns:
        The takes that differ or could not be tried, in the order given; empty if every byte is the
        same.
    """
    voices = {voice.fingerprint: voice for voice in project.voices().values()}
    by_engine: dict[str, list[Take]] = {}
    found: dict[int, Difference] = {}
    takes = [take for take in takes if not take.recorded]
    tokens = {take.id: project.blob(take.id, TOKENS_BLOB) for take in takes if take.replayed}
    for take in takes:
        voice = voices.get(take.recipe["voice"])
        if why := repeating.of_take(take):
            found[take.id] = Difference(take, "", why, tried=False)
        elif take.id in tokens and not _are_its_own(tokens[take.id], take):
            why = "It was voiced from speech tokens that are not kept any more."
            found[take.id] = Difference(take, "", why, tried=False)
        elif voice is not None:
            # Its name in the catalogue, which need not be what the engine calls itself.
            by_engine.setdefault(voice.engine, []).append(take)
        else:
            known = any(it.id == take.voice for it in voices.values())
            gone = "has changed since" if known else "is not in this project any more"
            why = f"The voice “{take.voice}” that made it {gone}."
            found[take.id] = Difference(take, "", why, tried=False)
    done = len(found)

    def one_more() -> None:
        nonlocal done
        done += 1
        progress(done, len(takes))

    for name, group in by_engine.items():
        untried = _untried(group, name, catalogue)
        found.update(untried)
        jobs = [
            _job(
                take, wire_voice(voices[take.recipe["voice"]], project.folder), tokens.get(take.id)
            )
            for take in group
            if take.id not in untried
        ]
        if jobs:
            check = _Check(jobs, one_more)
            log = RotatingLog(log_folder() / f"engine-{name}.log")
            await check.run(Pool(catalogue[name], check, log, workers=workers))
            found.update(check.found)
    return [found[take.id] for take in takes if take.id in found]


def _untried(group: Sequence[Take], name: str, catalogue: Catalogue) -> dict[int, Difference]:
    """The takes of an engine that need not be tried: it is not here, or what it makes of a recipe
    does not follow from that alone, while kept speech tokens always tell."""
    try:
        why = repeating.of_spec(catalogue[name])
    except StudioError as error:
        return {take.id: Difference(take, "", str(error), tried=False) for take in group}
    told = _dependent(name, why) if why else ""
    return {
        take.id: Difference(take, "", told, tried=False)
        for take in group
        if told and not take.replayed
    }


def _dependent(engine: str, why: str) -> str:
    """What to say of a take whose engine would not make it from its recipe alone."""
    return f"The engine {engine} {why} here, so what it makes does not follow from a recipe alone."


class _Check:
    """One engine's takes on their way: a pool's client."""

    def __init__(self, jobs: Sequence[Job], judged: Callable[[], None]) -> None:
        self.found: dict[int, Difference] = {}
        self._told = judged
        self._left = len(jobs)
        self._pool: Pool | None = None
        self._over = asyncio.Event()
        self._waiting = deque(jobs)

    async def run(self, pool: Pool) -> None:
        """Work until every take is judged."""
        self._pool = pool
        try:
            pool.work()
            await self._over.wait()
        finally:
            await pool.unload()
        for job in self._waiting:
            self.found[job.tag.id] = Difference(job.tag, "", pool.stopped_because, tried=False)

    def next_job(self) -> Job | None:
        return self._waiting.popleft() if self._waiting else None

    def demand(self) -> int:
        return self._left

    def finished(
        self,
        worker: Worker,
        job: Job,
        clip: wire.Clip,
        samples: NDArray[np.float32],
        blobs: Mapping[str, bytes],
    ) -> None:
        take: Take = job.tag
        got = pcm_hash(to_int16(samples), clip.rate)
        if (dependent := repeating.of_card(worker.card)) and not job.tokens:
            why = _dependent(worker.card.engine, dependent)
            self.found[take.id] = Difference(take, "", why, tried=False)
        elif job.tokens and not worker.card.replays:
            why = f"The engine {worker.card.engine} does not voice kept speech tokens."
            self.found[take.id] = Difference(take, "", why, tried=False)
        elif got != take.pcm_hash:
            self.found[take.id] = Difference(take, got, _why(take, worker.card))
        self._judged()

    def warned(self, job: Job, notes: Sequence[str]) -> None:
        """Whoever narrated with the voice was told."""

    def failed(self, job: Job, reason: str) -> None:
        self.found[job.tag.id] = Difference(job.tag, "", reason)
        self._judged()

    def dropped(self, job: Job) -> None:
        self._waiting.appendleft(job)

    def changed(self) -> None:
        if self._pool is not None and self._pool.stopped_because:
            self._over.set()

    def _judged(self) -> None:
        self._left -= 1
        self._told()
        if not self._left:
            self._over.set()


def _are_its_own(content: bytes | None, take: Take) -> bool:
    """Whether an attachment is the speech tokens that a take's recipe names."""
    return content is not None and tokens_hash(content) == take.recipe["tokens"]


def _job(take: Take, voice: wire.Voice, tokens: bytes | None) -> Job:
    """The narration that made a take, once more."""
    recipe = take.recipe
    return Job(
        key=take.id,
        text=recipe["spoken"],
        language=recipe["language"],
        voice=voice,
        seed=recipe["seed"],
        speed=recipe["speed"],
        tokens=tokens_of(tokens) if tokens else (),
        seconds=pace.expected_seconds(recipe["spoken"], recipe["speed"]),
        tag=take,
    )


def _why(take: Take, card: wire.Card) -> str:
    """Why the bytes may differ."""
    return why_different(take, here(take.recipe, card), card.engine, build_of(card))


def why_different(
    take: Take, recipe: Mapping[str, Any], engine: str, build: Mapping[str, str]
) -> str:
    """Why a take may not come out again as it is, in one sentence.

    Args:
        take: What was made once.
        recipe: What was made now.
        engine: The engine that made it now.
        build: Its build, as `recipe.build_of` gives it.
    """
    if recipe_id(recipe) != take.recipe_id:
        changed = ", ".join(
            key.replace("_", " ")
            for key in dict.fromkeys((*recipe, *take.recipe))
            if recipe.get(key) != take.recipe.get(key)
        )
        return f"The engine here is another one (other {changed}), so other bytes are expected."
    recorded = take.provenance.get("build")
    if isinstance(recorded, dict) and build_id(engine, recorded) != build_id(engine, build):
        changed = ", ".join(key for key in build if build[key] != recorded.get(key)) or "parts"
        return f"It was made by another build (other {changed}), so other bytes may be expected."
    return "The same recipe on the same build gave other bytes."
