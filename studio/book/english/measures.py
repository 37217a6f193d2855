"""Lengths, weights, angles and temperatures."""

from __future__ import annotations

import re

from studio.book.english.money import NUMBER, sentence_stop
from studio.book.numerals import cardinal, number
from studio.book.rules import Rule, rule

UNITS = {
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
    "km/s": ("kilometre per second", "kilometres per second"),
    "mi/h": ("mile per hour", "miles per hour"),
    "ft/s": ("foot per second", "feet per second"),
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
    "gal": ("gallon", "gallons"),
    "gals": ("gallon", "gallons"),
    "qt": ("quart", "quarts"),
    "cwt": ("hundredweight", "hundredweight"),
    "tsp": ("teaspoon", "teaspoons"),
    "tbsp": ("tablespoon", "tablespoons"),
    "ha": ("hectare", "hectares"),
    "kWh": ("kilowatt hour", "kilowatt hours"),
    "yr": ("year", "years"),
    "yrs": ("year", "years"),
    "wk": ("week", "weeks"),
    "wks": ("week", "weeks"),
    "mos": ("month", "months"),
    "ins": ("inch", "inches"),
    "cc": ("c c", "c c"),
    "doz": ("dozen", "dozen"),
    "tsps": ("teaspoon", "teaspoons"),
    "tbsps": ("tablespoon", "tablespoons"),
    "dB": ("decibel", "decibels"),
    "rpm": ("revolution per minute", "revolutions per minute"),
}
_WORDS_TOO = frozenset(("in",))
"""Measures that are words as well; only their place tells: ``5 in. long``, ``at 5 in the rain``."""
_DOTTED = frozenset(
    "ft in yd yds mi lb lbs oz hr hrs min mins sec secs ml cm gal gals qt cwt tsp tbsp tsps tbsps "
    "yr yrs wk wks mos ins doz".split()
)
"""Measures that are often written with a full stop of their own."""
_MEASURED = (
    "bag|box|tin|jar|jug|weight|bottle|sack|drive|disk|pole|rope|line|tank|gun|stick|card|rod|"
    "race|run|walk|mark|zone|limit|piece|plank|board|gap|wall|drop|baby|man|cable|screen"
)
"""Before these a measure stands in the singular: a five pound bag."""
_ADJECTIVES = "km|cm|mm|kg|lb|oz|ft|yd|mi|ml|mph|hp|kW|MW|gal|m|W|V|GB|MB|cc"
MEASURE = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))


def _measure(match: re.Match[str]) -> str:
    """``6 ft.``, ``5 km``, ``a 5 lb. bag``."""
    one, many = UNITS[match[2]]
    after = match.string[match.end() : match.end() + 12]
    if (
        match[2] in _WORDS_TOO
        and not match[3]
        and match[0][len(match[1])] in " -"
        and not re.match(r"$|\.(?!\w)| (?:long|wide|tall|high|deep|thick|by|x|×)\b", after)
    ):
        return match[0]
    adjective = re.match(r"-(?:long|wide|tall|high|deep|thick)\b", after) is not None
    singular = match[1] == "1" or match[4] is not None or adjective
    words = f"{number(match[1])} {one if singular else many}"
    stop = "." if match[3] and match[2] not in _DOTTED else ""
    return words + stop + (f" {match[4]}" if match[4] else "")


_PER = {
    "lb": "pound",
    "oz": "ounce",
    "kg": "kilogram",
    "hr": "hour",
    "min": "minute",
    "sec": "second",
    "gal": "gallon",
    "ton": "ton",
    "acre": "acre",
}
_FLAT = {
    "ft": "feet",
    "mi": "miles",
    "in": "inches",
    "yd": "yards",
    "yds": "yards",
    "km": "kilometres",
    "m": "metres",
}


def _area(match: re.Match[str]) -> str:
    """``20 sq. ft.`` and ``5 cu. yd.``."""
    power = "square" if match[2] == "sq" else "cubic"
    words = _FLAT.get(match[3], match[3])
    if match[1] == "1":
        words = {"feet": "foot", "inches": "inch"}.get(words, words.rstrip("s"))
    return f"{number(match[1])} {power} {words}{sentence_stop(match)}"


