"""A word's phonemes reach engines that know them; everything else sees the word."""

from __future__ import annotations

from dataclasses import replace

import pytest
from narration_helpers import MakeStudio, line, scripted

from engine.wire import Card
from studio.book.pronunciation import marked
from studio.narration.making import _objection
from studio.project.recipe import wire_text
from studio.review import pace

CARD = Card("tone", "1", "m", 24_000, ("en",), max_chars=20)
TEXT = f"Ask {marked('Harrow', 'hˈæɹO')} now."


def test_an_engine_is_given_what_it_knows() -> None:
    assert wire_text(TEXT, CARD) == "Ask Harrow now."
    assert wire_text(TEXT, replace(CARD, phonemes=True)) == TEXT


@pytest.mark.parametrize("knows", [True, False])
def test_phonemes_make_a_text_no_longer(knows: bool) -> None:
    card = replace(CARD, phonemes=knows)
    assert pace.length(TEXT) == pace.length("Ask Harrow now.")
    assert _objection(TEXT, card) == ""
    assert "22 characters" in _objection(f"{TEXT} Please", card)


async def test_an_engine_without_phonemes_reads_the_words(make_studio: MakeStudio) -> None:
    """Its sound follows from text and seed alone, so two that are alike were given one text."""
    studio = make_studio([line(0), line(1)], scripted(), workers=1)
    for uid, text in zip(studio.uids, (TEXT, "Ask Harrow now."), strict=True):
        studio.project.set_seed(uid, 7)
        studio.project.edit_spoken(uid, text)
    studio.ask()
    await studio.idle()
    first, second = (studio.project.takes(uid)[0] for uid in studio.uids)
    assert first.pcm_hash == second.pcm_hash
    assert first.recipe["spoken"] == TEXT, "a take's recipe keeps what the segment asks for"
