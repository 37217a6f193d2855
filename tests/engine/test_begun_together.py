"""Clips that are begun together: as many as wait and no more, each answered once and in order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from engine_process import DRIVER, EngineProcess

from engine import wire

LAST = (wire.Clip, wire.Refused, wire.Failed)


def ready(folder: Path, **options: Any) -> EngineProcess:
    """A process whose narrator takes up to four clips together."""
    process = EngineProcess(folder, "staged", entry=DRIVER)
    loaded = process.load(**{"together": 4, **options})
    assert loaded.card.together == options.get("together", 4)
    assert isinstance(process.prepare(wire.Voice("v")), wire.Prepared)
    return process


def behind_one(engine: EngineProcess, texts: list[str]) -> list[int]:
    """Ask for clips while another one is being begun, so that all of them wait when it ends."""
    first = engine.ask("poll say")
    engine.wait_for_errors(b"polling")
    asked = [engine.ask(text) for text in texts]
    engine.answer(engine.send(wire.Measure(engine.number())))  # they have all arrived
    engine.send(wire.Cancel(engine.number(), first))
    assert engine.answer(first)[0].failure == "cancelled"
    return asked


def answers(engine: EngineProcess, asked: list[int]) -> list[Any]:
    """The last answers, which must come in order and once."""
    found = [engine.until(LAST)[0] for _ in asked]
    assert [answer.id for answer in found] == asked
    engine.answer(engine.send(wire.PrepareVoice(engine.number(), wire.Voice("v"))))
    assert not isinstance(engine.events[-2], LAST) or engine.events[-2].id == asked[-1]
    return found


def batches(engine: EngineProcess) -> list[str]:
    """What was begun together, by the first words."""
    lines = engine.errors.decode().splitlines()
    return [line.partition(": ")[2] for line in lines if line.startswith("together")]


@pytest.mark.parametrize("overlap", [True, False])
def test_what_waits_is_begun_together_and_finished_in_order(tmp_path: Path, overlap: bool) -> None:
    with ready(tmp_path / "cwd", overlap=overlap) as engine:
        asked = behind_one(engine, ["say say"] * 6)
        clips = answers(engine, asked)
        assert {type(clip) for clip in clips} == {wire.Clip}
        assert batches(engine) == ["say say say say", "say say"]


def test_one_that_waits_alone_is_begun_as_ever(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd") as engine, ready(tmp_path / "one", together=1) as plain:
        assert engine.narrate("say say", seed=5)[1] == plain.narrate("say say", seed=5)[1]
        answers(plain, behind_one(plain, ["say say"] * 2))
        assert batches(engine) == batches(plain) == []


def test_the_time_of_a_first_half_is_shared_out(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd") as engine:
        clips = answers(engine, behind_one(engine, ["work say"] * 4))
        # Each of them works for a twentieth of a second, so together they take a fifth.
        assert all(clip.seconds >= 0.05 for clip in clips)
        assert sum(clip.cpu_seconds for clip in clips) >= 0.2
        assert batches(engine) == ["work work work work"]


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("refuse say", wire.Refused, "This cannot be read."),
        ("transient say", wire.Failed, "The device was busy."),
        ("stumble say", wire.Failed, "The engine stumbled: ValueError: boom."),
        ("say refuse", wire.Refused, "This cannot be read."),
        ("say " + "x" * 60, wire.Refused, "64 characters"),
    ],
)
def test_what_is_wrong_with_one_of_them_stops_no_other(
    tmp_path: Path, text: str, kind: type[Any], words: str
) -> None:
    with ready(tmp_path / "cwd") as engine:
        found = answers(engine, behind_one(engine, ["say say", text, "say say"]))
        assert [type(answer) for answer in found] == [wire.Clip, kind, wire.Clip]
        assert words in found[1].reason


def test_what_stops_all_of_them_is_told_of_each(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd") as engine:
        found = answers(engine, behind_one(engine, ["say say", "break say"]))
        assert [answer.failure for answer in found] == ["transient"] * 2
        assert all("too much at once" in answer.reason for answer in found)
        assert isinstance(engine.narrate("say say")[0], wire.Clip)


def test_one_of_them_is_cancelled_and_the_others_go_on(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd") as engine:
        asked = behind_one(engine, ["say say", "stages say", "say say"])
        engine.until(wire.Stage, asked[1])
        engine.send(wire.Cancel(engine.number(), asked[1]))
        found = answers(engine, asked)
        assert [type(answer) for answer in found] == [wire.Clip, wire.Failed, wire.Clip]
        assert found[1].failure == "cancelled"
        assert batches(engine) == ["say stages say"]


def test_a_voice_between_two_clips_is_prepared_between_them(tmp_path: Path) -> None:
    with ready(tmp_path / "cwd") as engine:
        first = engine.ask("poll say")
        engine.wait_for_errors(b"polling")
        asked = [first, engine.ask("say say"), engine.ask("say say")]
        engine.send(wire.PrepareVoice(engine.number(), wire.Voice("w")))
        asked += [engine.ask("work say", voice="w"), engine.ask("work say", voice="w")]
        engine.answer(engine.send(wire.Measure(engine.number())))
        engine.send(wire.Cancel(engine.number(), first))
        _, *clips = answers(engine, asked)
        assert {type(clip) for clip in clips} == {wire.Clip}
        assert batches(engine) == ["say say", "work work"]
