"""The commands that make, write, check and hear sound."""

from __future__ import annotations

import argparse

from studio.command_line import options
from studio.command_line.parser import Adder
from studio.command_line.values import path, positive, workers
from studio.commands.reply import Reply


def add(command: Adder) -> None:
    """Add the commands that make, write, check and hear sound."""
    narrate = command("narrate", _narrate, "make the missing takes, without a screen")
    options.folder(narrate)
    options.chapters(narrate)
    options.segments(narrate)
    narrate.add_argument("--voice", metavar="V", help="give the selection this voice first")
    narrate.add_argument("--workers", metavar="N", type=workers, help="engine processes at once")
    narrate.add_argument(
        "--reseed", action="store_true", help="narrate the whole selection again with new seeds"
    )
    narrate.add_argument(
        "--replay",
        action="store_true",
        help="voice the kept speech tokens of the chosen takes again, by the engine as it is "
        "configured now; what comes of it is kept beside them",
    )
    export = command("export", _export, "write chapters to WAV")
    options.folder(export)
    options.chapters(export)
    export.add_argument("--format", choices=["wav"], default="wav", help="file format")
    export.add_argument(
        "--rate",
        metavar="HZ",
        type=int,
        choices=[24000, 44100, 48000],
        help="24000, 44100 or 48000; by default the engine's own",
    )
    export.add_argument("--bits", type=int, choices=[16, 24], default=16, help="bits per sample")
    export.add_argument(
        "--to",
        metavar="PATH",
        type=path,
        help="a folder, or a .wav file for one chapter (default: DIR/exports)",
    )
    export.add_argument("--partial", action="store_true", help="leave gaps where clips are missing")
    verify = command("verify", _verify, "narrate recorded recipes again and compare the bytes")
    options.folder(verify)
    verify.add_argument("--sample", metavar="N", type=positive, help="only N takes, at random")
    options.folder(command("blind", _blind, "what came of blind comparisons, and how sure it is"))
    heard = command("hear", _hear, "write down what is said in a file of sound (English)")
    heard.add_argument("file", metavar="FILE", type=path, help="WAV, FLAC, MP3, M4A and more")
    heard.add_argument(
        "--language", metavar="L", default="", help="language tag of what is said, such as en"
    )


def _narrate(given: argparse.Namespace) -> Reply:
    from studio.commands.narrating import narrate

    return narrate(
        given.folder,
        chapters=given.chapter,
        span=given.segments,
        voice=given.voice,
        workers=given.workers,
        reseed=given.reseed,
        replay=given.replay,
        quiet=given.json,
    )


def _export(given: argparse.Namespace) -> Reply:
    from studio.commands.exporting import ExportOptions, export

    return export(
        given.folder,
        chapters=given.chapter,
        options=ExportOptions(rate=given.rate, bits=given.bits, partial=given.partial, to=given.to),
    )


def _verify(given: argparse.Namespace) -> Reply:
    from studio.commands.verifying import verify

    return verify(given.folder, sample=given.sample, quiet=given.json)


def _blind(given: argparse.Namespace) -> Reply:
    from studio.commands.blind import blind

    return blind(given.folder)


def _hear(given: argparse.Namespace) -> Reply:
    from studio.commands.hearing import hear

    return hear(given.file, given.language)
