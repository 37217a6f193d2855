"""Addresses, telephone numbers, codes and single signs."""

from __future__ import annotations

import re

from studio.book.abbreviations import takes_number
from studio.book.english.money import sentence_stop
from studio.book.numerals import cardinal, digits, power
from studio.book.rules import Rule, rule

_ADDRESS_SIGNS = {
    ".": " dot ",
    "/": " slash ",
    "@": " at ",
    "_": " underscore ",
    "-": " dash ",
    "?": " question mark ",
    "=": " equals ",
    "&": " and ",
    "#": " hash ",
    "%": " percent ",
    "~": " tilde ",
    "+": " plus ",
    ":": " colon ",
    "\\": " backslash ",
}
_SIGNS = {
    "&": " and ",
    "@": " at ",
    "©": " copyright ",
    "§": " section ",
    "°": " degrees ",
    "+": " plus ",
    "=": " equals ",
    "±": " plus or minus ",
    "×": " times ",
    "÷": " divided by ",
    "≈": " about ",
    "<": " less than ",
    ">": " greater than ",
    "#": " ",
    "~": " ",
    "^": " ",
    "|": " ",
    "\\": " backslash ",
    "®": "",
    "™": "",
    "¶": "",
    "†": "",
    "‡": "",
    "*": " ",
    "_": " ",
    "`": "'",
    "´": "'",
    "$": " dollars ",
    "£": " pounds ",
    "€": " euros ",
    "¥": " yen ",
    "¢": " cents ",
    "µ": " micro",
    "∞": " infinity ",
    "√": " square root of ",
    "≠": " is not equal to ",
    "≤": " at most ",
    "≥": " at least ",
}
_SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def _spelled(text: str) -> str:
    """An address with its signs as words."""
    return re.sub(r"[./@_\-?=&#%~+:\\]", lambda match: _ADDRESS_SIGNS[match[0]], text)


def _link(match: re.Match[str]) -> str:
    """``https://example.org/map``, without what nobody says."""
    address = match[0].rstrip(".,;:!?)”’\"'")
    tail = match[0][len(address) :]
    address = re.sub(r"^(?:https?|ftp|file)://(?:www\.)?", "", address.rstrip("/"))
    spoken = _spelled(address).strip()
    if spoken.startswith("www dot"):
        spoken = f"w w w{spoken[3:]}"
    return re.sub(r"\s+", " ", spoken) + tail


def _telephone(match: re.Match[str]) -> str:
    """Digit by digit, with a pause between groups."""
    groups = [group for group in re.split(r"[-. ()]+", match[0].lstrip("+")) if group]
    plus = "plus " if match[0].startswith("+") else ""
    return plus + ", ".join(digits(group) for group in groups)


def _isbn(match: re.Match[str]) -> str:
    """``ISBN 978-…``."""
    groups = [group for group in re.split(r"[- ]", match[1]) if group]
    return "I S B N " + ", ".join(
        digits(group) + (" X" if group.endswith("X") else "") for group in groups
    )


def _by_pairs(match: re.Match[str]) -> str:
    """``Boeing 747`` and ``Room 1408``: two and two, as people say the names of things."""
    text = match[2]
    head, tail = text[:-2], text[-2:]
    if len(text) < 3 or int(head) == 0 or tail == "00":
        return match[0]
    last = f"oh {cardinal(int(tail))}" if tail[0] == "0" else cardinal(int(tail))
    return f"{match[1]} {cardinal(int(head))} {last}"


def _flight(match: re.Match[str]) -> str:
    """``BA117``."""
    return (
        f"{' '.join(match[1])} {digits(match[2]) if len(match[2]) > 2 else cardinal(int(match[2]))}"
    )


_RAISED_MEASURES = frozenset(
    "feet foot yards yard inches inch miles mile metres metre meters meter kilometres kilometre "
    "kilometers kilometer centimetres centimetre millimetres acres sec".split()
)


def _raised_measure(match: re.Match[str]) -> str:
    """``5 m²`` and ``per km²``."""
    counted = match.string[match.start() - 1 : match.start()].isdigit()
    power = "square" if match[2] == "²" else "cubic"
    return f"{' ' if counted else ''}{power} {_RAISED[match[1]]}"


_RAISED = {
    "km": "kilometres",
    "cm": "centimetres",
    "mm": "millimetres",
    "m": "metres",
    "ft": "feet",
    "mi": "miles",
    "in": "inches",
    "yd": "yards",
}


def _note_mark(match: re.Match[str]) -> str:
    """A word without the note's number behind it; a measure keeps its power."""
    return match[0] if match[1].lower() in _RAISED_MEASURES else match[1]


