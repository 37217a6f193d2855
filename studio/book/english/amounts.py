"""Fractions, ratios, ranges and the numbers that are left."""

from __future__ import annotations

import re

from studio.book.english.measures import ANGLES, MEASURES
from studio.book.english.money import MONEY, NUMBER, SCALES
from studio.book.english.parts import PARTS, VULGAR, VULGARS, fraction, mixed
from studio.book.numerals import cardinal, decade, digits, number, ordinal, power, whole
from studio.book.rules import Rule, rule


def _mixed(match: re.Match[str]) -> str:
    """``2½`` and ``1 1/2``."""
    parts = VULGAR[match[4]] if match[4] else (int(match[2]), int(match[3]))
    return mixed(match[1], *parts)


def _by_name(match: re.Match[str]) -> str:
    """``24/7`` and ``9/11``, which are no fractions."""
    first, second = (part for part in match.groups() if part)
    return f"{cardinal(int(first))} {cardinal(int(second))}"


def _number(match: re.Match[str]) -> str:
    """A number, parted from letters right behind it."""
    parted = match.string[match.end() : match.end() + 1].isalpha()
    return number(match[0]) + (" " if parted else "")


def _scored(match: re.Match[str]) -> str:
    """``won 5–4`` and ``lost 6–4, 7–5``."""
    scores = re.sub(
        r"(\d{1,2})[–-](\d{1,2})",
        lambda one: f"{cardinal(int(one[1]))}–{cardinal(int(one[2]))}",
        match[3],
    )
    return f"{match[1]}{match[2]} {scores}"


def _beaten(match: re.Match[str]) -> str:
    """``was 3–2`` and ``a 3–2 win``; what counts upwards is a range."""
    high, low = int(match["high"]), int(match["low"])
    # "38–9" is how books write 38 to 39.
    if high < low or (high > 9 >= low):
        return match[0]
    return f"{cardinal(high)}–{cardinal(low)}"


def _house(match: re.Match[str]) -> str:
    """``221B Baker Street``: a house's number by its halves, as people say it."""
    hundreds, rest = divmod(int(match[1]), 100)
    if rest == 0:
        said = number(match[1])
    else:
        said = f"{cardinal(hundreds)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"
    return f"{said} {match[2].upper()}"


def _pages(match: re.Match[str]) -> str:
    """``pages 112–3``: what the second number leaves out is that of the first."""
    first, last = match[2], match[3]
    if len(last) < len(first):
        last = first[: len(first) - len(last)] + last
    return f"{match[1]}{cardinal(int(first))} to {cardinal(int(last))}"


def _plural(match: re.Match[str]) -> str:
    """``747s``, ``F-16s`` and ``100s of``."""
    digit = match[1]
    value = int(digit)
    if value in (100, 1000):
        words = {100: "hundred", 1000: "thousand"}[value]
    elif len(digit) == 3 and value % 100 > 9:
        words = f"{cardinal(value // 100)} {cardinal(value % 100)}"
    else:
        words = whole(digit)
    if words.endswith("y"):
        return f"{words[:-1]}ies"
    return f"{words}{'es' if words.endswith('x') else 's'}"


def _odds(match: re.Match[str]) -> str:
    """``4:1`` as odds; other pairs, such as ``16:9``, side by side."""
    parts = [cardinal(int(match[1])), cardinal(int(match[2]))]
    return (" to " if match[2] == "1" else " ").join(parts)


_SIGNS = {
    "+": "plus",
    "=": "equals",
    "<": "is less than",
    ">": "is greater than",
    "−": "minus",
    "-": "minus",
    "×": "times",
    "÷": "divided by",
    "±": "plus or minus",
    "≈": "is about",
}

