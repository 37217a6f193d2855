"""The command line of `rhapsode soak`: its options, and what runs."""

from __future__ import annotations

import argparse

from studio.command_line import options
from studio.command_line.parser import Adder
from studio.command_line.values import megabytes, path, positive, seconds, whole, workers
from studio.commands.reply import Reply
from studio.errors import BadInput


def add(command: Adder) -> None:
    """Add `rhapsode soak`."""
    soak = command("soak", _soak, "narrate a book's lines for long, and judge memory and bytes")
    options.folder(soak)
    soak.add_argument(
        "--clips", metavar="N", type=positive, required=True, help="how many lines to narrate"
    )
    soak.add_argument("--workers", metavar="N", type=workers, help="engine processes at once")
    soak.add_argument(
        "--budget-mb",
        metavar="M",
        type=megabytes,
        help="growth in MB before a worker is recycled; off: no limit of memory at all",
    )
    soak.add_argument(
        "--max-clips", metavar="K", type=positive, help="clips before a worker is recycled"
    )
    soak.add_argument(
        "--seed", metavar="N", type=int, default=1, help="another order and other seeds"
    )
    soak.add_argument(
        "--every", metavar="S", type=seconds, default=1.0, help="seconds between samples"
    )
    soak.add_argument(
        "--again",
        metavar="N",
        type=whole,
        default=20,
        help="how many clips a fresh worker narrates again at the end (default 20)",
    )
    soak.add_argument("--expect", metavar="DIGEST", default="", help="what an earlier run gave")
    soak.add_argument("--record", metavar="FILE", type=path, help="samples as JSON lines")
    soak.add_argument("--chart", metavar="FILE", type=path, help="the curves as an SVG picture")
    soak.add_argument("--keep", metavar="DIR", type=path, help="keep the copy of the book there")
    soak.add_argument(
        "--compare",
        action="store_true",
        help="the same lines without a limit, as configured, and recycling every K clips "
        "without a spare (default 2): what recycling costs",
    )
    soak.add_argument(
        "--spare",
        action="store_true",
        help="with --compare: each policy with and without a spare worker",
    )


def _soak(given: argparse.Namespace) -> Reply:
    from studio.commands.soaking import SoakOptions, compare, soak
    from studio.tools.soak.plan import Limits

    wanted = SoakOptions(
        clips=given.clips,
        seed=given.seed,
        workers=given.workers,
        limits=Limits(budget_mb=given.budget_mb, max_clips=given.max_clips),
        every=given.every,
        again=given.again,
        expect=given.expect,
        record=given.record,
        chart=given.chart,
        keep=given.keep,
    )
    if given.compare:
        lone = {"budget_mb": None, "record": None, "chart": None, "keep": None, "expect": ""}
        named = [name for name, unset in lone.items() if getattr(given, name) != unset]
        if named:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in named)
            raise BadInput(f"--compare has nothing to do with {names}; leave one of them out.")
        return compare(given.folder, wanted, spare=given.spare, quiet=given.json)
    if given.spare:
        raise BadInput("--spare belongs to --compare; add it, or leave --spare out.")
    return soak(given.folder, wanted, quiet=given.json)
