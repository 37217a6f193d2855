"""The workers of one engine: enough of them, each kept busy, replaced when spent or dead.

Everything happens on one event loop. Jobs are pulled from the client when a worker has room, so
that a line somebody waits for never stands behind more than what the workers already hold.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import psutil

from engine import memory, wire
from studio.engines.catalogue import EngineSpec
from studio.narration import validate
from studio.narration.client import Client
from studio.narration.engine_log import RotatingLog
from studio.narration.faults import CannotStart, EngineGone, LinkError
from studio.narration.stalling import StallGuard
from studio.narration.status import WorkerState, WorkerStatus
from studio.narration.succession import Succession
from studio.narration.supervision import MAX_CRASHES, Charges, Supervisor
from studio.narration.worker import Job, LoadFailed, Worker, depth_of

STOP_PATIENCE = 0.7
"""Seconds that a cancelled job may take to leave before its worker is killed."""


class Pool:
    """N workers of one engine."""

    def __init__(
        self,
        spec: EngineSpec,
        client: Client,
        log: RotatingLog,
        *,
        workers: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        free_memory: Callable[[], int] | None = None,
    ) -> None:
        """Prepare; nothing is started before `work`.

        Args:
            spec: The engine.
            client: Where jobs come from and clips go.
            log: Where the processes' stderr goes.
            workers: How many at most; None for what the engine's configuration says.
            clock: Monotonic seconds; a test's own.
            free_memory: Bytes the system has available; a test's own.
        """
        self.spec = spec
        self.card: wire.Card | None = None
        """What the engine said last of itself, None before the first load."""
        self.last_problem = ""
        self.stopped_because = ""
        """Why this engine does no more, in plain words; `work` tries again."""
        self._client = client
        self._log = log
        self._size = max(1, workers if workers is not None else spec.workers)
        self._clock = clock
        self._workers: list[Worker] = []
        free_memory = free_memory or (lambda: int(psutil.virtual_memory().available))
        self._succession = Succession(spec, self._workers, log, free_memory, self)
        self._numbers = 0
        self._returned: deque[Job] = deque()
        self._supervisor = Supervisor()
        self._charges = Charges()
        self._warned: set[str] = set()
        self._running = False
        self._not_before = 0.0
        self._quiet = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._watch = StallGuard(spec.name, self._workers, clock)

    # ---- what the client asks --------------------------------------------------------------------

    def work(self) -> None:
        """There is, or may be, work: start what is missing and hand out jobs."""
        if not self._running:
            self._running = True
            self.stopped_because = ""
            self._supervisor.forgive()
            self._not_before = 0.0
        self._watch.begin()
        self._balance()
        self._pump()

    def retry(self, job: Job, reason: str) -> None:
        """A job has failed in a way that may pass: try it again, within bounds."""
        if self._charges.transient(job.key):
            self._fail(job, reason)
        elif not self._running:
            self._client.dropped(job)
        else:
            self._returned.appendleft(job)
            self._pump()

    @property
    def busy(self) -> bool:
        """Whether any job is at a worker or waiting to be tried again."""
        return bool(self._returned) or any(worker.jobs for worker in self._workers)

    @property
    def recycles(self) -> int:
        """Workers that were replaced on purpose."""
        return self._succession.recycles

    @property
    def recent_recycles(self) -> Sequence[str]:
        """Which workers were recycled of late, and why."""
        return self._succession.recent

    @property
    def last_recycle(self) -> str:
        """Which worker was recycled last, and why; empty before the first."""
        return self.recent_recycles[-1] if self.recent_recycles else ""

    @property
    def crashes(self) -> int:
        """Ends of workers that nobody wanted."""
        return self._supervisor.crashes

    @property
    def size(self) -> int:
        """Workers at most."""
        return self._size

    @property
    def depth(self) -> int:
        """Jobs that one worker holds at most."""
        return depth_of(self.card)

    def holds(self) -> list[Job]:
        """The jobs that are being narrated at this moment: one per worker, and what it has begun
        beside that one."""
        return [
            job
            for worker in self._workers
            for place, job in enumerate(worker.jobs)
            if place == 0 or job.begun
        ]

    def statuses(self) -> tuple[WorkerStatus, ...]:
        """Every worker, now."""
        return tuple(worker.status() for worker in self._workers)

    async def measure(self) -> None:
        """Read the footprint of workers that are not telling it with their clips."""
        for worker in list(self._workers):
            if worker.state not in (WorkerState.NARRATING, WorkerState.GONE) and worker.link.pid:
                try:
                    size = await asyncio.to_thread(memory.footprint, worker.link.pid)
                except OSError:
                    continue  # It has just ended, or the system does not let us look.
                worker.gauge.measured(size)

    async def cancel_all(self) -> None:
        """Stop what is in progress, within a second; nothing of it is a crash.

        Workers that drop their job in time stay loaded; the others, and those still loading, go.
        """
        self._running = False
        self._give_back()
        loading = (WorkerState.STARTING, WorkerState.LOADING)
        doomed = [worker for worker in self._workers if worker.state in loading]
        busy = [worker for worker in self._workers if worker.jobs]
        for worker in busy:
            worker.cancel_jobs()
        ends = [asyncio.create_task(worker.kill()) for worker in doomed]
        self._quiet.clear()
        if busy:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(STOP_PATIENCE):
                    await self._quiet.wait()
        late = [worker for worker in busy if worker.jobs]
        ends += [asyncio.create_task(worker.kill()) for worker in late]
        if ends:
            await asyncio.wait(ends)
        self._client.changed()

    async def unload(self) -> None:
        """End every worker politely; the next `work` starts again, also in the midst of this."""
        self._running = False
        self._give_back()
        await self._watch.end()
        if self._workers:
            await asyncio.gather(*(worker.stop() for worker in list(self._workers)))
        while self._tasks and not self._running:
            await asyncio.gather(*self._tasks, return_exceptions=True)

    # ---- keeping the right number ----------------------------------------------------------------

    def _balance(self) -> None:
        """Start workers until enough of them will last."""
        if not self._running:
            return
        delay = self._not_before - self._clock()
        if delay > 0:
            asyncio.get_running_loop().call_later(delay, self._balance)
            return
        lasting = [worker for worker in self._workers if not worker.replaced]
        starting = any(
            worker.state in (WorkerState.STARTING, WorkerState.LOADING) for worker in lasting
        )
        # The first one goes alone: a broken engine should fail once, not once per core.
        careful = self.card is None or self._supervisor.in_a_row > 0
        demand = self._client.demand() + len(self._returned)
        for number in range(len(lasting), self._size):
            if careful and starting:
                break
            if 0 < number and demand <= number * self.depth:
                break  # Those there are have room for all of it: one line needs one process.
            self._bring_up()
            starting = True

    def _bring_up(self) -> None:
        """Start one worker."""
        self._numbers += 1
        worker = Worker(self._numbers, self.spec, self, self._log)
        self._workers.append(worker)
        self._spawn(self._start(worker))
        self._client.changed()

    async def _start(self, worker: Worker) -> None:
        """One worker from nothing to ready; a failure is dealt with here."""
        try:
            await worker.start()
        except EngineGone as gone:
            # Once it had greeted, `ended` has dealt with it.
            if worker in self._workers:
                self.ended(worker, gone)
        except CannotStart as error:
            await self._abandon(worker, str(error))
        except LoadFailed as error:
            if error.transient:
                await worker.link.kill(str(error))
            else:
                await self._abandon(worker, str(error))
        except LinkError as error:
            await worker.link.kill(str(error))
        else:
            self.card = worker.card
            # It may have been told to end in the same moment.
            if worker.state is WorkerState.READY:
                self._succession.arrived()
                self._balance()
                self._pump()
            self._client.changed()

    async def _abandon(self, worker: Worker, reason: str) -> None:
        """Give this engine up: another try would end the same way."""
        self._running = False  # First, or its end would start the next one.
        await worker.kill()
        if worker in self._workers:
            self._workers.remove(worker)
        self._give_up(reason)

    def _give_up(self, reason: str) -> None:
        """This engine does no more until it is asked again."""
        self.stopped_because = reason
        self.last_problem = reason
        self._running = False
        self._give_back()
        for worker in self._workers:
            self._spawn(worker.stop())
        self._client.changed()

    def _give_back(self) -> None:
        """Return jobs that wait to be tried again."""
        waiting, self._returned = self._returned, deque()
        for job in waiting:
            self._client.dropped(job)

    # ---- replacing -------------------------------------------------------------------------------

    def replace(self) -> None:
        """A worker will not last: load its successor."""
        self._balance()

    def retire(self, worker: Worker) -> None:
        """End a worker that has drained."""
        self._spawn(worker.stop())
        self._client.changed()

    # ---- handing out jobs ------------------------------------------------------------------------

    def _pump(self) -> None:
        """Give jobs to workers with room, the emptiest first.

        A job that was under way when a worker died is narrated alone from then on: whichever of
        them it was, the next end is charged to the one that causes it. Until a worker is empty for
        it, none is given anything else.
        """
        while self._running:
            ready = [worker for worker in self._workers if worker.accepts]
            if not ready:
                return
            job = self._returned.popleft() if self._returned else self._client.next_job()
            if job is None:
                return
            emptiest = min(ready, key=lambda worker: len(worker.jobs))
            job.alone = self._charges.suspects(job.key)
            if job.alone and emptiest.jobs:
                self._returned.appendleft(job)
                return
            emptiest.give(job)

    # ---- what workers tell -----------------------------------------------------------------------

    def answered(self, worker: Worker, job: Job, frame: wire.Frame) -> None:
        """An engine answered a job."""
        message = frame.message
        if isinstance(message, wire.Clip):
            self._take(worker, job, message, frame.payload)
        elif not self._unmade(job, message):
            reason = message.reason if isinstance(message, wire.Failed) else "It made no sense."
            job.begun = True
            worker.jobs.appendleft(job)
            worker.link.strike(f"The engine {self.spec.name} cannot go on: {reason}")
            return
        self._go_on(worker)

    def prepared(self, worker: Worker, job: Job, notes: tuple[str, ...]) -> None:
        """An engine has something to say of a voice; once is enough, whoever says it again."""
        told = validate.notes(notes)
        if told and job.voice.fingerprint not in self._warned:
            self._warned.add(job.voice.fingerprint)
            self._client.warned(job, told)
            self._client.changed()

    def unprepared(self, worker: Worker, job: Job, frame: wire.Frame) -> None:
        """An engine cannot prepare a voice."""
        message = frame.message
        if not self._unmade(job, message):
            if isinstance(message, wire.Failed):
                self._fail(job, message.reason)
            else:
                self._hand_back(job)
        self._go_on(worker)

    def ended(self, worker: Worker, gone: EngineGone) -> None:
        """A process is gone, wanted or not."""
        if worker in self._workers:
            self._workers.remove(worker)
        jobs, worker.jobs = list(worker.jobs), deque()
        if worker.expected:
            for job in reversed(jobs):
                self._hand_back(job)
        else:
            self._crashed(worker, jobs, gone)
        self._balance()
        self._pump()
        self._told()

    def _told(self) -> None:
        """Something was heard of a worker: tell who waits for it."""
        if not any(worker.jobs for worker in self._workers):
            self._quiet.set()
        self._client.changed()

    def _take(self, worker: Worker, job: Job, clip: wire.Clip, payload: bytes) -> None:
        """Check a clip, keep its figures and hand it on."""
        try:
            samples = validate.samples(clip, payload, worker.card, job.text, job.speed)
            blobs = validate.attachments(clip, payload, worker.card)
        except validate.BadClip as error:
            worker.gauge.measured(clip.footprint)
            self.last_problem = str(error)
            self.retry(job, str(error))
            return
        audio = clip.frames / clip.rate
        worker.made(clip.footprint, clip.cpu_seconds, audio)
        self._supervisor.succeeded()
        self._settle(job)
        self._watch.learn(clip.seconds, job.seconds)
        self._client.finished(worker, job, clip, samples, blobs)

    def _unmade(self, job: Job, message: wire.Message) -> bool:
        """Take an answer that there is no clip; False where it does not say what to do then."""
        if isinstance(message, wire.Refused):
            self._fail(job, message.reason)
        elif isinstance(message, wire.Failed) and message.failure == "cancelled":
            self._hand_back(job)
        elif isinstance(message, wire.Failed) and message.failure == "transient":
            self.retry(job, message.reason)
        else:
            return False
        return True

    def _go_on(self, worker: Worker) -> None:
        """A worker has answered: replace it if it is spent, and hand out what comes next."""
        warning = self._succession.between_clips(worker, running=self._running)
        self.last_problem = warning or self.last_problem
        self._pump()
        self._told()

    def _crashed(self, worker: Worker, jobs: list[Job], gone: EngineGone) -> None:
        """A worker died: its jobs go back to the head, a killer is failed, another one starts."""
        self.last_problem = str(gone)
        for job in reversed(jobs):
            if self._charges.killed_worker(job.key, begun=job.begun):
                self._fail(job, f"It ended two workers. {gone}")
            else:
                self._hand_back(job)
        delay = self._supervisor.crashed()
        if delay is not None:
            self._not_before = self._clock() + delay
        elif self._running:
            self._give_up(
                f"The engine {self.spec.name} ended {MAX_CRASHES} times in a row, so narration "
                f"has stopped; the queue is kept. {gone}"
            )

    def _hand_back(self, job: Job) -> None:
        """A job was not made: first in line again, or the client's if nothing runs."""
        if self._running:
            self._returned.appendleft(job)
        else:
            self._client.dropped(job)

    def _fail(self, job: Job, reason: str) -> None:
        """A job will not be made."""
        self._settle(job)
        self._client.failed(job, reason)

    def _settle(self, job: Job) -> None:
        """A job is over."""
        self._charges.settle(job.key)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside, and remember it until it is done."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
