"""One page's tree becomes blocks: each text once, in order, and an account of the rest.

The walk is iterative, so nesting costs no stack. Anything that is not a block element is inline,
and text counts wherever it stands; only what is named here is left out.
"""

from __future__ import annotations

import re

from studio.book.coverage import Ledger, count
from studio.book.kinds import Kind
from studio.book.languages import language_tag
from studio.book.manuscript import Block
from studio.book.marks import fold
from studio.book.policies import Notes, Said
from studio.book.readers import elements
from studio.book.readers.blocks import (
    SCENE_BREAK,
    heading,
    looks_like_verse,
    paragraph,
    tidy,
    verse,
)
from studio.book.readers.broken_words import BrokenWords
from studio.book.readers.contents import is_contents_head
from studio.book.readers.dropcaps import (
    LETTER_ALONE,
    LONE_LETTERS,
    LONGEST_DROP_CAP,
    completes,
    is_drop_cap,
)
from studio.book.readers.elements import is_block
from studio.book.readers.headings import ARCHIVE_END, ARCHIVE_START
from studio.book.readers.markup import Node
from studio.book.readers.notes import targets_of, without_mark
from studio.book.readers.reading import Note, Page, PageBlock, Reading
from studio.book.readers.styles import is_hidden
from studio.book.readers.unwanted import unwanted

_RAISED = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_LONGEST_POWER = 9


def read_page(root: Node, name: str, reading: Reading) -> Page:
    """Take the text out of a page.

    Args:
        root: The page's tree.
        name: The page's name, for the account of what was left out.
        reading: How to read it.

    Returns:
        Its blocks, where its ids stand, its notes, and the account.
    """
    page = _Walk(name, root, reading).run()
    page.ledger.total += sum(map(count, root.texts()))
    return page


