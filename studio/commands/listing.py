"""`rhapsode status` and `rhapsode segments`: what stands where, without touching anything."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

from studio.commands.reply import Reply, table
from studio.project.model import GLYPHS, Chapter, Segment, State
from studio.project.project import Project
from studio.wording import duration, in_shell, number_runs

PREVIEW = 60
"""Characters of a segment's text in a list."""


def status(folder: Path) -> Reply:
    """Counts per chapter."""
    with Project.open(folder, read_only=True) as project:
        chapters = project.chapters()
        queued = len(project.queue())
        info = project.info
        lost = sorted(
            project.segments_by_uid(project.lost_segments()).values(), key=lambda it: it.number
        )
    missing = Counter(segment.chapter for segment in lost if not segment.stale)
    rows = [("", "chapter", "done", "approved", "flagged", "stale", "failed", "audio")]
    for chapter in chapters:
        rows.append(
            (
                str(chapter.number),
                chapter.title[:PREVIEW],
                f"{chapter.ready - missing[chapter.id]}/{chapter.spoken}",
                str(chapter.approved),
                str(chapter.flagged),
                str(chapter.stale),
                str(chapter.failed),
                duration(chapter.seconds),
            )
        )
    lines = [f"{info.title} — {info.author}" if info.author else info.title, ""]
    lines += table(rows, right=(0, 2, 3, 4, 5, 6, 7))
    narrate = f"rhapsode narrate {in_shell(folder)}"
    if lost:
        numbers = number_runs([segment.number for segment in lost])
        clips = "The clip of 1 segment is" if len(lost) == 1 else f"The clips of {len(lost):,} are"
        lines += [
            "",
            f"{clips} lost ({numbers}), and not done any more; "
            f"{narrate} makes {'it' if len(lost) == 1 else 'them'} again.",
        ]
    if queued:
        lines += [
            "",
            f"{queued} segments are queued; rhapsode narrate {in_shell(folder)} goes on with them.",
        ]
    data = {
        "project": str(folder),
        "title": info.title,
        "author": info.author,
        "language": info.language,
        "queued": queued,
        "lost": [segment.number for segment in lost],
        "chapters": [_chapter(chapter, missing[chapter.id]) for chapter in chapters],
    }
    return Reply(data, lines)


def _chapter(chapter: Chapter, lost: int) -> dict[str, Any]:
    return {
        "number": chapter.number,
        "title": chapter.title,
        "segments": chapter.segments,
        "done": chapter.done - lost,
        "approved": chapter.approved,
        "flagged": chapter.flagged,
        "stale": chapter.stale,
        "failed": chapter.failed,
        "seconds": round(chapter.seconds, 3),
    }


def segments(folder: Path, state: State | None = None) -> Reply:
    """Every segment with its state, seed and take, or those in one state."""
    with Project.open(folder, read_only=True) as project:
        rows = [it for it in project.segments() if state is None or it.state() is state]
        chosen = {take.id: take for take in project.all_takes()}
        numbers = {chapter.id: chapter.number for chapter in project.chapters()}
    data: list[dict[str, Any]] = []
    text = [("#", "ch", "state", "seed", "takes", "len", "text", "why")]
    for segment in rows:
        take = chosen.get(segment.chosen) if segment.chosen is not None else None
        data.append(
            {
                "number": segment.number,
                "uid": segment.uid,
                "chapter": numbers[segment.chapter],
                "kind": segment.kind.value,
                "source": segment.source,
                "spoken": segment.spoken,
                "state": segment.state().value,
                "voice": segment.voice,
                "seed": segment.seed,
                "takes": segment.takes,
                "recipe_id": take.recipe_id if take else None,
                "pcm_hash": take.pcm_hash if take else None,
                "seconds": round(take.seconds, 3) if take else None,
                "rtf": take.rtf if take else None,
                "verdict": "; ".join(take.findings) or "ok" if take else None,
                "mark": segment.mark,
                "note": segment.note,
                "failure": segment.failure,
            }
        )
        text.append(
            (
                str(segment.number),
                str(numbers[segment.chapter]),
                _state(segment),
                str(segment.seed),
                str(segment.takes),
                f"{take.seconds:.1f}s" if take else "",
                _preview(segment),
                _why(segment),
            )
        )
    return Reply({"segments": data}, table(text, right=(0, 1, 3, 4, 5)))


def _state(segment: Segment) -> str:
    state = segment.state()
    return f"{GLYPHS[state]} {state.value}"


def _why(segment: Segment) -> str:
    """Why a person should look at a segment, in plain words, or nothing."""
    if segment.failure:
        return segment.failure
    if segment.stale:
        return f"{' and '.join(segment.stale)} changed since"
    return "; ".join(segment.findings)


def _preview(segment: Segment) -> str:
    text = segment.spoken or "———"
    return text if len(text) <= PREVIEW else text[: PREVIEW - 1] + "…"