def _inches(match: re.Match[str]) -> str:
    """``6'2"`` as a height; from 13 on the second number counts seconds, as in ``4′33″``."""
    first, second = int(match[1]), int(match[2])
    if second > 12:
        return f"{_counted(first, 'minute')} {_counted(second, 'second')}"
    return f"{cardinal(first)} foot {cardinal(second)}"


_QUOTED = 200
"""How far back an opening quotation mark is looked for, in characters."""


def _feet(match: re.Match[str]) -> str:
    """``12'``; not where a quotation that opened before may end here."""
    if match[0].endswith("'") and re.search(
        r"(?:^|[\s(])'", match.string[max(0, match.start() - _QUOTED) : match.start()]
    ):
        return match[0]
    return f"{cardinal(int(match[1]))} {'foot' if match[1] == '1' else 'feet'}"


def _counted(many: int, thing: str) -> str:
    """``one degree``, ``two degrees``."""
    return f"{cardinal(many)} {thing}{'' if many == 1 else 's'}"


_QUARTERS = {"N": "north", "S": "south", "E": "east", "W": "west"}


def _place(match: re.Match[str]) -> str:
    """``40° 26′ N``."""
    words = [_counted(int(match[1]), "degree"), _counted(int(match[2]), "minute")]
    if match[3]:
        words.append(f"{number(match[3])} second{'' if match[3] == '1' else 's'}")
    if match[4]:
        words.append(_QUARTERS[match[4]])
    return " ".join(words)


def _span_of_size(match: re.Match[str]) -> str:
    """``10' x 12'``."""
    unit = "feet" if match[2] in "'’′" else "inches"
    return f"{cardinal(int(match[1]))} {unit} by {cardinal(int(match[3]))} {unit}"


def _temperature(match: re.Match[str]) -> str:
    """``20°C``."""
    scale = {"C": " Celsius", "F": " Fahrenheit", "K": " kelvin"}.get(match[2] or "", "")
    return f"{number(match[1])} degree{'' if match[1] == '1' else 's'}{scale}"


ANGLES: tuple[Rule, ...] = (
    rule(
        "ages and spans",
        r"(?<![\w.,–-])(\d{1,3})[–-](\d{1,3})"
        r"(?=-(?:year|month|week|day|hour|minute|mile|foot)s?\b)",
        lambda match: f"{cardinal(int(match[1]))} to {cardinal(int(match[2]))}",
    ),
    rule(
        "place on the globe",
        r"\b([Ll])(at|ong)\.? (?=\d{1,3}(?:\.\d{1,6})? ?°)",
        lambda match: f"{match[1]}{match[2]}itude ",
    ),
    rule(
        "degrees and minutes",
        r"\b(\d{1,3}) ?° ?(\d{1,2}) ?['’′](?: ?(\d{1,2}(?:\.\d{1,6})?) ?(?:[\"”″]|''))?"
        r"(?: ?([NSEW])\b(?:\.(?=[,;)]))?)?",
        _place,
    ),
    rule(
        "feet and inches",
        r"\b(\d{1,3})(['’′\"”″]) ?[x×] ?(\d{1,3})\2",
        _span_of_size,
    ),
    rule("feet and inches", r"\b(\d)['’′] ?(\d{1,2})(?:[\"”″]|'')", _inches),
    rule("feet and inches", r"\b([3-9])['’′](\d|1[01])\b(?![\w'’′\"”″])", _inches),
    rule("feet and inches", r"\b(\d{1,3})(?:′|'(?=[\s,;.)]|$))", _feet),
    rule(
        "feet and inches",
        r"\b(\d{1,2})(?:″|\")(?= (?:screen|gun|pipe|nail|record|single|shell|mortar|board)\b)",
        lambda match: f"{cardinal(int(match[1]))} inch",
    ),
    rule(
        "feet and inches",
        r"\b(\d{1,3})['’′](?=[- ](?:tall|high|long|wide|deep|thick)\b)",
        lambda match: f"{cardinal(int(match[1]))} {'foot' if match[1] == '1' else 'feet'}",
    ),
    rule(
        "feet and inches",
        r"\b(\d{1,3})(?:″|\"(?=[- ](?:tall|high|long|wide|deep|thick|screen|gun|pipe|nail)\b))",
        lambda match: f"{cardinal(int(match[1]))} {'inch' if match[1] == '1' else 'inches'}",
    ),
    rule(
        "angle",
        r"\b([Aa]n? \d{1,3}) ?° (?=(?:angle|turn|bend|slope|corner|view|arc|tilt|rotation)\b)",
        lambda match: f"{match[1]} degree ",
    ),
    rule(
        "range",
        r"(?<![\w.–-])(\d{1,3}) ?[–-] ?(?=\d{1,3} ?°)",
        lambda match: f"{cardinal(int(match[1]))} to ",
    ),
    rule(
        "degrees",
        r"(?<![\w.])(\d{1,3}(?:\.\d{1,6})?) ?° ?([NSEW])\b(?!\.\w)(?:\.(?=[,;)]))?",
        lambda match: f"{number(match[1])} degrees {_QUARTERS[match[2]]}",
    ),
    rule("temperature", rf"((?<![\w.])[-−]?(?:{NUMBER})) ?°\s?([CFK])?(?![A-Za-z])", _temperature),
)
"""Before fractions."""

