"""`rhapsode engines`: which engines there are, and whether one of them speaks."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import Any

from engine import wire
from studio import temporary
from studio.commands.reply import Reply, table
from studio.engines import cards
from studio.engines.catalogue import BUILT_IN, Catalogue, EngineSpec
from studio.engines.installed import State, states
from studio.engines.known import pins
from studio.engines.room import amount
from studio.narration.trial import Reference, Trial, try_engine

SENTENCE = "The quick brown fox jumps over the lazy dog."
"""What an engine says when it is checked."""

REFERENCE = (
    "The ferry left the landing at seven, and nobody on the quay looked back until the bell had "
    "stopped ringing over the water."
)
"""What the embedded voice says, for an engine that clones a voice; it is the transcript as well."""


def listing() -> Reply:
    """The engines of this machine, and those that could be on it."""
    catalogue = Catalogue.of_user()
    known = states()
    names = [*catalogue, *(name for name in catalogue.missing)]
    data = [_facts(name, catalogue, known.get(name)) for name in names]
    heads = ("engine", "is", "weights", "on disk", "workers", "runs on", "memory", "last RTF")
    rows = [heads, *(_row(facts) for facts in data)]
    lines = table(rows, right=(3, 4, 6, 7))
    lines += ["", *(f"{it['name']}: {it['interpreter']}" for it in data if it["interpreter"])]
    lines += [f"{it['name']} speaks {', '.join(it['languages'])}" for it in data if it["languages"]]
    lines += [f"{it['name']}: {note}" for it in data for note in it["notes"]]
    lines += ["", "rhapsode engines check NAME starts one and times it."]
    return Reply({"engines": data}, lines)


def _facts(name: str, catalogue: Catalogue, state: State | None) -> dict[str, Any]:
    """What is known of one engine, without starting it."""
    spec = catalogue[name] if name in catalogue else None
    card = cards.remembered(name)
    environment = state.environment if state else None
    model = state.model if state else None
    return {
        "name": name,
        "state": _state(name, spec, state),
        "weights": "" if state is None else _weights(spec, state),
        "bytes": (environment.bytes if environment else 0)
        + (model.bytes if model and not model.linked else 0),
        "interpreter": spec.command[0] if spec else str((state and state.interpreter) or ""),
        "command": list(spec.command) if spec else [],
        "workers": spec.workers if spec else 0,
        "budget_mb": spec.budget_mb if spec else 0,
        "accelerator": environment.accelerator if environment else "",
        "versions": dict(environment.versions) if environment else {},
        "model": spec.options.get("model", "") if spec else "",
        "revision": model.revision if model else "",
        "backend": card.backend if card else "",
        "precision": card.precision if card else "",
        "device": card.device if card else "",
        "languages": list(card.languages) if card else [],
        "rtf": cards.last_rtf(name),
        "baseline": cards.last_baseline(name),
        "notes": _notes(name, catalogue, state),
    }


def _state(name: str, spec: EngineSpec | None, state: State | None) -> str:
    if state is not None and state.interpreter is not None:
        return "installed"
    if spec is not None:
        return "built in" if name == BUILT_IN else "configured"
    return "not installed"


def _weights(spec: EngineSpec | None, state: State) -> str:
    """Where its weights stand, in a word."""
    if state.model is not None:
        return "present"
    return "elsewhere" if spec is not None and spec.options.get("model") else "missing"


def _notes(name: str, catalogue: Catalogue, state: State | None) -> list[str]:
    """What there is to do about it, as sentences."""
    notes = [catalogue.missing[name]] if name in catalogue.missing else []
    if state is not None and state.environment is not None:
        wanted = pins(state.engine)
        if set(wanted) != set(state.environment.pins):
            notes.append(
                "Installed for another version of Rhapsode, with other libraries than this one "
                f"asks for; rhapsode engines install {name} --upgrade makes it anew."
            )
    return notes


def _row(facts: dict[str, Any]) -> tuple[str, ...]:
    runs = " ".join(it for it in (facts["backend"], facts["precision"], facts["device"]) if it)
    return (
        facts["name"],
        facts["state"],
        facts["weights"] or "–",
        amount(facts["bytes"]) if facts["bytes"] else "–",
        str(facts["workers"] or "–"),
        runs or "–",
        amount(facts["baseline"]) if facts["baseline"] else "–",
        f"{facts['rtf']:.3f}" if facts["rtf"] else "–",
    )


def check(name: str) -> Reply:
    """Start an engine, load it, make it speak one sentence and leave.

    An engine without speakers of its own is given one to clone: the embedded voice says a known
    sentence first.

    Raises:
        MachineFault: There is no engine of that name, or it does not start, load or speak.
    """
    catalogue = Catalogue.of_user()
    spec = catalogue[name]
    with temporary.folder("check") as folder:

        async def reference() -> Reference:
            return await sample_reference(folder)

        trial = asyncio.run(try_engine(spec, SENTENCE, reference))
    return Reply({"engine": name, **asdict(trial)}, _lines(name, trial))


async def sample_reference(folder: Path) -> Reference:
    """The embedded voice saying a known sentence, as a file."""
    import soundfile

    from studio.narration.alone import Alone

    alone = Alone()
    try:
        voice = wire.Voice(fingerprint="reference", speaker="heart", language="en-US")
        clip = await alone.speak(BUILT_IN, voice, REFERENCE)
    finally:
        await alone.close()
    path = folder / "reference.wav"
    await asyncio.to_thread(soundfile.write, path, clip.pcm, clip.rate, "PCM_16")
    return Reference(path, REFERENCE, len(clip.pcm) / clip.rate)


def _lines(name: str, trial: Trial) -> list[str]:
    card = trial.card
    cloned = trial.reference_seconds
    who = f"cloned {cloned:.1f} s of the embedded voice, made for this" if cloned else ""
    rows = [
        ("languages", ", ".join(card.languages)),
        ("speakers", ", ".join(card.speakers) or who or "–"),
        ("text limit", f"{card.max_chars} characters a segment"),
        ("puts in words", ", ".join(card.normalises) or "–"),
        ("loaded in", f"{trial.load_seconds:.1f} s"),
        (
            "spoke",
            f"{trial.audio_seconds:.1f} s of audio in {trial.synthesis_seconds:.2f} s, "
            f"RTF {trial.synthesis_seconds / trial.audio_seconds:.3f}",
        ),
        ("the checks", "; ".join(trial.objections) or "no objection"),
        ("footprint", f"{trial.footprint / (1 << 20):,.0f} MB"),
        *(("note", note) for note in trial.notes),
        *sorted(card.build.items()),
    ]
    return [
        f"{name} {card.version} works: {card.backend} {card.precision} on {card.device}.",
        *(f"  {row}" for row in table(rows)),
    ]
