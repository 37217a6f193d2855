"""What German, French and Spanish reading rules share: decimal commas, addresses, capitals."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from studio.book.abbreviations import STARTERS
from studio.book.numerals import roman_value
from studio.book.rules import Rule, rule

_LONGEST_READ_AS_NUMBER = 15
NUMBER = r"\d{1,3}(?:[. ]\d{3}){1,5}(?!\d)(?:,\d{1,20})?|\d{1,400}(?:,\d{1,20})?"
"""Pattern of a number with a decimal comma, its thousands parted by dots or blanks or not."""
MINUS = "[-−–]"

Read: TypeAlias = Callable[[re.Match[str]], str]

_LETTERS = "A-ZÀ-ÖØ-Þ"
_LOUD = re.compile(rf"[{_LETTERS}]{{2}}")
_LOUD_TEXT = re.compile(r"[^a-zß-öø-ÿ]{4,400}")


@dataclass(frozen=True, slots=True)
class Numbers:
    """How one language says a number that stands on the page."""

    cardinal: Callable[[int], str]
    digits: Callable[[str], str]
    point: str
    """The word for the decimal mark."""
    minus: str
    by_digits: bool
    """Whether decimals are said one by one, or as a number with the zeros before it."""

    def read(self, text: str) -> str:
        """A number as it is written, such as ``-1.200,50``."""
        if text[:1] in ("-", "−", "–"):
            return f"{self.minus} {self.read(text[1:].lstrip())}"
        before, _, after = text.replace(".", "").replace(" ", "").partition(",")
        words = self.whole(before)
        return f"{words} {self.point} {self.decimals(after)}" if after else words

    def whole(self, text: str) -> str:
        """A whole number; very long ones and ones that begin with 0 are read digit by digit."""
        if len(text) > _LONGEST_READ_AS_NUMBER or (len(text) > 1 and text[0] == "0"):
            return self.digits(text)
        return self.cardinal(int(text))

    def decimals(self, text: str) -> str:
        """What stands behind the decimal mark."""
        if self.by_digits or len(text) > 4:
            return self.digits(text)
        zeros = len(text) - len(text.lstrip("0"))
        rest = text[zeros:]
        return " ".join(
            [*([self.digits("0")] * zeros), *([self.cardinal(int(rest))] if rest else [])]
        )


def addresses(words: Mapping[str, str]) -> tuple[Rule, ...]:
    """Rules for links, mail addresses and file names.

    Args:
        words: What the signs of an address are called.
    """
    signs = re.compile("[" + re.escape("".join(words)) + "]")

    def spelled(text: str) -> str:
        return re.sub(r"\s+", " ", signs.sub(lambda sign: f" {words[sign[0]]} ", text)).strip()

    def link(match: re.Match[str]) -> str:
        address = match[0].rstrip(".,;:!?)”’\"'»")
        tail = match[0][len(address) :]
        address = re.sub(r"^(?:https?|ftp)://(?:www\.)?", "", address.rstrip("/"))
        if address.startswith("www."):
            address = f"w w w{address[3:]}"
        return spelled(address) + tail

    return (
        rule("link", r"(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>“”\"«»]{1,2000}", link),
        rule(
            "mail address",
            r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}",
            lambda match: spelled(match[0]),
        ),
        rule(
            "file name",
            r"\b[\w-]{1,80}\.(?:pdf|txt|docx?|jpe?g|png|mp3|epub|html?|com|org|net|de|fr|es)\b",
            lambda match: spelled(match[0]),
        ),
    )


def roman_heading(cardinal: Callable[[int], str]) -> tuple[Rule, ...]:
    """Rules for headings: ``IV.`` or ``IV. Der Sturm``, and titles in capitals.

    Args:
        cardinal: Says a number.
    """

    def read(match: re.Match[str]) -> str:
        value = roman_value(match[1])
        return cardinal(value).capitalize() if value and match[1] not in "CDLM" else match[0]

    return (
        rule("roman number", r"^([IVXLC]{1,9})(?=\s*$|[.:)]|\s*[—–-])", read),
        rule("capitals", r"^.{1,400}$", _quieter),
    )


def _quieter(match: re.Match[str]) -> str:
    """A title in capitals in small letters, because voices spell capitals."""
    text = match[0]
    if not _LOUD.search(text) or not _LOUD_TEXT.fullmatch(text):
        return text
    quiet = re.sub(
        r"[^\W\d_]+", lambda word: word[0] if roman_value(word[0]) else word[0].lower(), text
    )
    return quiet[:1].upper() + quiet[1:]


def fractions(mixed: Read, names: Mapping[str, str], fraction: Read) -> tuple[Rule, ...]:
    """Rules for ``3½``, ``½`` and ``3/4``.

    Args:
        mixed: Says a whole number and a fraction behind it, groups 1 and 2.
        names: What the fractions of one character are called.
        fraction: Says a numerator and a denominator, groups 1 and 2.
    """
    return (
        rule("fraction", r"\b(\d{1,4}) ?([½¼¾⅓⅔⅛])", mixed),
        rule("fraction", r"[½¼¾⅓⅔⅛]", lambda match: names[match[0]]),
        rule("fraction", r"(?<![\d/.,])([1-9]\d?)/([2-9]|1\d)\b(?![/\d])", fraction),
    )


def ratio(cardinal: Callable[[int], str], word: str) -> Rule:
    """A rule for ``3:1``, said with ``word`` between the numbers."""
    return rule(
        "ratio",
        r"(?<![\d:])(\d{1,4}):(\d{1,4})(?![\d:])",
        lambda match: f"{cardinal(int(match[1]))} {word} {cardinal(int(match[2]))}",
    )


def told_ratios(
    cardinal: Callable[[int], str], word: str, things: str, outcomes: str
) -> tuple[Rule, ...]:
    """Rules for ratios and scores that words beside them tell from times of day.

    Args:
        cardinal: Says a number.
        word: What stands between the numbers.
        things: Pattern of words before a ratio, such as ``Maßstab``.
        outcomes: Pattern of words behind a score, such as ``gewonnen``.
    """

    def read(match: re.Match[str]) -> str:
        return f"{cardinal(int(match[2]))} {word} {cardinal(int(match[3].replace('.', '')))}"

    return (
        rule(
            "ratio",
            rf"\b((?i:{things})\b[^.;\d]{{0,12}} )(\d{{1,3}}) ?: ?"
            r"(\d{1,3}(?:\.\d{3}){1,2}|\d{1,7})\b(?![\d:])",
            lambda match: match[1] + read(match),
        ),
        rule("score", rf"()(?<![\d:])(\d{{1,2}}) ?: ?(\d{{1,2}})(?= (?:{outcomes})\b)", read),
        rule("ratio", r"()(?<![\d:])(\d{1,3}) : (\d{1,4})(?![\d:])", read),
    )


def signs(names: Mapping[str, str], minus: str) -> tuple[Rule, ...]:
    """Rules for signs of one character, and for a minus between numbers or before one."""
    return (
        rule("sign", r"(?<=\d) ?[−–-] ?(?=\d)", f" {minus} "),
        rule("sign", "[" + re.escape("".join(names)) + "]", lambda match: names[match[0]]),
        rule("number", rf"(?<![\w.,]){MINUS}(?=\d)", f"{minus} "),
    )


def leftover_digits(numbers: Numbers) -> Rule:
    """A rule for every digit that nobody else has read."""

    def read(match: re.Match[str]) -> str:
        text = match[0]
        return f" {numbers.whole(text) if len(text) < 3 else numbers.digits(text)} "

    return rule("digits", r"\d{1,400}", read)


def ends_here(match: re.Match[str]) -> bool:
    """Whether a sentence ends with what was matched."""
    after = match.string[match.end() : match.end() + 40]
    if re.match(r"[”\"’')»“]{0,2}\s*$", after):
        return True
    word = re.match(r"[”\"’')»“]{0,2}\s+([A-ZÀ-ÖØ-Þ]\w*)", after)
    return word is not None and word[1] in STARTERS


def expanded(
    table: Mapping[str, str], *, follows: str = r"(?![\w])", name: str = "abbreviation"
) -> Rule:
    """A rule for abbreviations; a full stop that also ends the sentence stays.

    Args:
        table: Abbreviations with their stops, and their words; a blank in one may be missing.
        follows: Pattern of what must follow.
        name: What the rule is called.
    """
    ways = sorted(table, key=len, reverse=True)
    pattern = "|".join(re.escape(way).replace(r"\ ", " ?") for way in ways)
    words = {way.replace(" ", ""): spoken for way, spoken in table.items()}

    def read(match: re.Match[str]) -> str:
        spoken = words[match[1].replace(" ", "")]
        if not match[1].endswith("."):
            return spoken
        if name == "title":
            # "M. Le Roux" is a man, "opción D. Luego" is none.
            lone = match[1] == "D." and ends_here(match)
            return match[0] if lone else spoken
        return f"{spoken}." if ends_here(match) else spoken

    return rule(name, rf"(?<![\w.])({pattern}){follows}", read)
