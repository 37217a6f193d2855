"""Dates, years and times of day."""

from __future__ import annotations

import re

from studio.book.english.clock import TIMES, minutes_past
from studio.book.english.money import sentence_stop
from studio.book.numerals import cardinal, decade, ordinal, year
from studio.book.rules import Rule, rule

MONTHS = (
    "January February March April May June July August September October November December"
).split()
_SHORT_MONTHS = {month[:3]: month for month in MONTHS if month != "May"} | {"Sept": "September"}
_SHORT_DAYS = {
    "Mon": "Monday",
    "Tue": "Tuesday",
    "Tues": "Tuesday",
    "Wed": "Wednesday",
    "Thu": "Thursday",
    "Thur": "Thursday",
    "Thurs": "Thursday",
    "Fri": "Friday",
    "Sat": "Saturday",
    "Sun": "Sunday",
}
_MONTH = "|".join(MONTHS)
_DAY = "|".join(_SHORT_DAYS)
_YEAR_CUES = (
    "between|as (?:early|late|far back) as|(?:earlier|later) than|through|throughout|towards?|"
    "copyright|fall of|spring of|anno|in|since|by|flourished|of|until|till|from|after|before|"
    "around|about|circa|during|year|early|late|mid|"
    "summer|winter|spring|autumn|fall|and|was|christmas|easter|to|for|dated|born|died|" + _MONTH
)
_HAPPENING = (
    "battle|war|election|fire|flood|crash|treaty|revolution|rising|uprising|rebellion|invasion|"
    "census|budget|season|film|novel|edition|map|earthquake|famine|plague|strike|coup|crisis|"
    "olympics|vintage|ford|model|landings|riots|harvest|siege|act|constitution|agreement|summit"
)
"""The 1066 battle: what has a year for its name."""
_MEASURED_BY = (
    "metre|meter|mile|foot|ton|tonne|pound|dollar|euro|page|word|acre|watt|volt|yard|man|seat|bed|"
    "or|to|and|per|litre|gallon|calorie|piece|odd|plus|strong|more|kilo|kilometre|year|day|hour"
)
"""Before these, too, where the number is in the singular: a 1500 metre race."""
_COUNTED = (
    "men|women|people|books|sheep|dollars|pounds|miles|feet|years|days|pages|words|times|soldiers|"
    "horses|acres|copies|metres|meters|kilometres|yards|of|or|ships|tons|hours|minutes|children"
)
"""Before these a number of four digits counts, and is no year."""


def _month_day(month: str, day: str, its_year: str | None) -> str:
    """``May third, nineteen twelve``."""
    return f"{month} {ordinal(int(day))}" + (f", {year(int(its_year))}" if its_year else "")


def _day_month(match: re.Match[str]) -> str:
    """``3 May 1912``."""
    words = f"{ordinal(int(match['day']))} of {match['month']}"
    words += f", {year(int(match['year']))}" if match["year"] else ""
    return words if match["the"] else f"the {words}"


def _iso_date(match: re.Match[str]) -> str:
    """``2025-03-04``."""
    month, day = int(match[3]), int(match[4])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    return _month_day(MONTHS[month - 1], match[4], match[1])


def _dotted_date(match: re.Match[str]) -> str:
    """``5.6.2024``: where dots are used, the day comes first."""
    day, month = int(match[1]), int(match[2])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    return f"the {ordinal(day)} of {MONTHS[month - 1]}, {year(int(match[3]))}"


def _either_date(match: re.Match[str], *, day_first: bool) -> str:
    """``3/4/2025`` in the order that was chosen; only where either number may be the month."""
    both = 1 <= int(match[1]) <= 12 and 1 <= int(match[2]) <= 12
    return _slashed_date(match, day_first=day_first) if both else match[0]


def _slashed_date(match: re.Match[str], *, day_first: bool) -> str:
    """``12/25/2024``: only one order makes a date."""
    first, second = int(match[1]), int(match[2])
    day, month = (first, second) if day_first else (second, first)
    if month > 12 >= day:
        day, month = month, day
        day_first = not day_first
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    written = match[3]
    its_year = year(int(written)) if len(written) == 4 else minutes_past(written)
    if written == "00":
        its_year = "two thousand"
    if day_first:
        return f"the {ordinal(day)} of {MONTHS[month - 1]}, {its_year}"
    return f"{MONTHS[month - 1]} {ordinal(day)}, {its_year}"


