"""Abbreviations, titles and Roman numbers."""

from __future__ import annotations

import re

from studio.book.abbreviations import STARTERS
from studio.book.numerals import ROMAN, cardinal, ordinal, roman_value, year
from studio.book.rules import Rule, rule

_TITLES = {
    "Dr": "Doctor",
    "Mr": "Mister",
    "Mrs": "Missus",
    "Prof": "Professor",
    "Capt": "Captain",
    "Gen": "General",
    "Lt": "Lieutenant",
    "Sgt": "Sergeant",
    "Col": "Colonel",
    "Maj": "Major",
    "Cpl": "Corporal",
    "Pvt": "Private",
    "Adm": "Admiral",
    "Cmdr": "Commander",
    "Cdr": "Commander",
    "Brig": "Brigadier",
    "Rev": "Reverend",
    "Revd": "Reverend",
    "Sen": "Senator",
    "Gov": "Governor",
    "Rep": "Representative",
    "Pres": "President",
    "Hon": "Honourable",
    "Insp": "Inspector",
    "Supt": "Superintendent",
    "Messrs": "Messieurs",
    "Mme": "Madame",
    "Mlle": "Mademoiselle",
    "Ms": "Ms",
    "Mt": "Mount",
    "Ft": "Fort",
    "Fr": "Father",
    "Br": "Brother",
}
"""Said in full before a name."""
_ROADS = {
    "St": "Street",
    "Ave": "Avenue",
    "Rd": "Road",
    "Blvd": "Boulevard",
    "Sq": "Square",
    "Ln": "Lane",
}
_NUMBERED = {
    "No": "number",
    "no": "number",
    "Nos": "numbers",
    "nos": "numbers",
    "Vol": "volume",
    "vol": "volume",
    "Vols": "volumes",
    "Ch": "chapter",
    "ch": "chapter",
    "Chap": "chapter",
    "chap": "chapter",
    "Fig": "figure",
    "fig": "figure",
    "Figs": "figures",
    "Sec": "section",
    "sec": "section",
    "Art": "article",
    "art": "article",
    "para": "paragraph",
    "Pt": "part",
    "pt": "part",
    "Bk": "book",
    "bk": "book",
    "Op": "opus",
    "op": "opus",
    "Mk": "mark",
    "p": "page",
    "pp": "pages",
}
"""Said in full before a number."""
_ANYWHERE = {
    "e.g": "for example",
    "i.e": "that is",
    "etc": "et cetera",
    "vs": "versus",
    "viz": "namely",
    "cf": "compare",
    "approx": "approximately",
    "Jr": "Junior",
    "Sr": "Senior",
    "Inc": "Incorporated",
    "Ltd": "Limited",
    "Corp": "Corporation",
    "Bros": "Brothers",
    "Co": "Company",
    "Esq": "Esquire",
    "Dept": "Department",
    "Ph.D": "P H D",
}
_ABBREVIATION = "|".join(
    sorted(map(re.escape, {*_TITLES, *_ROADS, *_NUMBERED, *_ANYWHERE}), key=len, reverse=True)
)

_MONARCHS = frozenset(
    "Henry Elizabeth Louis Charles James George Edward Richard William John Paul Pius Philip "
    "Napoleon Catherine Mary Leo Benedict Karl Otto Frederick Ferdinand Alexander Nicholas Peter "
    "Ivan Innocent Gregory Urban Clement Ramses Rameses Ptolemy Francis Robert Malcolm David "
    "Alfonso Gustav Christian Umberto Victor Leopold Albert Baldwin Darius Xerxes Cleopatra Haakon "
    "Olaf Sigismund Maximilian Rudolf Stephen Amenhotep Thutmose Seti Mehmed Murad Selim Carlos "
    "Felipe Isabella Juan Pedro Boniface Sixtus Julius Celestine Adrian Callixtus Wilhelm".split()
)
_RULERS = (
    "King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Prince|Sultan|Pharaoh|Duke|Earl|Shah|Saint"
)
_NUMBERED_THINGS = (
    "chapter|part|book|act|scene|volume|section|canto|war|appendix|article|phase|stage|level|"
    "apollo|mark|rocky|figure|table|title|class|type|rule|step|lesson|psalm|gemini|saturn|unit|"
    "vatican|episode|season|letter|stave|grade|group|category|plate|note|division|corps|olympiad"
)
# A lone C, D, L, M, V or X is a letter far more often than a number.
_LETTERS_NOT_NUMBERS = frozenset("CDLM")


def _saint_or_street(text: str, match: re.Match[str]) -> str | None:
    """``St. John`` or ``Mill St.``."""
    before = text[max(0, match.start() - 40) : match.start()]
    after = text[match.end() : match.end() + 40]
    name = re.match(r" ?([A-Z][\w’'-]*)", after)
    preceded = re.search(
        r"(?:\b[A-Z][\w’'-]*|\b\d+(?:st|nd|rd|th)|\b(?:first|second|third|\w+th)) $", before
    )
    if name and not (preceded and name[1] in STARTERS) and name[1] not in STARTERS:
        return "Saint"
    return "Street" if preceded else None


