"""What our reading rules have put into words, hibari's own rules leave alone."""

from __future__ import annotations

import json
import re
from pathlib import Path

import hibari
import pytest

from engine.narrators.hibari_speech import Pronouncer
from studio.book.kinds import Kind
from studio.book.speaking import speak

BOOK = Path(__file__).parents[1] / "book"
AGREED = {"Miz": "Ms", "Street": "St"}
"""What hibari still changes: a title it knows another spelling of, and St. in quotation marks."""


def texts() -> list[str]:
    """All English texts of the tables."""
    said = [
        case["in"]
        for name in ("cases/normalise.json", "data/english.json")
        for case in json.loads((BOOK / name).read_text("utf-8"))
    ]
    cut = [
        " ".join(case["sents"])
        for name in ("cases/sentences.json", "data/sentences.json")
        for case in json.loads((BOOK / name).read_text("utf-8"))
        if case["lang"] == "en"
    ]
    return said + cut


def letters(text: str) -> str:
    """A text without marks and blanks."""
    return re.sub(r"[\W_]", "", text).lower()


@pytest.fixture(scope="module")
def pronouncer() -> Pronouncer:
    return Pronouncer(Path(hibari.__file__).parent / "assets")


def test_hibari_finds_nothing_left_to_put_into_words(pronouncer: Pronouncer) -> None:
    changed = []
    for text in texts():
        spoken = speak(text, Kind.PROSE, "en")
        words = [word.text for chunk in pronouncer.chunks(spoken) for word in chunk]
        if letters("".join(words)) == letters(spoken):
            continue
        if letters("".join(AGREED.get(word.strip("“”"), word) for word in words)) != letters(
            spoken
        ):
            changed.append((spoken, words))
    assert changed == []
