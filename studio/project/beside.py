"""What people are told of takes that came after they had approved another one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from studio.project.model import Outcome, Segment
from studio.wording import number_runs


def beside_lines(outcomes: Sequence[Outcome], rows: Mapping[str, Segment]) -> list[str]:
    """Say what is kept beside approved takes, and what has failed although nobody needs it.

    Args:
        outcomes: What became of narrations; those of other kinds are passed over.
        rows: Their segments by uid; what was deleted meanwhile is not told of.
    """
    ours = {
        rows[it.item.segment].number: it for it in outcomes if it.beside and it.item.segment in rows
    }
    kept = sorted(number for number, it in ours.items() if it.take is not None)
    lines = [kept_line(kept)] if kept else []
    lines += [
        f"Segment {number}: the new take failed and the approved one stays: {it.reason}"
        for number, it in sorted(ours.items())
        if it.take is None
    ]
    return lines


def kept_line(numbers: Sequence[int]) -> str:
    """Say of which segments, by their sorted numbers, a new take is beside the approved one."""
    if len(numbers) == 1:
        return f"Segment {numbers[0]}: the new take is kept beside the approved one."
    return f"Segments {number_runs(numbers)}: the new takes are kept beside the approved ones."
