"""Notes in plain text: ``word[1]`` and, at the foot or the end, ``[1] What it says.``"""

from __future__ import annotations

import re

from studio.book.manuscript import LeftOut

_NOTE = re.compile(
    r"^[ \t]{0,8}\[(\d{1,3}|[*†‡])\][ \t].{1,5000}"
    r"(?:\n(?![ \t]{0,8}\[(?:\d{1,3}|[*†‡])\]).*\S.*){0,200}",
    re.MULTILINE,
)
_MARK = re.compile(r"(?<=[^\s\[(])\[(\d{1,3}|[*†‡])\]")
_NAMED = re.compile(r"\[(?P<what>Footnote|Illustration|Sidenote)\b[^\[\]]{0,5000}\]")
_CALLED = {
    "Footnote": ("note", "notes are not narrated"),
    "Sidenote": ("note", "notes are not narrated"),
    "Illustration": ("picture", "pictures are for the eye"),
}


def without_notes(text: str, left_out: list[LeftOut]) -> str:
    """Take off notes, and the marks that point at them; marks without a note stay.

    Args:
        text: The whole text, its lines as they stand.
        left_out: Takes the account of what was taken off.
    """
    gone: dict[str, tuple[str, list[str]]] = {}

    def drop_named(match: re.Match[str]) -> str:
        what, why = _CALLED[match["what"]]
        gone.setdefault(what, (why, []))[1].append(match[0])
        return ""

    text = _NAMED.sub(drop_named, text)
    marks = set(_MARK.findall(text))
    noted: set[str] = set()

    def drop_note(match: re.Match[str]) -> str:
        if match[1] not in marks:
            return match[0]
        noted.add(match[1])
        gone.setdefault("note", ("notes are not narrated", []))[1].append(match[0])
        return ""

    if marks:
        text = _NOTE.sub(drop_note, text)
        text = _MARK.sub(lambda match: "" if match[1] in noted else match[0], text)
    for what, (why, pieces) in gone.items():
        label = what if len(pieces) == 1 else f"{len(pieces)} × {what}"
        left_out.append(LeftOut(label, why, sum(map(len, pieces))))
    return text
