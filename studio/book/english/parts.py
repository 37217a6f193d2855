"""Fractions as they are printed, alone and before a measure."""

from __future__ import annotations

import re

from studio.book.english.measures import MEASURE, UNITS
from studio.book.english.money import sentence_stop
from studio.book.numerals import cardinal, ordinal, whole
from studio.book.rules import Rule, rule

VULGAR = {
    "½": (1, 2),
    "¼": (1, 4),
    "¾": (3, 4),
    "⅓": (1, 3),
    "⅔": (2, 3),
    "⅕": (1, 5),
    "⅖": (2, 5),
    "⅗": (3, 5),
    "⅘": (4, 5),
    "⅙": (1, 6),
    "⅛": (1, 8),
    "⅜": (3, 8),
    "⅝": (5, 8),
    "⅞": (7, 8),
    "⅚": (5, 6),
    "⅐": (1, 7),
    "⅑": (1, 9),
    "⅒": (1, 10),
}
VULGARS = "".join(VULGAR)


def fraction(over: int, under: int) -> str:
    """``three quarters``."""
    names = {2: ("half", "halves"), 4: ("quarter", "quarters")} | {
        100: ("hundredth", "hundredths"),
        1000: ("thousandth", "thousandths"),
    }
    one, many = names.get(under, (ordinal(under), f"{ordinal(under)}s"))
    return f"{cardinal(over)} {one if over == 1 else many}"


def mixed(whole_part: str, over: int, under: int) -> str:
    """``2½`` and ``1 1/2``."""
    part = fraction(over, under)
    if (over, under) in ((1, 2), (1, 4)):
        part = part.replace("one", "a", 1)
    return f"{whole(whole_part)} and {part}"


def _measured(match: re.Match[str]) -> str:
    """``2½ yds.``, ``¼ lb.``, ``a ½-in. pipe``."""
    article, before, sign, over, under, unit = match.group(
        "article", "whole", "sign", "over", "under", "unit"
    )
    parts = VULGAR[sign] if sign else (int(over), int(under))
    one, many = UNITS[unit]
    stop = sentence_stop(match)
    if article:
        said = mixed(before, *parts) if before else fraction(*parts).removeprefix("one ")
        return f"{article}{said} {one}{stop}"
    if before:
        return f"{mixed(before, *parts)} {many}{stop}"
    an = "an" if one[0] in "aeio" or one.startswith("hour") else "a"
    if parts == (1, 2):
        return f"half {an} {one}{stop}"
    said = fraction(*parts)
    return f"{'a quarter' if parts == (1, 4) else said} of {an} {one}{stop}"


_PART = rf"(?:(?P<sign>[{VULGARS}])|(?P<over>[1-9])/(?P<under>[2-9]|1[0-6])(?!\d))"
_NO_WORD = r"(?<!\bin)|(?<=\bin)(?=\.| (?:long|wide|tall|high|deep|thick|by|x)\b|[,;)]|$)"
"""``½ in.`` is a measure, ``half of it ½ in the bag`` is none."""
_FOLLOWED = (
    r"(?= (?!of|from|away|to|and|or|in|on|at|by|per|for|than|above|below|is|was|long|wide|tall|high"
    r"|deep|thick)[a-z])"
)

PARTS: tuple[Rule, ...] = (
    rule(
        "measure",
        rf"(?P<article>\b[Aa]n? )(?:(?P<whole>\d{{1,4}}) ?)?{_PART}[ -]?(?P<unit>{MEASURE})\b\.?"
        rf"{_FOLLOWED}",
        _measured,
    ),
    rule(
        "measure",
        rf"(?P<article>)(?<![\w./])(?:(?P<whole>\d{{1,4}})[ -]?)?{_PART}[ -]?(?P<unit>{MEASURE})\b"
        rf"(?:{_NO_WORD})\.?",
        _measured,
    ),
)
"""Before fractions that measure nothing."""
