"""The parser of the whole command, with every command below it."""

from __future__ import annotations

import argparse

from studio import __version__
from studio.command_line import bench, books, care, lexicon, soak, sound, voices
from studio.command_line.parser import EXIT_CODES, Parser, adder, everywhere


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = Parser(
        prog="rhapsode",
        parents=[everywhere()],
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A terminal studio for narrating books with local voices. "
        "Without a command it opens the library of recent projects.",
    )
    parser.add_argument("--version", action="version", version=f"rhapsode {__version__}")
    parser.set_defaults(run=books.library, json=False, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    command = adder(commands)
    for group in (books, voices, lexicon, sound, care, soak, bench):
        group.add(command)
    return parser
