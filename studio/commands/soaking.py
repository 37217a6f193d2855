"""`rhapsode soak`: a long narration of a book's lines, and a verdict on what became of them."""

from __future__ import annotations

import asyncio
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from studio.commands.narrating import refuse_if_no_room
from studio.commands.progress import Progress
from studio.commands.reply import Reply
from studio.engines.catalogue import Catalogue
from studio.errors import BadInput, MachineFault
from studio.narration import repeating
from studio.narration.status import NarrationStatus
from studio.narration.verify import Difference, verify
from studio.project.project import Project
from studio.tools.pictures import save
from studio.tools.soak import comparing, curves, plan
from studio.tools.soak.comparing import Cost
from studio.tools.soak.running import Ran, run
from studio.tools.soak.verdict import Takes, Verdict, judge, read
from studio.tools.soak.watching import Record, Watch
from studio.wording import duration


@dataclass(frozen=True, slots=True)
class SoakOptions:
    """What a soak does."""

    clips: int
    seed: int = 1
    """Decides the lines' order and their seeds."""
    workers: int | None = None
    """Processes per engine; None for what its configuration says."""
    limits: plan.Limits = field(default_factory=plan.Limits)
    every: float = 1.0
    """Seconds between two samples while no clip is recorded."""
    again: int = 20
    """Clips that a fresh worker narrates again at the end."""
    expect: str = ""
    """Digest of an earlier run that this one must have, or empty."""
    record: Path | None = None
    chart: Path | None = None
    keep: Path | None = None
    """Where the throw-away project stays; None for a temporary folder."""


def soak(folder: Path, options: SoakOptions, *, quiet: bool = False) -> Reply:
    """Narrate lines of a book in a throw-away copy and judge the result; the book is only read.

    Args:
        folder: The book's project.
        options: What to do.
        quiet: Whether to leave out the progress line.

    Raises:
        BadInput: The book has nothing to speak, an option makes no sense, or an engine's takes do
            not follow from their recipes alone.
        MachineFault: The engine cannot run, or the disk is in the way.
        KeyboardInterrupt: Interrupted; the record and the chart hold what there was.
    """
    if options.chart is not None and options.chart.suffix.lower() != ".svg":
        raise BadInput(f"The chart is drawn as SVG; name a file that ends in .svg: {options.chart}")
    catalogue = plan.limited(Catalogue.of_user(), options.limits)
    record = Record(options.record) if options.record is not None else None
    try:
        with _place(options.keep) as place:
            project = plan.copy(folder, place, options.clips, options.seed)
            with project:
                for name in plan.engines(project):
                    if name in catalogue:
                        repeating.compare(name, repeating.of_spec(catalogue[name]), "A soak")
                verdict = _run(project, catalogue, options, record, quiet)
        if record is not None and not verdict.unwritten:
            record.write("verdict", verdict.data())
    finally:
        if record is not None:
            record.close()
    code = 4 if verdict.faults else 6 if verdict.unwritten else 0
    return Reply(verdict.data(), verdict.lines(), exit_code=code)


def compare(
    folder: Path, options: SoakOptions, *, spare: bool = False, quiet: bool = False
) -> Reply:
    """Narrate the same lines under several recycling policies, in turns, and compare their costs.

    Args:
        folder: The book's project.
        options: Of these, clips, seed, workers and the clip limit count: every how many clips the
            last policy recycles.
        spare: Whether to try each recycling policy with and without a spare.
        quiet: Whether to leave out the progress line.

    Raises:
        BadInput: The book has nothing to speak.
        MachineFault: The engine cannot run, or the disk is in the way.
        KeyboardInterrupt: Interrupted.
    """
    policies = _policies(options.limits.max_clips or 2, spare)
    costs = {name: Cost(name) for name in policies}
    progress = Progress(options.clips * len(policies), quiet=quiet)
    with _place(None) as place:
        projects: dict[str, Project] = {}
        try:
            for number, name in enumerate(policies):
                projects[name] = plan.copy(folder, place / str(number), options.clips, options.seed)
            for name, cost in _turns(projects, policies, options, progress):
                costs[name] = costs[name].plus(cost)
            takes = {name: read(project) for name, project in projects.items()}
        finally:
            progress.close()
            for project in projects.values():
                project.close()
    judged = [replace(costs[name], takes=takes[name]) for name in policies]
    return _compared(judged, options.clips)


def _policies(every: int, spare: bool) -> dict[str, plan.Limits]:
    """Limits by the name of their policy; the first is what the others are compared with.

    A worker goes on beyond its clips while a spare is loaded, so only without one is it recycled
    exactly as often as the name says.
    """
    often = f"every {every} clips"
    policies = {"budget off": plan.Limits(budget_mb=0, max_clips=0)}
    if not spare:
        policies["as configured"] = plan.Limits()
    else:
        policies["as configured, spare"] = plan.Limits(spare=True)
        policies["as configured, no spare"] = plan.Limits(spare=False)
        policies[f"{often}, spare"] = plan.Limits(max_clips=every, spare=True)
    policies[f"{often}, no spare"] = plan.Limits(max_clips=every, spare=False)
    return policies


