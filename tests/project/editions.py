"""Manuscripts as lists of sentences, so that tests can edit them, and what must be kept of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from studio.book.aligning import BREAK, Stream
from studio.book.drafts import ChapterDraft
from studio.book.kinds import Kind
from studio.book.manuscript import Block, ChapterText, Manuscript
from studio.book.segmenting import Limits, cut
from studio.project.project import Project
from studio.project.removed import Removed, laid_out


@dataclass
class Draft:
    """A chapter of a manuscript: its title, and the sentences of each paragraph."""

    title: str
    paragraphs: list[list[str]] = field(default_factory=list)


def drafts_of(chapters: Sequence[Draft], limits: Limits | None = None) -> tuple[ChapterDraft, ...]:
    """A manuscript as it is cut; a paragraph of nothing is a scene break."""
    texts = []
    for chapter in chapters:
        blocks = [Block(Kind.HEADING, chapter.title)]
        for sentences in chapter.paragraphs:
            kind = Kind.PROSE if sentences else Kind.SCENE_BREAK
            blocks.append(Block(kind, " ".join(sentences)))
        texts.append(ChapterText(chapter.title, tuple(blocks)))
    return cut(Manuscript("Ferry", "", "en-US", tuple(texts)), limits or Limits(), "en-US")


def plain(chapters: Sequence[ChapterDraft]) -> list[str]:
    """Each chapter of an edition as canonical text."""
    return [
        Stream.of((draft.source or BREAK, draft.ends_paragraph) for draft in chapter.segments).text
        for chapter in chapters
    ]


def whole(chapters: Sequence[ChapterDraft]) -> str:
    """An edition as canonical text."""
    drafts = [draft for chapter in chapters for draft in chapter.segments]
    return Stream.of((draft.source or BREAK, draft.ends_paragraph) for draft in drafts).text


def accounted(project: Project) -> str:
    """The sources of all segments, with what was deleted in its places, as canonical text."""
    own = own_uids(project)
    removed = project.removed()
    pieces: list[tuple[str, bool]] = []

    def add(part: str | Removed) -> None:
        text = part if isinstance(part, str) else part.source
        if text.strip() or isinstance(part, Removed):
            pieces.append((text if text.strip() else BREAK, False))

    for each in removed:
        if not each.segment:
            add(each)
    for segment in project.segments():
        if segment.uid in own:
            continue
        within = [each for each in removed if each.segment == segment.uid]
        if segment.kind is Kind.SCENE_BREAK:
            pieces.append((BREAK, True))
            for each in within:
                add(each)
            continue
        for part in laid_out(segment.source, within):
            add(part)
    return Stream.of(pieces).text


def own_uids(project: Project) -> set[str]:
    """Segments that a person has put in."""
    rows = project._session.store.rows(
        "SELECT uid FROM segments WHERE source = '' AND (kind <> 'scene break' OR speaking = 0)"
    )
    return {row[0] for row in rows}
