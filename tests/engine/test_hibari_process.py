"""hibari in its process: the same bytes wherever and whenever, and what a clip brings with it."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from engine_process import EngineProcess

from engine import wire

LINE = "Doctor Harrow counted the coins twice, then pushed them across. “Is it true?” he said."


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EngineProcess]:
    """A loaded process, kept for the module: nothing in it may depend on what ran before."""
    with EngineProcess(tmp_path_factory.mktemp("engine") / "cwd") as process:
        yield process.ready()


def digest(engine: EngineProcess, text: str = LINE, **fields) -> str:
    return hashlib.sha256(engine.samples(text, **fields).tobytes()).hexdigest()


def test_a_fresh_process_gives_the_same_bytes(engine: EngineProcess, tmp_path: Path) -> None:
    wanted = [digest(engine, seed=seed) for seed in (0, 1, 2**32 - 1)]
    assert len(set(wanted)) == 3
    with EngineProcess(tmp_path / "cwd") as fresh:
        fresh.ready()
        assert [digest(fresh, seed=seed) for seed in (2**32 - 1, 1, 0)] == wanted[::-1]


def test_other_clips_before_change_nothing(engine: EngineProcess) -> None:
    wanted = digest(engine)
    digest(engine, "Something else, and longer. " * 20, seed=9, speed=0.7)
    engine.narrate("你好")
    engine.send(wire.Cancel(engine.number(), engine.ask(LINE * 6)))
    assert digest(engine) == wanted


def test_two_processes_at_once_give_the_same_bytes(tmp_path: Path, engine: EngineProcess) -> None:
    lines = [f"Line number {number} of the story, told again." for number in range(12)]
    wanted = [digest(engine, line, seed=3) for line in lines]
    found: dict[int, list[str]] = {}
    with EngineProcess(tmp_path / "a") as first, EngineProcess(tmp_path / "b") as second:
        ready = threading.Barrier(2)

        def work(index: int, process: EngineProcess, order: list[str]) -> None:
            process.ready()
            ready.wait(30)
            found[index] = [digest(process, line, seed=3) for line in order]

        threads = [
            threading.Thread(target=work, args=(0, first, lines)),
            threading.Thread(target=work, args=(1, second, lines[::-1])),
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert found == {0: wanted, 1: wanted[::-1]}


def test_a_clip_says_what_it_took(engine: EngineProcess) -> None:
    clip, payload = engine.narrate(LINE)
    assert (clip.rate, clip.channels) == (24000, 1)
    assert [blob.name for blob in clip.blobs] == ["pcm", "durations"]
    assert len(wire.split_blobs(clip, payload)["pcm"]) == 4 * clip.frames
    assert set(clip.stages) == {"text", "network", "waveform"}
    assert 0 < sum(clip.stages.values()) <= clip.seconds
    assert clip.cpu_seconds > 0
    assert 50 << 20 < clip.footprint < 1 << 30


def test_refusals_name_the_word_and_the_process_goes_on(engine: EngineProcess) -> None:
    for text, named in (("He said 你好 to us.", "你好"), ("😀", "grinning face"), ("", "no word")):
        refused, _ = engine.narrate(text)
        assert isinstance(refused, wire.Refused)
        assert named in refused.reason
    refused, _ = engine.narrate("a" * 601)
    assert "601 characters, and this engine reads at most 600" in refused.reason
    assert isinstance(engine.narrate(LINE)[0], wire.Clip)


def test_a_running_narration_is_cancelled_between_sentences(engine: EngineProcess) -> None:
    number = engine.ask("He went on and on, and never stopped. " * 15)
    engine.until(wire.Stage, number)
    engine.send(wire.Cancel(engine.number(), number))
    assert engine.answer(number)[0].failure == "cancelled"


def test_words_that_speak_after_a_recycle_need_their_voice_again(tmp_path: Path) -> None:
    with EngineProcess(tmp_path / "cwd") as fresh:
        assert isinstance(fresh.load(), wire.Loaded)
        failed, _ = fresh.narrate(LINE)
        assert failed.failure == "transient"
        fresh.prepare(wire.Voice("v", speaker="heart", settings={"strength": 1.5}))
        assert isinstance(fresh.narrate(LINE)[0], wire.Clip)


def test_the_load_is_reported_and_nothing_is_written(tmp_path: Path) -> None:
    folder = tmp_path / "cwd"
    with EngineProcess(folder) as fresh:
        loaded = fresh.load()
        assert loaded.seconds > 0
        assert loaded.card.build["pronunciation"]
        fractions = [event.fraction for event in fresh.events if isinstance(event, wire.Loading)]
        assert fractions == sorted(fractions)
        assert (fractions[0], fractions[-1]) == (0, 1)
        fresh.prepare(wire.Voice("v"))
        fresh.narrate(LINE)
    assert list(folder.iterdir()) == []
