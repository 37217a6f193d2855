"""The wire's end, with real processes that misbehave."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from narration_helpers import alive, line, scripted, until
from needs import promised

from engine import wire
from studio.engines.catalogue import EngineSpec, engine_environment
from studio.narration.engine_log import RotatingLog, Tail
from studio.narration.faults import CannotStart, EngineGone, Overdue
from studio.narration.link import Link


@pytest.fixture
async def link(tmp_path: Path) -> AsyncIterator[Link]:
    link = Link("scripted", RotatingLog(tmp_path / "engine.log"))
    yield link
    await link.kill()
    assert not link.pid or not alive(link.pid)


async def begin(link: Link, *switches: str) -> None:
    """Start and load a scripted engine with a voice."""
    spec = scripted(*switches)
    await link.start(spec.command, engine_environment(spec))
    await link.ask(wire.Load(link.next_id()), deadline=10)
    voice = wire.Voice("v", speaker="tone")
    await link.ask(wire.PrepareVoice(link.next_id(), voice), deadline=10)


def narrate(link: Link, text: str = line(1)) -> wire.Narrate:
    return wire.Narrate(link.next_id(), text, "en-US", "v", 7)


async def test_every_pending_call_fails_at_once(link: Link) -> None:
    await begin(link, "--fault", "exit", "--status", "-11", "--clip-time", "0.2")
    calls = [asyncio.create_task(link.ask(narrate(link), deadline=60)) for _ in range(3)]
    started = time.monotonic()
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert time.monotonic() - started < promised(5)
    assert all(isinstance(result, EngineGone) for result in results)
    assert isinstance(results[0], EngineGone)
    assert results[0].signal == 11
    assert results[0].exit_code is None
    with pytest.raises(EngineGone):
        await link.ask(narrate(link), deadline=60)


async def test_the_end_tells_exit_code_and_last_words(link: Link) -> None:
    spec = scripted("--fault", "exit-at-start")
    with pytest.raises(EngineGone, match=r"exit code 3.*no model for you") as gone:
        await link.start(spec.command, engine_environment(spec))
    assert gone.value.exit_code == 3
    assert gone.value.tail == ("no model for you",)


async def test_a_call_has_a_deadline_and_the_engine_lives_on(link: Link) -> None:
    await begin(link, "--clip-time", "0.5")
    with pytest.raises(Overdue, match="narrate"):
        await link.ask(narrate(link), deadline=0.1)
    frame = await link.ask(narrate(link), deadline=10)
    assert isinstance(frame.message, wire.Clip)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["/bin/echo", "hello"], "not the studio’s protocol"),
        (["/bin/sh", "-c", 'echo \'{"kind":"bye"}\'; sleep 60'], "did not greet"),
        (["/bin/sh", "-c", "head -c 9000000 /dev/zero; sleep 60"], "longer than any message"),
        (["/bin/true"], "left without being asked"),
    ],
    ids=["echo", "bye-first", "no-line", "true"],
)
async def test_a_foreign_program_is_ended(link: Link, command: list[str], words: str) -> None:
    with pytest.raises(EngineGone, match=words):
        await link.start(command, dict(os.environ), deadline=20)
    await until(link.ended.is_set)


async def test_silence_at_the_start_has_a_deadline(link: Link) -> None:
    spec = scripted("--fault", "silent-start")
    with pytest.raises(EngineGone, match="said nothing"):
        await link.start(spec.command, engine_environment(spec), deadline=0.5)


async def test_another_protocol_is_no_engine_of_ours(link: Link) -> None:
    spec = scripted("--fault", "protocol")
    with pytest.raises(CannotStart, match="protocol 99"):
        await link.start(spec.command, engine_environment(spec))
    await until(link.ended.is_set)


async def test_a_flood_on_stderr_blocks_nobody(link: Link, tmp_path: Path) -> None:
    await begin(link, "--fault", "stderr-flood")
    frame = await link.ask(narrate(link), deadline=30)
    assert isinstance(frame.message, wire.Clip)
    await until(lambda: len(link.tail.lines()) > 5)
    assert link.tail.lines()[-1] == "W0000 a library has much to say"
    logs = list(tmp_path.glob("engine.log*"))
    assert len(logs) > 1
    assert all(log.stat().st_size < 5_000_000 for log in logs)


async def test_a_grandchild_with_our_pipes_does_not_hold_up_the_end(
    link: Link, tmp_path: Path
) -> None:
    marker = tmp_path / "grandchild"
    await begin(link, "--fault", "grandchild", "--marker", str(marker))
    os.kill(link.pid, 9)
    await until(link.ended.is_set)
    await until(lambda: not alive(int(marker.read_text())))


async def test_the_engine_is_isolated(link: Link, tmp_path: Path, monkeypatch) -> None:
    """No module path of ours, a private empty folder, a session of its own."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    script = tmp_path / "peek.py"
    script.write_text(
        "import os, sys\n"
        "sys.stderr.write(f'{os.getcwd()} {os.listdir()} {os.environ.get(\"PYTHONPATH\")} '\n"
        "    f'{os.getsid(0) == os.getpid()} {sys.path[0]}\\n')\n"
    )
    command = (sys.executable, "-P", str(script))
    spec = EngineSpec("peek", command, environment={"OWN": "1"})
    assert "PYTHONPATH" not in engine_environment(spec)
    assert engine_environment(spec)["OWN"] == "1"
    with pytest.raises(EngineGone) as gone:
        await link.start(command, engine_environment(spec))
    folder, listing, path, session, first = gone.value.tail[-1].split(" ")
    assert listing == "[]"
    assert path == "None"
    assert session == "True"
    assert first not in (folder, str(tmp_path))
    assert not Path(folder).exists(), "it is removed afterwards"


