"""Word documents: converted to a page by mammoth, and read as one.

Before that, what a reader of the document does not see is taken off: deleted text, hidden text,
Word's own list of contents. The account counts the document itself, so that what the converter
does not carry over is told, and not lost without a word.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from studio.book.coverage import Ledger, count
from studio.book.manuscript import Manuscript
from studio.book.marks import fold
from studio.book.policies import Policies
from studio.book.readers.archive import Archive
from studio.book.readers.elements import is_block
from studio.book.readers.encoding import as_meant
from studio.book.readers.markup import Node, crowded, parse_text
from studio.book.readers.notes import note_targets
from studio.book.readers.reading import Progress, Reading
from studio.book.readers.single import Stated, read_single
from studio.book.readers.word_styles import (
    LANGUAGE_MARK,
    Styles,
    heads_of_contents,
    join_runs,
    mark_headings,
    mark_languages,
    styles_of,
    title_in,
)
from studio.errors import BadInput

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_TEXT = re.compile(r"word/(?:document\d*|footnotes|endnotes)\.xml", re.IGNORECASE)
_NEEDED = re.compile(
    r"\[Content_Types\]\.xml|(?:word/)?_rels/.{1,80}\.rels|word/(?:styles|numbering)\.xml",
    re.IGNORECASE,
)
_STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Subtitle'] => h2:fresh
p[style-name='Quote'] => blockquote > p:fresh
p[style-name='Intense Quote'] => blockquote > p:fresh
"""
_OFF = frozenset(("0", "false", "off", "none"))
_DEEPEST = 200
_MOST_ELEMENTS = 3_000_000
MAX_PARTS = 100_000
"""Paragraphs, runs and cells; the converter takes a tenth of a millisecond and 4 kB for each. A
novel of a million words has some 60,000."""


def read_docx(
    name: str, data: Path | bytes, policies: Policies, ticks: Mapping[str, bool], tell: Progress
) -> Manuscript:
    """Read a Word document.

    Args:
        name: Its name.
        data: Where it is, or its bytes.
        policies: What is narrated.
        ticks: What a person chose, by piece.
        tell: Told how much of it is read, 0 to 1.

    Raises:
        BadInput: It is no Word document, it is damaged or locked.
    """
    ledger = Ledger()
    with Archive(name, data, "a Word document") as archive:
        if not any(map(_TEXT.fullmatch, archive.names())):
            raise BadInput(
                f"{name} is not a Word document, although its name says so. "
                "Open it in a word processor, and save it again as .docx."
            )
        cleaned, stated = _cleaned(archive, ledger)
    tell(0.2)
    root = _converted(cleaned, name)
    tell(0.6)
    _without_converters_marks(root)
    carried = sum(map(count, root.texts()))
    lost = ledger.total - ledger.left - carried
    if lost > 0:
        ledger.skip("lost in conversion", lost)
    elif lost < 0:
        ledger.add("numbers and signs of the converter", -lost)
    targets = frozenset(href.partition("#")[2] for href in note_targets(root))
    reading = Reading(policies=policies, note_ids=targets)
    return read_single(root, reading, stated, ticks, (), ledger, tell)


def _cleaned(archive: Archive, ledger: Ledger) -> tuple[bytes, Stated]:
    """The document as the converter is given it, and what it says about itself.

    It is small, without what nobody sees, and marked where another language is spoken.
    """
    styles = _styles(archive)
    made = io.BytesIO()
    parts = 0
    roots: dict[str, _Element] = {}
    with zipfile.ZipFile(made, "w") as file:
        for name in archive.names():
            if _TEXT.fullmatch(name):
                root = _tree(archive, name)
                join_runs(root)
                parts += sum(1 for _ in root.iter(f"{_W}p", f"{_W}r", f"{_W}tc"))
                if parts > MAX_PARTS:
                    raise BadInput(
                        f"{archive.name} has more than {MAX_PARTS:,} paragraphs, runs and cells, "
                        "which no book has. Divide it, or save it as HTML and import that."
                    )
                _clean(root, styles, ledger)
                roots[name] = root
            elif _NEEDED.fullmatch(name):
                file.writestr(name, archive.read(name))
        stated = _stated(archive, roots.values(), styles)
        for name, root in roots.items():
            mark_headings(root, styles)
            file.writestr(name, _written(root))
    return made.getvalue(), stated


def _written(root: _Element) -> bytes:
    """A part of the document as bytes."""
    from lxml import etree

    return bytes(etree.tostring(root, encoding="utf-8", xml_declaration=True))


def _clean(root: _Element, styles: Styles, ledger: Ledger) -> None:
    """Take off one part of the document what nobody sees."""
    ledger.total += _characters(root)
    _plainer(root, ledger)
    contents_heads = heads_of_contents(root, styles)
    for element in list(root.iter(f"{_W}*", f"{_MC}Choice")):
        rule = "contents list" if element in contents_heads else _unseen(element, styles.listed)
        parent = element.getparent()
        if rule is None or parent is None:
            continue
        if characters := _characters(element):
            ledger.skip(rule, characters)
        if element.tail:
            element.tail = None
        parent.remove(element)


def _plainer(root: _Element, ledger: Ledger) -> None:
    """Set what the converter would lose as it knows it: words above others, ends of pages."""
    for ruby in list(root.iter(f"{_W}ruby")):
        run = ruby.getparent()
        if run is None or run.tag != f"{_W}r":
            continue
        for part in ruby:
            if part.tag == f"{_W}rt":
                ledger.skip("ruby reading", _characters(part))
            elif part.tag == f"{_W}rubyBase":
                for base in list(part):
                    run.addprevious(base)
        run.remove(ruby)
    for line_end in root.iter(f"{_W}br"):
        line_end.attrib.pop(f"{_W}type", "")


