"""Abbreviations, titles and Roman numbers."""

from __future__ import annotations

import re

from studio.book.abbreviations import STARTERS, takes_number
from studio.book.english.money import sentence_stop
from studio.book.english.rulers import FIRST, RULERS
from studio.book.english.short_forms import (
    ANYWHERE,
    MAKERS,
    NUMBERED,
    ROADS,
    STATES,
    TITLES,
)
from studio.book.numerals import ROMAN, cardinal, ordinal, roman_value, year
from studio.book.rules import Rule, rule

_PAGES = frozenset("p pp Ch ch Chap chap Vol vol Bk bk Pt pt Sc sc".split())
"""Of these, the ones that small Roman numbers follow."""
_ABBREVIATION = "|".join(
    sorted(map(re.escape, {*TITLES, *ROADS, *NUMBERED, *ANYWHERE}), key=len, reverse=True)
)

_NUMBERED_THINGS = (
    "chapter|part|book|act|scene|volume|section|canto|war|appendix|article|phase|stage|level|"
    "apollo|mark|rocky|bowl|figure|table|title|class|type|rule|step|lesson|psalm|gemini|saturn|unit|"
    "vatican|episode|season|letter|stave|grade|group|category|plate|note|division|corps|olympiad|"
    "number|opus|page|pages|parts|chapters|scenes"
)
_THING_ENDS = re.compile(rf"\s*$|[.;:!?)\]”]|,? (?i:{_NUMBERED_THINGS})\b")
_SAYS_MORE = re.compile(r"[—–-]| (?:[—–-] |[A-Z“‘]|(?:of|was|is|and|in|begins|ends)\b)")
# A lone C, D, L, M, V or X is a letter far more often than a number.
_ALSO_NAMES = frozenset(("mark", "grant"))
"""Things that are people as well: Mark I think, the Mark I tank."""
_LETTERS_NOT_NUMBERS = frozenset("CDLM")


def _has_number(short: str, after: str) -> bool:
    """``Vol. 2``, ``No. IV``, ``pp. xii``; ``Wait a sec. I’ll come`` has none."""
    if short in _PAGES and (small := re.match(r" ([ivxl]{1,7})\b", after)):
        return roman_value(small[1].upper()) > 0
    return takes_number(short, after)


def _saint_or_street(text: str, match: re.Match[str]) -> str | None:
    """``St. John`` or ``Mill St.``."""
    before = text[max(0, match.start() - 40) : match.start()]
    after = text[match.end() : match.end() + 40]
    name = re.match(r" ?([A-Z][\w’'-]*)", after)
    preceded = re.search(
        r"(?:\b[A-Z][\w’'-]*|\b\d+(?:st|nd|rd|th)|\b(?:first|second|third|\w+th)) $", before
    )
    if name and not (preceded and name[1] in STARTERS) and name[1] not in STARTERS:
        return "Saint"
    return "Street" if preceded else None


def _bare_saint(match: re.Match[str]) -> str:
    """``St Paul`` and ``Mill St`` as they are written without a stop."""
    words = _saint_or_street(match.string, match)
    return words or match[0]


def _abbreviation(match: re.Match[str]) -> str:
    """The words for an abbreviation, by what follows it."""
    short, text = match[1], match.string
    after = text[match.end() : match.end() + 40]
    ends = re.match(r"[”\"’')]{0,2}(?:\s*$|\s+[A-Z“‘\"])", after) is not None
    name_follows = (
        re.match(rf"[ -]?[A-Z“‘]| (?:and|&) (?:Mrs|Mr|Dr|Miss|Prof)\b|{_PARTICLE}", after)
        is not None
    )
    ends = ends and not re.match(r" (?:Ltd|Inc|[NSEW]|[NS]\.?[EW])\b", after)
    if short == "St" and (words := _saint_or_street(text, match)):
        return words + ("." if words == "Street" and ends else "")
    if short in ROADS and re.search(r"[\w’] $", text[max(0, match.start() - 3) : match.start()]):
        return ROADS[short] + ("." if ends else "")
    if (
        short == "Dr"
        and not name_follows
        and re.search(r"\b[A-Z][\w’]{0,30} $", text[: match.start()][-40:])
    ):
        return "Drive" + ("." if ends else "")
    if short in NUMBERED and _has_number(short, after):
        return NUMBERED[short] + ("" if after.startswith(" ") else " ")
    if short in TITLES and name_follows:
        return TITLES[short] + ("" if after[:1] in " -" else " ")
    if (
        short == "Sr"
        and re.match(r" [A-Z]", after)
        and not re.search(r"\b[A-Z][\w’]{0,30},? $", text[: match.start()][-40:])
    ):
        return "Sister"
    if short == "temp" and not re.match(r" (?:of|is|was|in|rose|fell|at|range)\b", after):
        return match[0]  # Somebody who helps out.
    if short in ANYWHERE:
        last = re.match(r"[”\"’')]{0,2}\s*$", after) is not None
        return ANYWHERE[short] + ("." if last or (ends and short in _FINAL) else "")
    return match[0]


