"""How a reader of German says numbers, dates, measures and abbreviations."""

from __future__ import annotations

import re

from studio.book.abbreviations import STARTERS
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
from studio.book.german.numerals import cardinal, digits, ordinal, year
from studio.book.german.words import (
    ABBREVIATIONS,
    COUNTED_YEARS,
    CURRENCIES,
    CURRENCY_WORDS,
    DATIVE,
    DAYS,
    FEMININE,
    FEMININE_THINGS,
    FRACTIONS,
    HALVED,
    HALVED_FEMININE,
    HALVED_MASCULINE,
    KINGS,
    MASCULINE_THINGS,
    MONTH,
    MONTHS,
    NEUTER,
    NUMBERED,
    PREPOSITIONS,
    QUEENS,
    SHORT_MONTHS,
    SIGNS,
    TITLES,
    UNIT,
    UNITS,
)
from studio.book.numerals import ROMAN, roman_value
from studio.book.rules import Rule, rule

_NUMBERS = Numbers(cardinal, digits, "Komma", "minus", by_digits=True)


def _one(words: str) -> str:
    """``eins`` before what it counts: ``ein``."""
    return words[:-1] if words.endswith("eins") else words


def _ending(match: re.Match[str], noun: str) -> str:
    """The ending that an ordinal takes behind the word before it."""
    before = match.string[max(0, match.start() - 40) : match.start()]
    # "die 7. und 8. Klasse": both take the same ending.
    before = re.sub(r"\d{1,3}\. (?:und|oder|bis) $", "", before)
    words = re.findall(r"[\wäöüÄÖÜß]+", before)[-2:]
    last = words[-1].lower() if words and before.endswith(" ") else ""
    if re.fullmatch(DATIVE, last) or last == "bis":
        return "en"
    if last == "der" and len(words) > 1 and re.fullmatch(PREPOSITIONS, words[0].lower()):
        return "en"
    if last in ("der", "die", "das", "eine", "ins", "jede", "ihre", "seine", "dieser", "diese"):
        return "e"
    return "es" if re.match(NEUTER, noun) else "er"


def _date(match: re.Match[str]) -> str:
    """``3. Oktober 1912``."""
    words = f"{ordinal(int(match[1]), _ending(match, match[2]))} {match[2]}"
    return words + (f" {year(int(match[3]))}" if match[3] else "")


def _dotted_date(match: re.Match[str]) -> str:
    """``3.10.1912`` and ``24.12.``."""
    day, month = int(match[1]), int(match[2])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return match[0]
    name = MONTHS[month - 1]
    words = f"{ordinal(day, _ending(match, name))} {name}"
    return (
        f"{words} {year(int(match[3]))}" if match[3] else words + ("." if ends_here(match) else "")
    )


def _iso_date(match: re.Match[str]) -> str:
    """``2025-03-04``."""
    month, day = int(match[2]), int(match[3])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return match[0]
    name = MONTHS[month - 1]
    return f"{ordinal(day, _ending(match, name))} {name} {year(int(match[1]))}"


def _time(match: re.Match[str]) -> str:
    """``17.30 Uhr`` and ``8:05``."""
    words = f"{_one(cardinal(int(match[1])))} Uhr"
    return words + (f" {cardinal(int(match[2]))}" if int(match[2]) else "")


def _ordinal(match: re.Match[str]) -> str:
    """``der 3. Mann``; not where a sentence starts behind the stop."""
    if match[2] in STARTERS:
        return match[0]
    if match.start() == 0:
        if re.match(FEMININE_THINGS, match[2]):
            return ordinal(int(match[1]), "e")
        if not re.match(f"{NEUTER}|{MASCULINE_THINGS}", match[2]):
            return f"{cardinal(int(match[1]))}."  # A list: "1. Öffne die Tür."
    return ordinal(int(match[1]), _ending(match, match[2]))


