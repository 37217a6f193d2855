"""`rhapsode engines`: which engines are configured, and whether one of them speaks."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Any

from studio.commands.reply import Reply, table
from studio.engines.catalogue import Catalogue
from studio.narration.trial import Trial, try_engine

SENTENCE = "The quick brown fox jumps over the lazy dog."
"""What an engine says when it is checked."""


def listing() -> Reply:
    """The engines of this machine, from the built-in ones and the user's configuration."""
    catalogue = Catalogue.of_user()
    rows = [("engine", "workers", "memory budget", "program")]
    data: list[dict[str, Any]] = []
    for name in catalogue:
        spec = catalogue[name]
        budget = f"{spec.budget_mb:,} MB" if spec.budget_mb else "none"
        rows.append((name, str(spec.workers or "auto"), budget, spec.command[0]))
        data.append(
            {
                "name": name,
                "workers": spec.workers,
                "budget_mb": spec.budget_mb,
                "command": list(spec.command),
            }
        )
    lines = [*table(rows, right=(1, 2)), "", "rhapsode engines check NAME starts one and times it."]
    return Reply({"engines": data}, lines)


def check(name: str) -> Reply:
    """Start an engine, load it, make it speak one sentence and leave.

    Raises:
        BadInput: There is no engine of that name.
        MachineFault: It does not start, load or speak.
    """
    spec = Catalogue.of_user()[name]
    trial = asyncio.run(try_engine(spec, SENTENCE))
    return Reply({"engine": name, **asdict(trial)}, _lines(name, trial))


def _lines(name: str, trial: Trial) -> list[str]:
    card = trial.card
    return [
        f"{name} {card.version} works: {card.backend} {card.precision} on {card.device}.",
        f"  languages     {', '.join(card.languages)}",
        f"  speakers      {', '.join(card.speakers) or '–'}",
        f"  text limit    {card.max_chars} characters a segment",
        f"  puts in words {', '.join(card.normalises) or '–'}",
        f"  loaded in     {trial.load_seconds:.1f} s",
        f"  spoke         {trial.audio_seconds:.1f} s of audio in {trial.synthesis_seconds:.2f} s, "
        f"RTF {trial.synthesis_seconds / trial.audio_seconds:.3f}",
        f"  footprint     {trial.footprint / (1 << 20):,.0f} MB",
        *(f"  {library:<13} {version}" for library, version in sorted(card.build.items())),
    ]
