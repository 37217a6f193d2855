"""What is said, asked of a listener that is a process of its own and may be anything but well."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import numpy as np
import psutil
import pytest
from narration_helpers import until

from studio.engines.catalogue import EngineSpec
from studio.errors import BadInput, MachineFault
from studio.narration.hearing import Ear

LISTENER = """
import os, sys, time, json
sys.path.insert(0, {root!r})
from engine import wire
card = wire.Card("fake", "1", "m", 16000, ("en",), 0, hears=True)
def say(message): os.write(1, wire.encode(message))
say(wire.Hello(wire.PROTOCOL, os.getpid(), card))
decoder = wire.Decoder()
while data := os.read(0, 65536):
    for frame in decoder.feed(data):
        match frame.message:
            case wire.Load(id=number): say(wire.Loaded(number, card, 0.0))
            case wire.Hear(id=number):
                {answer}
            case wire.Cancel(target=target): say(wire.Failed(target, "cancelled", "cancelled"))
            case wire.Shutdown(): sys.exit(0)
"""
ROOT = str(Path(__file__).parents[2])
SOUND = np.linspace(-0.5, 0.5, 8_000, dtype=np.float32)


def spec(folder: Path, answer: str) -> EngineSpec:
    """A listener that answers like this."""
    script = folder / "listener.py"
    script.write_text(LISTENER.format(root=ROOT, answer=answer))
    return EngineSpec("fake", (sys.executable, "-P", str(script)), grace=1.0)


def children() -> set[int]:
    return {it.pid for it in psutil.Process().children() if it.status() != psutil.STATUS_ZOMBIE}


ECHO = (
    "say(wire.Heard(number, f'{len(frame.payload)} bytes at {frame.message.rate}', (), "
    "frame.message.language, 0.5, 0.1))"
)


async def test_the_sound_goes_over_as_it_is(tmp_path: Path) -> None:
    ear = Ear(spec=spec(tmp_path, ECHO))
    before = children()
    heard = await ear.hear(SOUND, 16_000, "en-GB")
    assert (heard.text, heard.language) == ("32000 bytes at 16000", "en-GB")
    mine = children() - before
    await ear.hear(np.zeros(2_000_000, np.float32), 48_000)
    assert children() - before == mine, "one process listens to all of them"
    await ear.close()
    assert children() <= before
    with pytest.raises(MachineFault, match="closed"):
        await ear.hear(SOUND, 16_000)


async def test_it_leaves_when_nobody_asks(tmp_path: Path) -> None:
    ear = Ear(idle=0.2, spec=spec(tmp_path, ECHO))
    before = children()
    await ear.hear(SOUND, 16_000)
    await until(lambda: children() <= before)
    assert (await ear.hear(SOUND, 16_000)).text
    await ear.close()


@pytest.mark.parametrize(
    ("answer", "error", "told"),
    [
        ("say(wire.Refused(number, 'English only.'))", BadInput, "English only."),
        ("say(wire.Failed(number, 'transient', 'Too hot.'))", MachineFault, "Too hot."),
        ("os._exit(3)", MachineFault, "fake"),
        ("say(wire.Measured(number, 5))", MachineFault, "answered with “measured”"),
        ("os.write(1, b'words' + b'x' * 20 + b'\\n')", MachineFault, "protocol"),
    ],
)
async def test_what_goes_wrong_is_a_sentence_and_no_end(
    tmp_path: Path, answer: str, error: type[Exception], told: str
) -> None:
    ear = Ear(spec=spec(tmp_path, answer))
    before = children()
    for _ in range(2):  # the second time a fresh process says the same
        with pytest.raises(error, match=told):
            await ear.hear(SOUND, 16_000)
    await ear.close()
    assert children() <= before


async def test_cancelled_it_is_free_for_the_next(tmp_path: Path) -> None:
    wait = f"{ECHO} if frame.message.language else None"
    ear = Ear(spec=spec(tmp_path, wait))
    before = children()
    task = asyncio.create_task(ear.hear(SOUND, 16_000))
    await until(lambda: children() - before)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await ear.hear(SOUND, 16_000, "en")).text == "32000 bytes at 16000"
    await ear.close()


async def test_closed_in_the_middle_it_ends_at_once(tmp_path: Path) -> None:
    ear = Ear(spec=spec(tmp_path, "time.sleep(60)"))
    before = children()
    task = asyncio.create_task(ear.hear(SOUND, 16_000))
    await until(lambda: children() - before)
    await ear.close()
    with pytest.raises(MachineFault):
        await task
    assert children() <= before
