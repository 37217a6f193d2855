"""Two halves of two clips side by side: the same bytes, in order, and each job answered once."""

from __future__ import annotations

import os
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine_process import DRIVER, EngineProcess

from engine import wire

LAST = (wire.Clip, wire.Refused, wire.Failed)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    """A process with the staged narrator, loaded, its voice prepared; halves overlap."""
    with EngineProcess(tmp_path / "cwd", "staged", entry=DRIVER) as process:
        yield process.ready()


def ready(folder: Path, **options: Any) -> EngineProcess:
    """The same with other options."""
    process = EngineProcess(folder, "staged", entry=DRIVER)
    assert isinstance(process.load(**options), wire.Loaded)
    assert isinstance(process.prepare(wire.Voice("v")), wire.Prepared)
    return process


def answers(engine: EngineProcess, asked: list[int]) -> list[Any]:
    """The last answers of requests, in the order in which they came; exactly one of each."""
    while sum(isinstance(event, LAST) and event.id in asked for event in engine.events) < len(
        asked
    ):
        assert engine.next() is not None, engine.errors.decode()
    # Whatever would be said besides has been said by now: a plain request comes after all of them.
    engine.answer(engine.send(wire.PrepareVoice(engine.number(), wire.Voice("v"))))
    found = [event for event in engine.events if isinstance(event, LAST) and event.id in asked]
    assert Counter(event.id for event in found) == Counter(asked)
    return found


def test_a_half_runs_beside_the_other_half_of_another_clip(engine: EngineProcess) -> None:
    # The second half of the first goes on only if the first half of the second is there as well.
    asked = [engine.ask("say meet"), engine.ask("meet say")]
    assert [type(answer) for answer in answers(engine, asked)] == [wire.Clip, wire.Clip]
    for thread in (b"say on MainThread", b"say on second half"):
        engine.wait_for_errors(thread)


def test_halves_overlap_again_and_again(engine: EngineProcess) -> None:
    asked = [engine.ask("say meet"), *(engine.ask("meet meet") for _ in range(8))]
    asked.append(engine.ask("meet say"))
    assert [answer.id for answer in answers(engine, asked)] == asked


def test_without_overlap_everything_is_on_one_thread(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd", overlap=False) as engine:
        asked = [engine.ask("say say") for _ in range(3)]
        assert [answer.id for answer in answers(engine, asked)] == asked
        engine.wait_for_errors(b"say on MainThread\n" * 2 + b"rest")
        assert b"second half" not in engine.errors


def test_overlapped_and_one_after_the_other_give_the_same_bytes(tmp_path: Path) -> None:
    def told(folder: Path, deep: bool, **options: Any) -> list[bytes]:
        with ready(folder, **options) as engine:
            if not deep:
                return [engine.narrate("say say", seed=seed)[1] for seed in range(6)]
            asked = [engine.ask("say say", seed=seed) for seed in range(6)]
            return [engine.answer(number)[1] for number in asked]

    first = told(tmp_path / "a", deep=True)
    assert len(set(first)) == 6
    assert told(tmp_path / "b", deep=True, overlap=False) == first
    assert told(tmp_path / "c", deep=False) == first


def test_no_clip_is_begun_more_than_one_ahead(engine: EngineProcess) -> None:
    asked = [engine.ask("few work") for _ in range(12)]
    assert {type(answer) for answer in answers(engine, asked)} == {wire.Clip}


@pytest.mark.parametrize("text", ["poll say", "stages say", "say poll", "say stages"])
def test_either_half_is_cancelled_and_the_neighbours_are_made(
    engine: EngineProcess, text: str
) -> None:
    asked = [engine.ask("say say"), engine.ask(text), engine.ask("say say")]
    engine.wait_for_errors(b"polling")
    engine.send(wire.Cancel(engine.number(), asked[1]))
    first, second, third = answers(engine, asked)
    assert [first.id, second.id, third.id] == asked
    assert (type(first), second.failure, type(third)) == (wire.Clip, "cancelled", wire.Clip)


@pytest.mark.parametrize(
    ("texts", "dropped"), [(("say wait", "wake say"), 1), (("say wake", "wait say"), 0)]
)
def test_cancelling_one_half_leaves_the_other_alone(
    engine: EngineProcess, texts: tuple[str, str], dropped: int
) -> None:
    asked = [engine.ask(text) for text in texts]
    engine.wait_for_errors(b"waiting")
    engine.wait_for_errors(b"polling")
    engine.send(wire.Cancel(engine.number(), asked[dropped]))
    found = answers(engine, asked)
    assert [answer.id for answer in found] == asked
    assert found[dropped].failure == "cancelled"
    assert isinstance(found[1 - dropped], wire.Clip)


def test_a_clip_dropped_between_its_halves_is_not_finished(engine: EngineProcess) -> None:
    asked = [engine.ask("say poll"), engine.ask("say stumble"), engine.ask("say say")]
    engine.wait_for_errors(b"polling")
    engine.until(wire.Stage, asked[1])
    engine.send(wire.Cancel(engine.number(), asked[1]))
    engine.send(wire.Cancel(engine.number(), asked[0]))
    first, second, third = answers(engine, asked)
    assert [first.failure, second.failure, type(third)] == ["cancelled", "cancelled", wire.Clip]
    assert b"boom" not in engine.errors


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("refuse", "This cannot be read."),
        ("transient", "The device was busy."),
        ("fatal", "The device is lost."),
        ("stumble", "The engine stumbled: ValueError: boom."),
    ],
)
@pytest.mark.parametrize("text", ["{} say", "say {}"])
def test_what_goes_wrong_in_either_half_is_told_in_its_turn(
    engine: EngineProcess, text: str, command: str, words: str
) -> None:
    asked = [engine.ask("say say"), engine.ask(text.format(command)), engine.ask("say say")]
    first, second, third = answers(engine, asked)
    assert [first.id, second.id, third.id] == asked
    assert (type(first), second.reason, type(third)) == (wire.Clip, words, wire.Clip)
    kind = {"refuse": wire.Refused}.get(command, wire.Failed)
    assert isinstance(second, kind)
    if kind is wire.Failed:
        assert second.failure == ("fatal" if command == "fatal" else "transient")