_FRACTIONS: tuple[Rule, ...] = (
    rule(
        "fraction",
        rf"\b(\d{{1,9}})(?:[ -]([1-9])/([2-9]|1[0-6])\b| ?([{VULGARS}]))",
        _mixed,
    ),
    rule("fraction", r"(?:½|(?<!\d )(?<![\d/])1/2)(?= (?:an?|the|of)\b)", "half"),
    rule(
        "fraction",
        r"(?<![\d/])([1-9])/([3-9]|10)(?:rds?|ths?)\b",
        lambda match: fraction(int(match[1]), int(match[2])),
    ),
    rule(
        "out of",
        r"(?<![\d/.])([1-5])/5(?= stars\b)",
        lambda match: f"{cardinal(int(match[1]))} out of five",
    ),
    rule(
        "beat",
        r"(?<![\d/])([2-9]|12)/(2|4|8)(?= time\b)",
        lambda match: f"{cardinal(int(match[1]))} {cardinal(int(match[2]))}",
    ),
    rule(
        "odds",
        r"\b(odds (?:were|are|of|at|stood at|is|was)) (\d{1,3})/(\d{1,3})\b",
        lambda match: f"{match[1]} {cardinal(int(match[2]))} to {cardinal(int(match[3]))}",
    ),
    rule("fraction", f"[{VULGARS}]", lambda match: fraction(*VULGAR[match[0]])),
    # Whole marks and decimals are no fractions: 10/10, 4.5/5.
    rule(
        "out of",
        r"(?<![\d/.])(\d{1,3}\.\d|10(?=/10)|5(?=/5))/(10|5)\b(?![/\d])",
        lambda match: f"{number(match[1])} out of {number(match[2])}",
    ),
    rule("by name", r"(?<![\d/])(24)/(7)\b(?!/)|(?<![\d/])(9|7)/(11)\b(?!/)", _by_name),
    rule(
        "odds",
        r"(?<![\d/])(\d\d)/(?!(?:16|32|64)\b)(\d\d)\b(?!/)",
        lambda match: f"{cardinal(int(match[1]))} {cardinal(int(match[2]))}",
    ),
    rule(
        "fraction",
        r"(?<![\d/])([1-9]\d?)/([2-9]|1[0-2]|16|20|25|32|64|100|1000)\b(?!/)",
        lambda match: fraction(int(match[1]), int(match[2])),
    ),
    rule(
        "ratio",
        r"\b(odds|ratio|scale|mixed|proportion|chance)(.{0,20}?) (\d{1,3}):(\d{1,6})\b",
        lambda match: (
            f"{match[1]}{match[2]} {cardinal(int(match[3]))} to {cardinal(int(match[4]))}"
        ),
    ),
    rule(
        "ratio",
        r"(?<![\d:])(\d{1,3}):(\d{1,3})(?= (?:ratio|odds|scale|mix|lead|majority)\b)",
        lambda match: f"{cardinal(int(match[1]))} to {cardinal(int(match[2]))}",
    ),
)

