"""Settings that an engine would refuse are told before a voice has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import wire
from studio.engines import cards
from studio.engines.voice_settings import check_settings, objection
from studio.errors import BadInput

CARD = wire.Card(
    "cosy",
    "1",
    "m",
    24_000,
    ("en",),
    400,
    settings={
        "mode": ["zero_shot", "instruct"],
        "pitch": {"least": -6, "most": 6},
        "top": {"least": 0, "most": 9, "whole": True},
        "later": {"of": "another version"},
        "odd": "text",
    },
)


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("mode", "instruct", ""),
        ("mode", "foo", "The setting “mode” cannot be “foo”; it can be “zero_shot”, “instruct”."),
        ("pitch", -6, ""),
        ("pitch", 99, "The setting “pitch” is 99; it goes from -6 to 6."),
        ("pitch", "high", "The setting “pitch” must be a number, not “high”."),
        ("pitch", True, "The setting “pitch” must be a number, not “True”."),
        ("top", 9.0, ""),
        ("top", 1.5, "The setting “top” must be a whole number, not “1.5”."),
        ("later", "anything", ""),
        ("odd", "anything", ""),
    ],
)
def test_what_a_card_objects_to(name: str, value: Any, why: str) -> None:
    assert objection(CARD, {name: value}) == why


def test_an_unknown_setting_is_told_with_the_known_ones() -> None:
    why = objection(CARD, {"moode": "foo"})
    assert why.startswith("cosy has no voice setting named “moode”; it has “mode”, “pitch”, ")
    assert objection(replace(CARD, settings={}), {"moode": "foo"}) == "", "it does not say"


def test_the_embedded_engine_is_asked_although_an_old_card_is_kept() -> None:
    check_settings("hibari", {"pitch": -2.5, "strength": 0})
    with pytest.raises(BadInput, match="“pitch” is 99; it goes from -6 to 6"):
        check_settings("hibari", {"pitch": 99})
    old = replace(CARD, engine="hibari", settings={"tone": ["dark"]})
    cards.remember(old, "hibari")
    check_settings("hibari", {"pitch": 1})
    with pytest.raises(BadInput, match="no voice setting named “moode”"):
        check_settings("hibari", {"moode": "foo"})


def test_an_engine_that_is_not_here_objects_to_nothing() -> None:
    check_settings("nowhere", {"moode": "foo"})
    check_settings("hibari", {})
