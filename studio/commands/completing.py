"""`rhapsode completion`: what a shell needs to complete our commands, options and folders."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from studio.command_line.values import path, path_or_nothing
from studio.commands.reply import Reply

SHELLS = ("bash", "zsh", "fish")

FOLDERS = frozenset({"DIR"})
"""Words of the usage that stand for a folder; other paths may be files."""


def completion(parser: argparse.ArgumentParser, shell: str) -> Reply:
    """The script for a shell, made from the parser itself so that it lacks nothing.

    Args:
        parser: Of the whole command.
        shell: One of `SHELLS`.
    """
    import shtab

    for action in _actions(parser):
        if action.type in (path, path_or_nothing):
            folder = action.metavar in FOLDERS
            # shtab reads this attribute; argparse does not know it.
            action.complete = shtab.DIRECTORY if folder else shtab.FILE  # type: ignore[attr-defined]
    script = shtab.complete(parser, shell=shell)
    return Reply({"shell": shell, "script": script}, [script])


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every option and argument of a parser and of the commands below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
