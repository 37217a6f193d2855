"""Chinese text as the model's training text was written: no blanks, no brackets, full-width stops.

Each rule is the one that CosyVoice's own front end has, so that a text reaches the model in the
form that it was trained on.
"""

from __future__ import annotations

import re
import unicodedata

_POWERS = {"²": "平方", "³": "立方"}
_BRACKETS = str.maketrans(dict.fromkeys("（）【】`"))
_STOP = re.compile("(?<=[\u4e00-\u9fff])\\.")
_COMMAS = re.compile("[，,、]+$")


def cleaned(text: str) -> str:
    """A Chinese text as it is given to the model.

    A full stop becomes a Chinese one after a Chinese character alone: in “3.5” and “U.S.” it stays.

    Args:
        text: On one line.
    """
    text = without_blanks(text.replace(" - ", "，"))
    text = _STOP.sub("。", with_powers(text))
    return _COMMAS.sub("。", without_brackets(text))


def without_blanks(text: str) -> str:
    """Blanks go, except between two ASCII characters that are no blanks themselves."""

    def wordlike(place: int) -> bool:
        return 0 <= place < len(text) and text[place].isascii() and text[place] != " "

    return "".join(
        character
        for place, character in enumerate(text)
        if character != " " or (wordlike(place - 1) and wordlike(place + 1))
    )


def with_powers(text: str) -> str:
    """Superscript two and three as words."""
    for sign, word in _POWERS.items():
        text = text.replace(sign, word)
    return text


def without_brackets(text: str) -> str:
    """Full-width brackets and backticks go; a double dash becomes a blank."""
    return text.translate(_BRACKETS).replace("——", " ")


def only_signs(text: str) -> bool:
    """Whether a text is nothing but punctuation and symbols, or empty; a blank is neither."""
    return all(unicodedata.category(character)[0] in "PS" for character in text)