_PARTICLE = r" (?:d[’']|(?:de|du|des|la|le|von|van|della|di)\b)"
"""What may stand between a title and a name: ``Mme. de Staël``."""
_TROOPS = {"Bn": "Battalion", "Regt": "Regiment", "Div": "Division"}
_FINAL = frozenset(
    [*"etc Jr Sr Inc Ltd Corp Bros Co Esq Ph.D dept govt temp misc".split(), "et al"]
)
"""Abbreviations that may end a sentence; their stop is kept there."""


def _loud_title(match: re.Match[str]) -> str:
    """``MR. OK`` as ``Mr. OK``, which the next rule reads."""
    return match[1].capitalize() + "."


def _counted_thing(match: re.Match[str]) -> str:
    """``Part III``."""
    numeral, last = match[2], match[3]
    value = roman_value(numeral)
    if last:
        values = [value, roman_value(last)]
        return f"{match[1]} {' to '.join(map(cardinal, values))}" if all(values) else match[0]
    if match[1] == "letter" and len(numeral) == 1:
        return match[0]  # One of the alphabet.
    if not value or numeral in _LETTERS_NOT_NUMBERS or (numeral == "I" and not _counts_one(match)):
        return match[0]
    return f"{match[1]} {cardinal(value)}"


def _counts_one(match: re.Match[str]) -> bool:
    """Whether ``Part I`` counts; in ``the part I like`` somebody speaks of himself."""
    thing, text = match[1], match.string
    after = text[match.end() : match.end() + 20]
    if thing.lower() in _ALSO_NAMES and not re.search(
        r"\b(?:[Tt]he|[Aa]n?|[Oo]ur|\d) $", text[max(0, match.start() - 4) : match.start()]
    ):
        return False
    if _THING_ENDS.match(after):
        return True
    named = thing[0].isupper() and not (thing.isupper() and after[1:2].isupper())
    before = text[max(0, match.start() - 20) : match.start()].rstrip()
    if not named:
        return before.lower().endswith("world")
    if before and before[-1] not in ".!?…“‘\"'":
        return not thing.istitle() or not after[1:2].isupper()
    return _SAYS_MORE.match(after) is not None


def _small_roman(match: re.Match[str]) -> str:
    """``scene ii`` and ``pages xii–xv``."""
    values = [roman_value(text.upper()) for text in match.groups()[1:] if text]
    if not all(values):
        return match[0]
    return f"{match[1]} {' to '.join(map(cardinal, values))}"


def _heading_number(match: re.Match[str]) -> str:
    """``IV.`` or ``IV. The Storm`` as a heading."""
    value = roman_value(match[1].upper())
    if not value or match[1] in _LETTERS_NOT_NUMBERS:
        return match[0]
    return cardinal(value).capitalize()


def _roman_year(match: re.Match[str]) -> str:
    """``MCMXCIX`` as a year."""
    value = roman_value(match[0])
    return year(value) if value else match[0]


def _roman_ordinal(match: re.Match[str]) -> str:
    """``XIXth``."""
    value = roman_value(match[1])
    return ordinal(value) if value else match[0]


def _roman_list(match: re.Match[str]) -> str:
    """``I, II and IV``, of which one at least cannot be a letter."""
    numerals = re.findall(r"[IVX]+", match[0])
    if max(map(len, numerals)) < 2 or not all(map(roman_value, numerals)):
        return match[0]
    words = re.sub(r"[–-]", " to ", match[0])
    return re.sub(r"[IVX]+", lambda found: cardinal(roman_value(found[0])), words)


def _roman_alone(match: re.Match[str]) -> str:
    """``II`` by itself, which is no word."""
    value = roman_value(match[0])
    return cardinal(value) if value else match[0]


_NICKNAMES = r"(?:Cal|Del|Tex|Mo|Penn|Ark)\b"
_WARS = {"I": "one", "II": "two", "1": "one", "2": "two"}

ROMAN_HEADING: tuple[Rule, ...] = (
    rule("roman number", r"^([IVXLC]{1,9})(?=\s*$|[.:)]|\s*[—–-])", _heading_number),
    rule(
        "regnal number",
        rf"\b({FIRST.upper()}) I(?=\s*$|[.:;,)])",
        lambda match: f"{match[1]} THE FIRST",
    ),
    rule("roman number", r"^([ivxl]{1,7})(?=\s*$|[.)](?:\s|$))", _heading_number),
)
"""For headings alone, where even a single I counts."""

