"""What can be read from an open project; `studio.project.project` adds what changes it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from studio.errors import BadInput, MachineFault
from studio.project import account, candidates, clips, renaming
from studio.project.history import entries, next_labels
from studio.project.model import (
    Chapter,
    HistoryEntry,
    Origin,
    ProjectInfo,
    QueueItem,
    Segment,
    Take,
    Voice,
)
from studio.project.queueing import ORDINARY
from studio.project.recipe import company
from studio.project.session import Session
from studio.project.settings_file import ProjectSettings
from studio.sound.pauses import PauseRules

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

F = TypeVar("F", bound=Callable[..., Any])


def locked(method: F) -> F:
    """Let one thread at a time into the project."""

    @functools.wraps(method)
    def call(self: ReadableProject, *args: Any, **kwargs: Any) -> Any:
        with self._session.store.lock:
            return method(self, *args, **kwargs)

    return cast(F, call)


class ReadableProject:
    """The half of a project that changes nothing."""

    def __init__(self, folder: Path, session: Session) -> None:
        """Read from ``session``, which holds the project in ``folder``."""
        self.folder = folder
        """The project's folder."""
        self._session = session
        self._notices: list[str] = []

    @property
    def info(self) -> ProjectInfo:
        """The book's own facts."""
        values = self._session.reader.settings()
        return ProjectInfo(
            title=values["title"],
            author=values["author"],
            language=values["language"],
            folder=str(self.folder),
            voice=values["voice"],
        )

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences for a person about trouble that did not stop the opening."""
        return tuple(self._notices)

    @property
    def builds(self) -> Mapping[str, str]:
        """The build of each engine on this machine, as `recipe.build_id` names it, by the engine's
        name; empty while unknown."""
        return self._session.reader.builds

    @locked
    def know_build(self, engine: str, build: str) -> None:
        """Learn which build of an engine is here, so that takes made elsewhere can be told."""
        self._session.reader.builds = {**self._session.reader.builds, engine: build}

    @locked
    def chapters(self) -> tuple[Chapter, ...]:
        """All chapters and how far they are, in order."""
        return self._session.reader.chapters()

    @locked
    def segments(self, chapter: int | None = None) -> list[Segment]:
        """Segments in the order of the book; of one chapter where its `Chapter.id` is given."""
        return self._session.reader.segments(chapter)

    @locked
    def segments_by_uid(self, uids: Iterable[str]) -> dict[str, Segment]:
        """Segments by uid; those that do not exist are left out."""
        return self._session.reader.segments_by_uid(uids)

    @locked
    def takes(self, uid: str) -> tuple[Take, ...]:
        """The takes of a segment, oldest first."""
        return self._session.reader.takes(uid)

    @locked
    def takes_beside(self, uid: str) -> tuple[Take, ...]:
        """The chosen takes before and after a segment in its chapter."""
        return candidates.takes_beside(self._session, uid)

    @locked
    def take(self, take_id: int) -> Take:
        """A take by its id.

        Raises:
            BadInput: There is none.
        """
        take = self._session.reader.take(take_id)
        if take is None:
            raise BadInput(f"{self.folder} has no take with the id {take_id}.")
        return take

    @locked
    def chosen_by_origin(self) -> dict[Origin, list[int]]:
        """`Take.id` of every chosen take in the order of the book, by its `Take.origin`."""
        rows = self._session.store.rows(
            "SELECT t.voice, json_extract(r.recipe, '$.engine'), json_extract(r.recipe, '$.model'),"
            " t.id FROM segments s"
            " JOIN chapters c ON c.id = s.chapter JOIN takes t ON t.id = s.chosen"
            " JOIN take_records r ON r.take = t.id ORDER BY c.position, s.position"
        )
        found: dict[Origin, list[int]] = {}
        for voice, engine, model, take in rows:
            found.setdefault(Origin(voice, engine or "", model or ""), []).append(take)
        return found

    @locked
    def blob(self, take_id: int, name: str) -> bytes | None:
        """What an engine sent along with a take's clip, such as ``speech_tokens``; None without."""
        return self._session.reader.blob(take_id, name)

    @locked
    def takes_with(self, name: str) -> frozenset[int]:
        """`Take.id` of every take that keeps an attachment of this name."""
        rows = self._session.store.rows("SELECT take FROM take_blobs WHERE name = ?", (name,))
        return frozenset(row[0] for row in rows)

    def all_takes(self) -> Iterator[Take]:
        """Every take, oldest first, a few hundred at a time in memory."""
        return self._session.reader.all_takes()

    @locked
    def find_take(self, uid: str, recipe_id: str, build: str) -> Take | None:
        """The newest take of a segment that this recipe has made on this build."""
        return self._session.reader.find_take(uid, recipe_id, build)

    @locked
    def voices(self) -> dict[str, Voice]:
        """The voices by id, each with the language that it reads: its own, else the book's."""
        book = self._session.reader.setting("language", "")
        return {
            name: voice if voice.language else replace(voice, language=book)
            for name, voice in self._session.reader.voices().items()
        }

    @locked
    def voice_names(self) -> dict[str, str]:
        """Which voice a name means: each by its id, and by those that it had before."""
        return renaming.names(self._session)

    @locked
    def stored_voices(self) -> dict[str, Voice]:
        """The voices by id as a person wrote them: an empty language means the book's."""
        return self._session.reader.voices()

    @locked
    def reading_engines(self) -> frozenset[str]:
        """Engines of the voices that read any segment."""
        read = "SELECT 1 FROM segments WHERE voice = ? LIMIT 1"
        return frozenset(
            voice.engine
            for name, voice in self._session.reader.voices().items()
            if self._session.store.value(read, (name,)) is not None
        )

    @locked
    def cast(self) -> dict[str, str]:
        """Who reads whom: `Voice.id` by a speaker's name."""
        return dict(self._session.reader.setting("cast", {}))

    @locked
    def settings(self) -> ProjectSettings:
        """How the book is put together and leaves."""
        values = self._session.reader.settings()
        return ProjectSettings(
            PauseRules(**values.get("pauses", {})),
            values.get("export", {}),
            bool(values.get("reproducible", False)),
        )

    @locked
    def queue(self) -> tuple[QueueItem, ...]:
        """What waits, in the order in which it will be narrated."""
        return self._session.reader.queue()

    @locked
    def asked_anew(self, uid: str, take: int) -> bool:
        """Whether another take is to be in the place of one: it is waited for, or has just come.

        Args:
            uid: The segment.
            take: The take that was the chosen one when it was looked last.
        """
        asked = (
            # What was asked for before that take was approved is going to be beside it.
            f"SELECT 1 FROM queue WHERE segment = :uid AND {ORDINARY} AND NOT (approved IS asked"
            " AND EXISTS (SELECT 1 FROM segments s WHERE s.uid = :uid AND s.approved = s.chosen))"
            " UNION ALL"
            " SELECT 1 FROM segments WHERE uid = :uid AND chosen IS NOT :take LIMIT 1"
        )
        return self._session.store.value(asked, {"uid": uid, "take": take}) is not None

    @locked
    def queue_size(self) -> tuple[int, int]:
        """How many narrations wait, and how many characters they have together."""
        return self._session.reader.queue_size()

    @locked
    def next_items(
        self, count: int, skip: Collection[int] = (), only: Collection[str] | None = None
    ) -> list[QueueItem]:
        """The first ``count`` items of the queue whose ids are not in ``skip``.

        Where ``only`` names segments, items of others are passed over.
        """
        return self._session.reader.next_items(count, skip, only)

    @locked
    def history(self, limit: int = 200) -> tuple[HistoryEntry, ...]:
        """The newest steps, newest first."""
        return entries(self._session.store, limit)

    @locked
    def account(self) -> account.Account | None:
        """What has become of every character of the manuscript; None where none was kept."""
        return account.account(self._session)

    @locked
    def place(self) -> str:
        """Uid of the segment that was worked on last; empty where none is remembered."""
        place: str | None = self._session.store.value(
            "SELECT value FROM internal WHERE name = 'place'"
        )
        return place or ""

    @property
    def can_undo(self) -> str | None:
        """Label of the step that `undo` takes back, None without one."""
        return next_labels(self._session.store)[0]

    @property
    def can_redo(self) -> str | None:
        """Label of the step that `redo` does again, None without one."""
        return next_labels(self._session.store)[1]

    def clip_path(self, take: Take) -> Path:
        """The file of a take's clip."""
        return self.folder / clips.clip_name(take.pcm_hash)

    def read_clip(self, take: Take) -> tuple[NDArray[np.int16], int]:
        """A take's samples, shape (frames, channels), and rate, checked against its hash.

        Raises:
            MachineFault: The clip is missing or damaged; the sentence names the segment.
        """
        try:
            return clips.read_clip(self.folder, take.pcm_hash)
        except clips.DamagedClip as error:
            number = self._session.reader.number(take.segment)
            again = "g r makes it again" if take.replayed else "r narrates it again"
            if company(take.recipe) > 1:
                again = "g s voices it again from its speech tokens"
            raise MachineFault(
                f"The clip of segment {number}, take {take.number}, is {error} "
                f"({self.clip_path(take)}); {again}; "
                "without a screen rhapsode doctor --fix and then rhapsode narrate."
            ) from error
