"""The characters of a book, counted without anything of the reader: another parser, no rules."""

from __future__ import annotations

import html
import posixpath
import re
import unicodedata
import zipfile
from html.entities import html5
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

from selectolax.lexbor import LexborHTMLParser

WHITE = {0x20, 0x85, 0xA0, 0x1680, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000}
WHITE |= {*range(9, 14), *range(0x2000, 0x200B)}
"""Unicode's White_Space."""
_XML = {"amp", "lt", "gt", "quot", "apos"}


def characters(text: str) -> int:
    """Code points that are no white space, in normal form C."""
    meant = "".join(
        bytes([ord(c)]).decode("cp1252", "ignore") or c if 0x80 <= ord(c) < 0xA0 else c
        for c in text
    )
    return sum(ord(c) not in WHITE and ord(c) >= 0x20 for c in unicodedata.normalize("NFC", meant))


def of_markup(data: bytes) -> int:
    """Characters of a page's text nodes: expat's, or lexbor's where it is not well formed."""
    text = data.decode("utf-8-sig")
    text = re.sub(r"<!DOCTYPE.*?>", "", text, count=1, flags=re.DOTALL)
    text = re.sub(
        r"&([A-Za-z]\w*);",
        lambda m: m[0] if m[1] in _XML else html5.get(f"{m[1]};", m[0]),
        text,
    )
    try:
        return characters("".join(ElementTree.fromstring(text.encode()).itertext()))
    except ElementTree.ParseError:
        text = re.sub(r"<!\[CDATA\[(.*?)\]\]>", lambda m: html.escape(m[1]), text, flags=re.DOTALL)
        text = re.sub(r"<(\w+)([^<>]*)/>", r"<\1\2></\1>", text)
        return characters(LexborHTMLParser(text).root.text(deep=True, separator=""))


def of_epub(path: Path) -> int:
    """Characters of the pages of an EPUB, and of letters that are drawn."""
    with zipfile.ZipFile(path) as book:
        container = ElementTree.fromstring(book.read("META-INF/container.xml"))
        package = next(e.get("full-path", "") for e in container.iter() if e.tag.endswith("file"))
        root = ElementTree.fromstring(book.read(package))
        names = []
        items = {e.get("id"): e for e in root.iter() if e.tag.endswith("}item")}
        listed = [items[e.get("idref")] for e in root.iter() if e.tag.endswith("}itemref")]
        for item in [*listed, *items.values()]:
            name = posixpath.normpath(
                posixpath.join(posixpath.dirname(package), unquote(item.get("href", "")))
            ).lstrip("./")
            is_nav = "nav" in (item.get("properties") or "")
            shown = item.get("media-type") == "application/xhtml+xml"
            if name not in names and shown and (item in listed or not is_nav):
                names.append(name)
        by_name = {name.lower(): name for name in book.namelist()}
        pages = [book.read(by_name[name.lower()]) for name in names if name.lower() in by_name]
    drawn = sum(len(re.findall(rb'<img[^>]*\balt="\w"', page)) for page in pages)
    return sum(map(of_markup, pages)) + drawn


def of_text(data: bytes) -> int:
    """Characters of a text file."""
    try:
        return characters(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return characters(data.decode("cp1252"))
