"""What a person can decide about a book: the commands of a project, one step of the history each.

`studio.project.project` adds opening, the queue and the care of the folder.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, cast

from studio.book.drafts import ChapterDraft
from studio.errors import MachineFault
from studio.project import (
    comparing,
    configuring,
    editing,
    recordings,
    removed,
    renaming,
    shaping,
    updating,
)
from studio.project.comparing import BookUpdate
from studio.project.model import Change, Kind, Voice
from studio.project.reading import ReadableProject, locked
from studio.project.removed import Removed
from studio.project.session import Session
from studio.project.settings_file import SettingsFile, render

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from studio.project.manuscripts import Choice

F = TypeVar("F", bound=Callable[..., Any])


def command(method: F) -> F:
    """A locked method that may change settings, which ``project.toml`` then follows."""

    @functools.wraps(method)
    def call(self: EditableProject, *args: Any, **kwargs: Any) -> Any:
        with self._session.store.lock:
            change: Change | None = method(self, *args, **kwargs)
            if change is not None:
                self._session.reader.forget_counts(change)
                if change.settings:
                    self._write_settings_file()
            return change

    return cast(F, call)


class EditableProject(ReadableProject):
    """The half of a project that a person works on."""

    def __init__(self, folder: Path, session: Session) -> None:
        """Work on ``session``, which holds the project in ``folder``."""
        super().__init__(folder, session)
        written = session.store.value("SELECT value FROM internal WHERE name = 'settings file'")
        self._file = SettingsFile(folder, written or "")

    @command
    def edit_spoken(self, uid: str, text: str | None) -> Change:
        """Set what the engine is given for a segment; None goes back to the automatic text."""
        return editing.edit_spoken(self._session, uid, text)

    @command
    def choose_take(self, uid: str, take_id: int) -> Change:
        """Choose one of a segment's takes, and with it the take's seed."""
        return editing.choose_take(self._session, uid, take_id)

    @command
    def choose_takes(self, takes: Mapping[str, int]) -> Change:
        """Choose a take for each segment of a mapping from uids to `Take.id`, as one step."""
        return editing.choose_takes(self._session, takes)

    @command
    def replace_spoken(self, texts: Mapping[str, str | None], label: str) -> Change:
        """Set spoken texts by uid as `edit_spoken` does, as one step that is called ``label``."""
        return editing.replace_spoken(self._session, texts, label)

    @command
    def split(self, uid: str, at: int, *, spoken_at: int | None = None) -> Change:
        """Make two segments of one, without a word lost; `join` is the way back.

        The first part keeps uid, takes, mark and note. The automatic text of both is made anew.

        Args:
            uid: The segment.
            at: Where the second part begins, as an offset in the source text; in the spoken text
                where the segment was inserted.
            spoken_at: Where a typed text is cut, as an offset in it; None to align the words.

        Raises:
            BadInput: A part would have nothing to say, or the place is inside a word.
        """
        return shaping.split(self._session, uid, at, spoken_at)

    @command
    def split_each(self, cuts: Mapping[str, Sequence[int]]) -> Change:
        """Split segments as `split` does, at one or several places each, as one step.

        Args:
            cuts: Where parts begin, by uid, as offsets in the source text; in the spoken text
                where the segment was inserted.

        Raises:
            BadInput: One of them cannot be split there; nothing was changed.
        """
        return shaping.split_each(self._session, cuts)

    @command
    def join(self, uid: str) -> Change:
        """Make one segment of this and the next, which goes; takes, voice and kind are this one's.

        Raises:
            BadInput: The chapter ends here, or one of the two is a scene break.
        """
        return shaping.join(self._session, uid)

    @command
    def insert(
        self, after: str, text: str, kind: Kind = Kind.PROSE, *, before: bool = False
    ) -> Change:
        """Put in a segment of a person's own, which no line of the book stands behind.

        Args:
            after: Uid of the segment that it follows, and whose voice reads it.
            text: What is spoken; empty for a scene break alone.
            kind: What it is.
            before: Whether it goes before that segment instead.

        Raises:
            BadInput: There is nothing to say in the text.
        """
        return shaping.insert(self._session, after, text, kind, before=before)

    @command
    def delete(self, uids: Iterable[str]) -> Change:
        """Take segments out of the book, and chapters that have none left; undo brings them back.

        Raises:
            BadInput: Nothing would be left.
        """
        return shaping.delete(self._session, uids)

    @locked
    def choice(self) -> Choice:
        """What of its manuscript the book narrates, as a person chose when it was read.

        Raises:
            BadInput: A newer version of Rhapsode has chosen it.
        """
        from studio.project.manuscripts import Choice

        return Choice.of(self._session.reader.setting("import", {}))

    @locked
    def removed(self) -> tuple[Removed, ...]:
        """What a person has deleted of the book's own text, in the order of the book."""
        return removed.removed(self._session.store)

    @locked
    def compared(
        self, chapters: Sequence[ChapterDraft], kept: Mapping[str, object] | None = None
    ) -> BookUpdate:
        """What `update_book` would do; nothing is changed.

        Args:
            chapters: What cutting the new edition gave.
            kept: Settings that would be kept with it.

        Raises:
            BadInput: Nothing would be left to narrate.
        """
        return comparing.compare(self._session, chapters, kept or {})

    @command
    def update_book(
        self,
        chapters: Sequence[ChapterDraft],
        *,
        speaking: int = 1,
        segmenting: int = 0,
        kept: Mapping[str, object] | None = None,
    ) -> Change:
        """Take over a new edition of the manuscript, as one step.

        A segment whose text stands in it, wherever, stays as it is and is cut as it is, with its
        takes and all that a person has decided. One whose text is nearly there gets the new text.
        What a person has deleted stays away, what they have put in stays.

        Args:
            chapters: What cutting the new edition gave.
            speaking: Version of the rules that made the spoken text.
            segmenting: Version of the rules that cut the segments.
            kept: Settings that are for the program, such as where the book comes from.

        Raises:
            BadInput: Nothing would be left to narrate.
        """
        return updating.update(self._session, chapters, speaking, segmenting, kept or {})

    @command
    def set_kind(self, uids: Iterable[str], kind: Kind) -> Change:
        """Say what segments are in the book; automatic text follows.

        Raises:
            BadInput: A segment with text would become a scene break, or the other way round.
        """
        return shaping.set_kind(self._session, uids, kind)

    @command
    def together(self, label: str, steps: Callable[[Self], object]) -> Change:
        """Do several of the commands on segments as one step: all of them, or none.

        Args:
            label: What the history calls it.
            steps: Calls the commands on the project that it is given; what they return is no
                account of what changed, only the change returned here is. Settings and voices
                cannot be part of it.

        Raises:
            BadInput: One of them cannot be done; nothing was changed.
        """
        with self._session.together(label) as step:
            steps(self)
        return step.change

    @command
    def add_recording(
        self, uid: str, pcm: NDArray[np.int16], rate: int, name: str, sha256: str
    ) -> Change:
        """Keep a person's own recording as a take, and choose it.

        Args:
            uid: The segment.
            pcm: Samples, shape (frames, channels).
            rate: Samples per second.
            name: Name of the file it came from.
            sha256: The file's hash.

        Raises:
            BadInput: There is no sound in it, or the segment is a scene break.
            MachineFault: The clip cannot be written; nothing is left behind.
        """
        return recordings.add_recording(self._session, uid, pcm, rate, name, sha256)

    @command
    def approve(
        self, uids: Iterable[str], on: bool = True, *, seen: Mapping[str, int] | None = None
    ) -> Change:
        """Approve the chosen takes, or take approvals back. Scene breaks are skipped.

        Args:
            uids: The segments.
            on: Whether they are approved.
            seen: `Take.id` by uid that the person had before them as the chosen one; where
                narration has chosen another since, that one is approved and chosen again.

        Raises:
            BadInput: A segment has no take, or is stale; nothing was approved.
        """
        return editing.approve(self._session, uids, on, seen)

    @command
    def mark(self, uids: Iterable[str], on: bool = True) -> Change:
        """Put a mark on segments, or take it off."""
        return editing.mark(self._session, uids, on)

    @command
    def set_note(self, uid: str, text: str) -> Change:
        """Write a note on a segment; an empty one takes it off."""
        return editing.set_note(self._session, uid, text)

    @command
    def set_voice(self, uids: Iterable[str], voice_id: str) -> Change:
        """Let a voice of the project read segments."""
        return editing.set_voice(self._session, uids, voice_id)

    @command
    def set_voices(
        self, voices: Mapping[str, str], label: str, *, cast: Mapping[str, str] | None = None
    ) -> Change:
        """Let voices read segments, and note who is cast for whom, as one step.

        Args:
            voices: `Voice.id` by uid.
            label: What the history calls it.
            cast: `Voice.id` by name of a speaker, added to the book's cast.
        """
        return editing.set_voices(self._session, voices, label, cast)

    @command
    def set_seed(self, uid: str, seed: int) -> Change:
        """Set the seed of a segment's next narration."""
        return editing.set_seed(self._session, uid, seed)

    @command
    def set_speed(self, uids: Iterable[str], speed: float) -> Change:
        """Set how fast segments are read, 1 being the voice's own pace."""
        return editing.set_speed(self._session, uids, speed)

    @command
    def set_pause(self, uids: Iterable[str], ms: int | None) -> Change:
        """Set the silence after segments; None goes back to the default of their kind."""
        return editing.set_pause(self._session, uids, ms)

    @command
    def star_take(self, take_id: int, on: bool = True) -> Change:
        """Star a take, so that cleaning keeps it; no step of the history."""
        return editing.star_take(self._session, take_id, on)

    @command
    def set_settings(self, **values: Any) -> Change:
        """Change settings: title, author, language, voice, cast, lexicon, pauses or export."""
        return configuring.set_settings(self._session, values)

    @command
    def put_voice(self, voice: Voice) -> Change:
        """Add a voice, or change the one of that id; its fingerprint is worked out here."""
        return configuring.put_voice(self._session, voice)

    @command
    def rename_voice(self, voice_id: str, new: str) -> Change:
        """Call a voice otherwise; takes, approvals and what is stale stay as they are.

        Raises:
            BadInput: There is no such voice, or the new name is none or taken; nothing was changed.
        """
        return renaming.rename_voice(self._session, voice_id, new)

    @command
    def remove_voice(self, voice_id: str) -> Change:
        """Take a voice out of the project.

        Raises:
            BadInput: It reads something, or stands in the cast; nothing was changed.
        """
        return configuring.remove_voice(self._session, voice_id)

    def _write_settings_file(self, *, over_edits: bool = False) -> None:
        """Let ``project.toml`` follow the database.

        The command has succeeded by now, so trouble with the file is a notice and no error.
        """
        text = render(configuring.current(self._session))
        try:
            aside = self._file.write(text, over_edits=over_edits)
            with self._session.store.transaction():
                self._session.store.execute(
                    "INSERT INTO internal (name, value) VALUES ('settings file', ?)"
                    " ON CONFLICT (name) DO UPDATE SET value = excluded.value",
                    (self._file.last_written,),
                )
        except MachineFault as error:
            self._notices.append(str(error))
            return
        if aside is not None:
            self._notices.append(
                f"{self._file.path} had been edited in another place and could not be taken over; "
                f"that text is kept as {aside.name}."
            )
