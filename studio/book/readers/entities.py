"""Entities become characters, and nothing else: none is fetched, none grows without bound.

HTML's own names are known. What a page's DOCTYPE declares counts where it is plain text; what
stands for a file, for markup or for other entities is marked, so that the walk can account for
it. A name that nobody declared is no entity but text, as browsers read it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from html.entities import html5

UNRESOLVED = re.compile("\ufdd0([\\w.:-]{1,60})\ufdd1")
"""A reference that stands for nothing we know, as it is marked in the text."""

_XML_ENTITIES = frozenset(("amp", "lt", "gt", "quot", "apos"))
_REFERENCE = re.compile(r"&([A-Za-z_][\w.:-]{0,59});")
_DECLARED = re.compile(r"<!ENTITY\s{1,40}([A-Za-z_][\w.:-]{0,59})\s")
_PLAIN = re.compile(
    r"<!ENTITY\s{1,40}([A-Za-z_][\w.:-]{0,59})\s{1,40}"
    r"(?:\"([^\"<%]{0,500})\"|'([^'<%]{0,500})')\s{0,40}>"
)
_MOST_ADDED = 1_000_000
"""Characters that a page's own entities may add, all together."""


def resolved(text: str, doctype: str) -> str:
    """A page's markup with its named entities as characters.

    Args:
        text: Markup without its DOCTYPE.
        doctype: The DOCTYPE that it had.
    """
    if "&" not in text:
        return text
    declared = frozenset(_DECLARED.findall(doctype))
    plain = _plain(doctype) if declared else {}
    room = _MOST_ADDED

    def character(match: re.Match[str]) -> str:
        nonlocal room
        name = match[1]
        if name in _XML_ENTITIES:
            return match[0]
        known = html5.get(f"{name};")
        if known is None and name in plain and len(plain[name]) <= room:
            known = plain[name]
            room -= len(known)
        if known is not None:
            return html.escape(known)
        return f"\ufdd0{name}\ufdd1" if name in declared else f"&amp;{match[0][1:]}"

    return _outside_sections(text, lambda part: _REFERENCE.sub(character, part))


def _plain(doctype: str) -> dict[str, str]:
    """The entities that stand for plain text."""
    found: dict[str, str] = {}
    for match in _PLAIN.finditer(doctype):
        value = html.unescape(match[2] if match[2] is not None else match[3])
        if not _REFERENCE.search(value):
            found.setdefault(match[1], value)
    return found


def without_sections(text: str) -> str:
    """Markup with its CDATA sections as plain text."""
    return _outside_sections(text, lambda part: part, html.escape)


def _outside_sections(
    text: str, change: Callable[[str], str], inside: Callable[[str], str] | None = None
) -> str:
    """A text changed but for its CDATA sections, where nothing is an entity.

    Args:
        text: Markup.
        change: Applied outside sections.
        inside: Applied to what a section holds, which then is no section any more.
    """
    parts = []
    at = 0
    while (start := text.find("<![CDATA[", at)) >= 0:
        end = text.find("]]>", start)
        if end < 0:
            break
        parts.append(change(text[at:start]))
        at = end + 3
        parts.append(inside(text[start + 9 : end]) if inside else text[start:at])
    return "".join([*parts, change(text[at:])])
