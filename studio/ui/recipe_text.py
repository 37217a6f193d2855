"""A take's recipe and how it was made, as groups of facts in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from studio.project.differing import differences
from studio.project.model import Segment, Take, Voice
from studio.project.project import Project
from studio.project.recipe import company
from studio.project.tokens import TOKEN_BYTES, TOKENS_BLOB
from studio.ui import formats

Facts = tuple[tuple[str, str], ...]
"""Names and what is to be said of each."""


@dataclass(frozen=True, slots=True)
class Details:
    """Everything that is known of a take."""

    segment: Segment
    take: Take
    differs: tuple[str, ...]
    voices: Mapping[str, Voice]
    path: str
    """Where its clip is."""
    now: datetime
    tokens: int = 0
    """How many speech tokens are kept with it."""

    @property
    def title(self) -> str:
        """Which take it is."""
        star = " ★" if self.take.star else ""
        chosen = ", chosen" if self.take.id == self.segment.chosen else ""
        return f"Take {self.take.number} of segment {self.segment.number}{chosen}{star}"

    @property
    def recipe_json(self) -> str:
        """The recipe, for programs."""
        return json.dumps(dict(self.take.recipe), ensure_ascii=False, indent=2, sort_keys=True)


def details(project: Project, segment: Segment, take: Take) -> Details:
    """Gather what is known of a take; for the desk."""
    segment = project.segments_by_uid([segment.uid]).get(segment.uid, segment)
    take = project.take(take.id)
    voices = project.voices()
    differs = differences(take, segment, voices, project.builds)
    path = str(project.clip_path(take).absolute())
    tokens = len(project.blob(take.id, TOKENS_BLOB) or b"") // TOKEN_BYTES
    return Details(segment, take, differs, voices, path, datetime.now(UTC), tokens)


def groups(of: Details) -> tuple[tuple[str, Facts], ...]:
    """The facts under their headings, in the order in which they are asked for."""
    take = of.take
    found: list[tuple[str, Facts]] = [
        ("Against what the segment asks for now", tuple(_against(of))),
        ("Text", (("spoken", take.spoken),)),
    ]
    if take.recorded:
        found.append(("Recording", tuple(_recording(take))))
    else:
        found += [("Recipe", tuple(_recipe(take))), ("How it was made", tuple(_making(of)))]
        build = take.provenance.get("build")
        if isinstance(build, dict) and build:
            found.append(("Build", tuple((str(k), str(build[k])) for k in sorted(build))))
    found.append(("Clip", tuple(_clip(of))))
    return tuple(found)


def _against(of: Details) -> Iterator[tuple[str, str]]:
    """How it differs, a line for each thing."""
    take, segment = of.take, of.segment
    voice = of.voices.get(segment.voice)
    asked = {
        "text": segment.spoken,
        "voice": segment.voice
        + (", as it is set now" if take.voice == segment.voice else f", not {take.voice}"),
        "language": voice.language if voice is not None else "",
        "speed": f"×{segment.speed:g}",
        "seed": formats.seed(segment.seed),
        "engine": "another engine or another build is here: the take was made elsewhere",
    }
    for word in of.differs:
        yield word, f"≠ {asked[word]}"
    if not of.differs:
        yield "", "It is what the segment asks for."
    for finding in take.findings:
        yield "checks", f"! {finding}"
    if not take.findings:
        yield "checks", "no objection"


def _recipe(take: Take) -> Iterator[tuple[str, str]]:
    """What decided its sound."""
    recipe = take.recipe
    yield "voice", f"{take.voice}, {recipe.get('language', '')}"
    yield "speed", f"×{recipe.get('speed', 1.0):g}"
    yield "seed", formats.seed(take.seed)
    yield "engine", f"{recipe.get('engine', '')} {recipe.get('engine_version', '')}"
    yield "model", str(recipe.get("model", ""))
    build = take.provenance.get("build")
    device = build.get("device", "") if isinstance(build, dict) else ""
    parts = (recipe.get("backend", ""), recipe.get("precision", ""), device)
    yield "runs on", ", ".join(str(part) for part in parts if part)
    if recipe.get("threads"):
        yield "threads", str(recipe["threads"])
    settings = recipe.get("settings") or {}
    yield (
        "settings",
        ", ".join(f"{key} {settings[key]}" for key in sorted(settings)) or "as they come",
    )
    if options := recipe.get("options"):
        yield "options", ", ".join(f"{key} {options[key]}" for key in sorted(options))
    if (lines := company(recipe)) > 1:
        yield "batch", f"up to {lines} lines together; it does not follow from its recipe alone"
    if take.replayed:
        yield "voiced from", f"speech tokens of an earlier take, {recipe['tokens']}"
    yield "voice print", str(recipe.get("voice", ""))
    yield "recipe id", take.recipe_id


def _making(of: Details) -> Iterator[tuple[str, str]]:
    """What else was true when it was made."""
    take, made = of.take, of.take.provenance
    yield "when", _when(of)
    yield "length", f"{take.seconds:.2f} s"
    if isinstance(seconds := made.get("seconds"), int | float):
        cpu = made.get("cpu_seconds")
        also = f", {cpu:.2f} s of processor" if isinstance(cpu, int | float) else ""
        yield "took", f"{seconds:.2f} s{also}, rtf {formats.rtf(take.rtf)}"
    stages = made.get("stages") or {}
    if stages:
        yield "stages", ", ".join(f"{name} {_number(stages[name])} s" for name in stages)
    if of.tokens:
        yield "tokens", f"{of.tokens:,} are kept, to be voiced again"
    yield "worker", str(made.get("worker", formats.NONE))
    for key, name in (("footprint", "memory"), ("device_memory", "on device")):
        if made.get(key):
            yield name, formats.megabytes(int(made[key]))
    if isinstance(level := made.get("level"), int | float):
        yield "level", f"{level:.1f} dBFS"


def _recording(take: Take) -> Iterator[tuple[str, str]]:
    """Where a person's recording came from."""
    yield "file", str(take.recipe.get("file", ""))
    yield "SHA-256", str(take.recipe.get("sha256", ""))
    yield "recipe id", take.recipe_id


def _clip(of: Details) -> Iterator[tuple[str, str]]:
    """The sound itself."""
    take = of.take
    if take.recorded:
        yield "taken over", _when(of)
        yield "length", f"{take.seconds:.2f} s"
    channels = {1: "mono", 2: "stereo"}.get(take.channels, f"{take.channels} channels")
    yield "format", f"{take.rate:,} Hz, 16 bit, {channels}, {take.frames:,} frames"
    yield "file", of.path
    yield "PCM hash", take.pcm_hash


def _when(of: Details) -> str:
    """The moment, and how long ago that is."""
    made = of.take.made.replace("T", " ")[:19]
    age = formats.age(of.take.made, of.now)
    if age == "now":
        return f"{made} UTC, just now"
    # What is older is told by its date, which stands here already.
    return f"{made} UTC, {age} ago" if " " in age else f"{made} UTC"


def _number(value: Any) -> str:
    """A stage's seconds."""
    return f"{value:.2f}" if isinstance(value, int | float) else str(value)
