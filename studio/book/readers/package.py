"""What an EPUB says about itself: its spine, its contents list, its title."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from urllib.parse import unquote

from studio.book.marks import fold
from studio.book.readers.archive import Archive, locked
from studio.book.readers.markup import Node, parse
from studio.errors import BadInput

CONTAINER = "META-INF/container.xml"
ENCRYPTION = "META-INF/encryption.xml"
MAX_PAGES = 50_000
"""Items of a package or lines of a contents list; the longest books have some thousands."""
_TITLE_LENGTH = 1_000
_SET_ASIDE = "the book marks it as not part of the reading order"
_UNLISTED = "the book does not name it in its reading order"
_PROTECTIONS = (
    ("META-INF/license.lcpl", b"", "Readium LCP"),
    ("META-INF/sinf.xml", b"", "Apple FairPlay"),
    ("META-INF/rights.xml", b"adobe", "Adobe ADEPT"),
    ("META-INF/rights.xml", b"kobo", "Kobo"),
)
_FONT_OBFUSCATION = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = frozenset(
    ("application/xhtml+xml", "text/html", "application/xml", "text/xml", "text/x-oeb1-document")
)
_SHOWN = frozenset(("application/xhtml+xml", "text/html"))
_PAGE_ENDINGS = (".xhtml", ".html", ".htm", ".xml")


@dataclass(frozen=True, slots=True)
class Item:
    """One page of the spine."""

    name: str
    """In the archive; empty where the archive has no such file."""
    href: str
    """As the package writes it."""
    why: str
    """Why it is not part of the reading order; empty where it is."""
    guide: str
    """What the guide or the landmarks call it: ``cover``, ``toc`` and so on, or empty."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the contents list."""

    title: str
    name: str
    fragment: str


@dataclass(frozen=True, slots=True)
class Package:
    """The book's own account of itself."""

    title: str
    author: str
    language: str
    spine: tuple[Item, ...]
    contents: tuple[Entry, ...]
    nav: str
    """The navigation page's name, or empty."""


def read_package(archive: Archive) -> Package:
    """Read container, package and contents list.

    Raises:
        BadInput: There is no package, or the text is encrypted.
    """
    name = _package_name(archive)
    root = _bounded(archive, name)
    manifest = {
        node.attributes["id"]: node
        for node in root.find("item")
        if node.attributes.get("id") and node.attributes.get("href")
    }
    pages = {archive.name_of(archive.resolve(name, href)) for href in _hrefs(manifest)}
    _refuse_encrypted(archive, pages | {name})
    nav_page, entries, landmarks = _contents(archive, name, root, manifest)
    guide = landmarks | {
        archive.resolve(name, node.attributes.get("href", "")): node.attributes.get("type", "")
        for node in root.find("reference")
    }
    listed = list(_spine(archive, name, root, manifest, guide))
    others = list(
        _unlisted(archive, name, manifest, guide, {nav_page, *(i.name for i in listed)} - {""})
    )
    spine = (*_usable(listed), *others) if listed else tuple(replace(i, why="") for i in others)
    return Package(
        title=_metadata(root, "title")[0],
        author=", ".join(filter(None, _metadata(root, "creator"))),
        language=_metadata(root, "language")[0],
        spine=spine,
        contents=tuple(entries),
        nav=nav_page,
    )


def _hrefs(manifest: dict[str, Node]) -> Iterator[str]:
    """Where the pages of a package are."""
    return (node.attributes["href"] for node in manifest.values() if _is_page(node))


def _bounded(archive: Archive, name: str) -> Node:
    """The tree of a package or contents list that has no more entries than any book has."""
    data = archive.read(name)
    if max(map(data.count, (b"<item", b"<navPoint", b"<li"))) > 2 * MAX_PAGES:
        raise BadInput(
            f"{archive.name} lists more pages than any book has (in {name}), so it was not read. "
            "Get the book from another source."
        )
    return parse(data, f"{name} in {archive.name}")


def _package_name(archive: Archive) -> str:
    """Where the package document is."""
    if archive.name_of(CONTAINER):
        container = archive.page(CONTAINER)
        for node in container.find("rootfile"):
            name = archive.name_of(unquote(node.attributes.get("full-path", "")))
            if name and next(_bounded(archive, name).find("manifest"), None):
                return name
    for name in archive.names():
        if name.lower().endswith(".opf"):
            return name
    raise BadInput(
        f"{archive.name} is an archive, but no EPUB: it has no package document. "
        "Export the book again as EPUB, Markdown or plain text."
    )


def _metadata(root: Node, tag: str) -> list[str]:
    """The values of one kind of metadata; one empty value where there is none."""
    for metadata in islice(root.find("metadata"), 2):
        values = [fold(node.start(_TITLE_LENGTH)) for node in islice(metadata.find(tag), 50)]
        if any(values):
            return values
    return [""]


def _spine(
    archive: Archive, package: str, root: Node, manifest: dict[str, Node], guide: dict[str, str]
) -> Iterator[Item]:
    """The pages in reading order, each once."""
    seen: set[str] = set()
    for reference in root.find("itemref"):
        node = manifest.get(reference.attributes.get("idref", ""))
        if node is None or not _is_page(node):
            continue
        href = node.attributes["href"]
        name = archive.resolve(package, href)
        if name in seen:
            continue
        seen.add(name)
        yield Item(
            name=archive.name_of(name),
            href=href,
            why=_SET_ASIDE if reference.attributes.get("linear", "").lower() == "no" else "",
            guide=guide.get(name, "").lower(),
        )


def _is_page(node: Node) -> bool:
    """Whether an item of the manifest is a page of text."""
    return node.attributes.get("media-type", "").lower() in _PAGES or node.attributes[
        "href"
    ].lower().endswith(_PAGE_ENDINGS)