def _decade(match: re.Match[str]) -> str:
    """``1990s``: nineteen nineties."""
    century, tens = int(match[1]), int(match[2])
    if century == 20 and not tens:
        return "two thousands"
    return f"{cardinal(century)} {decade(tens)}"


def _short_years(match: re.Match[str]) -> str:
    """``1914–18`` and ``1914–8``; with a hyphen only where the second year is the later one."""
    century, first, sign, second = match.groups()
    last = second if len(second) == 2 else first[0] + second
    if sign == "-" and int(last) <= int(first):
        return match[0]
    if len(second) == 1 and int(last) <= int(first):
        return match[0]
    return f"{year(int(century + first))} to {minutes_past(last)}"


def _between(match: re.Match[str]) -> str:
    """``between 1861–65``: what stands between two years is between one and the other."""
    first, last = match[2] + match[3], match[0].rstrip()[-4:]
    if not last.isdigit():
        last = match[2] + match[4]
    return f"{match[1]}{first} and {last}"


_LETTER_MONTHS = {"inst": "instant", "ult": "ultimo", "prox": "proximo"}
"""What letters called this month, the last and the next."""


def _era(match: re.Match[str]) -> str:
    """``44 BC``."""
    letters = " ".join(match[2].replace(".", ""))
    after = match.string[match.end() :][:8]
    stop = "." if match[2].endswith(".") and re.match(r"\s*(?:$|[A-Z“\"])", after) else ""
    words = year(int(match[1])) if len(match[1]) == 4 else cardinal(int(match[1]))
    return f"{words} {letters}{stop}"


def _to_the_day(match: re.Match[str]) -> str:
    """``July 19–24`` and ``July 19–24, 1914``."""
    words = f"{match[1]} {ordinal(int(match[2]))} to {ordinal(int(match[3]))}"
    return words + (f", {year(int(match[4]))}" if match[4] else "")


def _days_of(match: re.Match[str]) -> str:
    """``19–24 July 1914``."""
    words = f"{ordinal(int(match[2]))} to the {ordinal(int(match[3]))} of {match[4]}"
    its_year = f", {year(int(match[5]))}" if match[5] else ""
    return f"{match[1] or 'the '}{words}{its_year}"


_SLASHED = r"(?<![\d/])(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)\b(?!/)"
_DASHED = r"(?<![\d–-])(\d{1,2})-(\d{1,2})-(1\d{3}|20\d\d)\b(?!-)"
MONTH_FIRST = (
    rule("date, month first", _DASHED, lambda match: _either_date(match, day_first=False)),
    rule("date", _DASHED, lambda match: _slashed_date(match, day_first=False)),
    rule("date, month first", _SLASHED, lambda match: _either_date(match, day_first=False)),
    rule("date", _SLASHED, lambda match: _slashed_date(match, day_first=False)),
)
"""``3/4/2025`` is in March, as in the United States."""
DAY_FIRST = (
    rule("date, day first", _DASHED, lambda match: _either_date(match, day_first=True)),
    rule("date", _DASHED, lambda match: _slashed_date(match, day_first=True)),
    rule("date, day first", _SLASHED, lambda match: _either_date(match, day_first=True)),
    rule("date", _SLASHED, lambda match: _slashed_date(match, day_first=True)),
)
"""``3/4/2025`` is in April, as everywhere else."""

