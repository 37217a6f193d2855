"""Numbers as French words, as they are said in France."""

from __future__ import annotations

_ONES = (
    "zéro un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize "
    "dix-sept dix-huit dix-neuf"
).split()
_TENS = "- - vingt trente quarante cinquante soixante".split()
_SCALES = ((10**12, "billion"), (10**9, "milliard"), (10**6, "million"))


def cardinal(number: int) -> str:
    """``42`` → ``quarante-deux``; up to 15 digits."""
    if number < 0:
        return f"moins {cardinal(-number)}"
    for scale, name in _SCALES:
        if number >= scale:
            count, rest = divmod(number, scale)
            head = f"{cardinal(count)} {name}{'s' if count > 1 else ''}"
            return head + (f" {cardinal(rest)}" if rest else "")
    if number >= 1000:
        count, rest = divmod(number, 1000)
        words = _hundreds(count)
        if words.endswith(("cents", "vingts")):
            words = words[:-1]  # Before mille they take no s.
        head = "mille" if count == 1 else f"{words} mille"
        return head + (f" {_hundreds(rest)}" if rest else "")
    return _hundreds(number)


def _hundreds(number: int) -> str:
    """Numbers below a thousand."""
    count, rest = divmod(number, 100)
    if not count:
        return _below_hundred(rest)
    head = "cent" if count == 1 else f"{_ONES[count]} cent"
    if not rest:
        return head + ("s" if count > 1 else "")
    return f"{head} {_below_hundred(rest)}"


def _below_hundred(number: int) -> str:
    """``quatre-vingt-onze`` and the like."""
    if number < 20:
        return _ONES[number]
    if number < 70:
        tens, ones = divmod(number, 10)
        return _TENS[tens] + (" et un" if ones == 1 else f"-{_ONES[ones]}" if ones else "")
    if number < 80:
        return "soixante et onze" if number == 71 else f"soixante-{_ONES[number - 60]}"
    return "quatre-vingts" if number == 80 else f"quatre-vingt-{_ONES[number - 80]}"


def ordinal(number: int, feminine: bool = False) -> str:
    """``19`` → ``dix-neuvième``."""
    if number == 1:
        return "première" if feminine else "premier"
    words = cardinal(number)
    at = max(words.rfind(" "), words.rfind("-")) + 1
    last = words[at:]
    if last == "cinq":
        last = "cinqu"
    elif last == "neuf":
        last = "neuv"
    elif last in ("cents", "vingts", "millions", "milliards"):
        last = last[:-1]
    return f"{words[:at]}{last.removesuffix('e')}ième"


def digits(text: str) -> str:
    """``007`` → ``zéro zéro sept``."""
    return " ".join(_ONES[int(character)] for character in text if character.isdecimal())
