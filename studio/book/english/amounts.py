"""Money, measures, fractions, ranges and the numbers that are left."""

from __future__ import annotations

import re

from studio.book.numerals import cardinal, decade, digits, number, ordinal, power, whole
from studio.book.rules import Rule, rule

_CURRENCIES = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "€": ("euro", "euros", "cent", "cents"),
    "¥": ("yen", "yen", "sen", "sen"),
    "₹": ("rupee", "rupees", "paisa", "paise"),
    "₽": ("rouble", "roubles", "kopek", "kopeks"),
}
_SCALES = {
    "k": "thousand",
    "K": "thousand",
    "m": "million",
    "M": "million",
    "mn": "million",
    "bn": "billion",
    "B": "billion",
    "b": "billion",
} | {name: name for name in ("hundred", "thousand", "million", "billion", "trillion")}
_UNITS = {
    "km": ("kilometre", "kilometres"),
    "m": ("metre", "metres"),
    "cm": ("centimetre", "centimetres"),
    "mm": ("millimetre", "millimetres"),
    "kg": ("kilogram", "kilograms"),
    "g": ("gram", "grams"),
    "mg": ("milligram", "milligrams"),
    "ml": ("millilitre", "millilitres"),
    "cl": ("centilitre", "centilitres"),
    "l": ("litre", "litres"),
    "ft": ("foot", "feet"),
    "in": ("inch", "inches"),
    "yd": ("yard", "yards"),
    "yds": ("yard", "yards"),
    "mi": ("mile", "miles"),
    "lb": ("pound", "pounds"),
    "lbs": ("pound", "pounds"),
    "oz": ("ounce", "ounces"),
    "mph": ("mile per hour", "miles per hour"),
    "km/h": ("kilometre per hour", "kilometres per hour"),
    "kph": ("kilometre per hour", "kilometres per hour"),
    "m/s": ("metre per second", "metres per second"),
    "hr": ("hour", "hours"),
    "hrs": ("hour", "hours"),
    "min": ("minute", "minutes"),
    "mins": ("minute", "minutes"),
    "sec": ("second", "seconds"),
    "secs": ("second", "seconds"),
    "kB": ("kilobyte", "kilobytes"),
    "KB": ("kilobyte", "kilobytes"),
    "MB": ("megabyte", "megabytes"),
    "GB": ("gigabyte", "gigabytes"),
    "TB": ("terabyte", "terabytes"),
    "Hz": ("hertz", "hertz"),
    "kHz": ("kilohertz", "kilohertz"),
    "MHz": ("megahertz", "megahertz"),
    "GHz": ("gigahertz", "gigahertz"),
    "W": ("watt", "watts"),
    "kW": ("kilowatt", "kilowatts"),
    "MW": ("megawatt", "megawatts"),
    "V": ("volt", "volts"),
    "hp": ("horsepower", "horsepower"),
}
_WORDS_TOO = frozenset(("in",))
"""Measures that are words as well; only their place tells: ``5 in. long``, ``at 5 in the rain``."""
_DOTTED = frozenset("ft in yd yds mi lb lbs oz hr hrs min mins sec secs ml cm".split())
"""Measures that are often written with a full stop of their own."""
_MEASURED = (
    "bag|box|tin|jar|jug|weight|bottle|sack|drive|disk|pole|rope|line|tank|gun|stick|card|rod|"
    "race|run|walk|mark|zone|limit|piece|plank|board|gap|wall|drop|baby|man|cable|screen"
)
"""Before these a measure stands in the singular: a five pound bag."""
_VULGAR = {
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
}
_VULGARS = "".join(_VULGAR)
_NUMBER = r"\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?|\d{1,400}(?:\.\d{1,20})?"
_SCALE = "hundred|thousand|million|billion|trillion|mn|bn|[MmBbKk]"
_MEASURE = "|".join(sorted(map(re.escape, _UNITS), key=len, reverse=True))
_CURRENCY = re.escape("".join(_CURRENCIES))


