"""The words of a project as frozen dataclasses; see docs/architecture.md for what each one means.

Nothing here reads or writes. Rows come out of the store as these, and only as these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple

from studio.book.kinds import Kind as Kind


class State(StrEnum):
    """Where a segment stands; derived, never stored. The first that applies, in this order."""

    NARRATING = "narrating"
    QUEUED = "queued"
    FAILED = "failed"
    DRAFT = "draft"
    STALE = "stale"
    FLAGGED = "flagged"
    APPROVED = "approved"
    READY = "ready"


GLYPHS: Mapping[State, str] = {
    State.NARRATING: "▶",
    State.QUEUED: "…",
    State.FAILED: "✗",
    State.DRAFT: "○",
    State.STALE: "~",
    State.FLAGGED: "!",
    State.APPROVED: "✓",
    State.READY: "●",
}
"""One cell each; always shown beside the word, because colour alone tells nothing to some."""


@dataclass(frozen=True, slots=True)
class Voice:
    """Who reads: an engine and what it needs to know."""

    id: str
    """Short name, unique in the project, such as ``heart``."""
    engine: str
    speaker: str = ""
    reference: str = ""
    """Path of reference audio relative to the project folder, or empty."""
    transcript: str = ""
    description: str = ""
    style: str = ""
    language: str = "en-US"
    settings: Mapping[str, Any] = field(default_factory=dict)
    fingerprint: str = ""
    """SHA-256 over all that decides its sound; see `studio.project.recipe`."""
    sample: str = ""
    """A sentence to hear it by; it decides nothing."""


@dataclass(frozen=True, slots=True)
class Chapter:
    """One chapter and how far it is."""

    id: int
    number: int
    """1 for the first."""
    title: str
    first: int
    """Number of its first segment."""
    segments: int
    """How many segments it has."""
    spoken: int
    """How many of them have text, so that they need a take."""
    done: int
    """How many are ready to export: scene breaks, and segments whose chosen take is current."""
    approved: int
    flagged: int
    stale: int
    failed: int
    seconds: float
    """Length of the chosen takes, pauses not counted."""

    @property
    def ready(self) -> int:
        """How many of those that have text are ready to export: `done` without scene breaks."""
        return self.done - (self.segments - self.spoken)


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment as lists show it: the row, its chosen take and its place in the queue."""

    uid: str
    number: int
    """Place in the book, 1 for the first."""
    chapter: int
    """`Chapter.id`."""
    kind: Kind
    source: str
    """What the book says. Empty for a scene break, and for what a person has inserted."""
    spoken: str
    """What the engine is given."""
    edited: bool
    """Whether a person typed the spoken text."""
    ends_paragraph: bool
    """Whether a paragraph (or verse, or speech) ends with it: a longer pause follows."""
    voice: str
    """`Voice.id`."""
    seed: int
    speed: float
    pause_ms: int | None
    """Silence after it where a person set one; None for its kind's default."""
    mark: bool
    note: str
    failure: str
    """Why the last narration failed, in plain words, or empty."""
    takes: int
    """How many takes it has."""
    chosen: int | None
    """`Take.id`."""
    approved: int | None
    """`Take.id` that was approved, or None."""
    take_number: int
    """Which of its takes is chosen, 1 for the first, 0 for none."""
    seconds: float
    """Length of the chosen take, 0 without one."""
    rtf: float
    """RTF of the chosen take, 0 without one."""
    findings: tuple[str, ...]
    """What the checks object to in the chosen take, in plain words."""
    stale: tuple[str, ...]
    """What changed since the chosen take: some of text, voice, language, speed."""
    elsewhere: bool
    """Whether the chosen take was made by another build of the engine."""
    queued: bool

    @property
    def inserted(self) -> bool:
        """Whether a person has put it in, so that there is only what they typed."""
        return not self.source and self.kind is not Kind.SCENE_BREAK

    def state(self, *, narrating: bool = False) -> State:
        """The state to show; ``narrating`` is known to the director alone."""
        if narrating:
            return State.NARRATING
        if self.queued:
            return State.QUEUED
        if self.kind is Kind.SCENE_BREAK:
            return State.READY
        if self.failure:
            return State.FAILED
        if self.chosen is None:
            return State.DRAFT
        if self.stale:
            return State.STALE
        if self.approved == self.chosen:
            # A person's judgement ends a check's objection; otherwise `!` would never finish.
            return State.APPROVED
        return State.FLAGGED if self.findings else State.READY


RECORDING = "recording"
"""What the recipe of a person's own recording names in place of an engine."""


class Origin(NamedTuple):
    """Whose sound a take has: what is loud or soft about it beside the text is the same."""

    voice: str
    engine: str
    """As the recipe names it; `RECORDING` for a person's own."""
    model: str
    """The model's fingerprint: one engine may read a book with several. Empty for a recording."""


