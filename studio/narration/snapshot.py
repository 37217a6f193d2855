"""One frozen picture of the narration side, for panels and progress bars."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import psutil

from studio.narration.making import order_of
from studio.narration.pool import Pool
from studio.narration.status import NarrationStatus, WorkerState
from studio.narration.tally import Tally


def snapshot(
    pools: Sequence[Pool],
    tally: Tally,
    *,
    paused: bool,
    queued: tuple[int, int],
    problem: str,
    stopped: Sequence[str],
    memory: tuple[int, int],
    voice_notes: Sequence[str] = (),
) -> NarrationStatus:
    """Take the picture.

    Args:
        pools: The engines in use.
        tally: What was made.
        paused: Whether the queue waits for a person.
        queued: Segments and characters that wait, those in progress included.
        problem: The last failure of a segment.
        stopped: Why narration cannot go on, besides what the pools say; empty texts count for
            nothing, the first other one is shown.
        memory: As `system_memory` gives it.
        voice_notes: What engines say of voices.
    """
    orders = [order_of(job) for pool in pools for job in pool.holds()]
    workers = tuple(status for pool in pools for status in pool.statuses())
    serving = sum(w.state in (WorkerState.READY, WorkerState.NARRATING) for w in workers)
    return NarrationStatus(
        workers=workers,
        paused=paused,
        queued=queued[0],
        narrating=frozenset(order.segment.uid for order in orders),
        rtf_now=tally.rtf_now,
        rtf_rolling=tally.rtf_rolling,
        rtf_chapter=tally.rtf_chapter,
        made=tally.made,
        audio_made=tally.audio,
        eta=tally.eta(queued[1], serving) if queued[0] else 0.0,
        recycles=sum(pool.recycles for pool in pools),
        crashes=sum(pool.crashes for pool in pools),
        last_recycle=_first(pool.last_recycle for pool in reversed(pools)),
        recent_recycles=tuple(text for pool in pools for text in pool.recent_recycles),
        voice_notes=tuple(voice_notes),
        last_problem=problem or _first(pool.last_problem for pool in reversed(pools)),
        free_memory=memory[0],
        swap_used=memory[1],
        stopped_because=_first([*stopped, *(pool.stopped_because for pool in pools)]),
    )


def system_memory() -> tuple[int, int]:
    """Bytes that the system has available, and bytes of swap in use."""
    return int(psutil.virtual_memory().available), int(psutil.swap_memory().used)


def _first(texts: Iterable[str]) -> str:
    """The first text that says something."""
    return next((text for text in texts if text), "")
