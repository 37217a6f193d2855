"""The queue at work: items become jobs, jobs become clips, clips become takes.

One event loop. The project is used through its desk, jobs are prepared ahead of the engines
(`prefetching`), clips are written beside them (`clip_writing`), and results are recorded in batches
(`recorder`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from engine import wire
from studio.engines.catalogue import Catalogue
from studio.errors import StudioError
from studio.narration import repeating
from studio.narration.clip_writing import ClipWriter
from studio.narration.engine_log import RotatingLog
from studio.narration.making import Made, item_of, order_of
from studio.narration.pool import Pool
from studio.narration.prefetching import Prefetcher
from studio.narration.recorder import Recorder
from studio.narration.snapshot import snapshot, system_memory
from studio.narration.status import NarrationStatus, WorkerState
from studio.narration.tally import Tally
from studio.narration.worker import Job, Worker
from studio.project.desk import Desk
from studio.project.folders import log_folder
from studio.project.model import Change, Failure, NewTake, QueueItem, Reuse
from studio.project.project import Project

STATUS_SECONDS = 0.25
"""Time between two snapshots while anything happens."""

MEASURE_SECONDS = 1.0
"""Time between two looks at the memory of idle workers and of the system."""


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
        self._missing: dict[str, str] = {}
        self._fault = ""
        self._problem = ""
        self._voice_notes: list[str] = []
        self._tally = Tally()
        self._settled = asyncio.Event()
        self._ahead = Prefetcher(project, desk, self._pools, self._tally, self)
        self._writer = ClipWriter(project, self._written, self._work)
        self._recorder = Recorder(project, desk, self)
        self._closing = asyncio.Event()
        self._dirty = True
        self._memory = (0, 0)
        self._used: dict[str, float] = {}
        """When each engine was last seen at work."""
        self._recast = False
        """Whether other voices may read the book than when that was looked up last."""
        self._unneeded: frozenset[str] = frozenset()
        """Engines of voices that read nothing any more."""

    # ---- what the studio asks --------------------------------------------------------------------

    async def run(self) -> None:
        """Serve the queue until `close`; engines start only when there is work."""
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._ahead.run()),
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
        self._missing.clear()
        for pool in self._pools.values():
            pool.stopped_because = ""
        self._ahead.renew()

    def recast(self) -> None:
        """Voices, or what they read, may have changed: an engine that reads nothing any more ends.

        What it has begun is finished first. It comes again when a voice of it is to be heard.
        """
        self._recast = True

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
        self.changed()

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
        while self._writer.busy or self._recorder.busy:
            self._settled.clear()
            await self._settled.wait()
        self._closing.set()
        self._writer.close()
        self._publish()

    # ---- what the prefetcher asks and tells ------------------------------------------------------

    def only(self) -> frozenset[str] | None:
        """Uids of the segments that alone may be begun; None for the whole queue."""
        return frozenset(self._let) if self.paused else None

    def found(self, results: Sequence[Reuse | Failure]) -> None:
        """What came out of looking at the queue without an engine."""
        self._recorder.add(*results)

    def begun_all(self) -> None:
        """What was let through is made; nothing else of these segments is."""
        self._let.clear()

    def refused(self, engines: Mapping[str, str]) -> None:
        """These engines are not for this book; what waits for them stays in the queue."""
        self._missing.update(engines)

    def start(self, name: str, marked: str) -> None:
        """Start an engine whose card is not known yet, if it is for a book that is marked."""
        pool = self._pools.get(name)
        if pool is None:
            try:
                spec = self._catalogue[name]
            except StudioError as error:
                self._missing[name] = str(error)
                return
            if marked and (why := repeating.of_spec(spec)):
                self._missing[name] = repeating.refusal(marked, self._project.folder, name, why)
                return
            log = RotatingLog(log_folder() / f"engine-{name}.log")
            client = _Client(self, name)
            pool = self._pools[name] = Pool(spec, client, log, workers=self._workers)
        if not pool.stopped_because:
            pool.work()

    # ---- what pools ask and tell -----------------------------------------------------------------

    def _next_job(self, name: str) -> Job | None:
        """The next job for an engine."""
        if not self.serving or self._writer.full:
            return None
        return self._ahead.next_job(name)

    def _finished(
        self,
        worker: Worker,
        job: Job,
        clip: wire.Clip,
        samples: NDArray[np.float32],
        blobs: Mapping[str, bytes],
    ) -> None:
        """A clip has come: write it while the engine goes on."""
        order = order_of(job)
        audio = clip.frames / clip.rate
        length, since = len(job.text), worker.since_last
        self._tally.add(order.segment.chapter, clip.seconds, audio, length, since)
        self._writer.write(job, Made(clip, samples, blobs, worker.card, worker.number))

    def _written(self, job: Job, written: asyncio.Future[NewTake]) -> None:
        """Hand in what has become of a clip."""
        error = written.exception()
        if error is None:
            self._recorder.add(written.result())
        elif isinstance(error, StudioError):
            self._ahead.release(job)
            self.halt(str(error))
        else:
            reason = f"The clip could not be kept: {type(error).__name__}: {error}"
            self._failed(job, reason)
        self.settled()

    def _work(self) -> None:
        """Clips can be written again: let the engines that run go on."""
        for pool in self._pools.values():
            if not pool.stopped_because and self.serving:
                pool.work()

    def _warned(self, job: Job, notes: Sequence[str]) -> None:
        """An engine has something to say of a voice."""
        self._voice_notes += [f"Voice “{order_of(job).voice.id}”: {note}" for note in notes]

    def _failed(self, job: Job, reason: str) -> None:
        """A job will not be made."""
        self._problem = reason
        self._recorder.add(Failure(item_of(job), reason))

    def _dropped(self, job: Job) -> None:
        """A job stays in the queue."""
        self._ahead.dropped(job)
        self.settled()

    def _pool_changed(self, name: str) -> None:
        """A pool or one of its workers has changed."""
        pool = self._pools[name]
        if pool.stopped_because:
            self._ahead.park(name)
            self._ahead.look()  # Others may be behind its items.
        elif pool.card is not None:
            self._ahead.unpark(name)
        self.changed()
        self.settled()

    def halt(self, reason: str) -> None:
        """The machine is in the way: wait for a person, with nothing lost."""
        self._fault = reason
        self.pause()
        self.settled()

    # ---- what the recorder tells -----------------------------------------------------------------

    def recorded(self, items: Sequence[QueueItem], change: Change) -> None:
        """Results are in the project."""
        self._ahead.recorded(items)
        self._on_change(change)
        self.changed()
        self.settled()

    # ---- telling ---------------------------------------------------------------------------------

    def _is_idle(self) -> bool:
        """Whether nothing is in progress and nothing can be begun."""
        if self.in_progress() or self._recorder.busy:
            return False
        return not self.serving or self._ahead.done

    def in_progress(self) -> bool:
        """Whether a job is at a worker or a clip is being written."""
        return self._writer.busy or any(pool.busy for pool in self._pools.values())

    def settled(self) -> None:
        """Let those who wait for the end look again."""
        self._settled.set()

    def changed(self) -> None:
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
            if self._recast and any(pool.statuses() for pool in self._pools.values()):
                self._recast = False
                needed = await self._desk(self._project.reading_engines)
                self._unneeded = frozenset(self._pools) - needed
            await self._unload_idle(now)
            await asyncio.sleep(STATUS_SECONDS)

    def _at_work(self, name: str, pool: Pool) -> bool:
        """Whether an engine has something to do, or is about to have; others do not matter."""
        if pool.busy or any(
            worker.state not in (WorkerState.READY, WorkerState.GONE) for worker in pool.statuses()
        ):
            return True
        return self.serving and self._ahead.has(name)

    async def _unload_idle(self, now: float) -> None:
        """End engines that nothing is read by, and those that nobody has used for as long as their
        configuration says."""
        for name, pool in list(self._pools.items()):
            patience = pool.spec.idle_seconds
            idle = now - self._used.setdefault(name, now)
            due = bool(patience) and idle >= patience
            unneeded = name in self._unneeded and not self._at_work(name, pool)
            if (due or unneeded) and pool.statuses():
                await pool.unload()
                self.changed()

    def _publish(self) -> None:
        """Make a snapshot and hand it out."""
        self._dirty = False
        self.status = snapshot(
            list(self._pools.values()),
            self._tally,
            paused=self.paused,
            queued=self._ahead.queued,
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
        return self._director._ahead.queued[0]

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
