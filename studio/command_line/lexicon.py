"""The command line of `rhapsode lexicon`: its options, and what runs."""

from __future__ import annotations

import argparse

from studio.command_line import options
from studio.command_line.parser import Adder
from studio.command_line.values import path
from studio.commands.reply import Reply


def add(command: Adder) -> None:
    """Add `rhapsode lexicon`."""
    lexicon = command("lexicon", _lexicon, "how words are spoken; read and write such rules")
    options.folder(lexicon, "the project's folder; your own lexicon needs none", needed=False)
    lexicon.add_argument(
        "--import", dest="read", metavar="FILE", type=path, help="read rules from a CSV or PLS file"
    )
    lexicon.add_argument(
        "--export", dest="write", metavar="FILE", type=path, help="write the rules to such a file"
    )
    lexicon.add_argument("--words", action="store_true", help="list uncommon words of the book")
    lexicon.add_argument(
        "--user", action="store_true", help="your own lexicon, for all books, not this book's"
    )


def _lexicon(given: argparse.Namespace) -> Reply:
    from studio.commands.lexicon import lexicon

    return lexicon(
        given.folder,
        read=given.read,
        write=given.write,
        words=given.words,
        user=given.user,
    )
