"""Notes in plain text: ``word[1]`` and, at the foot or the end, ``[1] What it says.``"""

from __future__ import annotations

import re

from studio.book.coverage import Ledger, count

_NOTE = re.compile(
    r"^[ \t]{0,8}\[(\d{1,3}|[*†‡])\][ \t].{1,5000}"
    r"(?:\n(?![ \t]{0,8}\[(?:\d{1,3}|[*†‡])\]).*\S.*){0,200}",
    re.MULTILINE,
)
_MARK = re.compile(r"(?<=[^\s\[(])\[(\d{1,3}|[*†‡])\]")
_NAMED = re.compile(
    r"\[(?P<what>Footnote|Illustration|Sidenote|Transcriber|Image|Picture|Frontispiece|Decoration"
    r"|Map|Plate|Blank Page)(?:[’']s note)?\s{0,3}(?:[.:\d][^\[\]]{0,5000})?\]",
    re.IGNORECASE,
)
_CALLED = {
    "footnote": "note",
    "sidenote": "note",
    "transcriber": "transcriber's note",
}


def without_notes(text: str, ledger: Ledger) -> str:
    """Take off notes, and the marks that point at them; marks without a note stay.

    Args:
        text: The whole text, its lines as they stand.
        ledger: Takes the account of what was taken off.
    """

    def drop_named(match: re.Match[str]) -> str:
        ledger.skip(_CALLED.get(match["what"].lower(), "picture"), count(match[0]))
        return ""

    text = _NAMED.sub(drop_named, text)
    marks = set(_MARK.findall(text))
    noted: set[str] = set()

    def drop_note(match: re.Match[str]) -> str:
        if match[1] not in marks:
            return match[0]
        noted.add(match[1])
        ledger.skip("note", count(match[0]))
        return ""

    def drop_mark(match: re.Match[str]) -> str:
        if match[1] not in noted:
            return match[0]
        ledger.skip("note", count(match[0]), 0)
        return ""

    if marks:
        text = _MARK.sub(drop_mark, _NOTE.sub(drop_note, text))
    return text
