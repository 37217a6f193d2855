"""Marks of engines in a text that a person typed: sounds, emphasis, phones.

Some engines act on ``[laughter]`` or ``<strong>word</strong>`` and say none of it; another one
would say “laughter” as a word. Which engine that is its card tells (`engine.wire.Card.all_words`).
"""

from __future__ import annotations

import re

_MARKS = re.compile(
    r"\[(?:breath|quick_breath|laughter|sigh|cough|hissing|lipsmack|noise|vocalized-noise"
    r"|clucking|accent|mn)\](?!\()"
    r"|</?(?:strong|laughter)>"
    r"|(?:\[[A-Z]{1,2}[012]?\]){2,}"  # phones of the CMU dictionary
    r"|(?:\[[a-züāáǎàēéěèīíǐìōóǒòūúǔùǖǘǚǜ]{1,5}\]){2,}"  # pieces of pinyin
)


def marks(text: str) -> tuple[str, ...]:
    """The marks in a text, each once, in their order.

    Args:
        text: Spoken text, as it was typed.
    """
    return tuple(dict.fromkeys(_MARKS.findall(text)))
