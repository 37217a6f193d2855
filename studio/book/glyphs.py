"""What print may change of a text without changing how it is read."""

from __future__ import annotations

import re
import unicodedata

_SAME = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛`´ʼ′", "'"),
        **dict.fromkeys("“”„‟«»″", '"'),
        **dict.fromkeys("‐‑–−", "-"),
        **dict.fromkeys("\u00ad\u200b\u2060\ufeff", ""),
    }
)
_DASH = re.compile(r" ?(?:—|―|(?<!-)-{2,3}(?!-)) ?| - ")
_DOTS = re.compile(r"\s?(?:\.\s?){2}\.(?:\s?(?=\.))?|\s?…\s?(?=[.…])|\s?…")
_TWICE = re.compile(r"''")
_BLANK = re.compile(r"\s+")


def folded(text: str) -> str:
    """A text with one form of quotation marks, apostrophes, dashes and dots.

    A hyphen within a word is no dash, and letters keep their case and accents.
    """
    text = _BLANK.sub(" ", text.translate(_SAME))
    text = unicodedata.normalize("NFKC", _DOTS.sub("…", text))
    return _DASH.sub("—", _TWICE.sub('"', _DOTS.sub("…", text))).strip()


def same_print(left: str, right: str) -> bool:
    """Whether two texts differ in nothing but the forms of such signs."""
    return left == right or folded(left) == folded(right)
