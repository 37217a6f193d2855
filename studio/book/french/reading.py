"""How a reader of French says numbers, dates, measures and abbreviations."""

from __future__ import annotations

import re

from studio.book.european import (
    MINUS,
    NUMBER,
    Numbers,
    addresses,
    ends_here,
    expanded,
    fractions,
    leftover_digits,
    ratio,
    roman_heading,
    signs,
    told_ratios,
)
from studio.book.french.numerals import cardinal, digits, ordinal
from studio.book.french.words import (
    ABBREVIATIONS,
    CURRENCIES,
    FEMININE_UNITS,
    FRACTIONS,
    HALVED_FEMININE,
    MONTH,
    MONTHS,
    NUMBERED,
    QUEENS,
    RULERS,
    SHORT_MONTHS,
    SIGNS,
    THINGS,
    TITLES,
    UNITS,
)
from studio.book.numerals import ROMAN, roman_value
from studio.book.rules import Rule, rule

_NUMBERS = Numbers(cardinal, digits, "virgule", "moins", by_digits=False)
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_SCALES = r"milliers|millions?|milliards?"
_CURRENCY = "€|\\$|£|¥|F\\b"


def _feminine(words: str) -> str:
    """``vingt et une``."""
    return f"{words}e" if words == "un" or words.endswith((" un", "-un")) else words


def _day(text: str) -> str:
    """``1`` → ``premier``; other days are cardinals."""
    return "premier" if int(text) == 1 else cardinal(int(text))


def _date(match: re.Match[str]) -> str:
    """``3 mai 1912`` and ``1er mai``."""
    return f"{_day(match[1])} {match[2]}" + (f" {cardinal(int(match[3]))}" if match[3] else "")


def _date_in_figures(match: re.Match[str]) -> str:
    """``03/05/1912`` and ``2025-03-04``."""
    day, month = int(match["day"]), int(match["month"])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return match[0]
    return f"{_day(match['day'])} {MONTHS[month - 1]} {cardinal(int(match['year']))}"


def _time(match: re.Match[str]) -> str:
    """``17h30``, ``8 h``, ``10:05``."""
    hours = int(match[1])
    words = f"{_feminine(cardinal(hours))} heure{'' if hours < 2 else 's'}"
    if match[2] and int(match[2]):
        words += f" {_feminine(cardinal(int(match[2])))}"
    return words + ("." if match[0].endswith(".") and ends_here(match) else "")


def _ordinal(match: re.Match[str]) -> str:
    """``1er``, ``2e``, ``3ème``."""
    ending = match[2]
    return ordinal(int(match[1]), feminine=ending in ("re", "ère", "res", "ères")) + (
        "s" if ending.endswith("s") else ""
    )


def _roman_ordinal(match: re.Match[str]) -> str:
    """``XIXe``, ``Ier``."""
    value = roman_value(match[1])
    return ordinal(value, feminine=match[2] in ("re", "ère")) if value else match[0]


def _ruler(match: re.Match[str]) -> str:
    """``Louis XIV``, ``François Ier``, ``Élisabeth II``."""
    name, value = match[1], roman_value(match[2])
    if match[2] == "I" and not match[3]:
        return match[0]
    return f"{name} {ordinal(1, name in QUEENS) if value == 1 else cardinal(value)}"


def _money(match: re.Match[str]) -> str:
    """``3,50 €``, ``$5``, ``3 millions d’euros``."""
    amount, scale = match["amount"], match["scale"]
    one, many = CURRENCIES[match["sign"]]
    if scale:
        of = "d’" if many[0] in "aeiouy" else "de "
        name = {"M": "millions", "Md": "milliards", "Mds": "milliards", "k": "mille"}.get(
            scale, scale
        )
        if name == "mille":
            return f"{_NUMBERS.read(amount)} mille {many}"
        single = name.removesuffix("s") if amount in ("0", "1") or amount.startswith("1,") else name
        return f"{_NUMBERS.read(amount)} {single} {of}{many}"
    before, _, after = amount.partition(",")
    words = _NUMBERS.read(before)
    if one in FEMININE_UNITS:
        words = _feminine(words)
    words = f"{words} {one if before in ('0', '1') else many}"
    if not after or not int(after):
        return words
    return (
        f"{words} {cardinal(int(after))}" if len(after) == 2 else f"{_NUMBERS.read(amount)} {many}"
    )


def _measure(match: re.Match[str]) -> str:
    """``5 km``; below two the measure stands in the singular."""
    one, many = UNITS[match[2]]
    number = match[1].lstrip("-−–")
    single = number in ("0", "1") or number.startswith(("0,", "1,"))
    words = _NUMBERS.read(match[1])
    return f"{_feminine(words) if one in FEMININE_UNITS else words} {one if single else many}"


def _temperature(match: re.Match[str]) -> str:
    """``-5 °C``."""
    scale = {"C": "", "F": " Fahrenheit"}.get(match[2] or "", "")
    single = match[1].lstrip("-−–") in ("0", "1")
    return f"{_NUMBERS.read(match[1])} degré{'' if single else 's'}{scale}"


def _mixed(match: re.Match[str]) -> str:
    """``2 ½``."""
    part = "demi" if match[2] == "½" else FRACTIONS[match[2]]
    return f"{cardinal(int(match[1]))} et {part}"


def _half(match: re.Match[str]) -> str:
    """``2½ heures`` and ``½ livre``; before a word that is counted by no halves as it is."""
    noun = match[2]
    if noun in _NO_NOUNS:
        return match[0]
    woman = noun.removesuffix("s") in HALVED_FEMININE
    if match[1]:
        words = cardinal(int(match[1]))
        noun = noun.removesuffix("s") if match[1] == "1" else noun
        return f"{_feminine(words) if woman else words} {noun} et demi{'e' if woman else ''}"
    return f"{'une' if woman else 'un'} demi-{noun}"


