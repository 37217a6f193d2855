"""`rhapsode narrate`: make the missing takes without a screen."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from studio.awake import Awake
from studio.commands.fitting import refusals
from studio.commands.notices import tell
from studio.commands.progress import Progress
from studio.commands.replaying import Run, enqueue_replays, replay_summary
from studio.commands.reply import Reply
from studio.commands.selection import UNFINISHED, segments_of
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput, MachineFault
from studio.narration import repeating
from studio.narration.director import Director
from studio.narration.making import estimate
from studio.narration.status import NarrationStatus
from studio.project.beside import beside_lines
from studio.project.desk import Desk
from studio.project.model import Kind, Outcome, Segment, State
from studio.project.project import Project
from studio.ui.preferences import Preferences
from studio.wording import counted, duration, number_runs


def narrate(
    folder: Path,
    *,
    chapters: Sequence[int] = (),
    span: str | None = None,
    voice: str | None = None,
    workers: int | None = None,
    reseed: bool = False,
    replay: bool = False,
    quiet: bool = False,
) -> Reply:
    """Narrate what is missing, stale or failed in the selection; with ``reseed``, all of it anew.

    A chosen take whose clip is gone from the disk is missing too: its recipe makes it again. With
    ``replay`` the speech tokens of the chosen takes are voiced again instead, and nothing is
    chosen.

    Raises:
        BadInput: The selection or the voice does not exist, or the book is marked reproducible and
            an engine's takes would not follow from their recipes alone.
        MachineFault: The project is locked, the disk is full or the engine cannot run.
        KeyboardInterrupt: Interrupted; what is finished is kept and the rest stays queued.
    """
    if replay and (reseed or voice is not None):
        raise BadInput(
            "--replay voices takes again as they are; leave --reseed and --voice out, or --replay."
        )
    catalogue = Catalogue.of_user()
    with Project.open(folder) as project:
        tell(project)
        selected, _ = segments_of(project, chapters, span)
        if replay:
            _refuse(project, catalogue, {it.voice for it in selected})
            without = enqueue_replays(project, selected)
            return replay_summary(
                project, selected, _run(project, catalogue, workers, quiet), without
            )
        if voice is not None:
            _refuse(project, catalogue, {voice})
            _give_voice(project, selected, voice)
            selected, _ = segments_of(project, chapters, span)
        lost = project.lost_segments()
        wanted = [it for it in selected if _is_wanted(it, lost, reseed=reseed)]
        _refuse(project, catalogue, {it.voice for it in wanted})
        _enqueue(project, wanted, lost, reseed=reseed)
        earlier = _queued_before(project, wanted)
        outcome = _run(project, catalogue, workers, quiet, wanted)
        return _summary(project, selected, outcome, earlier)


def _refuse(project: Project, catalogue: Catalogue, voices: set[str]) -> None:
    """Let no marked book be narrated by engines that are not for it: what waits goes along."""
    waiting = {segment.voice for segment in project.segments() if segment.queued}
    repeating.refuse(project, waiting | voices, catalogue)


def _queued_before(project: Project, wanted: Sequence[Segment]) -> int:
    """How many segments wait beside those that are wanted; said before they go along.

    An engine that one of them needs may be what stops the run.
    """
    asked = {segment.uid for segment in wanted}
    numbers = [it.number for it in project.segments() if it.queued and it.uid not in asked]
    if numbers:
        was, it = ("was", "it goes") if len(numbers) == 1 else ("were", "they go")
        print(
            f"note: {counted(len(numbers), 'segment')} {was} queued before, and {it} along: "
            f"{number_runs(numbers)}",
            file=sys.stderr,
        )
    return len(numbers)


def _is_wanted(segment: Segment, lost: Collection[str], *, reseed: bool) -> bool:
    """Whether a segment is to be narrated."""
    if segment.kind is Kind.SCENE_BREAK:
        return False
    return reseed or segment.state() in UNFINISHED or segment.uid in lost


def _enqueue(
    project: Project, wanted: Sequence[Segment], lost: frozenset[str], *, reseed: bool
) -> None:
    """Ask for takes, and for lost clips in the way that makes them again as they were."""
    # Of a take that was voiced from kept tokens it is these that make its lost clip again.
    sound = {it.uid for it in wanted if not (reseed or it.failure or it.stale)}
    voiced = project.replayed_takes(lost & sound)
    uids = [segment.uid for segment in wanted if segment.uid not in voiced]
    project.enqueue(uids, new_seeds=reseed, label=f"narrated {counted(len(uids), 'segment')}")
    if voiced:
        project.enqueue([*voiced], replays=voiced, label="lost clips")


def _run(
    project: Project,
    catalogue: Catalogue,
    workers: int | None,
    quiet: bool,
    wanted: Sequence[Segment] = (),
) -> Run:
    """Narrate what waits, while the machine is kept awake.

    Args:
        project: The book.
        catalogue: The engines.
        workers: How many processes; None as they are configured.
        quiet: Whether no progress is shown.
        wanted: Segments of which it is told beforehand what their engines will refuse.
    """
    refuse_if_no_room(project)
    for refusal in refusals(wanted, project.voices()):
        print(f"note: {refusal}", file=sys.stderr)
    with Awake(on=bool(project.queue()) and Preferences.load().keep_awake):
        return asyncio.run(_work(project, catalogue, workers, quiet))


def refuse_if_no_room(project: Project) -> None:
    """Stop before a long run that the disk cannot hold.

    Raises:
        MachineFault: The queue needs more room than the disk has.
    """
    import shutil

    segments = project.segments()
    needed = estimate(segments, [segment for segment in segments if segment.queued]).bytes
    free = shutil.disk_usage(project.folder).free
    if needed > free:
        raise MachineFault(
            f"The queue needs about {needed / 1e6:,.1f} MB and the disk of {project.folder} "
            f"has {free / 1e6:,.1f} MB free; make room, or narrate fewer chapters."
        )


def _give_voice(project: Project, selected: Sequence[Segment], voice: str) -> None:
    known = project.voices()
    if voice not in known:
        raise BadInput(
            f"“{project.info.title}” has no voice “{voice}”; it has {', '.join(sorted(known))}."
        )
    others = [segment.uid for segment in selected if segment.voice != voice]
    if others:
        project.set_voice(others, voice)


async def _work(project: Project, catalogue: Catalogue, workers: int | None, quiet: bool) -> Run:
    """Run a director until the queue is empty, with a progress line and a clean interrupt."""
    outcome = Run()
    loop = asyncio.get_running_loop()
    outcome.started = loop.time()
    total = len(project.queue())
    progress = Progress(total, quiet=quiet)
    interrupted = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, interrupted.set)

    def show(status: NarrationStatus) -> None:
        outcome.status = status
        progress.show(total - status.queued, status)

    desk = Desk()
    director = Director(
        project, desk, catalogue, workers=workers, on_change=outcome.note, on_status=show
    )
    running = asyncio.create_task(director.run())
    director.resume()
    idle = asyncio.create_task(director.until_idle())
    stop = asyncio.create_task(interrupted.wait())
    try:
        await asyncio.wait({idle, stop, running}, return_when=asyncio.FIRST_COMPLETED)
        if interrupted.is_set():
            await director.stop()
    finally:
        outcome.status = director.status
        outcome.seconds = loop.time() - outcome.started
        await director.close()
        for task in (idle, stop):
            task.cancel()
        await asyncio.gather(idle, stop, return_exceptions=True)
        progress.close()
        desk.close()
    await running
    if interrupted.is_set():
        left = len(project.queue())
        raise KeyboardInterrupt(
            f"Interrupted: {total - left} of {total} segments are done and kept, {left} stay "
            f"queued; run the same command to go on."
        )
    if outcome.status.stopped_because:
        raise MachineFault(outcome.status.stopped_because)
    return outcome


def _not_the_same(project: Project, outcome: Outcome) -> str:
    """What to say of a lost clip that could not be made again as it was, or nothing."""
    if not outcome.item.replay or outcome.take == outcome.item.remake:
        return ""
    rows = project.segments_by_uid([outcome.item.segment])
    number = rows[outcome.item.segment].number if rows else 0
    if outcome.take is None:
        return f"The lost clip of segment {number} is not there again: {outcome.reason}"
    return (
        f"The lost clip of segment {number} did not come out the same; what did is its take "
        f"{project.take(outcome.take).number}: choose that in the studio."
    )


def _summary(project: Project, selected: Sequence[Segment], outcome: Run, earlier: int) -> Reply:
    """What the run has made, and what it could not."""
    rows = project.segments_by_uid([segment.uid for segment in selected])
    states = {row.number: row.state() for row in rows.values()}
    failed = sorted((row for row in rows.values() if row.failure), key=lambda row: row.number)
    flagged = sorted(n for n, state in states.items() if state is State.FLAGGED)
    status = outcome.status
    lines = [
        f"Narrated {counted(status.made, 'segment')}: "
        f"{duration(status.audio_made)} of audio in {duration(outcome.seconds)}"
        + (f", RTF {status.rtf_rolling:.3f}." if status.made else ".")
    ]
    if not status.made and not outcome.outcomes and not failed:
        lines = ["Nothing was missing: every line that was asked for has a take of its text."]
    if earlier > 0:
        were = "was" if earlier == 1 else "were"
        lines.append(f"{earlier:,} of them {were} queued before and went along.")
    if flagged:
        word = "segments" if len(flagged) > 1 else "segment"
        lines.append(f"Flagged by the checks; listen to {word} {number_runs(flagged)}.")
    lines += [other for it in outcome.outcomes if (other := _not_the_same(project, it))]
    uids = [it.item.segment for it in outcome.outcomes if it.beside]
    lines += beside_lines(outcome.outcomes, project.segments_by_uid(uids))
    lines += status.voice_notes
    lines += [f"Failed: {row.number}: {row.failure}" for row in failed]
    data: dict[str, Any] = {
        "project": str(project.folder),
        "made": status.made,
        "audio_seconds": round(status.audio_made, 3),
        "wall_seconds": round(outcome.seconds, 3),
        "recycles": status.recycles,
        "crashes": status.crashes,
        "flagged": flagged,
        "voice_notes": list(status.voice_notes),
        "failed": [{"number": row.number, "uid": row.uid, "reason": row.failure} for row in failed],
    }
    return Reply(data, lines, exit_code=3 if failed else 0)
