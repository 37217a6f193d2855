"""Languages as books name them become tags: ``en_US``, ``eng`` and ``English`` are one language."""

from __future__ import annotations

import re

_TAG = re.compile(r"[a-z]{2,3}(?:-[a-z\d]{1,8}){0,6}", re.IGNORECASE)
_NONE = frozenset("und zxx mul mis qaa none unknown".split())
"""What says that nobody knows the language, or that there is none."""
_NAMES = {
    name: tag
    for tag, names in {
        "ar": "ara arabic",
        "cs": "cze ces czech čeština",
        "da": "dan danish dansk",
        "de": "ger deu german deutsch",
        "el": "gre ell greek",
        "en": "eng english anglais englisch inglés",
        "es": "spa spanish español castellano",
        "fi": "fin finnish suomi",
        "fr": "fre fra french français",
        "he": "heb hebrew iw",
        "hu": "hun hungarian magyar",
        "it": "ita italian italiano",
        "ja": "jpn japanese",
        "ko": "kor korean",
        "la": "lat latin",
        "nl": "dut nld dutch nederlands",
        "no": "nor norwegian norsk",
        "pl": "pol polish polski",
        "pt": "por portuguese português",
        "ru": "rus russian русский",
        "sv": "swe swedish svenska",
        "tr": "tur turkish türkçe",
        "zh": "chi zho chinese 中文",
    }.items()
    for name in names.split()
}


def language_tag(said: str) -> str:
    """The BCP 47 tag that a book's word for its language means.

    Args:
        said: What the book says, such as ``en_US``, ``ENG`` or ``en, fr``; the first one counts.

    Returns:
        The tag in its usual letters, or empty where nothing sensible is said.
    """
    first = re.split(r"[,;/|]|\s(?=\w{2,3}\b)", said.strip(), maxsplit=1)[0]
    words = re.split(r"[-_ (]", first.partition(".")[0].strip())
    head = words[0].lower()
    head = _NAMES.get(head, head)
    if head in _NONE or len(head) > 3:
        return ""
    # Behind a name stand words, behind a tag stand its parts.
    tag = "-".join([head, *(() if words[0].lower() in _NAMES and len(words[0]) > 3 else words[1:])])
    return _usual(tag) if _TAG.fullmatch(tag) else ""


def foreign(tag: str, book: str) -> str:
    """A text's language where it is another than the book's; empty where it is the same one.

    Args:
        tag: BCP 47 tag of the text, or empty.
        book: Of the book. Another country's variety of its language is no other language.
    """
    return "" if tag.partition("-")[0].lower() == book.partition("-")[0].lower() else tag


def _usual(tag: str) -> str:
    """A tag in its usual letters: ``zh-Hans-CN``."""
    head, *rest = tag.lower().split("-")
    parts = [
        part.upper() if len(part) == 2 else part.capitalize() if len(part) == 4 else part
        for part in rest
    ]
    return "-".join([head, *parts])
