"""Markdown: rendered to HTML and read by the same walk as an EPUB's pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from studio.book.manuscript import LeftOut, Manuscript
from studio.book.readers.chapters import Start, by_starts, heading_starts
from studio.book.readers.encoding import decode_text
from studio.book.readers.markup import parse_text
from studio.book.readers.page import PageBlock, read_page

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(
    r"\s{0,9}---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL
)
_FIELD = re.compile(r"^(title|author|lang|language):[ \t]*(.{1,300}?)[ \t]*$", re.MULTILINE)
_NOTE = re.compile(
    r"^\[\^[^\]\n]{1,40}\]:.{0,5000}"
    r"(?:\n(?:[ \t]{2,}\S.{0,5000})|(?:\n[ \t]{0,40}){1,20}\n(?: {4}|\t)\S.{0,5000})*",
    re.MULTILINE,
)
"""A note with its lines, and its further paragraphs, which are indented."""
_ATTRIBUTES = re.compile(
    r"(?<=\S)[ \t]{0,4}\{(?:[#.][\w-]{1,60}|[ \t]|[\w-]{1,40}=[^{}\s]{1,60}){1,20}\}"
)
"""What Pandoc writes behind headings, spans and pictures for the program that sets the page."""
_FENCED_PART = re.compile(r"^:{3,}[^\n]{0,100}$", re.MULTILINE)
_INLINE_MARKS = re.compile(r"(==|\+\+)(?=\S)([^\n=+]{1,400}?)(?<=\S)\1")
_NOTE_REFERENCE = re.compile(r"\[\^[^\]\n]{1,40}\]")
_DEEPEST = 100
"""Lists and quotations inside each other; deeper ones are read as plain text."""


def read_markdown(data: bytes, name: str) -> Manuscript:
    """Read a Markdown file.

    Args:
        data: The file's bytes.
        name: The title to give it where it does not say one.

    Returns:
        Its chapters, by headings. Code, pictures and notes are left out and accounted for.
    """
    # Imported here: the parser is needed for this kind of file only.
    from markdown_it import MarkdownIt

    text = decode_text(data).replace("\r\n", "\n").replace("\r", "\n")
    left_out: list[LeftOut] = []
    text, stated = _front_matter(text)
    text = _without_notes(text, left_out)
    text = _FENCED_PART.sub("", _INLINE_MARKS.sub(r"\2", _ATTRIBUTES.sub("", text)))
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST, "xhtmlOut": True}).enable("table")
    # Four blanks open a paragraph in many manuscripts; only fences mark code for certain.
    parser.disable("code")
    tokens = _without_code(parser.parse(text), left_out)
    _say_list_numbers(tokens)
    rendered = parser.renderer.render(tokens, parser.options, {})
    page = read_page(parse_text(f"<html><body>{rendered}</body></html>", name), name)
    blocks = [item.block for item in page.blocks]
    title = stated.get("title") or _only_title(page.blocks) or name
    starts = heading_starts(page.blocks)
    if not starts or starts[0].at > 0:
        starts.append(Start(0, title))
    return Manuscript(
        title=title,
        author=stated.get("author", ""),
        language=stated.get("lang", stated.get("language", "")),
        chapters=by_starts(blocks, starts),
        left_out=(*left_out, *page.left_out),
    )


def _front_matter(text: str) -> tuple[str, dict[str, str]]:
    """Take off the lines between ``---`` at the top, if they are fields and not prose."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return text, {}
    lines = [line for line in match[1].split("\n") if line.strip()]
    if not lines or not all(re.match(r"[\w-]{1,40}:|\s|-|#", line) for line in lines):
        return text, {}
    fields = {key: value.strip("\"'") for key, value in _FIELD.findall(match[1])}
    return text[match.end() :], fields


def _without_notes(text: str, left_out: list[LeftOut]) -> str:
    """Take off notes and the marks that point at them."""
    notes = _NOTE.findall(text)
    if notes:
        why = "notes are not narrated"
        left_out.append(LeftOut(f"{len(notes)} × note", why, sum(map(len, notes))))
        text = _NOTE_REFERENCE.sub("", _NOTE.sub("", text))
    return text


def _without_code(tokens: Sequence[Token], left_out: list[LeftOut]) -> list[Token]:
    """Take off fenced code."""
    for token in tokens:
        if token.type == "fence":
            why = "code cannot be read aloud so that anybody understands it"
            left_out.append(LeftOut("code block", why, len(token.content)))
    return [token for token in tokens if token.type != "fence"]


def _say_list_numbers(tokens: Sequence[Token]) -> None:
    """Put the numbers of numbered lists back into the text: ``1912. A dry year`` is one too."""
    waiting = ""
    for token in tokens:
        if token.type == "list_item_open" and token.info:
            waiting = f"{token.info}{token.markup} "
        elif token.type == "inline" and waiting and token.children:
            first = next((child for child in token.children if child.type == "text"), None)
            if first is not None:
                first.content = waiting + first.content
            waiting = ""


def _only_title(blocks: Sequence[PageBlock]) -> str:
    """The book's title, where one heading stands at the top and all others are below it."""
    if not blocks or blocks[0].level != 1:
        return ""
    others = [item.level for item in blocks[1:] if item.level]
    return blocks[0].block.text if others and min(others) > 1 else ""
