"""Plain text: lines become paragraphs, headings, verse and scene breaks.

A file says nothing about itself, so everything is judged by shape, and in doubt by joining:
a paragraph too long is heard as it was meant, a sentence cut in two is not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from studio.book.coverage import Ledger, count
from studio.book.kinds import Kind
from studio.book.manuscript import Block, Manuscript
from studio.book.markers import is_marker
from studio.book.marks import CLOSING_QUOTES, DIALOGUE_DASHES, OPENING_QUOTES, decorative, speakable
from studio.book.policies import Policies
from studio.book.readers import headings
from studio.book.readers.aozora import without_readings
from studio.book.readers.blocks import (
    heading,
    looks_like_verse,
    paragraph,
    tidied,
    tidy,
    unspaced,
    verse,
)
from studio.book.readers.chapters import Start
from studio.book.readers.contents import without_page
from studio.book.readers.encoding import CONTROLS, as_meant, decode_text
from studio.book.readers.finishing import TEXT, Document, Draft, finish, seen
from studio.book.readers.furniture import without_furniture
from studio.book.readers.hyphens import hyphen_between, words_of
from studio.book.readers.reading import Progress
from studio.book.readers.text_chapters import Run, chapter_runs
from studio.book.readers.text_notes import without_notes
from studio.book.rules_of_reading import WHY

_NEW_LINE = re.compile(r"\r\n|[\n\r\v\x1c-\x1e\x85\u2028\u2029]")
_MISREAD = re.compile("[\x80-\x84\x86-\x9f]")
"""Without one of these, U+0085 is what it says: the end of a line."""
_CUT_WORD = re.compile(r"([^\W\d_]{1,40})-$")
_WORD_REACH = 42
_REST_OF_WORD = re.compile(r"\s{0,40}([^\W\d_]{1,40})")
_WIDE = "\u3000"
_INDENT = re.compile(r"[ \t\u3000]{1,40}")
_NEW_ITEM = re.compile(rf"\s{{0,20}}(?:[{DIALOGUE_DASHES}]|(?:[-•*]|\(?\d{{1,3}}[.)])\s)")
_ENDED = re.compile(rf"[.!?…:。！？][{re.escape(CLOSING_QUOTES)})\]*_]{{0,4}}$")
_BEGINS = re.compile(rf"[*_]?[{re.escape(OPENING_QUOTES)}(\[¿¡—–…]|[^\W_a-zß-öø-ÿ]")
_WORD = re.compile(r"\S{1,200}")
_STATED = re.compile(r"(Title|Author): (.{1,200})")

_Words = Callable[[], frozenset[str]]
"""Gives all words of the text, for where a line's end has cut one."""

WIDEST_WRAP = 100
"""Lines longer than this are paragraphs of their own, not wrapped by an editor."""
NARROWEST_WRAP = 40
CONTENTS = "contents"
"""Id of the piece that is the list of contents."""


def read_text(
    data: bytes, name: str, policies: Policies, ticks: Mapping[str, bool], tell: Progress
) -> Manuscript:
    """Read a plain text file.

    Args:
        data: The file's bytes.
        name: The title to give it where it does not say one.
        policies: What of it is narrated.
        ticks: What a person chose, by piece.
        tell: Told how much of it is read, 0 to 1.

    Returns:
        Its chapters, by the headings that can be told from prose with confidence.
    """
    text = decode_text(data)
    if "\x85" in text and not _MISREAD.search(text):
        text = text.replace("\x85", "\n")
    text = CONTROLS.sub("", _NEW_LINE.sub("\n", as_meant(text)))
    ledger = Ledger()
    ledger.total = count(text)
    text, stated = _without_archive_notices(text, ledger)
    tell(0.2)
    text = without_readings(text, ledger)
    text = without_notes(without_furniture(text, ledger), ledger)
    tell(0.4)
    listed = ticks.get(CONTENTS) is True
    blocks, starts, titled, contents = _blocks(text, ledger, listed=listed)
    tell(0.9)
    title = stated.get("Title", name)
    if not titled or (starts and starts[0].at > 0):
        starts.append(Start(0, title))
    draft = Draft(
        title=title,
        author=stated.get("Author", ""),
        language="",
        documents=_documents(title, blocks, contents, starts, listed=listed),
        blocks=[block if block.piece else block.of(TEXT) for block in blocks],
        starts=starts,
        ledgers=[ledger],
        left_out=seen(ledger),
        front=policies.front,
    )
    return finish(draft, ticks)


