"""One open book with all that serves it: project, desk, director, rows; the screens ask only this.

Every call into the project goes over the desk, so that nothing slow stands on the event loop.
What comes back, and what the director reports, is taken in by the book in memory (`mirror`) first;
then the listening screen is told.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from textual.message import Message

from studio.errors import StudioError
from studio.lean import set_aside
from studio.narration.status import NarrationStatus
from studio.project import places
from studio.project.desk import Desk
from studio.project.library import remember
from studio.project.model import Change, Chapter, Segment, State, Take
from studio.project.project import Project
from studio.project.told import first_time
from studio.ui.directors import Director, MakeDirector, NoDirector, real_director
from studio.ui.messages import NarrationChanged, ProjectChanged, Trouble
from studio.ui.mirror import Mirror, beginning
from studio.ui.new_seeds import LeftOver
from studio.ui.rows import UNFINISHED
from studio.ui.wakefulness import keep_awake

if TYPE_CHECKING:
    # Narration is loaded once the book can be seen.
    from studio.narration.alone import Alone
    from studio.narration.hearing import Ear
    from studio.narration.making import Estimate

P = ParamSpec("P")
T = TypeVar("T")

log = logging.getLogger(__name__)


class Session:
    """An open book."""

    def __init__(
        self, project: Project, desk: Desk, segments: Sequence[Segment], make: MakeDirector
    ) -> None:
        """Use `Session.open`."""
        self.project = project
        self.title = ""
        self.status = NarrationStatus()
        self.listener: Callable[[Message], object] = lambda message: None
        self._desk = desk
        self.mirror = Mirror(project, desk, segments, self)
        self.rows, self.seen, self.complete = (
            self.mirror.rows,
            self.mirror.seen,
            self.mirror.complete,
        )
        self._tasks: set[asyncio.Task[None]] = set()
        self._commands: set[asyncio.Future[Any]] = set()
        """On their way, whether somebody waits for them or not."""
        self._make = make
        self._director: Director | None = None
        self._queue_left = False
        self.left_over = LeftOver(())
        """New seeds that were not narrated when the book was closed."""
        self.place = ""
        """Uid of the segment where the person is; where they were last time, to begin with."""
        self.place_warning = ""
        """What is to be said, once, of the folder that the book lies in."""
        self.first_book = False
        """Whether no book was ever opened before this one."""
        self.keep_awake = True
        """Whether the machine is kept from sleeping while there is work."""
        self._stirred = asyncio.Event()
        self._alone_reader: Alone | None = None
        self._listener: Ear | None = None

    @classmethod
    async def open(cls, folder: Path, make: MakeDirector = real_director) -> Session:
        """Open a project and begin to serve its queue; a queue left over stays paused.

        Raises:
            StudioError: The folder is no project, or another studio has it.
        """
        desk = Desk()
        try:
            project = await desk(Project.open, folder)
            chapters = await desk(project.chapters)
            segments = await desk(beginning, project, chapters)
            session = cls(project, desk, segments, make)
            session.mirror.count(chapters)
            if len(segments) == sum(chapter.segments for chapter in chapters):
                session.complete.set()
            info = await desk(lambda: project.info)
            session.title = info.title
            await desk(remember, project.folder, info.title)
            left_over = await desk(project.queue)
            session.place = await desk(project.place)
            session.place_warning = await desk(_place_warning, project.folder)
            session.first_book = await desk(first_time, "tour")
        except BaseException:
            await asyncio.to_thread(desk.close)
            raise
        session._queue_left, session.left_over = bool(left_over), LeftOver(left_over)
        session.mirror.waiting = len({item.segment for item in left_over})
        session.start(session.mirror.run())
        session.start(session._stay_awake())
        return session

    def begin(self) -> None:
        """Serve the queue; the screen asks for it once the book is to be seen."""
        self.start(self._serve())

    @property
    def director(self) -> Director:
        """Who narrates; made when it is first asked for."""
        if self._director is None:
            self._director = self._made()
            if self._queue_left:
                self._director.pause()
        return self._director

    def _made(self) -> Director:
        """A director, or what stands in for one and says why."""
        try:
            return self._make(self.project, self._desk, self.mirror.report, self._on_status)
        except StudioError as error:
            self.listener(Trouble(str(error)))
            self._on_status(NarrationStatus(stopped_because=str(error), queued=self.waiting))
            return NoDirector()

    def _try_again(self) -> None:
        """Where there was no director, make one: the reason may be mended by now."""
        if isinstance(self._director, NoDirector):
            self._director = self._made()
            if not isinstance(self._director, NoDirector):
                self._director.pause()
                self.status = NarrationStatus()
                self.start(self._serve())

    def go_on(self) -> None:
        """Serve the queue again."""
        self._try_again()
        self.director.resume()

    def _let_through(self, segments: Sequence[Segment]) -> None:
        """Have these narrated although the queue may be paused for all the rest."""
        self._try_again()
        self.director.let_through([segment.uid for segment in segments])

    @property
    def alone(self) -> Alone:
        """Who reads a text by itself, for `studio.ui.trying`; made when it is first asked for."""
        if self._alone_reader is None:
            from studio.narration.alone import Alone

            self._alone_reader = Alone()
        return self._alone_reader

    @property
    def ear(self) -> Ear:
        """What writes down what is said in a sound; started when it is asked for."""
        if self._listener is None:
            from studio.narration.hearing import Ear

            self._listener = Ear()
        return self._listener

    async def close(self) -> None:
        """End the engines, then the project; nothing is left running."""
        try:
            if self._alone_reader is not None:
                await self._alone_reader.close()
            if self._listener is not None:
                await self._listener.close()
            if self._director is not None:
                await self._director.close()
        finally:
            await asyncio.gather(*self._commands, return_exceptions=True)
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            with suppress(StudioError):
                await self._desk(self.project.remember_place, self.place)
            with suppress(StudioError):
                await self._desk(self.project.close)
            await asyncio.to_thread(self._desk.close)

    # What screens ask.

    async def read(self, call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Anything of the project's, off the event loop."""
        return await self._desk(call, *args, **kwargs)

    async def do(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a command of the project and show what it changed at once.

        A caller that is cancelled, because its window was closed, stops to wait; what the command
        does is shown all the same.

        Returns:
            What the command returned: a `Change`, or None where there was nothing to do.

        Raises:
            StudioError: It cannot be done; the sentence says why.
        """
        task = asyncio.ensure_future(self._done(command, *args, **kwargs))
        self._commands.add(task)
        task.add_done_callback(self._commands.discard)
        try:
            return await asyncio.shield(task)
        except asyncio.CancelledError:
            task.add_done_callback(lambda it: it.cancelled() or it.exception())
            raise

    async def _done(self, command: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a command, and bring the rows up to date with it."""
        result = await self._desk(command, *args, **kwargs)
        if isinstance(result, Change) and result:
            await self.mirror.absorb(result)
            # A setting may forbid what was prepared ahead, or allow what was refused.
            if result.queue or result.settings:
                self.director.wake()
            if (result.settings or result.segments) and self._director is not None:
                self._director.recast()
        return result

    async def takes(self, uid: str) -> tuple[Take, ...]:
        """The takes of a segment."""
        return await self._desk(self.project.takes, uid)

    @property
    def chapters(self) -> tuple[Chapter, ...]:
        """The chapters as they are now, in order."""
        return self.mirror.chapters

    def chapter_of(self, segment: Segment | None) -> Chapter | None:
        """The chapter a segment belongs to."""
        return self.mirror.chapter_of(segment)

    @property
    def waiting(self) -> int:
        """How many segments are in the queue, those in progress included."""
        return self.mirror.waiting

    @property
    def busy(self) -> bool:
        """Whether work is running: segments in progress, or waiting and not paused."""
        return bool(self.status.narrating) or (self.director.serving and self.waiting > 0)

    # Narration.

    async def narrate_segment(self, segment: Segment, *, new_seed: bool) -> None:
        """Narrate one segment before all bulk work; where the queue is paused, it alone."""
        label = f"narrated segment {segment.number}"
        await self._enqueue([segment], label=label, first=True, new_seeds=new_seed)
        self._let_through([segment])

    async def narrate_ahead(self, segments: Sequence[Segment], label: str) -> None:
        """Narrate what is about to be heard, before bulk work; a paused queue stays paused."""
        await self._enqueue(segments, label=label, first=True)

    async def narrate(
        self,
        segments: Sequence[Segment],
        label: str,
        *,
        first: bool = False,
        new_seeds: bool = False,
    ) -> None:
        """Queue several segments and go on where the queue was paused.

        Args:
            segments: Which.
            label: What the history calls it.
            first: Whether they go before bulk work; where the queue is paused, they alone.
            new_seeds: Whether each gets another seed.
        """
        await self._enqueue(segments, label=label, first=first, new_seeds=new_seeds)
        if first:
            self._let_through(segments)
        else:
            self.go_on()

    async def narrate_candidates(self, segments: Sequence[Segment], count: int) -> None:
        """Narrate new seeds before all bulk work; where the queue is paused, them alone.

        Args:
            segments: Which.
            count: How many new seeds each gets.
        """
        many = f"{len(segments):,} segments"
        which = f"segment {segments[0].number}" if len(segments) == 1 else many
        label = f"narrated {count} new seed{'s' * (count != 1)} of {which}"
        await self._enqueue(segments, label=label, first=True, candidates=count)
        self._let_through(segments)

    async def make_again(self, segment: Segment, take: Take) -> None:
        """Narrate a take's recipe again before all bulk work; where the queue is paused, it
        alone."""
        label = f"made take {take.number} of segment {segment.number} again"
        await self._enqueue([segment], label=label, first=True, remake=take.id)
        self._let_through([segment])

    async def voice_again(self, segment: Segment, take: Take) -> None:
        """Voice a take's kept speech tokens before all bulk work; where the queue is paused, them
        alone.

        Raises:
            BadInput: The take keeps none.
        """
        label = f"voiced take {take.number} of segment {segment.number} again"
        await self._enqueue([segment], label=label, first=True, replays={segment.uid: take.id})
        self._let_through([segment])

    async def must_repeat(self, segments: Sequence[Segment]) -> None:
        """Let no marked book be narrated by an engine whose takes depend on their company.

        Raises:
            BadInput: It is marked, and these are read by such an engine.
        """
        from studio.narration import repeating

        await self.read(repeating.refuse, self.project, {it.voice for it in segments})

    async def _enqueue(
        self, segments: Sequence[Segment], *, label: str, first: bool, **wishes: Any
    ) -> None:
        await self.must_repeat(segments)
        uids = [segment.uid for segment in segments]
        self.rows.ask(uids)
        self.listener(NarrationChanged(self.status, frozenset(uids)))
        try:
            await self.do(self.project.enqueue, uids, first=first, label=label, **wishes)
        finally:
            self.rows.answered(uids)

    async def estimate(self, segments: Sequence[Segment]) -> Estimate:
        """What narrating these will take; worked out beside the event loop."""
        from studio.narration.making import estimate

        return await asyncio.to_thread(estimate, tuple(self.rows.all), segments)

    def lacking(self, chapter: int | None = None) -> list[Segment]:
        """What a chapter, or the book, lacks: drafts, failed and stale segments."""
        return self.rows.in_state(UNFINISHED, chapter)

    def failed_and_stale(self) -> list[Segment]:
        """What was tried and is not right."""
        return self.rows.in_state((State.FAILED, State.STALE))

    async def stop(self) -> None:
        """Cancel what is in progress; the queue stays, paused."""
        await self.director.stop()

    # What the book in memory and the director report.

    def shown(self, change: Change) -> None:
        """The rows are as they are after a change: tell the screen."""
        self._stirred.set()
        self.listener(ProjectChanged(change))

    def tell(self, message: Message) -> None:
        """Something else for the screen."""
        self.listener(message)

    async def _serve(self) -> None:
        try:
            if not self.complete.is_set():
                await self.mirror.read_on()
            await asyncio.to_thread(_import_the_rest)
            set_aside()
            await self.director.run()
        except asyncio.CancelledError:
            raise
        except StudioError as error:
            self.listener(Trouble(str(error)))
        except Exception:
            log.exception("the director ended")
            self.listener(
                Trouble("Narration ended by a fault in Rhapsode; the log has the details.")
            )

    def _on_status(self, status: NarrationStatus) -> None:
        self.status = status
        self._stirred.set()
        self.listener(NarrationChanged(status, self.rows.set_narrating(status.narrating)))

    async def _stay_awake(self) -> None:
        """Keep the machine from sleeping while there is work, and a moment longer."""
        await keep_awake(self._stirred, lambda: self.busy, on=self.keep_awake)

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside, for as long as the book is open."""
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _place_warning(folder: Path) -> str:
    """What is to be said of a project's folder; nothing where it was said before."""
    warning = places.warning(folder)
    return warning if warning and first_time(f"place: {folder.resolve()}") else ""


def _import_the_rest() -> None:
    """Load, beside the event loop, what the first narration and the first sound need."""
    import studio.narration.director
    import studio.sound.assembly
    import studio.sound.plan
    import studio.sound.player
    import studio.sound.waveform  # noqa: F401
