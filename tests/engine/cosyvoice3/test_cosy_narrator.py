"""CosyVoice3 in its process: one recipe, the same bytes, whatever was made before or beside it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_model
from cosy_voices import record, voice
from engine_process import EngineProcess

from engine import wire

LAST = (wire.Clip, wire.Refused, wire.Failed)
LONG = "The old man was in the house by the water, and he said that it was more than he knew. " * 4
RECIPES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("The old man came home.", {"seed": 1}),
    ("The old man came home.", {"seed": 2**32 - 1}),
    ("No.", {"seed": 1}),
    (LONG[:170], {"seed": 7}),
    ("He said so, [sigh] and went.", {"seed": 3, "voice": "x"}),
    ("Was it more than this?", {"seed": 4, "voice": "i", "speed": 1.25}),
    ("Der Mann ging nach Haus.", {"seed": 5, "language": "de-AT"}),
    ("他说了。", {"seed": 6, "language": "zh", "speed": 0.8}),
)


@dataclass(frozen=True)
class Place:
    """Where a model and its references lie."""

    model: Path
    folder: Path

    def start(self, name: str, **options: Any) -> EngineProcess:
        """A process that has loaded the model and three voices: v, x, i."""
        process = EngineProcess(self.folder / name, "cosyvoice3")
        options = {"model": str(self.model), "device": "cpu", **options}
        loaded = process.load(**options)
        assert isinstance(loaded, wire.Loaded), (loaded, process.errors.decode())
        for made in self.voices():
            assert isinstance(process.prepare(made), wire.Prepared), process.events[-1]
        return process

    def voices(self) -> list[wire.Voice]:
        """Zero-shot, cross-lingual, instruct."""
        first, second = self.folder / "first.wav", self.folder / "second.wav"
        crossing = {"mode": "cross_lingual"}
        return [
            voice("v", first),
            voice("x", second, transcript="", language="de", settings=crossing),
            voice("i", second, transcript="", style="Speak slowly."),
        ]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("cosyvoice3")
    record(folder / "first.wav")
    record(folder / "second.wav", seconds=4.1, rate=44100, seed=1)
    return Place(tiny_model.build(folder / "model"), folder)


@pytest.fixture(scope="module")
def engine(place: Place) -> Iterator[EngineProcess]:
    """A process whose halves overlap, kept for the module: what ran before must not matter."""
    with place.start("cwd", cache=str(place.folder / "cache")) as process:
        yield process


@pytest.fixture(scope="module")
def alone(place: Place) -> dict[int, tuple[wire.Clip, bytes]]:
    """Each recipe made on its own, by a fresh process that makes one half after the other."""
    with place.start("alone", overlap=False) as process:
        made = {n: process.narrate(text, **more) for n, (text, more) in enumerate(RECIPES)}
    for clip, _ in made.values():
        assert isinstance(clip, wire.Clip), clip
    return made


def payloads(engine: EngineProcess, numbers: list[int]) -> dict[int, bytes]:
    """Recipes made in a batch: all of them are asked for before the first is there."""
    asked = {engine.ask(RECIPES[n][0], **RECIPES[n][1]): n for n in numbers}
    found = [engine.until(LAST) for _ in asked]
    assert [clip.id for clip, _ in found] == list(asked), "answers are not in order"
    return {asked[clip.id]: payload for clip, payload in found}


def test_every_recipe_sounds_different(alone: dict[int, tuple[wire.Clip, bytes]]) -> None:
    assert len({payload for _, payload in alone.values()}) == len(RECIPES)


def test_a_batch_whose_halves_overlap_gives_the_same_bytes(
    engine: EngineProcess, alone: dict[int, tuple[wire.Clip, bytes]]
) -> None:
    already = len(engine.events)
    found = payloads(engine, [*range(len(RECIPES))] * 2)
    assert found == {n: payload for n, (_, payload) in alone.items()}
    begun: set[int] = set()
    beside = 0
    for event in engine.events[already:]:
        if isinstance(event, wire.Stage):
            begun.add(event.id)
        elif isinstance(event, wire.Clip):
            beside += event.id + 1 in begun
    assert beside > len(RECIPES), "halves did not overlap"


def test_any_order_and_anything_before_gives_the_same_bytes(
    engine: EngineProcess, alone: dict[int, tuple[wire.Clip, bytes]]
) -> None:
    engine.narrate(LONG, seed=99)
    engine.narrate("Not a word.", language="fi")
    dropped = engine.ask(LONG)
    engine.send(wire.Cancel(engine.number(), dropped))
    engine.answer(dropped)
    order = [5, 3, 7, 0, 6, 1, 4, 2]
    assert payloads(engine, order) == {n: alone[n][1] for n in order}


def test_kept_tokens_are_voiced_again_to_the_same_bytes(
    engine: EngineProcess, alone: dict[int, tuple[wire.Clip, bytes]]
) -> None:
    kept = {}
    for n, (clip, payload) in alone.items():
        tokens = np.frombuffer(wire.split_blobs(clip, payload)["speech_tokens"], "<i4")
        assert 0 <= tokens.min()
        assert tokens.max() < tiny_model.SPEECH_TOKENS
        kept[n] = tuple(map(int, tokens))
    asked = {}
    for n, (_, more) in enumerate(RECIPES):
        fields = {**more, "seed": 12345, "tokens": kept[n]}  # seed and text are for the record
        asked[engine.ask("Something else.", **fields)] = n
    for number, n in asked.items():
        clip, payload = engine.answer(number)
        assert payload == alone[n][1]
        assert set(clip.stages) == {"flow", "vocoder"}


def test_a_long_text_is_said_in_pieces_of_which_each_is_as_if_alone(
    engine: EngineProcess, place: Place
) -> None:
    from engine.narrators.cosyvoice3 import splitting
    from engine.narrators.cosyvoice3.tokenizer import Tokenizer

    encode = Tokenizer.of(place.model / "CosyVoice-BlankEN").encode
    text = LONG[:380].strip()
    pieces = splitting.pieces(text, lambda part: len(encode(part)))
    assert len(pieces) > 1

    def tokens(part: str, seed: int) -> bytes:
        clip, payload = engine.narrate(part, seed=seed)
        assert clip.notes == ()
        return bytes(wire.split_blobs(clip, payload)["speech_tokens"])

    apart = [tokens(piece, splitting.seed_of(9, n)) for n, piece in enumerate(pieces)]
    assert tokens(text, 9) == b"".join(apart)


@pytest.mark.slow
def test_more_threads_give_the_same_bytes_side_by_side_and_not(place: Place) -> None:
    found = []
    for overlap in (True, False):
        with place.start(f"threads{overlap}", threads=2, overlap=overlap) as process:
            assert process.events[-4].card.threads == 2
            found.append(payloads(process, [0, 2, 1]))
    assert found[0] == found[1]


def test_a_clip_is_what_the_card_promises(
    engine: EngineProcess, alone: dict[int, tuple[wire.Clip, bytes]]
) -> None:
    clip, payload = alone[3]
    parts = wire.split_blobs(clip, payload)
    samples = np.frombuffer(parts["pcm"], "<f4")
    assert (clip.rate, clip.channels, clip.frames) == (24000, 1, len(samples))
    assert clip.frames == 960 * (len(parts["speech_tokens"]) // 4)
    assert 0.01 < np.abs(samples).max() <= 0.99
    assert set(clip.stages) == {"llm", "flow", "vocoder"}
    assert 0 < sum(clip.stages.values()) <= clip.seconds
    assert clip.notes == ()
    assert clip.device_memory == 0
    fast, _ = alone[5]
    tokens = len(wire.split_blobs(*alone[5])["speech_tokens"]) // 4
    assert fast.frames == 480 * int(2 * tokens / 1.25)


def test_the_card_tells_what_was_loaded(engine: EngineProcess, place: Place) -> None:
    hello = next(event for event in engine.events if isinstance(event, wire.Hello))
    card = next(event for event in engine.events if isinstance(event, wire.Loaded)).card
    assert (hello.card.engine, hello.card.model) == ("cosyvoice3", "")
    assert len(card.model) == 64
    assert (card.backend, card.precision, card.device) == ("torch", "fp32", "cpu")
    assert (card.threads, card.options, card.replays) == (1, {"steps": 10}, True)
    assert (card.sample_rate, card.max_seconds) == (24000, 300)
    assert card.normalises == ("whole numbers below a hundred",)
    assert set(card.languages) == set("zh en ja ko de es fr it ru".split())
    assert {"torch", "tokenizers", "onnxruntime", "cpu", "instructions"} <= set(card.build)


def test_voices_are_kept_on_disk_and_other_voices_sound_different(
    engine: EngineProcess, place: Place
) -> None:
    kept = list((place.folder / "cache" / "voices").glob("*.npz"))
    assert len(kept) == 2, "one for each reference, whatever the mode"
    same = engine.prepare(voice("again", place.folder / "first.wav"))
    assert isinstance(same, wire.Prepared)
    assert list((place.folder / "cache" / "voices").glob("*.npz")) == kept
    text = RECIPES[0][0]
    assert engine.narrate(text, voice="again")[1] == engine.narrate(text)[1]
    assert engine.narrate(text, voice="x")[1] != engine.narrate(text)[1]


def test_a_voice_is_warned_of(engine: EngineProcess, place: Place) -> None:
    short = record(place.folder / "short.wav", seconds=2.0)
    prepared = engine.prepare(voice("short", short, transcript="He said that."))
    assert isinstance(prepared, wire.Prepared), prepared
    assert any("only 2.0 s long" in note for note in prepared.notes)


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"transcript": ""}, "no transcript"),
        ({"reference": ""}, "needs reference audio"),
        ({"reference": "/not/there.wav"}, "no reference audio at “/not/there.wav”"),
        ({"speaker": "Anna"}, "none named “Anna”"),
        ({"description": "an old man"}, "out of a description"),
        ({"language": "fi"}, "the voice is marked as “fi”"),
        ({"style": "Slowly.", "settings": {"mode": "zero_shot"}}, "cannot follow"),
        ({"settings": {"mode": "instruct"}}, "does not say how to read"),
        ({"settings": {"mode": "loud"}}, "cannot be “loud”"),
        ({"settings": {"temperature": 1}}, "no voice setting named “temperature”"),
    ],
)
def test_a_voice_that_cannot_be_is_refused(
    engine: EngineProcess, place: Place, fields: dict[str, Any], words: str
) -> None:
    given = {"reference": place.folder / "first.wav", **fields}
    refused = engine.prepare(voice("bad", given.pop("reference"), **given))
    assert isinstance(refused, wire.Refused), refused
    assert words in refused.reason


@pytest.mark.parametrize(
    ("text", "fields", "words"),
    [
        ("Hello.", {"language": "fi"}, "Italian and Russian, and this segment is marked as “fi”"),
        ("Hello.", {"speed": 2.5}, "The speed 2.5 is out of reach"),
        ("Hello.", {"speed": 0.1}, "The speed 0.1 is out of reach"),
        ("Hello.", {"seed": -1}, "The seed -1"),
        ("Hello.", {"seed": 2**32}, "The seed 4294967296"),
        ("…!", {}, "nothing to say"),
        ("x" * 401, {}, "401 characters"),
        ("Hello.", {"tokens": (1, 500)}, "speech token 500 is none of this model’s"),
        ("Hello.", {"tokens": (-1,)}, "speech token -1 is none of this model’s"),
        ("Hello.", {"tokens": (7,) * 7500}, "303 s long together; CosyVoice3 goes to 300 s"),
    ],
)
def test_a_text_that_cannot_be_is_refused_and_its_neighbours_are_made(
    engine: EngineProcess, text: str, fields: dict[str, Any], words: str
) -> None:
    before, asked, after = engine.ask("No."), engine.ask(text, **fields), engine.ask("No.")
    assert isinstance(engine.answer(before)[0], wire.Clip)
    refused, _ = engine.answer(asked)
    assert isinstance(refused, wire.Refused), refused
    assert words in refused.reason
    assert isinstance(engine.answer(after)[0], wire.Clip)


@pytest.mark.parametrize(("stage", "steps"), [("llm", 1), ("flow", 1)])
def test_a_clip_is_dropped_in_either_half(endless: EngineProcess, stage: str, steps: int) -> None:
    """The model never ends by itself: the line runs on for thousands of tokens, then frames."""
    first, second = endless.ask(LONG), endless.ask("No.", tokens=(3, 1, 4, 1, 5))
    while True:
        event, _ = endless.until(wire.Stage, first)
        if event.name == stage:
            break
    endless.send(wire.Cancel(endless.number(), first))
    assert endless.answer(first)[0].failure == "cancelled"
    assert isinstance(endless.answer(second)[0], wire.Clip)
    said = [e for e in endless.events if isinstance(e, wire.Stage) and e.id == first]
    assert not [e for e in said if e.name == "vocoder"]


@pytest.fixture(scope="module")
def endless(place: Place) -> Iterator[EngineProcess]:
    """A process with a model that never ends a line."""
    other = Place(tiny_model.build(place.folder / "endless", endless=True), place.folder)
    with other.start("cwd-endless") as process:
        yield process


@pytest.mark.slow
def test_a_line_that_does_not_end_is_cut_and_said_to_have_run_away(
    endless: EngineProcess,
) -> None:
    clip, payload = endless.narrate("No.")
    (note,) = clip.notes
    assert note.startswith("runaway: it had not ended after")
    tokens = len(wire.split_blobs(clip, payload)["speech_tokens"]) // 4
    assert clip.frames == 960 * tokens
    # Voiced again from its tokens, it is what it is: nothing ran away this time.
    kept = tuple(np.frombuffer(wire.split_blobs(clip, payload)["speech_tokens"], "<i4").tolist())
    again, repeated = endless.narrate("No.", tokens=kept)
    assert (again.notes, repeated) == ((), payload)