_NO_NOUNS = frozenset("de du des le la les et ou à au en par pour sur dans est sont un une".split())


def _fraction(match: re.Match[str]) -> str:
    """``3/4``."""
    over, under = int(match[1]), int(match[2])
    name = {2: "demi", 3: "tiers", 4: "quart"}.get(under, ordinal(under))
    return f"{cardinal(over)} {name}" + ("s" if over > 1 and name != "tiers" else "")


def _telephone(match: re.Match[str]) -> str:
    """``01 23 45 67 89``, two by two."""
    groups = re.findall(r"\d+", match[0])
    words = [
        f"zéro {cardinal(int(group))}"
        if group[0] == "0" and group != "00" and len(group) == 2
        else digits(group)
        if group[0] == "0" or len(group) > 3
        else cardinal(int(group))
        for group in groups
    ]
    return ("plus " if match[0][0] == "+" else "") + ", ".join(words)


HEADINGS = roman_heading(cardinal)

RULES: tuple[Rule, ...] = (
    *addresses(
        {".": "point", "/": "barre oblique", "@": "arobase", "_": "tiret bas", "-": "tiret"}
        | {"?": "point d’interrogation", "=": "égale", "&": "et", ":": "deux-points"}
    ),
    expanded(ABBREVIATIONS),
    expanded(TITLES, follows=r"(?=[\s-]{1,2}[A-ZÀ-ÖØ-Þ])", name="title"),
    rule("numbers", r"\bn ?os (?=\d)", "numéros "),
    rule(
        "abbreviation",
        rf"(?<![\w.])({'|'.join(map(re.escape, NUMBERED))}) ?(?=\d|[IVX]{{1,6}}\b)",
        lambda match: f"{NUMBERED[match[1]]} ",
    ),
    rule(
        "month",
        rf"(?<=\d )({'|'.join(SHORT_MONTHS)})\.",
        lambda match: SHORT_MONTHS[match[1]],
    ),
    rule("date", rf"\b([12]?\d|3[01])(?:er)? ({MONTH})\b(?: (\d{{4}})\b)?", _date),
    rule(
        "date",
        r"(?<![\d/.])(?P<day>\d{1,2})[/.](?P<month>\d{1,2})[/.](?P<year>\d{4})\b(?![/.]?\d)",
        _date_in_figures,
    ),
    rule(
        "date", r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b(?!-)", _date_in_figures
    ),
    *told_ratios(
        cardinal,
        "à",
        "rapport|proportions?|ratio|chances?",
        "gagné|perdu|victoire|défaite",
    ),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4]) ?h\b\.?(?: ?([0-5]\d)\b(?: ?min\b)?)?", _time),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4])h([0-5]\d)\b", _time),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4]):([0-5]\d)\b(?![:.,]?\d)", _time),
    rule(
        "telephone",
        r"(?<![\w.,])(?:\+33 ?\d|0\d)(?:[ .-]?\d\d){4}\b",
        _telephone,
    ),
    rule("ordinal", r"\b(\d{1,4})(ers?|ères?|res?|ièmes?|èmes?|es?|nde?|nds?)\b", _ordinal),
    rule("ruler", rf"\b({RULERS}) ((?=[IVX]){ROMAN})(er|re|ère)?\b", _ruler),
    rule("roman number", rf"\b((?=[IVX]){ROMAN})(er|re|ère|e|ème|ième)\b", _roman_ordinal),
    rule(
        "roman number",
        rf"\b((?i:{THINGS})) ((?=[IVXLC]){ROMAN})\b",
        lambda match: f"{match[1]} {cardinal(roman_value(match[2]))}",
    ),
    rule(
        "money",
        rf"(?<![\w.,])(?P<amount>{NUMBER}) ?(?P<scale>{_SCALES}|Mds?|M|k)? ?(?P<sign>{_CURRENCY})",
        _money,
    ),
    rule(
        "money",
        rf"(?P<sign>[€$£¥]) ?(?P<amount>{NUMBER})(?: (?P<scale>{_SCALES}))?",
        _money,
    ),
    rule(
        "range",
        rf"(?<![\w.,–-])({NUMBER}) ?[–-] ?(?=\d)(?!\d+[–-])",
        lambda match: f"{_NUMBERS.read(match[1])} à ",
    ),
    rule("temperature", rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?°(?: ?([CF])\b)?", _temperature),
    rule(
        "per cent",
        rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?%",
        lambda match: f"{_NUMBERS.read(match[1])} pour cent",
    ),
    rule(
        "half",
        r"(?<![\d/.,])(?:(\d{1,4}) ?)?(?:½|(?:(?<= )|(?<!\d))1/2) ([a-zéèêîôû]{2,20})\b",
        _half,
    ),
    *fractions(_mixed, FRACTIONS, _fraction),
    ratio(cardinal, "contre"),
    rule("measure", rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?({_UNIT})(?![\w²³/’'])", _measure),
    rule("size", r"(?<=\d) ?[×x] ?(?=\d)", " sur "),
    *signs(SIGNS, "moins"),
    rule(
        "number",
        rf"(?<![\w.,])({NUMBER})(?!\d)(?: (?=(heures?|fois|minutes?|secondes?|livres?|années?"
        r"|femmes?|filles?|pages?|maisons?|semaines?)\b))?",
        lambda match: (
            f"{_feminine(_NUMBERS.read(match[1]))} " if match[2] else _NUMBERS.read(match[1])
        ),
    ),
    leftover_digits(_NUMBERS),
)
"""In this order; the last two read every digit that nobody else has read."""
