"""Which pages of a book start unticked, by what they hold. Never for a name or a title alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from studio.book.coverage import count
from studio.book.marks import CLOSING_QUOTES, fold
from studio.book.policies import Matter, Policies
from studio.book.readers.contents import is_contents_head
from studio.book.readers.elements import level_of
from studio.book.readers.headings import counted, is_chapter_line, looks_like_title
from studio.book.readers.markup import Node
from studio.book.readers.reading import Page
from studio.book.rules_of_reading import WHY

_COVER_LENGTH = 200
"""A cover or title page has no more text than this, in characters."""
_COPYRIGHT_LENGTH = 6000
_LINKED_SHARE = 0.8
"""From this share of linked text on, a page of links is a contents page."""
_CONTENTS_LINKS = 3
_LETTER = re.compile(r"[^\W\d_]")
_COPYRIGHT_SIGNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"©|\(c\) ?\d{4}|\bcopyright\b",
        r"\ball rights reserved\b",
        r"\bISBN\b",
        r"\blibrary of congress|british library\b",
        r"\bno part of this (?:book|publication)\b",
        r"\bpublished (?:by|in)\b",
        r"\bfirst (?:published|edition|printing)\b",
        r"\b10 9 8 7 6 5 4 3 2 1\b|\b1 3 5 7 9 10 8 6 4 2\b",
    )
)
_COPYRIGHT_NEEDED = 3
_INDEX_HEAD = re.compile(
    r"(?:general |subject )?index(?: of \w{1,20})?|register|sachregister", re.I
)
_PAGES = r"\d{1,4}(?:[-–]\d{1,4})?"
_INDEX_ENTRY = re.compile(rf"\S.{{1,200}}?,? {_PAGES}(?:, {_PAGES}){{0,60}}\.?")
_INDEX_ENTRIES = 8
_OTHERS_HEAD = re.compile(
    r"(?:also|other (?:books|titles|works)|more(?: books)?|books) (?:by|from)\b.{0,60}"
    r"|(?:weitere )?(?:bücher|werke) von\b.{0,60}|du même auteur|by the same author",
    re.IGNORECASE,
)
_OTHERS_LENGTH = 2500
_OTHERS_LINE = 120
_TITLE_MATTER = re.compile(
    r"(?:by|von|par|por|di)[.:]?$|(?:author|translator|editor) of\b"
    r"|(?:translated|illustrated|edited)\b|with (?:\w{1,20} ){0,3}illustrations\b"
    r"|copyright\b|©|(?:first )?published\b|[^.!?]{0,60}\b1[4-9]\d\d\.?$|[MDCLXVI]{4,12}\.?$",
    re.IGNORECASE,
)
"""Lines of a title page beside title and author: who made it, where and when."""
_YEAR = re.compile(r"1[4-9]\d\d|20\d\d")
_MADE = frozenset(("imprint", "colophon"))
_EMPTIED = frozenset(("contents page", "contents list", "copyright page"))
"""Rules that may take all of a page that stands before the story."""
_FRONT = frozenset(
    "frontmatter cover titlepage title-page halftitlepage halftitle copyright-page dedication "
    "epigraph foreword preface toc loi lot acknowledgements acknowledgments imprint imprimatur "
    "contributors other-credits errata".split()
)
_BACK = frozenset(
    "backmatter afterword appendix glossary bibliography index colophon endnotes rearnotes notes "
    "acknowledgements acknowledgments about-the-author credits landmarks".split()
)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a page starts unticked."""

    what: str
    """What is left out, for people."""
    why: str
    behind: bool = False
    """Whether such pages stand behind the story."""


@dataclass(frozen=True, slots=True)
class Book:
    """What of a book its pages are compared with."""

    title: str
    author: str
    nav: str
    """Name of its navigation page."""
    pages: int
    """How many pages it has in reading order."""


def reason_against(
    name: str, root: Node, page: Page, guide: str, book: Book, policies: Policies
) -> tuple[Reason | None, Reason | None]:
    """Why a page is not narrated unless a person ticks it, or None; and what its content says.

    Args:
        name: Of the page.
        root: Its tree.
        page: What was read of it.
        guide: What the book's guide calls it, or empty.
        book: The book.
        policies: What a person chose for the pages before and behind the story.
    """
    kinds = {guide, *page_types(root)}
    if not page.blocks:
        rules = [rule for rule, *_ in page.ledger.seen()]
        if policies.front is Matter.TICKED and not _EMPTIED.isdisjoint(rules):
            called = next(rule for rule in rules if rule in _EMPTIED)
            return None, Reason(f"{called} ({name})", WHY[called])
        held = ", ".join(rules)
        empty = Reason(f"page {name}", f"it holds only: {held}" if held else "it has no text")
        called = next((rule for rule in rules if rule in _EMPTIED), "page")
        return empty, replace(empty, what=f"{called} ({name})" if called != "page" else empty.what)
    found = _by_content(name, root, page, kinds, book)
    front, back = bool(kinds & _FRONT), bool(kinds & _BACK)
    # What only its content gives away stands before the story, but for an index and the like.
    behind = (back and not front) or (found is not None and found.behind)
    policy, called = (policies.back, "back matter") if behind else (policies.front, "front matter")
    if policy is Matter.TICKED:
        return None, found
    if policy is Matter.UNTICKED and found is None and (front or back):
        return Reason(f"{called} ({name})", f"{called} is left out, as set"), found
    return found, found


