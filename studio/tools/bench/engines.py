"""Engines, or settings of one, side by side over the same sentences."""

from __future__ import annotations

import contextlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from studio.book.segmenting import first_seed
from studio.commands.reply import table
from studio.engines.catalogue import BUILT_IN, EngineSpec
from studio.engines.installed import states
from studio.engines.room import amount
from studio.narration.recycling import MB
from studio.tools.bench.drawing import Bar, Group
from studio.tools.bench.hearing import Heard, listen
from studio.tools.bench.speaking import Cloned, Entry, Line, Speaking, Unspoken, give_voice, started


@dataclass
class Result:
    """One engine's lines and what they took."""

    speaking: Speaking
    size: int
    """Bytes of its model on disk; 0 where nobody knows."""
    lines: list[Line] = field(default_factory=list)
    failed: list[tuple[str, str]] = field(default_factory=list)
    """Lines that it did not say, each with the reason."""
    heard: list[Heard] = field(default_factory=list)
    unheard: str = ""
    """Why nothing was heard."""

    @property
    def audio(self) -> float:
        """Seconds of sound."""
        return sum(line.audio for line in self.lines)

    @property
    def seconds(self) -> float:
        """Wall seconds of synthesis."""
        return sum(line.seconds for line in self.lines)

    @property
    def rtf(self) -> float:
        """Wall seconds by second of sound; 0 without any."""
        return self.seconds / self.audio if self.audio else 0.0

    @property
    def wrong(self) -> int | None:
        """Words that were heard wrong; None where nobody listened."""
        return sum(it.wrong for it in self.heard) if self.heard else None

    @property
    def words(self) -> int:
        """Words of what was heard."""
        return sum(it.words for it in self.heard)

    def data(self, first: Result) -> dict[str, Any]:
        """The facts for programs; ``first`` is what the others are compared with."""
        it = self.speaking
        return {
            "engine": it.label,
            "version": it.card.version,
            "backend": it.card.backend,
            "precision": it.card.precision,
            "device": it.card.device,
            "options": dict(it.card.options),
            "build": dict(it.card.build),
            "sentences": len(self.lines),
            "failed": [{"text": text, "reason": reason} for text, reason in self.failed],
            "audio_seconds": round(self.audio, 3),
            "seconds": round(self.seconds, 4),
            "rtf": round(self.rtf, 5),
            "times_first": round(self.rtf / first.rtf, 4) if first.rtf else None,
            "load_seconds": round(it.load_seconds, 3),
            "baseline": it.baseline,
            "peak": it.peak,
            "device_peak": it.device_peak,
            "model_bytes": self.size or None,
            "word_errors": self.wrong,
            "words": self.words or None,
            "not_heard_because": self.unheard,
            "voice_notes": list(it.notes),
            "heard": [it.text for it in self.heard],
        }


async def compare(
    entries: Sequence[Entry],
    sentences: Sequence[str],
    cloned: Cloned,
    *,
    rounds: int = 1,
    speaker: str = "",
    language: str = "",
    hear: bool = True,
    told: Callable[[int], None] = lambda done: None,
) -> list[Result]:
    """Have engines say the same sentences, in turns, and listen to all of it afterwards.

    All of them are loaded at once: what disturbs one sentence of one disturbs the next one's, too.

    Args:
        entries: The engines.
        sentences: What they say; each sentence's seed follows from its text.
        cloned: What is cloned by engines without speakers.
        rounds: How often.
        speaker: One of an engine's speakers, where it has such.
        language: Tag of the sentences; empty for English.
        hear: Whether the embedded listener writes down what was said.
        told: Told how many lines are done.

    Raises:
        MachineFault: One does not start, load or take the voice, or is gone in the middle.
    """
    async with contextlib.AsyncExitStack() as stack:
        results = []
        for it in entries:
            speaking = await stack.enter_async_context(started(it))
            await give_voice(speaking, cloned, speaker, language)
            results.append(Result(speaking, model_bytes(it.spec)))
        done = 0
        for turn in range(rounds):
            for number, text in enumerate(sentences):
                ahead = (turn + number) % len(results)
                for result in results[ahead:] + results[:ahead]:
                    await _say(result, text, turn)
                    done += 1
                    told(done)
    groups = [[(line, it.speaking.voice.language) for line in it.lines] for it in results]
    for result, heard in zip(results, await listen(groups, hear), strict=True):
        result.heard, result.unheard = heard
    return results


