"""How a reader of Spanish says numbers, dates, measures and abbreviations."""

from __future__ import annotations

import re
from functools import lru_cache

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
from studio.book.numerals import ROMAN, roman_value
from studio.book.rules import Rule, rule
from studio.book.spanish.numerals import (
    before_noun,
    cardinal,
    digits,
    feminine,
    feminine_ordinal,
    ordinal,
)
from studio.book.spanish.words import (
    ABBREVIATIONS,
    CURRENCIES,
    FEMININE_IN_ES,
    FRACTIONS,
    MASCULINE_IN_A,
    MONTH,
    MONTHS,
    NO_NOUNS,
    NUMBERED,
    PESOS,
    QUEENS,
    RULERS,
    SIGNS,
    THINGS,
    TITLES,
    UNITS,
)

_NUMBERS = Numbers(cardinal, digits, "coma", "menos", by_digits=False)
_UNIT = "|".join(sorted(map(re.escape, UNITS), key=len, reverse=True))
_SCALES = "mil|millón|millones|billones"
_POINT_COUNTRIES = frozenset("mx us pr gt hn ni sv do pa".split())
"""Where a point parts decimals and a comma parts thousands."""


def _date(match: re.Match[str]) -> str:
    """``3 de mayo de 1912``."""
    words = f"{cardinal(int(match[1]))} de {match[2]}"
    return words + (f" {match[3]} {cardinal(int(match[4]))}" if match[4] else "")


def _date_in_figures(match: re.Match[str]) -> str:
    """``3/5/1912``, the day first, and ``2025-03-04``."""
    day, month = int(match["day"]), int(match["month"])
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return match[0]
    return f"{cardinal(day)} de {MONTHS[month - 1]} de {cardinal(int(match['year']))}"


def _time(match: re.Match[str]) -> str:
    """``17:30``: hours are feminine."""
    words = feminine(cardinal(int(match[1])))
    if int(match[2]):
        zero = "cero " if match[2][0] == "0" else ""
        words += f" {zero}{cardinal(int(match[2]))}"
    return words + ("." if match[0].endswith(".") and ends_here(match) else "")


def _ordinal(match: re.Match[str]) -> str:
    """``1.º``, ``3.ª``, ``1.er``."""
    value = int(match[1])
    words = ordinal(value)
    if not words:
        return cardinal(value)
    if match[2] in ("ª", "a"):
        return feminine_ordinal(words)
    noun = re.match(r" ([a-záéíóúñ]{3,40})\b", match.string[match.end() :][:45])
    counts = match[2] == "er" or (noun is not None and not NO_NOUNS.match(noun[1]))
    return words[:-1] if counts and words.endswith(("primero", "tercero")) else words


def _ruler(match: re.Match[str]) -> str:
    """``Felipe II``: ordinals to ten, then cardinals."""
    name, value = match[1], roman_value(match[2])
    if match[2] == "I" and not re.match(r"(?:$|[.,;:!?)»”]| de )", match.string[match.end() :][:4]):
        return match[0]
    if value > 10:
        return f"{name} {cardinal(value)}"
    words = ordinal(value)
    return f"{name} {words[:-1] + 'a' if name in QUEENS else words}"


def _amount(text: str, one: str) -> str:
    """A number before what it counts, with its agreement."""
    words = _NUMBERS.read(text)
    return feminine(words) if one in ("libra", "hectárea") else before_noun(words)


def _money(match: re.Match[str], dollars: tuple[str, str, str, str]) -> str:
    """``3,50 €``."""
    amount, scale, sign = match["amount"], match["scale"], match["sign"]
    one, many, _, _ = dollars if sign == "$" else CURRENCIES[sign]
    if scale:
        of = "" if scale == "mil" else "de "
        return f"{_amount(amount, one)} {scale} {of}{many}"
    before, _, after = amount.partition(",")
    words = f"{_amount(before, one)} {one if before == '1' else many}"
    if not after or not int(after):
        return words
    if len(after) == 2:
        return f"{words} con {cardinal(int(after))}"
    return f"{_NUMBERS.read(amount)} {many}"


def _measure(match: re.Match[str]) -> str:
    """``5 km``."""
    one, many = UNITS[match[2]]
    return f"{_amount(match[1], one)} {one if match[1].lstrip('-−–') == '1' else many}"


