"""Sums of money, old and new."""

from __future__ import annotations

import re
from math import gcd

from studio.book.numerals import cardinal, number, whole
from studio.book.rules import Rule, rule

_CURRENCIES = {
    "$": ("dollar", "dollars", "cent", "cents"),
    "£": ("pound", "pounds", "penny", "pence"),
    "€": ("euro", "euros", "cent", "cents"),
    "¥": ("yen", "yen", "sen", "sen"),
    "₹": ("rupee", "rupees", "paisa", "paise"),
    "₽": ("rouble", "roubles", "kopek", "kopeks"),
}
SCALES = {
    "k": "thousand",
    "K": "thousand",
    "m": "million",
    "M": "million",
    "mn": "million",
    "bn": "billion",
    "B": "billion",
    "b": "billion",
    "T": "trillion",
} | {name: name for name in ("hundred", "thousand", "million", "billion", "trillion")}
NUMBER = r"\d{1,3}(?:,\d{3}){1,6}(?:\.\d{1,20})?|\d{1,400}(?:\.\d{1,20})?"
"""Pattern of a number as it is written, with thousands parted by commas or not at all."""
_SCALE = "hundred|thousand|million|billion|trillion|mn|bn|[MmBbKkT]"
_CURRENCY = re.escape("".join(_CURRENCIES))
_PENCE = {2: "twopence", 3: "threepence", 4: "fourpence", 6: "sixpence", 9: "ninepence"}


def sentence_stop(match: re.Match[str]) -> str:
    """A full stop, where the one that the match took also ends the sentence."""
    if not match[0].endswith("."):
        return ""
    after = match.string[match.end() : match.end() + 8]
    return "." if re.match(r"[”\"’')]{0,2}\s*(?:$|[A-Z“\"])", after) else ""


def _money(match: re.Match[str]) -> str:
    """``$3.50``, ``€3 billion``, ``a $1 bill``."""
    one, many, part, parts = _CURRENCIES[match[1]]
    amount, scale, thing = match[2], match[3], match[4]
    if scale:
        return f"{number(amount)} {SCALES[scale]} {many}"
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


_LANDS = {"C": "Canadian", "A": "Australian", "S": "Singapore"}


def _dollars(match: re.Match[str]) -> str:
    """``US$5`` and ``US$5 million``."""
    scale = f" {SCALES[match[3]]}" if match[3] else ""
    land = _LANDS.get(match[1]) or " ".join(match[1])
    return f"{number(match[2])}{scale} {land} dollars"


def _money_range(match: re.Match[str]) -> str:
    """``$5–10`` and ``£5m–£6m``."""
    scale = f" {SCALES[match[4]]}" if match[4] else ""
    return f"{number(match[2])} to {number(match[3])}{scale} {_CURRENCIES[match[1]][1]}"


def _shillings(match: re.Match[str]) -> str:
    """``£3 10s. 6d.`` as it was said when it was paid."""
    pounds, shillings, pence, half = match["pounds"], match["shillings"], match["pence"], match[4]
    words = []
    if pounds:
        words.append(f"{whole(pounds)} pound{'' if pounds == '1' else 's'}")
    if shillings and int(shillings):
        words.append(f"{cardinal(int(shillings))} shilling{'' if shillings == '1' else 's'}")
    if pence and (int(pence) or half):
        words.append(_pence(int(pence), half))
    return " and ".join(words if len(words) < 3 else [", ".join(words[:2]), words[2]]) + (
        sentence_stop(match)
    )


def _pence(many: int, half: str | None) -> str:
    """``sixpence``, ``eight pence``, ``twopence halfpenny``."""
    words = "a penny" if many == 1 else _PENCE.get(many, f"{cardinal(many)} pence")
    if half:
        return f"{words} halfpenny" if many else "a halfpenny"
    return words


_PAID = re.compile(
    r"\b(?:cost|costs|costing|paid|pay|pays|priced?|prices|worth|charge[ds]?|charging|sold|sells?|"
    r"selling|bought|buy|owed?|owes|spent|spend|fare|fee|rent|wages?|shillings?|sixpence|pence|bill|"
    r"change|lent|borrowed|earn(?:ed|s)?|money|cheap)\b[^.!?;]{0,30}$"
)
"""Words before an amount of shillings and pence."""
_OFTEN_PAID = re.compile(r"\b(?:for|at|an?|only|was|were)\b $")
_NOT_PAID = re.compile(
    r"\b(?i:seat|page|room|no\.|score[ds]?|hit|won|odds|rated|row|on)\b[^.!?;]{0,9}$"
)
_PER = re.compile(
    r" (?:each|apiece|net|per|an? (?:\w{1,20} )?(?:head|yard|pound|dozen|bottle|week|day|piece|"
    r"pair|ounce|copy|volume|ton|quart|pint|night|hour|year))\b"
)
_NO_PRICES = re.compile(r" (?:chance|vision|eyesight|time|games?|shots?|odds|points?|majority)\b")


