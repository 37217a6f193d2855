"""`--trim` and `--transcribe` of `rhapsode voices add` and `set`: a recording for a reference."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from studio import temporary
from studio.command_line.values import Trim
from studio.commands.changing_voices import Wishes, untold
from studio.errors import BadInput, StudioError

if TYPE_CHECKING:
    from engine import wire
    from studio.review.proposal import Proposal

LONGEST_HEARD = 300.0
"""Seconds of a recording that are listened to as a whole to find where sentences end."""


@contextmanager
def prepared(
    wishes: Wishes, wanted: Trim | None, transcribe: bool
) -> Iterator[tuple[Wishes, list[str]]]:
    """The wishes with a reference that was cut and written down, and what is to be told of it.

    Args:
        wishes: What was said of the voice.
        wanted: Which seconds of the reference are taken; None for the file as it is.
        transcribe: Whether the listener proposes the transcript.

    Raises:
        BadInput: There is no reference to prepare, or nobody has confirmed the proposal.
        MachineFault: A helper or the listener does not run.
    """
    if wanted is None and not transcribe:
        yield wishes, []
        return
    if not wishes.reference:
        raise BadInput("--trim and --transcribe prepare a reference; name it: --reference FILE")
    if transcribe and wishes.transcript is not None:
        raise BadInput("--transcribe proposes what --transcript says; leave one of them out.")
    with temporary.folder("reference") as folder:
        told: list[str] = []
        if wanted is not None:
            path = Path(wishes.reference).absolute()
            made, seconds, told = asyncio.run(_cut(path, wanted, folder))
            if wishes.transcript is None and not transcribe:
                raise BadInput(untold(f"{path.name} from {seconds}"))
            wishes = replace(wishes, reference=str(made))
        if transcribe:
            path = Path(wishes.reference or "").absolute()
            said = asyncio.run(_proposed(path, wishes.language or ""))
            wishes = replace(wishes, transcript=said)
        yield wishes, told


async def _cut(path: Path, wanted: Trim, folder: Path) -> tuple[Path, str, list[str]]:
    """A cut of a recording, which seconds it is, and what is to be told of it."""
    from studio.sound import trimming
    from studio.sound.preparing import cut, read_source

    source = read_source(path)
    start, end = wanted.start, wanted.end
    if wanted.best:
        speech = trimming.Speech.of(source.pcm, source.rate)
        words = await _words(path, source.seconds)
        start, end = trimming.suggest(speech, source.pcm, source.rate, wanted.best, words)
    end = min(end, source.seconds)
    if start >= source.seconds:
        raise BadInput(f"{path.name} is {source.seconds:.1f} s long; nothing is at {start:g} s.")
    made = cut(path, start, end, folder / f"{path.stem}.flac")
    seconds = f"{start:.2f} to {end:.2f} s"
    told = [f"Cut out of {path.name}: {seconds}, {made.words}."]
    told += [f"  {it}" for it in trimming.check(source.between(start, end), source.rate)]
    return made.path, seconds, told


async def _words(path: Path, seconds: float) -> Sequence[wire.Word]:
    """What is said in a recording, where that can be found out; else its pauses must do."""
    from studio.narration.hearing import Ear

    if seconds > LONGEST_HEARD:
        return ()
    ear = Ear()
    try:
        return (await ear.hear_file(path)).words
    except StudioError:
        return ()
    finally:
        await ear.close()


async def _proposed(path: Path, language: str) -> str:
    """What is said in a reference, once a person has confirmed it."""
    from studio.narration.hearing import Ear
    from studio.review.proposal import Proposal

    ear = Ear()
    try:
        heard = await ear.hear_file(path, language)
    finally:
        await ear.close()
    proposal = Proposal.of(heard.words)
    if not proposal.words:
        raise BadInput(f"The listener hears no words in {path.name}; give --transcript instead.")
    return confirmed(proposal, asking=sys.stdin.isatty())


def confirmed(proposal: Proposal, *, asking: bool, ask: Callable[[str], str] = input) -> str:
    """A proposal as a person confirms it at a terminal.

    Args:
        proposal: What the listener has heard.
        asking: Whether somebody is there to ask.
        ask: Shows a question and gives the line that is typed.

    Raises:
        BadInput: Nobody is there, or they do not confirm it; the sentence has the proposal.
    """
    from studio.review.proposal import marked

    places = [*range(len(proposal.words))]
    if not asking:
        raise BadInput(
            "Nothing is stored before somebody has confirmed it. The listener proposes: "
            f"“{marked(proposal, places)}” (it doubts what stands in ⟨ ⟩). Read it over and give "
            "it, as it is said, with --transcript."
        )
    print(f"The listener proposes: {marked(proposal, places)}")
    try:
        for place in proposal.doubtful(places):
            word = proposal.words[place]
            around = proposal.text(places[max(0, place - 3) : place + 4])
            typed = ask(
                f"… {around} … is it “{word.text}” ({word.probability:.0%})? "
                "enter keeps it, or type what is said (- for nothing): "
            ).strip()
            proposal.type(place, "" if typed == "-" else typed or word.text)
        text = proposal.text(places)
        answer = ask(f"{text}\nIs every word of it said, and no other? y stores it: ").strip()
    except EOFError:
        answer = ""
    if answer.lower() not in ("y", "yes"):
        raise BadInput("Nothing was stored; give what is said with --transcript.")
    return text
