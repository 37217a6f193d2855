"""The command line of `rhapsode engines`: its parts, their options, and what runs for each."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from studio.command_line.parser import Adder, adder
from studio.command_line.values import engine, engine_apart, path
from studio.commands.reply import Reply


def add(command: Adder) -> None:
    """Add `rhapsode engines`."""
    listed = "engines of this machine; install, pull, check, remove"
    engines = command("engines", _listing, listed)
    _parts(adder(engines.add_subparsers(title="with one of them", metavar="PART")))


def _parts(part: Adder) -> None:
    install = part("install", _install, "make an environment for an engine, with its libraries")
    _named(install, engine_apart)
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
    _named(pull, engine_apart)
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
    _named(remove, engine_apart)
    remove.add_argument("--weights", action="store_true", help="its weights, too")
    remove.add_argument("--yes", action="store_true", help="without asking")


def _named(parser: argparse.ArgumentParser, kind: Callable[[str], str] = engine) -> None:
    parser.add_argument("name", metavar="NAME", type=kind, help="the engine")


def _listing(given: argparse.Namespace) -> Reply:
    from studio.commands.engines import listing

    return listing()


def _check(given: argparse.Namespace) -> Reply:
    from studio.commands.engines import check

    return check(given.name)


def _install(given: argparse.Namespace) -> Reply:
    from studio.commands.installing import install
    from studio.engines.environments import Wish

    wish = Wish(given.python, given.accelerator, given.index_url)
    return install(given.name, wish, upgrade=given.upgrade, quiet=given.json)


def _pull(given: argparse.Namespace) -> Reply:
    from studio.commands.installing import pull

    return pull(given.name, revision=given.revision, folder=given.source, quiet=given.json)


def _remove(given: argparse.Namespace) -> Reply:
    from studio.commands.installing import remove

    return remove(given.name, with_weights=given.weights, yes=given.yes)
