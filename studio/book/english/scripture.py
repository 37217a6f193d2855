"""Chapter and verse."""

from __future__ import annotations

import re

from studio.book.numerals import cardinal, roman_value
from studio.book.rules import Rule, rule

_BOOKS = (
    "Genesis|Exodus|Leviticus|Numbers|Deuteronomy|Joshua|Judges|Ruth|Samuel|Kings|Chronicles|Ezra|"
    "Nehemiah|Esther|Job|Psalms?|Proverbs|Ecclesiastes|Isaiah|Jeremiah|Ezekiel|Daniel|Hosea|Joel|"
    "Amos|Jonah|Micah|Matthew|Mark|Luke|John|Acts|Romans|Corinthians|Galatians|Ephesians|Hebrews|"
    "Philippians|Colossians|Thessalonians|Timothy|Titus|James|Peter|Jude|Revelation|Surah?"
)
_SHORT = {
    "Gen": "Genesis",
    "Ex": "Exodus",
    "Exod": "Exodus",
    "Lev": "Leviticus",
    "Num": "Numbers",
    "Deut": "Deuteronomy",
    "Josh": "Joshua",
    "Judg": "Judges",
    "Sam": "Samuel",
    "Kgs": "Kings",
    "Chron": "Chronicles",
    "Neh": "Nehemiah",
    "Ps": "Psalm",
    "Pss": "Psalms",
    "Prov": "Proverbs",
    "Eccl": "Ecclesiastes",
    "Eccles": "Ecclesiastes",
    "Isa": "Isaiah",
    "Jer": "Jeremiah",
    "Ezek": "Ezekiel",
    "Dan": "Daniel",
    "Hos": "Hosea",
    "Mic": "Micah",
    "Matt": "Matthew",
    "Mt": "Matthew",
    "Mk": "Mark",
    "Lk": "Luke",
    "Jn": "John",
    "Rom": "Romans",
    "Cor": "Corinthians",
    "Gal": "Galatians",
    "Eph": "Ephesians",
    "Phil": "Philippians",
    "Col": "Colossians",
    "Thess": "Thessalonians",
    "Tim": "Timothy",
    "Heb": "Hebrews",
    "Jas": "James",
    "Pet": "Peter",
    "Rev": "Revelation",
}
_ORDER = {
    **{"1": "First ", "2": "Second ", "3": "Third "},
    **{"I": "First ", "II": "Second ", "III": "Third "},
}


def _verse(match: re.Match[str]) -> str:
    """``1 Cor. 13:4–7``."""
    order, book, chapter, verse, last, over = match.groups()
    words = f"{_ORDER.get(order or '', '')}{_SHORT.get(book, book)} "
    words += f"{cardinal(int(chapter))} {cardinal(int(verse))}"
    words += f" to {cardinal(int(last))}" if last else ""
    return f"{words} {cardinal(int(over))}" if over else words


def _old_verse(match: re.Match[str]) -> str:
    """``Matt. v. 3``, as chapters were printed for centuries."""
    order, book, chapter, verse, last = match.groups()
    value = roman_value(chapter.upper())
    counts = re.match(r" [a-z]", match.string[match.end() :][:2]) and "," in match[0]
    if not value or counts:
        return match[0]
    words = f"{_ORDER.get(order or '', '')}{_SHORT.get(book, book)} {cardinal(value)} "
    words += cardinal(int(verse))
    return f"{words} to {cardinal(int(last))}" if last else words


SCRIPTURE: tuple[Rule, ...] = (
    rule(
        "scripture",
        r"\b([123]|I{1,3}) (?=(?:Samuel|Kings|Chronicles|Corinthians|Thessalonians|Timothy|Peter|"
        r"John|Maccabees) \d{1,3}\b(?!:))",
        lambda match: _ORDER[match[1]],
    ),
    rule(
        "scripture",
        r"\b([123]|I{1,3}) (Sam|Kgs|Chron|Cor|Thess|Tim|Pet)\.? (?=\d{1,3}\b(?!:))",
        lambda match: f"{_ORDER[match[1]]}{_SHORT[match[2]]} ",
    ),
    rule(
        "scripture",
        rf"(?:\b([123]|II?) )?\b({_BOOKS}|(?:{'|'.join(_SHORT)})(?=\.? \d))\.? "
        r"(\d{1,3}):(\d{1,3})(?:[–-](\d{1,3})(?::(\d{1,3}))?)?\b",
        _verse,
    ),
    rule(
        "scripture",
        rf"(?:\b([123]|II?) )?\b({_BOOKS}|{'|'.join(_SHORT)})\.? ([ivxlc]{{1,8}})[.:,] "
        r"?(\d{1,3})(?:[–-](\d{1,3}))?\b",
        _old_verse,
    ),
)
"""Before times of day, which look alike."""
