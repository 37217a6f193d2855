"""`rhapsode bench`: measurements in which things are compared side by side, in one run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studio import temporary
from studio.commands.engines import sample_reference
from studio.commands.progress import Bar
from studio.commands.reply import Reply
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput
from studio.narration.trial import Reference
from studio.tools.bench import drawing, engines, identity, inside, recorded, tables
from studio.tools.bench.drawing import Group
from studio.tools.bench.hearing import distance
from studio.tools.bench.recorded import Recording
from studio.tools.bench.sentences import read
from studio.tools.bench.speaking import Cloned, entry
from studio.tools.pictures import save

COSYVOICE = "cosyvoice3"
"""The engine whose stages can be measured from the inside."""


@dataclass(frozen=True, slots=True)
class Inner:
    """What is measured inside an engine, and how long."""

    random: str = ""
    """``tiny`` or ``full``: random weights of that size; empty for the installed model."""
    device: str = "auto"
    threads: int = 1
    tokens: int = 250
    prefix: int = 250
    reference: int = 125
    """Speech tokens of the reference."""
    steps: int = 10
    rounds: int = 3
    backends: tuple[str, ...] = ()
    chart: Path | None = None
    quiet: bool = False


TITLES = {
    "llm": "Backends of the speech language model",
    "stages": "Stages of a clip",
    "sampler": "Where a token is drawn",
}
LINES: dict[str, Callable[[Any], list[str]]] = {
    "llm": tables.llm,
    "stages": tables.stages,
    "sampler": tables.sampler,
}
BARS: dict[str, Callable[[Any], list[Group]]] = {
    "llm": tables.llm_bars,
    "stages": tables.stages_bars,
    "sampler": tables.sampler_bars,
}


def inner(part: str, options: Inner) -> Reply:
    """Measure one of `TITLES` inside CosyVoice3.

    Raises:
        BadInput: The chart's name is none.
        MachineFault: The engine is not here, or cannot be measured.
    """
    drawing.check(options.chart)
    catalogue = Catalogue.of_user()
    spec = inside.interpreter(catalogue, COSYVOICE, weights=not options.random)
    arguments: list[object] = [part, "--device", options.device, "--threads", options.threads]
    for name in ("tokens", "prefix", "reference", "steps", "rounds"):
        arguments += [f"--{name}", getattr(options, name)]
    for name in options.backends:
        arguments += ["--backend", name]
    if options.random:
        arguments += ["--random", options.random]
    else:
        arguments += ["--model", spec.options.get("model", "")]
    with Bar("measuring", quiet=options.quiet) as bar:
        found = inside.measure(spec, arguments, bar.show)
    if options.chart is not None:
        svg = drawing.chart(TITLES[part], tables.where(found), BARS[part](found))
        save(options.chart, svg)
    return Reply(found, LINES[part](found))


# ---- engines -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Spoken:
    """What engines say, and in whose voice."""

    sentences: Path | None = None
    most: int | None = None
    reference: Path | None = None
    transcript: str = ""
    speaker: str = ""
    language: str = ""
    rounds: int = 1
    hear: bool = True
    """Whether the embedded listener writes down what was said."""
    chart: Path | None = None
    quiet: bool = False


def compare(names: Sequence[str], options: Spoken) -> Reply:
    """Have two or more engines, or settings of one, say the same sentences.

    Raises:
        BadInput: Fewer than two are named, or the sentences or the reference cannot be used.
        MachineFault: An engine is not here or does not work.
    """
    if len(names) < 2:
        raise BadInput("Name two engines or more, or one with two settings, such as NAME:steps=6.")
    drawing.check(options.chart)
    texts = read(options.sentences, options.most)
    catalogue = Catalogue.of_user()
    entries = [entry(catalogue, name) for name in names]
    total = len(texts) * len(entries) * options.rounds
    with temporary.folder("bench") as folder:
        with Bar("narrating", quiet=options.quiet) as bar:
            results = asyncio.run(
                engines.compare(
                    entries,
                    texts,
                    _cloned(options, folder),
                    rounds=options.rounds,
                    speaker=options.speaker,
                    language=options.language,
                    hear=options.hear,
                    told=lambda done: bar.show(done / total),
                )
            )
    sentences = f"{len(texts)} sentences" if len(texts) > 1 else "one sentence"
    again = f", {options.rounds} times" if options.rounds > 1 else ""
    subtitle = f"The same {sentences}{again}, in turns, one process each"
    if options.chart is not None:
        svg = drawing.chart("Engines side by side", subtitle, engines.bars(results))
        save(options.chart, svg)
    data = {
        "sentences": texts,
        "rounds": options.rounds,
        "engines": [result.data(results[0]) for result in results],
    }
    code = 3 if any(result.failed for result in results) else 0
    return Reply(data, [f"{subtitle}.", "", *engines.rows(results)], exit_code=code)


def _cloned(options: Spoken, folder: Path) -> Cloned:
    """What is cloned: the file that was named, or the embedded voice; made once."""
    if (options.reference is None) != (not options.transcript):
        raise BadInput("A reference is a file and what is said in it: --reference, --transcript.")
    if options.reference is not None and not options.reference.is_file():
        raise BadInput(f"There is no reference audio at {options.reference}.")
    made: list[Reference] = []

    async def cloned() -> Reference:
        if not made and options.reference is not None:
            made.append(Reference(options.reference.absolute(), options.transcript, 0.0))
        if not made:
            made.append(await sample_reference(folder))
        return made[0]

    return cloned


# ---- identity ------------------------------------------------------------------------------------


def record(name: str, path: Path, options: Spoken) -> Reply:
    """Record a set of lines that a later build is held against.

    Raises:
        BadInput: The sentences, the reference or the set's name cannot be used.
        MachineFault: The engine is not here or does not work, or the set cannot be written.
    """
    recorded.check(path)
    texts = read(options.sentences, options.most)
    it = entry(Catalogue.of_user(), name)
    with temporary.folder("bench") as folder:
        with Bar("recording", quiet=options.quiet) as bar:
            made, unlike = asyncio.run(
                identity.record(
                    it,
                    texts,
                    _cloned(options, folder),
                    lambda done: bar.show(done / (2 * len(texts))),
                )
            )
    data = {"engine": name, "lines": len(made.lines), "not_repeated": unlike, "set": str(path)}
    if unlike:
        return Reply(
            data,
            [
                f"Nothing is kept: {name} does not repeat itself, so no change could be told from "
                "its moods.",
                *(f"Another the second time: “{text}”" for text in unlike),
            ],
            exit_code=4,
        )
    recorded.save(path, made)
    cases = f", and {len(made.sampler)} cases of its sampler" if made.sampler else ""
    lines = f"{len(made.lines)} line{'' if len(made.lines) == 1 else 's'}"
    return Reply(data, [f"Kept in {path}: {lines} of {name}{cases}."])


def against(path: Path, name: str, *, hear: bool = True, quiet: bool = False) -> Reply:
    """Narrate a recorded set again and compare.

    Args:
        path: The set.
        name: The engine now; empty for the one that the set names.
        hear: Whether the embedded listener writes down the lines that differ.
        quiet: Whether to leave out the bar.

    Raises:
        BadInput: The set cannot be read.
        MachineFault: The engine is not here or does not work.
    """
    kept = recorded.load(path)
    it = entry(Catalogue.of_user(), name or kept.engine)
    with temporary.folder("bench") as folder:
        with Bar("comparing", quiet=quiet) as bar:
            found, build, unheard = asyncio.run(
                identity.compare(
                    it, kept, folder, lambda done: bar.show(done / len(kept.lines)), hear
                )
            )
    changes = (
        identity.sampler_changes(kept.sampler, identity.probe(it))
        if kept.sampler is not None
        else []
    )
    different = [one for one in found if not one.same]
    moved = _build_changes(kept.build, build)
    data = {
        "engine": it.label,
        "lines": len(found),
        "same": len(found) - len(different),
        "differences": [one.data() for one in different],
        "sampler_cases": len(kept.sampler or {}),
        "sampler_changes": changes,
        "build_changes": moved,
        "not_heard_because": unheard,
    }
    lines = _identity_lines(kept, found, changes, moved, unheard)
    return Reply(data, lines, exit_code=4 if different or changes else 0)


def _build_changes(then: dict[str, str], now: dict[str, str]) -> list[str]:
    """What of the machine and its libraries is another one than when the set was recorded."""
    names = dict.fromkeys((*then, *now))
    return [
        f"{name} {then.get(name, '–')} → {now.get(name, '–')}"
        for name in names
        if then.get(name) != now.get(name)
    ]


def _identity_lines(
    kept: Recording,
    found: Sequence[identity.Compared],
    changes: Sequence[dict[str, Any]],
    build: Sequence[str],
    unheard: str,
) -> list[str]:
    """The comparison for people."""
    different = [one for one in found if not one.same]
    lines = [f"{len(found) - len(different)} of {len(found)} lines are the same, byte for byte."]
    if kept.sampler is not None:
        same = len(kept.sampler) - len(changes)
        lines.append(
            f"{same} of {len(kept.sampler)} cases of the sampler are the same, bit by bit."
        )
    for number, one in enumerate(found, 1):
        if not one.same:
            lines.append(f"Differs: line {number}, “{one.recorded.recipe['spoken']}”")
            lines += [f"  {fact}" for fact in _facts(one)]
    lines += [
        f"Differs: the sampler, case “{it['case']}”: {it['stage']}"
        + ("" if it["at"] is None else f", from number {it['at']} on")
        for it in changes[:10]
    ]
    if len(changes) > 10:
        lines.append(f"… and {len(changes) - 10} cases more.")
    if (different or changes) and build:
        lines.append(f"Another build than recorded: {'; '.join(build)}.")
    if unheard:
        lines.append(f"No words were compared: {unheard}")
    return lines


def _facts(one: identity.Compared) -> list[str]:
    """How a line differs."""
    if one.now is None:
        return [f"it was not said: {one.failure}"]
    facts = []
    if one.recipe_changes:
        changed = ", ".join(name.replace("_", " ") for name in one.recipe_changes)
        facts.append(f"another recipe: {changed}")
    was = one.recorded
    if was.tokens or one.now.tokens:
        count = f"{len(was.tokens)} then, {len(one.now.tokens)} now"
        if one.first_token is None:
            facts.append(f"the same speech tokens ({count}): what voices them has changed")
        else:
            apart = distance(was.tokens, one.now.tokens)
            facts.append(
                f"speech tokens ({count}): the first that differs is number {one.first_token}; "
                f"{apart} would have to change"
            )
    if len(was.pcm) != len(one.now.pcm):
        facts.append(
            f"{len(was.pcm) / was.rate:.2f} s then, {len(one.now.pcm) / one.now.rate:.2f} s now"
        )
    if one.distance_db is not None:
        facts.append(f"log-spectral distance {one.distance_db:.2f} dB")
    if one.words is not None:
        then, now, words = one.words
        facts.append(f"words heard wrong: {then} then, {now} now, of {words}")
    return facts
