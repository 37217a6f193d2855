"""Qwen3-TTS in its process: every mode, and one recipe, the same bytes, whatever came before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_qwen
from engine_process import EngineProcess
from qwen_rig import TEXT, TRANSCRIPT, record

from engine import wire

KINDS = ("base", "custom_voice", "voice_design")
LONG = "The old man came home. He said so, and went; nobody saw him, or asked him why. "
RECIPES: tuple[tuple[str, dict[str, Any]], ...] = (
    (TEXT, {"seed": 1}),
    (TEXT, {"seed": 2**32 - 1}),
    ("No.", {"seed": 3}),
    (LONG, {"seed": 4, "voice": "second"}),
    ("Der Mann ging nach Haus.", {"seed": 5, "language": "de-AT"}),
    ("他说了，然后走了。", {"seed": 6, "language": "zh", "voice": "second"}),
)


def voices(kind: str, folder: Path) -> list[wire.Voice]:
    """Two voices of each kind of model: v and second."""
    if kind == "custom_voice":
        style = "Slow, as if tired."
        return [wire.Voice("v", speaker="Ryan"), wire.Voice("second", speaker="dylan", style=style)]
    if kind == "voice_design":
        loud = {"temperature": 1.1, "top_k": 20, "top_p": 0.9, "repetition_penalty": 1.2}
        words = ("An old woman, hoarse.", "A boy.")
        return [
            wire.Voice("v", description=words[0]),
            wire.Voice("second", description=words[1], settings=loud),
        ]
    one = record(folder / "one.wav")
    two = record(folder / "two.wav", seconds=4.1, rate=44100, pitch=190)
    return [
        wire.Voice("v", reference=str(one), transcript=TRANSCRIPT, language="en"),
        wire.Voice("second", reference=str(two), settings={"mode": "x_vector"}),
    ]


class Place:
    """A model of one kind, and its voices."""

    def __init__(self, folder: Path, kind: str) -> None:
        self.kind = kind
        self.folder = folder
        self.model = tiny_qwen.build(folder / "model", kind)
        self.voices = voices(kind, folder)

    def start(self, name: str) -> EngineProcess:
        """A process that has loaded the model and both voices."""
        process = EngineProcess(self.folder / name, "qwen3-tts")
        answer = process.load(model=str(self.model), cache=str(self.folder / "cache"))
        assert isinstance(answer, wire.Loaded), (answer, process.errors.decode())
        for voice in self.voices:
            prepared = process.prepare(voice)
            assert isinstance(prepared, wire.Prepared), prepared
            assert prepared.notes == (), prepared
        return process


@pytest.fixture(scope="module", params=KINDS)
def place(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Place:
    return Place(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def engine(place: Place) -> Iterator[EngineProcess]:
    """A process that is kept for the module."""
    with place.start("kept") as process:
        yield process


def made(engine: EngineProcess, number: int) -> bytes:
    """The payload of one recipe."""
    text, more = RECIPES[number]
    clip, payload = engine.narrate(text, **more)
    assert isinstance(clip, wire.Clip), (clip, engine.errors.decode()[-2000:])
    assert {"tokens", "waveform"} == clip.stages.keys()
    return payload


def test_a_recipe_is_the_same_bytes_in_another_process_and_order(
    engine: EngineProcess, place: Place
) -> None:
    numbers = [*range(len(RECIPES))]
    first = {number: made(engine, number) for number in numbers}
    assert len(set(first.values())) == len(RECIPES), "some recipes sound alike"
    with place.start("other") as other:
        other.narrate(LONG, seed=99)
        dropped = other.ask(LONG * 5, seed=7)
        other.send(wire.Cancel(other.number(), dropped))
        other.answer(dropped)
        again = {number: made(other, number) for number in reversed(numbers)}
    assert again == first
    assert {number: made(engine, number) for number in numbers} == first, "and once more"


def test_the_card_tells_what_there_is(engine: EngineProcess, place: Place) -> None:
    card = next(it.card for it in reversed(engine.events) if isinstance(it, wire.Loaded))
    assert (card.backend, card.device, card.precision) == ("mlx", "cpu", "fp32")
    assert set(card.languages) == {"en", "zh", "de"}
    assert card.speakers == (("ryan", "dylan") if place.kind == "custom_voice" else ())
    assert card.options["kind"] == place.kind
    assert card.options["temperature"] == 0.9
    assert card.build["mlx-audio"] == "0.6.2"
    assert len(card.model) == 64


def test_what_is_printed_never_reaches_the_wire(engine: EngineProcess) -> None:
    # Every frame was decoded, or the process would be gone; and the chatter is where it belongs.
    assert b"Initialized encoder codebooks" in engine.errors
    assert b"Loaded speech tokenizer" in engine.errors
    assert engine.process.poll() is None


def test_a_clip_is_dropped_on_the_way(engine: EngineProcess, place: Place, tmp_path: Path) -> None:
    model = tiny_qwen.build(tmp_path / "model", place.kind, endless=True)
    with EngineProcess(tmp_path / "cwd", "qwen3-tts") as endless:
        assert isinstance(endless.load(model=str(model)), wire.Loaded)
        assert isinstance(endless.prepare(place.voices[0]), wire.Prepared)
        asked = endless.ask(LONG * 6)
        endless.until(wire.Stage, asked)
        endless.send(wire.Cancel(endless.number(), asked))
        failed, _ = endless.answer(asked)
        assert failed.failure == "cancelled"
        failed, _ = endless.narrate("He went.")
        assert failed.failure == "transient"
        assert "had not ended after" in failed.reason
        assert "A new seed (R)" in failed.reason


def test_no_mode_but_its_own(engine: EngineProcess, place: Place) -> None:
    wrong = {
        "base": (
            (wire.Voice("w", speaker="ryan"), "no built-in speakers"),
            (wire.Voice("w", description="old"), "no voices out of a description"),
            (wire.Voice("w", settings={"mode": "custom_voice"}), "“clone”, “x_vector”"),
        ),
        "custom_voice": (
            (wire.Voice("w"), "needs a speaker: one of “ryan”, “dylan”"),
            (wire.Voice("w", speaker="Vivian"), "no speaker “Vivian”; it has “ryan”, “dylan”"),
            (wire.Voice("w", speaker="ryan", reference="/x.wav"), "no cloned voices"),
        ),
        "voice_design": (
            (wire.Voice("w"), "needs a description"),
            (wire.Voice("w", description=" … "), "needs a description"),
            (wire.Voice("w", description="old", style="slow"), "write it into the description"),
        ),
    }
    for voice, words in wrong[place.kind]:
        refused = engine.prepare(voice)
        assert isinstance(refused, wire.Refused), voice
        assert words in refused.reason, refused.reason


def test_a_process_without_a_model_says_which_command_helps(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "cwd", "qwen3-tts") as engine:
        assert "no option named “colour”; it has" in engine.load(colour="red").reason
        failed = engine.load()
        assert failed.failure == "fatal"
        assert "rhapsode engines pull qwen3-tts" in failed.reason
        failed = engine.load(model=str(tmp_path))
        assert (failed.failure, "lacks “config.json”" in failed.reason) == ("fatal", True)


def test_samples_are_heard_as_numbers_of_one_channel(engine: EngineProcess) -> None:
    samples = engine.samples(TEXT, seed=11)
    assert samples.dtype == np.float32
    assert len(samples) % tiny_qwen.SAMPLES == 0
    assert np.abs(samples).max() <= 1
