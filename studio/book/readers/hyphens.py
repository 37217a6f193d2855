"""Words that the end of a line has cut in two: with their hyphen or without?"""

from __future__ import annotations

import re

_BROKEN = re.compile(r"(?<![^\W\d_])[^\W\d_]{1,40}+-[ \t]{0,9}\r?\n\s{0,40}[^\W\d_]{1,40}")
_WORD = re.compile(r"[^\W\d_]{1,40}+(?:-[^\W\d_]{1,40}+){0,6}")
_STEP = 1 << 20
_SUSPENDED = frozenset("and or to nor und oder bis et ou y o e".split())
"""After these the hyphen stands for a word that follows later: ``two- or three-year``."""
_COMMON = frozenset(
    "a about above after all any arm away back bad bed big black blue board body book born boy "
    "bridge bright broken brother by bye cold day dead deep door double down dress drop ever eye "
    "eyed eyes face fair far fast father fire first five fold foot for forty four free full "
    "fifty girl go going good grand great green grey gray half hand handed hard head hearted high "
    "hill home horse hot house hundred ice in iron king known land large last law left legged "
    "life light like line lit little living long looking lord low made maid making man master "
    "men mid middle mile mill minded more mother moon mouth name near never new night nine ninety "
    "north no off old on one open out over own part place poor pot proof queen quarter quick "
    "ready red rich ridden right ring road room round sea second self self-made set seven seventy "
    "shaped ship short side sister six sixty sized slow small so soft some son south spoken star "
    "step stone storey story strong sun sweet tail tempered ten thing third thirty thought three "
    "time tired to tone top town tree turn twenty two under up upper war warm water way week well "
    "west white wide wife wild will wind window winter wise woman women wood word work worn year "
    "yellow young eight eighty ex non daughter".split()
)
"""Words of which English makes compounds; two of them keep their hyphen."""


def words_of(text: str) -> frozenset[str]:
    """All words of a text in small letters, but for those that a line's end has cut.

    Args:
        text: The text with its lines as they stand.
    """
    if "-" in text:
        text = _BROKEN.sub(" ", text)
    found: set[str] = set()
    at = 0
    while at < len(text):
        # In steps, so that a long text is not held a second time as a list of words.
        blank = text.rfind(" ", at + 1, at + _STEP)
        end = blank if blank > 0 and at + _STEP < len(text) else at + _STEP
        found.update(_WORD.findall(text[at:end]))
        at = end
    return frozenset(map(str.lower, found))


def hyphen_between(left: str, right: str, words: frozenset[str]) -> str:
    """What stands between the halves: nothing, a hyphen, or a hyphen and a blank.

    Args:
        left: The word before the hyphen.
        right: The word that opens the next line.
        words: What else the book says, which knows best how it spells a word.
    """
    before, after = left.lower(), right.lower()
    if after in _SUSPENDED:
        return "- "
    if right[:1].isupper():
        return "-" if left[:1].isupper() else "- "
    if before + after in words:
        return ""
    if f"{before}-{after}" in words:
        return "-"
    known = words | _COMMON
    return "-" if before in known and after in known else ""
