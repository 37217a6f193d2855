"""What books hold and nobody narrates: by which name it is known, and why."""

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

_NOTES = "notes are not narrated"
_LABELS = "its titles are the chapters' labels"
_UNSHOWN = "reading programs do not show it"

WHY = {
    "contents page": _LABELS,
    "contents list": _LABELS,
    "list of landmarks": "it only points at other pages",
    "list of pages": "it only points at printed pages",
    "copyright page": "it is not part of the story",
    "title page": "title and author are told with the book",
    "imprint": "it says who made this edition",
    "comment": "it is a remark of those who wrote the text",
    "note": _NOTES,
    "note reference": "it only calls a note",
    "note mark": "it only says which note it is",
    "page number": "printed page numbers mean nothing to a listener",
    "running head": "it stands on every printed page",
    "picture": "pictures are for the eye",
    "repeated heading": "it says the heading before it again",
    "hidden text": "the book hides it from readers too",
    "deleted text": "the book marks it as deleted",
    "paragraph without words": "there is nothing to say",
    "ornament": "it is there for the eye",
    "scene break mark": "it is heard as a pause",
    "typesetting mark": "it only tells where a line may end",
    "hyphen at a line's end": "the word goes on in the next line",
    "escape": "it is one sign written as several",
    "head of the page": _UNSHOWN,
    "script or style": _UNSHOWN,
    "ruby reading": "the text is read, not how it is spelled",
    "fallback for media": "it is for programs that cannot play the sound or picture",
    "form control": "there is nobody to fill it in",
    "alternative for programs": "another form of it is read",
    "entity without meaning": "the page does not say what it stands for",
    "address": "addresses of web pages are left out, as set",
    "table": "tables are left out, as set",
    "code block": "code cannot be read aloud so that anybody understands it",
    "archive's notices": "they are not part of the book",
    "transcriber's note": "it is not part of the book",
    "marks of Markdown": "they are signs of the file's format, not of the book",
    "data about the book": "it is about the book, not of it",
    "unticked piece": "it is not ticked",
    "marker": "it tells how to narrate",
    "lost in conversion": "the converter did not carry it over",
}
"""Rules that leave something out, and why."""

QUIET = frozenset(
    (
        *("ornament", "scene break mark", "typesetting mark", "hyphen at a line's end", "escape"),
        *("head of the page", "script or style", "ruby reading", "fallback for media"),
        *("form control", "alternative for programs", "note mark", "marks of Markdown"),
        *("data about the book", "marker"),
    )
)
"""Rules that take nothing a reader of the book would see; only the long report names them."""
