"""The queue at work: items become jobs, jobs become clips, clips become takes.

One event loop. The project is used through its desk, clips are rounded, judged and written by
threads of their own while the engines go on, and results are recorded in batches.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.engines.catalogue import Catalogue
from studio.errors import StudioError
from studio.narration.engine_log import RotatingLog
from studio.narration.making import Gathered, Made, Order, gather, keep
from studio.narration.pool import Pool
from studio.narration.recorder import Recorder
from studio.narration.snapshot import snapshot, system_memory
from studio.narration.status import NarrationStatus, WorkerState
from studio.narration.tally import Tally
from studio.narration.worker import DEPTH, Job, Worker
from studio.project.desk import Desk
from studio.project.folders import log_folder
from studio.project.model import Change, Failure, NewTake, QueueItem
from studio.project.project import Project
from studio.project.recipe import build_id, build_of

STATUS_SECONDS = 0.25
"""Time between two snapshots while anything happens."""

MEASURE_SECONDS = 1.0
"""Time between two looks at the memory of idle workers and of the system."""

AHEAD_SECONDS = 0.5
"""How much work is prepared ahead of the workers; more would be stale sooner."""

MOST_AHEAD = 64
"""Jobs prepared ahead at most."""

MOST_PARKED = 2_000
"""Items of engines that cannot run, beyond which the rest of the queue is not looked through."""

MOST_UNWRITTEN = 24
"""Clips that wait to be written, beyond which workers get no more jobs."""

WRITERS = 2
"""Threads that write clips; more than one, because writing waits for the disk."""


class Director:
    """Narrates a project's queue."""

    def __init__(
        self,
        project: Project,
        desk: Desk,
        catalogue: Catalogue,
        *,
        workers: int | None = None,
        on_change: Callable[[Change], None] = lambda change: None,
        on_status: Callable[[NarrationStatus], None] = lambda status: None,
    ) -> None:
        """Prepare; nothing happens before `run`.

        Args:
            project: Whose queue.
            desk: The project's thread.
            catalogue: The engines of this machine.
            workers: Processes per engine; None for what each engine's configuration says.
            on_change: Told what each transaction has touched, on the event loop.
            on_status: Given a snapshot about every 250 ms while anything happens.
        """
        self.paused = False
        """Whether the queue waits for a person; `pause` and `resume` set it."""
        self._let: set[str] = set()
        """Segments that are narrated although the queue is paused."""
        self.status = NarrationStatus()
        self._project = project
        self._desk = desk
        self._catalogue = catalogue
        self._workers = workers
        self._on_change = on_change
        self._on_status = on_status
        self._pools: dict[str, Pool] = {}
        self._ready: dict[str, deque[Job]] = {}
        self._taken: set[int] = set()
        self._parked: dict[str, set[int]] = {}
        self._missing: dict[str, str] = {}
        self._writing: deque[tuple[Job, asyncio.Future[NewTake]]] = deque()
        """Clips on their way to the disk, in the order in which they came."""
        self._queued = (0, 0)
        self._exhausted = False
        self._fault = ""
        self._problem = ""
        self._voice_notes: list[str] = []
        self._builds: dict[str, str] = {}
        self._tally = Tally()
        self._feed = asyncio.Event()
        self._settled = asyncio.Event()
        self._recorder = Recorder(project, desk, self)
        self._closing = asyncio.Event()
        self._dirty = True
        self._generation = 0
        self._memory = (0, 0)
        self._used: dict[str, float] = {}
        """When each engine was last seen at work."""
        self._writers = ThreadPoolExecutor(WRITERS, thread_name_prefix="clips")

    # ---- what the studio asks --------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the queue until `close`; engines start only when there is work."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._feed_loop()),
                group.create_task(self._recorder.run()),
                group.create_task(self._status_loop()),
            ]
            self.wake()
            await self._closing.wait()
            for task in tasks:
                task.cancel()

    def wake(self) -> None:
        """The queue, or a text in it, has changed: look again, and try broken engines again.

        What was prepared ahead and not begun is dropped, so that a line that goes before bulk work
        does so at once.
        """
        self._generation += 1
        for ready in self._ready.values():
            for job in ready:
                self._taken.discard(_item(job).id)
            ready.clear()
        self._parked.clear()
        self._missing.clear()
        self._exhausted = False
        for pool in self._pools.values():
            pool.stopped_because = ""
        self._feed.set()

    @property
    def serving(self) -> bool:
        """Whether anything of the queue may be begun."""
        return not self.paused or bool(self._let)

    def pause(self) -> None:
        """Begin nothing more; what the workers have is finished."""
        self.paused = True
        self._let.clear()
        self._publish()

    def let_through(self, uids: Collection[str]) -> None:
        """Narrate what waits for these segments although the queue is paused; it stays so."""
        if self.paused:
            self._let.update(uids)
            self._fault = ""
            self._recorder.resume()
        self.wake()
        self._publish()

    def resume(self) -> None:
        """Go on."""
        self.paused = False
        self._let.clear()
        self._fault = ""
        self._recorder.resume()
        self.wake()
        self._publish()

    async def stop(self) -> None:
        """Drop what is in progress, within a second, and pause; the queue is kept."""
        self.pause()
        await asyncio.gather(*(pool.cancel_all() for pool in self._pools.values()))
        self._changed()

    async def until_idle(self) -> None:
        """Wait until the queue is empty, or cannot go on, and every result is recorded."""
        while not self._is_idle():
            self._settled.clear()
            await self._settled.wait()
        self._publish()

    async def close(self) -> None:
        """Stop, record what was made, and leave no process behind."""
        await self.stop()
        await asyncio.gather(*(pool.unload() for pool in self._pools.values()))
        while self._writing or self._recorder.busy:
            self._settled.clear()
            await self._settled.wait()
        self._closing.set()
        self._writers.shutdown()
        self._publish()

    # ---- feeding ---------------------------------------------------------------------------------

    async def _feed_loop(self) -> None:
        """Prepare jobs ahead of the workers."""
        while True:
            await self._feed.wait()
            self._feed.clear()
            try:
                await self._feed_once()
            except StudioError as error:
                self.halt(str(error))
            self._note_idle()

    async def _feed_once(self) -> None:
        """Prepare as many jobs as are wanted now."""
        if not self.serving:
            self._queued = await self._desk(self._project.queue_size)
            self._changed()
        while self.serving and not self._exhausted and self._ahead() <= self._wanted() // 2:
            await self._gather()
            if self._loading() and not self._ahead():
                break  # Its card comes first; `_pool_changed` goes on.

    async def _gather(self) -> None:
        """Prepare the next jobs and start the engines they need."""
        generation = self._generation
        cards = {name: pool.card for name, pool in self._pools.items() if pool.card is not None}
        parked = set().union(*self._parked.values())
        only = frozenset(self._let) if self.paused else None
        found = await self._desk(
            gather, self._project, self._wanted(), self._taken | parked, cards, only
        )
        await self._tell_build(cards)
        if generation != self._generation or not self.serving:
            return  # Woken or stopped meanwhile: what was found may be out of date.
        self._exhausted = not found.more or len(parked) > MOST_PARKED
        self._queued = found.size
        for name, item in found.waiting:
            self._parked.setdefault(name, set()).add(item)
        self._taken.update(reuse.item.id for reuse in found.reuses)
        self._taken.update(failure.item.id for failure in found.failures)
        self._recorder.add(*found.reuses, *found.failures)
        self._hand_over(found)
        for name in found.engines:
            self._start(name)
        if self._exhausted and not self._taken and not self._loading():
            self._let.clear()  # What was let through is made; nothing else of theirs is.
        self._changed()

    async def _tell_build(self, cards: Mapping[str, wire.Card]) -> None:
        """Let the project know which build is here, so that it can tell takes made elsewhere."""
        builds = {name: build_id(card.engine, build_of(card)) for name, card in cards.items()}
        for name, build in builds.items():
            if self._builds.get(name) != build:
                self._builds[name] = build
                await self._desk(self._project.know_build, name, build)

    def _hand_over(self, found: Gathered) -> None:
        """Put jobs where their engines find them."""
        engines = []
        for name, job in found.jobs:
            self._taken.add(_item(job).id)
            self._ready.setdefault(name, deque()).append(job)
            engines.append(name)
        for name in dict.fromkeys(engines):
            pool = self._pools[name]
            if pool.stopped_because:
                self._park(name)
            else:
                pool.work()

    def _start(self, name: str) -> None:
        """Start an engine whose card is not known yet."""
        pool = self._pools.get(name)
        if pool is None:
            try:
                spec = self._catalogue[name]
            except StudioError as error:
                self._missing[name] = str(error)
                return
            log = RotatingLog(log_folder() / f"engine-{name}.log")
            client = _Client(self, name)
            pool = self._pools[name] = Pool(spec, client, log, workers=self._workers)
        if not pool.stopped_because:
            pool.work()

    def _wanted(self) -> int:
        """How many jobs should be ready, from how fast clips are made."""
        seats = sum(pool.size for pool in self._pools.values()) or 1
        pace = self._tally.seconds_per_clip
        soon = AHEAD_SECONDS / pace if pace > 0 else 0.0
        return max(DEPTH * seats, min(MOST_AHEAD, round(seats * soon)))

    def _ahead(self) -> int:
        """How many jobs are ready."""
        return sum(len(ready) for ready in self._ready.values())

    def _park(self, name: str) -> None:
        """An engine does not run: its jobs stay in the queue and out of the way."""
        for job in self._ready.pop(name, ()):
            self._taken.discard(_item(job).id)
            self._parked.setdefault(name, set()).add(_item(job).id)

    # ---- what pools ask and tell -----------------------------------------------------------------

    def _next_job(self, name: str) -> Job | None:
        """The next job for an engine."""
        if not self.serving or len(self._writing) >= MOST_UNWRITTEN:
            return None
        ready = self._ready.get(name)
        job = ready.popleft() if ready else None
        if self._ahead() <= self._wanted() // 2 and not self._exhausted:
            self._feed.set()
        return job

    def _finished(
        self,
        worker: Worker,
        job: Job,
        clip: wire.Clip,
        samples: NDArray[np.float32],
        blobs: Mapping[str, bytes],
    ) -> None:
        """A clip has come: write it while the engine goes on."""
        order: Order = job.tag
        audio = clip.frames / clip.rate
        length, since = len(job.text), worker.since_last
        self._tally.add(order.segment.chapter, clip.seconds, audio, length, since)
        made = Made(clip, samples, blobs, worker.card, worker.number)
        work = partial(keep, self._project, job, made)
        written = asyncio.get_running_loop().run_in_executor(self._writers, work)
        self._writing.append((job, written))
        written.add_done_callback(self._written)

    def _written(self, _: asyncio.Future[NewTake]) -> None:
        """A clip is on disk, or cannot be: takes are numbered as they were made, so one waits
        until those before it are there too."""
        full = len(self._writing) >= MOST_UNWRITTEN
        while self._writing and self._writing[0][1].done():
            self._settle(*self._writing.popleft())
        if full and len(self._writing) < MOST_UNWRITTEN:
            for pool in self._pools.values():
                if not pool.stopped_because and self.serving:
                    pool.work()
        self._note_idle()

    def _settle(self, job: Job, written: asyncio.Future[NewTake]) -> None:
        """Hand in what has become of a clip."""
        error = written.exception()
        if error is None:
            self._recorder.add(written.result())
        elif isinstance(error, StudioError):
            self._taken.discard(_item(job).id)
            self.halt(str(error))
        else:
            reason = f"The clip could not be kept: {type(error).__name__}: {error}"
            self._failed(job, reason)

    def _warned(self, job: Job, notes: Sequence[str]) -> None:
        """An engine has something to say of a voice."""
        self._voice_notes += [f"Voice “{_order(job).voice.id}”: {note}" for note in notes]

    def _failed(self, job: Job, reason: str) -> None:
        """A job will not be made."""
        self._problem = reason
        self._recorder.add(Failure(_item(job), reason))

    def _dropped(self, job: Job) -> None:
        """A job stays in the queue."""
        self._taken.discard(_item(job).id)
        self._exhausted = False
        self._note_idle()

    def _pool_changed(self, name: str) -> None:
        """A pool or one of its workers has changed."""
        pool = self._pools[name]
        if pool.stopped_because:
            self._park(name)
            self._feed.set()  # Others may be behind its items.
        elif pool.card is not None and self._parked.pop(name, set()):
            # Its items waited for the card.
            self._exhausted = False
            self._feed.set()
        self._changed()
        self._note_idle()

    def halt(self, reason: str) -> None:
        """The machine is in the way: wait for a person, with nothing lost."""
        self._fault = reason
        self.pause()
        self._note_idle()

    # ---- what the recorder tells -----------------------------------------------------------------

    def recorded(self, items: Sequence[QueueItem], change: Change) -> None:
        """Results are in the project."""
        self._taken.difference_update(item.id for item in items)
        count, characters = self._queued
        left = max(0, count - len(items))
        self._queued = (left, round(characters * left / count) if count else 0)
        # What was asked for again meanwhile is still in the queue.
        self._exhausted = False
        self._feed.set()
        self._on_change(change)
        self._changed()
        self._note_idle()

    # ---- telling ---------------------------------------------------------------------------------

    def _is_idle(self) -> bool:
        """Whether nothing is in progress and nothing can be begun."""
        if self.in_progress() or self._recorder.busy:
            return False
        return not self.serving or (self._exhausted and not self._taken and not self._loading())

    def in_progress(self) -> bool:
        """Whether a job is at a worker or a clip is being written."""
        return bool(self._writing) or any(pool.busy for pool in self._pools.values())

    def _loading(self) -> bool:
        """Whether items wait for an engine that is on its way."""
        return any(
            pool.card is None and not pool.stopped_because and self._parked.get(name)
            for name, pool in self._pools.items()
        )

    def _note_idle(self) -> None:
        """Let those who wait for the end look again."""
        self._settled.set()

    def _changed(self) -> None:
        """There is something new to tell."""
        self._dirty = True

    async def _status_loop(self) -> None:
        """Publish snapshots while anything happens, and unload engines that idle."""
        measured = 0.0
        while True:
            active = not self._is_idle() or any(
                worker.state not in (WorkerState.READY, WorkerState.GONE)
                for pool in self._pools.values()
                for worker in pool.statuses()
            )
            now = time.monotonic()
            for name, pool in self._pools.items():
                if self._at_work(name, pool):
                    self._used[name] = now
            if (active or self._dirty) and now - measured >= MEASURE_SECONDS:
                measured = now
                self._memory = await asyncio.to_thread(system_memory)
                await asyncio.gather(*(pool.measure() for pool in self._pools.values()))
            if active or self._dirty:
                self._publish()
            await self._unload_idle(now)
            await asyncio.sleep(STATUS_SECONDS)

    def _at_work(self, name: str, pool: Pool) -> bool:
        """Whether an engine has something to do, or is about to have; others do not matter."""
        if pool.busy or any(
            worker.state not in (WorkerState.READY, WorkerState.GONE) for worker in pool.statuses()
        ):
            return True
        return self.serving and bool(self._ready.get(name))

    async def _unload_idle(self, now: float) -> None:
        """End engines that nobody has used for as long as their configuration says."""
        for name, pool in list(self._pools.items()):
            patience = pool.spec.idle_seconds
            idle = now - self._used.setdefault(name, now)
            if patience and idle >= patience and pool.statuses():
                await pool.unload()
                self._changed()

    def _publish(self) -> None:
        """Make a snapshot and hand it out."""
        self._dirty = False
        self.status = snapshot(
            list(self._pools.values()),
            self._tally,
            paused=self.paused,
            queued=self._queued,
            problem=self._problem,
            stopped=[self._fault, *self._missing.values()],
            memory=self._memory,
            voice_notes=self._voice_notes,
        )
        self._on_status(self.status)


class _Client:
    """What one engine's pool sees of the director."""

    def __init__(self, director: Director, name: str) -> None:
        self._director = director
        self._name = name

    def next_job(self) -> Job | None:
        return self._director._next_job(self._name)

    def demand(self) -> int:
        return self._director._queued[0]

    def finished(
        self,
        worker: Worker,
        job: Job,
        clip: wire.Clip,
        samples: NDArray[np.float32],
        blobs: Mapping[str, bytes],
    ) -> None:
        self._director._finished(worker, job, clip, samples, blobs)

    def warned(self, job: Job, notes: Sequence[str]) -> None:
        self._director._warned(job, notes)

    def failed(self, job: Job, reason: str) -> None:
        self._director._failed(job, reason)

    def dropped(self, job: Job) -> None:
        self._director._dropped(job)

    def changed(self) -> None:
        self._director._pool_changed(self._name)


def _order(job: Job) -> Order:
    """What a job was made from."""
    order: Order = job.tag
    return order


def _item(job: Job) -> QueueItem:
    """The queue's row of a job."""
    return _order(job).item
