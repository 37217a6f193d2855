"""The engine process: order, cancelling, leaving, and a protocol stream of its own."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from engine_process import DRIVER, EngineProcess
from needs import promised

from engine import wire


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[EngineProcess]:
    """A process with the scripted narrator, not loaded."""
    with EngineProcess(tmp_path / "cwd", "scripted", entry=DRIVER) as process:
        yield process


def test_hello_comes_first_and_says_who_it_is(engine: EngineProcess) -> None:
    hello = engine.next().message
    assert isinstance(hello, wire.Hello)
    assert hello.protocol == wire.PROTOCOL
    assert hello.pid == engine.process.pid
    assert hello.card.engine == "scripted"


def test_load_reports_progress_then_the_card(engine: EngineProcess) -> None:
    loaded = engine.load()
    assert loaded.card.sample_rate == 8000
    fractions = [event.fraction for event in engine.events if isinstance(event, wire.Loading)]
    assert fractions == [0.5, 1.0]


def test_the_same_load_again_is_harmless_another_is_fatal(engine: EngineProcess) -> None:
    assert isinstance(engine.load(), wire.Loaded)
    assert isinstance(engine.load(), wire.Loaded)
    other = engine.load(device="moon")
    assert (other.failure, "other options" in other.reason) == ("fatal", True)


@pytest.mark.parametrize(
    ("fail", "words"),
    [
        ("missing", "Python package is missing or broken: No module named 'a_package_that"),
        ("broken", "cannot load its model: RuntimeError: bad magic"),
        ("fatal", "The disk is on fire."),
    ],
)
def test_a_failed_load_is_fatal_in_plain_words(
    engine: EngineProcess, fail: str, words: str
) -> None:
    failed = engine.load(fail=fail)
    assert failed.failure == "fatal"
    assert words in failed.reason
    assert engine.narrate("say")[0].failure == "transient"


def test_a_clip_carries_everything(engine: EngineProcess) -> None:
    engine.ready()
    clip, payload = engine.narrate("say", seed=50)
    assert (clip.rate, clip.channels, clip.frames, clip.device_memory) == (8000, 2, 80, 7)
    assert clip.stages == {"speech": 0.25}
    assert 0 < clip.seconds < 30
    assert 0 <= clip.cpu_seconds < 30
    assert clip.footprint > 1 << 20
    parts = wire.split_blobs(clip, payload)
    assert bytes(parts["extra"]) == b"\n{}\n"
    assert np.array_equal(np.frombuffer(parts["pcm"], "<f4"), np.full(160, 0.5, "f4"))
    stages = [event for event in engine.events if isinstance(event, wire.Stage)]
    assert [(stage.name, stage.fraction) for stage in stages] == [("speech", 0), ("speech", 1)]


def test_ten_at_once_are_answered_in_order(engine: EngineProcess) -> None:
    engine.ready()
    asked = [engine.ask("say", seed=seed) for seed in range(10)]
    answers = [engine.until(wire.Clip) for _ in asked]
    assert [clip.id for clip, _ in answers] == asked
    firsts = [np.frombuffer(payload[:4], "<f4")[0] for _, payload in answers]
    assert firsts == [np.float32(seed / 100) for seed in range(10)]


def test_a_queued_request_is_dropped_at_once(engine: EngineProcess) -> None:
    engine.ready()
    running, queued, last = engine.ask("poll"), engine.ask("say"), engine.ask("say")
    engine.wait_for_errors(b"polling")
    engine.send(wire.Cancel(engine.number(), queued))
    assert engine.answer(queued)[0].failure == "cancelled"
    engine.send(wire.Cancel(engine.number(), running))  # still running when the other was dropped
    assert engine.answer(running)[0].failure == "cancelled"
    assert isinstance(engine.answer(last)[0], wire.Clip)
    ended = [e.id for e in engine.events if isinstance(e, (wire.Clip, wire.Failed))]
    assert ended == [queued, running, last]


@pytest.mark.parametrize("command", ["poll", "stages"])
def test_a_running_request_is_dropped_at_a_check_point(engine: EngineProcess, command: str) -> None:
    engine.ready()
    number = engine.ask(command)
    engine.until(wire.Stage, number)
    engine.send(wire.Cancel(engine.number(), number))
    assert engine.answer(number)[0].failure == "cancelled"
    assert isinstance(engine.narrate("say")[0], wire.Clip)


def test_cancelling_what_is_done_or_unknown_changes_nothing(engine: EngineProcess) -> None:
    engine.ready()
    number = engine.ask("say")
    engine.answer(number)
    engine.send(wire.Cancel(engine.number(), number))
    engine.send(wire.Cancel(engine.number(), 9999))
    assert isinstance(engine.narrate("say")[0], wire.Clip)
    assert not [event for event in engine.events if isinstance(event, wire.Failed)]


def test_chatter_goes_to_stderr_not_into_the_protocol(engine: EngineProcess) -> None:
    engine.ready()
    assert isinstance(engine.narrate("chatter")[0], wire.Clip), engine.errors.decode()
    assert isinstance(engine.narrate("say")[0], wire.Clip)
    assert not [event for event in engine.events if isinstance(event, (wire.Bye, wire.Unknown))]
    for said in (b"a chatty library", b'{"kind":"bye"}', b"straight to one", b"native echo"):
        engine.wait_for_errors(said)


def test_an_exception_fails_the_request_with_its_traceback_on_stderr(
    engine: EngineProcess,
) -> None:
    engine.ready()
    failed = engine.narrate("stumble")[0]
    assert (failed.failure, failed.reason) == (
        "transient",
        "The engine stumbled: ValueError: boom.",
    )
    engine.wait_for_errors(b"in do_stumble")
    assert isinstance(engine.narrate("say")[0], wire.Clip)


def test_refused_and_transient_keep_their_words(engine: EngineProcess) -> None:
    engine.ready()
    assert engine.narrate("refuse")[0].reason == "This cannot be read."
    failed = engine.narrate("transient")[0]
    assert (failed.failure, failed.reason) == ("transient", "The device was busy.")


def test_text_over_the_limit_is_refused(engine: EngineProcess) -> None:
    engine.ready()
    assert isinstance(engine.narrate("say" + " " * 47)[0], wire.Clip)
    refused = engine.narrate("say" + " " * 48)[0]
    assert isinstance(refused, wire.Refused)
    assert "51 characters" in refused.reason


def test_speech_tokens_are_refused_by_an_engine_that_would_not_heed_them(
    engine: EngineProcess,
) -> None:
    refused = engine.ready().narrate("say", tokens=(1, 2, 3))[0]
    assert isinstance(refused, wire.Refused)
    assert refused.reason == "The engine scripted cannot voice a take’s speech tokens again."


def test_narrating_before_the_load_fails_in_plain_words(engine: EngineProcess) -> None:
    failed = engine.narrate("say")[0]
    assert isinstance(failed, wire.Failed)
    assert "has not loaded its model" in failed.reason
    assert isinstance(engine.ready().narrate("say")[0], wire.Clip)


def test_an_unknown_voice_fails_in_plain_words(engine: EngineProcess) -> None:
    engine.ready()
    failed = engine.narrate("say", voice="f" * 64)[0]
    assert isinstance(failed, wire.Failed)
    assert "has not been given the voice ffffffffffff…" in failed.reason


def test_a_voice_may_be_prepared_again_and_refused(engine: EngineProcess) -> None:
    engine.ready()
    assert isinstance(engine.prepare(wire.Voice("v")), wire.Prepared)
    refused = engine.prepare(wire.Voice("w", speaker="nobody"))
    assert isinstance(refused, wire.Refused)
    assert isinstance(engine.narrate("say", voice="w")[0], wire.Failed)


def test_what_a_voice_is_warned_of_comes_with_it(engine: EngineProcess) -> None:
    engine.ready()
    assert engine.prepare(wire.Voice("v")).notes == ()
    assert engine.prepare(wire.Voice("w", speaker="hissing")).notes == ("It hisses.",)


def test_measuring_does_not_wait_for_the_narration(engine: EngineProcess) -> None:
    engine.ready()
    engine.ask("hang")
    engine.wait_for_errors(b"hanging")
    measured = engine.answer(engine.send(wire.Measure(engine.number())))[0]
    assert measured.footprint > 1 << 20
    assert measured.device_memory == 7


def test_shutdown_says_bye_even_in_the_middle(engine: EngineProcess) -> None:
    engine.ready()
    engine.ask("hang")
    engine.wait_for_errors(b"hanging")
    engine.send(wire.Shutdown(engine.number()))
    engine.until(wire.Bye)
    assert engine.next() is None
    assert engine.gone() == 0


@pytest.mark.parametrize("command", ["hang", ""])
def test_the_end_of_stdin_ends_the_process_within_a_second(
    engine: EngineProcess, command: str
) -> None:
    engine.ready()
    if command:
        engine.ask(command)
        engine.wait_for_errors(b"hanging")
    started = time.monotonic()
    engine.process.stdin.close()
    assert engine.gone() == -signal.SIGKILL, "it takes its own process group along"
    assert time.monotonic() - started < promised(1)


def test_an_interrupt_is_ignored(engine: EngineProcess) -> None:
    engine.ready()
    engine.interrupt()
    assert isinstance(engine.narrate("say")[0], wire.Clip)
    assert engine.process.poll() is None


def test_unknown_requests_are_skipped_with_their_payload(engine: EngineProcess) -> None:
    engine.ready()
    engine.write(b'{"kind":"sing","id":77,"bytes":12}\n{"kind":"x"}')
    engine.write(wire.encode(wire.Bye("an event, not a request")))
    assert isinstance(engine.narrate("say")[0], wire.Clip)
    engine.wait_for_errors(b"unknown kind 'sing'")


def test_a_broken_stream_of_requests_ends_the_process_with_a_word(engine: EngineProcess) -> None:
    engine.ready()
    engine.write(b"hello?\n")
    bye, _ = engine.until(wire.Bye)
    assert "cannot be read" in bye.reason
    assert engine.gone() == 2


def test_an_engine_nobody_listens_to_ends(engine: EngineProcess) -> None:
    engine.ready()
    engine.ask("stages")  # says something every 5 ms
    engine.until(wire.Stage)
    # The reading thread here holds no reference to the pipe but its number; a new one in its place
    # closes the read end under the engine.
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, engine.process.stdout.fileno())
    os.close(nothing)
    assert engine.gone() == 0