def test_a_first_half_that_fails_early_is_told_of_after_the_clip_before(
    engine: EngineProcess,
) -> None:
    too_long = "say " + "x" * 60
    asked = [engine.ask("say poll"), engine.ask("refuse say"), engine.ask(too_long)]
    engine.wait_for_errors(b"polling")
    engine.until(wire.Stage, asked[1])
    engine.send(wire.Cancel(engine.number(), asked[0]))
    first, second, third = answers(engine, asked)
    assert [first.id, second.id, third.id] == asked
    assert first.failure == "cancelled"
    assert second.reason == "This cannot be read."
    assert "64 characters" in third.reason


@pytest.mark.parametrize("text", ["die say", "say die"])
def test_a_crash_in_either_half_ends_the_process(engine: EngineProcess, text: str) -> None:
    engine.ask(text)
    with suppress(BrokenPipeError):  # it may be gone before the second is written
        engine.ask("say say")
    assert engine.gone() == -signal.SIGABRT
    while engine.next() is not None:
        pass
    assert not [event for event in engine.events if isinstance(event, LAST)]


@pytest.mark.parametrize("text", ["exit say", "say exit"])
def test_what_is_no_error_of_a_clip_ends_the_process(engine: EngineProcess, text: str) -> None:
    engine.ask(text)
    assert engine.gone() in (1, 3)


def test_a_voice_waits_until_both_halves_are_done(engine: EngineProcess) -> None:
    asked = [engine.ask("say meet"), engine.ask("meet poll")]
    prepared = engine.send(wire.PrepareVoice(engine.number(), wire.Voice("w")))
    engine.wait_for_errors(b"polling")
    assert isinstance(engine.answer(engine.send(wire.Measure(engine.number())))[0], wire.Measured)
    assert not [event for event in engine.events if getattr(event, "id", 0) == prepared]
    engine.send(wire.Cancel(engine.number(), asked[1]))
    assert isinstance(engine.answer(prepared)[0], wire.Prepared)
    assert [type(event) for event in engine.events[-3:]] == [
        wire.Measured,
        wire.Failed,
        wire.Prepared,
    ]


