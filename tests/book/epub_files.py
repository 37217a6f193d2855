"""EPUBs made for one test each, of any shape a book in the wild may have."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

XHTML = (
    '<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml" '
    'xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head><body>{}</body></html>'
)


def page(body: str) -> str:
    """A well-formed page."""
    return XHTML.format(body)


def make_epub(
    path: Path,
    pages: Mapping[str, str | bytes],
    *,
    nav: str | None = None,
    ncx: str | None = None,
    spine: Sequence[str] | None = None,
    extra: Mapping[str, str | bytes] = {},
    metadata: str = "<dc:title>A Book</dc:title><dc:language>en</dc:language>",
    guide: str = "",
) -> Path:
    """Write an EPUB whose package is OPS/book.opf and whose pages lie beside it."""
    items = [
        f'<item id="p{n}" href="{escape(name)}" media-type="application/xhtml+xml"/>'
        for n, name in enumerate(pages)
    ]
    files: dict[str, str | bytes] = {f"OPS/{name}": text for name, text in pages.items()}
    if nav is not None:
        items.append(
            '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
        )
        files["OPS/nav.xhtml"] = page(f'<nav epub:type="toc"><ol>{nav}</ol></nav>')
    if ncx is not None:
        items.append('<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>')
        files["OPS/toc.ncx"] = f"<ncx><navMap>{ncx}</navMap></ncx>"
    ids = {name: f"p{n}" for n, name in enumerate(pages)}
    references = "".join(
        f'<itemref idref="{ids.get(name, name)}"/>' for name in (spine or list(pages))
    )
    toc = ' toc="ncx"' if ncx is not None else ""
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/">{metadata}</metadata><manifest>'
        f"{''.join(items)}</manifest><spine{toc}>{references}</spine>{guide}</package>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", "application/epub+zip", zipfile.ZIP_STORED)
        archive.writestr(
            "META-INF/container.xml",
            '<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>',
        )
        archive.writestr("OPS/book.opf", package)
        for name, text in {**files, **extra}.items():
            archive.writestr(name, text)
    return path