def _temperature(match: re.Match[str]) -> str:
    """``-5 °C``."""
    single = match[1].lstrip("-−–") == "1"
    return f"{before_noun(_NUMBERS.read(match[1]))} grado{'' if single else 's'}"


def _mixed(match: re.Match[str]) -> str:
    """``2½``."""
    return f"{cardinal(int(match[1]))} y {FRACTIONS[match[2]]}"


def _half(match: re.Match[str]) -> str:
    """``2½ horas`` and ``½ kilo``; before a word that is no noun as it is."""
    noun = match[2]
    if NO_NOUNS.match(noun):
        return match[0]
    woman = noun.endswith(("a", "as")) and not MASCULINE_IN_A.match(noun)
    half = "media" if woman else "medio"
    if not match[1]:
        return f"{half} {noun}"
    words = cardinal(int(match[1]))
    noun = noun.removesuffix("s") if match[1] == "1" else noun
    return f"{feminine(words) if woman else before_noun(words)} {noun} y {half}"


def _fraction(match: re.Match[str]) -> str:
    """``3/4``."""
    over, under = int(match[1]), int(match[2])
    names = {2: "medio", 3: "tercio", 4: "cuarto"}
    name = names.get(under) or (ordinal(under) if under <= 10 else f"{cardinal(under)}avo")
    return f"{before_noun(cardinal(over))} {name}{'s' if over > 1 else ''}"


def _counted(match: re.Match[str]) -> str:
    """A number and its agreement with the noun behind it, where the noun's ending tells."""
    words = _NUMBERS.read(match[1])
    noun = match[2]
    if not noun:
        return words
    if not NO_NOUNS.match(noun):
        if FEMININE_IN_ES.match(noun) or (noun.endswith("as") and not MASCULINE_IN_A.match(noun)):
            words = feminine(words)
        elif match[1] == "1" and (
            noun.endswith(("a", "ción", "sión", "dad", "tad", "tud"))
            or FEMININE_IN_ES.match(f"{noun}s")
            or FEMININE_IN_ES.match(f"{noun}es")
        ):
            words = "una"
        else:
            words = before_noun(words)
    return f"{words} "


HEADINGS = roman_heading(cardinal)


def _swapped(match: re.Match[str]) -> str:
    """``1,200.50`` as ``1.200,50``."""
    return match[0].translate(str.maketrans(",.", ".,"))


@lru_cache(maxsize=4)
def rules(language: str) -> tuple[Rule, ...]:
    """The rules of a country.

    Args:
        language: BCP 47 tag in small letters; its country decides about points and pesos.
    """
    country = language.rpartition("-")[2]
    pesos = country in ("mx", "ar", "cl", "co", "uy", "cu")
    swap = (
        rule(
            "decimal point",
            r"(?<![\w.,])(?:\d{1,3}(?:,\d{3}){1,5}(?:\.\d{1,9})?|\d{1,9}\.\d{1,9})(?![\d.]|,\d)",
            _swapped,
        ),
    )
    dollars = PESOS if pesos else CURRENCIES["$"]
    return (
        *_FIRST,
        *(swap if country in _POINT_COUNTRIES else ()),
        rule(
            "money",
            rf"(?<![\w.,])(?P<amount>{NUMBER})(?: (?P<scale>{_SCALES})(?: de)?)? ?(?P<sign>[€$£¥])",
            lambda match: _money(match, dollars),
        ),
        rule(
            "money",
            rf"(?P<sign>[€$£¥]) ?(?P<amount>{NUMBER})(?: (?P<scale>{_SCALES})\b)?",
            lambda match: _money(match, dollars),
        ),
        *_LAST,
    )


