"""English number words in figures, so that one number has one form however it was said."""

from __future__ import annotations

from collections.abc import Iterable

from studio.book.numerals import cardinal, ordinal

_SMALL = {cardinal(number): number for number in range(1, 20)}
_TENS = {cardinal(number): number for number in range(20, 100, 10)}
_SCALES = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ZERO = frozenset(("zero", "oh", "nought"))
_ORDINALS = {
    **{ordinal(number): number for number in range(1, 20)},
    **{ordinal(number): number for number in range(20, 100, 10)},
}


class _Number:
    """A number that is being read, word by word."""

    def __init__(self) -> None:
        self.done = 0
        """What whole scales have given."""
        self.part: int | None = None
        """Below a thousand, still growing."""
        self.scale = 10**15

    @property
    def begun(self) -> bool:
        """Whether any word has been taken."""
        return self.part is not None or self.done > 0

    @property
    def value(self) -> int:
        """What has been read so far."""
        return self.done + (self.part or 0)

    def takes(self, word: str) -> bool:
        """Take one more word, if the number can go on with it."""
        value = _SMALL.get(word) or _TENS.get(word)
        if value is not None:
            return self._takes_value(value)
        if word == "hundred" and self.part and 0 < self.part < 100:
            self.part *= 100
            return True
        scale = _SCALES.get(word, 0)
        if scale and self.part and scale < self.scale:
            self.done += self.part * scale
            self.part, self.scale = None, scale
            return True
        return False

    def _takes_value(self, value: int) -> bool:
        """Take a number below a hundred."""
        if self.part is None:
            if self.done and self.scale <= 1:
                return False
            self.part = value
            return True
        last = self.part % 100
        if last == 0 or (value < 10 and last >= 20 and last % 10 == 0):
            self.part += value
            return True
        return False


def in_figures(words: Iterable[str]) -> list[str]:
    """Replace number words by figures: ``nineteen twelve`` → ``1912``, ``twenty first`` → ``21st``.

    Args:
        words: In small letters, without marks.
    """
    found: list[str] = []
    number = _Number()
    waiting = list(words)
    for at, word in enumerate(waiting):
        following = waiting[at + 1] if at + 1 < len(waiting) else ""
        if word == "a" and following in ("hundred", *_SCALES):
            word = "one"
        if word == "and" and number.begun and _counts(following) and _open(number):
            continue
        if word in _ORDINALS and word not in ("second",):
            value = _ORDINALS[word]
            value = number.value + value if number.begun and _open_for(number, value) else value
            if not (number.begun and value > _ORDINALS[word]):
                _close(found, number)
            found.append(f"{value}th")
            number = _Number()
            continue
        if number.takes(word):
            continue
        _close(found, number)
        number = _Number()
        if word in _ZERO and (word != "oh" or (found and found[-1].isdigit())):
            found.append("0")
        elif not number.takes(word):
            found.append(word)
    _close(found, number)
    return _pairs(found)


def _counts(word: str) -> bool:
    """Whether a word can go on with a number after "and"."""
    return word in _SMALL or word in _TENS or word in _ORDINALS


def _open(number: _Number) -> bool:
    """Whether a number ends in hundreds or thousands, so that "and" may lead on."""
    return number.part is None or number.part % 100 == 0


def _open_for(number: _Number, value: int) -> bool:
    """Whether an ordinal ends the number: ``twenty first``."""
    last = number.value % 100
    return last == 0 or (value < 10 and last >= 20 and last % 10 == 0)


def _close(found: list[str], number: _Number) -> None:
    """Write a number down."""
    if number.begun:
        found.append(str(number.value))


def _pairs(words: list[str]) -> list[str]:
    """Years and times are said in pairs: ``19 12`` → ``1912``, ``10 0 5`` → ``1005``."""
    joined: list[str] = []
    at = 0
    while at < len(words):
        word = words[at]
        rest = words[at + 1 : at + 3]
        if len(word) == 2 and word.isdigit():
            if rest and len(rest[0]) == 2 and rest[0].isdigit():
                joined.append(word + rest[0])
                at += 2
                continue
            if len(rest) == 2 and rest[0] == "0" and len(rest[1]) == 1 and rest[1].isdigit():
                joined.append(word + "".join(rest))
                at += 3
                continue
        joined.append(word)
        at += 1
    return joined
