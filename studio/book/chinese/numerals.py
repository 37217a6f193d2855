"""Numbers as Chinese words, in simplified characters."""

from __future__ import annotations

_DIGITS = "零一二三四五六七八九"
_PLACES = ("", "十", "百", "千")
_SCALES = ("", "万", "亿", "万亿")


def cardinal(number: int, *, two: bool = False) -> str:
    """``1200`` → ``一千二百``; up to 16 digits.

    Args:
        number: What is counted.
        two: Whether a measure word follows, before which 2 is 两.
    """
    if number < 0:
        return f"负{cardinal(-number, two=two)}"
    if number == 0:
        return "零"
    if two and number == 2:
        return "两"
    words = ""
    missing = False
    for place in range(3, -1, -1):
        part = number // 10 ** (4 * place) % 10_000
        if not part:
            missing = bool(words)
            continue
        if words and (missing or part < 1000):
            words += "零"
        spoken = _four(part, head=not words)
        if place and part == 2 and not words:
            spoken = "两"
        words += spoken + _SCALES[place]
        missing = False
    return words[1:] if words.startswith("一十") else words


def _four(number: int, *, head: bool) -> str:
    """Numbers below ten thousand; at the head of a whole number or behind its higher places."""
    words = ""
    missing = False
    for place in range(3, -1, -1):
        digit = number // 10**place % 10
        if not digit:
            missing = bool(words)
            continue
        if missing:
            words += "零"
        # 两千 and 两百, but 二十 and, behind a higher place, 一千二百.
        first = head and not words
        words += "两" if digit == 2 and place >= 2 and first else _DIGITS[digit]
        words += _PLACES[place]
        missing = False
    return words


def digits(text: str, *, telephone: bool = False) -> str:
    """``2024`` → ``二零二四``; on the telephone 1 is 幺."""
    words = "".join(_DIGITS[int(character)] for character in text if character.isdecimal())
    return words.replace("一", "幺") if telephone else words
