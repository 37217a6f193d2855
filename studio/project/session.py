"""What every command works with: the open database, its history, and how changes are told."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from studio.errors import BadInput, MachineFault
from studio.project.history import DELETE, UPDATE, Cell, History
from studio.project.model import Change, Segment
from studio.project.rows import FEW, Reader
from studio.project.store import Store

_PLACES = ("chapter", "position")
_ASKS = ("source", "spoken", "lexed", "override", "voice", "seed", "speed")
"""What decides how a segment that waits will be narrated."""
_SETTINGS = ("settings", "lexicon", "user_lexicon", "voices")


class Step:
    """One command on its way: what it changes is gathered here."""

    def __init__(self) -> None:
        """Nothing has changed yet."""
        self.change = Change()


class Session:
    """An open project, for the modules that change it."""

    def __init__(self, folder: Path, store: Store) -> None:
        """Work on ``store``, which holds the project in ``folder``."""
        self.folder = folder
        self.store = store
        self.reader = Reader(store)
        self._history = None if store.read_only else History(store)
        self._whole: Step | None = None
        """The larger step that commands are part of at this moment."""

    @property
    def history(self) -> History:
        """The history.

        Raises:
            MachineFault: The project is open for reading only.
        """
        if self._history is None:
            raise MachineFault(f"{self.folder} is open for reading only.")
        return self._history

    @contextmanager
    def command(self, label: str) -> Iterator[Step]:
        """One command of a person's: one transaction, one entry of the history."""
        step = Step()
        if self._whole is not None:
            try:
                yield step
            finally:
                # What comes next in the larger step sees what this one did, or did not.
                self.reader.forget_counts(Change(structure=True))
            self._whole.change |= step.change
            return
        with self.history.command(label) as cells:
            yield step
        step.change |= self.told(label, cells)

    @contextmanager
    def together(self, label: str) -> Iterator[Step]:
        """Make the commands within the block one: all of them are kept, or none."""
        try:
            with self.command(label) as step:
                self._whole = step
                try:
                    yield step
                finally:
                    self._whole = None
        except BaseException:
            self.reader.forget_counts(Change(structure=True))  # It never came to be.
            raise

    def told(self, label: str, cells: Sequence[Cell]) -> Change:
        """What changed cells mean for those who show them."""
        if not cells:
            return Change()
        uids = {cell.key for cell in cells if cell.table == "segments"}
        voices = {cell.key for cell in cells if cell.table == "voices"}
        tables = {cell.table for cell in cells}
        if any(cell.table == "settings" and cell.key == "language" for cell in cells):
            voices = set(self.reader.voices())
        for voice in voices:
            rows = self.store.rows("SELECT uid FROM segments WHERE voice = ?", (voice,))
            uids |= {row[0] for row in rows}
        shaped = self._shaped(cells)
        return Change(
            label=label,
            segments=frozenset(uids),
            structure=bool(shaped),
            chapters=shaped,
            settings=not tables.isdisjoint(_SETTINGS),
            queue=self._touches_queue(cells),
            history=True,
        )

    def _shaped(self, cells: Sequence[Cell]) -> frozenset[int]:
        """The chapters that are not what they were, those that are gone included."""
        shaped = {cell.key for cell in cells if cell.table == "chapters"}
        moved = set()
        for cell in cells:
            if cell.table == "segments" and (cell.op != UPDATE or cell.column in _PLACES):
                shaped |= {cell.before, cell.after} if cell.column == "chapter" else set()
                moved.add(cell.key)
        where = "SELECT chapter FROM segments WHERE uid = ?"
        shaped |= {self.store.value(where, (uid,)) for uid in moved}
        return frozenset(shaped - {None})

    def _touches_queue(self, cells: Sequence[Cell]) -> bool:
        """Whether something that waits is gone, or asks for something else by now."""
        changed = set()
        for cell in cells:
            if cell.table == "voices" or (cell.table == "segments" and cell.op == DELETE):
                return True
            if cell.table == "segments" and cell.column in _ASKS:
                changed.add(cell.key)
        if len(changed) > FEW:
            rows = self.store.rows("SELECT DISTINCT segment FROM queue")
            return not changed.isdisjoint(row[0] for row in rows)
        one = "SELECT 1 FROM queue WHERE segment = ? LIMIT 1"
        return any(self.store.value(one, (uid,)) is not None for uid in changed)

    def segment(self, uid: str) -> Segment:
        """A segment that must exist."""
        return self.segments([uid])[0]

    def each(self, uids: Collection[str]) -> Iterator[Segment]:
        """The same segments as `segments` gives, of a long list no more than a chapter at a time.

        Raises:
            BadInput: One of them does not exist; some may have been given before.
        """
        if len(uids) <= FEW:
            yield from self.segments(uids)
            return
        missing = set(uids)
        for segment in self.reader.each_segment():
            if segment.uid in missing:
                missing.discard(segment.uid)
                yield segment
        if missing:
            self.segments(missing)  # which says which one

    def segments(self, uids: Iterable[str]) -> list[Segment]:
        """Segments that must exist, in the order of the book.

        Raises:
            BadInput: One of them does not.
        """
        wanted = list(uids)
        found = self.reader.segments_by_uid(wanted)
        for uid in wanted:
            if uid not in found:
                raise BadInput(f"The book has no segment “{uid}”; it may have been deleted.")
        return sorted(found.values(), key=lambda segment: segment.number)


class Numbered(Protocol):
    """A segment, or what is known of it."""

    @property
    def number(self) -> int:
        """Its place in the book."""


def named(segments: Sequence[Numbered]) -> str:
    """Segments for a label: ``segment 16``, or ``12 segments``."""
    return f"segment {segments[0].number}" if len(segments) == 1 else f"{len(segments)} segments"
