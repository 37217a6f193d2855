"""The commands that make, open, move and list projects."""

from __future__ import annotations

import argparse
import sys

from studio.command_line import options
from studio.command_line.parser import Adder
from studio.command_line.values import path
from studio.commands.reply import Reply
from studio.errors import BadInput


def add(command: Adder) -> None:
    """Add the commands that make, open, move and list projects."""
    new = command("new", _new, "import a manuscript into a new project")
    options.manuscript(new)
    options.new_folder(new)
    new.add_argument("--voice", metavar="V", help="who reads (default: heart)")
    new.add_argument(
        "--language",
        metavar="L",
        help="language tag, such as en, where the book is silent or wrong about it",
    )
    options.picks(new)
    listed = command("pieces", _pieces, "every piece of a manuscript, and why some are not read")
    options.manuscript(listed)
    options.policies(listed)
    renewed = command("update", _update, "bring a new edition of the manuscript into a project")
    options.folder(renewed)
    options.manuscript(renewed)
    renewed.add_argument("--dry-run", action="store_true", help="only say what would change")
    options.picks(renewed, "as chosen before")
    opened = command("open", on_screen, "open the studio on a project")
    options.folder(opened, needed=False)
    opened.add_argument(
        "--sample",
        action="store_true",
        help="the sample book; without a terminal "
        "its first chapter is narrated and exported instead",
    )
    pack = command("pack", _pack, "write a project into one file, to move or to keep it")
    options.folder(pack)
    pack.add_argument(
        "--to",
        metavar="FILE",
        type=path,
        help="the file, or a folder for it (default: the book's name, here)",
    )
    unpack = command("unpack", _unpack, "make a project's folder of a packed file")
    unpack.add_argument("file", metavar="FILE", type=path, help="what rhapsode pack wrote")
    options.new_folder(unpack)
    options.folder(command("status", _status, "counts per chapter"))
    told = command("settings", _settings, "what a book is set to; marks it as reproducible")
    options.folder(told)
    told.add_argument(
        "--reproducible",
        choices=["on", "off"],
        help="on: no engine narrates it whose takes do not follow from their recipes alone",
    )
    counted = command("coverage", _coverage, "what has become of every character of a manuscript")
    options.folder(counted)
    counted.add_argument(
        "--rules", action="store_true", help="list the places, too: by chapter and by rule"
    )
    listed = command("segments", _segments, "every segment with its state, seed and take")
    options.folder(listed)
    listed.add_argument(
        "--state",
        metavar="STATE",
        choices=["queued", "failed", "draft", "stale", "flagged", "approved", "ready"],
        help="only those in one state: queued, failed, draft, stale, flagged, approved or ready",
    )


# Each command imports what it needs when it runs: the listing of a book must not wait for a screen.


def library(given: argparse.Namespace) -> Reply:
    """Open the library of recent projects."""
    _need_terminal("the library", "rhapsode --help names the commands that need none")
    from studio.ui.app import run_studio

    return Reply(exit_code=run_studio(None))


def on_screen(given: argparse.Namespace) -> Reply:
    """Open the studio on a project."""
    from studio.commands.opening import open_folder, open_sample

    if given.sample == (given.folder is not None):
        raise BadInput("Name a project's folder, or --sample for the sample book, one of the two.")
    if given.sample:
        return open_sample(quiet=given.json)
    _need_terminal("the studio", "rhapsode narrate and rhapsode export work without one")
    return open_folder(given.folder)


def _need_terminal(what: str, instead: str) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput(f"There is no terminal to show {what} in; {instead}.")


def _new(given: argparse.Namespace) -> Reply:
    from studio.commands.importing import new

    return new(
        given.book,
        to=given.to,
        voice=given.voice,
        language=given.language,
        policies=options.chosen(given),
        skip=options.numbered(given.skip),
        take=options.numbered(given.take),
        quiet=given.json,
    )


def _update(given: argparse.Namespace) -> Reply:
    from studio.commands.updating import update

    return update(
        given.folder,
        given.book,
        policies=options.chosen(given),
        skip=options.numbered(given.skip),
        take=options.numbered(given.take),
        dry_run=given.dry_run,
        quiet=given.json,
    )


def _pieces(given: argparse.Namespace) -> Reply:
    from studio.commands.choosing import pieces

    return pieces(given.book, options.chosen(given), quiet=given.json)


def _pack(given: argparse.Namespace) -> Reply:
    from studio.commands.packing import pack

    return pack(given.folder, to=given.to, quiet=given.json)


def _unpack(given: argparse.Namespace) -> Reply:
    from studio.commands.packing import unpack

    return unpack(given.file, to=given.to, quiet=given.json)


def _status(given: argparse.Namespace) -> Reply:
    from studio.commands.listing import status

    return status(given.folder)


def _settings(given: argparse.Namespace) -> Reply:
    from studio.commands.settings import settings

    mark = None if given.reproducible is None else given.reproducible == "on"
    return settings(given.folder, reproducible=mark)


def _coverage(given: argparse.Namespace) -> Reply:
    from studio.commands.coverage import coverage

    return coverage(given.folder, rules=given.rules)


def _segments(given: argparse.Namespace) -> Reply:
    from studio.commands.listing import segments
    from studio.project.model import State

    return segments(given.folder, State(given.state) if given.state else None)