def _money(match: re.Match[str]) -> str:
    """``$3.50``, ``€3 billion``, ``a $1 bill``."""
    one, many, part, parts = _CURRENCIES[match[1]]
    amount, scale, thing = match[2], match[3], match[4]
    if scale:
        return f"{number(amount)} {_SCALES[scale]} {many}"
    before, _, after = amount.replace(",", "").partition(".")
    if thing:
        return f"{number(amount)} {one} {thing}"
    if before in ("", "0") and len(after) == 2 and int(after):
        return f"{cardinal(int(after))} {part if int(after) == 1 else parts}"
    if not before:
        return f"{number(amount)} {many}"
    words = f"{whole(before)} {one if before == '1' else many}"
    if len(after) == 2 and int(after):
        return f"{words} and {cardinal(int(after))} {part if int(after) == 1 else parts}"
    if len(after) in (0, 2):
        return words
    return f"{number(amount)} {many}"


def _fraction(over: int, under: int) -> str:
    """``three quarters``."""
    names = {2: ("half", "halves"), 4: ("quarter", "quarters")}
    one, many = names.get(under, (ordinal(under), f"{ordinal(under)}s"))
    return f"{cardinal(over)} {one if over == 1 else many}"


def _mixed(match: re.Match[str]) -> str:
    """``2½`` and ``1 1/2``."""
    over, under = _VULGAR[match[4]] if match[4] else (int(match[2]), int(match[3]))
    part = _fraction(over, under)
    if (over, under) in ((1, 2), (1, 4)):
        part = part.replace("one", "a", 1)
    return f"{whole(match[1])} and {part}"


def _measure(match: re.Match[str]) -> str:
    """``6 ft.``, ``5 km``, ``a 5 lb. bag``."""
    one, many = _UNITS[match[2]]
    after = match.string[match.end() : match.end() + 12]
    if (
        match[2] in _WORDS_TOO
        and not match[3]
        and match[0][len(match[1])] in " -"
        and not re.match(r"$|\.(?!\w)| (?:long|wide|tall|high|deep|thick|by|x|×)\b", after)
    ):
        return match[0]
    singular = match[1] == "1" or match[4] is not None
    words = f"{number(match[1])} {one if singular else many}"
    stop = "." if match[3] and match[2] not in _DOTTED else ""
    return words + stop + (f" {match[4]}" if match[4] else "")


def _dollars(match: re.Match[str]) -> str:
    """``US$5`` and ``US$5 million``."""
    scale = f" {_SCALES[match[3]]}" if match[3] else ""
    return f"{number(match[2])}{scale} {' '.join(match[1])} dollars"


def _money_range(match: re.Match[str]) -> str:
    """``$5–10`` and ``£5m–£6m``."""
    scale = f" {_SCALES[match[4]]}" if match[4] else ""
    return f"{number(match[2])} to {number(match[3])}{scale} {_CURRENCIES[match[1]][1]}"


def _temperature(match: re.Match[str]) -> str:
    """``20°C``."""
    scale = {"C": " Celsius", "F": " Fahrenheit", "K": " kelvin"}.get(match[2] or "", "")
    return f"{number(match[1])} degree{'' if match[1] == '1' else 's'}{scale}"


def _by_name(match: re.Match[str]) -> str:
    """``24/7`` and ``9/11``, which are no fractions."""
    first, second = (part for part in match.groups() if part)
    return f"{cardinal(int(first))} {cardinal(int(second))}"


def _number(match: re.Match[str]) -> str:
    """A number, parted from letters right behind it."""
    parted = match.string[match.end() : match.end() + 1].isalpha()
    return number(match[0]) + (" " if parted else "")


def _scored(match: re.Match[str]) -> str:
    """``won 5–4``."""
    return f"{match[1]}{match[2]} {cardinal(int(match[3]))}–{cardinal(int(match[4]))}"


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

