"""`rhapsode narrate --replay`: speech tokens of chosen takes, voiced again as engines are now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.commands.reply import Reply
from studio.errors import BadInput
from studio.narration.status import NarrationStatus
from studio.project.model import Change, Outcome, Segment
from studio.project.project import Project
from studio.project.tokens import TOKENS_BLOB
from studio.wording import duration, number_runs


@dataclass(slots=True)
class Run:
    """What a run without a screen has done so far."""

    status: NarrationStatus = field(default_factory=NarrationStatus)
    started: float = 0.0
    seconds: float = 0.0
    outcomes: list[Outcome] = field(default_factory=list)
    """What became of takes that were to be made or voiced again."""

    def note(self, change: Change) -> None:
        """Hear of results; there is no screen to repaint."""
        self.outcomes += change.outcomes


def enqueue_replays(project: Project, selected: Sequence[Segment]) -> list[int]:
    """Ask for the chosen takes that keep speech tokens.

    Returns:
        Numbers of the segments whose chosen take keeps none.

    Raises:
        BadInput: No chosen take does.
    """
    keeping = project.takes_with(TOKENS_BLOB)
    chosen = {it.uid: it.chosen for it in selected if it.chosen is not None}
    wanted = {uid: take for uid, take in chosen.items() if take in keeping}
    if not chosen:
        raise BadInput("Nothing that was chosen has a take yet; narrate it first.")
    if not wanted:
        raise BadInput(
            "No chosen take of these segments keeps speech tokens, so none can be voiced again; "
            "only engines that make a clip in two stages give them."
        )
    count = f"{len(wanted):,} take{'s' * (len(wanted) != 1)}"
    project.enqueue([*wanted], replays=wanted, label=f"voiced {count} again")
    return [it.number for it in selected if it.uid in chosen and it.uid not in wanted]


def replay_summary(
    project: Project, selected: Sequence[Segment], run: Run, without: Sequence[int]
) -> Reply:
    """What came of voicing takes again."""
    numbers = {segment.uid: segment.number for segment in selected}
    told = [it for it in run.outcomes if it.item.replay and it.item.segment in numbers]
    made: list[dict[str, Any]] = []
    same: list[int] = []
    already: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    for outcome in sorted(told, key=lambda it: numbers[it.item.segment]):
        number = numbers[outcome.item.segment]
        if outcome.take is None:
            failed.append({"number": number, "reason": outcome.reason})
        elif outcome.take == outcome.item.remake:
            same.append(number)
        else:
            take = project.take(outcome.take)
            told_of = already if outcome.same else made
            told_of.append({"number": number, "take": take.number, "recipe_id": take.recipe_id})
    status = run.status
    lines = [
        f"Voiced {len(made) + len(same):,} take{'s' * (len(made) + len(same) != 1)} again: "
        f"{duration(status.audio_made)} of audio in {duration(run.seconds)}; nothing was chosen."
    ]
    if made:
        lines.append(f"New takes stand beside the chosen ones of {_named(made)}.")
    if same:
        lines.append(f"The same bytes came out of {_segments(same)}, so no take was added.")
    if already:
        lines.append(f"Voiced this way before, as other takes of {_named(already)}.")
    if without:
        lines.append(f"Without speech tokens, and left out: {_segments(without)}.")
    lines += status.voice_notes
    lines += [f"Failed: {it['number']}: {it['reason']}" for it in failed]
    data = {
        "project": str(project.folder),
        "made": made,
        "same": same,
        "already": already,
        "without_tokens": [*without],
        "failed": failed,
        "audio_seconds": round(status.audio_made, 3),
        "wall_seconds": round(run.seconds, 3),
        "voice_notes": list(status.voice_notes),
    }
    return Reply(data, lines, exit_code=3 if failed else 0)


def _named(made: Sequence[dict[str, Any]]) -> str:
    return _segments(sorted({int(it["number"]) for it in made}))


def _segments(numbers: Sequence[int]) -> str:
    return f"segment{'s' * (len(numbers) != 1)} {number_runs(numbers)}"
