"""XHTML and HTML become one small tree, with nothing lost and nothing expanded.

Well-formed pages go through lxml in strict mode; its recovering mode is never used, because it
drops the rest of a page without a word. Whatever strict mode refuses goes through lexbor, which
reads pages as browsers do. No entity can be defined: the DOCTYPE is removed before parsing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.entities import html5
from typing import Any

from studio.book.readers.encoding import decode_markup
from studio.errors import BadInput

MAX_DEPTH = 10_000
"""Elements inside elements; real books stay under a hundred."""

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_XML_ENTITIES = frozenset(("amp", "lt", "gt", "quot", "apos"))
_ENTITY = re.compile(r"&([A-Za-z][A-Za-z0-9]{0,31});")
_PROLOG = re.compile(r"[\s\ufeff]*<\?xml[^>]{0,400}>\s*")
_DOCTYPE_START = re.compile("<!DOCTYPE", re.IGNORECASE)
_DOCTYPE = re.compile(r"<!DOCTYPE[^>\[]{0,2000}(?:\[.*?\]\s{0,200})?>", re.DOTALL | re.IGNORECASE)
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)
_SELF_CLOSED = re.compile(r"<((?:[\w-]{1,40}:)?([\w-]{1,40}))((?:\s[^<>]{0,2000})?)/>")
_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,40})[^<>]{0,2000}?(/?)>")
_OPS = "{http://www.idpf.org/2007/ops}"
_XML = "{http://www.w3.org/XML/1998/namespace}"


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
        said = f"{self.attributes.get('epub:type', '')} {self.attributes.get('role', '')}"
        return frozenset(word.removeprefix("doc-") for word in said.lower().split())

    @property
    def classes(self) -> str:
        """Its class names in small letters."""
        return self.attributes.get("class", "").lower()

    def walk(self) -> Iterator[Node]:
        """This element and all below it, in document order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(child for child in reversed(node.children) if isinstance(child, Node))

    def find(self, *tags: str) -> Iterator[Node]:
        """The elements with one of these names, in document order."""
        return (node for node in self.walk() if node.tag in tags)

    def text(self) -> str:
        """All text below it, as it stands."""
        parts: list[str] = []
        waiting: list[Node | str] = [self]
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                parts.append(node)
            else:
                waiting.extend(reversed(node.children))
        return "".join(parts)


def parse(data: bytes, name: str) -> Node:
    """Read a page.

    Args:
        data: The file's bytes, XML or HTML, in any encoding.
        name: The file's name, for messages.

    Returns:
        Its root element.

    Raises:
        BadInput: The page is nested deeper than `MAX_DEPTH`.
    """
    return parse_text(decode_markup(data), name)


def parse_text(text: str, name: str) -> Node:
    """Read a page that has been decoded; see `parse`."""
    text = _CONTROLS.sub(" ", _without_prolog(text))
    text = _ENTITY.sub(_named_entity, text)
    if _depth(text) > MAX_DEPTH:
        raise BadInput(
            f"{name} nests elements more than {MAX_DEPTH:,} deep, which no book does. "
            "Export the book again from the program it came from."
        )
    root = _strict(text)
    if root is not None and (
        any(map(str.isalnum, root.text())) or not re.search(r">[^<]{0,999}\w", text)
    ):
        return root
    return _as_browsers_do(text)


def _without_prolog(text: str) -> str:
    """A page without declaration and DOCTYPE, so that nothing can be defined in it."""
    text = _PROLOG.sub("", text, count=1)
    start = _DOCTYPE_START.search(text)
    doctype = _DOCTYPE.match(text, start.start()) if start else None
    return text[: doctype.start()] + text[doctype.end() :] if doctype else text


def _named_entity(match: re.Match[str]) -> str:
    """HTML's named entities as characters; what a DOCTYPE defined is gone and stays gone."""
    if match[1] in _XML_ENTITIES:
        return match[0]
    return html.escape(html5.get(f"{match[1]};", ""))


def _depth(text: str) -> int:
    """How deep elements nest, as far as the tags tell."""
    depth = deepest = 0
    for match in _TAG.finditer(text):
        if match[1]:
            depth = max(0, depth - 1)
        elif not match[3] and match[2].lower() not in _VOID:
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
    outside = Node("", {})
    open_nodes = [outside]
    for event, element in etree.iterwalk(root, events=("start", "end")):
        if event == "start":
            node = Node(
                element.tag.rpartition("}")[2].lower(),
                {_attribute(str(key)): str(value) for key, value in element.attrib.items()},
            )
            open_nodes[-1].children.append(node)
            open_nodes.append(node)
            if element.text:
                node.children.append(element.text)
        else:
            open_nodes.pop()
            if element.tail:
                open_nodes[-1].children.append(element.tail)
    first = outside.children[0]
    return first if isinstance(first, Node) else None


def _attribute(name: str) -> str:
    """An attribute's name as pages write it."""
    return name.replace(_OPS, "epub:").replace(_XML, "xml:").rpartition("}")[2].lower()


def _as_browsers_do(text: str) -> Node:
    """The tree of any page at all."""
    from selectolax.lexbor import LexborHTMLParser

    # Beyond the last end mark no section ends, and looking for one there costs too much.
    last = text.rfind("]]>")
    end = last + 3 if last >= 0 else 0
    text = _CDATA.sub(lambda match: html.escape(match[1]), text[:end]) + text[end:]
    text = _SELF_CLOSED.sub(_open_and_close, text)
    root = Node("html", {})
    open_nodes = [root]
    element: Any = LexborHTMLParser(text).root
    while element is not None:
        below = None
        if element.is_text_node:
            open_nodes[-1].children.append(element.text_content or "")
        elif element.is_element_node:
            node = Node(
                element.tag.rpartition(":")[2].lower(),
                {key.lower(): value or "" for key, value in element.attributes.items()},
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
    return root


def _open_and_close(match: re.Match[str]) -> str:
    """``<x/>`` as ``<x></x>``: in HTML a slash closes nothing."""
    if match[2].lower() in _VOID:
        return match[0]
    return f"<{match[1]}{match[3]}></{match[1]}>"
