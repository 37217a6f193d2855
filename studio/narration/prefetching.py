"""Jobs prepared ahead of the workers, a few at a time, so that no worker waits for the project."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Protocol

from engine import wire
from studio.errors import StudioError
from studio.narration.making import Gathered, gather, item_of
from studio.narration.pool import Pool
from studio.narration.tally import Tally
from studio.narration.worker import DEPTH, Job
from studio.project.desk import Desk
from studio.project.model import Failure, QueueItem, Reuse
from studio.project.project import Project
from studio.project.recipe import build_id, build_of

AHEAD_SECONDS = 0.5
"""How much work is prepared ahead of the workers; more would be stale sooner."""

MOST_AHEAD = 64
"""Jobs prepared ahead at most."""

MOST_PARKED = 2_000
"""Items of engines that cannot run, beyond which the rest of the queue is not looked through."""


class Owner(Protocol):
    """Who decides and is told; the director."""

    @property
    def serving(self) -> bool:
        """Whether anything of the queue may be begun."""

    def only(self) -> frozenset[str] | None:
        """Uids of the segments that alone may be begun; None for the whole queue."""

    def start(self, name: str, marked: str) -> None:
        """An engine is needed, by a book of this title if that is marked reproducible."""

    def refused(self, engines: Mapping[str, str]) -> None:
        """These engines are not for this book, for reasons in plain words."""

    def found(self, results: Sequence[Reuse | Failure]) -> None:
        """What came out of looking at the queue without an engine."""

    def begun_all(self) -> None:
        """All that may be begun is made."""

    def halt(self, reason: str) -> None:
        """The machine is in the way."""

    def changed(self) -> None:
        """There is something new to tell."""

    def settled(self) -> None:
        """There may be nothing more to do."""


class Prefetcher:
    """Makes jobs of the queue's next items, and hands them to their engines' pools."""

    def __init__(
        self, project: Project, desk: Desk, pools: Mapping[str, Pool], tally: Tally, owner: Owner
    ) -> None:
        """Prepare; `run` does the work.

        Args:
            project: Whose queue.
            desk: The project's thread.
            pools: The engines in use, by name; the owner adds to them.
            tally: How fast clips are made.
            owner: Who is asked and told.
        """
        self.queued = (0, 0)
        """Segments and characters that wait, those in progress included."""
        self._project = project
        self._desk = desk
        self._pools = pools
        self._tally = tally
        self._owner = owner
        self._ready: dict[str, deque[Job]] = {}
        self._taken: set[int] = set()
        """Ids of the items that are ready, in progress or waiting to be recorded."""
        self._parked: dict[str, set[int]] = {}
        """By engine, ids of the items that wait for it to run."""
        self._exhausted = False
        self._builds: dict[str, str] = {}
        self._generation = 0
        self._wanted_now = asyncio.Event()

    async def run(self) -> None:
        """Prepare jobs for ever."""
        while True:
            await self._wanted_now.wait()
            self._wanted_now.clear()
            try:
                await self._fill()
            except StudioError as error:
                self._owner.halt(str(error))
            self._owner.settled()

    # ---- what the director asks ------------------------------------------------------------------

    def look(self) -> None:
        """There may be something to prepare."""
        self._wanted_now.set()

    def renew(self) -> None:
        """The queue, or a text in it, has changed: drop what nobody has begun, and look again."""
        self._generation += 1
        for ready in self._ready.values():
            for job in ready:
                self._taken.discard(item_of(job).id)
            ready.clear()
        self._parked.clear()
        self._exhausted = False
        self.look()

    def next_job(self, name: str) -> Job | None:
        """The next job for an engine; more are prepared where few are left."""
        ready = self._ready.get(name)
        job = ready.popleft() if ready else None
        if self._ahead() <= self._wanted() // 2 and not self._exhausted:
            self.look()
        return job

    def has(self, name: str) -> bool:
        """Whether a job is ready for an engine."""
        return bool(self._ready.get(name))

    def park(self, name: str) -> None:
        """An engine does not run: its jobs stay in the queue and out of the way."""
        for job in self._ready.pop(name, ()):
            self._taken.discard(item_of(job).id)
            self._parked.setdefault(name, set()).add(item_of(job).id)

    def unpark(self, name: str) -> None:
        """An engine runs: look again at what waited for its card."""
        if self._parked.pop(name, set()):
            self._exhausted = False
            self.look()

    def release(self, job: Job) -> None:
        """A job was not made and stays in the queue."""
        self._taken.discard(item_of(job).id)

    def dropped(self, job: Job) -> None:
        """A job was given back, and may be begun again."""
        self.release(job)
        self._exhausted = False

    def recorded(self, items: Sequence[QueueItem]) -> None:
        """What became of these items is in the project."""
        self._taken.difference_update(item.id for item in items)
        count, characters = self.queued
        left = max(0, count - len(items))
        self.queued = (left, round(characters * left / count) if count else 0)
        # What was asked for again meanwhile is still in the queue.
        self._exhausted = False
        self.look()

    @property
    def done(self) -> bool:
        """Whether nothing can be begun, and nothing that was begun is left."""
        return self._exhausted and not self._taken and not self._loading()

    # ---- looking at the queue --------------------------------------------------------------------

    async def _fill(self) -> None:
        """Prepare as many jobs as are wanted now."""
        if not self._owner.serving:
            self.queued = await self._desk(self._project.queue_size)
            self._owner.changed()
        while self._owner.serving and not self._exhausted and self._ahead() <= self._wanted() // 2:
            await self._gather()
            if self._loading() and not self._ahead():
                break  # Its card comes first; `unpark` goes on.

    async def _gather(self) -> None:
        """Prepare the next jobs and start the engines they need."""
        generation = self._generation
        cards = {name: pool.card for name, pool in self._pools.items() if pool.card is not None}
        parked = set().union(*self._parked.values())
        only = self._owner.only()
        found = await self._desk(
            gather, self._project, self._wanted(), self._taken | parked, cards, only
        )
        await self._tell_build(cards)
        if generation != self._generation or not self._owner.serving:
            return  # Woken or stopped meanwhile: what was found may be out of date.
        self._exhausted = not found.more or len(parked) > MOST_PARKED
        self.queued = found.size
        for name, item in found.waiting:
            self._parked.setdefault(name, set()).add(item)
        results: list[Reuse | Failure] = [*found.reuses, *found.failures]
        self._taken.update(result.item.id for result in results)
        self._owner.found(results)
        self._hand_over(found)
        self._owner.refused(found.refused)
        for name in found.engines:
            self._owner.start(name, found.marked)
        if self.done:
            self._owner.begun_all()
        self._owner.changed()

    async def _tell_build(self, cards: Mapping[str, wire.Card]) -> None:
        """Let the project know which build is here, so that it can tell takes made elsewhere."""
        builds = {name: build_id(card.engine, build_of(card)) for name, card in cards.items()}
        for name, build in builds.items():
            if self._builds.get(name) != build:
                self._builds[name] = build
                await self._desk(self._project.know_build, name, build)

    def _hand_over(self, found: Gathered) -> None:
        """Put jobs where their engines find them."""
        for name, job in found.jobs:
            self._taken.add(item_of(job).id)
            self._ready.setdefault(name, deque()).append(job)
        for name in dict.fromkeys(name for name, _ in found.jobs):
            pool = self._pools[name]
            if pool.stopped_because:
                self.park(name)
            else:
                pool.work()

    def _wanted(self) -> int:
        """How many jobs should be ready, from how fast clips are made."""
        seats = sum(pool.size for pool in self._pools.values()) or 1
        held = sum(pool.size * pool.depth for pool in self._pools.values()) or DEPTH
        pace = self._tally.seconds_per_clip
        soon = AHEAD_SECONDS / pace if pace > 0 else 0.0
        return max(held, min(MOST_AHEAD, round(seats * soon)))

    def _ahead(self) -> int:
        """How many jobs are ready."""
        return sum(len(ready) for ready in self._ready.values())

    def _loading(self) -> bool:
        """Whether items wait for an engine that is on its way."""
        return any(
            pool.card is None and not pool.stopped_because and self._parked.get(name)
            for name, pool in self._pools.items()
        )