WEEKDAYS: tuple[Rule, ...] = (
    rule(
        "month",
        rf"\b({'|'.join(_SHORT_MONTHS)})\.( (?:and|or|to|through) )"
        rf"({'|'.join(_SHORT_MONTHS)})\b\.?",
        lambda match: (
            _SHORT_MONTHS[match[1]] + match[2] + _SHORT_MONTHS[match[3]] + sentence_stop(match)
        ),
    ),
    rule(
        "month",
        r"\b((?:[Ii]n|[Ss]ince|[Uu]ntil|till|[Bb]y|[Ll]ast|[Nn]ext|[Ee]arly|[Ll]ate|[Tt]his) )"
        rf"({'|'.join(_SHORT_MONTHS)})\.",
        lambda match: match[1] + _SHORT_MONTHS[match[2]] + sentence_stop(match),
    ),
    rule(
        "weekday",
        rf"\b({_DAY})(?:\.(?= [a-z\d]|,| [&–-])|\.?(?=,? (?:{_MONTH}|\d))|\.?(?=[–-](?:{_DAY})\b))"
        rf"|(?<=[–-])({_DAY})\b",
        lambda match: _SHORT_DAYS[match[1] or match[2]],
    ),
    rule(
        "weekday",
        rf"(?<=day)( and | or |, )({_DAY})\b(\.)?",
        lambda match: match[1] + _SHORT_DAYS[match[2]] + sentence_stop(match),
    ),
    rule(
        "month",
        rf"\b({'|'.join(_SHORT_MONTHS)})\.?(?= ?[–-] ?(?:{_MONTH}|{'|'.join(_SHORT_MONTHS)})\b)",
        lambda match: _SHORT_MONTHS[match[1]],
    ),
    rule("weekdays", r"\b(\w{3,6}day) ?[–-] ?(?=\w{3,6}day\b)", lambda match: f"{match[1]} to "),
    rule(
        "months",
        rf"\b({_MONTH}) ?[–-] ?(?=(?:{_MONTH}|{'|'.join(_SHORT_MONTHS)})\b)",
        lambda match: f"{match[1]} to ",
    ),
)
"""Short names of days, and of months without numbers about."""

