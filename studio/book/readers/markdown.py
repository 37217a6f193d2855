"""Markdown: rendered to HTML and read by the same walk as an EPUB's pages."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from studio.book.coverage import Ledger, count
from studio.book.manuscript import Manuscript
from studio.book.policies import Policies
from studio.book.readers.encoding import CONTROLS, as_meant, decode_text
from studio.book.readers.listed import contents_list
from studio.book.readers.markdown_dialects import as_commonmark, title_block
from studio.book.readers.markup import parse_text
from studio.book.readers.page import read_page
from studio.book.readers.reading import Progress, Reading
from studio.book.readers.single import Stated, lone_title, read_single
from studio.errors import BadInput

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT_MATTER = re.compile(
    r"\s{0,9}---[ \t]*\n(.{0,20000}?)\n(?:---|\.\.\.)[ \t]*(?:\n|$)", re.DOTALL
)
_FIELD = re.compile(r"^(title|author|lang|language):[ \t]*(.{1,300}?)[ \t]*$", re.MULTILINE)
_NOTE = re.compile(
    r"^\[\^([^\]\n]{1,40})\]:(.{0,5000}"
    r"(?:\n(?:[ \t]{2,}\S.{0,5000})|(?:\n[ \t]{0,40}){1,20}\n(?: {4}|\t)\S.{0,5000})*)",
    re.MULTILINE,
)
"""A note with its lines, and its further paragraphs, which are indented."""
_INLINE_NOTE = re.compile(r"\^\[([^\[\]\n]{1,2000})\]")
_AUTHORS = re.compile(r"^author:[ \t]*\n((?:[ \t]{0,9}-[ \t]{1,9}.{1,300}\n?){1,20})", re.MULTILINE)
_NOTE_REFERENCE = re.compile(r"\[\^([^\]\n]{1,40})\]")
_CALL = re.compile("\ue0f0(\\d{1,6})\ue0f1")
"""A call in the text that is rendered: characters of private use, which no book's text has."""
_NOTE_ID = "rhapsode-note-"
_NAMESPACE = 'xmlns:epub="http://www.idpf.org/2007/ops"'
MAX_MARKS = 150_000
"""Marks of links, emphasis, tables and lists; each costs the parser time and memory. A novel of a
million words has some 40,000."""
_MARKS = "[*_`<||&\\"
"""Cells of tables count twice: they take twice the time."""
_BLOCK_MARK = re.compile(r"^[ \t>]{0,50}(?:[-+*>]|#{1,6}|\d{1,9}[.)])(?=[ \t]|$)", re.MULTILINE)
_DEEPEST = 100
"""Lists and quotations inside each other; deeper ones are read as plain text."""


def read_markdown(
    name: str, data: bytes, policies: Policies, ticks: Mapping[str, bool], tell: Progress
) -> Manuscript:
    """Read a Markdown file.

    Args:
        name: Its name.
        data: Its bytes.
        policies: What is narrated.
        ticks: What a person chose, by piece.
        tell: Told how much of it is read, 0 to 1.

    Returns:
        Its chapters, by headings. Code and pictures are left out and accounted for.

    Raises:
        BadInput: It has more marks than any book.
    """
    # Imported here: the parser is needed for this kind of file only.
    from markdown_it import MarkdownIt

    text = as_meant(decode_text(data)).replace("\r\n", "\n").replace("\r", "\n")
    text = CONTROLS.sub("", text)
    ledger = Ledger()
    ledger.total = count(text)
    text, stated = _front_matter(text, ledger)
    if not stated:
        text, stated = title_block(text, ledger)
    _check_marks(text, name)
    tell(0.1)
    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST, "xhtmlOut": True}).enable(
        ["table", "strikethrough"]
    )
    # Four blanks open a paragraph in many manuscripts; only fences mark code for certain.
    parser.disable("code")

    def rendered(part: str) -> str:
        tokens = _without_code(parser.parse(as_commonmark(part, ledger)), ledger)
        _say_list_numbers(tokens)
        return str(parser.renderer.render(tokens, parser.options, {}))

    text, notes = _notes_apart(text)
    page = rendered(text)
    tell(0.4)
    for number, body in enumerate(notes.values(), 1):
        page += f'<aside epub:type="footnote" id="{_NOTE_ID}{number}">{rendered(body)}</aside>'
    page = _with_calls(page, list(notes))
    root = parse_text(f"<html {_NAMESPACE}><body>{page}</body></html>", name)
    tell(0.6)
    contents = contents_list(root)
    reading = Reading(
        policies=policies,
        note_ids=frozenset(_note_ids(notes)),
        contents=frozenset((id(contents),)) if contents is not None else frozenset(),
    )
    # What is neither text nor taken off by now was a mark of the format.
    ledger.skip("marks of Markdown", ledger.total - ledger.left - sum(map(count, root.texts())))
    title = stated.get("title", "")
    if not title and sum(1 for _ in islice(root.find("h1"), 2)) == 1:
        title = lone_title(read_page(root, "", reading).blocks)
    title = title or Path(name).stem
    language = stated.get("lang", stated.get("language", ""))
    said = Stated(title, stated.get("author", ""), language)
    return read_single(root, reading, said, ticks, ledger=ledger, tell=tell)


