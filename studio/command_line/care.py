"""The commands that look after the installation, its engines and a project."""

from __future__ import annotations

import argparse

from studio.command_line import engines, options
from studio.command_line.parser import Adder
from studio.commands.reply import Reply


def add(command: Adder) -> None:
    """Add the commands that look after an installation and a project."""
    doctor = command("doctor", _doctor, "look over the installation, and a project")
    options.folder(doctor, "a project's folder", needed=False)
    doctor.add_argument("--fix", action="store_true", help="repair what is safe to repair")
    engines.add(command)
    completion = command("completion", _completion, "print what a shell needs to complete this")
    completion.add_argument(
        "shell", choices=["bash", "zsh", "fish"], metavar="SHELL", help="bash, zsh or fish"
    )
    clean = command("clean", _clean, "delete takes that nobody chose or approved")
    options.folder(clean)
    clean.add_argument("--yes", action="store_true", help="delete; without it, only say what")


def _doctor(given: argparse.Namespace) -> Reply:
    from studio.commands.wishes import problems
    from studio.tools.doctor import doctor

    return doctor(given.folder, fix=given.fix, wishes=problems())


def _completion(given: argparse.Namespace) -> Reply:
    from studio.command_line.root import build_parser
    from studio.commands.completing import completion

    return completion(build_parser(), given.shell)


def _clean(given: argparse.Namespace) -> Reply:
    from studio.commands.cleaning import clean

    return clean(given.folder, yes=given.yes)
