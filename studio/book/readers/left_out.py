"""What pages hold and nobody narrates: by which name it is known, and why."""

from __future__ import annotations

LEFT_OUT_TYPES = {
    "toc": "contents page",
    "landmarks": "list of landmarks",
    "page-list": "list of pages",
    "copyright-page": "copyright page",
    "footnote": "note",
    "footnotes": "note",
    "endnote": "note",
    "endnotes": "note",
    "rearnote": "note",
    "rearnotes": "note",
}
"""`epub:type` words whose elements are not narrated, and what they are called."""
WHY = {
    "contents page": "its titles are the chapters' labels",
    "list of landmarks": "it only points at other pages",
    "list of pages": "it only points at printed pages",
    "copyright page": "it is not part of the story",
    "note": "notes are not narrated",
    "note reference": "notes are not narrated",
    "page number": "printed page numbers mean nothing to a listener",
    "picture": "pictures are for the eye",
    "repeated heading": "it says the heading before it again",
    "hidden text": "the book hides it from readers too",
    "paragraph without words": "there is nothing to say",
}
