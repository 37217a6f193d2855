"""The last steps that all readers share: chapters, markers, pieces, and the account."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from studio.book.coverage import Coverage, Ledger, close, count
from studio.book.kinds import Kind
from studio.book.languages import language_tag
from studio.book.manuscript import Block, ChapterText, LeftOut, Manuscript, Piece
from studio.book.markers import obey
from studio.book.marks import fold
from studio.book.policies import Matter
from studio.book.readers.chapters import Start, by_starts
from studio.book.readers.matter import states_title
from studio.book.readers.unstyled import with_openings
from studio.book.rules_of_reading import WHY
from studio.errors import BadInput

MAX_CHAPTERS = 20_000
"""The longest serials have some thousands."""
TEXT = "text"
"""Id of the only document of a book that is one file."""
UNTICKED = "unticked piece"
TITLE_PAGE = "title page"


@dataclass(slots=True)
class Document:
    """One document of a book, as the chapter picker knows it."""

    id: str
    title: str
    characters: int
    ticked: bool = True
    why: str = ""
    """Why it starts unticked."""
    behind: int = 0
    """How many parts of the other document stand before it, where that is cut by chapters."""


@dataclass(slots=True)
class Draft:
    """What a reader makes of a book."""

    title: str
    author: str
    language: str
    documents: list[Document]
    """In reading order."""
    blocks: list[Block]
    """Of the documents that are ticked; each names its document as its piece."""
    starts: list[Start]
    ledgers: list[Ledger]
    left_out: list[LeftOut] = field(default_factory=list)
    """What has to be said beside what the ledgers tell."""
    front: Matter | None = None
    """What a person chose for the pages before the story, where a title page is still to be
    told from the text; None where the reader has done so."""


def finish(draft: Draft, ticks: Mapping[str, bool]) -> Manuscript:
    """Make a manuscript of what a reader has found.

    Args:
        draft: The book.
        ticks: What a person chose, by piece; other pieces are ticked by their content.

    Raises:
        BadInput: It has more chapters than any book.
    """
    if len({start.at for start in draft.starts}) > MAX_CHAPTERS:
        raise BadInput(
            f"“{fold(draft.title)}” has more than {MAX_CHAPTERS:,} chapters, which no book has. "
            "Check that it is the manuscript, or divide it."
        )
    language = language_tag(draft.language)
    blocks = with_openings(draft.blocks, draft.starts)
    chapters, characters, notices = obey(by_starts(blocks, draft.starts))
    markers = Ledger()
    if characters:
        markers.skip("marker", characters)
    chapters, parts = _parts(chapters, draft.documents)
    parts = _without_title_page(chapters, parts, draft)
    kept, left, unticked = _chosen(chapters, parts, ticks)
    kept = tuple(_native(chapter, language) for chapter in kept)
    spoken = sum(count(block.text) for chapter in kept for block in chapter.blocks)
    ledgers = [*draft.ledgers, markers, *unticked]
    return Manuscript(
        title=fold(draft.title),
        author=fold(draft.author),
        language=language,
        chapters=kept,
        left_out=(*draft.left_out, *left),
        pieces=_numbered(parts, kept, ticks),
        coverage=_checked(close(ledgers, spoken)),
        notices=notices,
    )


def _checked(coverage: Coverage) -> Coverage:
    """An account with its skipped parts in a stable order."""
    return replace(
        coverage, skipped=tuple(sorted(coverage.skipped, key=lambda s: (s.where, -s.characters)))
    )


def seen(ledger: Ledger) -> list[LeftOut]:
    """What of a document's account a person is told about at once."""
    place = f" ({ledger.where})" if ledger.where else ""
    return [
        LeftOut(f"{what if times == 1 else f'{times} × {what}'}{place}", why, characters)
        for what, why, characters, times in ledger.seen()
    ]