def _by_content(name: str, root: Node, page: Page, kinds: set[str], book: Book) -> Reason | None:
    """Why a page is left out by what it holds."""
    characters = page.characters
    if "cover" in kinds and characters <= _COVER_LENGTH:
        return Reason(f"cover ({name})", "a cover is for the eye")
    if (name == book.nav and characters <= _COVER_LENGTH) or is_contents(root, kinds):
        return Reason(f"contents page ({name})", WHY["contents page"])
    if characters <= _COPYRIGHT_LENGTH and _is_copyright(page, kinds):
        return Reason(f"copyright page ({name})", WHY["copyright page"])
    for kind in kinds & _MADE:
        if characters <= _COPYRIGHT_LENGTH:
            return Reason(f"{kind} ({name})", WHY["imprint"], kind == "colophon")
    if characters <= _COVER_LENGTH and _is_title_page(page, kinds, book):
        return Reason(f"title page ({name})", WHY["title page"])
    if _is_index(page, kinds):
        return Reason(f"index ({name})", "it only points at printed pages", True)
    if characters <= _OTHERS_LENGTH and _is_advertisement(page):
        return Reason(f"list of other books ({name})", "it is not part of the story", True)
    return None


def page_types(root: Node) -> frozenset[str]:
    """What the page's outermost elements say they are."""
    node = next(root.find("body"), root)
    kinds = set(node.types)
    for _ in range(3):
        inner = [child for child in node.children if isinstance(child, Node)]
        if len(inner) != 1:
            break
        node = inner[0]
        kinds |= node.types
    return frozenset(kinds)


def is_contents(root: Node, kinds: Collection[str]) -> bool:
    """Whether a page, or a part of one, is a list of links."""
    links, linked, length = linked_text(root)
    named = "toc" in kinds
    if heading := next((node for node in root.walk() if level_of(node)), None):
        head = heading.start(_COVER_LENGTH)
        if is_contents_head(fold(head)):
            # Under such a heading a page of links is one, however few they are.
            return links > 0 and linked >= _LINKED_SHARE * (length - count(head))
    share = 0.5 if named else _LINKED_SHARE
    enough = 1 if named else _CONTENTS_LINKS
    return links >= enough and linked >= share * length


def linked_text(root: Node) -> tuple[int, int, int]:
    """The links of a page or a part of one, the characters in them, and all its characters."""
    links = linked = length = 0
    body = next(root.find("body"), root)
    waiting: list[tuple[Node | str, bool]] = [(body, False)]
    while waiting:
        node, inside = waiting.pop()
        if isinstance(node, str):
            # The numbers beside links, of chapters or of pages, are no text of their own.
            length += count(node) if inside or _LETTER.search(node) else 0
            linked += count(node) if inside else 0
            continue
        if node.tag == "a" and not inside:
            href = node.attributes.get("href", "")
            inside = bool(href) and "://" not in href
            links += inside
        waiting.extend((child, inside) for child in node.children)
    return links, linked, length


def _texts(page: Page) -> list[str]:
    """The texts of a page's blocks."""
    return [item.block.text for item in page.blocks if item.block.text]


def _is_copyright(page: Page, kinds: Collection[str]) -> bool:
    """Whether a page states rights and printings, by its words."""
    text = " ".join(_texts(page))
    signs = sum(sign.search(text) is not None for sign in _COPYRIGHT_SIGNS)
    return signs >= (1 if "copyright-page" in kinds else _COPYRIGHT_NEEDED)


def _is_title_page(page: Page, kinds: Collection[str], book: Book) -> bool:
    """Whether a page says the book's title and author and little else."""
    if not {"titlepage", "title-page", "halftitlepage", "halftitle"}.isdisjoint(kinds):
        return True
    return book.pages > 1 and states_title(_texts(page), book.title, book.author)


def states_title(lines: Sequence[str], title: str, author: str) -> bool:
    """Whether lines say a book's title and author and little else.

    A line that tells something, or names a chapter, is story, however short it is.

    Args:
        lines: The paragraphs and headings.
        title: What the book says its title is.
        author: The same of its author; without one nothing is a title page.
    """
    said = " ".join(lines)
    if count(said) > _COVER_LENGTH:
        return False
    title, author, text = _plain(title), _plain(author), _plain(said)
    if not title or not author or not text.startswith(title) or author not in text:
        return False
    kept = [line for line in lines if not _TITLE_MATTER.match(line.strip())]
    others = [line for line in kept if _plain(line) not in title and author not in _plain(line)]
    if any(_is_story(line) for line in others):
        return False
    rest = _plain(" ".join(kept)).removeprefix(title).replace(author, " ")
    return len(fold(rest)) <= len(title) + len(author)


def _is_story(line: str) -> bool:
    """Whether a line of a short opening is no part of a title: a sentence, or a chapter's name."""
    line = line.strip()
    if is_chapter_line(line) or (counted(line) and not _YEAR.fullmatch(line)):
        return True
    told = line.rstrip(CLOSING_QUOTES + ")")
    return told[-1:] in ".!?…。！？" and not looks_like_title(told.rstrip(".!?…"))


def _plain(text: str) -> str:
    """A text as titles are compared: letters and digits only."""
    return fold(re.sub(r"[\W_]+", " ", text)).casefold()


def _is_index(page: Page, kinds: Collection[str]) -> bool:
    """Whether a page is a list of words with page numbers."""
    texts = _texts(page)
    entries = sum(_INDEX_ENTRY.fullmatch(text[:400]) is not None for text in texts)
    named = "index" in kinds or _INDEX_HEAD.fullmatch(texts[0]) is not None
    return named and entries >= min(_INDEX_ENTRIES, len(texts) - 1) and entries * 2 >= len(texts)


def _is_advertisement(page: Page) -> bool:
    """Whether a page only names other books."""
    head, *others = _texts(page)
    return (
        _OTHERS_HEAD.fullmatch(head) is not None
        and bool(others)
        and all(len(text) <= _OTHERS_LINE and text[-1] not in "!?…”" for text in others)
    )
