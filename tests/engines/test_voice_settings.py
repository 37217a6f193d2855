"""Settings that an engine would refuse are told before a voice has them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import wire
from studio.engines import cards
from studio.engines.voice_settings import as_meant, check_settings, objection
from studio.errors import BadInput
from studio.project.model import Voice

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
    usual={"mode": ["zero_shot", "instruct"], "pitch": 0.0, "top": 1},
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


@pytest.mark.parametrize(
    ("before", "wanted", "kept"),
    [
        ({}, {"mode": "zero_shot"}, {}),
        ({"mode": "zero_shot"}, {}, {"mode": "zero_shot"}),
        ({}, {"mode": "instruct"}, {"mode": "instruct"}),
        ({"mode": "zero_shot"}, {"mode": "instruct"}, {"mode": "instruct"}),
        ({"mode": "instruct"}, {}, {}),
        ({"pitch": 3}, {"pitch": 3, "mode": "zero_shot"}, {"pitch": 3}),
        ({"pitch": 3}, {"pitch": 0}, {"pitch": 0}),
        ({}, {"pitch": 0}, {}),
        ({}, {"pitch": False}, {"pitch": False}),
        ({}, {"later": 1}, {"later": 1}),
    ],
)
def test_to_say_what_is_so_anyway_changes_nothing(
    before: dict[str, Any], wanted: dict[str, Any], kept: dict[str, Any]
) -> None:
    cards.remember(CARD, "cosy")
    one = Voice("tam", "cosy", settings=before)
    assert dict(as_meant(one, replace(one, settings=wanted)).settings) == kept


def test_what_is_usual_may_hang_on_the_style() -> None:
    cards.remember(CARD, "cosy")
    calm = Voice("tam", "cosy", style="calm")
    assert as_meant(calm, replace(calm, settings={"mode": "instruct"})) == calm
    other = replace(calm, settings={"mode": "zero_shot"})
    assert as_meant(calm, other) == other
    # Without a style it is another mode than before, whichever of both is written.
    plain = replace(calm, style="", settings={"mode": "instruct"})
    assert as_meant(calm, plain) == plain
    # Another engine means something else by it.
    moved = replace(calm, engine="nowhere", settings={"mode": "instruct"})
    assert as_meant(calm, moved) == moved
