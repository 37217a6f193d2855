"""One open book with all that serves it: project, desk, director, rows; the screens ask only this.

Every call into the project goes over the desk, so that nothing slow stands on the event loop.
What comes back, and what the director reports, is merged and told to the listening screen as one
message; the rows in memory are brought up to date first, and only those that were touched.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, Protocol, TypeVar

from textual.message import Message

from studio.awake import Awake
from studio.errors import StudioError
from studio.lean import set_aside
from studio.narration.status import NarrationStatus
from studio.project import places
from studio.project.desk import Desk
from studio.project.library import remember
from studio.project.model import Change, Chapter, Segment, State, Take
from studio.project.project import Project
from studio.project.told import first_time
from studio.ui.messages import NarrationChanged, ProjectChanged, Trouble
from studio.ui.no_director import NoDirector
from studio.ui.reordering import reorder
from studio.ui.rows import UNFINISHED, Rows
from studio.ui.seen import Seen
from studio.ui.slices import slices

if TYPE_CHECKING:
    # Narration is loaded once the book can be seen.
    from studio.narration.alone import Alone
    from studio.narration.hearing import Ear
    from studio.narration.making import Estimate

P = ParamSpec("P")
T = TypeVar("T")

BATCH_SECONDS = 0.05
"""Changes that the director reports within this time are told as one."""
CHAPTERS_SECONDS = 0.4
"""Counts per chapter are read again at most this often while narration runs."""
MANY = 400
"""Segments above which a change is taken in chapter by chapter."""

RENEWED = 500
"""So many segments are read again before what is in memory is set aside anew."""

LONG = 5_000
"""Segments of a book above which its beginning is shown before the rest is read."""
BEGINNING = 200
"""Segments that are more than any screen shows."""

LINGER_SECONDS = 10.0
"""How long the machine is kept awake when there is no more work: the next may come at once."""

log = logging.getLogger(__name__)


class Narration(Protocol):
    """What the services need of a director; tests bring a scripted one."""

    paused: bool

    @property
    def serving(self) -> bool:
        """Whether anything of the queue may be begun."""

    async def run(self) -> None:
        """Serve the queue until it is closed."""

    def wake(self) -> None:
        """Something was queued."""

    def recast(self) -> None:
        """Voices, or what they read, may have changed."""

    def pause(self) -> None:
        """Begin nothing new."""

    def let_through(self, uids: Collection[str]) -> None:
        """Narrate what waits for these segments although the queue is paused; it stays so."""

    def resume(self) -> None:
        """Go on."""

    async def stop(self) -> None:
        """Cancel what is in progress and pause."""

    async def close(self) -> None:
        """End every engine."""


MakeDirector = Callable[
    [Project, Desk, Callable[[Change], None], Callable[[NarrationStatus], None]], Narration
]


def real_director(
    project: Project,
    desk: Desk,
    on_change: Callable[[Change], None],
    on_status: Callable[[NarrationStatus], None],
) -> Narration:
    """The director over the engines this machine has."""
    # Imported here, as the player is: a book is on the screen before the engines' side is needed.
    from studio.engines.catalogue import Catalogue
    from studio.narration.director import Director

    return Director(project, desk, Catalogue.of_user(), on_change=on_change, on_status=on_status)


class Session:
    """An open book."""

    def __init__(self, project: Project, desk: Desk, rows: Rows, make: MakeDirector) -> None:
        """Use `Session.open`."""
        self.project = project
        self.title = ""
        self.rows = rows
        self.chapters: tuple[Chapter, ...] = ()
        self._by_id: dict[int, Chapter] = {}
        self.status = NarrationStatus()
        self.listener: Callable[[Message], object] = lambda message: None
        self._desk = desk
        self.seen = Seen()
        self._pending = Change()
        self._recorded: set[str] = set()
        """Uids of segments of which narration has told what the rows may not know yet."""
        self._told = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self._commands: set[asyncio.Future[Any]] = set()
        """On their way, whether somebody waits for them or not."""
        self._chapters_due = False
        self._renewed = 0
        self._make = make
        self._director: Narration | None = None
        self._left_over = False
        self.waiting = sum(segment.queued for segment in rows.all)
        """How many segments are in the queue, those in progress included."""
        self.place = ""
        """Uid of the segment where the person is; where they were last time, to begin with."""
        self.place_warning = ""
        """What is to be said, once, of the folder that the book lies in."""
        self.first_book = False
        """Whether no book was ever opened before this one."""
        self.keep_awake = True
        """Whether the machine is kept from sleeping while there is work."""
        self._stirred = asyncio.Event()
        self._absorbing = asyncio.Lock()
        self.complete = asyncio.Event()
        """Set once all of the book is in the rows; until then no key may act on them."""
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
            segments = await desk(_beginning, project, chapters)
            session = cls(project, desk, Rows(segments), make)
            session._count(chapters)
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
        session._left_over = bool(left_over)
        session.waiting = len({item.segment for item in left_over})
        session._start(session._tell())
        session._start(session._stay_awake())
        return session

    def begin(self) -> None:
        """Serve the queue; the screen asks for it once the book is to be seen."""
        self._start(self._serve())

    @property
    def director(self) -> Narration:
        """Who narrates; made when it is first asked for."""
        if self._director is None:
            self._director = self._made()
            if self._left_over:
                self._director.pause()
        return self._director

    def _made(self) -> Narration:
        """A director, or what stands in for one and says why."""
        try:
            return self._make(self.project, self._desk, self._on_change, self._on_status)
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
                self._start(self._serve())

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
            await self._absorb(result)
            if result.queue:
                self.director.wake()
            if (result.settings or result.segments) and self._director is not None:
                self._director.recast()
        return result

    async def takes(self, uid: str) -> tuple[Take, ...]:
        """The takes of a segment."""
        return await self._desk(self.project.takes, uid)

    def chapter_of(self, segment: Segment | None) -> Chapter | None:
        """The chapter a segment belongs to."""
        if segment is None:
            return None
        return self._by_id.get(segment.chapter)

    def _count(self, chapters: tuple[Chapter, ...]) -> None:
        """Take new counts."""
        self.chapters = chapters
        self._by_id = {chapter.id: chapter for chapter in chapters}

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

    # What the director reports.

    async def _read_on(self) -> None:
        """Read what was not read for the first sight of a long book."""
        try:
            segments = await self._desk(_all_segments, self.project)
            self.rows.replace(segments)
            self.waiting = sum(segment.queued for segment in segments)
        finally:
            self.complete.set()
        self.listener(ProjectChanged(Change(structure=True)))

    async def _serve(self) -> None:
        try:
            if not self.complete.is_set():
                await self._read_on()
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

    def _on_change(self, change: Change) -> None:
        self._pending |= change
        self._recorded |= change.segments
        self._told.set()

    async def _tell(self) -> None:
        """Absorb the director's changes in batches, for as long as the book is open."""
        while True:
            await self._told.wait()
            await asyncio.sleep(BATCH_SECONDS)
            self._told.clear()
            change, self._pending = self._pending, Change()
            try:
                await self._absorb(change, counts=False)
            except StudioError as error:
                self.listener(Trouble(str(error)))
            self._recorded = set(self._pending.segments)

    def _renew(self, segments: Mapping[str, Segment]) -> None:
        """Take new versions of some segments into the rows."""
        for uid, segment in segments.items():
            if (known := self.rows.get(uid)) is not None:
                self.waiting += segment.queued - known.queued
                if uid in self._recorded and segment.chosen != known.chosen:
                    self.seen.note(uid, known.chosen)
        self.rows.update(segments)
        self._set_aside(len(segments))

    def _set_aside(self, renewed: int) -> None:
        """So many segments were read again; a few at a time are soon looked through."""
        self._renewed += renewed
        if self._renewed > RENEWED:
            self._renewed = 0
            set_aside()

    async def _absorb(self, change: Change, *, counts: bool = True) -> None:
        """Bring the rows up to date with a change, then tell the screen."""
        async with self._absorbing:  # One after the other: the rows are made in several steps.
            if change.structure:
                await self._reorder(change)
            elif len(change.segments) > MANY:
                # By chapters: two versions of a long book at once would be a third of our memory.
                for chapter in self.chapters:
                    segments = await self._desk(self.project.segments, chapter.id)
                    changed = [it for it in segments if it.uid in change.segments]
                    async for _, part in slices(changed):
                        self._renew({it.uid: it for it in part})
            elif change.segments:
                self._renew(await self._desk(self.project.segments_by_uid, change.segments))
            if counts and not change.structure:
                self._count(await self._desk(self.project.chapters))
            elif not change.structure and not self._chapters_due:
                self._chapters_due = True
                self._start(self._count_later())
            self._stirred.set()
            self.listener(ProjectChanged(change))

    async def _reorder(self, change: Change) -> None:
        """Bring the rows up to date where segments came, went or moved."""
        chapters = await self._desk(self.project.chapters)
        known = self.rows.spans()
        touched = set(change.chapters)
        async for _, part in slices(list(change.segments)):
            touched.update(it.chapter for uid in part if (it := self.rows.get(uid)) is not None)
        read: dict[int, list[Segment]] = {}
        for chapter in chapters:
            if not change.chapters or chapter.id in touched or chapter.id not in known:
                read[chapter.id] = await self._desk(self.project.segments, chapter.id)
                self._set_aside(len(read[chapter.id]))
        self.waiting += await reorder(self.rows, chapters, read)
        self._count(chapters)

    async def _count_later(self) -> None:
        await asyncio.sleep(CHAPTERS_SECONDS)
        self._chapters_due = False
        self._count(await self._desk(self.project.chapters))
        self.listener(ProjectChanged(Change()))

    def _on_status(self, status: NarrationStatus) -> None:
        self.status = status
        self._stirred.set()
        self.listener(NarrationChanged(status, self.rows.set_narrating(status.narrating)))

    async def _stay_awake(self) -> None:
        """Keep the machine from sleeping while there is work, and a moment longer."""
        awake = Awake(on=self.keep_awake)
        try:
            while True:
                await self._stirred.wait()
                self._stirred.clear()
                if self.busy and not awake.holding:
                    await asyncio.to_thread(awake.begin)
                elif awake.holding and not self.busy:
                    await asyncio.sleep(LINGER_SECONDS)
                    if not self.busy:
                        await asyncio.to_thread(awake.end)
        finally:
            if awake.holding:
                await asyncio.to_thread(awake.end)

    def _start(self, work: Any) -> None:
        task: asyncio.Task[None] = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _beginning(project: Project, chapters: Sequence[Chapter]) -> list[Segment]:
    """All segments of a book, or of a long one those that can be seen first; for the desk."""
    if sum(chapter.segments for chapter in chapters) <= LONG:
        return project.segments()
    first: list[Segment] = []
    for chapter in chapters:
        first += project.segments(chapter.id)
        if len(first) >= BEGINNING:
            break
    return first


def _all_segments(project: Project) -> list[Segment]:
    """All segments; for the desk."""
    return project.segments()


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


def counts_line(current: Chapter | None) -> str:
    """The header's counts: of the current chapter, such as ``31 of 48 approved · 3 flagged``."""
    if current is None:
        return ""
    problems = {"flagged": current.flagged, "stale": current.stale, "failed": current.failed}
    named = [f"{count} {name}" for name, count in problems.items() if count]
    head = f"{current.approved} of {current.spoken} approved"
    if not current.approved and current.done < current.segments:
        head = f"{current.ready} of {current.spoken} ready"
    return " · ".join([head, *named])
