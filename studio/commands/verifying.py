"""`rhapsode verify`: narrate recorded recipes again and compare the bytes."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.commands.progress import Progress
from studio.commands.reply import Reply
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput, MachineFault
from studio.narration.repeating import of_take
from studio.narration.status import NarrationStatus
from studio.narration.verify import Difference
from studio.narration.verify import verify as narrate_again
from studio.project.model import Take
from studio.project.project import Project
from studio.wording import in_shell, number_runs


def verify(folder: Path, *, sample: int | None = None, quiet: bool = False) -> Reply:
    """Compare chosen takes with what their recipes give today.

    What could not be tried is told apart from what differs, and is no failure.

    Args:
        folder: The project.
        sample: How many takes to try, picked evenly at random; None for all of them.
        quiet: Whether to leave out the progress line.

    Raises:
        BadInput: The project has no takes, none that an engine made, or none that follow from
            their recipes alone.
        MachineFault: The engine cannot run.
    """
    catalogue = Catalogue.of_user()
    with Project.open(folder, read_only=True) as project:
        takes = _chosen(project)
        if not takes:
            raise BadInput(f"“{project.info.title}” has no takes yet; narrate it first.")
        recordings = sum(take.recorded for take in takes)
        takes = [take for take in takes if not take.recorded]
        if not takes:
            raise BadInput(
                f"“{project.info.title}” has recordings only, which no engine can make again."
            )
        if all(of_take(take) for take in takes):
            raise BadInput(
                f"“{project.info.title}” has only takes that were made in batches, which do not "
                "follow from their recipes alone: there is nothing to verify. "
                f"rhapsode narrate {in_shell(folder)} --replay voices their kept speech tokens "
                "again."
            )
        if sample is not None and sample < len(takes):
            # Which takes are tried need not repeat, so no seed is kept for it.
            picked = set(random.sample(range(len(takes)), max(sample, 1)))
            takes = [take for index, take in enumerate(takes) if index in picked]
        progress = Progress(len(takes), quiet=quiet)
        try:
            found = asyncio.run(
                narrate_again(
                    project,
                    catalogue,
                    takes,
                    lambda done, _: progress.show(done, NarrationStatus()),
                )
            )
        finally:
            progress.close()
        numbers = {segment.uid: segment.number for segment in project.segments()}
    if len(found) == len(takes) and not any(item.got for item in found):
        # Not one clip was made: that is an engine that does not work, and says nothing of bytes.
        raise MachineFault(f"Nothing could be verified: {found[0].why}")
    found.sort(key=lambda item: numbers[item.take.segment])
    differences = [item for item in found if item.tried]
    untried = [item for item in found if not item.tried]
    tried = len(takes) - len(untried)
    same = tried - len(differences)
    lines = [f"{same} of {tried} takes came out the same, byte for byte."]
    if untried:
        word = "take" if len(untried) == 1 else "takes"
        lines.append(f"{len(untried):,} {word} could not be tried.")
    if recordings:
        skipped = "1 recording was" if recordings == 1 else f"{recordings:,} recordings were"
        lines.append(f"{skipped} left out: no engine made {'it' if recordings == 1 else 'them'}.")
    for what, items in (("Differs", differences), ("Could not be tried", untried)):
        lines += _by_reason(what, items, numbers)
    data = {
        "verified": tried,
        "same": same,
        "recordings": recordings,
        "differences": [_told(item, numbers) | {"now": item.got or None} for item in differences],
        "untried": [_told(item, numbers) for item in untried],
    }
    return Reply(data, lines, exit_code=4 if differences else 0)


def _by_reason(what: str, items: Sequence[Difference], numbers: Mapping[str, int]) -> Iterator[str]:
    """A line for each reason, with the takes that it holds for: a book has thousands of them."""
    alike: dict[str, list[Difference]] = {}
    for item in items:
        alike.setdefault(item.why, []).append(item)
    for why, those in alike.items():
        which = number_runs(numbers[item.take.segment] for item in those)
        if len(those) == 1:
            which += f" (take {those[0].take.number})"
        yield f"{what}: {which}: {why}"


def _told(item: Difference, numbers: Mapping[str, int]) -> dict[str, Any]:
    """A take for programs, and why it did not come out again."""
    return {
        "number": numbers[item.take.segment],
        "take": item.take.number,
        "recipe_id": item.take.recipe_id,
        "recorded": item.take.pcm_hash,
        "reason": item.why,
    }


def _chosen(project: Project) -> list[Take]:
    chosen = {segment.chosen for segment in project.segments()}
    return [take for take in project.all_takes() if take.id in chosen]