def _tree(archive: Archive, name: str) -> _Element:
    """The tree of a part; nothing is fetched and nothing expanded."""
    from lxml import etree

    data = archive.read(name)
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=True
    )
    told = b"<!DOCTYPE" in data or b"<!ENTITY" in data
    if told or data.count(b"<") > _MOST_ELEMENTS or crowded(data.decode("utf-8", "replace")):
        raise _damaged(archive.name, name)
    try:
        root = etree.fromstring(data, parser)
    except (etree.XMLSyntaxError, ValueError) as fault:
        raise _damaged(archive.name, name) from fault
    depth = 0
    for event, _ in etree.iterwalk(root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        if depth > _DEEPEST:
            raise _damaged(archive.name, name)
    return root


def _damaged(book: str, name: str) -> BadInput:
    return BadInput(
        f"{book} is damaged: {name} in it cannot be read. "
        "Open it in a word processor, and save it again as .docx."
    )


def _unseen(element: _Element, listed: set[str]) -> str | None:
    """The rule by which a reader of the document does not see an element, or None."""
    tag = element.tag
    if tag in {f"{_W}del", f"{_W}moveFrom"}:
        return "deleted text"
    if tag == f"{_MC}Choice":
        return "alternative for programs" if element.getnext() is not None else None
    if tag == f"{_W}r":
        vanish = element.find(f"{_W}rPr/{_W}vanish")
        if vanish is not None and vanish.get(f"{_W}val", "1").lower() not in _OFF:
            return "hidden text"
    if tag == f"{_W}p":
        style = element.find(f"{_W}pPr/{_W}pStyle")
        if style is not None and style.get(f"{_W}val", "") in listed:
            return "contents list"
    if tag == f"{_W}sdt":
        gallery = element.find(f"{_W}sdtPr/{_W}docPartObj/{_W}docPartGallery")
        if gallery is not None and gallery.get(f"{_W}val") == "Table of Contents":
            return "contents list"
    return None


def _styles(archive: Archive) -> Styles:
    """The styles of a document, which need not have any."""
    name = archive.name_of("word/styles.xml")
    return styles_of(_tree(archive, name)) if name else Styles()


def _characters(element: _Element) -> int:
    """How many characters a part of the document has."""
    signs = (f"{_W}noBreakHyphen", f"{_W}softHyphen", f"{_W}sym")
    total = sum(1 for _ in element.iter(*signs))
    return total + sum(count(as_meant(text)) for text in _texts(element))


def _texts(element: _Element) -> Iterator[str]:
    """The texts of runs, deleted ones too."""
    for run in element.iter(f"{_W}t", f"{_W}delText"):
        yield run.text or ""


def _converted(data: bytes, name: str) -> Node:
    """The page that the converter makes of a document."""
    # Imported here: no other kind of file needs it.
    import mammoth

    def no_picture(_: Any) -> dict[str, str]:
        return {"src": ""}

    try:
        result = mammoth.convert_to_html(
            io.BytesIO(data),
            style_map=_STYLES,
            include_embedded_style_map=False,
            convert_image=mammoth.images.img_element(no_picture),
        )
    except Exception as fault:
        # The converter states no errors of its own; whatever it stumbles over is the document's.
        raise BadInput(
            f"{name} cannot be read as a Word document. "
            "Open it in a word processor, and save it again as .docx."
        ) from fault
    return parse_text(f"<html><body>{result.value}</body></html>", name)


def _without_converters_marks(root: Node) -> None:
    """Take off the numbers and arrows that the converter puts at notes."""
    for node in root.walk():
        kept: list[Node | str] = []
        for child in node.children:
            if isinstance(child, Node) and child.tag == "a":
                target = child.attributes.get("href", "")
                if re.match(r"#(?:foot|end)note-ref-", target):
                    continue
                if re.match(r"#(?:foot|end)note-", target) and "note-ref-" in child.id:
                    child.children = []
                    child.attributes = {**child.attributes, "epub:type": "noteref"}
            kept.append(child)
        node.children = _with_language(kept)


def _with_language(children: list[Node | str]) -> list[Node | str]:
    """What stands in a paragraph, inside of an element that has the language it is marked with."""
    for at, child in enumerate(children):
        if isinstance(child, Node) and child.tag == "a" and child.id.startswith(LANGUAGE_MARK):
            end = next(
                (n for n, one in enumerate(children) if isinstance(one, Node) and is_block(one)),
                len(children),
            )
            said = Node("span", {"lang": child.id.removeprefix(LANGUAGE_MARK)})
            said.children = children[at + 1 : end]
            return [*children[:at], said, *children[end:]]
    return children


def _stated(archive: Archive, roots: Collection[_Element], styles: Styles) -> Stated:
    """What a document says about itself."""
    title = author = language = ""
    if archive.name_of("docProps/core.xml"):
        core = archive.page(archive.name_of("docProps/core.xml"))
        told = {node.tag: fold(node.start(1_000)) for node in core.walk()}
        title, author = told.get("title", ""), told.get("creator", "")
        language = told.get("language", "")
    title = title or next((said for root in roots if (said := title_in(root, styles))), "")
    return Stated(title or Path(archive.name).stem, author, mark_languages(roots, styles, language))
