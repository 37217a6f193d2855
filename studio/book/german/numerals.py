"""Numbers as German words."""

from __future__ import annotations

_ONES = (
    "null eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf dreizehn vierzehn "
    "fünfzehn sechzehn siebzehn achtzehn neunzehn"
).split()
_TENS = "- - zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig".split()
_SCALES = (
    (10**12, "Billion", "Billionen"),
    (10**9, "Milliarde", "Milliarden"),
    (10**6, "Million", "Millionen"),
)
_ORDINALS = {1: "erst", 3: "dritt", 7: "siebt", 8: "acht"}


def cardinal(number: int) -> str:
    """``42`` → ``zweiundvierzig``; up to 15 digits."""
    if number < 0:
        return f"minus {cardinal(-number)}"
    for scale, one, many in _SCALES:
        if number >= scale:
            count, rest = divmod(number, scale)
            head = f"eine {one}" if count == 1 else f"{cardinal(count)} {many}"
            return head + (f" {cardinal(rest)}" if rest else "")
    return _small(number)


def _small(number: int) -> str:
    """Numbers below a million, which are one word."""
    if number < 20:
        return _ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return (f"{_joining(ones)}und" if ones else "") + _TENS[tens]
    for scale, name in ((1000, "tausend"), (100, "hundert")):
        if number >= scale:
            count, rest = divmod(number, scale)
            return _joining(count) + name + (_small(rest) if rest else "")
    raise AssertionError("every number below a hundred has been named")


def _joining(number: int) -> str:
    """A number in front of another: ``ein`` and not ``eins``."""
    words = _small(number)
    return words[:-1] if words.endswith("eins") else words


def ordinal(number: int, ending: str) -> str:
    """``3``, ``en`` → ``dritten``."""
    small = number % 100
    if 0 < small < 20:
        stem = _ORDINALS.get(small, f"{_ONES[small]}t")
        head = cardinal(number - small) if number > small else ""
        return f"{head}{stem}{ending}"
    return f"{cardinal(number)}st{ending}"


def year(number: int) -> str:
    """``1912`` → ``neunzehnhundertzwölf``; years of 1100 to 1999, others as cardinals."""
    if not 1100 <= number <= 1999:
        return cardinal(number)
    century, rest = divmod(number, 100)
    return f"{_small(century)}hundert" + (_small(rest) if rest else "")


def digits(text: str) -> str:
    """``007`` → ``null null sieben``."""
    return " ".join(_ONES[int(character)] for character in text if character.isdecimal())