AMOUNTS: tuple[Rule, ...] = (
    rule(
        "money",
        rf"\b(US|CA|AU|NZ|HK)\$ ?({_NUMBER})(?: ?({_SCALE})\b)?(?!\d)",
        _dollars,
    ),
    rule(
        "money",
        rf"([{_CURRENCY}])({_NUMBER}) ?[–-] ?\1?({_NUMBER})(?: ?({_SCALE})\b)?(?![\d–-])",
        _money_range,
    ),
    rule(
        "money",
        rf"([{_CURRENCY}]) ?({_NUMBER}|\.\d{{1,20}})"
        rf"(?: ?({_SCALE})\b)?"
        r"(?:[ -](bill|coin|note|stamp|ticket)\b)?(?!\d)",
        _money,
    ),
    rule(
        "money",
        r"\b(\d{1,9}) ?¢",
        lambda match: f"{whole(match[1])} cent{'' if match[1] == '1' else 's'}",
    ),
    rule(
        "feet and inches",
        r"\b(\d)['’′] ?(\d{1,2})(?:\"|”|″|'')",
        lambda match: f"{cardinal(int(match[1]))} foot {cardinal(int(match[2]))}",
    ),
    rule("temperature", rf"((?<![\w.])[-−]?(?:{_NUMBER})) ?°\s?([CFK])?(?![A-Za-z])", _temperature),
    rule(
        "fraction",
        rf"\b(\d{{1,9}})(?: ([1-9])/([2-9]|1[0-6])\b| ?([{_VULGARS}]))",
        _mixed,
    ),
    rule("fraction", f"[{_VULGARS}]", lambda match: _fraction(*_VULGAR[match[0]])),
    # Whole marks and decimals are no fractions: 10/10, 4.5/5.
    rule(
        "out of",
        r"(?<![\d/.])(\d{1,3}\.\d|10(?=/10)|5(?=/5))/(10|5)\b(?![/\d])",
        lambda match: f"{number(match[1])} out of {number(match[2])}",
    ),
    rule("by name", r"(?<![\d/])(24)/(7)\b(?!/)|(?<![\d/])(9|7)/(11)\b(?!/)", _by_name),
    rule(
        "odds",
        r"(?<![\d/])(\d\d)/(\d\d)\b(?!/)",
        lambda match: f"{cardinal(int(match[1]))} {cardinal(int(match[2]))}",
    ),
    rule(
        "fraction",
        r"(?<![\d/])([1-9]\d?)/([2-9]|1[0-2]|16|32|64)\b(?!/)",
        lambda match: _fraction(int(match[1]), int(match[2])),
    ),
    rule(
        "ratio",
        r"\b(odds|ratio|scale|mixed|proportion|chance)(.{0,20}?) (\d{1,3}):(\d{1,6})\b",
        lambda match: (
            f"{match[1]}{match[2]} {cardinal(int(match[3]))} to {cardinal(int(match[4]))}"
        ),
    ),
    rule(
        "size",
        r"((?:\b\d{1,9}|\.\d)(?:\.\d{1,9})?(?: ?(?:mm|cm|km|m|in|ft))?) ?[×x] ?(?=\d)",
        lambda match: f"{match[1]} by ",
    ),
    rule(
        "measure",
        rf"((?<![\w.])[-−]?(?:{_NUMBER}))[ -]?({_MEASURE})\b"
        rf"(\.(?=\s*(?:[a-z,;)]|$))(?!$))?(?: ({_MEASURED})\b)?",
        _measure,
    ),
    rule(
        "score",
        r"\b(scores?|won|lost|beat|drew|win|lead|led|victory|defeat)([^.;\d]{0,16}) "
        r"(\d{1,2})[–-](\d{1,2})\b(?![–-])",
        _scored,
    ),
    rule(
        "range",
        r"(?<![\d–-])(?<!\w[–-])(\d{1,9}(?:\.\d{1,9})?) ?[–-] ?"
        r"(\d{1,9}(?:\.\d{1,9})?)(?![\d–-]|\.\d)",
        lambda match: f"{number(match[1])} to {number(match[2])}",
    ),
    rule(
        "per cent",
        rf"((?<![\w.])[-−]?(?:{_NUMBER})) ?%",
        lambda match: f"{number(match[1])} percent",
    ),
    rule("per cent", r" ?%", " percent"),
    rule(
        "scale",
        r"(?<![\w.])(\d{1,3}(?:\.\d{1,20})?) ?(mn|bn)\b",
        lambda match: f"{number(match[1])} {_SCALES[match[2]]}",
    ),
    rule(
        "power",
        r"(?<![\w.])(\d{1,9}|[a-zA-Z])\^([-−]?)(\d{1,3})\b",
        lambda match: power(match[1], match[2] + match[3]),
    ),
    rule("odds", r"(?<![\d:])([1-9]\d{0,2}):([1-9]\d{0,2})(?![\d:])", _odds),
    rule("decade", r"(?<![\w.,-])([2-9])0s\b", lambda match: decade(int(match[1]))),
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
        rf"(?<![\w.)])[-−]((?:{_NUMBER}))(?![\w])",
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
"""In this order; the last rules read every digit that nobody else has read."""


def _left_over(text: str) -> str:
    """Digits beside letters or dots: short ones as a number, long ones one by one."""
    return whole(text) if len(text) <= 2 else digits(text)
