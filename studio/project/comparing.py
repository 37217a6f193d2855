"""What a new edition of the manuscript would do to a book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from studio.book.drafts import ChapterDraft
from studio.errors import BadInput
from studio.project import removed
from studio.project.asking import Asked
from studio.project.edition import Item, Line
from studio.project.following import Following, following
from studio.project.merging import Outline, Plan, plan
from studio.project.model import Kind
from studio.project.removed import OWN
from studio.project.session import Session
from studio.project.store import Store


@dataclass(frozen=True, slots=True)
class Reworked:
    """A segment whose text a new edition changes."""

    uid: str
    number: int
    """Its place in the book as it will be."""
    before: str
    """Source text as it is."""
    after: str
    """As the new edition has it."""
    typed: bool
    """Whether a person has typed what is spoken: that stays as it is."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A segment that a new edition brings, or takes away."""

    number: int
    """Its place in the book: as it will be where it comes, as it is where it goes."""
    source: str
    kind: Kind


@dataclass(frozen=True, slots=True)
class Directed:
    """A segment whose text stays, and that a new edition wants to be read otherwise."""

    uid: str
    number: int
    """Its place in the book as it will be."""
    source: str
    what: tuple[str, ...]
    """What it gets, in plain words: ``voice anna``, ``pause 1.5 s``."""


@dataclass(frozen=True, slots=True)
class ChapterUpdate:
    """What a new edition does to one chapter."""

    number: int
    """Its place in the book as it will be; 0 for a chapter that goes."""
    title: str
    before: str | None
    """Its title as it is; None for a new chapter."""
    unchanged: int = 0
    moved: int = 0
    """Segments that are unchanged, and stand elsewhere than among their neighbours of today."""
    changed: int = 0
    new: int = 0
    gone: int = 0


@dataclass(frozen=True, slots=True)
class BookUpdate:
    """What a new edition does to a book."""

    chapters: tuple[ChapterUpdate, ...] = ()
    changed: tuple[Reworked, ...] = ()
    new: tuple[Passage, ...] = ()
    gone: tuple[Passage, ...] = ()
    directed: tuple[Directed, ...] = ()
    """What gets another voice, pause or kind, or another reading of its dates."""
    inside: tuple[int, ...] = ()
    """Places, as they will be, of segments within which the new edition wants a pause or another
    voice: only a person can tell whether they are to be split."""
    reprinted: tuple[Reworked, ...] = ()
    """Unchanged segments whose source gets other forms of quotation marks, dashes and the like:
    they are said as before, and keep their takes."""
    left_out: int = 0
    """Texts of the new edition that a person has deleted from the book, and that stay out."""

    @property
    def unchanged(self) -> int:
        """Segments that stay as they are where they are."""
        return sum(chapter.unchanged for chapter in self.chapters)

    @property
    def moved(self) -> int:
        """Segments that stay as they are in another place."""
        return sum(chapter.moved for chapter in self.chapters)

    @property
    def typed(self) -> tuple[Reworked, ...]:
        """Segments whose source changes under a typed text."""
        return tuple(each for each in self.changed if each.typed)

    def __bool__(self) -> bool:
        """Whether it changes anything of the text, or of how it is read."""
        spoken = self.moved or self.changed or self.new or self.gone or self.directed
        return bool(spoken or self.reprinted)