async def test_the_last_words_of_what_ends_at_once_are_heard(tmp_path: Path) -> None:
    """Its wire, its stderr and its end are heard of in any order, sometimes before its start is."""

    async def last_words(number: int) -> tuple[str, ...]:
        link = Link("brief", RotatingLog(tmp_path / f"{number}.log"))
        command = ("/bin/sh", "-c", "exec >&-; echo first >&2; echo last >&2; exit 3")
        with pytest.raises(EngineGone) as gone:
            await link.start(command, dict(os.environ))
        return gone.value.tail

    for _ in range(5):
        tails = await asyncio.gather(*map(last_words, range(12)))
        assert set(tails) == {("first", "last")}


async def test_starting_can_be_called_off(link: Link) -> None:
    spec = scripted("--fault", "silent-start")
    starting = asyncio.create_task(link.start(spec.command, engine_environment(spec)))
    await until(lambda: link.pid > 0)
    pid = link.pid
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    await until(lambda: not alive(pid))


async def test_killed_before_it_was_there(link: Link) -> None:
    """The kill comes while the process is being made: it must not survive."""
    spec = scripted()
    starting = asyncio.create_task(link.start(spec.command, engine_environment(spec)))
    await asyncio.sleep(0)
    link.strike("never mind")
    with pytest.raises(EngineGone, match="never mind"):
        await starting
    assert not alive(link.pid)


async def test_the_stop_ladder(link: Link) -> None:
    await begin(link)
    started = time.monotonic()
    await link.stop(60.0)
    assert time.monotonic() - started < promised(2), "asking was enough"
    assert link.gone is not None
    assert link.gone.exit_code == 0


async def test_what_ignores_asking_and_term_is_killed(link: Link) -> None:
    await begin(link, "--fault", "ignore-term")
    await link.stop(0.4)
    assert link.gone is not None
    assert link.gone.signal == 9


def test_the_tail_stays_small() -> None:
    tail = Tail(limit=1000)
    for number in range(10_000):
        tail.feed(f"line {number}\n".encode())
    assert tail.lines(2) == ["line 9998", "line 9999"]
    assert len(tail._data) <= 2000


def test_a_log_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    RotatingLog(blocked / "engine.log").note("hello")


async def test_nothing_is_heard_after_the_verdict(link: Link, tmp_path: Path) -> None:
    """What an engine says in the same breath must not be charged to the next request."""
    card = wire.Card("breath", "1", "m", 24_000, ("en",), 400)
    (tmp_path / "hello").write_bytes(wire.encode(wire.Hello(wire.PROTOCOL, 1, card)))
    (tmp_path / "rest").write_bytes(
        wire.encode(wire.Failed(1, "fatal", "The device is lost."))
        + wire.encode(wire.Stage(2, "speaking"))
    )
    script = f"cat {tmp_path}/hello; read line; read line; cat {tmp_path}/rest; sleep 60"
    await link.start(["/bin/sh", "-c", script], {"PATH": os.environ["PATH"]})
    heard: list[wire.Event] = []
    answers: list[object] = []
    link.send(narrate(link), lambda answer: link.strike("That is enough."))
    link.send(narrate(link), answers.append, heard.append)
    await until(link.ended.is_set)
    assert heard == []
    assert isinstance(answers[0], EngineGone)
