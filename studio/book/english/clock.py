"""Times of day."""

from __future__ import annotations

import re

from studio.book.numerals import cardinal, digits
from studio.book.rules import Rule, rule

_MERIDIEM = r"[AaPp](?:\. (?=[Mm]\.)|\.?)[Mm]\b\.?"


def _meridiem(text: str, after: str) -> str:
    """``p.m.`` as letters; its last dot stays where it also ends the sentence."""
    if text[1] != ".":
        return f" {text.upper()}"
    letters = " ".join(text.replace(".", "").replace(" ", "").lower())
    ends = text.endswith(".") and re.match(r"[”\"’)]?\s*(?:$|[A-Z“\"])", after)
    return f" {letters}." if ends else f" {letters}"


def minutes_past(text: str) -> str:
    """``05`` → ``oh five``."""
    return f"oh {cardinal(int(text))}" if text[0] == "0" else cardinal(int(text))


def _time(match: re.Match[str]) -> str:
    """``10:05``, ``7:30 p.m.``, ``9:00``."""
    hour, minutes, half = match["hour"], match["minutes"], match["half"]
    words = cardinal(int(hour))
    if int(minutes):
        words += f" {minutes_past(minutes)}"
    elif not half:
        words += " o'clock" if 0 < int(hour) <= 12 else " hundred"
    return words + (_meridiem(half, match.string[match.end() :][:8]) if half else "")


def _many(text: str, thing: str) -> str:
    """``one hour``, ``two hours``."""
    return f"{cardinal(int(text))} {thing}{'' if int(text) == 1 else 's'}"


def _hour(text: str) -> str:
    """``06`` → ``oh six``."""
    return f"oh {cardinal(int(text))}" if text[0] == "0" and text != "00" else cardinal(int(text))


def _full_hour(match: re.Match[str]) -> str:
    """``6 a.m.``, ``5pm``."""
    return cardinal(int(match[1])) + _meridiem(match[2], match.string[match.end() :][:8])


def _dotted_time(match: re.Match[str]) -> str:
    """``the 17.45``."""
    return f"{match[1]} {cardinal(int(match[2]))} " + (
        "hundred" if match[3] == "00" else minutes_past(match[3])
    )


def _clock(match: re.Match[str]) -> str:
    """``0600`` and ``18.30 hrs`` by the clock of armies and railways."""
    cue, hour, minutes, hours = match.groups()
    words = f"{_hour(hour)} {'hundred' if minutes == '00' else minutes_past(minutes)}"
    return f"{cue or ''}{words}{' hours' if hours else ''}"


def _spoken_time(match: re.Match[str]) -> str:
    """``at 7.30``, as British books write it."""
    return f"{match[1]}{cardinal(int(match[2]))} " + (
        "o'clock" if match[3] == "00" else minutes_past(match[3])
    )


TIMES: tuple[Rule, ...] = (
    rule(
        "times",
        r"(?<![\w])([Nn]oon|[Mm]idnight|[Dd]awn|[Dd]usk|(?:\d{1,2}(?:[:.]\d\d)? ?"
        rf"{_MERIDIEM})) ?[–-] ?(?=\d{{1,2}}(?:[:.]\d\d)? ?{_MERIDIEM}|noon|midnight|dawn|dusk)",
        lambda match: f"{match[1]} to ",
    ),
    rule(
        "time",
        r"()\b([01]\d|2[0-3])[.:]?([0-5]\d) ?(h(?:ou)?rs)\b(?! (?:of|in|per|a|to|on)\b)",
        _clock,
    ),
    rule(
        "time",
        r"\b((?:[Aa]t|[Bb]y|[Uu]ntil|[Tt]ill?|[Ff]rom|[Bb]efore|[Aa]fter|[Ss]ince|[Aa]round) )"
        r"(0\d)([0-5]\d)\b(?![,.:]?\d)()",
        _clock,
    ),
    rule(
        "time",
        r"\b(\d{1,2})h ?(\d{1,2})m\b",
        lambda match: f"{_many(match[1], 'hour')} {_many(match[2], 'minute')}",
    ),
    rule(
        "race time",
        r"\b(\d{1,2}):(\d\d)\.(\d{1,4})\b",
        lambda match: (
            f"{cardinal(int(match[1]))} {minutes_past(match[2])} point {digits(match[3])}"
        ),
    ),
    rule(
        "time",
        r"(?<![\d:])([01]?\d|2[0-3]):([0-5]\d):([0-5]\d)\b(?![:.]\d)",
        lambda match: (
            f"{cardinal(int(match[1]))} {minutes_past(match[2])} "
            + ("hundred" if match[3] == "00" else minutes_past(match[3]))
        ),
    ),
    rule(
        "times",
        rf"(?<![\d:])(\d{{1,2}}:[0-5]\d(?: ?{_MERIDIEM})?) ?[–-] ?(?=\d{{1,2}}:[0-5]\d\b)",
        lambda match: f"{match[1]} to ",
    ),
    rule(
        "time",
        r"(?<![\w.:])([01]?\d|2[0-4])h(?:([0-5]\d))?\b(?!\.?\w)",
        lambda match: (
            f"{cardinal(int(match[1]))} "
            + (
                "hours"
                if match[2] is None
                else "hundred"
                if match[2] == "00"
                else minutes_past(match[2])
            )
        ),
    ),
    rule(
        "time",
        rf"(?<![\d:])(?P<hour>[01]?\d|2[0-3]|24(?=:00)):(?P<minutes>[0-5]\d)(?=\b|{_MERIDIEM})(?!:?\d)"
        rf"(?: ?(?P<half>{_MERIDIEM}))?",
        _time,
    ),
    rule(
        "times",
        rf"(?<![\d:])(1[0-2]|\d) ?[–-] ?(?=(?:1[0-2]|\d) ?{_MERIDIEM})",
        lambda match: f"{cardinal(int(match[1]))} to ",
    ),
    rule(
        "time",
        rf"(?<![\d:.])(?P<hour>1[0-2]|0?[1-9])\.(?P<minutes>[0-5]\d) ?(?P<half>{_MERIDIEM})",
        _time,
    ),
    rule("time", rf"\b(1[0-2]|\d) ?({_MERIDIEM})", _full_hour),
    rule(
        "time",
        r"\b([01]\d|2[0-4])00 (?=(?:hours|hrs)\b)",
        lambda match: f"{_hour(match[1])} hundred ",
    ),
    rule(
        "time",
        r"\b([Tt]he|[Aa]t) ([01]\d|2[0-3])\.([0-5]\d)\b(?! ?(?:%|per|[a-z]{1,2}\b)|\d)",
        _dotted_time,
    ),
    rule(
        "time",
        r"\b((?:[Aa]t|[Bb]y|[Uu]ntil|[Tt]ill) )(1[0-2]|[1-9])\.([0-5][05])\b"
        r"(?! ?(?:%|per|[mbt]illion|thousand|times|points?|pounds|dollars|euros|seconds|"
        r"met(?:re|er)s|miles|kilo|feet|inch|degrees|tons|lit(?:re|er)s|grams|volts|"
        r"[a-z]{1,2}\b(?<!\bon)(?<!\bin)(?<!\bto)(?<!\bhe)(?<!\bI))|\d|[-–]\d)",
        _spoken_time,
    ),
    rule(
        "time",
        r"\b([Tt]he )(1[0-2]|[1-9])\.([0-5]\d)"
        r"(?= (?:train|express|bus|ferry|boat|flight|service|coach|mail|local|from|to)\b)",
        _spoken_time,
    ),
)
"""In this order, after dates and before years."""
