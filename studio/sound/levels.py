"""Voices of several models in one book, brought to one loudness.

A model speaks as loud as it was trained to, or as the reference it clones; two models of one engine
are as different as two engines. Where one model of one engine reads a whole book nothing is
changed. Where several do, each voice gets one gain for all of the book that it has read with one of
them, so that what is loud and soft within it stays: towards the one that is heard most, which stays
as it is. So a voice whose takes are half of an old model and half of a new one is one voice to the
ear. What a person recorded is left alone, and so is a voice of which there is too little speech to
tell how loud it is.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from studio.errors import MachineFault
from studio.project.model import RECORDING, Origin, Take
from studio.sound.loudness import STEP, gated, integrated, powers
from studio.sound.source import Pcm, mono

MEASURED = 40
"""Takes of a voice that are measured, spread over the book; some minutes of speech."""
MOST_DB = 12.0
"""More is no difference between models but a fault."""
LEAST_DB = 0.5
"""Less is not heard."""
LEAST_SPEECH = 10.0
"""Seconds of speech, pauses left out, from which a voice's loudness is known: three lines or so.
One line may be whispered or shouted, and says nothing of the voice."""


@dataclass(frozen=True, slots=True)
class Level:
    """How loud a voice is with one model, and what was done about it."""

    origin: Origin
    lufs: float
    """Integrated loudness of its takes; -inf where they are silent or too short to be measured."""
    gain_db: float
    seconds: float
    """Of speech that was measured; below `LEAST_SPEECH` the voice is left as it is."""

    @property
    def known(self) -> bool:
        """Whether there is enough speech to tell how loud the voice is."""
        return math.isfinite(self.lufs) and self.seconds >= LEAST_SPEECH


class Heard(Protocol):
    """What there must be of a project."""

    def chosen_by_origin(self) -> Mapping[Origin, Sequence[int]]:
        """Chosen takes in the order of the book, by `Take.origin`."""

    def take(self, take_id: int) -> Take:
        """Give a take by its id."""

    def read_clip(self, take: Take) -> tuple[Pcm, int]:
        """Decode a take's clip."""


def levels(store: Heard) -> tuple[Level, ...]:
    """The loudness of each voice of a book with each model, and its gain.

    Returns:
        The one that is heard most first; nothing where a single model reads the book. A clip
        that is lost or damaged is left out: it may be chapters away from what is wanted, and where
        it is wanted itself it is told of there.
    """
    heard = {it: takes for it, takes in store.chosen_by_origin().items() if it.engine != RECORDING}
    if len({(it.engine, it.model) for it in heard}) < 2:
        return ()
    order = sorted(heard, key=lambda it: (-len(heard[it]), it))
    found = [Level(it, *_loudness(store, heard[it])) for it in order]
    aim = next((level.lufs for level in found if level.known), 0.0)
    return tuple(
        replace(level, gain_db=_gain(level.lufs, aim)) if level.known else level for level in found
    )


def factors(found: Sequence[Level]) -> dict[Origin, float]:
    """What samples are multiplied by, by `Take.origin`; what stays as it is, is left out."""
    return {level.origin: 10 ** (level.gain_db / 20) for level in found if level.gain_db}


def _gain(lufs: float, aim: float) -> float:
    """Decibels from one loudness to another."""
    gain = round(min(MOST_DB, max(-MOST_DB, aim - lufs)), 1)
    return gain if abs(gain) >= LEAST_DB else 0.0


def _loudness(store: Heard, takes: Sequence[int]) -> tuple[float, float, float]:
    """Integrated loudness of takes, or of enough of them; no gain yet; and seconds of speech."""
    count = min(MEASURED, len(takes))
    chosen = [takes[round(place)] for place in np.linspace(0, len(takes) - 1, count)]
    measured = []
    for take_id in dict.fromkeys(chosen):
        with suppress(MachineFault):
            measured.append(_powers(store, store.take(take_id)))
    return integrated(measured), 0.0, STEP * len(gated(measured))


_known: OrderedDict[str, NDArray[np.float64]] = OrderedDict()
"""Powers of clips by the hash of their samples, so that listening again measures nothing again."""
_KEPT = 2000


def _powers(store: Heard, take: Take) -> NDArray[np.float64]:
    """Weighted power of each block of a take's clip."""
    known = _known.get(take.pcm_hash)
    if known is None:
        pcm, rate = store.read_clip(take)
        known = _known[take.pcm_hash] = powers(mono(pcm), rate)
        while len(_known) > _KEPT:
            _known.popitem(last=False)
    return known