async def _say(result: Result, text: str, turn: int) -> None:
    """One line of one engine."""
    speaking = result.speaking
    recipe = speaking.recipe(text, speaking.voice.language, first_seed(text, turn + 1))
    try:
        result.lines.append(await speaking.say(recipe))
    except Unspoken as error:
        result.failed.append((text, str(error)))


def model_bytes(spec: EngineSpec) -> int:
    """Bytes of an engine's model on disk; 0 where nobody knows."""
    model = spec.options.get("model")
    if isinstance(model, str) and model:
        return _size(Path(model))
    known = states().get(spec.name)
    if known is not None and known.model is not None:
        return known.model.bytes
    package = importlib.util.find_spec("hibari") if spec.name == BUILT_IN else None
    ours = "engine" in Path(spec.command[2]).parts if len(spec.command) > 2 else False
    if package is not None and package.submodule_search_locations and ours:
        return sum(_size(Path(folder)) for folder in package.submodule_search_locations)
    return 0


def _size(folder: Path) -> int:
    """Bytes of the files in a folder; each file once, whatever links lead to it."""
    files = {path.resolve() for path in folder.rglob("*") if path.is_file()}
    return sum(path.stat().st_size for path in files)


HEADS = (
    "engine",
    "runs on",
    "sentences",
    "audio",
    "seconds",
    "RTF",
    "× first",
    "load",
    "baseline",
    "peak",
    "device",
    "on disk",
    "words wrong",
)


def rows(results: Sequence[Result]) -> list[str]:
    """The table for people, and what did not work."""
    cells = [HEADS, *(_row(result, results[0]) for result in results)]
    said = [*table(cells, right=range(2, len(HEADS))), ""]
    reasons: dict[str, list[str]] = {}
    for result in results:
        if result.unheard:
            reasons.setdefault(result.unheard, []).append(result.speaking.label)
        said += [f"{result.speaking.label}: {note}" for note in result.speaking.notes]
        said += [
            f"{result.speaking.label} did not say “{text}”: {reason}"
            for text, reason in result.failed
        ]
    return [*said, *(f"No words of {', '.join(names)}: {why}" for why, names in reasons.items())]


def _row(result: Result, first: Result) -> tuple[str, ...]:
    it = result.speaking
    card = it.card
    return (
        it.label,
        " ".join(filter(None, (card.backend, card.precision, card.device))) or "–",
        str(len(result.lines)),
        f"{result.audio:.1f} s",
        f"{result.seconds:.2f}",
        f"{result.rtf:.4f}",
        f"{result.rtf / first.rtf:.2f}" if first.rtf else "–",
        f"{it.load_seconds:.1f} s",
        f"{it.baseline / MB:,.0f} MB",
        f"{it.peak / MB:,.0f} MB",
        f"{it.device_peak / MB:,.0f} MB" if it.device_peak else "–",
        amount(result.size) if result.size else "–",
        "–" if result.wrong is None else f"{result.wrong} of {result.words}",
    )


def bars(results: Sequence[Result]) -> list[Group]:
    """The same to look at."""

    def of(value: Callable[[Result], float], shown: Callable[[float], str]) -> list[Bar]:
        return [
            Bar(it.speaking.label, value(it), shown(value(it)), number)
            for number, it in enumerate(results)
        ]

    def megabytes(value: float) -> str:
        return f"{value:,.0f} MB"

    heard = [
        Bar(it.speaking.label, 100 * it.wrong / it.words, f"{it.wrong} of {it.words}", number)
        for number, it in enumerate(results)
        if it.wrong is not None and it.words
    ]
    return [
        Group(
            "Real-time factor (lower is faster)",
            "seconds of synthesis by second of audio",
            of(lambda it: it.rtf, lambda value: f"{value:.4f}"),
        ),
        Group("Memory, at most", "MB", of(lambda it: it.speaking.peak / MB, megabytes)),
        Group("Words heard wrong", "% of the script’s words", heard),
    ]
