"""The options that say what of a manuscript is narrated, alike for every command that reads one."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from studio.book.policies import FOR, Policies
from studio.commands.values import numbers, path


def manuscript(parser: argparse.ArgumentParser) -> None:
    """The argument that names a manuscript."""
    formats = "a manuscript: EPUB, Word, HTML, FB2, Markdown or text; - for standard input"
    parser.add_argument("book", metavar="BOOK", type=path, help=formats)


def policies(parser: argparse.ArgumentParser, default: str = "") -> None:
    """The options that say what of a manuscript is narrated.

    Args:
        parser: Of the command.
        default: What holds where nothing is named, in words; empty for the usual.
    """
    for name, offered in Policies.offered().items():
        choices = [choice.replace(" ", "-") for choice in offered]
        told = f"{FOR[name]} (default: {default or choices[0]})"
        parser.add_argument(f"--{name}", choices=choices, help=told)


def picks(parser: argparse.ArgumentParser, default: str = "") -> None:
    """The options that say which pieces of a manuscript are narrated, and what of them."""
    for name, what in (("--skip", "leave these pieces out"), ("--take", "narrate these pieces")):
        parser.add_argument(
            name,
            metavar="N",
            type=numbers,
            nargs="+",
            action="extend",
            default=[],
            help=f"{what}, by number (3 or 3-7) as rhapsode pieces lists them",
        )
    policies(parser, default)


def chosen(options: argparse.Namespace) -> dict[str, str]:
    """The policies that were named."""
    values = {name: getattr(options, name) for name in Policies.offered()}
    return {name: value for name, value in values.items() if value is not None}


def numbered(ranges: Sequence[range]) -> list[int]:
    """The numbers of some ranges."""
    return [number for each in ranges for number in each]