def _regnal(match: re.Match[str]) -> str:
    """``Karl V.``, ``Karls V.``, ``von Karl V.``"""
    value = roman_value(match["numeral"])
    name = match["name"]
    before = match.string[max(0, match.start() - 20) : match.start()]
    preposition = re.search(r"(\w+) (?:König |Kaiser |Papst |Zar |Königin )?$", before)
    word = preposition[1].lower() if preposition else ""
    queen = re.fullmatch(rf"(?:{QUEENS})s?", name) is not None
    if name.endswith("s") and name[:-1] in (KINGS + "|" + QUEENS).split("|"):
        spoken = f"{'der' if queen else 'des'} {_capital(ordinal(value, 'en'))}"
    elif word in ("von", "mit", "unter", "bei", "zu", "nach", "vor", "seit", "gegenüber"):
        spoken = f"{'der' if queen else 'dem'} {_capital(ordinal(value, 'en'))}"
    elif word in ("gegen", "für", "durch", "ohne", "um", "über") and not queen:
        spoken = f"den {_capital(ordinal(value, 'en'))}"
    else:
        spoken = f"{'die' if queen else 'der'} {_capital(ordinal(value, 'e'))}"
    return f"{name} {spoken}" + ("." if match[0].endswith(".") and ends_here(match) else "")


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def _money(match: re.Match[str]) -> str:
    """``3,50 €``."""
    amount, scale = match["amount"], match["scale"]
    name = CURRENCIES.get(match["sign"], match["sign"])
    if scale:
        return f"{_NUMBERS.read(amount)} {UNITS.get(scale, scale)} {name}"
    before, _, after = amount.partition(",")
    words = f"{_one(_NUMBERS.read(before))} {name}"
    if not after or after in ("00", "-", "–"):
        return words
    if len(after) == 2:
        return f"{words} {cardinal(int(after))}"
    return f"{_NUMBERS.read(amount)} {name}"


def _measure(match: re.Match[str]) -> str:
    """``5 km``."""
    unit = UNITS[match[2]]
    if match[1] == "1":
        one = "eine" if unit in ("Millionen", "Milliarden", "Stunden", "Minuten") else "ein"
        unit = {"Millionen": "Million", "Milliarden": "Milliarde", "Tonnen": "Tonne"}.get(
            unit, unit
        )
        unit = unit.removesuffix("n") if unit in ("Stunden", "Minuten", "Sekunden") else unit
        words = f"{'eine' if unit in ('Tonne', 'Sekunde') else one} {unit}"
    else:
        words = f"{_NUMBERS.read(match[1])} {unit}"
    return words + ("." if match[2].endswith(".") and ends_here(match) else "")


def _mixed(match: re.Match[str]) -> str:
    """``2½``: zweieinhalb."""
    part = FRACTIONS[match[2]]
    if part == "einhalb":
        return f"{_one(cardinal(int(match[1])))}{part}"
    return f"{cardinal(int(match[1]))} {part}"


def _half(match: re.Match[str]) -> str:
    """``½ Pfund``, ``½ Stunde``, ``½ l``."""
    noun = UNITS.get(match[1], match[1])
    one = {"Tonnen": "Tonne", "Millionen": "Million"}.get(noun, noun)
    if re.fullmatch(HALVED_FEMININE, one):
        return f"eine halbe {one}"
    return f"ein {'halber' if re.fullmatch(HALVED_MASCULINE, one) else 'halbes'} {one}"


def _fraction(match: re.Match[str]) -> str:
    """``3/4``."""
    over, under = int(match[1]), int(match[2])
    if under == 2:
        return "einhalb" if over == 1 else f"{cardinal(over)} halbe"
    return f"{_one(cardinal(over))} {_capital(ordinal(under, 'el'))}"


def _years(match: re.Match[str]) -> str:
    """``1914–18`` and ``1789–1799``."""
    return f"{year(int(match[1]))} bis {year(int(match[2]))}"


def _single(match: re.Match[str]) -> str:
    """``1 Mann``, ``1 Wohnung``."""
    return f"{'eine' if FEMININE.match(match[1]) else 'ein'} {match[1]}"


HEADINGS = roman_heading(cardinal)

