"""Source text becomes spoken text, by named rules that can be shown beside every change.

Typographic rules hold for every language. English has reading rules for numbers, abbreviations,
signs and capitals besides. Letters of other scripts stay: an engine refuses what it cannot say.
A heading that ends without a mark gets a full stop, because a voice needs one to come to rest.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from studio.book.english.amounts import AMOUNTS
from studio.book.english.calendar import CALENDAR, DAY_FIRST, MONTH_FIRST, WEEKDAYS
from studio.book.english.capitals import CAPITALS, HEADING_CAPITALS
from studio.book.english.names import NAMES, ROMAN_HEADING
from studio.book.english.scripture import SCRIPTURE
from studio.book.english.signs import ADDRESSES, CODES, SIGNS
from studio.book.kinds import Kind
from studio.book.marks import speakable
from studio.book.policies import Dates
from studio.book.rules import Rule, apply, rule
from studio.book.rules import SpokenChange as SpokenChange
from studio.book.typography import ODD, TYPOGRAPHY

SPEAKING_VERSION = 7

_MONTH_FIRST = frozenset(("", "en", "en-us", "en-ph"))
"""Where ``3/4/2025`` is in March; elsewhere it is in April."""
_NUMERIC = re.compile(r"[\d½¼¾⅓⅔⅕⅖⅗⅘⅙⅛⅜⅝⅞⅚⅐⅑⅒%¢°⁰¹²³⁴-⁹₀-₉]")
_DOTTED = re.compile(
    r"[A-Za-z]\.(?=[\s,;:)A-Za-z@/])|[A-Za-z]\.$|www|://|[@\\/№º#♯♭]"
    r"|\b(?:Mr|Mrs|Dr|Jr|Sr|vs|Prof|Capt|Sgt|Lt|Rev|Cpl|Mme|Mlle|St)\b"
    r"|\b(?:Mon|Tues?|Wed|Thu|Fri|Sat)[–-][MTWFS]"
    r"|\b(?i:chapters?|acts?|scenes?|parts?|book|volume|canto|pages?|section|stanza) [ivx]{1,7}\b"
)
_SPAN = re.compile(
    r"[–-] ?(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
)
_CAPITALS = re.compile(r"[A-ZÀ-ÖØ-Þ]{2}|\b[IVX]\b")
_SIGN = re.compile(r"[&@©§°+=±×÷≈<>#~^|\\®™¶†‡*_`´$£€¥¢µ∞√≠≤≥/%αβγδεθλμπσφωΔΣΩ]")
_HEADING_STOP = (
    rule(
        "heading stop",
        r"(?<![.!?…:;。！？—–”’\"»)\]-])([”’\"»)\]]{0,9})$",
        lambda match: f".{match[1]}",
    ),
)
_WORK_ELSEWHERE = re.compile(
    r"[\d%&@+=×÷±<>#~$£€¥￥℃§°º№*½¼¾⅓⅔⅛²³©®™†]|[^\W\d_]\.(?=[\s\w,;:)-]|$)|[A-ZÀ-ÖØ-Þ]{2}"
    r"|\b(?:M[mM]es?|Mlles?|Dr|Dra|Ste?|Mgr|Me|Mo|Di|Mi|Do|Fr|Sa)\b|n[º°]|\b[IVX]{1,5}(?:e|er|re|ère)?\b"
)
"""Whether the rules of a language other than English could have work to do."""
_CONTROL = (rule("sign of control", r"[<>|\[\]{}]{1,200}", " "),)
"""An engine may take what stands between these for a command; no book means one."""
_COMPOSE = "composed letters"
_TIDY = (
    rule("blanks", r"\s{2,}", " "),
    rule("blanks", r"\s+(?=[,;:!?)](?:\s|$)|\.(?:\s|$))", ""),
)


def speak(source: str, kind: Kind, language: str, dates: Dates = Dates.BY_LANGUAGE) -> str:
    """What an engine is given for a text, until somebody changes it.

    Args:
        source: What the book says.
        kind: What the text is in the book; headings read Roman numbers and end in a stop.
        language: BCP 47 tag; English or none at all has reading rules of its own.
        dates: Which number of an English ``3/4/2025`` is the day.

    Returns:
        The spoken text on one line; empty where there is nothing to say.
    """
    return _speak(source, kind, language, dates, None)


def changes(
    source: str, kind: Kind, language: str, dates: Dates = Dates.BY_LANGUAGE
) -> tuple[SpokenChange, ...]:
    """What the rules change in a text.

    Args:
        source: What the book says.
        kind: What the text is in the book.
        language: BCP 47 tag.
        dates: Which number of an English ``3/4/2025`` is the day.

    Returns:
        One entry per change, in the order in which the rules made them.
    """
    log: list[SpokenChange] = []
    _speak(source, kind, language, dates, log)
    return tuple(log)


def _speak(
    source: str, kind: Kind, language: str, dates: Dates, log: list[SpokenChange] | None
) -> str:
    """Apply all rules that have work to do."""
    text = source
    if not text.isascii():
        composed = unicodedata.normalize("NFC", text)
        if composed != text and log is not None:
            log.append(SpokenChange(_COMPOSE, text, composed))
        text = composed
    english = not language or language.lower().partition("-")[0] == "en"
    if english and _DOTTED.search(text):
        # Before typography, which would take the marks of an address for emphasis.
        text = apply(ADDRESSES, text, log)
    if ODD.search(text):
        text = apply(TYPOGRAPHY, text, log)
    if english:
        text = _english(text, kind, _slashed_dates(language.lower(), dates), log)
    elif _WORK_ELSEWHERE.search(text) and (rules := _rules(language.lower())):
        headings, prose = rules
        text = apply(headings + prose if kind is Kind.HEADING else prose, text, log)
    text = apply(_CONTROL, text, log)
    text = apply(_TIDY, text, None).strip()
    if not speakable(text):
        return ""
    return apply(_HEADING_STOP, text, log) if kind is Kind.HEADING else text


@lru_cache(maxsize=16)
def _rules(language: str) -> tuple[tuple[Rule, ...], tuple[Rule, ...]] | None:
    """Rules for headings and for all text of a language; None where there are none."""
    head = language.partition("-")[0]
    # Loaded where they are needed: most books are in one language.
    if head == "de":
        from studio.book.german import reading as german

        return german.HEADINGS, german.RULES
    if head == "fr":
        from studio.book.french import reading as french

        return french.HEADINGS, french.RULES
    if head == "es":
        from studio.book.spanish import reading as spanish

        return spanish.HEADINGS, spanish.rules(language)
    if head == "zh":
        from studio.book.chinese import reading as chinese

        return (), chinese.rules(language)
    return None


def _slashed_dates(language: str, dates: Dates) -> tuple[Rule, ...]:
    """The rules for dates with strokes."""
    if dates is Dates.BY_LANGUAGE:
        return MONTH_FIRST if language in _MONTH_FIRST else DAY_FIRST
    return MONTH_FIRST if dates is Dates.MONTH_FIRST else DAY_FIRST


def _english(text: str, kind: Kind, dates: tuple[Rule, ...], log: list[SpokenChange] | None) -> str:
    """Apply the English rules; each group only where its signs occur, which keeps prose fast."""
    capitals = _CAPITALS.search(text) is not None
    if kind is Kind.HEADING:
        text = apply(ROMAN_HEADING, text, log)
    numeric = _NUMERIC.search(text) is not None
    if numeric:
        text = apply(SCRIPTURE + CODES, text, log)
    if capitals or numeric or _DOTTED.search(text) or _SPAN.search(text):
        text = apply(NAMES + WEEKDAYS, text, log)
    if numeric:
        text = apply(dates, text, log)
        text = apply(CALENDAR, text, log)
        text = apply(AMOUNTS, text, log)
    if _SIGN.search(text):
        text = apply(SIGNS, text, log)
    if capitals:
        text = apply(HEADING_CAPITALS if kind is Kind.HEADING else CAPITALS, text, log)
    return text