def _abbreviation(match: re.Match[str]) -> str:
    """The words for an abbreviation, by what follows it."""
    short, text = match[1], match.string
    after = text[match.end() : match.end() + 40]
    ends = re.match(r"[”\"’')]{0,2}(?:\s*$|\s+[A-Z“‘\"])", after) is not None
    name_follows = re.match(r" ?[A-Z“‘]| and (?:Mrs|Mr|Dr|Miss|Prof)\b", after) is not None
    if short == "St" and (words := _saint_or_street(text, match)):
        return words + ("." if words == "Street" and ends else "")
    if short in _ROADS and re.search(r"[\w’] $", text[max(0, match.start() - 3) : match.start()]):
        return _ROADS[short] + ("." if ends else "")
    if short in _NUMBERED and re.match(r" ?(?:\d|[IVXLC]{1,7}\b)", after):
        return _NUMBERED[short] + ("" if after.startswith(" ") else " ")
    if short in _TITLES and name_follows:
        return _TITLES[short] + ("" if after.startswith(" ") else " ")
    if short in _ANYWHERE and short[-1:] not in _NUMBERED:
        stop = "." if ends and short in _FINAL else ""
        return _ANYWHERE[short] + stop
    return match[0]


_FINAL = frozenset(("etc", "Jr", "Sr", "Inc", "Ltd", "Corp", "Bros", "Co", "Esq", "Ph.D"))
"""Abbreviations that may end a sentence; their stop is kept there."""


def _loud_title(match: re.Match[str]) -> str:
    """``MR. OK`` as ``Mr. OK``, which the next rule reads."""
    return match[1].capitalize() + "."


def _regnal(match: re.Match[str]) -> str:
    """``Henry VIII`` and ``Pope Pius XII``; single letters but V are names' own."""
    ruler, name, numeral = match["ruler"], match["name"], match["numeral"]
    value = roman_value(numeral)
    if (
        not value
        or not (ruler or name.capitalize() in _MONARCHS)
        or numeral in {"X", "C", "L", "D"}
    ):
        return match[0]
    return f"{ruler or ''}{name} the {ordinal(value)}"


def _counted_thing(match: re.Match[str]) -> str:
    """``Part III``."""
    numeral = match[2]
    value = roman_value(numeral)
    if not value or numeral in _LETTERS_NOT_NUMBERS:
        return match[0]
    return f"{match[1]} {cardinal(value)}"


def _heading_number(match: re.Match[str]) -> str:
    """``IV.`` or ``IV. The Storm`` as a heading."""
    value = roman_value(match[1])
    if not value or match[1] in _LETTERS_NOT_NUMBERS:
        return match[0]
    return cardinal(value).capitalize()


def _roman_year(match: re.Match[str]) -> str:
    """``MCMXCIX`` as a year."""
    value = roman_value(match[0])
    return year(value) if value else match[0]


_WARS = {"I": "one", "II": "two"}

ROMAN_HEADING: tuple[Rule, ...] = (
    rule("roman number", r"^([IVXLC]{1,9})(?=\s*$|[.:)]|\s*[—–-])", _heading_number),
)
"""For headings alone, where even a single I counts."""

NAMES: tuple[Rule, ...] = (
    rule("title", r"\b(MR|MRS|MS|DR|PROF|CAPT|GEN|REV|SGT|LT|COL|ST)\.(?= [A-Z])", _loud_title),
    rule("abbreviation", rf"(?<![\w.])({_ABBREVIATION})\.(?![\w])", _abbreviation),
    rule(
        "abbreviation",
        r"\b(vs|Jr|Sr|Mr|Mrs|Dr)(?=[\s,;!?]|$)",
        lambda match: (_TITLES | _ANYWHERE)[match[1]],
    ),
    rule("world war", r"\bWW(II?)\b", lambda match: f"World War {_WARS[match[1]]}"),
    rule("year in capitals", r"\bM[MCDXLVI]{3,12}\b", _roman_year),
    rule("number sign", r"(?:\bN[º°]|№|#) ?(?=\d)", "number "),
    rule(
        "century",
        rf"\b({ROMAN})(?:th)?[ -](?=centur)",
        lambda match: f"{ordinal(roman_value(match[1]))} ",
    ),
    rule(
        "roman number",
        rf"\b((?i:{_NUMBERED_THINGS})) ([IVXLCDM]{{1,9}})\b(?=$|[\s.,;:!?)\]’”—–-])",
        _counted_thing,
    ),
    rule(
        "regnal number",
        rf"(?:\b(?P<ruler>(?:{_RULERS}) ))?\b(?P<name>[A-Z][\w’-]{{1,20}}),? "
        r"(?P<numeral>(?!I\b)[IVXL]{1,7})\b(?!\.[A-Z])",
        _regnal,
    ),
    rule(
        "regnal number",
        r"\b(?P<name>[A-Z][a-z]{1,20} [A-Z][a-z]{1,20}),? (?P<numeral>II|III|IV)\b(?!\.[A-Z])",
        lambda match: f"{match['name']} the {ordinal(roman_value(match['numeral']))}",
    ),
)
"""In this order: years in capitals, if any, come after these."""
