"""What a segment's takes are worth beside each other: how each differs, and which is proposed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from studio.project.differing import differences
from studio.project.model import Segment, Take
from studio.project.project import Project
from studio.review import ranking

STALE = frozenset({"text", "voice", "language", "speed"})
"""Differences that make a take another one than was asked for; a seed is chance, not a wish."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What the list of takes says beyond the takes themselves."""

    differs: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """By `Take.id`: how a take differs from what the segment asks for now."""
    best: Take | None = None
    """What the checks like best, where there are several to choose from."""


def standing(project: Project, segment: Segment, takes: Sequence[Take]) -> Standing:
    """Work out what is to be said of a segment's takes; for the desk."""
    voices, builds = project.voices(), project.builds
    differs = {take.id: differences(take, segment, voices, builds) for take in takes}
    if len(takes) < 2:
        return Standing(differs)
    fitting = [take for take in takes if not STALE.intersection(differs[take.id])]
    level = ranking.level_around(project.takes_beside(segment.uid))
    return Standing(differs, ranking.best(fitting or takes, level))