ADDRESSES: tuple[Rule, ...] = (
    rule("link", r"(?:\b(?:https?|ftp|file)://|\bwww\.)[^\s<>“”\"]{1,2000}", _link),
    rule(
        "link",
        r"(?<![\w.@/-])(?:[\w-]{1,63}\.){1,4}(?:com|org|net|edu|gov|(?:co|org|ac|gov|com)\.[a-z]{2}|"
        r"(?<=\.)(?:info|io|tv|eu|uk))\b(?:/[^\s<>“”\"]{0,400})?(?!@)",
        _link,
    ),
    rule(
        "mail address",
        r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
        lambda match: re.sub(r"\s+", " ", _spelled(match[0])).strip(),
    ),
    rule(
        "path",
        r"(?<![\w/\\])(?:[A-Za-z]:[\\/]|~/|/(?=[\w.]{1,80}/)|\.{1,2}/)[\w.\\/~-]{1,400}",
        lambda match: (
            re.sub(r"\s+", " ", _spelled(match[0].rstrip("."))).strip()
            + "." * (len(match[0]) - len(match[0].rstrip(".")))
        ),
    ),
    # Typography would take them for pictures.
    rule("note of music", r"\b([A-G])[#♯](?!\w)", lambda match: f"{match[1]} sharp"),
    rule("note of music", r"\b([A-G])♭(?!\w)", lambda match: f"{match[1]} flat"),
    rule("option", r"(?<!\S)--(?=[a-z])", ""),
    rule(
        "file name",
        r"\b([\w-]{1,80})\.(pdf|txt|docx?|jpe?g|png|mp3|wav|epub|html?|zip|com|org|net|edu)\b",
        lambda match: f"{match[1]} dot {match[2]}",
    ),
)
"""First of all rules: their dots and digits are no sentence marks and no numbers."""

CODES: tuple[Rule, ...] = (
    rule("isbn", r"\bISBN(?:-1[03])?:? ?(\d[\d -]{8,16}[\dX])\b", _isbn),
    rule(
        "telephone",
        r"\+\d{1,3}[ (\d)-]{7,18}\d\b|\b1-\d{3}-\d{3}-\d{4}\b"
        r"|\(0\d{2,5}\) ?\d{3,4} ?\d{3,4}\b|\b0\d{3,4} \d{5,6}\b"
        r"|\(\d{3}\) \d{3}-\d{4}\b|(?<![\d-])\d{3}-\d{3}-\d{4}\b"
        r"|(?<![\d.])\d{3}\.\d{3}\.\d{4}\b(?!\.\d)|(?<![\d-])\d{3}-\d{4}\b(?!-)"
        r"|\b0\d{2,4} \d{3,4} \d{3,4}\b",
        _telephone,
    ),
    rule(
        "telephone",
        r"\b(dial|call|rang|ring|phone|dialled|dialed|called) "
        r"(999|911|112|\d{3}(?! [a-z]))\b(?![-.,:]\d)",
        lambda match: f"{match[1]} {digits(match[2])}",
        re.IGNORECASE,
    ),
    rule(
        "telephone",
        r"\b([A-Z]{1,3}[a-z]{2,20}) (\d)-(\d{4})\b(?!-)",
        lambda match: f"{match[1]} {digits(match[2])}, {digits(match[3])}",
    ),
    rule(
        "telephone",
        r"\b((?i:get me|ring|phone|dial|call|telephone|connect me with) [A-Z][a-z]{2,20}) "
        r"(\d{3,4})\b(?![-.,:]\d)",
        lambda match: f"{match[1]} {digits(match[2])}",
    ),
    rule(
        "dotted thousands",
        r"(?<![\w.])\d{1,3}(?:\.\d{3}){2,5}(?![\w]|\.\d)",
        lambda match: match[0].replace(".", ","),
    ),
    rule(
        "spaced thousands",
        r"(?<![\d.,] )(?<![\w.,])[1-9]\d{0,2}(?: \d{3}){2,5}(?![\w]| \d)",
        lambda match: match[0].replace(" ", ","),
    ),
    rule(
        "version",
        r"(?<![\w.])(?!\d{1,2}\.\d{1,2}\.(?:1\d|20)\d\d\b(?!\.\d))"
        r"[vV]?(\d{1,4}(?:\.\d{1,4}){2,6})\b(?!\.\d)",
        lambda match: (
            ("version " if match[0][0] in "vV" else "")
            + " point ".join(cardinal(int(part)) for part in match[1].split("."))
        ),
    ),
    rule("version", r"(?<![\w.])[vV](?=\d{1,4}\.\d)", "version "),
    rule(
        "subscript",
        r"([A-Za-z)])([₀-₉]{1,6})",
        lambda match: f"{match[1]} {match[2].translate(_SUBSCRIPTS)} ",
    ),
    rule(
        "measure",
        r"(?:(?<=\d) ?|\b)(km|cm|mm|m|ft|mi|in|yd)([²³])(?![\d⁰-⁹¹²³])",
        _raised_measure,
    ),
    # Raised behind a word or a stop it is a note's mark; behind a measure or a letter, a power.
    rule(
        "note mark",
        r"\b([A-Za-z]{2,20})([.!?]|[.!?,][”’\"])\d{1,3}(?= [A-Z“‘\"]|\s*$)",
        lambda match: match[0] if takes_number(match[1], "1") else match[1] + match[2],
    ),
    rule("note mark", r"(?<=[.,;:!?”’\"')])[⁰¹²³⁴-⁹]{1,3}(?!\w)", ""),
    rule("note mark", r"\b([A-Za-z’']*[a-z]{3})[⁰¹²³⁴-⁹]{1,3}(?!\w)", _note_mark),
    rule("superscript", r"(?<=\w)(?<![⁰-⁹¹²³])²(?![\d⁰-⁹¹²³])", " squared"),
    rule("superscript", r"(?<=\w)(?<![⁰-⁹¹²³])³(?![\d⁰-⁹¹²³])", " cubed"),
    rule(
        "power",
        r"(?<![\w.])(\d{1,9}|[a-zA-Z])(⁻?[⁰¹²³⁴-⁹]{1,3})(?!\w)",
        lambda match: power(match[1], match[2].translate(_SUPERSCRIPTS)),
    ),
    rule(
        "superscript",
        r"[⁰¹²³⁴-⁹]{1,9}",
        lambda match: f" {match[0].translate(_SUPERSCRIPTS)} ",
    ),
    rule("flight", r"\b([A-Z]{1,3})-?(\d{2,4})\b(?![,.:]\d|\w)", _flight),
    rule(
        "by pairs",
        r"\b([Rr]oom|[Ff]light|[Cc]ode|[Bb]us|[Ee]xtension|[Hh]ighway|[Rr]oute|Boeing|Airbus|"
        r"Interstate|[Ss]uite|Box|[Cc]ell) (\d{3,4})\b(?![,.]\d)",
        _by_pairs,
    ),
    rule(
        "code",
        r"\b((?:ZIP(?: code)?|zip code|PIN) ?)(\d{4,8})\b(?![,.]\d)",
        lambda match: match[1] + digits(match[2]),
    ),
    rule(
        "code",
        r"(?<=, )([A-Z]{2} )(\d{5})(-\d{4})?\b(?![,.]\d)",
        lambda match: match[1] + digits(match[2]) + (f", {digits(match[3])}" if match[3] else ""),
    ),
    rule(
        "code",
        r"\b([A-Z])(\d)-([A-Z])(\d)\b",
        lambda match: f"{match[1]} {digits(match[2])} {match[3]} {digits(match[4])}",
    ),
    rule(
        "code",
        r"\b((?:code|PIN|pin|combination|number|password) (?:was|is|of|:) ?)(\d{3,8})\b(?![,.]\d)",
        lambda match: match[1] + digits(match[2]),
    ),
)
"""Before dates and amounts."""