def _documents(
    title: str,
    blocks: Sequence[Block],
    contents: tuple[int, int],
    starts: Sequence[Start],
    *,
    listed: bool,
) -> list[Document]:
    """What the chapter picker is told: the text, and its list of contents, which may be ticked."""
    said = sum(count(block.text) for block in blocks if block.piece != CONTENTS)
    text = Document(TEXT, title, said)
    characters, at = contents
    if not characters:
        return [text]
    behind = len({start.at for start in starts if start.at < at} | ({0} if at else set()))
    why = WHY["contents list"]
    return [Document(CONTENTS, "Contents", characters, listed, why, behind), text]


def _blocks(
    text: str, ledger: Ledger, *, listed: bool
) -> tuple[list[Block], list[Start], bool, tuple[int, int]]:
    """The blocks of a text, where chapters start, whether it has headings, and its contents.

    Args:
        text: The text.
        ledger: Takes the account of what is left out.
        listed: Whether lists of contents are read.

    Returns:
        Of the contents, the characters, and how many blocks stand before the first of them.
    """
    words = cache(partial(words_of, text))
    lines = [unspaced(line) for line in text.split("\n")]
    runs = list(_runs(lines))
    width = _wrap_width(runs)
    found = chapter_runs(runs)
    contents = place = 0
    blocks: list[Block] = []
    starts: list[Start] = []
    titled = False
    for index, run in enumerate(runs):
        if index not in found:
            blocks += _paragraphs(run.lines, width, words, ledger)
            continue
        kind, size = found[index]
        head, rest = run.lines[:size], run.lines[size:]
        if kind == "contents":
            characters = sum(map(count, head))
            place = place if contents else len(blocks)
            if listed:
                blocks += _contents(head, ledger)
            else:
                ledger.skip("contents list", characters, 0 if contents else 1)
            contents += characters
            continue
        if kind == "chapter":
            starts.append(Start(len(blocks), ""))
        blocks += heading(head if kind == "chapter" else [" ".join(head)], ledger)
        titled = True
        blocks += _paragraphs(rest, width, words, ledger) if rest else []
    return blocks, starts, titled, (contents, place)


def _contents(lines: Sequence[str], ledger: Ledger) -> list[Block]:
    """The lines of a list of contents, each without its page."""
    blocks = []
    for line in lines:
        title = without_page(line)
        ledger.skip("page number", count(line) - count(title), 0)
        if (text := tidy(title, ledger)) and speakable(text):
            blocks.append(Block(Kind.PROSE, text, piece=CONTENTS))
        else:
            ledger.skip("paragraph without words", count(text))
    return blocks


def _without_archive_notices(text: str, ledger: Ledger) -> tuple[str, dict[str, str]]:
    """Take off the notices a well-known archive puts around a book, and read title and author."""
    start = headings.ARCHIVE_START.search(text, 0, 20_000)
    if not start:
        return text, {}
    stated = {match[1]: tidied(match[2]) for match in _STATED.finditer(text, 0, start.start())}
    end = headings.ARCHIVE_END.search(text, start.end())
    stop = end.start() if end else len(text)
    first = headings.makers_end(text, start.end(), stop)
    ledger.skip("archive's notices", count(text[:first]) + count(text[stop:]))
    return text[first:stop], stated