@dataclass(frozen=True, slots=True)
class Take:
    """One narration of one segment: a clip and the recipe that made it."""

    id: int
    segment: str
    """`Segment.uid`."""
    number: int
    """1 for the segment's first take."""
    recipe_id: str
    recipe: Mapping[str, Any]
    provenance: Mapping[str, Any]
    seed: int
    spoken: str
    voice: str
    pcm_hash: str
    rate: int
    channels: int
    frames: int
    rtf: float
    findings: tuple[str, ...]
    star: bool
    made: str
    """Time it was made, ISO 8601 in UTC."""
    build: str = ""
    """The build that made it, as `recipe.build_id` names it; empty for a recording."""

    @property
    def seconds(self) -> float:
        """Length of the clip."""
        return self.frames / self.rate

    @property
    def origin(self) -> Origin:
        """Whose sound it has."""
        return Origin(self.voice, self.recipe.get("engine", ""), self.recipe.get("model", ""))

    @property
    def recorded(self) -> bool:
        """Whether a person recorded it; then it differs from its segment by the text alone."""
        return self.recipe.get("engine") == RECORDING

    @property
    def replayed(self) -> bool:
        """Whether it was voiced from the speech tokens of an earlier take."""
        return "tokens" in self.recipe


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A narration somebody asked for and nobody has made yet."""

    id: int
    segment: str
    seed: int
    group: int
    """Items asked for together; one group is one entry of the history."""
    first: bool
    """Whether it goes before bulk work."""
    asked: int = 0
    """Counts up each time somebody asks for it, so that a result can tell whether it was asked for
    again while it was being made."""
    candidate: bool = False
    """Whether it is a new seed beside others: its take is chosen only where no current one is."""
    remake: int | None = None
    """`Take.id` whose recorded recipe is to be narrated again; what comes of it is only kept."""
    replay: bool = False
    """Whether that take's speech tokens are to be voiced again, by the engine as it is now."""


@dataclass(frozen=True, slots=True)
class NewTake:
    """What the director hands to the store for one finished narration."""

    item: QueueItem
    recipe_id: str
    recipe: Mapping[str, Any]
    provenance: Mapping[str, Any]
    pcm_hash: str
    rate: int
    channels: int
    frames: int
    rtf: float
    findings: tuple[str, ...]
    blobs: Mapping[str, bytes] = field(default_factory=dict)
    """What the engine sent along with the clip, by name, such as its speech tokens."""


@dataclass(frozen=True, slots=True)
class Reuse:
    """A queued narration that need not be made: a take of its recipe is there already."""

    item: QueueItem
    take: int
    """`Take.id`, to be chosen."""


@dataclass(frozen=True, slots=True)
class Failure:
    """What the director hands to the store for one narration that will not be made."""

    item: QueueItem
    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a candidate, of a take that was to be made again, or of a narration whose
    segment a person has approved meanwhile."""

    item: QueueItem
    take: int | None = None
    """`Take.id` of what was made; None where nothing was."""
    same: bool = False
    """Whether these very bytes were there already, so that the take is an old one."""
    reason: str = ""
    """Why it failed, in plain words."""
    beside: bool = False
    """Whether the chosen take was approved after this was asked for, and stays for that; never of
    a candidate, which stands beside others anyway."""


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One step that can be undone or redone."""

    id: int
    label: str
    """What was done, for people: ``edited segment 16``, ``narrated 48 segments``."""
    made: str
    undone: bool


@dataclass(frozen=True, slots=True)
class Change:
    """What one transaction touched; the interface repaints this and nothing else."""

    label: str = ""
    segments: frozenset[str] = frozenset()
    """Uids of segments whose row, takes or queue state changed."""
    structure: bool = False
    """Segments or chapters came, went or moved: read `chapters` again."""
    chapters: frozenset[int] = frozenset()
    """Where the structure changed: `Chapter.id` of each chapter that is not what it was, those
    that are gone included; empty where that may be any."""
    settings: bool = False
    """Voices, lexicon, pauses or export settings changed."""
    queue: bool = False
    history: bool = False
    outcomes: tuple[Outcome, ...] = ()
    """What became of candidates, of takes made again and of what is kept beside an approved take:
    nothing else would tell."""

    def __or__(self, other: Change) -> Change:
        """Two changes as one."""
        shaped = [change.chapters for change in (self, other) if change.structure]
        return Change(
            label=other.label or self.label,
            segments=self.segments | other.segments,
            structure=self.structure or other.structure,
            chapters=frozenset().union(*shaped) if all(shaped) else frozenset(),
            settings=self.settings or other.settings,
            queue=self.queue or other.queue,
            history=self.history or other.history,
            outcomes=self.outcomes + other.outcomes,
        )

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.segments or self.structure or self.settings or self.queue or self.history)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a project's folder that is not as it should be."""

    kind: str
    """Such as ``missing clip``."""
    what: str
    """A plain sentence: what, where, and what to do."""
    fixable: bool
    """Whether `Project.fix` sees to it."""
    serious: bool = True
    """Whether something that a person chose cannot be heard."""


@dataclass(frozen=True, slots=True)
class CleanReport:
    """What cleaning deletes, or would delete."""

    takes: tuple[Take, ...]
    clips: tuple[str, ...]
    """Paths below the project's folder."""
    bytes: int


@dataclass(frozen=True, slots=True)
class ProjectInfo:
    """The book's own facts."""

    title: str
    author: str
    language: str
    folder: str
    voice: str
    """`Voice.id` of the narrator."""