RULES: tuple[Rule, ...] = (
    *addresses(
        {".": "Punkt", "/": "Schrägstrich", "@": "at", "_": "Unterstrich", "-": "minus"}
        | {"?": "Fragezeichen", "=": "gleich", "&": "und", "%": "Prozent", ":": "Doppelpunkt"}
    ),
    expanded(ABBREVIATIONS),
    expanded(TITLES, follows=r"(?=\s?[A-ZÄÖÜ])", name="title"),
    rule(
        "street",
        r"(?<=\w)([sS])tr\.(?=\s|$)",
        lambda m: f"{m[1]}traße" + ("." if ends_here(m) else ""),
    ),
    rule(
        "abbreviation",
        rf"(?<![\w.])({'|'.join(map(re.escape, NUMBERED))}) ?(?=\d|[IVX]{{1,6}}\b)",
        lambda match: f"{NUMBERED[match[1]]} ",
    ),
    rule(
        "weekdays",
        r"\b(Mo|Di|Mi|Do|Fr|Sa)\.?[–-](Di|Mi|Do|Fr|Sa|So)\b\.?",
        lambda m: f"{DAYS[m[1]]} bis {DAYS[m[2]]}",
    ),
    rule(
        "month",
        rf"(?<=\d\. )({'|'.join(SHORT_MONTHS)})\b\.?",
        lambda match: (
            SHORT_MONTHS[match[1]]
            + ("." if match[0][-1] == "." and (match[1] == "Mai" or ends_here(match)) else "")
        ),
    ),
    rule("date", rf"\b([12]?\d|3[01])\. ({MONTH})\b(?: (\d{{4}})\b)?", _date),
    rule("date", r"(?<![\d.])(\d{1,2})\. ?(\d{1,2})\. ?(\d{4})\b(?!\.?\d)", _dotted_date),
    rule("date", r"(?<![\d.,])(\d{1,2})\.(\d{1,2})\.()(?!\d)", _dotted_date),
    rule("date", r"(?<![\d-])(\d{4})-(\d\d)-(\d\d)\b(?!-)", _iso_date),
    *told_ratios(
        cardinal,
        "zu",
        "verhältnis|maßstab|chancen?|quote|mischung",
        "gewonnen|verloren|gewann|verlor|siegte|unterlag|geschlagen|Sieg|Niederlage",
    ),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4])[.:]([0-5]\d) Uhr\b", _time),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4]):([0-5]\d)\b(?![:.,]?\d)", _time),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4])()(?= Uhr\b)", lambda m: _one(cardinal(int(m[1])))),
    rule(
        "telephone",
        r"(?<![\w.,])(?:\+\d{1,3}|0\d{1,5})[ /-]\d{2,9}(?:[ -]\d{1,8}){0,4}\b",
        lambda match: (
            ("plus " if match[0][0] == "+" else "")
            + ", ".join(digits(group) for group in re.findall(r"\d+", match[0]))
        ),
    ),
    rule(
        "century",
        rf"\b({ROMAN})\. (?=Jahrhundert|Kapitel|Akt|Teil|Buch)",
        lambda match: (
            f"{ordinal(roman_value(match[1]), _ending(match, match.string[match.end() :][:12]))} "
        ),
    ),
    rule(
        "regnal number",
        rf"\b(?P<name>(?:{KINGS}|{QUEENS})s?) (?P<numeral>(?=[IVXL]){ROMAN})\b\.",
        _regnal,
    ),
    rule(
        "roman number",
        rf"\b(Kapitel|Teil|Buch|Band|Akt|Szene|Abschnitt|Weltkrieg|Seite|Nummer) "
        rf"((?=[IVXLC]){ROMAN})\b",
        lambda match: f"{match[1]} {cardinal(roman_value(match[2]))}",
    ),
    rule(
        "decade",
        r"(?<![\w.,])(\d{4}|\d\d)er(n?)\b(?:-(?=Jahr))?",
        lambda m: (
            f"{_one(year(int(m[1])))}er{m[2]} ".removesuffix(" ")
            + (" " if m[0].endswith("-") else "")
        ),
    ),
    rule(
        "years",
        r"(?<![\d.,/–-])(1\d{3}|20\d\d)/(\d\d)\b(?![.,/]?\d)",
        lambda match: f"{year(int(match[1]))} {cardinal(int(match[2]))}",
    ),
    rule(
        "joined",
        r"(?<=\d)-(?=(?:jährig|tägig|stündig|minütig|wöchig|monatig|köpfig|stöckig|teilig|fach|mal)"
        r"(?:e[mnrs]?)?\b)",
        "",
    ),
    rule("years", r"(?<![\d.,–-])(1\d{3}|20\d\d) ?[–-] ?(1\d{3}|20\d\d|\d\d)\b(?![.,]?\d)", _years),
    rule(
        "half",
        rf"(?<![\d/] )(?<![\d/])(?:½|1/2) ({HALVED}|{UNIT})(?![\w²³/])",
        _half,
    ),
    rule(
        "fraction",
        r"(?<![\d/.,])(\d{1,3}) ([1-9])/([2-9])\b(?![/\d])",
        lambda m: (
            f"{_one(cardinal(int(m[1])))}einhalb"
            if (m[2], m[3]) == ("1", "2")
            else f"{cardinal(int(m[1]))} {_one(cardinal(int(m[2])))} "
            + _capital(ordinal(int(m[3]), "el"))
        ),
    ),
    rule(
        "money",
        rf"(?<![\w.,])(?P<amount>(?:{NUMBER})(?:,[–-])?)"
        r"(?: (?P<scale>Mio\.|Mrd\.|Millionen|Milliarden))? ?"
        rf"(?P<sign>[€$£¥]|(?:{CURRENCY_WORDS})\b)",
        _money,
    ),
    rule(
        "money",
        rf"(?P<sign>[€$£¥]) ?(?P<amount>{NUMBER})(?: (?P<scale>Mio\.|Mrd\.|Millionen|Milliarden))?",
        _money,
    ),
    rule(
        "range",
        rf"(?<![\w.,–-])({NUMBER}) ?(?:%|°C?)? ?[–-] ?(?=\d)(?!\d+[–-])",
        lambda m: f"{_NUMBERS.read(m[1])} bis ",
    ),
    rule(
        "temperature",
        rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?°(?: ?C\b)?",
        lambda m: f"{_one(_NUMBERS.read(m[1]))} Grad",
    ),
    rule(
        "per cent",
        rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?(?:%|Prozent\b)",
        lambda m: f"{_one(_NUMBERS.read(m[1]))} Prozent",
    ),
    rule(
        "measure",
        rf"\b(\d{{1,4}}) ?([½¼¾⅓⅔⅛]) ?({UNIT})(?![\w²³/])",
        lambda match: f"{_mixed(match)} {UNITS[match[3]]}",
    ),
    *fractions(_mixed, FRACTIONS, _fraction),
    ratio(cardinal, "zu"),
    rule("measure", rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?({UNIT})(?![\w²³/])", _measure),
    rule(
        "times",
        r"(?<![\w.,])(\d{1,4})[x×](?= )",
        lambda match: f"{_one(cardinal(int(match[1])))}mal",
    ),
    rule("size", r"(?<=\d) ?[×x] ?(?=\d)", " mal "),
    rule("ordinal", r"(?<![\w.,])(\d{1,3})\.(?= ([A-Za-zÄÖÜäöü]\w*))", _ordinal),
    rule(
        "year",
        rf"(?<![\w.,])(1[1-9]\d\d)\b(?![.,]\d)(?! (?:{COUNTED_YEARS})\b)",
        lambda match: year(int(match[1])),
    ),
    rule("one", r"(?<![\w.,–-])1 ([A-ZÄÖÜ][a-zäöüß]{2,40})\b", _single),
    *signs(SIGNS, "minus"),
    rule("number", rf"(?<![\w.,])(?:{NUMBER})(?!\d)", lambda match: _NUMBERS.read(match[0])),
    leftover_digits(_NUMBERS),
)
"""In this order; the last two read every digit that nobody else has read."""
