"""Kings, queens and popes by their numbers: Henry VIII, Charles I."""

from __future__ import annotations

import re

from studio.book.abbreviations import STARTERS
from studio.book.numerals import ordinal, roman_value
from studio.book.rules import Rule, rule

_MONARCHS = frozenset(
    "Henry Elizabeth Louis Charles James George Edward Richard William John Paul Pius Philip "
    "Napoleon Catherine Mary Leo Benedict Karl Otto Frederick Ferdinand Alexander Nicholas Peter "
    "Ivan Innocent Gregory Urban Clement Ramses Rameses Ptolemy Francis Robert Malcolm David "
    "Alfonso Gustav Christian Umberto Victor Leopold Albert Baldwin Darius Xerxes Cleopatra Haakon "
    "Olaf Sigismund Maximilian Rudolf Stephen Amenhotep Thutmose Seti Mehmed Murad Selim Carlos "
    "Felipe Isabella Juan Pedro Boniface Sixtus Julius Celestine Adrian Callixtus Wilhelm Ramesses "
    "Akbar Boris Mithridates Vladimir Edmund Harold Constantine Theodosius Justinian Basil Michael "
    "Alexius Manuel Margrethe Christina Eric Erik Magnus Harald Sancho Afonso Carol Simeon Casimir "
    "Wenceslas Ladislaus Sigmund Humbert Amadeus Cosimo Rainier Franz Ludwig Friedrich Heinrich "
    "Antiochus Seleucus Artaxerxes Cyrus Suleiman Bayezid Ahmed Mustafa Hadrian Eugene Eugenius "
    "Honorius Sergius Valdemar Waldemar Edgar Sweyn Rama Charlemagne Zog Nabonidus".split()
)
_TENTHS = frozenset(
    "Charles Leo Pius Innocent Clement Gregory Benedict Alfonso Ptolemy Louis".split()
)
"""Those of whom there was a tenth; behind other names an X is a letter: Malcolm X."""
_RULERS = (
    "King|Queen|Pope|Emperor|Empress|Tsar|Czar|Kaiser|Prince|Sultan|Pharaoh|Duke|Earl|Shah|Saint"
)
_OLD_STOP = r"(?:\.(?=['’]s\b|[,;:]|\s[a-z]))?"
"""The stop that old books set behind a ruler's number: Louis XII. went."""
FIRST = rf"(?:{'|'.join(sorted(_MONARCHS))})"


def _regnal(match: re.Match[str]) -> str:
    """``Henry VIII`` and ``Pope Pius XII``; single letters but V are names' own."""
    ruler, name, numeral = match["ruler"], match["name"], match["numeral"]
    value = roman_value(numeral)
    following = re.match(r"\. ([A-Z][\w’']*)", match.string[match.end() : match.end() + 40])
    if len(numeral) == 1 and following and following[1] not in STARTERS:
        return match[0]  # An initial: William V. Brown.
    if (
        not value
        or not (ruler or name.capitalize() in _MONARCHS)
        or numeral in {"C", "L", "D"}
        or (numeral == "X" and name.capitalize() not in _TENTHS)
    ):
        return match[0]
    return f"{ruler or ''}{name} the {ordinal(value)}"


_DOES = (
    r"(?:was|is|had|has|died|came|became|took|made|gave|wrote|did|would|could|never|also|"
    r"(?!(?:loved|liked|hated|missed|trusted|needed|wanted|asked|called)\b)[a-z]{2,20}ed)\b"
)
_FIRST_OF_A_NAME = (
    rf"\b(?P<name>{FIRST}) I"
    rf"(?:(?=[;:?!)]|\.[”\"]?(?:$|\s+(?:{'|'.join(sorted(STARTERS))})\b)|$| \(|, the [A-Z])"
    rf"|(?=,? (?:and )?{FIRST} [IVX]{{1,5}}\b)"
    r"|(?= (?:in|that|at|to|by|from|with|who|whose|on|until|after|before|when|against|into)\b"
    r"(?! (?:least|first|once|last|times|turn|fact|my|me|the other|now)\b)))"
    rf"|(?:^|(?<=[.!?] )|(?<=[“\"]))(?P<starts>{FIRST}) I(?= {_DOES})"
    rf"|(?<=\b[Uu]nder )(?P<under>{FIRST}) I(?=, | and )"
    rf"|(?<=\bof )(?P<of>{FIRST}) I(?=, | and )"
)
"""``Charles I`` where no verb follows, as it does in ``I told Charles I would``."""


RULERS: tuple[Rule, ...] = (
    rule(
        "regnal number",
        _FIRST_OF_A_NAME,
        lambda match: f"{match[match.lastgroup or 'name']} the first",
    ),
    rule(
        "regnal number",
        rf"(?:\b(?P<ruler>(?:{_RULERS}) ))?\b(?P<name>[A-Z][\w’-]{{1,20}}),? "
        rf"(?P<numeral>(?!I\b)[IVXL]{{1,7}})\b(?!\.[A-Z]){_OLD_STOP}",
        _regnal,
    ),
    # "I" is a number only where no verb can follow it: "I told King Charles I would".
    rule(
        "regnal number",
        rf"\b(?P<name>(?:(?:{_RULERS}) {FIRST}|{FIRST})) I"
        r"(?:(?=['’]s\b| of [A-Z])|\.(?=['’]s\b|[,;:]|\s[a-z]))"
        rf"|\b(?P<title>(?:{_RULERS}) {FIRST}) I(?=[.,;:!?)”]|$)",
        lambda match: f"{match['name'] or match['title']} the first",
    ),
    rule(
        "regnal number",
        r"\b(?P<name>[A-Z][a-z]{1,20} (?:[A-Z]\. ?){0,2}[A-Z][a-z]{1,20}),? "
        rf"(?P<numeral>II|III|IV)\b(?!\.[A-Z]){_OLD_STOP}",
        lambda match: f"{match['name']} the {ordinal(roman_value(match['numeral']))}",
    ),
)
"""In this order, after what names a thing: Part III."""
