"""The characters that reading, cutting and speaking all have to know."""

from __future__ import annotations

import re

OPENING_QUOTES = "\"“‘«»„‚'「『‹›"
"""Quotation marks that may open speech somewhere; » and › do in German."""
CLOSING_QUOTES = "\"”’»«“'」』›‹"
"""Quotation marks that may close speech somewhere; “ does in German, « in reversed pairs."""
DIALOGUE_DASHES = "–—―"

INVISIBLE = frozenset(
    "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u2060\u2061\u2062\u2063\u2064\ufeff"
) | {chr(code) for code in (*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x2070))}
"""Characters that print nothing: soft hyphens, zero-width marks, direction marks."""

_WHITE = re.compile(r"\s+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f]")
_SPEAKABLE = re.compile(r"[^\W_]")
_BREAK_MARKS = re.compile(r"[\s*＊·•●○◦‧∙⁂⁎⁕❦❧☙✦✧✻✽✾※†‡~～=_#–—―\-─━═+.…◆◇★☆❖]{1,200}")


def fold(text: str) -> str:
    """The text on one line, white space folded to single blanks."""
    return _WHITE.sub(" ", text).strip()


def speakable(text: str) -> bool:
    """Whether the text has a letter or digit, so that there is something to say."""
    return _SPEAKABLE.search(text) is not None


def decorative(text: str) -> bool:
    """Whether the text is only ornament: stars, rules, dots, dashes."""
    return _BREAK_MARKS.fullmatch(text) is not None


def has_cjk(text: str) -> bool:
    """Whether Chinese or Japanese characters occur, which are written without blanks."""
    return _CJK.search(text) is not None


def cjk_share(text: str) -> float:
    """Which part of a text is Chinese or Japanese characters, from 0 to 1."""
    return len(_CJK.findall(text)) / len(text) if has_cjk(text) else 0.0