def test_a_load_waits_until_both_halves_are_done(engine: EngineProcess) -> None:
    asked = engine.ask("say poll")
    loaded = engine.send(wire.Load(engine.number(), {}))
    engine.wait_for_errors(b"polling")
    engine.send(wire.Cancel(engine.number(), asked))
    assert isinstance(engine.answer(loaded)[0], wire.Loaded)
    assert [type(event) for event in engine.events[-2:]] == [wire.Failed, wire.Loaded]


def test_measuring_does_not_wait_for_either_half(engine: EngineProcess) -> None:
    engine.ask("say hang")
    engine.wait_for_errors(b"hanging")
    engine.ask("hang say")
    engine.wait_for_errors(b"hanging\nhanging")
    measured = engine.answer(engine.send(wire.Measure(engine.number())))[0]
    assert (measured.footprint > 1 << 20, measured.device_memory) == (True, 7)


def test_shutdown_says_bye_in_the_middle_of_both_halves(engine: EngineProcess) -> None:
    engine.ask("say hang")
    engine.ask("hang say")
    engine.wait_for_errors(b"hanging\nhanging")
    engine.send(wire.Shutdown(engine.number()))
    engine.until(wire.Bye)
    assert engine.next() is None
    assert engine.gone() == 0


def test_the_end_of_stdin_ends_the_process_in_the_middle_of_both_halves(
    engine: EngineProcess,
) -> None:
    engine.ask("say hang")
    engine.ask("hang say")
    engine.wait_for_errors(b"hanging\nhanging")
    engine.process.stdin.close()
    assert engine.gone() == -signal.SIGKILL


def test_an_engine_nobody_listens_to_ends_from_the_second_half(engine: EngineProcess) -> None:
    number = engine.ask("say stages")
    engine.until(wire.Stage, number)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, engine.process.stdout.fileno())
    os.close(nothing)
    assert engine.gone() == 0


def test_a_clip_carries_its_stages_notes_and_seconds_of_both_halves(engine: EngineProcess) -> None:
    clip, payload = engine.narrate("work note")
    assert clip.stages == {"first": 0.5, "second": 0.25}
    assert clip.notes == ("runaway: it did not end",)
    assert clip.seconds >= 0.05
    assert clip.footprint > 1 << 20
    assert len(np.frombuffer(payload, "<f4")) == 100
    assert engine.narrate("say say")[0].notes == ()


@pytest.mark.parametrize("overlap", [True, False])
def test_processor_seconds_are_counted_once(tmp_path: Path, overlap: bool) -> None:
    """Each clip burns 0.1 s in its own halves; side by side, what both burn is shared out."""
    with ready(tmp_path / "cwd", overlap=overlap) as engine:
        asked = [engine.ask("work work") for _ in range(6)]
        spent = [engine.answer(number)[0].cpu_seconds for number in asked]
    assert 0.6 <= sum(spent) < 0.6 * 1.4
    assert min(spent) > 0.04


def test_the_narrator_rests_only_while_both_halves_do(engine: EngineProcess) -> None:
    asked = [engine.ask("say meet"), *(engine.ask("meet meet") for _ in range(4))]
    asked.append(engine.ask("meet say"))
    assert all(isinstance(answer, wire.Clip) for answer in answers(engine, asked))
    # Resting beside a half would have failed an assertion, and its words would be on stderr.
    assert b"a half is running" not in engine.errors
    assert engine.errors.count(b"rest\n") >= len(asked)


def test_a_rest_that_fails_is_no_clips_fault(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd", lazy=True) as engine:
        asked = [engine.ask("say say") for _ in range(4)]
        assert [type(answer) for answer in answers(engine, asked)] == [wire.Clip] * 4
        engine.wait_for_errors(b"too tired to rest")


def test_a_hundred_jobs_of_all_kinds_are_answered_once_and_in_order(engine: EngineProcess) -> None:
    words = ("say", "refuse", "transient", "stumble", "note")
    chance = np.random.default_rng(5)
    asked, wanted = [], []
    for number in range(100):
        first, second = chance.choice(words[:4]), chance.choice(words)
        asked.append(engine.ask(f"{first} {second}", seed=number))
        wanted.append("say" if first == "say" and second in ("say", "note") else "other")
    found = answers(engine, asked)
    assert [answer.id for answer in found] == asked
    assert ["say" if isinstance(a, wire.Clip) else "other" for a in found] == wanted
