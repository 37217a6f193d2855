"""The option `batch`: lines said side by side by the real process, each still its own."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_model
from cosy_voices import record, voice
from engine_process import EngineProcess

from engine import wire
from engine.narrators.cosyvoice3 import llm_batched
from engine.narrators.cosyvoice3.config import llm_config
from engine.narrators.cosyvoice3.decoding import Asked, Spoken
from engine.narrators.cosyvoice3.llm_torch import SpeechLlm
from engine.narrators.cosyvoice3.narrator import CosyVoice3
from engine.narrators.cosyvoice3.sampler import BadLogits
from engine.narrators.cosyvoice3.weights import load_state
from engine.registry import Beginning

LAST = (wire.Clip, wire.Refused, wire.Failed)
GATE = "The old man was in the house by the water, and he said that it was more than he knew. "
TEXTS = ("No.", "The old man came home.", "He said so.", "Was it more than this?")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model that ends no line by itself, so that what is being said goes on until it is told."""
    folder = tmp_path_factory.mktemp("together")
    record(folder / "voice.wav")
    tiny_model.build(folder / "model", endless=True)
    return folder


def start(folder: Path, **options: Any) -> EngineProcess:
    """A process with the voice ``v``."""
    process = EngineProcess(folder / "cwd", "cosyvoice3")
    given = {"model": str(folder / "model"), "device": "cpu", "steps": 2, "llm_backend": "torch"}
    loaded = process.load(**{**given, **options})
    assert isinstance(loaded, wire.Loaded), (loaded, process.errors.decode())
    prepared = process.prepare(voice("v", folder / "voice.wav"))
    assert isinstance(prepared, wire.Prepared), prepared
    return process


@pytest.fixture(scope="module")
def engine(folder: Path) -> Iterator[EngineProcess]:
    """A process that says up to four lines together."""
    with start(folder, batch=4) as process:
        yield process


@pytest.fixture(scope="module")
def plain(folder: Path) -> Iterator[EngineProcess]:
    """A process that says one line after the other."""
    with start(folder) as process:
        yield process


def together(engine: EngineProcess, asks: list[tuple[str, dict[str, Any]]]) -> list[int]:
    """Ask for lines that wait together: while another one is being said, which is then dropped."""
    first = engine.ask(GATE * 4)
    engine.until(wire.Stage, first)
    asked = [engine.ask(text, **more) for text, more in asks]
    engine.answer(engine.send(wire.Measure(engine.number())))  # they have all arrived
    engine.send(wire.Cancel(engine.number(), first))
    assert engine.answer(first)[0].failure == "cancelled"
    return asked


def found(engine: EngineProcess, asked: list[int]) -> list[tuple[Any, bytes]]:
    """Their answers, which come in order."""
    answers = [engine.until(LAST) for _ in asked]
    assert [answer.id for answer, _ in answers] == asked
    return answers


def begun_before_any_ended(engine: EngineProcess, asked: list[int]) -> bool:
    """Whether all of them were begun before the first of them came to its second half."""
    stages = [(e.id, e.name) for e in engine.events if isinstance(e, wire.Stage) and e.id in asked]
    ended = next(place for place, (_, name) in enumerate(stages) if name == "flow")
    return {number for number, name in stages[:ended] if name == "llm"} == set(asked)


def test_the_card_says_how_many_and_the_options_name_it(
    engine: EngineProcess, plain: EngineProcess
) -> None:
    def card(process: EngineProcess) -> wire.Card:
        return next(event for event in process.events if isinstance(event, wire.Loaded)).card

    assert (card(engine).together, card(engine).options) == (4, {"steps": 2, "batch": 4})
    assert (card(plain).together, card(plain).options) == (1, {"steps": 2})


def test_a_batch_gives_its_clips_in_order_and_the_same_batch_the_same_bytes(
    engine: EngineProcess,
) -> None:
    asks = [(text, {"seed": seed}) for seed, text in enumerate(TEXTS)]
    runs = []
    for _ in range(2):
        asked = together(engine, asks)
        runs.append(found(engine, asked))
        assert begun_before_any_ended(engine, asked)
    assert all(isinstance(clip, wire.Clip) for clip, _ in runs[0])
    assert [payload for _, payload in runs[0]] == [payload for _, payload in runs[1]]
    assert len({payload for _, payload in runs[0]}) == len(TEXTS)
    for clip, _ in runs[0]:
        assert [note.partition(":")[0] for note in clip.notes] == ["runaway"], "each says its own"


def test_a_batch_of_one_gives_the_bytes_of_no_batch(
    engine: EngineProcess, plain: EngineProcess
) -> None:
    for seed, text in enumerate(TEXTS):
        assert engine.narrate(text, seed=seed)[1] == plain.narrate(text, seed=seed)[1]


