"""XHTML and HTML become one small tree, with nothing lost and nothing expanded.

Well-formed pages go through lxml in strict mode; its recovering mode is never used, because it
drops the rest of a page without a word. Whatever strict mode refuses goes through lexbor, which
reads pages as browsers do. No entity can be defined: the DOCTYPE is removed before parsing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from types import MappingProxyType
from typing import Any

from studio.book.readers import entities
from studio.book.readers.encoding import as_meant, decode_markup
from studio.errors import BadInput

MAX_DEPTH = 10_000
"""Elements inside elements; real books stay under a hundred."""
MAX_TAGS = 250_000
"""Tags of one page; each costs time and memory. *War and Peace* as one page has 25,000."""
UNRESOLVED = "unresolved"
"""Name of the element around an entity that stands for nothing we know."""

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_PROLOG = re.compile(r"[\s\ufeff]*<\?xml[^>]{0,400}>\s*")
_DOCTYPE_START = re.compile("<!DOCTYPE", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,2000}(?:\[.*?\]\s{0,200})?>", re.DOTALL | re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufdd0\ufdd1\ufffe\uffff]")
_SELF_CLOSED = re.compile(r"<((?:[\w-]{1,40}:)?([\w-]{1,40}))((?:\s[^<>]{0,2000}+)?)(?:(?<=/)|/)>")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40}+)[^<>]{0,2000}+>")
_OPS = "{http://www.idpf.org/2007/ops}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
MAX_ATTRIBUTES = 250
"""Attributes of one element; parsers compare each with all others of it."""
MAX_WORDS_IN_TAGS = 1_000_000
"""Blanks and slashes in all tags of a page, between which attributes may stand."""
_ATTRIBUTE = (
    r"(?:[\s/]*+[^\s/>][^\s/>=]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s>\"'][^\s>]*+)?+)?+)"
)
_CROWDED = re.compile(
    rf"<[A-Za-z][^\s/>]*+{_ATTRIBUTE}{{0,{MAX_ATTRIBUTES}}}+(?P<more>{_ATTRIBUTE})?+"
)
"""The start of any tag, as HTML parts its attributes, and whether it goes on after the last one."""
NO_ATTRIBUTES: Mapping[str, str] = MappingProxyType({})
"""Shared by all elements without any, which is most."""
_TYPED = frozenset(("epub:type", "role"))
_UNTYPED: frozenset[str] = frozenset()
_GLANCE = 200
"""Nodes that are looked at where only a short text matters."""


@dataclass(slots=True)
class Node:
    """One element."""

    tag: str
    """Local name in small letters."""
    attributes: Mapping[str, str]
    children: list[Node | str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """Its id, or the name of an old-style anchor."""
        return self.attributes.get("id") or (
            self.attributes.get("name", "") if self.tag == "a" else ""
        )

    @property
    def types(self) -> frozenset[str]:
        """What it says it is: `epub:type`, and ARIA role without its ``doc-``."""
        if self.attributes is NO_ATTRIBUTES or not _TYPED & self.attributes.keys():
            return _UNTYPED
        said = f"{self.attributes.get('epub:type', '')} {self.attributes.get('role', '')}"
        return frozenset(word.removeprefix("doc-") for word in said.lower().split())

    @property
    def classes(self) -> str:
        """Its class names in small letters."""
        return self.attributes.get("class", "").lower()

    @property
    def language(self) -> str:
        """The language that it says it is in, or empty."""
        return self.attributes.get("xml:lang") or self.attributes.get("lang", "")

    def walk(self) -> Iterator[Node]:
        """This element and all below it, in document order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            if node.children:
                waiting += [child for child in reversed(node.children) if isinstance(child, Node)]

    def find(self, *tags: str) -> Iterator[Node]:
        """The elements with one of these names, in document order."""
        return (node for node in self.walk() if node.tag in tags)

    def text(self) -> str:
        """All text below it, as it stands."""
        return "".join(self.texts())

    def texts(self) -> Iterator[str]:
        """The texts below it, in document order."""
        waiting: list[Node | str] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                yield node
            elif node.children:
                waiting += reversed(node.children)

    def start(self, most: int) -> str:
        """The beginning of its text, without blanks before it; cheap for any element.

        Args:
            most: Characters that are enough; a text as long as this may go on.
        """
        text = ""
        waiting: list[Node | str] = [self]
        for _ in range(_GLANCE):
            if not waiting:
                break
            node = waiting.pop()
            if not isinstance(node, str):
                waiting.extend(reversed(node.children[:_GLANCE]))
                continue
            text = (text + node[: most + _GLANCE]).lstrip()
            if len(text) >= most:
                return text[:most]
        return text if not waiting else text.ljust(most, "…")

    def near(self) -> Iterator[Node]:
        """This element and those below it that a glance meets, in document order."""
        waiting = [self]
        for _ in range(_GLANCE):
            if not waiting:
                return
            node = waiting.pop()
            yield node
            waiting.extend(
                child for child in reversed(node.children[:_GLANCE]) if isinstance(child, Node)
            )


def parse(data: bytes, name: str) -> Node:
    """Read a page.

    Args:
        data: The file's bytes, XML or HTML, in any encoding.
        name: The file's name, for messages.

    Returns:
        Its root element.

    Raises:
        BadInput: The page has more elements or attributes than any, or nests them deeper.
    """
    return parse_text(decode_markup(data), name)