def _by_stroke(match: re.Match[str]) -> str:
    """``2/6`` and ``10/6``, as shops wrote two shillings and sixpence."""
    shillings, pence = int(match[1]), int(match[2])
    if not match[3]:
        before = match.string[max(0, match.start() - 40) : match.start()]
        after = match.string[match.end() : match.end() + 40]
        whole = shillings > pence and not _NOT_PAID.search(before)
        likely = gcd(shillings, pence) > 1 and _OFTEN_PAID.search(before) is not None
        paid = _PAID.search(before) or whole or likely
        told = (paid and not _NO_PRICES.match(after)) or _PER.match(after)
        if shillings >= _POUND or not told:
            return match[0]
    return f"{cardinal(shillings)} and {cardinal(pence)}"


_POUND = 20
"""Shillings."""

MONEY: tuple[Rule, ...] = (
    rule(
        "shillings and pence",
        r"(?<![\d/.])(?<!\bon )(?<!\bodds of )(\d{1,2})/(6|9|(?:[1-9]|1[01])(?=d))(d)?\b(?![/\d])"
        r"(?! (?:time|stars|of)\b)",
        _by_stroke,
    ),
    rule("per year", r"(?<=[\dkm%]) p\.a\.", lambda match: " per annum" + sentence_stop(match)),
    rule(
        "shillings and pence",
        r"£(?P<pounds>\d{1,6}),? ?(?P<shillings>\d{1,2})s\b\.?"
        r"(?:,? ?(?P<pence>\d{1,2})(½)?d\b\.?)?",
        _shillings,
    ),
    rule(
        "shillings and pence",
        r"(?<![\w.£])(?P<pounds>)(?P<shillings>\d{1,2})s\.?,? ?(?P<pence>\d{1,2})(½)?d\b\.?",
        _shillings,
    ),
    rule(
        "shillings and pence",
        r"(?<![\w.£])(?P<pounds>)(?P<shillings>)(?P<pence>\d{1,2})(½)?d\.",
        _shillings,
    ),
    # 20s. and its like are decades.
    rule(
        "shillings and pence",
        r"(?<![\w.£’'])(?![2-9]0s)(\d{1,2})(?:s\.(?= [a-z])|/-)",
        lambda match: f"{cardinal(int(match[1]))} shilling{'' if match[1] == '1' else 's'}",
    ),
    rule(
        "money",
        rf"\b(US|CA|AU|NZ|HK|NT|C|A|S)\$ ?({NUMBER})(?: ?({_SCALE})\b)?(?!\d)",
        _dollars,
    ),
    rule(
        "money",
        rf"([{_CURRENCY}])({NUMBER}) ?[–-] ?\1?({NUMBER})(?: ?({_SCALE})\b)?(?![\d–-])",
        _money_range,
    ),
    rule(
        "money",
        rf"\bRs\.? ?({NUMBER})(?!\d)",
        lambda match: f"{number(match[1])} rupee{'' if match[1] == '1' else 's'}",
    ),
    rule(
        "money",
        rf"([{_CURRENCY}])({NUMBER})-(hundred|thousand|million|billion|trillion)(?=[ -]\w)",
        lambda match: f"{number(match[2])}-{match[3]}-{_CURRENCIES[match[1]][0]}",
    ),
    rule(
        "money",
        rf"([{_CURRENCY}])({NUMBER})-(?=a-|an-|per-)",
        lambda match: f"{number(match[2])}-{_CURRENCIES[match[1]][0]}-",
    ),
    rule(
        "money",
        rf"([{_CURRENCY}]) ?({NUMBER}|\.\d{{1,20}})"
        rf"(?: ?({_SCALE})\b)?"
        r"(?:[ -](bill|coin|note|stamp|ticket)\b)?(?!\d)",
        _money,
    ),
    rule(
        "money",
        r"\b(\d{1,9}) ?¢(?= (?:piece|coin|stamp|ticket|cigar|store|raise)\b)",
        lambda match: f"{whole(match[1])} cent",
    ),
    rule(
        "money",
        r"\b(\d{1,9}) ?¢",
        lambda match: f"{whole(match[1])} cent{'' if match[1] == '1' else 's'}",
    ),
)
"""In this order, before any rule about bare numbers."""
