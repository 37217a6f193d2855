"""Uncommon words: with a dictionary, without one, and the embedded voice's own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from studio.book.uncommon import Uncommon, uncommon
from studio.engines import dictionary as dictionaries
from studio.engines.dictionary import dictionary

TEXTS = (
    "Caoimhe waited. The carts were waiting, and nobody’s wife cried.",
    "“Tam,” said Caoimhe’s aunt, “isn’t O’Brien with CAOIMHE?”",
    "The smorgle lay at low water; Smorgles do. It was the 3rd, the 22nd.",
    "雪子は橋を渡った。 The low café.",
)
COMMON = frozenset(
    "wait the cart were and nobody wife cry said aunt is with lay at low water do it was".split()
)


def by_list(words: frozenset[str]) -> frozenset[str]:
    return words & COMMON


def test_words_that_no_dictionary_has_are_listed_by_count_then_place() -> None:
    assert uncommon(TEXTS, by_list) == (
        Uncommon("Caoimhe", 3, 0),
        Uncommon("Tam", 1, 1),
        Uncommon("O’Brien", 1, 1),
        Uncommon("smorgle", 1, 2),
        Uncommon("Smorgles", 1, 2),
        Uncommon("café", 1, 3),
    )


def test_without_a_dictionary_names_are_told_by_their_capitals() -> None:
    found = uncommon((*TEXTS, "We asked Tam and Pym."), lambda words: None)
    assert [(word.word, word.count) for word in found] == [
        ("Caoimhe", 3),
        ("Tam", 2),
        ("O’Brien", 1),
        ("Smorgles", 1),
        ("Pym", 1),
    ]


def test_a_book_without_words_has_none() -> None:
    assert uncommon((), by_list) == ()
    assert uncommon(("…", "雪", "7"), by_list) == ()


def test_the_embedded_voices_dictionary_is_read_as_a_file() -> None:
    words = frozenset(["harbour", "harbor", "caoimhe", "ferry"])
    american, british = dictionary("en-US")(words), dictionary("en-GB")(words)
    assert american is not None
    assert "ferry" in american
    assert "caoimhe" not in american
    assert british is not None
    assert "harbour" in british
    assert dictionary("de")(words) is None
    assert not [name for name in sys.modules if name.partition(".")[0] == "hibari"] or (
        "engine.narrators.hibari" in sys.modules
    ), "nothing of the engine is loaded for it"


def test_without_the_package_nothing_is_known(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = frozenset(["ferry"])
    monkeypatch.setattr(dictionaries, "_PACKAGE", "a_package_that_is_not_there")
    assert dictionary("en")(words) is None
    monkeypatch.setattr(dictionaries, "_assets", lambda: tmp_path)
    (tmp_path / "lexicon_us_gold.json.gz").write_bytes(b"not packed")
    assert dictionary("en")(words) is None