def _unlisted(
    archive: Archive,
    package: str,
    manifest: dict[str, Node],
    guide: dict[str, str],
    known: set[str],
) -> Iterator[Item]:
    """The other pages of the manifest, in its order."""
    for node in manifest.values():
        href = node.attributes["href"]
        name = archive.name_of(archive.resolve(package, href))
        shown = node.attributes.get("media-type", "").lower() in _SHOWN if known else _is_page(node)
        if name and name not in known and shown:
            known.add(name)
            yield Item(name=name, href=href, why=_UNLISTED, guide=guide.get(name, "").lower())


def _usable(spine: list[Item]) -> tuple[Item, ...]:
    """The spine; where every page is marked as set aside, the mark says nothing."""
    if all(item.why for item in spine):
        return tuple(replace(item, why="") for item in spine)
    return tuple(spine)


def _contents(
    archive: Archive, package: str, root: Node, manifest: dict[str, Node]
) -> tuple[str, list[Entry], dict[str, str]]:
    """The navigation page's name, the contents list and the landmarks."""
    nav_page = ""
    entries: list[Entry] = []
    landmarks: dict[str, str] = {}
    for node in manifest.values():
        if "nav" in node.attributes.get("properties", "").split():
            nav_page = archive.name_of(archive.resolve(package, node.attributes["href"]))
    if nav_page:
        page = _bounded(archive, nav_page)
        entries = list(_nav_entries(archive, nav_page, page))
        landmarks = _landmarks(archive, nav_page, page)
    if not any(entry.name for entry in entries):
        ncx = _ncx_name(archive, package, root, manifest)
        if ncx:
            entries = list(_ncx_entries(archive, ncx, _bounded(archive, ncx)))
    return nav_page, [entry for entry in entries if entry.name], landmarks


def _nav_entries(archive: Archive, name: str, page: Node) -> Iterator[Entry]:
    """The lines of an EPUB 3 contents list."""
    lists = list(page.find("nav"))
    named = [node for node in lists if "toc" in node.types]
    unnamed = [node for node in lists if not node.types & {"landmarks", "page-list"}]
    for nav in (named or unnamed)[:1]:
        for link in nav.find("a"):
            href = link.attributes.get("href", "")
            title = fold(link.start(_TITLE_LENGTH)) or fold(_pictured_title(link))
            if href:
                yield _entry(archive, name, title, href)


def _pictured_title(link: Node) -> str:
    """The title of a link that holds only a picture."""
    return next((node.attributes.get("alt", "") for node in link.near() if node.tag == "img"), "")


def _landmarks(archive: Archive, name: str, page: Node) -> dict[str, str]:
    """What the navigation page calls other pages; only links to whole pages count."""
    return {
        archive.resolve(name, link.attributes["href"]): next(iter(sorted(link.types)), "")
        for nav in islice((nav for nav in page.find("nav") if "landmarks" in nav.types), 2)
        for link in nav.find("a")
        if link.attributes.get("href") and "#" not in link.attributes["href"]
    }


def _ncx_name(archive: Archive, package: str, root: Node, manifest: dict[str, Node]) -> str:
    """Where the EPUB 2 contents list is, or empty."""
    spine = next(root.find("spine"), None)
    wanted = manifest.get(spine.attributes.get("toc", "")) if spine else None
    listed = [
        node
        for node in manifest.values()
        if node.attributes.get("media-type") == "application/x-dtbncx+xml"
        or node.attributes["href"].lower().endswith(".ncx")
    ]
    for node in ([wanted] if wanted else []) + listed:
        name = archive.name_of(archive.resolve(package, node.attributes["href"]))
        if name:
            return name
    return ""


def _ncx_entries(archive: Archive, name: str, root: Node) -> Iterator[Entry]:
    """The lines of an EPUB 2 contents list."""
    for point in root.find("navpoint"):
        own = [child for child in point.children if isinstance(child, Node)]
        label = next((child for child in own if child.tag == "navlabel"), None)
        content = next((child for child in own if child.tag == "content"), None)
        if content is not None and content.attributes.get("src"):
            title = fold(label.start(_TITLE_LENGTH)) if label else ""
            yield _entry(archive, name, title, content.attributes["src"])


def _entry(archive: Archive, base: str, title: str, href: str) -> Entry:
    """A line of a contents list; without a name where it leads nowhere."""
    if "://" in href:
        return Entry(title, "", "")
    name = archive.name_of(archive.resolve(base, href))
    return Entry(title, name, unquote(href.partition("#")[2]))


def _refuse_encrypted(archive: Archive, needed: set[str]) -> None:
    """Say so where the text itself is encrypted; scrambled fonts do not matter."""
    if not archive.name_of(ENCRYPTION):
        return
    root = archive.page(ENCRYPTION)
    for data in root.find("encrypteddata"):
        methods = [
            child.attributes.get("algorithm", "")
            for child in data.children
            if isinstance(child, Node) and child.tag == "encryptionmethod"
        ]
        if any(method in _FONT_OBFUSCATION for method in methods):
            continue
        for reference in data.near():
            if reference.tag == "cipherreference" and _covers(archive, reference, needed):
                raise locked(archive.name, _protection(archive))


def _covers(archive: Archive, reference: Node, needed: set[str]) -> bool:
    """Whether an encrypted file is one of those that are needed."""
    return archive.name_of(unquote(reference.attributes.get("uri", ""))) in needed - {""}


def _protection(archive: Archive) -> str:
    """Whose copy protection it is, by the licence that lies beside it."""
    for file, sign, name in _PROTECTIONS:
        if archive.name_of(file) and sign in archive.read(file).lower():
            return name
    return ""
