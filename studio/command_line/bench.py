"""The command line of `rhapsode bench`: its parts, their options, and what runs for each."""

from __future__ import annotations

import argparse

from studio.command_line.parser import Adder, adder
from studio.command_line.values import engine, length, path, positive, steps, threads
from studio.commands.reply import Reply
from studio.errors import BadInput


def add(command: Adder) -> None:
    """Add `rhapsode bench`."""
    bench = command("bench", _unnamed, "measure, side by side: backends, stages, engines, identity")
    _parts(adder(bench.add_subparsers(title="what", metavar="PART")))


def _parts(part: Adder) -> None:
    llm = part("llm", _inner, "backends of CosyVoice3’s language model, side by side")
    _inside(llm, "llm")
    _lengths(llm)
    llm.add_argument(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        help="only this one, such as “eager fp16”; may be given again (default: all that are here)",
    )
    stages = part("stages", _inner, "what of a clip goes where, alone and overlapped")
    _inside(stages, "stages")
    _lengths(stages)
    stages.add_argument(
        "--backend",
        metavar="NAME",
        action="append",
        default=[],
        help="of the language model (default: eager fp32)",
    )
    stages.add_argument(
        "--reference-tokens",
        dest="reference",
        metavar="N",
        type=length,
        default=125,
        help="length of the reference in speech tokens, 25 a second (default 125)",
    )
    stages.add_argument("--steps", metavar="N", type=steps, default=10, help="of the flow")
    sampler = part(
        "sampler", _inner, "drawing tokens on the device and on the host: waits, seconds"
    )
    _inside(sampler, "sampler")
    _lengths(sampler)
    engines = part("engines", _engines, "engines, or settings of one, over the same sentences")
    engines.add_argument(
        "names",
        metavar="ENGINE",
        type=engine,
        nargs="+",
        help="an engine, or one with settings of this run: NAME:option=value,option=value",
    )
    _said(engines)
    engines.add_argument("--speaker", metavar="S", default="", help="one of an engine's speakers")
    engines.add_argument(
        "--language", metavar="L", default="", help="tag of the sentences (default: English)"
    )
    engines.add_argument(
        "--rounds", metavar="N", type=positive, default=1, help="how often, each with other seeds"
    )
    _chart(engines)
    identity = part("identity", _identity, "whether a change has moved a bit, against a set")
    identity.add_argument(
        "name",
        metavar="ENGINE",
        type=engine,
        nargs="?",
        default="",
        help="as for engines; by default the set's",
    )
    identity.add_argument("--record", metavar="FILE", type=path, help="make a set")
    identity.add_argument("--against", metavar="FILE", type=path, help="narrate it again, compare")
    _said(identity)


def _inside(parser: argparse.ArgumentParser, name: str) -> None:
    """What all have that are measured inside the engine."""
    parser.set_defaults(inner=name, reference=125, steps=10, backend=[])
    parser.add_argument(
        "--random",
        nargs="?",
        const="full",
        default="",
        choices=["tiny", "full"],
        help="random weights, tiny or of the real size (full), instead of the installed model",
    )
    parser.add_argument(
        "--device",
        choices=["auto", "cpu", "cuda", "mps"],
        default="auto",
        help="where torch runs (default: auto)",
    )
    parser.add_argument(
        "--threads", metavar="N", type=threads, default=1, help="of one operation on the CPU"
    )
    parser.add_argument(
        "--rounds", metavar="N", type=positive, default=3, help="turns of each (default 3)"
    )
    _chart(parser)


def _lengths(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tokens", metavar="N", type=length, default=250, help="speech tokens (default 250)"
    )
    parser.add_argument(
        "--prefix", metavar="N", type=length, default=250, help="positions before (default 250)"
    )


def _said(parser: argparse.ArgumentParser) -> None:
    """What is said, and in whose voice."""
    parser.add_argument(
        "--sentences", metavar="FILE", type=path, help="what is said, a sentence a line"
    )
    parser.add_argument("--most", metavar="N", type=positive, help="only so many sentences")
    parser.add_argument(
        "--reference", metavar="FILE", type=path, help="whom engines clone (the embedded voice)"
    )
    parser.add_argument("--transcript", metavar="TEXT", default="", help="what is said in it")
    parser.add_argument(
        "--no-words",
        dest="hear",
        action="store_false",
        help="do not have the embedded listener write down what was said",
    )


def _chart(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--chart", metavar="FILE", type=path, help="the figures as an SVG picture")


def _unnamed(given: argparse.Namespace) -> Reply:
    raise BadInput("Name what is measured: llm, stages, sampler, engines or identity.")


def _inner(given: argparse.Namespace) -> Reply:
    from studio.commands.benching import Inner, inner

    return inner(
        given.inner,
        Inner(
            random=given.random,
            device=given.device,
            threads=given.threads,
            tokens=given.tokens,
            prefix=given.prefix,
            reference=given.reference,
            steps=given.steps,
            rounds=given.rounds,
            backends=tuple(given.backend),
            chart=given.chart,
            quiet=given.json,
        ),
    )


def _engines(given: argparse.Namespace) -> Reply:
    from studio.commands.benching import Spoken, compare

    spoken = Spoken(
        sentences=given.sentences,
        most=given.most,
        reference=given.reference,
        transcript=given.transcript,
        speaker=given.speaker,
        language=given.language,
        rounds=given.rounds,
        hear=given.hear,
        chart=given.chart,
        quiet=given.json,
    )
    return compare(given.names, spoken)


def _identity(given: argparse.Namespace) -> Reply:
    from studio.commands.benching import Spoken, against, record

    if (given.record is None) == (given.against is None):
        raise BadInput("Name --record FILE to make a set, or --against FILE to compare with one.")
    if given.against is not None:
        return against(given.against, given.name, hear=given.hear, quiet=given.json)
    if not given.name:
        raise BadInput("Name the engine whose lines are recorded.")
    spoken = Spoken(
        sentences=given.sentences,
        most=given.most,
        reference=given.reference,
        transcript=given.transcript,
        quiet=given.json,
    )
    return record(given.name, given.record, spoken)
