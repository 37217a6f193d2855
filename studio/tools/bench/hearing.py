"""What was heard of a line against what it should have been: words that are wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from studio.errors import StudioError
from studio.narration.hearing import Ear
from studio.project.recipe import to_float
from studio.review.folding import fold
from studio.tools.bench.speaking import Line


@dataclass(frozen=True, slots=True)
class Heard:
    """A line as the embedded listener has it."""

    text: str
    wrong: int
    """Words added, left out or exchanged."""
    words: int
    """Of the script."""


def word_errors(script: str, heard: str, language: str) -> tuple[int, int]:
    """Words that are wrong, and the words of the script.

    Figures, contractions and spellings that sound the same are the same word.
    """
    said, got = fold(script, language), fold(heard, language)
    return distance(said, got), len(said)


def distance(one: Sequence[object], other: Sequence[object]) -> int:
    """The fewest things added, left out or exchanged that make one out of the other."""
    row = list(range(len(other) + 1))
    for number, item in enumerate(one, 1):
        before, row[0] = row[0], number
        for place, thing in enumerate(other, 1):
            swap = before + (item != thing)
            before, row[place] = row[place], min(swap, row[place] + 1, row[place - 1] + 1)
    return row[-1]


Lines = Sequence[tuple[Line, str]]
"""Lines, each with its language tag."""


async def listen(groups: Sequence[Lines], wanted: bool = True) -> list[tuple[list[Heard], str]]:
    """Have lines heard and compared with their scripts, all by one listener.

    Args:
        groups: Lines that are judged together, such as those of one engine.
        wanted: Whether anybody asked for it.

    Returns:
        For each group what was heard, in order, and why nothing was, where that is so.
    """
    if not wanted:
        return [([], "--no-words left them out.") for _ in groups]
    ear = Ear()
    try:
        return [await _group(ear, lines) for lines in groups]
    finally:
        await ear.close()


async def _group(ear: Ear, lines: Lines) -> tuple[list[Heard], str]:
    """One group."""
    found = []
    try:
        for line, language in lines:
            mono = to_float(line.pcm).mean(axis=1)
            heard = (await ear.hear(mono, line.rate, language)).text
            wrong, words = word_errors(line.recipe["spoken"], heard, language)
            found.append(Heard(heard, wrong, words))
    except StudioError as error:
        return [], str(error)
    return found, ""