def _parts(
    chapters: Sequence[ChapterText], documents: Sequence[Document]
) -> tuple[tuple[ChapterText, ...], list[Piece]]:
    """Cut documents where chapters start, so that each part may be chosen.

    Returns:
        The chapters, whose blocks now name their parts, and all parts in reading order.
    """
    titles = {document.id: document.title for document in documents}
    begun: Counter[str] = Counter()
    parts: dict[str, list[Piece]] = {}
    marked = []
    for chapter in chapters:
        names: dict[str, str] = {}
        sizes: Counter[str] = Counter()
        for block in chapter.blocks:
            if block.piece not in names:
                begun[block.piece] += 1
                number = begun[block.piece]
                names[block.piece] = f"{block.piece}#{number}" if number > 1 else block.piece
            sizes[block.piece] += count(block.text)
        if all(source == name for source, name in names.items()):
            marked.append(chapter)
        else:
            blocks = (block.of(names[block.piece]) for block in chapter.blocks)
            marked.append(ChapterText(chapter.title, tuple(blocks)))
        for source, name in names.items():
            title = chapter.title if next(iter(names)) == source else titles.get(source, "")
            piece = Piece(name, title or chapter.title, sizes[source], True)
            parts.setdefault(source, []).append(piece)
    found: list[Piece] = []
    early = {document.id for document in documents if document.behind}
    for document in documents:
        if document.id in parts:
            found += [replace(part, why=document.why) for part in parts[document.id]]
        else:
            one = Piece(
                document.id, document.title, document.characters, document.ticked, document.why
            )
            found.append(one)
    for document in documents:
        if document.id in early:
            moved = [part for part in found if part.id == document.id]
            found = [part for part in found if part.id != document.id]
            found[document.behind : document.behind] = moved
    return tuple(marked), found


def _without_title_page(
    chapters: Sequence[ChapterText], parts: list[Piece], draft: Draft
) -> list[Piece]:
    """The parts of a book; one that says its title and author and little else starts unticked."""
    if draft.front in {None, Matter.TICKED} or len(chapters) < 2:
        return parts
    opening = [block for block in chapters[0].blocks if block.piece == TEXT]
    if not states_title([block.text for block in opening], draft.title, draft.author):
        return parts
    return [
        replace(part, ticked=False, why=WHY[TITLE_PAGE]) if part.id == TEXT else part
        for part in parts
    ]


def _chosen(
    chapters: Sequence[ChapterText], parts: Sequence[Piece], ticks: Mapping[str, bool]
) -> tuple[tuple[ChapterText, ...], list[LeftOut], list[Ledger]]:
    """The chapters without the parts that a person does not want, and an account of those."""
    spoken = {block.piece for chapter in chapters for block in chapter.blocks}
    unwanted = {
        part.id: part for part in parts if part.id in spoken and not ticks.get(part.id, part.ticked)
    }
    kept = []
    for chapter in chapters:
        blocks = [block for block in chapter.blocks if block.piece not in unwanted]
        if any(block.kind is not Kind.SCENE_BREAK for block in blocks):
            kept.append(ChapterText(chapter.title, tuple(blocks)))
    left_out, ledgers = [], []
    for part in unwanted.values():
        ledger = Ledger(part.id)
        rule = UNTICKED if part.ticked else TITLE_PAGE
        ledger.skip(rule, part.characters)
        ledgers.append(ledger)
        what = part.title if part.ticked else TITLE_PAGE
        left_out.append(LeftOut(what, WHY[rule], part.characters))
    return tuple(kept), left_out, ledgers


def _native(chapter: ChapterText, language: str) -> ChapterText:
    """A chapter whose blocks name a language only where it is another than the book's."""
    if not any(block.language for block in chapter.blocks):
        return chapter
    own = language.partition("-")[0]
    return ChapterText(
        chapter.title,
        tuple(
            replace(block, language="") if block.language.partition("-")[0] == own else block
            for block in chapter.blocks
        ),
    )


def _numbered(
    parts: Sequence[Piece], chapters: Sequence[ChapterText], ticks: Mapping[str, bool]
) -> tuple[Piece, ...]:
    """The parts with what a person chose and the chapters that come of them."""
    numbers: dict[str, list[int]] = {}
    for number, chapter in enumerate(chapters, 1):
        for name in dict.fromkeys(block.piece for block in chapter.blocks):
            numbers.setdefault(name, []).append(number)
    return tuple(
        replace(
            part,
            ticked=part.id in numbers or (part.ticked and ticks.get(part.id) is not False),
            chapters=tuple(numbers.get(part.id, ())),
        )
        for part in parts
    )
