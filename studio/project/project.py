"""A project: one book, its takes and everything a person has decided about them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from studio.book.drafts import ChapterDraft
from studio.errors import BadInput, StudioError
from studio.project import blind_tests, checkup, clips, configuring, narrating, queueing
from studio.project.creating import create
from studio.project.editable import command
from studio.project.history import Cell
from studio.project.lock import ProjectLock
from studio.project.model import (
    Change,
    CleanReport,
    Failure,
    NewTake,
    Problem,
    Reuse,
    Voice,
)
from studio.project.reading import locked
from studio.project.session import Session
from studio.project.store import DATABASE_NAME, Store
from studio.project.worded import WordedProject
from studio.review.blind import MOST_TRIALS, Candidate, Pair, Test

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def is_project(folder: Path) -> bool:
    """Whether a folder holds a project."""
    return (folder / DATABASE_NAME).is_file()


class Project(WordedProject):
    """An open project. Calls block; use it from one thread at a time (a lock sees to it).

    Every command is one transaction and one step of the history, and returns what it touched.
    """

    def __init__(self, folder: Path, store: Store, lock: ProjectLock | None) -> None:
        """Wrap an open store; use `create` or `open`."""
        super().__init__(folder, Session(folder, store))
        self.reopened_edits: Change | None = None
        """What a person had edited in ``project.toml`` before this opening."""
        self._lock = lock

    @classmethod
    def create(
        cls,
        folder: Path,
        *,
        title: str,
        author: str,
        language: str,
        voice: Voice,
        chapters: Sequence[ChapterDraft],
        speaking: int = 1,
        segmenting: int = 0,
        kept: Mapping[str, object] | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Self:
        """Make a project and open it; on failure nothing is left behind.

        Args:
            folder: Where; it must not exist, its parents may.
            title: Title of the book.
            author: Author, or empty.
            language: BCP 47 tag.
            voice: The narrator. Reference audio with an absolute path is copied into the project.
            chapters: What cutting the manuscript gave.
            speaking: Version of the rules that made the spoken text.
            segmenting: Version of the rules that cut the segments; 0 where none did.
            kept: Further settings for the program: ``source``, the manuscript's name and hash,
                ``import``, what of it is narrated, ``coverage``, the account of its characters.
            progress: Told how much is stored, 0 to 1.

        Raises:
            BadInput: The folder exists.
            MachineFault: The disk is in the way.
        """
        kept = {**(kept or {}), "segmenting": segmenting}
        create(folder, title, author, language, voice, chapters, speaking, kept, progress)
        return cls.open(folder)

    @classmethod
    def open(cls, folder: Path, *, read_only: bool = False) -> Self:
        """Open a project.

        Args:
            folder: The project.
            read_only: Whether to look only: needs no lock, and works beside a studio that writes.

        Raises:
            BadInput: It is no project, or was made by a newer version.
            MachineFault: Another studio has it open, or the disk is in the way.
        """
        if not is_project(folder):
            raise BadInput(f"{folder} holds no project; make one with: rhapsode new BOOK")
        lock = None if read_only else ProjectLock(folder)
        try:
            store = Store(folder, read_only=read_only)
            try:
                project = cls(folder, store, lock)
                if not read_only:
                    project._look_outside()
            except BaseException:
                store.close()
                raise
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        return project

    def close(self) -> None:
        """Close it; harmless to repeat."""
        with self._session.store.lock:
            self._session.store.close()
            if self._lock is not None:
                self._lock.release()

    def __enter__(self) -> Self:
        """Close the project at the end of the block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def write_clip(self, pcm: NDArray[np.int16], rate: int) -> str:
        """Put a clip on disk, whole or not at all; one that is there and intact is left alone.

        Args:
            pcm: Samples, shape (frames, channels); or (frames,) for one channel.
            rate: Samples per second.

        Returns:
            The hash that a `NewTake` names.

        Raises:
            MachineFault: The disk is full or cannot be written to; nothing is left behind.
        """
        return clips.write_clip(self.folder, pcm, rate)

    # ---- commands --------------------------------------------------------------------------------

    @command
    def undo(self) -> Change | None:
        """Take the last step back; None where there is none."""
        return self._turned("undid", self._session.history.undo())

    @command
    def redo(self) -> Change | None:
        """Do the step again that was undone last; None where there is none."""
        return self._turned("redid", self._session.history.redo())

    @locked
    def remember_place(self, uid: str) -> None:
        """Keep where a person was in the book; no step of the history."""
        with self._session.store.transaction():
            self._session.store.execute(
                "INSERT INTO internal (name, value) VALUES ('place', ?)"
                " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                (uid,),
            )

    # ---- queue -----------------------------------------------------------------------------------

    @command
    def enqueue(
        self,
        uids: Sequence[str],
        *,
        first: bool = False,
        new_seeds: bool = False,
        label: str = "",
        candidates: int = 0,
        remake: int | None = None,
        replays: Mapping[str, int] | None = None,
    ) -> Change:
        """Ask for narrations, as one group and one step of the history to come.

        Args:
            uids: Segments; scene breaks are skipped, and what is queued stays one item.
            first: Whether they go before bulk work, in this order; also those queued already.
            new_seeds: Whether each is given a fresh seed; the segment keeps its own until the take
                is chosen.
            label: What the history calls it.
            candidates: How many new seeds to try for each, beside whatever waits; their takes are
                kept, and one is chosen only where the segment has no current take.
            remake: `Take.id` of a take of the one segment, whose recorded recipe is to be narrated
                again; what comes of it is only kept.
            replays: `Take.id` by uid, one for each segment, whose speech tokens are to be voiced
                again by the engine as it is configured now; what comes of it is only kept.

        Raises:
            BadInput: There are too many candidates, or a take cannot be made again.
        """
        return queueing.enqueue(
            self._session,
            uids,
            first=first,
            new_seeds=new_seeds,
            label=label,
            candidates=candidates,
            remake=remake,
            replays=replays,
        )

    @command
    def clear_queue(self) -> Change:
        """Drop everything that waits."""
        return queueing.clear_queue(self._session)

    @command
    def record(self, takes: Sequence[NewTake | Reuse], failures: Sequence[Failure] = ()) -> Change:
        """Keep what was narrated, in one transaction; the clips must be on disk already.

        A take is chosen unless its segment's text, voice, language or speed changed meanwhile;
        then it is only kept. So is a candidate where a current take is chosen already, and what was
        made again. ``provenance["build"]`` is what `recipe.build_of` gives, or a name as
        `recipe.build_id` makes it.
        """
        return narrating.record(self._session, takes, failures)

    # ---- blind comparisons: results, and no steps of the history -------------------------------

    @locked
    def comparable(self) -> list[Candidate]:
        """The takes of segments that have several; `studio.review.blind.pairs` compares them."""
        return blind_tests.candidates(self._session)

    @locked
    def begin_blind(self, pair: Pair, seed: int, trials: int = MOST_TRIALS) -> Test:
        """Draw a blind comparison and keep it before anything of it is heard.

        Raises:
            BadInput: There is nothing to compare.
        """
        return blind_tests.begin(self._session, pair, seed, trials)

    @locked
    def answer_blind(self, test: int, number: int, said: str) -> Test:
        """Keep what a listener says X is, ``a`` or ``b``; the first answer counts."""
        return blind_tests.answer(self._session, test, number, said)

    @locked
    def blind_tests(self) -> list[Test]:
        """All blind comparisons with an answer, the oldest first."""
        return blind_tests.tests(self._session)

    # ---- care ------------------------------------------------------------------------------------

    @locked
    def problems(self, *, deep: bool = False) -> list[Problem]:
        """Everything in the folder that is not as it should be; ``deep`` decodes every clip."""
        return checkup.problems(self._session, deep=deep)

    @locked
    def lost_segments(self, *, deep: bool = False) -> frozenset[str]:
        """Segments whose chosen clip is lost and can be made again; ``deep`` decodes every clip."""
        return checkup.lost_segments(self._session, deep=deep)

    @locked
    def replayed_takes(self, uids: Collection[str]) -> dict[str, int]:
        """`Take.id` of these segments' chosen takes that their kept speech tokens make again."""
        return checkup.replayed_takes(self._session, uids)

    @locked
    def batched(self) -> tuple[int, ...]:
        """Numbers of the segments whose chosen take was made in a batch, in the book's order."""
        return checkup.batched(self._session)

    @locked
    def fix(self) -> list[str]:
        """Mend what can be mended without losing anything; returns what was done."""
        return checkup.fix(self._session)

    @locked
    def clean(self, *, dry_run: bool = True) -> CleanReport:
        """Delete takes that nobody chose, approved or starred, and clips of no take.

        Recordings stay, because no engine can make one again. The history ends there. With
        ``dry_run`` nothing is deleted.
        """
        return checkup.clean(self._session, dry_run=dry_run)

    def _turned(self, verb: str, turned: tuple[str, list[Cell]] | None) -> Change | None:
        if turned is None:
            return None
        label, cells = turned
        return self._session.told(f"{verb}: {label}", cells)

    def _look_outside(self) -> None:
        """Take over what a person has changed in the folder while the project was closed."""
        change = Change()
        try:
            edited, told = configuring.take_over(self._session, self._file)
            change |= edited
            self._notices += told
            outside = True
        except StudioError as error:
            self._notices.append(str(error))
            outside = False
        exchanged, notices = configuring.refresh_fingerprints(self._session)
        self._notices += notices
        change |= exchanged | self._look_at_lexicons()
        self.reopened_edits = change or None
        if outside:
            self._write_settings_file(over_edits=True)