def _runs(lines: Sequence[str]) -> Iterator[Run]:
    """The stretches of lines between blank ones, and from one chapter's name to the next."""
    gathered: list[str] = []
    blanks = before = 2
    for at, line in enumerate(lines):
        if is_marker(line):
            # A marker alone is no part of what it stands beside.
            if gathered:
                yield Run(gathered, before)
                gathered, blanks = [], 1
            yield Run([line], blanks)
        elif line.strip():
            if gathered and _begins_chapter(lines, at):
                yield Run(gathered, before)
                gathered, blanks = [], 1
            if not gathered:
                before = blanks
            gathered.append(line.expandtabs(8).rstrip())
            blanks = 0
        else:
            if gathered:
                yield Run(gathered, before)
                gathered = []
            blanks += 1
    if gathered:
        yield Run(gathered, before)


def _begins_chapter(lines: Sequence[str], at: int) -> bool:
    """Whether a line names a chapter where no blank line parts it from the text before it."""
    if not _ENDED.search(lines[at - 1].rstrip()) or not headings.is_chapter_line(lines[at]):
        return False
    near = (lines[at - 1], lines[at + 1] if at + 1 < len(lines) else "")
    # Side by side they are a list.
    return not any(map(headings.is_chapter_line, near))


def _wrap_width(runs: Sequence[Run]) -> int:
    """The width an editor wrapped the lines at; 0 where lines are paragraphs."""
    lengths = sorted(len(line) for run in runs if len(run.lines) > 1 for line in run.lines)
    if not lengths:
        return 0
    width = lengths[int(len(lengths) * 0.95)]
    return 0 if width > WIDEST_WRAP else max(width, NARROWEST_WRAP)


def _paragraphs(lines: Sequence[str], width: int, words: _Words, ledger: Ledger) -> list[Block]:
    """The blocks of a run of lines that is no heading."""
    if looks_like_verse(lines) and width != 0 and max(map(len, lines)) <= width * 0.85:
        return verse(lines, ledger)
    blocks: list[Block] = []
    for raw in _joined(lines, width, words, ledger):
        text = tidy(raw, ledger)
        block = paragraph(text)
        if block is not None:
            blocks.append(block)
        if block is None or block.kind is Kind.SCENE_BREAK:
            rule = "paragraph without words" if block is None else "scene break mark"
            ledger.skip(rule, count(text))
    return blocks


def _joined(lines: Sequence[str], width: int, words: _Words, ledger: Ledger) -> Iterator[str]:
    """Wrapped lines joined; a new paragraph where a line ends early and the next begins one."""
    indents = {bool(_INDENT.match(line)) for line in lines[1:]}
    # Chinese and Japanese paragraphs open with a wide blank, wrapped or not.
    indented = len(indents) > 1 or any(line.startswith(_WIDE) for line in lines[1:])
    parts: list[str] = []
    end = previous = ""
    for line in lines:
        if parts and _parts(previous, line, width, indented):
            yield "".join(parts)
            parts, end = [], ""
        between = " " if parts else ""
        if (left := _CUT_WORD.search(end)) and (right := _REST_OF_WORD.match(line)):
            between = hyphen_between(left[1], right[1], words())
            if not between:
                ledger.skip("hyphen at a line's end", 1)
            parts[-1] = parts[-1][:-1]
            end = end[:-1]
        said = line.strip()
        parts += [between, said]
        end = (end + between + said)[-_WORD_REACH:]
        previous = line
    yield "".join(parts)


def _parts(before: str, line: str, width: int, indented: bool) -> bool:
    """Whether a paragraph ends between two lines that no blank line parts."""
    if width == 0 or decorative(before) or decorative(line):
        return True
    ended = _ENDED.search(before.rstrip()) is not None
    if _NEW_ITEM.match(line):
        return ended or _NEW_ITEM.match(before) is not None
    if indented and _INDENT.match(line):
        return ended or line.startswith(_WIDE)
    word = _WORD.search(line)
    fits = len(before) + 1 + (len(word[0]) if word else 0) <= width - 2
    return fits and ended and _BEGINS.match(line.strip()) is not None
