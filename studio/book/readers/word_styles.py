"""What a Word document's styles and runs say: titles, lists of contents, languages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from studio.book.coverage import count
from studio.book.languages import language_tag
from studio.book.marks import fold
from studio.book.readers.contents import is_contents_head

if TYPE_CHECKING:
    from lxml.etree import _Element

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_TITLE_LENGTH = 1_000
_MOST_BASES = 20
_BODY_TEXT = 9
"""The level of outline of what is no heading."""
_DEEPEST = 6
_NO_HEADINGS = frozenset(("title", "subtitle", "toc heading"))
LANGUAGE_MARK = "rhapsode-language-"
"""Start of the names of bookmarks by which a paragraph's language comes through the converter."""


@dataclass(slots=True)
class Styles:
    """A document's styles, by id."""

    listed: set[str] = field(default_factory=set)
    """In which the lines of a list of contents are set."""
    heads: set[str] = field(default_factory=set)
    """In which its heading is set."""
    titles: set[str] = field(default_factory=set)
    """In which the document's title is set."""
    levels: dict[str, int] = field(default_factory=dict)
    """The level of heading that a style has, 1 to 9; 0 where it says that it has none."""
    languages: dict[str, str] = field(default_factory=dict)
    """The language that a style sets."""
    default: str = ""
    """The language of what sets none."""


def styles_of(root: _Element) -> Styles:
    """What the part of a document that holds its styles says.

    Args:
        root: The tree of ``word/styles.xml``.
    """
    styles = Styles()
    bases: dict[str, str] = {}
    for lang in root.iterfind(f"{_W}docDefaults/{_W}rPrDefault/{_W}rPr/{_W}lang"):
        styles.default = _tag(lang)
    for style in root.iterfind(f"{_W}style"):
        name, key = _value(style, "name").lower(), style.get(f"{_W}styleId", "")
        if name.startswith("toc ") and name[4:].isdigit():
            styles.listed.add(key)
        elif name == "toc heading":
            styles.heads.add(key)
        elif name == "title":
            styles.titles.add(key)
        bases[key] = _value(style, "basedOn")
        if (level := _level(style, name)) is not None:
            styles.levels[key] = level
        if (lang_ := style.find(f"{_W}rPr/{_W}lang")) is not None and _tag(lang_):
            styles.languages[key] = _tag(lang_)
    _inherit(styles.languages, bases)
    _inherit(styles.levels, bases)
    return styles


def _level(style: _Element, name: str) -> int | None:
    """The level of heading that a style says itself, by its name or its outline; None for none."""
    if name.startswith("heading ") and name[8:].isdigit():
        return int(name[8:])
    outline = _value(style, "pPr/outlineLvl")
    if outline.isdigit():
        return int(outline) + 1 if int(outline) < _BODY_TEXT else 0
    # What has a meaning of its own is no heading, whatever it is based on.
    return 0 if name in _NO_HEADINGS or name.startswith("toc ") else None


def _inherit(said: dict[str, Any], bases: Mapping[str, str]) -> None:
    """Give each style what the nearest style that it is based on says."""
    for key in bases:
        base = key
        for _ in range(_MOST_BASES):
            if not base or base in said:
                break
            base = bases.get(base, "")
        if base in said:
            said[key] = said[base]


def mark_headings(root: _Element, styles: Styles) -> None:
    """Set what is a heading by its outline, or by what its style is based on, as the converter
    knows headings.

    Args:
        root: The tree of a part of the document.
        styles: Its styles.
    """
    for paragraph in root.iter(f"{_W}p"):
        outline = _value(paragraph, "pPr/outlineLvl")
        style = paragraph.find(f"{_W}pPr/{_W}pStyle")
        level = styles.levels.get("" if style is None else str(style.get(f"{_W}val", "")), 0)
        if outline.isdigit():
            level = int(outline) + 1 if int(outline) < _BODY_TEXT else level
        if not level or not text_of(paragraph):
            continue
        if style is None:
            style = paragraph.makeelement(f"{_W}pStyle", {})
            paragraph.find(f"{_W}pPr").insert(0, style)  # type: ignore[union-attr]
        style.set(f"{_W}val", f"Heading{min(level, _DEEPEST)}")


def join_runs(root: _Element) -> None:
    """Join runs that differ in nothing: editing cuts words into many, and each costs time.

    Args:
        root: The tree of a part of the document.
    """
    kept: _Element | None = None
    told: object = None
    texts: list[_Element] = []

    def close() -> None:
        if len(texts) > 1:
            texts[0].text = "".join(text.text or "" for text in texts)
            texts[0].set(_SPACE, "preserve")

    for run in list(root.iter(f"{_W}r")):
        plain = _plain_text(run)
        if plain is not None and run.getprevious() is kept and kept is not None:
            if plain[0] == told:
                texts.append(plain[1])
                parent = run.getparent()
                assert parent is not None
                parent.remove(run)
                continue
        close()
        kept, told, texts = (None, None, []) if plain is None else (run, plain[0], [plain[1]])
    close()


_SPACE = "{http://www.w3.org/XML/1998/namespace}space"


