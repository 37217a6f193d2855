"""What a card says of a voice's settings is what its narrator takes, to the last number."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from engine.narrators import hibari
from engine.narrators.cosyvoice3.narrator import CosyVoice3
from engine.narrators.cosyvoice3.text import Mode, mode_of
from engine.narrators.qwen3_tts import options, voices
from engine.narrators.qwen3_tts.narrator import Qwen3Tts
from engine.registry import Refusal
from engine.wire import Card, Voice


def cosyvoice(settings: Mapping[str, Any]) -> None:
    mode_of(settings, "Calm." if settings.get("mode") == Mode.INSTRUCT else "")


def qwen(settings: Mapping[str, Any]) -> None:
    """As one of the three models takes it."""
    refusals = []
    for kind in options.Kind:
        try:
            voices._mode(Voice("x", settings=dict(settings)), kind)
            options.sampling(settings, options.Sampling(), cloned=False)
        except Refusal as refusal:
            refusals.append(refusal)
    if len(refusals) == len(options.Kind):
        raise refusals[0]


ENGINES: list[tuple[Card, Callable[[Mapping[str, Any]], object]]] = [
    (hibari.Hibari().card, hibari._reading),
    (CosyVoice3().card, cosyvoice),
    (Qwen3Tts().card, qwen),
]
SETTINGS = [
    pytest.param(name, allowed, takes, id=f"{card.engine} {name}")
    for card, takes in ENGINES
    for name, allowed in card.settings.items()
]


@pytest.mark.parametrize(("name", "allowed", "takes"), SETTINGS)
def test_what_a_card_says_can_be_is_taken_and_nothing_beside_it(
    name: str, allowed: Any, takes: Callable[[Mapping[str, Any]], object]
) -> None:
    if isinstance(allowed, list):
        good, bad = allowed, ["foo", ""]
    else:
        least, most = allowed["least"], allowed["most"]
        good = [least, most]
        bad = [math.nextafter(least, -math.inf), math.nextafter(most, math.inf), True, "1"]
        (bad if allowed.get("whole") else good).append(least + 0.5)
    for value in good:
        takes({name: value})
    for value in bad:
        with pytest.raises(Refusal):
            takes({name: value})


def test_what_a_card_calls_usual_is_what_it_is_without_being_set() -> None:
    for name, value in hibari.Hibari().card.usual.items():
        assert hibari._reading({name: value}) == hibari._reading({})
    assert set(hibari.Hibari().card.usual) == {"pitch", "strength"}
    for style, mode in zip(("", "Calm."), CosyVoice3().card.usual["mode"], strict=True):  # type: ignore[arg-type]
        assert mode_of({"mode": mode}, style) == mode_of({}, style)
    base = options.Sampling(top_k=20, repetition_penalty=1.1)
    for kind in options.Kind:
        for name, value in options.usual(kind, base).items():
            mode = voices._mode(
                Voice("x", settings={"mode": value} if name == "mode" else {}), kind
            )
            assert mode == voices._mode(Voice("x"), kind)
            for cloned in {kind is options.Kind.BASE, False}:
                given = {} if name == "mode" else {name: value}
                said = options.sampling(given, base, cloned=cloned)
                assert said == options.sampling({}, base, cloned=cloned)


@pytest.mark.parametrize(("card", "takes"), ENGINES, ids=[card.engine for card, _ in ENGINES])
def test_a_setting_that_no_card_names_is_refused(
    card: Card, takes: Callable[[Mapping[str, Any]], object]
) -> None:
    assert card.settings
    with pytest.raises(Refusal, match="moode"):
        takes({"moode": "clone"})


def test_the_cards_need_no_numpy() -> None:
    code = (
        "import sys\n"
        "from engine.narrators.hibari import Hibari\n"
        "from engine.narrators.qwen3_tts.narrator import Qwen3Tts\n"
        "assert Hibari().card.settings and Qwen3Tts().card.settings\n"
        "assert 'numpy' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