def _turns(
    projects: dict[str, Project],
    policies: dict[str, plan.Limits],
    options: SoakOptions,
    progress: Progress,
) -> Iterator[tuple[str, Cost]]:
    """Rounds of a part of the lines; each policy has its turn in each, in another order."""
    names = list(policies)
    rounds = min(comparing.ROUNDS, options.clips)
    done = 0
    for number in range(rounds):
        part = slice(number * options.clips // rounds, (number + 1) * options.clips // rounds)
        for name in names[number % len(names) :] + names[: number % len(names)]:
            project = projects[name]
            catalogue = plan.limited(Catalogue.of_user(), policies[name])
            uids = [segment.uid for segment in project.segments()][part]
            project.enqueue(uids)
            refuse_if_no_room(project)
            base = done

            def show(status: NarrationStatus, clips: int, base: int = base) -> None:
                progress.show(base + clips, status)

            ran = asyncio.run(run(project, catalogue, workers=options.workers, on_clips=show))
            _refuse_to_judge(ran)
            done += len(uids)
            yield name, _cost(project, name, uids, ran)


def _cost(project: Project, name: str, uids: list[str], ran: Ran) -> Cost:
    later = project.segments_by_uid(set(uids) - ran.first)
    return Cost(
        name,
        wall=ran.seconds,
        steady=ran.seconds - ran.first_at,
        steady_audio=sum(segment.seconds for segment in later.values()),
        recycles=ran.status.recycles,
        crashes=ran.status.crashes,
    )


def _compared(costs: list[Cost], clips: int) -> Reply:
    """The table, and whether every policy gave the same bytes."""
    faults = [
        f"“{cost.name}” lost {len(takes.lost):,} and doubled {len(takes.doubled):,} clips"
        for cost in costs
        if (takes := cost.takes) is not None and (takes.lost or takes.doubled)
    ]
    digests = {cost.takes.digest for cost in costs if cost.takes is not None}
    if len(digests) > 1:
        faults.append("the policies gave different bytes")
    said = [*comparing.rows(costs), ""]
    said.append(
        "Not as it must be: " + "; ".join(faults) + "."
        if faults
        else f"{clips:,} clips under each of {len(costs)} policies: the same bytes "
        f"({next(iter(digests))})."
    )
    data = {
        "clips": clips,
        "policies": [cost.data(costs[0]) for cost in costs],
        "same_bytes": len(digests) == 1,
        "well": not faults,
    }
    return Reply(data, said, exit_code=4 if faults else 0)


@contextmanager
def _place(keep: Path | None) -> Iterator[Path]:
    """A path for the throw-away project that is free, and gone at the end unless it is kept."""
    if keep is not None:
        yield keep
        return
    folder = Path(tempfile.mkdtemp(prefix="rhapsode-soak-"))
    try:
        yield folder / "soak"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(
    project: Project,
    catalogue: Catalogue,
    options: SoakOptions,
    record: Record | None,
    quiet: bool,
) -> Verdict:
    uids = [segment.uid for segment in project.segments()]
    project.enqueue(uids)
    refuse_if_no_room(project)
    progress = Progress(len(uids), quiet=quiet)
    watch = Watch(len(uids), options.every, record)
    if record is not None:
        record.write("start", _settings(project, catalogue, options))

    def on_status(status: NarrationStatus, clips: int) -> None:
        watch.status(status, clips)
        progress.show(clips, status)

    try:
        ran = asyncio.run(
            run(
                project,
                catalogue,
                workers=options.workers,
                on_status=on_status,
                on_clips=watch.sample,
            )
        )
    finally:
        progress.close()
    takes = read(project)
    if options.chart is not None:
        try:
            save(options.chart, curves.draw(watch, *_captions(project, takes, ran)))
        except MachineFault as error:
            watch.fault = watch.fault or str(error)  # The verdict is worth more than its picture.
    if ran.interrupted:
        print(
            f"Interrupted: {takes.made} of {len(uids)} clips were made; there is no verdict.",
            file=sys.stderr,
        )
    _refuse_to_judge(ran)
    checked, differences = _again(project, catalogue, options)
    return judge(
        project,
        catalogue,
        takes,
        ran,
        watch,
        asked=len(uids),
        checked=checked,
        differences=differences,
        expected=options.expect,
    )


def _refuse_to_judge(ran: Ran) -> None:
    """Stop where a run says nothing of bytes: it was interrupted, or the engine does not work."""
    if ran.interrupted:
        raise KeyboardInterrupt
    if ran.status.stopped_because and not ran.status.made:
        raise MachineFault(ran.status.stopped_because)


def _again(
    project: Project, catalogue: Catalogue, options: SoakOptions
) -> tuple[int, list[Difference]]:
    """Let a fresh worker narrate some of the clips; it knows nothing of what ran before."""
    made = sum(1 for _ in project.all_takes())
    places = set(random.Random(options.seed).sample(range(made), min(options.again, made)))
    chosen = [take for place, take in enumerate(project.all_takes()) if place in places]
    if not chosen:
        return 0, []
    return len(chosen), asyncio.run(verify(project, catalogue, chosen, workers=1))


def _settings(project: Project, catalogue: Catalogue, options: SoakOptions) -> dict[str, object]:
    """The first line of the record: what was asked for."""
    return {
        "clips": options.clips,
        "seed": options.seed,
        "engines": {
            name: {
                "workers": options.workers or spec.workers,
                "budget_mb": spec.budget_mb,
                "ceiling_mb": spec.ceiling_mb,
                "max_clips": spec.max_clips,
                "spare": spec.spare,
            }
            for name in plan.engines(project)
            if name in catalogue
            for spec in (catalogue[name],)
        },
    }


def _captions(project: Project, takes: Takes, ran: Ran) -> tuple[str, str]:
    """Title and subtitle of the chart."""
    return (
        f"{takes.made:,} clips, {duration(takes.audio)} of audio, in {duration(ran.seconds)}",
        f"engine {', '.join(plan.engines(project))} · {ran.status.recycles:,} recycles · "
        f"{ran.status.crashes:,} crashes · {len(takes.lost):,} clips lost · "
        f"{len(takes.doubled):,} doubled",
    )