_FIRST: tuple[Rule, ...] = (
    *addresses(
        {".": "punto", "/": "barra", "@": "arroba", "_": "guion bajo", "-": "guion"}
        | {"?": "interrogación", "=": "igual", "&": "y", ":": "dos puntos"}
    ),
    expanded(ABBREVIATIONS),
    expanded(TITLES, follows=r"(?=\s?[A-ZÁÉÍÓÚÑ])", name="title"),
    rule(
        "abbreviation",
        rf"(?<![\w.])({'|'.join(sorted(map(re.escape, NUMBERED), key=len, reverse=True))}) ?"
        r"(?=\d|[IVX]{1,6}\b(?!\.))",
        lambda match: f"{NUMBERED[match[1]]} ",
    ),
    rule("ordinal", r"\b(\d{1,4})\.?(º|ª|°(?=[ ,]?[a-z])|er\b)", _ordinal),
    rule("date", rf"\b([12]?\d|3[01]) de ({MONTH})\b(?:,? (de|del) (\d{{4}})\b)?", _date),
    rule(
        "date",
        r"(?<![\d/.])(?P<day>\d{1,2})[/](?P<month>\d{1,2})[/](?P<year>\d{4})\b(?!/?\d)",
        _date_in_figures,
    ),
    rule(
        "date", r"(?<![\d-])(?P<year>\d{4})-(?P<month>\d\d)-(?P<day>\d\d)\b(?!-)", _date_in_figures
    ),
    *told_ratios(
        cardinal,
        "a",
        "proporción|razón|escala|relación",
        "ganó|perdió|ganaron|perdieron|victoria|derrota",
    ),
    rule("street", r"\bC/ ?(?=[A-ZÁÉÍÓÚÑ])", "calle "),
    rule("time", r"(?<=\blas )([01]?\d|2[0-4])\.([0-5]\d)\b(?![.,]?\d| ?[%€$])", _time),
    rule(
        "time",
        r"(?<=\blas )([01]?\d|2[0-4]) h\b\.?",
        lambda m: f"{feminine(cardinal(int(m[1])))} horas" + ("." if ends_here(m) else ""),
    ),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4])[:.]([0-5]\d) ?h(?:oras|rs)?\b\.?", _time),
    rule("time", r"(?<![\d.,:])([01]?\d|2[0-4]):([0-5]\d)\b(?![:.,]?\d)", _time),
    rule(
        "time",
        r"(?<=\blas )([01]?\d|2[0-4])()\b(?![.,:/%]\d| ?%)",
        lambda m: feminine(cardinal(int(m[1]))),
    ),
    rule(
        "telephone",
        r"(?<![\w.,])(?:\+\d{1,3} ?)?"
        r"(?:\d{3}[ -]\d{3}[ -]\d{3}|\d{3}[ -]\d\d[ -]\d\d[ -]\d\d|\d{9})\b",
        lambda match: (
            ("más " if match[0][0] == "+" else "")
            + ", ".join(digits(group) for group in re.findall(r"\d+", match[0]))
        ),
    ),
    rule(
        "telephone",
        r"(?<=[Tt]eléfono )(?:\+\d{1,3} )?\d{2,4}(?: \d{2,4}){2,4}\b",
        lambda match: ", ".join(digits(group) for group in re.findall(r"\d+", match[0])),
    ),
    rule("ruler", rf"\b({RULERS}) ((?=[IVX]){ROMAN})\b", _ruler),
    rule(
        "roman number",
        rf"\b((?i:{THINGS})) ((?=[IVXLC]){ROMAN})\b",
        lambda match: f"{match[1]} {cardinal(roman_value(match[2]))}",
    ),
)

_LAST: tuple[Rule, ...] = (
    rule(
        "range",
        rf"(?<![\w.,–-])({NUMBER}) ?[–-] ?(?=\d)(?!\d+[–-])",
        lambda match: f"{_NUMBERS.read(match[1])} a ",
    ),
    rule("temperature", rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?°(?: ?C\b)?", _temperature),
    rule(
        "per cent",
        rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?%",
        lambda match: f"{_NUMBERS.read(match[1])} por ciento",
    ),
    rule(
        "half",
        r"(?<![\d/.,])(?:(\d{1,4}) ?)?(?:½|(?:(?<= )|(?<!\d))1/2) ([a-záéíóúñ]{3,20})\b",
        _half,
    ),
    *fractions(_mixed, FRACTIONS, _fraction),
    ratio(cardinal, "a"),
    rule("measure", rf"(?<![\w.,])({MINUS}?(?:{NUMBER})) ?({_UNIT})(?![\w²³/])", _measure),
    rule("size", r"(?<=\d) ?[×x] ?(?=\d)", " por "),
    rule("and", r" ?& ?(?=[IiÍí]|[Hh][ií](?!e))", " e "),
    *signs(SIGNS, "menos"),
    rule("number", rf"(?<![\w.,])({NUMBER})(?!\d)(?: (?=([a-záéíóúñ]{{1,40}})))?", _counted),
    leftover_digits(_NUMBERS),
)
"""In this order; the last two read every digit that nobody else has read."""