MEASURES: tuple[Rule, ...] = (
    rule(
        "measure",
        r"(?<=\d) ?m\.p\.h\b\.?",
        lambda match: " miles per hour" + sentence_stop(match),
    ),
    rule(
        "stone",
        r"(?<![\w.])(\d{1,2}) ?st\.? (?=\d{1,2} ?lbs?\b)",
        lambda match: f"{cardinal(int(match[1]))} stone ",
    ),
    rule(
        "per",
        rf"(?<=\w)\.?/({'|'.join(_PER)})\b(?!/)\.?",
        lambda match: f" per {_PER[match[1]]}" + sentence_stop(match),
    ),
    rule(
        "times",
        r"(?<![\w.])(\d{1,4})[x×]"
        r"(?= (?:faster|slower|more|as|bigger|better|larger|smaller|the|daily|weekly|a day|per)\b)",
        lambda match: f"{cardinal(int(match[1]))} times",
    ),
    rule(
        "scale",
        r"(?<![\w.])(\d{1,4}(?:\.\d{1,4})?)m"
        r"(?= (?:people|men|women|copies|users|viewers|homes|jobs)\b)",
        lambda match: f"{number(match[1])} million",
    ),
    rule("times", r"(?<=\d) ?× ?(?=\d{1,9}(?:\.\d{1,9})? ?=)", " times "),
    rule(
        "area",
        rf"((?<![\w.])(?:{NUMBER}))[ -]?(sq|cu)\.? ?"
        r"(ft|mi|in|yds?|km|m|miles?|feet|yards?|inches)\b\.?",
        _area,
    ),
    rule(
        "measure",
        rf"\b([Aa]n? (?!1\b)(?:{NUMBER}))[ -]?({_ADJECTIVES})\b\.? "
        r"(?=(?!of|from|away|to|and|or|in|on|at|by|per|for|than|above|below|is|was|he|she|i\b)[a-z])",
        lambda match: f"{match[1]} {UNITS[match[2]][0]} ",
    ),
    rule(
        "measure",
        rf"((?<![\w.–-])(?:{NUMBER}))-({MEASURE})\b\.? (?=[a-z])",
        lambda match: f"{number(match[1])} {UNITS[match[2]][0]} ",
    ),
    rule(
        "size",
        r"((?:\b\d{1,9}|\.\d)(?:\.\d{1,9})?(?: ?(?:mm|cm|km|m|in|ft))?) ?[×x] ?(?=\d)",
        lambda match: f"{match[1]} by ",
    ),
    rule(
        "range",
        r"(?<![\w.–-])(\d{1,9}(?:\.\d{1,9})?) ?[–-] ?"
        rf"(?=\d{{1,9}}(?:\.\d{{1,9}})? ?(?:{MEASURE})\b(?! (?:the|an?)\b))",
        lambda match: f"{number(match[1])} to ",
    ),
    rule(
        "measure",
        rf"((?<![\w.])[-−]?(?:{NUMBER}))[ -]?({MEASURE})\b(?!\.\w)"
        rf"(\.(?=\s*(?:[a-z,;)]|$|\d{{1,3}}[½¼¾]? ?(?:in|oz|mins?|secs?|ft)\b))(?!$))?"
        rf"(?: ({_MEASURED})\b)?",
        _measure,
    ),
)
"""After fractions."""
