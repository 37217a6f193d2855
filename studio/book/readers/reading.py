"""How a page is to be read, and what it is found to hold."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from studio.book.coverage import Ledger, count
from studio.book.manuscript import Block
from studio.book.policies import Policies

Progress = Callable[[float], None]
"""Told how far something is, 0 to 1."""


def quietly(fraction: float) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class PageBlock:
    """A block and, for headings, its level."""

    block: Block
    level: int = 0


@dataclass(slots=True)
class Note:
    """A note that stands on a page, and is read somewhere else, if at all."""

    ids: frozenset[str]
    """What references to it may name."""
    blocks: list[Block]
    ledger: Ledger
    """Its own account, which counts where it is read."""
    characters: int
    """Of the page, for where it is not read."""


@dataclass(slots=True)
class Page:
    """What one page holds."""

    ledger: Ledger
    blocks: list[PageBlock] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    """Per id, the number of blocks before it."""
    notes: list[Note] = field(default_factory=list)
    """Only where notes are read."""
    calls: list[tuple[int, str]] = field(default_factory=list)
    """Index of a block, and where a note reference in it points."""

    @property
    def characters(self) -> int:
        """How much text its blocks hold."""
        return sum(count(item.block.text) for item in self.blocks)


@dataclass(frozen=True, slots=True)
class Reading:
    """How a page is read."""

    policies: Policies = field(default_factory=Policies)
    chapter_ids: Collection[str] = frozenset()
    """Ids at which chapters start, so that loose text is parted there."""
    note_ids: frozenset[str] = frozenset()
    """Ids that note references point at."""
    hidden: frozenset[str] = frozenset()
    """What the book's style sheets hide; see `styles.hidden_by`."""
    contents: frozenset[int] = frozenset()
    """Lists of contents inside the page, by identity."""
    aside: bool = False
    """Whether the page is out of the reading order; then all that references name is a note."""
    whole: bool = False
    """Whether contents, notes and rights are text like any other, because a person wants them."""
