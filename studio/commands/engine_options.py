"""The command line of `rhapsode engines`: its parts, their options, and what runs for each."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from studio.commands.reply import Reply
from studio.commands.values import path

Adder = Callable[[str, Callable[[argparse.Namespace], Reply], str], argparse.ArgumentParser]
"""Adds a part with what it runs and a summary; returns its parser."""


def add(part: Adder) -> None:
    """Add the parts of `rhapsode engines`."""
    install = part("install", _install, "make an environment for an engine, with its libraries")
    _named(install)
    install.add_argument(
        "--python", metavar="PATH", type=path, help="the Python to make it with (default: this one)"
    )
    install.add_argument(
        "--accelerator",
        choices=["auto", "cpu", "cuda"],
        default="auto",
        help="auto (default): cuda where an NVIDIA driver is, else cpu",
    )
    install.add_argument(
        "--index-url", metavar="URL", default="", help="the package index (default: pip's own)"
    )
    install.add_argument(
        "--upgrade", action="store_true", help="make it anew where it is installed already"
    )
    pull = part("pull", _pull, "fetch an engine's weights; one that was broken off goes on")
    _named(pull)
    pull.add_argument(
        "--revision", metavar="R", default="", help="another commit, branch or tag of the model"
    )
    pull.add_argument(
        "--from",
        dest="source",
        metavar="DIR",
        type=path,
        help="take the weights from a folder that has them, without a network",
    )
    _named(part("check", _check, "start an engine and make it say one sentence"))
    remove = part("remove", _remove, "take an engine's environment away; its weights stay")
    _named(remove)
    remove.add_argument("--weights", action="store_true", help="its weights, too")
    remove.add_argument("--yes", action="store_true", help="without asking")


def _named(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="the engine")


def listing(options: argparse.Namespace) -> Reply:
    """Run without a part."""
    from studio.commands.engines import listing

    return listing()


def _check(options: argparse.Namespace) -> Reply:
    from studio.commands.engines import check

    return check(options.name)


def _install(options: argparse.Namespace) -> Reply:
    from studio.commands.installing import install
    from studio.engines.environments import Wish

    wish = Wish(options.python, options.accelerator, options.index_url)
    return install(options.name, wish, upgrade=options.upgrade, quiet=options.json)


def _pull(options: argparse.Namespace) -> Reply:
    from studio.commands.installing import pull

    return pull(options.name, revision=options.revision, folder=options.source, quiet=options.json)


def _remove(options: argparse.Namespace) -> Reply:
    from studio.commands.installing import remove

    return remove(options.name, with_weights=options.weights, yes=options.yes)
