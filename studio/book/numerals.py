"""Numbers as English words, and Roman numbers as numbers."""

from __future__ import annotations

import re

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "- - twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = (
    (10**12, "trillion"),
    (10**9, "billion"),
    (10**6, "million"),
    (10**3, "thousand"),
)
_IRREGULAR_ORDINALS = {
    "one": "first",
    "two": "second",
    "three": "third",
    "five": "fifth",
    "eight": "eighth",
    "nine": "ninth",
    "twelve": "twelfth",
}
_LONGEST_READ_AS_NUMBER = 15
"""Longer runs of digits are read digit by digit, which is how people read them."""
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
ROMAN = r"(?=[MDCLXVI])M{0,3}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
"""Pattern of a well-formed Roman number in capitals."""
_ROMAN = re.compile(ROMAN)


def cardinal(number: int) -> str:
    """``42`` → ``forty-two``; up to 15 digits."""
    if number < 0:
        return f"minus {cardinal(-number)}"
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (f"-{_ONES[ones]}" if ones else "")
    if number < 1000:
        hundreds, rest = divmod(number, 100)
        return f"{_ONES[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    for scale, name in _SCALES:
        if number >= scale:
            many, rest = divmod(number, scale)
            return f"{cardinal(many)} {name}" + (f" {cardinal(rest)}" if rest else "")
    raise AssertionError("the scales begin at a thousand")


def ordinal(number: int) -> str:
    """``22`` → ``twenty-second``."""
    words = cardinal(number)
    at = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[at:]
    if last in _IRREGULAR_ORDINALS:
        last = _IRREGULAR_ORDINALS[last]
    else:
        last = f"{last[:-1]}ieth" if last.endswith("y") else f"{last}th"
    return words[:at] + last


def digits(text: str) -> str:
    """``007`` → ``zero zero seven``; anything but digits is passed over."""
    return " ".join(_ONES[int(character)] for character in text if character.isdecimal())


def whole(text: str) -> str:
    """A whole number as it is written: ``1,200``, ``007``, or a very long one."""
    plain = text.replace(",", "")
    if len(plain) > _LONGEST_READ_AS_NUMBER or (len(plain) > 1 and plain[0] == "0"):
        return digits(plain)
    return cardinal(int(plain))


def number(text: str) -> str:
    """A number as it is written: ``-5``, ``1,200.50``, ``.5``."""
    if text[:1] in "-−":
        return f"minus {number(text[1:])}"
    before, _, after = text.partition(".")
    words = whole(before) if before else ""
    return f"{words} point {digits(after)}".strip() if after else words


def year(number: int) -> str:
    """``1905`` → ``nineteen oh five``; years of 1000 to 2099, others as cardinals."""
    century, rest = divmod(number, 100)
    if not 1000 <= number <= 2099 or (number < 1100 and rest < 10):
        return cardinal(number)
    if 2000 <= number < 2010:
        return f"two thousand {cardinal(rest)}" if rest else "two thousand"
    if not rest:
        return f"{cardinal(century)} hundred"
    return (
        f"{cardinal(century)} oh {cardinal(rest)}"
        if rest < 10
        else f"{cardinal(century)} {cardinal(rest)}"
    )


def decade(tens: int) -> str:
    """``6`` → ``sixties``; ``0`` and ``1`` as people say them."""
    if tens < 2:
        return ("hundreds", "tens")[tens]
    return f"{_TENS[tens][:-1]}ies"


def power(base: str, exponent: str) -> str:
    """``10``, ``6`` → ``ten to the power of six``; squares and cubes by their names."""
    spoken = number(base) if base.isdigit() else base
    name = {"2": "squared", "3": "cubed"}.get(exponent)
    return f"{spoken} {name}" if name else f"{spoken} to the power of {number(exponent)}"


def roman_value(text: str) -> int:
    """The value of a well-formed Roman number in capitals, or 0."""
    if not text or not _ROMAN.fullmatch(text):
        return 0
    total = 0
    for letter, following in zip(text, text[1:] + " ", strict=True):
        value = _ROMAN_DIGITS[letter]
        total += -value if _ROMAN_DIGITS.get(following, 0) > value else value
    return total