def compare(
    session: Session, chapters: Sequence[ChapterDraft], settings: Mapping[str, object]
) -> BookUpdate:
    """What would become of the book; nothing is changed.

    Args:
        session: The book.
        chapters: What cutting the new edition gave.
        settings: What would be kept with it for the program.

    Raises:
        BadInput: Nothing to say would be left.
    """
    lines = lines_of(session.store)
    found = planned(session, lines, chapters)
    follow = following(session, settings)
    numbers = {id(item): number for number, item in enumerate(items_of(found.outlines), 1)}
    titles = titles_of(session.store)
    gone = Counter(line.chapter for line in found.gone)
    reprinted = {id(item) for item in items_of(found.outlines) if follow.reprinted(item)}

    def changes(item: Item) -> bool:
        return item.changed and id(item) not in reprinted

    rows = []
    for number, outline in enumerate(found.outlines, 1):
        kept = [item for item in outline.items if item.line is not None]
        moved = sum(item.moved and not changes(item) for item in kept)
        changed = sum(map(changes, kept))
        rows.append(
            ChapterUpdate(
                number,
                outline.title,
                titles.pop(outline.id, None) if outline.id is not None else None,
                unchanged=len(kept) - moved - changed,
                moved=moved,
                changed=changed,
                new=len(outline.items) - len(kept),
                gone=gone[outline.id] if outline.id is not None else 0,
            )
        )
    rows += [ChapterUpdate(0, title, title, gone=gone[it]) for it, title in titles.items()]
    return BookUpdate(
        tuple(rows),
        tuple(_reworked(filter(changes, items_of(found.outlines)), numbers)),
        tuple(
            Passage(numbers[id(item)], item.source, item.draft.kind)
            for item in items_of(found.outlines)
            if item.line is None and item.draft is not None
        ),
        tuple(Passage(line.place + 1, line.source, line.kind) for line in found.gone),
        tuple(_directed(items_of(found.outlines), follow, numbers)),
        tuple(numbers[id(item)] for item in items_of(found.outlines) if _asks_inside(item)),
        tuple(_reworked((it for it in items_of(found.outlines) if id(it) in reprinted), numbers)),
        len(found.removed),
    )


def _reworked(items: Iterable[Item], numbers: Mapping[int, int]) -> Iterable[Reworked]:
    for item in items:
        line = item.line
        assert line is not None
        typed = line.override is not None
        yield Reworked(line.uid, numbers[id(item)], line.source, item.source, typed)


def _directed(
    items: Iterable[Item], follow: Following, numbers: Mapping[int, int]
) -> Iterable[Directed]:
    for item in items:
        if item.line is not None and (what := follow.told(item)):
            yield Directed(item.line.uid, numbers[id(item)], item.source, what)


def _asks_inside(item: Item) -> bool:
    """Whether an edition wants something to begin within a text that stays in one piece."""
    if item.line is None or item.changed:
        return False
    voices = {draft.voice for draft in item.over}
    return len(voices) > 1 or any(draft.pause_ms is not None for draft in item.over[:-1])


def lines_of(store: Store) -> list[Line]:
    """The segments of the book as it is."""
    rows = store.rows(
        "SELECT s.uid, s.chapter, s.kind, s.source, COALESCE(s.spoken, s.source),"
        f" s.override, s.ends_paragraph, {OWN}, s.language, s.voice, s.pause_ms, s.asked"
        " FROM segments s JOIN chapters c ON c.id = s.chapter ORDER BY c.position, s.position"
    )
    return [
        Line(
            *(place, *row[:2], Kind(row[2]), *row[3:6], bool(row[6]), bool(row[7])),
            *(*row[8:11], Asked.restored(row[11])),
        )
        for place, row in enumerate(rows)
    ]


def titles_of(store: Store) -> dict[int, str]:
    return dict(store.rows("SELECT id, title FROM chapters ORDER BY position"))


def planned(session: Session, lines: Sequence[Line], chapters: Sequence[ChapterDraft]) -> Plan:
    found = plan(lines, removed.removed(session.store), chapters, titles_of(session.store))
    silent = Kind.SCENE_BREAK
    if all(
        (item.line.kind if item.line else item.draft and item.draft.kind) is silent
        for item in items_of(found.outlines)
    ):
        raise BadInput(
            "Nothing would be left to narrate: all that the new edition says was deleted from "
            "this book; import it as a new one with: rhapsode new BOOK"
        )
    return found


def items_of(outlines: Iterable[Outline]) -> list[Item]:
    return [item for outline in outlines for item in outline.items]