def parse_text(text: str, name: str) -> Node:
    """Read a page that has been decoded; see `parse`."""
    text, doctype = _without_prolog(text)
    text = entities.resolved(_CONTROLS.sub(" ", text), doctype)
    if text.count("<") + text.count("\ufdd0") > MAX_TAGS:
        raise BadInput(
            f"{name} has more than {MAX_TAGS:,} elements, which no page of a book has. "
            "Export the book again from the program it came from."
        )
    if crowded(text):
        raise BadInput(
            f"{name} has more attributes at its elements than any page of a book. "
            "Export the book again from the program it came from."
        )
    if _depth(text) > MAX_DEPTH:
        raise BadInput(
            f"{name} nests elements more than {MAX_DEPTH:,} deep, which no book does. "
            "Export the book again from the program it came from."
        )
    root = _strict(text)
    if root is None or not (
        any(any(map(str.isalnum, said)) for said in root.texts())
        or not re.search(r">[^<]{0,999}\w", text)
    ):
        root = _as_browsers_do(text)
    if doctype:
        _mark_unresolved(root)
    return root


def crowded(text: str) -> bool:
    """Whether an element has more than `MAX_ATTRIBUTES`, or all together too many words in tags."""
    words = 0
    for tag in _CROWDED.finditer(text):
        words += tag[0].count(" ") + tag[0].count("\n") + tag[0].count("/")
        if tag["more"] or words > MAX_WORDS_IN_TAGS:
            return True
    return False


def _without_prolog(text: str) -> tuple[str, str]:
    """A page without declaration and DOCTYPE, so that nothing can be defined in it; and that."""
    text = _PROLOG.sub("", text, count=1)
    start = _DOCTYPE_START.search(text)
    doctype = _DOCTYPE.match(text, start.start()) if start else None
    if not doctype:
        return text, ""
    return text[: doctype.start()] + text[doctype.end() :], doctype[0]


def _mark_unresolved(root: Node) -> None:
    """Put elements around the references that stand for nothing we know."""
    for node in root.walk():
        if not any(isinstance(child, str) and "\ufdd0" in child for child in node.children):
            continue
        children: list[Node | str] = []
        for child in node.children:
            if isinstance(child, Node):
                children.append(child)
                continue
            for number, part in enumerate(entities.UNRESOLVED.split(child)):
                if number % 2:
                    children.append(Node(UNRESOLVED, NO_ATTRIBUTES, [f"&{part};"]))
                elif part:
                    children.append(part)
        node.children = children


def _depth(text: str) -> int:
    """How deep elements nest, as far as the tags tell."""
    depth = deepest = 0
    for match in _TAG.finditer(text):
        if match[1]:
            depth = max(0, depth - 1)
        elif match[0][-2] != "/" and match[2].lower() not in _VOID:
            depth += 1
            deepest = max(deepest, depth)
    return deepest


def _strict(text: str) -> Node | None:
    """The tree of a well-formed page, or None."""
    from lxml import etree

    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
    outside = Node("", NO_ATTRIBUTES)
    open_nodes = [outside]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            node = Node(
                element.tag.rpartition("}")[2].lower(),
                {_attribute(str(key)): str(value) for key, value in element.attrib.items()}
                or NO_ATTRIBUTES,
            )
            open_nodes[-1].children.append(node)
            open_nodes.append(node)
            if element.text:
                node.children.append(as_meant(element.text))
        else:
            open_nodes.pop()
            if element.tail:
                open_nodes[-1].children.append(as_meant(element.tail))
    first = outside.children[0]
    return first if isinstance(first, Node) else None


def _attribute(name: str) -> str:
    """An attribute's name as pages write it."""
    return name.replace(_OPS, "epub:").replace(_XML, "xml:").rpartition("}")[2].lower()


def _own_name(name: str) -> str:
    """An attribute's name as `_attribute` gives it, from a parser that knows no namespaces."""
    name = name.lower()
    return name if name.startswith(("epub:", "xml:")) else name.rpartition(":")[2]


def _as_browsers_do(text: str) -> Node:
    """The tree of any page at all."""
    from selectolax.lexbor import LexborHTMLParser

    text = _SELF_CLOSED.sub(_open_and_close, entities.without_sections(text))
    root = Node("html", NO_ATTRIBUTES)
    open_nodes = [root]
    element: Any = LexborHTMLParser(text).root
    while element is not None:
        below = None
        if element.is_text_node:
            open_nodes[-1].children.append((element.text_content or "").replace("\0", ""))
        elif element.is_element_node:
            node = Node(
                element.tag.rpartition(":")[2].lower(),
                {_own_name(key): value or "" for key, value in element.attributes.items()}
                or NO_ATTRIBUTES,
            )
            open_nodes[-1].children.append(node)
            below = element.first_child
            if below is not None:
                open_nodes.append(node)
        if below is None:
            # Back up to the nearest element with a sibling; the root has none that counts.
            while len(open_nodes) > 1 and element.next is None:
                element = element.parent
                open_nodes.pop()
            below = element.next if len(open_nodes) > 1 else None
        element = below
    _join_texts(root)
    return root


def _join_texts(root: Node) -> None:
    """Make one text of those that only a comment parts."""
    for node in root.walk():
        if any(isinstance(child, str) for child in node.children):
            children: list[Node | str] = []
            for kind, group in groupby(node.children, type):
                if kind is str:
                    children.append(as_meant("".join(map(str, group))))
                else:
                    children.extend(group)
            node.children = children


def _open_and_close(match: re.Match[str]) -> str:
    """``<x/>`` as ``<x></x>``: in HTML a slash closes nothing."""
    if match[2].lower() in _VOID:
        return match[0]
    return f"<{match[1]}{match[3].removesuffix('/')}></{match[1]}>"