_ARMS = (
    "rifle|pistol|revolver|automatic|calib(?:re|er)|Magnum|Special|Winchester|Colt|handgun|carbine|"
    "bullets?|shells?|cartridges?|rounds?|slugs?|derringer|six-shooter"
)
_OUTCOMES = (
    "win|victory|defeat|loss|draw|tie|lead|thrashing|score|scoreline|final|majority|vote|decision|"
    "ruling|record"
)
_ROADS = (
    "Street|St|Road|Rd|Avenue|Ave|Lane|Place|Square|Terrace|Gardens|Drive|Court|Row|Mews|Crescent|"
    "Boulevard|Blvd|Way|Close|Hill|Walk|Yard"
)
_NUMBERS: tuple[Rule, ...] = (
    rule(
        "house number",
        r"(?<![\w.,/–-])([1-9]\d{2,3}) ?([A-Ha-h])"
        rf"(?= (?:[A-Z][\w’']{{1,30}} ){{1,3}}(?:{_ROADS})\b)",
        _house,
    ),
    rule("minus", r"(?<=\d) [–-] (?=\d[\d.,]{0,20} ?=)", " minus "),
    rule(
        "score",
        r"\b(scores?|won|lost|beat|drew|win|lead|led|victory|defeat)([^.;\d]{0,16}) "
        r"(\d{1,2}[–-]\d{1,2}\b(?:(?:, | and |, and )\d{1,2}[–-]\d{1,2}\b){0,6})(?![–-])",
        _scored,
    ),
    rule(
        "score",
        rf"(?<![\d–.,-])(?P<high>\d{{1,2}})[–-](?P<low>\d{{1,2}})(?= (?:{_OUTCOMES})\b)",
        _beaten,
    ),
    rule(
        "score",
        r"(?P<before>\b(?i:it|game|match|set|tie|result|final|vote|side|half|they|we|"
        r"time)[^\d.;:]{0,20}? (?:was|were|is|stood at|stands at|ended|ends|finished|finishes) )"
        r"(?P<high>\d{1,2})[–-](?P<low>\d{1,2})\b(?![–-]|\.\d)",
        lambda match: match["before"] + said if (said := _beaten(match)) != match[0] else match[0],
    ),
    rule(
        "calibre",
        rf"(?<![\w.])\.(\d\d)(?=[ -](?:{_ARMS})\b)|(?<=\bColt )\.(\d\d)\b",
        lambda match: cardinal(int(match[1] or match[2])),
    ),
    rule(
        "same on both sides",
        r"(?<![\w.,–-])(\d{1,2})[–-]\1(?![\w–-]|[.,]\d)",
        lambda match: f"{cardinal(int(match[1]))}-{cardinal(int(match[1]))}",
    ),
    rule("pages", r"\b((?:pages|lines|verses) )(\d{2,4})[–-](\d{1,3})\b(?![\d–-])", _pages),
    rule(
        "range",
        r"(?<![\d–-])(?<!\w[–-])(\d{1,9}(?:\.\d{1,9})?) ?[–-] ?"
        r"(\d{1,9}(?:\.\d{1,9})?)(?![\d–-]|\.\d)",
        lambda match: f"{number(match[1])} to {number(match[2])}",
    ),
    rule("range", r"(?<=\d)% ?[–-] ?(?=\d{1,9}(?:\.\d{1,9})? ?%)", " percent to "),
    rule(
        "per cent",
        rf"((?<![\w.])[-−]?(?:{NUMBER})) ?%",
        lambda match: f"{number(match[1])} percent",
    ),
    rule("per cent", r" ?%", " percent"),
    rule(
        "scale",
        r"(?<![\w.])(\d{1,3}(?:\.\d{1,20})?) ?(mn|bn)\b",
        lambda match: f"{number(match[1])} {SCALES[match[2]]}",
    ),
    rule(
        "power",
        r"(?<![\w.])(\d{1,9}|[a-zA-Z])\^([-−]?)(\d{1,3})\b",
        lambda match: power(match[1], match[2] + match[3]),
    ),
    rule("odds", r"(?<![\d:])([1-9]\d{0,2}):([1-9]\d{0,2})(?![\d:])", _odds),
    rule(
        "decade",
        r"(?:(?<![\w.,-])|(?<=\bmid[-–])|(?<=\blate-)|(?<=\bearly-))([2-9])0['’]?s\b",
        lambda match: decade(int(match[1])),
    ),
    rule(
        "plural",
        r"(?:(?<![\w.,£$€–-])|(?<=[A-Za-z]-))(?!1s\b)([1-9]\d{0,3})s\b(?!\.)",
        _plural,
    ),
    rule("odds", r"(?<![\d:])1:(\d{4,9}|\d{1,3}(?:,\d{3})+)\b", lambda m: f"one to {number(m[1])}"),
    rule("range", r"(?<=\d(?:st|nd|rd|th)) ?[–-] ?(?=\d{1,3}(?:st|nd|rd|th)\b)", " to "),
    rule(
        "ordinal",
        r"\b(\d{0,3}[23])d(?= (?:[A-Z][a-z]+ ){0,2}(?:Cavalry|Infantry|Regiment|Division|Battalion|"
        r"Brigade|Army|Corps|Artillery|Lieutenant|Dragoons|Volunteers|Street|Avenue|District|"
        r"Circuit|Congress|Marines?|Edition|Class)\b)",
        lambda match: ordinal(int(match[1])),
    ),
    rule(
        "ordinal",
        r"\b(\d{1,3}(?:,\d{3}){1,3}|\d{1,12})(?:st|nd|rd|th)\b",
        lambda match: ordinal(int(match[1].replace(",", ""))),
    ),
    rule(
        "sign",
        r"(?<=\w) ?([+=<>−×÷±≈]) ?(?=\d)|(?<=\d) - (?=\d)",
        lambda match: f" {_SIGNS[match[1] or '-']} ",
    ),
    rule(
        "minus",
        rf"(?<![\w.)])[-−]((?:{NUMBER}))(?![\w])",
        lambda match: f"minus {number(match[1])}",
    ),
    rule(
        "number",
        r"(?<![\w.])(?:\d{1,3}(?:,\d{3}){1,6}(?!\d)|\d{1,400})(?:\.\d{1,400})?(?!\d)"
        r"|(?<![\w.])\.\d{1,20}",
        _number,
    ),
    rule("digits", r"\d{1,400}", lambda match: f" {_left_over(match[0])} "),
)

AMOUNTS = MONEY + ANGLES + PARTS + _FRACTIONS + MEASURES + _NUMBERS
"""In this order; the last rules read every digit that nobody else has read."""


def _left_over(text: str) -> str:
    """Digits beside letters or dots: short ones as a number, long ones one by one."""
    return whole(text) if len(text) <= 2 else digits(text)
