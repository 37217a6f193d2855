"""`rhapsode voices`: who reads how much of a book, and giving segments another voice.

Adding, changing and checking voices stands in `studio.commands.changing_voices`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from studio.commands.fitting import refusals_of
from studio.commands.notices import tell
from studio.commands.reply import Reply, table
from studio.commands.selection import segments_of
from studio.errors import BadInput
from studio.project.model import Kind, Segment, Voice
from studio.project.project import Project
from studio.wording import counted, in_shell

KINDS = {
    "dialogue": frozenset({Kind.DIALOGUE}),
    "narration": frozenset({Kind.HEADING, Kind.PROSE, Kind.VERSE}),
}
"""What ``--kind`` chooses; a scene break is silence, and nobody reads it."""


def listing(folder: Path, chapters: Sequence[int], span: str | None, kind: str | None) -> Reply:
    """The voices, and how many of the chosen segments each reads.

    Raises:
        BadInput: A chapter or a segment that was named does not exist.
    """
    with Project.open(folder, read_only=True) as project:
        voices = project.voices()
        counts = Counter(it.voice for it in _chosen(project, chapters, span, kind))
        cast = project.cast()
        narrator = project.info.voice
    rows = [("voice", "engine", "who", "language", "settings", "reads", "speaks for")]
    data: list[dict[str, Any]] = []
    for voice in voices.values():
        roles = [name for name, reader in cast.items() if reader == voice.id]
        if voice.id == narrator:
            roles.insert(0, "the narrator")
        data.append({**facts(voice), "segments": counts[voice.id], "roles": roles})
        settings = ", ".join(f"{name} {value}" for name, value in voice.settings.items())
        who = voice.speaker or voice.reference or voice.description or "–"
        rows.append(
            (
                voice.id,
                voice.engine,
                who,
                voice.language,
                settings or "–",
                f"{counts[voice.id]:,}",
                ", ".join(roles) or "–",
            )
        )
    return Reply({"project": str(folder), "voices": data}, table(rows, right=(5,)))


def assign(
    folder: Path, voice: str, chapters: Sequence[int], span: str | None, kind: str | None
) -> Reply:
    """Let a voice read the chosen segments, as one step that can be undone in the studio.

    Raises:
        BadInput: There is no such voice, or nothing was chosen.
        MachineFault: A studio has the project open.
    """
    if not chapters and span is None and kind is None:
        raise BadInput(
            f"Say what “{voice}” is to read: --chapter N, --segments A-B, --kind dialogue, "
            "or some of them together."
        )
    with Project.open(folder) as project:
        tell(project)
        if voice not in project.voices():
            raise BadInput(
                f"There is no voice “{voice}”; the project has {', '.join(project.voices())}."
            )
        segments = _chosen(project, chapters, span, kind)
        if not segments:
            raise BadInput("Nothing that is read is among what was chosen; choose other segments.")
        changed = {it.uid for it in segments if it.voice != voice}
        count = counted(len(changed), "segment")
        project.set_voices(dict.fromkeys(changed, voice), f"voice of {count}: {voice}")
        stale = sum(bool(it.stale) for it in project.segments_by_uid(changed).values())
        refused = refusals_of(project, voice)
    lines = [_given(voice, len(segments), len(changed))]
    if stale:
        lines.append(
            f"{counted(stale, 'segment')} {'is' if stale == 1 else 'are'} stale now; "
            f"rhapsode narrate {in_shell(folder)} makes {'it' if stale == 1 else 'them'} anew."
        )
    lines += [f"{it[:1].upper()}{it[1:]}." for it in refused]
    data = {
        "project": str(folder),
        "voice": voice,
        "refused": refused,
        "segments": len(segments),
        "changed": len(changed),
        "stale": stale,
    }
    return Reply(data, lines)


def _given(voice: str, chosen: int, changed: int) -> str:
    """Who reads what was chosen now, and how much of it somebody else has read so far."""
    reads = f"“{voice}” reads {counted(chosen, 'segment')}"
    if not changed:
        return f"{reads} already; nothing was changed."
    whose = f"{changed:,} of them" if changed < chosen else "it" if chosen == 1 else "all of them"
    return f"{reads} now; {whose} had another voice."


def _chosen(
    project: Project, chapters: Sequence[int], span: str | None, kind: str | None
) -> list[Segment]:
    """Segments with text that the options name."""
    wanted = KINDS[kind] if kind else frozenset(Kind) - {Kind.SCENE_BREAK}
    segments, _ = segments_of(project, chapters, span)
    return [segment for segment in segments if segment.kind in wanted]


def facts(voice: Voice) -> dict[str, Any]:
    """A voice for programs."""
    return {
        "id": voice.id,
        "engine": voice.engine,
        "speaker": voice.speaker,
        "reference": voice.reference,
        "description": voice.description,
        "style": voice.style,
        "language": voice.language,
        "settings": dict(voice.settings),
        "sample": voice.sample,
    }