NAMES: tuple[Rule, ...] = (
    rule("title", r"\b(MR|MRS|MS|DR|PROF|CAPT|GEN|REV|SGT|LT|COL|ST)\.(?= [A-Z])", _loud_title),
    rule("title", r"\b(MR|MRS|DR)(?= [A-Z])", _loud_title),
    rule("title", r"\b(Prof|Capt|Sgt|Lt|Rev|Cpl|Mme|Mlle)(?= [A-Z][a-z])", lambda m: f"{m[1]}."),
    rule("saint or street", r"\bSt(?=[ ,;:!?)”]|$)", _bare_saint),
    rule(
        "abbreviation",
        r"(?<![\w.])(Nos?|nos?|Vol|vol|pp?|Figs?|figs?|Ch|ch)\.(?=\d)",
        lambda match: f"{match[1]}. ",
    ),
    rule(
        "abbreviation",
        r"(?:(?<=\()|(?<=[,;] ))(eds?|trans|illus)\.(?= [A-Z])",
        lambda match: f"{MAKERS[match[1]]} by",
    ),
    rule("abbreviation", rf"(?<![\w.])({_ABBREVIATION})\.(?![\w])", _abbreviation),
    rule(
        "abbreviation",
        r"\b(vs|Jr|Sr|Mr|Mrs|Dr)(?=[\s,;!?]|$)",
        lambda match: (TITLES | ANYWHERE)[match[1]],
    ),
    rule("abbreviation", r"(?<=[a-z,;] )No (?=\d)", "number "),
    rule(
        "abbreviation",
        r"(?<![\w.])([Ee])\. ?g\.(?!\w)",
        lambda match: "For example" if match[1] == "E" else "for example",
    ),
    rule(
        "abbreviation",
        r"(?<![\w.])([Ii])\. ?e\.(?!\w)",
        lambda match: "That is" if match[1] == "I" else "that is",
    ),
    rule(
        "regiment",
        r"(?<=\d(?:st|nd|rd|th) )(Bn|Regt|Div)\b\.?",
        lambda match: _TROOPS[match[1]] + sentence_stop(match),
    ),
    rule("against", r"\b([A-Z][\w’]{1,30}) v\.(?= [A-Z][a-z])", lambda m: f"{m[1]} versus"),
    rule("following", r"(?<=\d) ?ff\b\.?", lambda m: " and following" + sentence_stop(m)),
    rule("population", r"\bpop\. (?=\d)", "population "),
    rule(
        "state",
        # Behind a town; “Goodbye, Tex.” calls somebody by a name.
        rf"(?<=[a-z], )(?:({'|'.join(STATES)})\.(?=[,;:)]|\s[a-z])|((?!{_NICKNAMES})"
        rf"(?:{'|'.join(STATES)}))\.(?=\s*$))",
        lambda match: STATES[match[1] or match[2]] + sentence_stop(match),
    ),
    rule(
        "edition", r"(?<=\d(?:st|nd|rd|th) )edn?\.", lambda match: "edition" + sentence_stop(match)
    ),
    rule("world war", r"\bWW ?(II?|[12])\b", lambda match: f"World War {_WARS[match[1]]}"),
    rule("year in capitals", r"\bM[MCDXLVI]{3,12}\b", _roman_year),
    rule("number sign", r"(?:\bN[º°]|№|#) ?(?=\d)", "number "),
    rule(
        "century",
        rf"\b({ROMAN})(?:th)?[ -](?=centur)",
        lambda match: f"{ordinal(roman_value(match[1]))} ",
    ),
    rule(
        "roman number",
        rf"\b((?i:{_NUMBERED_THINGS})) ([IVXLCDM]{{1,9}})(?:[–-]([IVXLCDM]{{1,9}}))?\b"
        r"(?=$|[\s.,;:!?)\]’”—–-])",
        _counted_thing,
    ),
    rule(
        "roman number",
        r"\b((?i:chapters?|acts?|scenes?|parts?|book|volume|canto|pages?|section|stanza)) "
        r"([ivx]{1,7})(?:[–-]([ivx]{1,7}))?\b(?=$|[\s.,;:!?)\]’”–])",
        _small_roman,
    ),
    *RULERS,
    rule("roman number", r"\b([IVX]{2,9})(?:th|st|nd|rd)\b", _roman_ordinal),
    rule(
        "roman number",
        r"(?<=\b[Tt]he )([IVX]{2,9}|[IVX](?= Legion))"
        r"(?= (?:Amendment|Corps|Legion|Dynasty|Olympiad|Army|Congress|Council)\b)",
        _roman_ordinal,
    ),
    rule(
        "roman number",
        r"(?<![\w.’'-])[IVX]{1,5}(?:(?:, (?:and )?| and | or | to |[–-])[IVX]{1,5}\b){1,12}"
        r"(?![\w’'-]|\.\w)",
        _roman_list,
    ),
    # Only those that cannot be letters or a size; IV and XX can.
    rule(
        "roman number",
        r"(?<![\w.’'-])(?:X{0,2}(?:III?|VI{1,3}|IX)|XI|XIV)(?![\w’'-]|\.\w)",
        _roman_alone,
    ),
)
"""In this order: years in capitals, if any, come after these."""
