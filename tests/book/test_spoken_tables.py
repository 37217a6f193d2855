"""Our own tables of written and spoken text, one for each language with rules of its own."""

from __future__ import annotations

import re
from typing import Any

import pytest
from text_cases import bare, own

from studio.book.kinds import Kind
from studio.book.speaking import changes, speak

TABLES = {"en": "english.json"}
PAIRS = [(language, pair) for language, name in TABLES.items() for pair in own(name)]


def test_the_tables_are_long_enough() -> None:
    assert len(own("english.json")) >= 200


@pytest.mark.parametrize(
    ("language", "pair"), PAIRS, ids=[f"{language}:{pair['in']}" for language, pair in PAIRS]
)
def test_text_is_said_as_the_table_has_it(language: str, pair: dict[str, Any]) -> None:
    language = pair.get("language", language)
    spoken = speak(pair["in"], Kind.PROSE, language)
    assert bare(spoken) in map(bare, pair["accept"]), spoken
    assert not re.search(r"\d", spoken)
    if spoken != pair["in"]:
        assert changes(pair["in"], Kind.PROSE, language)