CALENDAR: tuple[Rule, ...] = (
    rule("date", r"(?<![\d/])(\d{4})([-/])(\d\d)\2(\d\d)\b(?![-/]\d)", _iso_date),
    rule("date", r"(?<![\w.])(\d{1,2})\.(\d{1,2})\.(1\d{3}|20\d\d)\b(?!\.\d)", _dotted_date),
    rule(
        "month",
        rf"\b({'|'.join(_SHORT_MONTHS)})\.? (?=\d)",
        lambda match: f"{_SHORT_MONTHS[match[1]]} ",
    ),
    rule(
        "month",
        rf"(?<=\d )({'|'.join(_SHORT_MONTHS)})\b(?:\.(?= [a-z\d]|,))?",
        lambda match: _SHORT_MONTHS[match[1]],
    ),
    rule(
        "dates",
        rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)? ?[–-] ?([12]?\d|3[01])(?:st|nd|rd|th)?\b"
        r"(?![:.,]\d|[–-])(?:,? (\d{4})\b)?",
        _to_the_day,
    ),
    rule(
        "dates",
        rf"\b([Tt]he )?(?<![.,\d–-])([12]?\d|3[01])(?:st|nd|rd|th)? ?[–-] ?([12]?\d|3[01])"
        rf"(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}})\b)?",
        _days_of,
    ),
    rule(
        "dates",
        rf"\b((?:{_MONTH}) (?:[12]?\d|3[01])(?:st|nd|rd|th)?(?:, \d{{4}})?) ?[–-] ?"
        rf"(?=(?:{_MONTH}) \d)",
        lambda match: f"{match[1]} to ",
    ),
    rule(
        "date",
        rf"\b(?P<the>[Tt]he )?(?<![.,\d–-])(?P<day>[12]?\d|3[01])"
        r"(?:st|nd|rd|th|(?<=[23])d)?(?: of)? "
        rf"(?P<month>{_MONTH})\b(?:,? (?P<year>\d{{4}})\b)?",
        lambda match: (match["the"] or "") + _day_month(match),
    ),
    rule(
        "date",
        rf"\b({_MONTH}) ([12]?\d|3[01])(?:st|nd|rd|th|(?<=[23])d)?\b(?![:.,]\d)(?:,? (\d{{4}})\b)?",
        lambda match: _month_day(match[1], match[2], match[3]),
    ),
    rule(
        "this month",
        r"(?<=\d(?:st|nd|rd|th) )(inst|ult|prox)\b\.?",
        lambda match: _LETTER_MONTHS[match[1]] + sentence_stop(match),
    ),
    *TIMES,
    rule("decades", r"(?<=\d0s) ?[–-] ?(?=[’']?\d{1,3}0s\b)", " to "),
    rule("decade", r"\b(1\d|20)(\d)0[’']?s\b", _decade),
    rule("decade", r"[’'‘](\d)0s\b", lambda match: decade(int(match[1]))),
    rule(
        "between",
        r"\b([Bb]etween )(1\d|20)(\d\d) ?[–-] ?(?:(?:1\d|20)?(\d\d))\b(?![,.]?\d| and\b)",
        _between,
    ),
    rule(
        "between",
        r"\b([Bb]etween (?:the ages of )?)(\d{1,3}) ?[–-] ?(\d{1,3})(?![\d–:-]|[,.]\d| and\b)",
        lambda match: f"{match[1]}{match[2]} and {match[3]}",
    ),
    rule(
        "years",
        r"(?<![\d.,-])(1\d{3}|20\d\d) ?[–-] ?(1\d{3}|20\d\d)\b(?![,.]?\d)",
        lambda match: f"{year(int(match[1]))} to {year(int(match[2]))}",
    ),
    rule(
        "years",
        r"(?<![\d.,-])(1\d|20)(\d\d)([–/-])(\d\d|[1-9])\b(?![,.:–-]?\d|[%/])",
        _short_years,
    ),
    rule(
        "year",
        r"\b((?i:in|of|since|from|to|by|until|till|summer|winter|spring|autumn|fall|and|before|"
        r"after|the|class of) |"
        rf"(?:{_MONTH}),? )"
        r"[’'](\d\d)\b(?!['’]?s\b|[,.:]\d|['’\d%])",
        lambda match: match[1] + minutes_past(match[2]),
    ),
    rule("copyright", r"\b([Cc]opyright) ?©", lambda match: match[1]),
    rule(
        "copyright",
        r"(?:©|\([cC]\)|(?<=[Cc]opyright)) ?(1[5-9]\d\d|20\d\d)\b",
        lambda match: ("copyright " if match[0][0] in "©(" else " ") + year(int(match[1])),
    ),
    rule("circa", r"\bca?\. ?(?=\d{3,4}\b|\d{1,3},\d{3}\b)", "circa "),
    rule("era", r"\b(\d{1,4}) (BCE?|AD|CE|B\.C\.(?:E\.)?|A\.D\.|C\.E\.)(?!\w)", _era),
    rule("era", r"\bA\.?D\.? (\d{1,4})\b", lambda match: f"A D {year(int(match[1]))}"),
    rule("born", r"\bb\. ?(?=1\d{3}\b)", "born "),
    rule("died", r"\bd\. ?(?=1\d{3}\b)", "died "),
    rule("flourished", r"\bfl\. ?(?=\d{3,4}\b)", "flourished "),
    rule(
        "year",
        rf"\b({_YEAR_CUES}),? (1\d\d\d|20\d\d)\b(?![,.:]\d|[–-]\d|%| (?:{_COUNTED})\b)",
        lambda match: match[0][:-4] + year(int(match[2])),
        re.IGNORECASE,
    ),
    rule(
        "year",
        r"\b((?:the|an?|his|her|their|its|my|our|this|that) )(1[5-9]\d\d|20[0-4]\d)"
        rf"(?= (?!(?:{_COUNTED}|{_MEASURED_BY})\b)[a-zA-Z]{{2,30}}(?<!s)\b)",
        lambda match: match[1] + year(int(match[2])),
        re.IGNORECASE,
    ),
    rule(
        "year",
        r"\b((?i:pre|post|mid|circa)[-–])(1[1-9]\d\d|20\d\d)\b(?![,.:]\d)",
        lambda match: match[1] + year(int(match[2])),
    ),
    rule(
        "year",
        rf"\b(1[1-9]\d\d|10[1-9]\d|20\d\d) (?=(?:[a-z]+ )?(?:{_HAPPENING})\b)",
        lambda match: f"{year(int(match[1]))} ",
        re.IGNORECASE,
    ),
    rule(
        "year",
        r"(?:(?<=\()|(?<=[.!?;:,–—“\"] )|(?<=[“\"‘—])|^)(1[1-9]\d\d|10[1-9]\d|20\d\d)"
        rf"(?=[,.;:!?)”\"’]{{0,3}}(?: |$)|\)|['’]s\b)(?![.,]\d)(?! (?:{_COUNTED})\b)",
        lambda match: year(int(match[1])),
    ),
)
"""In this order, before any rule about bare numbers."""
