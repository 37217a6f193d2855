"""One page's tree becomes blocks: each text once, in order, and an account of the rest.

The walk is iterative, so nesting costs no stack. Anything that is not a block element is inline,
and text counts wherever it stands; only what is named here is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field

from studio.book.kinds import Kind
from studio.book.manuscript import Block, LeftOut
from studio.book.marks import OPENING_QUOTES, fold
from studio.book.readers.blocks import (
    SCENE_BREAK,
    heading,
    looks_like_verse,
    paragraph,
    tidy,
    verse,
)
from studio.book.readers.dropcaps import (
    LETTER_ALONE,
    LONE_LETTERS,
    LONGEST_DROP_CAP,
    completes,
    is_drop_cap,
)
from studio.book.readers.hyphens import hyphen_between, words_of
from studio.book.readers.left_out import LEFT_OUT_TYPES, WHY
from studio.book.readers.markup import Node
from studio.book.readers.notes import (
    is_note,
    is_note_reference,
    is_unlinked_mark,
    opens_with_mark,
)
from studio.book.readers.styles import is_hidden

_BLOCKS = frozenset(
    "address article aside blockquote body caption center dd details dialog dir div dl dt fieldset "
    "figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 header hgroup hr html legend li main "
    "menu nav ol optgroup option p pre section select summary table tbody tfoot thead tr ul "
    "line stanza poem".split()
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_CELLS = frozenset(("td", "th"))
_UNSEEN = frozenset(
    "head script style template noscript rt rp rtc audio video canvas iframe link meta param "
    "area map colgroup datalist textarea input button progress meter".split()
)
_PICTURES = frozenset(("img", "image", "svg"))
_BLOCK_STYLE = re.compile(r"display\s{0,9}:\s{0,9}(?:block|table|flex|grid|list-item)")
_HIDDEN_STYLE = re.compile(r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden")
_VERSE_CLASS = re.compile(r"\b(?:verse|poem|poetry|stanza|lyrics?|song)")
_PAGE_NUMBER_CLASS = re.compile(r"page-?(?:num|no\b|break)|\bpb\b|pagenr")
_PAGE_NUMBER = re.compile(r"[\[({|]?\s?(?:p(?:age|g)?\.?\s?)?(?:\d{1,5}|[ivxlcdm]{1,9})\s?[\])}|]?")
_RAISED = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_BROKEN_WORD = re.compile(r"([^\W\d_]{1,40})-[ \t]{0,9}\r?\n\s{0,40}([^\W\d_]{1,40})")


@dataclass(slots=True)
class PageBlock:
    """A block and, for headings, its level."""

    block: Block
    level: int = 0


@dataclass(slots=True)
class Page:
    """What one page holds."""

    blocks: list[PageBlock] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    """Per id, the number of blocks before it."""
    left_out: list[LeftOut] = field(default_factory=list)

    @property
    def characters(self) -> int:
        """How much text its blocks hold."""
        return sum(len(item.block.text) for item in self.blocks)


def read_page(
    root: Node,
    name: str,
    *,
    chapter_ids: Collection[str] = (),
    note_ids: Collection[str] = (),
    hidden: frozenset[str] = frozenset(),
) -> Page:
    """Take the text out of a page.

    Args:
        root: The page's tree.
        name: The page's name, for the account of what was left out.
        chapter_ids: Ids at which chapters start, so that loose text is parted there.
        note_ids: Ids that note references point at.
        hidden: What the book's style sheets hide; see `styles.hidden_by`.

    Returns:
        Its blocks, where its ids stand, and what was left out.
    """
    return _Walk(name, frozenset(chapter_ids), frozenset(note_ids), hidden).run(root)


def is_block(node: Node) -> bool:
    """Whether an element is a paragraph of its own, by its name or its style."""
    return node.tag in _BLOCKS or bool(
        _BLOCK_STYLE.search(node.attributes.get("style", "").lower())
    )


class _Walk:
    """The state of one walk over a page."""

    def __init__(
        self,
        name: str,
        chapter_ids: frozenset[str],
        note_ids: frozenset[str],
        hidden: frozenset[str],
    ) -> None:
        self.name = name
        self.hidden = hidden
        self.words: frozenset[str] | None = None
        self.root = Node("", {})
        self.lone = ""
        self.behind_word = ""
        self.notes_at = -1
        self.chapter_ids = chapter_ids
        self.note_ids = note_ids
        self.page = Page()
        self.parts: list[str] = []
        self.level = 0
        self.pre = 0
        self.verse = 0
        self.glue = False
        self.dropped: Counter[str] = Counter()
        self.dropped_characters: Counter[str] = Counter()

    def run(self, root: Node) -> Page:
        """Walk the whole tree."""
        self.root = root
        waiting: list[tuple[Node | str, bool]] = [(root, False)]
        while waiting:
            item, leaving = waiting.pop()
            if isinstance(item, str):
                self.add(item)
            elif leaving:
                self.leave(item)
            elif self.enter(item):
                waiting.append((item, True))
                waiting.extend((child, False) for child in reversed(item.children))
        self.glue = False
        self.flush()
        self.drop_empty_note_heading()
        for what, count in self.dropped.items():
            label = what if count == 1 else f"{count} × {what}"
            self.page.left_out.append(
                LeftOut(f"{label} ({self.name})", WHY[what], self.dropped_characters[what])
            )
        return self.page

    def enter(self, node: Node) -> bool:
        """Start an element; False leaves it out with all below it."""
        if is_block(node):
            self.flush()
        self.anchor(node)
        if self.leave_out(node):
            return False
        if node.tag == "br":
            self.parts.append("\n")
        elif node.tag == "hr":
            self.scene_break()
        elif node.tag in _CELLS:
            self.parts.append(" ")
        elif node.tag == "q":
            self.parts.append(quotation_mark(node, 0))
        elif node.tag == "sup" and self.is_power(node):
            self.parts.append(fold(node.text()).translate(_RAISED))
            return False
        level = _HEADINGS.get(node.tag, 2 if node.types & {"heading", "title"} else 0)
        if level and node.tag in _BLOCKS:
            self.level = level
        self.pre += node.tag == "pre"
        self.verse += self.is_verse(node)
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
            if node.tag in _HEADINGS or node.types & {"heading", "title"}:
                self.level = 0
        elif node.tag in _CELLS:
            self.parts.append(" ")
        elif node.tag == "q":
            self.parts.append(quotation_mark(node, 1))
        self.pre -= node.tag == "pre"
        self.verse -= self.is_verse(node)

    @staticmethod
    def is_verse(node: Node) -> bool:
        """Whether an element says that verse stands in it."""
        return node.tag in {"poem", "stanza"} or bool(_VERSE_CLASS.search(node.classes))

    def is_power(self, node: Node) -> bool:
        """Whether a raised number is a power of the number before it."""
        before = "".join(self.parts[-2:])[-1:]
        return before.isdigit() and bool(re.fullmatch(r"[-−]?\d{1,3}", fold(node.text())))

    def add(self, text: str) -> None:
        """Take text in; a drop cap swallows the blank after it."""
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
                text = _BROKEN_WORD.sub(self.whole_word, text)
            text = re.sub(r"[\t\n\r\f\v]+", " ", text)
        self.parts.append(text)

    def whole_word(self, match: re.Match[str]) -> str:
        """A word that a line's end has cut."""
        if self.words is None:
            self.words = words_of(self.root.text())
        return match[1] + hyphen_between(match[1], match[2], self.words) + match[2]

    def anchor(self, node: Node) -> None:
        """Remember where an id stands; loose text is parted where a chapter starts."""
        name = node.id
        if not name:
            return
        if name in self.chapter_ids and not self.level and not is_block(node):
            empty = node.tag != "br" and not node.text()
            if empty and "".join(self.parts[-1:])[-1:].isalnum():
                self.behind_word = name
            else:
                self.flush()
        self.page.anchors.setdefault(name, len(self.page.blocks))

    def leave_out(self, node: Node) -> bool:
        """Whether an element is not narrated; says so in the account where it matters."""
        if node.tag in _UNSEEN:
            return True
        if node.tag in _PICTURES:
            self.picture(node)
            return True
        what = self.unwanted(node)
        if what is None:
            return False
        # An anchor in it may still be where a chapter starts.
        for below in node.walk():
            if below.id:
                self.page.anchors.setdefault(below.id, len(self.page.blocks))
        if what == "note":
            self.notes_at = len(self.page.blocks)
        text = fold(node.text())
        if text:
            self.dropped[what] += 1
            self.dropped_characters[what] += len(text)
        return True

    def unwanted(self, node: Node) -> str | None:
        """What an element is called that is to be left out, or None."""
        attributes = node.attributes
        if (
            is_hidden(node, self.hidden)
            or "hidden" in attributes
            or _HIDDEN_STYLE.search(attributes.get("style", "").lower())
        ):
            return "hidden text"
        if node.tag in {"body", "html"}:
            return None
        for kind in node.types & LEFT_OUT_TYPES.keys():
            return LEFT_OUT_TYPES[kind]
        if is_note_reference(node) or is_unlinked_mark(node, "".join(self.parts[-3:])):
            return "note reference"
        if node.id in self.note_ids and node.tag in _BLOCKS and is_note(node):
            return "note"
        if node.tag in {"p", "li", "dd"} and self.note_ids and self.opens_at_note(node):
            return "note"
        if "pagebreak" in node.types or _PAGE_NUMBER_CLASS.search(node.classes):
            return "page number" if _PAGE_NUMBER.fullmatch(fold(node.text()).lower()) else None
        return None

    def opens_at_note(self, node: Node) -> bool:
        """Whether a paragraph's first element is where a note reference points."""
        first = next((child for child in node.children if isinstance(child, Node)), None)
        if first is None or not any(
            below.id in self.note_ids for below in first.walk() if below.id
        ):
            return False
        return opens_with_mark(node)

    def picture(self, node: Node) -> None:
        """A picture says nothing, unless it is the first letter of a word."""
        alt = node.attributes.get("alt", "").strip() or fold(node.text())
        if node.tag == "img" and LETTER_ALONE.fullmatch(alt) and not "".join(self.parts).strip():
            self.parts.append(alt)
            self.glue = alt[-1] not in "AI"
            return
        self.dropped["picture"] += 1
        self.dropped_characters["picture"] += len(alt)

    def scene_break(self) -> None:
        """Add a break between scenes; several in a row are one, and none opens a page."""
        if self.page.blocks and self.page.blocks[-1].block.kind is not Kind.SCENE_BREAK:
            self.page.blocks.append(PageBlock(SCENE_BREAK))

    def drop_empty_note_heading(self) -> None:
        """Take off a heading under which nothing but notes stood."""
        blocks = self.page.blocks
        if blocks and self.notes_at == len(blocks) and blocks[-1].level:
            self.dropped["note"] += 1
            self.dropped_characters["note"] += len(blocks.pop().block.text)

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
        if not text.strip():
            self.parts.clear()
            return
        self.parts.clear()
        self.glue = False
        lines = text.split("\n")
        if self.level:
            blocks = heading(lines)
        elif self.verse and len(lines) > 1:
            blocks = verse(lines)
        elif looks_like_verse(lines):
            blocks = verse(lines)
        else:
            self.paragraph(lines)
            return
        self.page.blocks.extend(
            PageBlock(block, self.level) for block in blocks if not self.repeats(block.text)
        )

    def repeats(self, text: str) -> bool:
        """Whether a text is the heading before it once more, as running titles are."""
        before = self.page.blocks[-1].block if self.page.blocks else SCENE_BREAK
        again = (
            before.kind is Kind.HEADING
            and before.text.casefold() == text.casefold()
            and text[-1:] not in ".!?…"
        )
        if again:
            self.dropped["repeated heading"] += 1
            self.dropped_characters["repeated heading"] += len(text)
        return again

    def paragraph(self, lines: list[str]) -> None:
        """Add a paragraph, or a line of verse."""
        text = tidy(" ".join(lines))
        block = paragraph(text)
        if block is None:
            if text:
                self.dropped["paragraph without words"] += 1
                self.dropped_characters["paragraph without words"] += len(text)
        elif block.kind is Kind.SCENE_BREAK:
            self.scene_break()
        else:
            if self.repeats(block.text):
                return
            kind = Kind.VERSE if self.verse else block.kind
            self.page.blocks.append(PageBlock(Block(kind, block.text)))


def quotation_mark(node: Node, side: int) -> str:
    """The mark that a reading program puts at one side of ``<q>``; none where the text has it."""
    text = node.text().strip()
    return "" if text[:1] in OPENING_QUOTES else "“”"[side]
