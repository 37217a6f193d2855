"""A text that is too long for one pass, cut into pieces of a length that the model reads well.

CosyVoice was trained on sentences, and its own front end aims at 60 to 80 tokens a piece (in
Chinese characters). `split_paragraph` is that front end's rule, which rewrites as it cuts: of “...”
one dot is left. `pieces` joins by the same rule and loses nothing: what it cuts are sentences, then
clauses, then words. `spell_out` is its rule for digits in languages other than Chinese.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator

LONGEST, SHORTEST, REST = 80, 60, 20
"""Lengths: a piece is closed where the next would make it longer than the first and it is longer
than the second; a last piece shorter than the third joins the one before."""
_MARKS = {"zh": frozenset("。？！；：、.?!;"), "en": frozenset(".?!;:")}
_COMMAS = frozenset("，,")

Length = Callable[[str], int]


def in_characters(language: str) -> bool:
    """Whether lengths are counted in characters, and not in tokens.

    Args:
        language: BCP 47 tag.
    """
    return language.lower().partition("-")[0] in ("zh", "yue", "ja")


def joined(
    spans: Iterable[str],
    length: Length,
    *,
    longest: int = LONGEST,
    shortest: int = SHORTEST,
    rest: int = REST,
) -> list[str]:
    """Join neighbours until they are long enough.

    Args:
        spans: In order.
        length: Measures a text.
        longest: A piece is closed before it gets longer than this …
        shortest: … if it is longer than this by then.
        rest: A last piece shorter than this joins the one before.
    """
    done: list[str] = []
    current = ""
    for span in spans:
        if length(current + span) > longest and length(current) > shortest:
            done.append(current)
            current = ""
        current += span
    if not current:
        return done
    if done and length(current) < rest:
        return [*done[:-1], done[-1] + current]
    return [*done, current]


def split_paragraph(
    text: str,
    length: Length,
    language: str,
    *,
    longest: int = LONGEST,
    shortest: int = SHORTEST,
    rest: int = REST,
    at_commas: bool = False,
) -> list[str]:
    """Cut as CosyVoice's own front end does.

    Args:
        text: What to cut.
        length: Measures a text; Chinese is measured in characters whatever it says.
        language: ``zh``; anything else is cut as English.
        longest: See `joined`.
        shortest: See `joined`.
        rest: See `joined`.
        at_commas: Whether commas are break marks, too.
    """
    chinese = language == "zh"
    marks = _MARKS["zh" if chinese else "en"] | (_COMMAS if at_commas else frozenset())
    if not text:
        return []
    if text[-1] not in marks:
        text += "。" if chinese else "."
    measure = len if chinese else length
    return joined(_spans(text, marks), measure, longest=longest, shortest=shortest, rest=rest)


def _spans(text: str, marks: frozenset[str]) -> list[str]:
    """Text up to each mark; a mark straight after another is dropped, a quote after it is kept."""
    spans: list[str] = []
    start = 0
    for place, character in enumerate(text):
        if character not in marks:
            continue
        if place > start:
            spans.append(text[start : place + 1])
        start = place + 1
        if spans and text[start : start + 1] in ('"', "”"):
            spans[-1] += text[start]
            start += 1
    return spans


# ---- without loss --------------------------------------------------------------------------------

_CLOSERS = r"[\"”’»)」』）]*"
_SENTENCE = re.compile(
    rf"(?:(?<=[^\W\d_]{{3}})\.|[?!…])[.?!…]*{_CLOSERS}\s+|[。？！…；]+{_CLOSERS}\s*"
)
_CLAUSE = re.compile(rf"[,;:–—]{_CLOSERS}\s+|[，、：；—]+{_CLOSERS}\s*")
_WORD = re.compile(r"\s+")
_TAG = re.compile(r"<(/?)[a-z]+>")


def pieces(text: str, length: Length) -> list[str]:
    """Cut a text into pieces that the model reads well; nothing of it is lost or changed.

    Args:
        text: As `text.spoken` gives it; a pair of commands in it is not taken apart.
        length: Measures a text: characters or tokens, see `in_characters`.

    Returns:
        One piece or more; in a row, with a blank between them where there was one, they are the
        text. A word longer than a piece stays whole, except in scripts without blanks.
    """
    if length(text) <= LONGEST:
        return [text]
    spans = [
        part
        for sentence in _cut(text, _SENTENCE)
        for clause in (_cut(sentence, _CLAUSE) if length(sentence) > LONGEST else [sentence])
        for part in (_cut(clause, _WORD) if length(clause) > LONGEST else [clause])
        for part in (_slices(part) if length(part) > LONGEST else [part])
    ]
    return [stripped for piece in joined(spans, length) if (stripped := piece.strip())]


def _cut(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    """Cut after each match, but not between the halves of a pair of commands."""
    depth = start = searched = 0
    for match in pattern.finditer(text):
        for tag in _TAG.finditer(text, searched, match.end()):
            depth += -1 if tag[1] else 1
        searched = match.end()
        if depth <= 0:
            yield text[start : match.end()]
            start = match.end()
    if start < len(text):
        yield text[start:]


_UNBROKEN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def _slices(text: str) -> Iterator[str]:
    """Cut where nothing else can be cut: between the characters of a script without blanks."""
    if _TAG.search(text) or not _UNBROKEN.search(text):
        yield text
        return
    for start in range(0, len(text), LONGEST // 2):
        yield text[start : start + LONGEST // 2]


def seed_of(seed: int, number: int) -> int:
    """The seed of a piece: the take's own for the first, another one for each that follows.

    Args:
        seed: Of the take, 0 to 2**32 - 1.
        number: Of the piece, from 0.
    """
    if number == 0:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed} {number}".encode()).digest()[:4], "big")


# ---- digits --------------------------------------------------------------------------------------

_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = (
    "thousand million billion trillion quadrillion quintillion sextillion septillion octillion "
    "nonillion decillion"
).split()


def spell_out(text: str) -> str:
    """Runs of digits as English cardinal numbers, each by itself: “2.5” becomes “two.five”.

    A run of more than 36 digits, for which there is no name, is read digit by digit.

    Args:
        text: Any text.
    """
    return re.sub(r"\d+", lambda run: _cardinal(run[0]), text)


def _cardinal(digits: str) -> str:
    """A cardinal number in British style: “one thousand, nine hundred and ninety-nine”."""
    if len(digits) > 3 * (len(_SCALES) + 1):
        return " ".join(_SMALL[int(digit)] for digit in digits)
    number = int(digits)
    groups = []
    for scale in ("", *(f" {scale}" for scale in _SCALES)):
        number, group = divmod(number, 1000)
        if group:
            groups.append((group, scale))
    if not groups:
        return _SMALL[0]
    words = ", ".join(f"{_hundreds(group)}{scale}" for group, scale in reversed(groups))
    last, scale = groups[0]
    if len(groups) > 1 and last < 100 and not scale:
        head, _, tail = words.rpartition(", ")
        words = f"{head} and {tail}"
    return words


def _hundreds(number: int) -> str:
    """A number below a thousand."""
    hundreds, below = divmod(number, 100)
    parts = [f"{_SMALL[hundreds]} hundred"] if hundreds else []
    if below >= 20:
        tens, ones = divmod(below, 10)
        parts.append(_TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else ""))
    elif below:
        parts.append(_SMALL[below])
    return " and ".join(parts)