def _check_marks(text: str, name: str) -> None:
    """Refuse a file that is nothing but marks."""
    marks = sum(map(text.count, _MARKS)) + 2 * sum(1 for _ in _BLOCK_MARK.finditer(text))
    if marks > MAX_MARKS:
        raise BadInput(
            f"{name} has {marks:,} marks of Markdown (links, emphasis, tables, lists), which no "
            "book has. Check that it is the manuscript, or divide it."
        )


def _front_matter(text: str, ledger: Ledger) -> tuple[str, dict[str, str]]:
    """Take off the lines between ``---`` at the top, if they are fields and not prose."""
    match = _FRONT_MATTER.match(text)
    if not match:
        return text, {}
    lines = [line for line in match[1].split("\n") if line.strip()]
    if not lines or not all(re.match(r"[\w-]{1,40}:|\s|-|#", line) for line in lines):
        return text, {}
    fields = {key: value.strip("\"'") for key, value in _FIELD.findall(match[1])}
    if "author" not in fields and (listed := _AUTHORS.search(f"{match[1]}\n")):
        names = (line.strip(" \t-\"'").removeprefix("name:") for line in listed[1].splitlines())
        fields["author"] = ", ".join(name.strip(" \t\"'") for name in names)
    ledger.skip("data about the book", count(match[0]))
    return text[match.end() :], fields


def _notes_apart(text: str) -> tuple[str, dict[str, str]]:
    """A text without its notes, the places that call them marked; and the notes by name."""
    notes: dict[str, list[str]] = {}

    def keep(match: re.Match[str]) -> str:
        notes.setdefault(match[1], []).append(match[2])
        return ""

    def keep_inline(match: re.Match[str]) -> str:
        name = f"^{len(notes)}"
        notes[name] = [match[1]]
        return f"[^{name}]"

    text = _NOTE.sub(keep, text)
    if "^[" in text:
        text = _INLINE_NOTE.sub(keep_inline, text)
    if not notes:
        return text, {}
    numbers = {name: number for number, name in enumerate(notes, 1)}
    text = _NOTE_REFERENCE.sub(
        lambda m: f"\ue0f0{numbers[m[1]]}\ue0f1" if m[1] in numbers else "", text
    )
    return text, {
        name: re.sub(r"(?m)^(?: {4}|\t)", "", "\n\n".join(bodies)) for name, bodies in notes.items()
    }


def _with_calls(page: str, names: Sequence[str]) -> str:
    """A page with links where notes are called."""
    if not names:
        return page
    return _CALL.sub(lambda m: f'<a epub:type="noteref" href="#{_NOTE_ID}{m[1]}"></a>', page)


def _note_ids(notes: Mapping[str, str]) -> list[str]:
    """The ids of the notes in the page."""
    return [f"{_NOTE_ID}{number}" for number in range(1, len(notes) + 1)]


def _without_code(tokens: Sequence[Token], ledger: Ledger) -> list[Token]:
    """Take off fenced code."""
    for token in tokens:
        if token.type == "fence":
            ledger.skip("code block", count(token.content))
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
