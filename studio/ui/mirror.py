"""The open book in memory, brought up to date with each change: only what the change touched.

What a person has done is taken in at once; what narration reports comes in batches.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Protocol

from textual.message import Message

from studio.errors import StudioError
from studio.lean import set_aside
from studio.project.desk import Desk
from studio.project.model import Change, Chapter, Segment
from studio.project.project import Project
from studio.ui.messages import Trouble
from studio.ui.reordering import reorder
from studio.ui.rows import Rows
from studio.ui.seen import Seen
from studio.ui.slices import slices

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


class Owner(Protocol):
    """Who is told; the session."""

    def shown(self, change: Change) -> None:
        """The rows are as they are after a change."""

    def tell(self, message: Message) -> None:
        """Something else for the screen."""

    def start(self, work: Coroutine[Any, Any, None]) -> None:
        """Run something beside, for as long as the book is open."""


class Mirror:
    """The rows and chapters of a book as it is now."""

    def __init__(
        self,
        project: Project,
        desk: Desk,
        segments: Sequence[Segment],
        owner: Owner,
    ) -> None:
        """Hold what was read; `run` takes in what narration reports.

        Args:
            project: The book.
            desk: The project's thread.
            segments: Of the whole book, or of its beginning; `read_on` reads the rest then.
            owner: Who is told.
        """
        self.rows = Rows(segments)
        self.chapters: tuple[Chapter, ...] = ()
        self.seen = Seen()
        self.waiting = sum(segment.queued for segment in segments)
        """How many segments are in the queue, those in progress included."""
        self.complete = asyncio.Event()
        """Set once all of the book is in the rows; until then no key may act on them."""
        self._project = project
        self._desk = desk
        self._owner = owner
        self._by_id: dict[int, Chapter] = {}
        self._pending = Change()
        self._recorded: set[str] = set()
        """Uids of segments of which narration has told what the rows may not know yet."""
        self._told = asyncio.Event()
        self._chapters_due = False
        self._renewed = 0
        self._absorbing = asyncio.Lock()

    def count(self, chapters: tuple[Chapter, ...]) -> None:
        """Take new counts."""
        self.chapters = chapters
        self._by_id = {chapter.id: chapter for chapter in chapters}

    def chapter_of(self, segment: Segment | None) -> Chapter | None:
        """The chapter a segment belongs to."""
        if segment is None:
            return None
        return self._by_id.get(segment.chapter)

    async def read_on(self) -> None:
        """Read what was not read for the first sight of a long book."""
        try:
            segments = await self._desk(_all_segments, self._project)
            self.rows.replace(segments)
            self.waiting = sum(segment.queued for segment in segments)
        finally:
            self.complete.set()
        self._owner.shown(Change(structure=True))

    def report(self, change: Change) -> None:
        """Narration has changed the book."""
        self._pending |= change
        self._recorded |= change.segments
        self._told.set()

    async def run(self) -> None:
        """Absorb the director's changes in batches, for as long as the book is open."""
        while True:
            await self._told.wait()
            await asyncio.sleep(BATCH_SECONDS)
            self._told.clear()
            change, self._pending = self._pending, Change()
            try:
                await self.absorb(change, counts=False)
            except StudioError as error:
                self._owner.tell(Trouble(str(error)))
            self._recorded = set(self._pending.segments)

    async def absorb(self, change: Change, *, counts: bool = True) -> None:
        """Bring the rows up to date with a change, then tell the screen."""
        async with self._absorbing:  # One after the other: the rows are made in several steps.
            if change.structure:
                await self._reorder(change)
            elif len(change.segments) > MANY:
                # By chapters: two versions of a long book at once would be a third of our memory.
                for chapter in self.chapters:
                    segments = await self._desk(self._project.segments, chapter.id)
                    changed = [it for it in segments if it.uid in change.segments]
                    async for _, part in slices(changed):
                        self._renew({it.uid: it for it in part})
            elif change.segments:
                self._renew(await self._desk(self._project.segments_by_uid, change.segments))
            if counts and not change.structure:
                self.count(await self._desk(self._project.chapters))
            elif not change.structure and not self._chapters_due:
                self._chapters_due = True
                self._owner.start(self._count_later())
            self._owner.shown(change)

    async def _reorder(self, change: Change) -> None:
        """Bring the rows up to date where segments came, went or moved."""
        chapters = await self._desk(self._project.chapters)
        known = self.rows.spans()
        touched = set(change.chapters)
        async for _, part in slices(list(change.segments)):
            touched.update(it.chapter for uid in part if (it := self.rows.get(uid)) is not None)
        read: dict[int, list[Segment]] = {}
        for chapter in chapters:
            if not change.chapters or chapter.id in touched or chapter.id not in known:
                read[chapter.id] = await self._desk(self._project.segments, chapter.id)
                self._set_aside(len(read[chapter.id]))
        self.waiting += await reorder(self.rows, chapters, read)
        self.count(chapters)

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

    async def _count_later(self) -> None:
        await asyncio.sleep(CHAPTERS_SECONDS)
        self._chapters_due = False
        self.count(await self._desk(self._project.chapters))
        self._owner.shown(Change())


def beginning(project: Project, chapters: Sequence[Chapter]) -> list[Segment]:
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
