"""The card that an engine had when it was loaded last."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from engine.wire import Card
from studio.engines import cards

CARD = Card(
    engine="cosyvoice3",
    version="1",
    model="f" * 64,
    sample_rate=24000,
    languages=("zh", "en"),
    max_chars=400,
    backend="torch",
    precision="fp32",
    device="cpu",
    build={"torch": "2.13.0"},
    normalises=("numbers",),
)


def test_a_card_comes_back_as_it_was(home: Path) -> None:
    assert cards.remembered("cosyvoice3") is None
    cards.remember(CARD)
    assert cards.remembered("cosyvoice3") == CARD
    cards.remember(replace(CARD, precision="fp16"))
    kept = cards.remembered("cosyvoice3")
    assert kept is not None
    assert kept.precision == "fp16"
    assert [path.name for path in (home / "data" / "cards").iterdir()] == ["cosyvoice3.json"]
    cards.forget("cosyvoice3")
    assert cards.remembered("cosyvoice3") is None
    cards.forget("cosyvoice3")


def test_an_engine_is_kept_under_the_name_of_the_configuration_with_its_pace() -> None:
    cards.remember(CARD, "mine", 0.75)
    assert cards.remembered("mine") == CARD
    assert cards.remembered("cosyvoice3") is None
    cards.remember(CARD, "mine")
    assert cards.last_rtf("mine") == 0.75, "a load measures no pace"
    cards.remember(replace(CARD, device="cuda"), "mine")
    assert cards.last_rtf("mine") == 0, "what was measured on another device says nothing"


@pytest.mark.parametrize("name", ["", "../config", "a/b", "..", ".hidden", "x" * 65, "ünder"])
def test_a_name_that_is_no_files_name_is_not_kept(home: Path, name: str) -> None:
    cards.remember(replace(CARD, engine=name))
    assert cards.remembered(name) is None
    assert not list(home.rglob("*.json"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"name": "cosyvoice3"}',
        '{"name": "cosyvoice3", "card": 3, "rtf": 1}',
        '{"name": "cosyvoice3", "card": {"engine": 3}, "rtf": 1}',
        '{"name": 3}',
        "\x00",
        "[" * 100_000,
    ],
)
def test_what_cannot_be_read_was_never_loaded(home: Path, text: str) -> None:
    cards.remember(CARD)
    (home / "data" / "cards" / "cosyvoice3.json").write_text(text)
    assert cards.remembered("cosyvoice3") is None
    cards.remember(CARD)
    assert cards.remembered("cosyvoice3") == CARD


def test_the_card_of_another_engine_is_not_taken_for_this_one(home: Path) -> None:
    cards.remember(CARD)
    folder = home / "data" / "cards"
    os.rename(folder / "cosyvoice3.json", folder / "qwen3-tts.json")
    assert cards.remembered("qwen3-tts") is None


def test_no_room_for_a_card_is_no_fault(home: Path) -> None:
    (home / "data").mkdir()
    (home / "data" / "cards").write_text("in the way")
    cards.remember(CARD)
    assert cards.remembered("cosyvoice3") is None
