"""`rhapsode settings`: what a book is set to, and its mark."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from studio.commands.notices import tell
from studio.commands.reply import Reply
from studio.project.project import Project
from studio.wording import number_runs

MARKED = "marked reproducible: each take must follow from its recipe alone"
UNMARKED = "not marked reproducible"


def settings(folder: Path, *, reproducible: bool | None = None) -> Reply:
    """Tell a book's settings, or mark it as reproducible, or take the mark away.

    Args:
        folder: The project.
        reproducible: What the mark is to be; None only tells.

    Raises:
        MachineFault: The project is locked, or cannot be read.
    """
    with Project.open(folder, read_only=reproducible is None) as project:
        tell(project)
        if reproducible is not None and reproducible != project.settings().reproducible:
            project.set_settings(reproducible=reproducible)
        info, found = project.info, project.settings()
        batched = project.batched() if found.reproducible else ()
    lines = [
        f"“{info.title}” is {MARKED if found.reproducible else UNMARKED}.",
        f"Read by “{info.voice}”, in {info.language or 'no language of its own'}.",
        "Pauses in ms: "
        + ", ".join(
            f"{name.replace('_', ' ')} {length:,}" for name, length in asdict(found.pauses).items()
        )
        + ".",
    ]
    if batched:
        lines.insert(
            1,
            f"{len(batched):,} of its takes {'were' if len(batched) > 1 else 'was'} made in "
            f"batches before and {'do' if len(batched) > 1 else 'does'} not (segments "
            f"{number_runs(batched)}); rhapsode narrate with --reseed makes others.",
        )
    data = {
        "project": str(folder),
        "title": info.title,
        "author": info.author,
        "language": info.language,
        "voice": info.voice,
        "reproducible": found.reproducible,
        "batched": list(batched),
        "pauses": asdict(found.pauses),
        "export": dict(found.export),
    }
    return Reply(data, lines)
