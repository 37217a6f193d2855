"""The parser of the command line, and what every command has."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Collection
from typing import Any, NoReturn

from studio.commands.reply import Reply

Run = Callable[[argparse.Namespace], Reply]
"""What runs for a command."""
Adder = Callable[[str, Run, str], argparse.ArgumentParser]
"""Adds a command, or a part of one, with what it runs and a summary; returns its parser."""

EXIT_CODES = """\
exit codes: 0 done, 1 a fault of ours, 2 usage, 3 some segments failed or are missing,
4 verification differs, 5 bad input, 6 the machine is in the way, 130 interrupted"""


class Usage(Exception):
    """The command line cannot be understood; the text says why."""


class Parser(argparse.ArgumentParser):
    """Leaves it to its caller to say what is wrong with a command line."""

    unnamed = ""
    """The command below this one that is meant where none is named."""
    named: Collection[str] = ()
    """The commands below this one."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read arguments, with the name of the command below where it was left out."""
        if self.unnamed and args is not None:
            first = next((word for word in args if word not in ("--json", "--debug")), "")
            if first not in (*self.named, "-h", "--help"):
                args = [self.unnamed, *args]
        found, unknown = super().parse_known_args(args, namespace)
        if unknown and not self._has_commands():
            # Said by the command itself, whose usage is the one to show.
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def _has_commands(self) -> bool:
        """Whether there are commands below this one, which know their own arguments."""
        return any(isinstance(it, argparse._SubParsersAction) for it in self._actions)

    def error(self, message: str) -> NoReturn:
        """Show how the command is used."""
        self.print_usage(sys.stderr)
        raise Usage(message)


def everywhere() -> Parser:
    """The options that may stand before the command or behind it.

    They have no default, lest a command's own silence overrule what stood before it; and each
    parser gets its own, for argparse shares what comes from one parent.
    """
    common = Parser(add_help=False)
    common.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help="one JSON object on standard output, and nothing else there",
    )
    common.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show tracebacks and log more",
    )
    return common


def adder(to: argparse._SubParsersAction[Any]) -> Adder:
    """What adds a command, or a part of one, with what it runs and a summary."""

    def add(name: str, run: Run, summary: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = to.add_parser(
            name,
            parents=[everywhere()],
            help=summary,
            description=summary,
            epilog=EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    return add