class _Walk:
    """The state of one walk over a page, or over one note of it."""

    def __init__(self, name: str, root: Node, reading: Reading, *, note: bool = False) -> None:
        self.root = root
        self.reading = reading
        self.in_note = note
        self.page = Page(Ledger(name))
        self.ledger = self.page.ledger
        self.words = BrokenWords(root, self.ledger)
        self.lone = ""
        self.behind_word = ""
        self.notes_at = -1
        self.parts: list[str] = []
        self.level = 0
        self.pre = 0
        self.verse = 0
        self.broken = False
        self.glue = False
        self.tongues: list[str] = []
        self.heard: set[str] = set()
        self.untaken: set[int] = set()
        self.calls: list[str] = []

    def run(self) -> Page:
        """Walk the whole tree."""
        waiting: list[tuple[Node | str, bool]] = [(self.root, False)]
        while waiting:
            item, leaving = waiting.pop()
            if isinstance(item, str):
                self.add(item)
            elif leaving:
                self.leave(item)
            elif self.enter(item):
                if item.children:
                    waiting.append((item, True))
                    waiting += [(child, False) for child in reversed(item.children)]
                else:
                    self.leave(item)
        self.glue = False
        self.flush()
        self.drop_empty_note_heading()
        self.drop_notices()
        return self.page

    def enter(self, node: Node) -> bool:
        """Start an element; False leaves it out with all below it."""
        if is_block(node):
            self.flush()
        self.anchor(node)
        if self.leave_out(node):
            return False
        if node.language and node.tag not in {"html", "body"}:
            self.tongues.append(language_tag(node.language))
        if node.tag == "br":
            self.parts.append("\n")
            self.broken = True
        elif node.tag == "hr":
            self.scene_break()
        elif node.tag in elements.CELLS:
            self.parts.append(" ")
        elif node.tag == "q":
            self.quote(node, 0)
        elif node.tag == "switch":
            self.untaken.update(map(id, elements.other_cases(node)))
        elif node.tag == "sup" and self.is_power(node):
            self.parts.append(fold(node.text()).translate(_RAISED))
            self.leave_language(node)
            return False
        self.level = elements.level_of(node) or self.level
        self.pre += node.tag == "pre"
        self.verse += elements.is_verse(node)
        return True

    def leave(self, node: Node) -> None:
        """End an element."""
        if is_drop_cap(node):
            letter = node.text().strip()[-1]
            # "A", "I" and "O" are words of their own; what follows tells.
            self.glue = letter not in LONE_LETTERS
            self.lone = "" if self.glue else letter
        elif is_block(node):
            self.flush()
            if elements.level_of(node):
                self.level = 0
        elif node.tag in elements.CELLS:
            self.parts.append(" ")
        elif node.tag == "q":
            self.quote(node, 1)
        self.pre -= node.tag == "pre"
        self.verse -= elements.is_verse(node)
        self.leave_language(node)

    def leave_language(self, node: Node) -> None:
        """End the language of an element."""
        if node.language and node.tag not in {"html", "body"}:
            self.tongues.pop()

    def quote(self, node: Node, side: int) -> None:
        """Add the mark that a reading program puts at one side of ``<q>``."""
        mark = elements.quotation_mark(node, side)
        self.ledger.add("marks of quoted text", len(mark))
        self.parts.append(mark)

    def is_power(self, node: Node) -> bool:
        """Whether a raised number is a power of the number before it."""
        before = "".join(self.parts[-2:])[-1:]
        text = fold(node.start(_LONGEST_POWER))
        return before.isdigit() and bool(re.fullmatch(r"[-−]?\d{1,3}", text))

    def add(self, text: str) -> None:
        """Take text in; a drop cap swallows the blank after it."""
        if not text.isspace():
            self.heard.add(self.tongues[-1] if self.tongues else "")
        if self.glue:
            if not text.strip():
                return
            self.glue = False
            if text.lstrip()[0].islower():
                text = text.lstrip()
        if self.lone and text.strip():
            if text[0].isspace() and completes(self.lone, text.lstrip()):
                text = text.lstrip()
            elif self.parts and not self.parts[-1].strip():
                if completes(self.lone, text):
                    self.parts.pop()
            self.lone = ""
        if self.behind_word and text:
            name, self.behind_word = self.behind_word, ""
            # Inside a word nothing starts: the paragraph stays whole and opens the chapter.
            if not text[0].isalnum():
                self.flush()
                self.page.anchors[name] = len(self.page.blocks)
        if not self.pre:
            if "-" in text and "\n" in text:
                text = self.words.mended(text)
            text = re.sub(r"[\t\n\r\f\v]+", " ", text)
        self.parts.append(text)

    def anchor(self, node: Node) -> None:
        """Remember where an id stands; loose text is parted where a chapter starts."""
        name = node.id
        if not name:
            return
        if name in self.reading.chapter_ids and not self.level and not is_block(node):
            empty = node.tag != "br" and not node.start(1)
            if empty and "".join(self.parts[-1:])[-1:].isalnum():
                self.behind_word = name
            else:
                self.flush()
        self.page.anchors.setdefault(name, len(self.page.blocks))

    def leave_out(self, node: Node) -> bool:
        """Whether an element is not narrated; takes it down in the account."""
        if node.tag in elements.PICTURES and not is_hidden(node, self.reading.hidden):
            self.picture(node)
            return True
        what = unwanted(node, self.reading, self.parts, self.untaken, in_note=self.in_note)
        if what is None:
            return False
        # An anchor in it may still be where a chapter starts.
        for below in node.walk():
            if below.id:
                self.page.anchors.setdefault(below.id, len(self.page.blocks))
        if what == "note":
            self.notes_at = len(self.page.blocks)
            if self.reading.policies.notes is not Notes.SKIPPED:
                self.keep_notes(node)
                return True
        elif what == "contents list":
            self.drop_contents_heading()
        elif what == "note reference":
            self.calls += targets_of(node)
        if characters := sum(map(count, node.texts())):
            self.ledger.skip(what, characters)
        return True

    def keep_notes(self, node: Node) -> None:
        """Read the notes of an element by themselves, for whoever calls them."""
        rest = sum(map(count, node.texts()))
        for ids, root in elements.notes_in(node, self.reading.note_ids):
            part = _Walk(self.ledger.where, root, self.reading, note=True).run()
            blocks = [item.block for item in part.blocks]
            ledger = part.ledger
            characters = part.characters - ledger.extra + ledger.left
            rest -= characters - ledger.total
            self.ledger.total += ledger.total
            if blocks:
                text = without_mark(blocks[0].text, listed=root.tag == "li")
                ledger.skip("note mark", count(blocks[0].text) - count(text))
                blocks[0] = Block(blocks[0].kind, text, language=blocks[0].language)
            self.page.notes.append(Note(ids, blocks, ledger, characters))
        if rest:
            self.ledger.skip("note", rest)

    def picture(self, node: Node) -> None:
        """A picture says nothing, unless it is the first letter of a word, or is to be told."""
        alt = node.attributes.get("alt", "").strip()
        inside = sum(map(count, node.texts()))
        letter = node.tag == "img" and LETTER_ALONE.fullmatch(alt)
        if letter and not "".join(self.parts).strip():
            self.parts.append(alt)
            self.glue = alt[-1] not in "AI"
            self.ledger.total += count(alt)
        elif alt and self.reading.policies.images is Said.SPOKEN:
            self.parts.append(f" {fold(alt)} ")
            self.ledger.total += count(alt)
        else:
            self.ledger.skip("picture", inside)
            return
        if inside:
            self.ledger.skip("picture", inside)

    def scene_break(self) -> None:
        """Add a break between scenes; several in a row are one, and none opens a page."""
        if self.page.blocks and self.page.blocks[-1].block.kind is not Kind.SCENE_BREAK:
            self.page.blocks.append(PageBlock(SCENE_BREAK))

    def drop_contents_heading(self) -> None:
        """Take off the heading of a list of contents that was left out."""
        blocks = self.page.blocks
        if blocks and blocks[-1].level and is_contents_head(blocks[-1].block.text):
            self.ledger.skip("contents list", count(blocks.pop().block.text), 0)

    def drop_empty_note_heading(self) -> None:
        """Take off a heading under which nothing but notes stood."""
        blocks = self.page.blocks
        if blocks and self.notes_at == len(blocks) and blocks[-1].level:
            self.ledger.skip("note", count(blocks.pop().block.text))

    def drop_notices(self) -> None:
        """Take off what an archive has put before and behind the book, where lines mark it."""
        texts = [item.block.text for item in self.page.blocks]
        first = next((at + 1 for at, text in enumerate(texts) if ARCHIVE_START.match(text)), 0)
        last = next((at for at, text in enumerate(texts) if ARCHIVE_END.match(text)), len(texts))
        if first > last or (first, last) == (0, len(texts)):
            return
        self.ledger.skip("archive's notices", sum(map(count, texts[:first] + texts[last:])))
        self.page.blocks = self.page.blocks[first:last]
        size = last - first
        for name, at in self.page.anchors.items():
            self.page.anchors[name] = min(max(at - first, 0), size)
        self.page.calls = [
            (at - first, target) for at, target in self.page.calls if first <= at < last
        ]

    def flush(self) -> None:
        """End the paragraph that is being gathered."""
        if self.behind_word:
            name, self.behind_word = self.behind_word, ""
            self.flush()
            self.page.anchors[name] = len(self.page.blocks)
            return
        text = "".join(self.parts)
        if self.glue and len(text.strip()) <= LONGEST_DROP_CAP:
            return
        self.parts.clear()
        broken, self.broken = self.broken, False
        language = self.heard.pop() if len(self.heard) == 1 else ""
        self.heard.clear()
        if text.strip():
            self.glue = False
            level = self.level
            for block in self.blocks(text.split("\n"), broken or self.pre > 0):
                if not self.repeats(block):
                    said = Block(block.kind, block.text, language) if language else block
                    self.page.blocks.append(PageBlock(said, level))
        if self.calls:
            at = max(0, len(self.page.blocks) - 1)
            self.page.calls += [(at, target) for target in self.calls]
            self.calls.clear()

    def blocks(self, lines: list[str], broken: bool) -> list[Block]:
        """The blocks of a paragraph, a heading or a stanza."""
        if self.level:
            return heading(lines, self.ledger)
        if (self.verse and len(lines) > 1) or looks_like_verse(lines, broken=broken):
            return verse(lines, self.ledger)
        return self.paragraph(lines)

    def repeats(self, block: Block) -> bool:
        """Whether a text is the heading before it once more, as running titles are."""
        before = self.page.blocks[-1].block if self.page.blocks else SCENE_BREAK
        again = (
            before.kind is Kind.HEADING
            and before.text.casefold() == block.text.casefold()
            and block.text[-1:] not in ".!?…"
        )
        if again:
            self.ledger.skip("repeated heading", count(block.text))
        return again

    def paragraph(self, lines: list[str]) -> list[Block]:
        """The block of a paragraph, or of a line of verse."""
        text = tidy(self.words.joined(lines), self.ledger)
        block = paragraph(text)
        if block is None:
            if text:
                self.ledger.skip("paragraph without words", count(text))
            return []
        if block.kind is Kind.SCENE_BREAK:
            self.ledger.skip("scene break mark", count(text))
            self.scene_break()
            return []
        return [Block(Kind.VERSE, block.text)] if self.verse else [block]
