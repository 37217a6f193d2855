"""A text by itself: spoken by a process of its own, which stays for a while and never hangs."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import psutil
import pytest
from narration_helpers import SCRIPT, VOICE, alive, until

from studio.engines import cards
from studio.errors import BadInput, MachineFault
from studio.narration.alone import Alone
from studio.project.folders import config_folder


def configure(*switches: str, name: str = "scripted") -> None:
    """Engines of this machine: a scripted one."""
    words = (sys.executable, "-P", str(SCRIPT), "--name", name, *switches)
    command = ", ".join(f'"{word}"' for word in words)
    folder = config_folder()
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "config.toml").open("a") as file:
        file.write(f"[engines.{name}]\ncommand = [{command}]\ngrace = 1.0\n")


@pytest.fixture
async def alone() -> AsyncIterator[Alone]:
    before = children()
    reader = Alone()
    yield reader
    await reader.close()
    assert children() <= before, "a process was left behind"


def children() -> set[int]:
    return {it.pid for it in psutil.Process().children() if it.status() != psutil.STATUS_ZOMBIE}


def spoken(tally: Path) -> list[str]:
    return tally.read_text().splitlines() if tally.exists() else []


async def test_a_text_is_read_once_and_heard_again(alone: Alone, tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    configure("--tally", str(tally))
    first = await alone.speak("scripted", VOICE, "Low water.")
    assert first.pcm.dtype == np.int16
    assert first.rate == 24_000
    assert len(first.pcm) > 2_400
    again = await alone.speak("scripted", VOICE, "Low water.")
    await alone.speak("scripted", VOICE, "High water.")
    assert again is first
    assert spoken(tally) == ["Low water.", "High water."]
    assert cards.last_rtf("scripted") > 0
    assert cards.last_baseline("scripted") == 50 << 20


async def test_one_process_serves_many_texts_and_leaves_when_nobody_asks() -> None:
    configure()
    alone = Alone(idle=0.2)
    before = children()
    await alone.speak("scripted", VOICE, "One.")
    mine = children() - before
    await alone.speak("scripted", VOICE, "Two.")
    assert children() - before == mine
    assert len(mine) == 1
    await until(lambda: not any(alive(pid) for pid in mine))
    await alone.speak("scripted", VOICE, "Three.")  # and comes again when somebody does
    await alone.close()
    assert children() <= before


async def test_another_engine_takes_the_place_of_the_first(alone: Alone) -> None:
    configure()
    configure(name="other")
    before = children()
    await alone.speak("scripted", VOICE, "One.")
    await alone.speak("other", VOICE, "One of the other’s.")
    assert len(children() - before) == 1


async def test_cancelled_it_begins_the_next_at_once(alone: Alone, tmp_path: Path) -> None:
    tally = tmp_path / "tally"
    configure("--clip-time", "60", "--tally", str(tally))
    before = children()
    task = asyncio.create_task(alone.speak("scripted", VOICE, "A long story."))
    await until(lambda: spoken(tally) == ["A long story."])
    mine = children() - before
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    second = asyncio.create_task(alone.speak("scripted", VOICE, "Another."))
    await until(lambda: spoken(tally) == ["A long story.", "Another."])
    assert children() - before == mine, "the engine was loaded again"
    second.cancel()
    with pytest.raises(asyncio.CancelledError):
        await second


async def test_what_cannot_be_read_is_said_and_the_next_is_read(alone: Alone) -> None:
    configure("--fault", "refuse", "--text", "你好")
    with pytest.raises(BadInput, match="another script"):
        await alone.speak("scripted", VOICE, "你好")
    assert len((await alone.speak("scripted", VOICE, "Hello.")).pcm)


async def test_an_engine_that_dies_is_started_anew(alone: Alone, tmp_path: Path) -> None:
    once = str(tmp_path / "once")
    configure("--fault", "exit", "--when", "during", "--at", "1", "--once", once)
    with pytest.raises(MachineFault, match="scripted"):
        await alone.speak("scripted", VOICE, "Hello.")
    assert len((await alone.speak("scripted", VOICE, "Hello.")).pcm)


@pytest.mark.parametrize(
    ("switches", "words"),
    [
        (("--fault", "fail-load"), "The weights are missing"),
        (("--fault", "exit-at-start"), "exit code 3"),
        (("--fault", "nan", "--at", "1"), "not numbers"),
        (("--fault", "refuse-voice"), "reference audio is empty"),
    ],
)
async def test_faults_are_plain_sentences(
    alone: Alone, switches: tuple[str, ...], words: str
) -> None:
    configure(*switches)
    with pytest.raises((BadInput, MachineFault), match=words):
        await alone.speak("scripted", VOICE, "Hello.")


async def test_a_missing_engine_is_a_plain_sentence(alone: Alone) -> None:
    with pytest.raises(MachineFault, match="no engine named whale"):
        await alone.speak("whale", VOICE, "Hello.")


async def test_closed_in_the_middle_it_ends() -> None:
    configure("--clip-time", "30")
    alone = Alone()
    before = children()
    task = asyncio.create_task(alone.speak("scripted", VOICE, "A long story."))
    await until(lambda: children() - before)
    await alone.close()
    with pytest.raises(MachineFault):
        await task
    assert children() <= before
