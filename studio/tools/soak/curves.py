"""The curves of one soak: what stands in which panel of its chart."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from studio.narration.recycling import MB
from studio.tools.soak.drawing import Curve, Marks, Panel, Point, chart
from studio.tools.soak.watching import Sample, Watch

GB = 1024 * MB

BLUE, ORANGE, GREEN, GREY, RED, PALE = (
    "#2563eb",
    "#c2410c",
    "#047857",
    "#6b7280",
    "#b91c1c",
    "#93c5fd",
)
"""Far enough apart for every kind of colour vision, and told apart by dashes and shapes too."""


def draw(watch: Watch, title: str, subtitle: str) -> str:
    """The chart of a run as SVG text."""
    samples = watch.points
    memory = Panel(
        "Worker footprint",
        "MB",
        [
            Curve("worker", BLUE, _workers(samples)),
            Curve("baseline + budget", GREY, _limits(samples), 1.2, "6 4"),
        ],
        _events(watch),
    )
    studio = Panel(
        "Studio footprint", "MB", [Curve("studio", GREEN, _line(samples, lambda s: s.studio / MB))]
    )
    swap = Panel(
        "System memory",
        "GB",
        [
            Curve("swap in use", RED, _line(samples, lambda s: s.swap / GB)),
            Curve("available", GREY, _line(samples, lambda s: s.free / GB), 1.2, "6 4"),
        ],
    )
    rtf = Panel(
        "RTF",
        "wall seconds of synthesis per second of audio",
        [
            Curve("latest clip", PALE, _line(samples, lambda s: s.rtf_now), 1.0),
            Curve("last 20 clips", ORANGE, _line(samples, lambda s: s.rtf_rolling), 1.8),
        ],
    )
    seconds = samples[-1].seconds if samples else 0.0
    return chart(title, subtitle, [memory, studio, swap, rtf], seconds)


def _events(watch: Watch) -> list[Marks]:
    marks = [Marks("recycled", ORANGE, watch.recycled)]
    return [*marks, Marks("crashed", RED, watch.crashed)] if watch.crashed else marks


def _line(samples: Sequence[Sample], value: Callable[[Sample], float]) -> list[list[Point]]:
    return [[(sample.seconds, value(sample)) for sample in samples]]


def _workers(samples: Sequence[Sample]) -> list[list[Point]]:
    """A piece for each worker, from its first measurement to its last."""
    pieces: dict[tuple[str, int], list[Point]] = {}
    for sample in samples:
        for worker in sample.workers:
            if worker.footprint:
                piece = pieces.setdefault((worker.engine, worker.number), [])
                piece.append((sample.seconds, worker.footprint / MB))
    return list(pieces.values())


def _limits(samples: Sequence[Sample]) -> list[list[Point]]:
    """The highest limit of the workers that have one at each moment."""
    points = []
    for sample in samples:
        limits = [w.baseline + w.budget for w in sample.workers if w.baseline and w.budget]
        if limits:
            points.append((sample.seconds, max(limits) / MB))
    return [points] if points else []