def _plain_text(run: _Element) -> tuple[list[tuple[str, list[tuple[str, str]]]], _Element] | None:
    """The properties of a run that holds one text and nothing else, and the text; else None."""
    children = list(run)
    if not children or children[-1].tag != f"{_W}t" or len(children) > 2:
        return None
    properties = children[0] if len(children) == 2 else None
    if properties is None:
        return [], children[-1]
    if properties.tag != f"{_W}rPr":
        return None
    told = [
        (str(each.tag), sorted(map(_as_text, each.attrib.items()))) for each in properties.iter()
    ]
    return told[1:], children[-1]


def _as_text(item: tuple[str | bytes, str | bytes]) -> tuple[str, str]:
    return str(item[0]), str(item[1])


def heads_of_contents(root: _Element, styles: Styles) -> set[_Element]:
    """The headings of lists of contents: they go with the lists.

    Args:
        root: The tree of a part of the document.
        styles: Its styles.
    """
    found: set[_Element] = set()
    before: _Element | None = None
    for paragraph in root.iter(f"{_W}p"):
        style = _value(paragraph, "pPr/pStyle")
        text = text_of(paragraph)
        if style in styles.listed and before is not None:
            styled = _value(before, "pPr/pStyle") in styles.heads
            if styled or is_contents_head(text_of(before)):
                found.add(before)
        if text:
            before = None if style in styles.listed else paragraph
    return found


def title_in(root: _Element, styles: Styles) -> str:
    """The text of the first paragraph in the style of titles, or empty."""
    for paragraph in root.iter(f"{_W}p"):
        if _value(paragraph, "pPr/pStyle") in styles.titles and (text := text_of(paragraph)):
            return text
    return ""


def text_of(element: _Element) -> str:
    """The start of an element's text, on one line."""
    parts: list[str] = []
    size = 0
    for node in element.iter(f"{_W}t", f"{_W}tab", f"{_W}br"):
        parts.append((node.text or "") if node.tag == f"{_W}t" else " ")
        size += len(parts[-1])
        if size > _TITLE_LENGTH:
            break
    return fold("".join(parts))[:_TITLE_LENGTH]


def mark_languages(roots: Iterable[_Element], styles: Styles, stated: str) -> str:
    """Mark the paragraphs in another language than the document's, for the converter.

    Args:
        roots: The parts of the document.
        styles: Its styles.
        stated: The language that it states beside its text, or empty.

    Returns:
        The language of the document: what it states, else that of most of its text.
    """
    spoken = _paragraph_languages(roots, styles)
    sizes: Counter[str] = Counter()
    for tongues in spoken.values():
        for tag, size in tongues.items():
            sizes[tag or styles.default] += size
    language = stated or styles.default
    most = sizes.most_common(1)[0][0] if sizes else ""
    if not stated and most and _primary(most) != _primary(language):
        language = most
    # What sets no language is in the default one, unless the document states another.
    silent = "" if stated else styles.default
    for paragraph, tongues in spoken.items():
        said = {tag or silent for tag in tongues}
        if len({_primary(tag) for tag in said}) != 1:
            continue
        tag = min(said)
        if tag and _primary(tag) != _primary(language):
            _mark(paragraph, tag)
    return language


def _paragraph_languages(roots: Iterable[_Element], styles: Styles) -> dict[_Element, Counter[str]]:
    """How many characters of each paragraph are in which language; empty for the default."""
    found: dict[_Element, Counter[str]] = {}
    for root in roots:
        for run in root.iter(f"{_W}r"):
            size = sum(count(node.text or "") for node in run.iterfind(f"{_W}t"))
            paragraph = next(run.iterancestors(f"{_W}p"), None) if size else None
            if paragraph is not None:
                tag = _run_language(run, paragraph, styles)
                found.setdefault(paragraph, Counter())[tag] += size
    return found


def _run_language(run: _Element, paragraph: _Element, styles: Styles) -> str:
    """The language that a run is set in; empty where nothing says."""
    own = run.find(f"{_W}rPr/{_W}lang")
    return (
        (_tag(own) if own is not None else "")
        or styles.languages.get(_value(run, "rPr/rStyle"), "")
        or styles.languages.get(_value(paragraph, "pPr/pStyle"), "")
    )


def _mark(paragraph: _Element, tag: str) -> None:
    """Put a bookmark that names a language at the start of a paragraph."""
    from lxml import etree

    mark = etree.Element(f"{_W}bookmarkStart")
    mark.set(f"{_W}name", LANGUAGE_MARK + tag)
    paragraph.insert(0 if paragraph.find(f"{_W}pPr") is None else 1, mark)


def _tag(lang: _Element) -> str:
    """The language that an element sets; empty for “none”."""
    tag = language_tag(lang.get(f"{_W}val", ""))
    return "" if tag.lower().startswith(("x-", "zxx", "und")) else tag


def _primary(tag: str) -> str:
    return tag.partition("-")[0].lower()


def _value(element: _Element, path: str) -> str:
    """The value of an element below another, or empty."""
    found = element.find("/".join(f"{_W}{part}" for part in path.split("/")))
    return "" if found is None else str(found.get(f"{_W}val", ""))