_GREEK = {
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "ε": "epsilon",
    "θ": "theta",
    "λ": "lambda",
    "μ": "mu",
    "π": "pi",
    "σ": "sigma",
    "φ": "phi",
    "ω": "omega",
    "Δ": "delta",
    "Σ": "sigma",
    "Ω": "omega",
}

SIGNS: tuple[Rule, ...] = (
    rule(
        "greek letter",
        f"(?<![Ͱ-Ͽ])[{''.join(_GREEK)}](?![Ͱ-Ͽ])",
        lambda match: _GREEK[match[0]],
    ),
    rule(
        "per",
        r"(?<=\b)(dollars?|pounds?|euros?|cents?|pence|miles|kilometres|litres|times|hours|words)/"
        r"(?=(?:second|minute|hour|day|night|week|month|year|person|head|mile|word|gallon)\b)",
        lambda match: f"{match[1]} per ",
    ),
    rule("care of", r"\bc/o\b", "care of"),
    rule("with", r"\bw/o\b", "without"),
    rule("with", r"\bw/ (?=\w)", "with "),
    rule("copyright", r"\b([Cc]opyright) ?©", lambda match: match[1]),
    rule("sections", r"§§ ?", "sections "),
    rule("paragraph", r"¶ ?(?=\d|[a-z])", "paragraph "),
    rule("and so on", r"& ?c\.", lambda match: "et cetera" + sentence_stop(match)),
    rule(
        "he or she",
        # Not he/him, which is how somebody wants to be called.
        r"\b(?i:(s)/(he)|(he|him|his|himself)/(she|hers?|herself)"
        r"|(she|hers?|herself)/(he|him|his|himself))\b",
        lambda match: (
            "she or he" if match[1] else f"{match[3] or match[5]} or {match[4] or match[6]}"
        ),
    ),
    rule("and or", r"\band/or\b", "and or"),
    rule("slash", r"(?<=[A-Za-z])/(?=[A-Za-z])", " "),
    rule(
        "sign",
        "[" + re.escape("".join(_SIGNS)) + "]",
        lambda match: _SIGNS[match[0]],
    ),
)
"""Last: signs that no other rule has read."""
