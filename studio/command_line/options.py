"""Options that several commands share: a project, what of it, a manuscript, a voice."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from studio.book.policies import FOR, Policies
from studio.command_line.values import engine, numbers, path, path_or_nothing, positive, trim


def folder(
    parser: argparse.ArgumentParser, told: str = "the project's folder", *, needed: bool = True
) -> None:
    """The argument that names a project."""
    number = None if needed else "?"
    parser.add_argument("folder", metavar="DIR", type=path, nargs=number, help=told)


def new_folder(parser: argparse.ArgumentParser) -> None:
    """The option that says where a project is put."""
    parser.add_argument(
        "--to",
        metavar="DIR",
        type=path,
        help="the new folder; by default below ./projects where that exists, else here",
    )


def chapters(parser: argparse.ArgumentParser) -> None:
    """The option that names chapters."""
    parser.add_argument(
        "--chapter",
        metavar="N",
        type=positive,
        nargs="+",
        action="extend",
        default=[],
        help="only these chapters",
    )


def segments(parser: argparse.ArgumentParser) -> None:
    """The option that names segments."""
    parser.add_argument("--segments", metavar="A-B", help="only these segments, by number")


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


_VOICE = (
    ("engine", "E", "the engine that speaks, as rhapsode engines lists it"),
    ("reference", "FILE", "audio of the voice; it is copied into the project"),
    ("transcript", "TEXT", "what is said in it, word for word; @FILE reads it from a file"),
    ("speaker", "S", "one of the engine's own speakers"),
    ("style", "TEXT", "how to read, in words"),
    ("description", "TEXT", "a voice in words"),
    ("language", "L", "language tag, such as en, where it is not the book's"),
    ("sample", "TEXT", "a sentence to hear the voice by"),
)


_KINDS = {"FILE": path_or_nothing, "E": engine}


def voice(parser: argparse.ArgumentParser, *, engine_needed: bool = False) -> None:
    """The options that say what a voice is."""
    for name, metavar, told in _VOICE:
        needed = engine_needed and name == "engine"
        kind = _KINDS.get(metavar, str)
        parser.add_argument(f"--{name}", metavar=metavar, type=kind, required=needed, help=told)
    parser.add_argument(
        "--setting",
        metavar="KEY=VALUE",
        action="append",
        default=[],
        help="a setting of the engine for this voice; may be given several times, "
        "KEY= takes it out",
    )


def preparing(parser: argparse.ArgumentParser) -> None:
    """The options that make a reference out of a recording."""
    parser.add_argument(
        "--trim",
        metavar="WHICH",
        type=trim,
        help="of the reference only best:8 (the best eight seconds) or 12.4-20.3 (from, to), "
        "at the loudness of speech",
    )
    parser.add_argument(
        "--transcribe",
        action="store_true",
        help="have the listener propose the transcript (English); you confirm it",
    )


def said_of_voice(options: argparse.Namespace) -> dict[str, Any]:
    """What was said of a voice, by the names of its parts."""
    said = {name: getattr(options, name) for name, _, _ in _VOICE}
    return {**said, "settings": tuple(options.setting)}
