"""Somebody who writes a book and goes on to change it."""

from __future__ import annotations

from collections.abc import Callable

from editions import Draft

OFTEN = ("Yes.", "No, he said.", "She waited for a long time by the river.")
THINGS = ("ferry", "river", "lantern", "captain", "harbour", "letter", "winter", "orchard")
HEADS = ("One", "Prologue", "Chapter 1", "The End?", "Yes.", "I")


class Author:
    """Writes a manuscript, and goes on to change it."""

    def __init__(self, often: int = 4, heads: int = 0) -> None:
        """Begin; one sentence of ``often`` is a frequent one, one heading of ``heads`` is."""
        self.often, self.heads = often, heads
        self.written = 0
        self.book: list[Draft] = []

    def sentence(self, pick: int) -> str:
        """One that stands nowhere else, or one that stands everywhere."""
        if pick % self.often == 0:
            return OFTEN[pick // self.often % len(OFTEN)]
        return self.telling(pick)

    def telling(self, pick: int) -> str:
        """One that stands nowhere else."""
        self.written += 1
        one, other = (THINGS[(pick * step + self.written) % len(THINGS)] for step in (3, 5))
        ending = f", and the {other} too." if pick % 3 else "."
        return f"The {one} number {self.written:04} found the {other}{ending}"

    def paragraph(self, pick: int) -> list[str]:
        return [self.sentence(pick + place) for place in range(pick % 4)]

    def chapter(self, pick: int) -> Draft:
        self.written += 1
        paragraphs = [self.paragraph(pick + 7 * place) for place in range(1 + pick % 4)]
        title = f"Chapter {self.written:04} begins here"
        if self.heads and pick % self.heads == 0:
            title = HEADS[pick // self.heads % len(HEADS)]
        return Draft(title, [[self.telling(pick)], *paragraphs])

    def write(self, pick: int) -> None:
        self.book = [self.chapter(pick + 3 * place) for place in range(1 + pick % 3)]

    def revise(self, what: int, where: int, place: int, more: int) -> None:
        """One change: a chapter, a paragraph or a sentence."""
        book = self.book
        chapter = book[where % len(book)]
        paragraphs = chapter.paragraphs
        at = place % len(paragraphs)
        sentences = paragraphs[at]
        word = more % max(len(sentences), 1)
        doings: tuple[Callable[[], object], ...] = (
            lambda: book.insert(place % (len(book) + 1), self.chapter(more)),
            lambda: len(book) > 1 and book.remove(chapter),
            lambda: book.insert(place % len(book), book.pop(where % len(book))),
            lambda: setattr(chapter, "title", f"Told anew {self.telling(1)}"),
            lambda: paragraphs.insert(at, self.paragraph(more)),
            lambda: len(paragraphs) > 1 and paragraphs.pop(at),
            lambda: (
                len(paragraphs) > 1
                and book[more % len(book)].paragraphs.insert(0, paragraphs.pop(at))
            ),
            lambda: sentences.insert(word, self.sentence(more)) if sentences else None,
            lambda: len(sentences) > 1 and sentences.pop(word),
            lambda: sentences and sentences.__setitem__(word, self.mended(sentences[word])),
            lambda: paragraphs.insert(at, [OFTEN[more % len(OFTEN)]]),
            lambda: paragraphs.insert(more % len(paragraphs), list(sentences)),
        )
        doings[what % len(doings)]()

    def mended(self, sentence: str) -> str:
        words = sentence.split()
        self.written += 1
        return " ".join([*words[:-1], f"mended{self.written:04}."])
