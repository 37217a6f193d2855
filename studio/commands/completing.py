"""`rhapsode completion`: what a shell needs to complete our commands, options and folders."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from studio.command_line.values import engine, engine_apart, path, path_or_nothing
from studio.commands.reply import Reply
from studio.engines.catalogue import BUILT_IN, Catalogue
from studio.engines.known import ENGINES
from studio.errors import StudioError

SHELLS = ("bash", "zsh", "fish")

FOLDERS = frozenset({"DIR"})
"""Words of the usage that stand for a folder; other paths may be files."""


def completion(parser: argparse.ArgumentParser, shell: str) -> Reply:
    """The script for a shell, made from the parser itself so that it lacks nothing.

    The engines that it offers are those of this moment, the user's own tables among them.

    Args:
        parser: Of the whole command; not to be used for anything afterwards.
        shell: One of `SHELLS`.
    """
    import shtab

    engines = {engine: _engines(), engine_apart: tuple(ENGINES)}
    for action in _actions(parser):
        if action.type in engines:
            action.choices = engines[action.type]
        if action.type in (path, path_or_nothing):
            folder = action.metavar in FOLDERS
            # shtab reads this attribute; argparse does not know it.
            action.complete = shtab.DIRECTORY if folder else shtab.FILE  # type: ignore[attr-defined]
    script = shtab.complete(parser, shell=shell)
    return Reply({"shell": shell, "script": script}, [script])


def _engines() -> tuple[str, ...]:
    """Engines that there are, or could be; a broken configuration keeps nobody from completing."""
    try:
        catalogue = Catalogue.of_user()
    except StudioError:
        return (BUILT_IN, *ENGINES)
    return (*catalogue, *catalogue.missing)


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Every option and argument of a parser and of the commands below it."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                yield from _actions(command)