def test_no_more_than_the_option_says_are_said_together(engine: EngineProcess) -> None:
    asked = together(engine, [("No.", {"seed": seed}) for seed in range(5)])
    assert all(isinstance(clip, wire.Clip) for clip, _ in found(engine, asked))
    assert begun_before_any_ended(engine, asked[:4])


def test_a_refusal_and_kept_tokens_among_them_touch_no_other(
    engine: EngineProcess, plain: EngineProcess
) -> None:
    kept: dict[str, Any] = {"tokens": (3, 1, 4, 1, 5)}
    asked = together(engine, [("No.", {}), ("…!", {}), ("It was.", kept), ("He came.", {})])
    (first, _), (refused, _), (voiced, payload), (last, _) = found(engine, asked)
    assert isinstance(refused, wire.Refused)
    assert "nothing to say" in refused.reason
    assert {type(first), type(voiced), type(last)} == {wire.Clip}
    assert set(voiced.stages) == {"flow", "vocoder"}
    assert payload == plain.narrate("It was.", **kept)[1]


def test_one_of_them_is_dropped_and_the_others_go_on(engine: EngineProcess) -> None:
    asked = together(engine, [("No.", {}), (GATE * 2, {}), ("He came.", {})])
    engine.until(wire.Stage, asked[1])
    engine.send(wire.Cancel(engine.number(), asked[1]))
    answers = [answer for answer, _ in found(engine, asked)]
    assert [type(answer) for answer in answers] == [wire.Clip, wire.Failed, wire.Clip]
    assert answers[1].failure == "cancelled"


def test_shares_of_the_language_model_add_up(engine: EngineProcess) -> None:
    asked = together(engine, [(text, {}) for text in TEXTS])
    clips = [clip for clip, _ in found(engine, asked)]
    assert len({round(clip.stages["llm"], 9) for clip in clips}) == 1
    assert all(sum(clip.stages.values()) <= clip.seconds + 1e-3 for clip in clips)


def test_a_long_text_among_them_is_said_in_all_its_pieces(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its seeds and lengths are its own: at this size tokens are those that it has alone."""
    narrator = CosyVoice3()
    model = str(tiny_model.build(tmp_path / "model"))
    given = {"model": model, "device": "cpu", "llm_backend": "torch", "batch": 4}
    narrator.load(given, lambda done: None)
    narrator.prepare_voice(voice("v", folder / "voice.wav"))
    texts = ["No.", (GATE * 4)[:380].strip(), "He came."]
    requests = [wire.Narrate(n, text, "en", "v", seed=n) for n, text in enumerate(texts)]
    alone = [narrator.begin(it, lambda name, done: None, lambda: False) for it in requests]
    rows: list[int] = []
    generate = llm_batched.generate

    def noting(llm: Any, asked: Any, **more: Any) -> Any:
        rows.append(len(asked))
        return generate(llm, asked, **more)

    monkeypatch.setattr(llm_batched, "generate", noting)
    beginnings = [Beginning(it, lambda name, done: None, lambda: False) for it in requests]
    beside = narrator.begin_together(beginnings)
    assert rows == [3], "the second piece is the only one left, and said as if alone"
    assert [half.tokens for half in beside] == [half.tokens for half in alone]
    assert len(beside[1].tokens) > len(beside[0].tokens) + len(beside[2].tokens)


def test_numbers_that_are_none_fail_their_own_line(folder: Path) -> None:
    state = load_state(folder / "model" / "llm.pt", "llm")
    config = llm_config(state, folder / "model" / "CosyVoice-BlankEN" / "config.json")
    llm = SpeechLlm.load(state, config)
    asked = [Asked([], [7, 8], [], seed) for seed in range(3)]
    whole = llm_batched.generate(llm, asked)

    class Spoilt(llm_batched.Batch):
        """The second line's logits are no numbers from the third step on."""

        steps = 0

        def step(self, tokens: Any) -> Any:
            logits = super().step(tokens)
            self.steps += 1
            if self.steps > 2:
                logits[1] = np.nan
            return logits

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(llm_batched, "Batch", Spoilt)
        first, second, third = llm_batched.generate(llm, asked)
    assert isinstance(second, BadLogits)
    assert [first, third] == [whole[0], whole[2]]
    assert isinstance(first, Spoken)


def test_a_process_that_dies_in_a_batch_has_answered_none_of_it(engine: EngineProcess) -> None:
    """The last test of this process."""
    asked = together(engine, [(GATE, {}), (GATE, {})])
    engine.until(wire.Stage, asked[1])
    engine.process.send_signal(signal.SIGKILL)
    assert engine.gone() == -signal.SIGKILL
    while engine.next() is not None:
        pass
    assert not [e for e in engine.events if isinstance(e, LAST) and e.id in asked]
