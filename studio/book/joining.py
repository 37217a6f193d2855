"""Where a text may be cut in two, and how two texts become one: each undoes the other."""

from __future__ import annotations

import re
import unicodedata
from difflib import SequenceMatcher

from studio.errors import BadInput

UNSPACED = (
    "\u0e00-\u0eff\u0f00-\u0fff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Tibetan, Burmese, Khmer
    "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f"
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that are written without blanks between words."""

_NO_BLANK = re.compile(
    f"[{UNSPACED}\u3001-\u3003\u3008-\u3011\u3014-\u301f\uff01-\uff0f\uff1a-\uff1f]"
)
"""The same, with the marks that go with them."""

_TIGHT_DASH = re.compile(r"\w[—―]\Z")
_AFTER_DASH = re.compile(r"[\w“‘«„‚\"'(\[]")
_WORD = re.compile(rf"[{UNSPACED}][^\w\s]*|[^\s{UNSPACED}]+")
_NEVER_FIRST = frozenset(("Mn", "Mc", "Me", "Pe", "Pf", "Po", "Cf"))
"""Categories of what belongs to the character before it, where no blank stands between them."""
_NEVER_LAST = frozenset(("Ps", "Pi"))
"""Categories of what opens the word after it."""


def joined(first: str, second: str, *, paragraph: bool = True) -> str:
    """Two texts as one, with a blank between them where their script and marks want one.

    Args:
        first: What comes first.
        second: What follows.
        paragraph: Whether both stand in one paragraph; then a dash at the end of a word may stand
            tight, as in ``river—and``.
    """
    return f"{first}{_between(first, second, paragraph)}{second}"


def parted(text: str, at: int) -> tuple[str, str]:
    """Cut a text; `joined` makes the same text of the parts again.

    Args:
        text: The text.
        at: Where the second part begins; marks that open a word go with the word.

    Raises:
        BadInput: There is nothing on one side, or a word is there.
    """
    if not 0 < at < len(text):
        raise BadInput("A split needs words on both sides; choose a word that is not the first.")
    while not _may_cut(text, at):
        at -= 1
        if text[at].isalnum() or at == 0:
            raise BadInput("A split cannot fall inside a word; choose the first letter of one.")
    first, second = text[:at].rstrip(), text[at:].lstrip()
    if not first or not second:
        raise BadInput("A split needs words on both sides; choose a word that is not the first.")
    blank = text[len(first) : len(text) - len(second)]
    if _between(first, second, paragraph=True) != blank:
        # An unusual blank stays with the first part, so that joining brings it back.
        first += blank
    return first, second


def aligned(text: str, other: str, at: int) -> int:
    """The place in another wording of a text that a place in the text stands for.

    Args:
        text: The text.
        other: The other wording, such as what a person typed in its place.
        at: A place in ``text``.

    Returns:
        Where a word of ``other`` begins, never the first one if there are two.
    """
    ours, theirs = list(_WORD.finditer(text)), list(_WORD.finditer(other))
    if len(theirs) < 2:
        return 0
    before = sum(word.start() < at for word in ours)
    matcher = SequenceMatcher(None, _folded(ours), _folded(theirs), autojunk=False)
    place = len(theirs)
    for _, begin, end, low, high in matcher.get_opcodes():
        if begin <= before < end:
            place = low + round((before - begin) / (end - begin) * (high - low))
            break
    return theirs[min(max(place, 1), len(theirs) - 1)].start()


def _folded(words: list[re.Match[str]]) -> list[str]:
    """Words as they are compared: without marks, all letters small."""
    return ["".join(filter(str.isalnum, word[0])).casefold() or word[0] for word in words]


def _between(first: str, second: str, paragraph: bool) -> str:
    """What stands between two texts: a blank or nothing."""
    if not first or not second or first[-1].isspace() or second[0].isspace():
        return ""
    if _NO_BLANK.match(first[-1]) and _NO_BLANK.match(second[0]):
        return ""
    if paragraph and _TIGHT_DASH.search(first) and _AFTER_DASH.match(second):
        return ""
    return " "


def _may_cut(text: str, at: int) -> bool:
    """Whether a part may begin at a place."""
    if text[at - 1].isspace() or text[at].isspace():
        return True
    before, after = unicodedata.category(text[at - 1]), unicodedata.category(text[at])
    if before in _NEVER_LAST or after in _NEVER_FIRST:
        return False
    return not _between(text[:at], text[at:], paragraph=True)
