"""The command `rhapsode`: parse, call, print. What the commands do stands in `studio.commands`."""

from __future__ import annotations

import argparse
import json
import signal
import sys
import traceback
from collections.abc import Callable, Collection, Sequence
from typing import Any, NoReturn

from studio import __version__
from studio.commands import bench_options, engine_options
from studio.commands import options as options_of
from studio.commands.reply import Reply
from studio.commands.values import megabytes, path, positive, seconds, whole, workers
from studio.errors import BadInput, StudioError

Run = Callable[[argparse.Namespace], Reply]

EXIT_CODES = """\
exit codes: 0 done, 1 a fault of ours, 2 usage, 3 some segments failed or are missing,
4 verification differs, 5 bad input, 6 the machine is in the way, 130 interrupted"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = build_parser().parse_args(given)
    except _Usage as wrong:
        return _say(argparse.Namespace(json="--json" in given), str(wrong), 2)
    try:
        run: Run = options.run
        if run not in (_library, _open):
            # An end that is asked for is an interrupt: what is half done is tidied away.
            for number in (signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, signal.default_int_handler)
        reply = run(options)
    except KeyboardInterrupt as stopped:
        return _say(options, str(stopped) or "Interrupted.", 130)
    except BrokenPipeError:
        return _quiet_pipe()
    except StudioError as error:
        if options.debug:
            traceback.print_exc()
        return _say(options, str(error), error.exit_code)
    except Exception:
        if options.debug:
            raise
        return _say(options, _report_fault(), 1)
    try:
        if options.json:
            print(json.dumps(dict(reply.data), ensure_ascii=False))
        else:
            for line in reply.lines:
                print(line)
        sys.stdout.flush()
    except BrokenPipeError:
        return _quiet_pipe()
    return reply.exit_code


class _Usage(Exception):
    """The command line cannot be understood; the text says why."""


class _Parser(argparse.ArgumentParser):
    """Leaves it to `main` to say what is wrong with a command line."""

    unnamed = ""
    """The command below this one that is meant where none is named."""
    named: Collection[str] = ()
    """The commands below this one."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Read arguments, with the name of the command below where it was left out."""
        if self.unnamed and args is not None:
            first = next((word for word in args if word not in ("--json", "--debug")), "")
            if first not in (*self.named, "-h", "--help"):
                args = [self.unnamed, *args]
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """Show how the command is used."""
        self.print_usage(sys.stderr)
        raise _Usage(message)


def _quiet_pipe() -> int:
    """The reader of our output has left (``| head``): no error of anybody's."""
    # Python would complain once more when it flushes at exit.
    sys.stdout = open("/dev/null", "w")
    return 0


def _say(options: argparse.Namespace, sentence: str, code: int) -> int:
    """Tell a person, and a program, what went wrong."""
    print(f"rhapsode: {sentence}", file=sys.stderr)
    if options.json:
        print(json.dumps({"error": sentence, "exit_code": code}, ensure_ascii=False))
    return code


def _report_fault() -> str:
    """Write the traceback to the log and return the sentence that says where."""
    from studio.project.folders import log_folder

    path = log_folder() / "faults.log"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as log:
            traceback.print_exc(file=log)
    except OSError:
        return "This is a fault in Rhapsode, and no log could be written; --debug shows it."
    return f"This is a fault in Rhapsode; the details are in {path}."


def _everywhere() -> _Parser:
    """The options that may stand before the command or behind it.

    They have no default, lest a command's own silence overrule what stood before it; and each
    parser gets its own, for argparse shares what comes from one parent.
    """
    common = _Parser(add_help=False)
    common.add_argument(
        "--json",
        action="store_true",
        default=argparse.SUPPRESS,
        help="one JSON object on standard output, and nothing else there",
    )
    common.add_argument(
        "--debug",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show tracebacks and log more",
    )
    return common


def build_parser() -> argparse.ArgumentParser:
    """The parser with every command."""
    parser = _Parser(
        prog="rhapsode",
        parents=[_everywhere()],
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        description="A terminal studio for narrating books with local voices. "
        "Without a command it opens the library of recent projects.",
    )
    parser.add_argument("--version", action="version", version=f"rhapsode {__version__}")
    parser.set_defaults(run=_library, json=False, debug=False)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    command = _adder(commands)
    _add_books(command)
    _add_work(command)
    _add_care(command)
    _add_measures(command)
    return parser


Adder = engine_options.Adder


def _adder(to: argparse._SubParsersAction[Any]) -> Adder:
    """What adds a command, or a part of one, with what it runs and a summary."""

    def add(name: str, run: Run, summary: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = to.add_parser(
            name,
            parents=[_everywhere()],
            help=summary,
            description=summary,
            epilog=EXIT_CODES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        added.set_defaults(run=run)
        return added

    return add


def _folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("folder", metavar="DIR", type=path, help="the project's folder")


def _chapters(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--chapter",
        metavar="N",
        type=positive,
        nargs="+",
        action="extend",
        default=[],
        help="only these chapters",
    )


def _add_books(command: Adder) -> None:
    new = command("new", _new, "import a manuscript into a new project")
    options_of.manuscript(new)
    new.add_argument(
        "--to",
        metavar="DIR",
        type=path,
        help="the new folder; by default below ./projects where that exists, else here",
    )
    new.add_argument("--voice", metavar="V", help="who reads (default: heart)")
    new.add_argument(
        "--language",
        metavar="L",
        help="language tag, such as en, where the book is silent or wrong about it",
    )
    options_of.picks(new)
    listed = command("pieces", _pieces, "every piece of a manuscript, and why some are not read")
    options_of.manuscript(listed)
    options_of.policies(listed)
    renewed = command("update", _update, "bring a new edition of the manuscript into a project")
    _folder(renewed)
    options_of.manuscript(renewed)
    renewed.add_argument("--dry-run", action="store_true", help="only say what would change")
    options_of.picks(renewed, "as chosen before")
    opened = command("open", _open, "open the studio on a project")
    opened.add_argument("folder", metavar="DIR", type=path, nargs="?", help="the project's folder")
    opened.add_argument(
        "--sample",
        action="store_true",
        help="the sample book; without a terminal "
        "its first chapter is narrated and exported instead",
    )
    pack = command("pack", _pack, "write a project into one file, to move or to keep it")
    _folder(pack)
    pack.add_argument(
        "--to",
        metavar="FILE",
        type=path,
        help="the file, or a folder for it (default: the book's name, here)",
    )
    unpack = command("unpack", _unpack, "make a project's folder of a packed file")
    unpack.add_argument("file", metavar="FILE", type=path, help="what rhapsode pack wrote")
    unpack.add_argument(
        "--to",
        metavar="DIR",
        type=path,
        help="the new folder; by default below ./projects where that exists, else here",
    )
    _folder(command("status", _status, "counts per chapter"))
    counted = command("coverage", _coverage, "what has become of every character of a manuscript")
    _folder(counted)
    counted.add_argument(
        "--rules", action="store_true", help="list the places, too: by chapter and by rule"
    )
    listed = command("segments", _segments, "every segment with its state, seed and take")
    _folder(listed)
    listed.add_argument(
        "--state",
        metavar="STATE",
        choices=["queued", "failed", "draft", "stale", "flagged", "approved", "ready"],
        help="only those in one state: queued, failed, draft, stale, flagged, approved or ready",
    )
    _add_voices(command("voices", _voices, "who reads the book; add, change and check voices"))
    lexicon = command("lexicon", _lexicon, "how words are spoken; read and write such rules")
    _folder(lexicon)
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


def _add_voices(parser: argparse.ArgumentParser) -> None:
    assert isinstance(parser, _Parser)
    command = _adder(parser.add_subparsers(title="commands", metavar="COMMAND"))
    listed = command(
        "list", _voices, "who reads the book, also without this word; give segments another voice"
    )
    _folder(listed)
    listed.add_argument("--assign", metavar="VOICE", help="let this voice read what is chosen")
    _chapters(listed)
    listed.add_argument("--segments", metavar="A-B", help="only these segments, by number")
    listed.add_argument("--kind", choices=["dialogue", "narration"], help="only these segments")
    added = command("add", _voices_add, "add a voice to the book")
    changed = command("set", _voices_set, "change a voice of the book")
    checked = command("check", _voices_check, "have the engine prepare a voice, and say what of it")
    command("library", _voices_library, "the voices of your own library, for all books")
    taken = command("take", _voices_take, "bring a voice of your library into the book")
    kept = command("keep", _voices_keep, "put a voice of the book into your library")
    for parser_of_one in (changed, checked, taken, kept):
        _folder(parser_of_one)
    added.add_argument(
        "folder", metavar="DIR", type=path, nargs="?", help="the project’s folder; or --library"
    )
    for parser_of_one in (added, changed, checked, taken, kept):
        parser_of_one.add_argument("voice", metavar="ID", help="the voice, such as miller")
    added.add_argument(
        "--library", action="store_true", help="put it into your own library, for all books"
    )
    for parser_of_one in (taken, kept):
        parser_of_one.add_argument(
            "--as", dest="new", metavar="ID", help="what it is called there, where not the same"
        )
    kept.add_argument("--replace", action="store_true", help="over another one of that name there")
    options_of.voice(added, engine_needed=True)
    options_of.voice(changed)
    for parser_of_one in (added, changed):
        options_of.preparing(parser_of_one)
    parser.unnamed = "list"
    parser.named = ("list", "add", "set", "check", "library", "take", "keep")


def _add_work(command: Adder) -> None:
    narrate = command("narrate", _narrate, "make the missing takes, without a screen")
    _folder(narrate)
    _chapters(narrate)
    narrate.add_argument("--segments", metavar="A-B", help="only these segments, by number")
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
    _folder(export)
    _chapters(export)
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
    _folder(verify)
    verify.add_argument("--sample", metavar="N", type=positive, help="only N takes, at random")
    heard = command("hear", _hear, "write down what is said in a file of sound (English)")
    heard.add_argument("file", metavar="FILE", type=path, help="WAV, FLAC, MP3, M4A and more")
    heard.add_argument(
        "--language", metavar="L", default="", help="language tag of what is said, such as en"
    )


def _add_care(command: Adder) -> None:
    doctor = command("doctor", _doctor, "look over the installation, and a project")
    doctor.add_argument("folder", metavar="DIR", type=path, nargs="?", help="a project's folder")
    doctor.add_argument("--fix", action="store_true", help="repair what is safe to repair")
    listed = "which engines this machine has; install, fetch, check and remove one"
    engines = command("engines", engine_options.listing, listed)
    parts = engines.add_subparsers(title="with one of them", metavar="PART")
    engine_options.add(_adder(parts))
    completion = command("completion", _completion, "print what a shell needs to complete this")
    completion.add_argument("shell", choices=["bash", "zsh", "fish"], help="the shell")
    clean = command("clean", _clean, "delete takes that nobody chose or approved")
    _folder(clean)
    clean.add_argument("--yes", action="store_true", help="delete; without it, only say what")


def _add_measures(command: Adder) -> None:
    soak = command("soak", _soak, "narrate a book's lines for long, and judge memory and bytes")
    _folder(soak)
    soak.add_argument(
        "--clips", metavar="N", type=positive, required=True, help="how many lines to narrate"
    )
    soak.add_argument("--workers", metavar="N", type=workers, help="engine processes at once")
    soak.add_argument(
        "--budget-mb",
        metavar="M",
        type=megabytes,
        help="growth in MB before a worker is recycled; off: no limit of memory at all",
    )
    soak.add_argument(
        "--max-clips", metavar="K", type=positive, help="clips before a worker is recycled"
    )
    soak.add_argument(
        "--seed", metavar="N", type=int, default=1, help="another order and other seeds"
    )
    soak.add_argument(
        "--every", metavar="S", type=seconds, default=1.0, help="seconds between samples"
    )
    soak.add_argument(
        "--again",
        metavar="N",
        type=whole,
        default=20,
        help="how many clips a fresh worker narrates again at the end (default 20)",
    )
    soak.add_argument("--expect", metavar="DIGEST", default="", help="what an earlier run gave")
    soak.add_argument("--record", metavar="FILE", type=path, help="samples as JSON lines")
    soak.add_argument("--chart", metavar="FILE", type=path, help="the curves as an SVG picture")
    soak.add_argument("--keep", metavar="DIR", type=path, help="keep the copy of the book there")
    soak.add_argument(
        "--compare",
        action="store_true",
        help="the same lines without a limit, as configured, and recycling every K clips "
        "without a spare (default 2): what recycling costs",
    )
    soak.add_argument(
        "--spare",
        action="store_true",
        help="with --compare: each policy with and without a spare worker",
    )
    bench = command("bench", _bench, "measure, side by side: backends, stages, engines, identity")
    bench_options.add(_adder(bench.add_subparsers(title="what", metavar="PART")))


# Each command imports what it needs when it runs: the listing of a book must not wait for a screen.


def _library(options: argparse.Namespace) -> Reply:
    _need_terminal("the library", "rhapsode --help names the commands that need none")
    from studio.ui.app import run_studio

    return Reply(exit_code=run_studio(None))


def _need_terminal(what: str, instead: str) -> None:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise BadInput(f"There is no terminal to show {what} in; {instead}.")


def _new(options: argparse.Namespace) -> Reply:
    from studio.commands.importing import new

    return new(
        options.book,
        to=options.to,
        voice=options.voice,
        language=options.language,
        policies=options_of.chosen(options),
        skip=options_of.numbered(options.skip),
        take=options_of.numbered(options.take),
        quiet=options.json,
    )


def _update(options: argparse.Namespace) -> Reply:
    from studio.commands.updating import update

    return update(
        options.folder,
        options.book,
        policies=options_of.chosen(options),
        skip=options_of.numbered(options.skip),
        take=options_of.numbered(options.take),
        dry_run=options.dry_run,
        quiet=options.json,
    )


def _pieces(options: argparse.Namespace) -> Reply:
    from studio.commands.choosing import pieces

    return pieces(options.book, options_of.chosen(options), quiet=options.json)


def _open(options: argparse.Namespace) -> Reply:
    from studio.commands.opening import open_folder, open_sample

    if options.sample == (options.folder is not None):
        raise BadInput("Name a project's folder, or --sample for the sample book, one of the two.")
    if options.sample:
        return open_sample(quiet=options.json)
    _need_terminal("the studio", "rhapsode narrate and rhapsode export work without one")
    return open_folder(options.folder)


def _pack(options: argparse.Namespace) -> Reply:
    from studio.commands.packing import pack

    return pack(options.folder, to=options.to, quiet=options.json)


def _unpack(options: argparse.Namespace) -> Reply:
    from studio.commands.packing import unpack

    return unpack(options.file, to=options.to, quiet=options.json)


def _status(options: argparse.Namespace) -> Reply:
    from studio.commands.listing import status

    return status(options.folder)


def _coverage(options: argparse.Namespace) -> Reply:
    from studio.commands.coverage import coverage

    return coverage(options.folder, rules=options.rules)


def _segments(options: argparse.Namespace) -> Reply:
    from studio.commands.listing import segments
    from studio.project.model import State

    return segments(options.folder, State(options.state) if options.state else None)


def _voices(options: argparse.Namespace) -> Reply:
    from studio.commands.voices import assign, listing

    if options.assign is None:
        return listing(options.folder, options.chapter, options.segments, options.kind)
    return assign(options.folder, options.assign, options.chapter, options.segments, options.kind)


def _voices_add(options: argparse.Namespace) -> Reply:
    from studio.commands import voice_library
    from studio.commands.changing_voices import Wishes, add
    from studio.commands.preparing_voices import prepared

    if options.library == (options.folder is not None):
        raise BadInput("Name a project’s folder, or --library for your own voices, one of the two.")
    said = Wishes(**options_of.said_of_voice(options))
    with prepared(said, options.trim, options.transcribe) as (wishes, told):
        if options.library:
            return voice_library.add(options.voice, wishes, told)
        return add(options.folder, options.voice, wishes, told)


def _voices_set(options: argparse.Namespace) -> Reply:
    from studio.commands.changing_voices import Wishes, change
    from studio.commands.preparing_voices import prepared

    said = Wishes(**options_of.said_of_voice(options))
    with prepared(said, options.trim, options.transcribe) as (wishes, told):
        return change(options.folder, options.voice, wishes, told)


def _voices_library(options: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import listing

    return listing()


def _voices_take(options: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import take

    return take(options.folder, options.voice, options.new)


def _voices_keep(options: argparse.Namespace) -> Reply:
    from studio.commands.voice_library import keep

    return keep(options.folder, options.voice, options.new, over=options.replace)


def _voices_check(options: argparse.Namespace) -> Reply:
    from studio.commands.changing_voices import check

    return check(options.folder, options.voice)


def _lexicon(options: argparse.Namespace) -> Reply:
    from studio.commands.lexicon import lexicon

    return lexicon(
        options.folder,
        read=options.read,
        write=options.write,
        words=options.words,
        user=options.user,
    )


def _narrate(options: argparse.Namespace) -> Reply:
    from studio.commands.narrating import narrate

    return narrate(
        options.folder,
        chapters=options.chapter,
        span=options.segments,
        voice=options.voice,
        workers=options.workers,
        reseed=options.reseed,
        replay=options.replay,
        quiet=options.json,
    )


def _export(options: argparse.Namespace) -> Reply:
    from studio.commands.exporting import ExportOptions, export

    return export(
        options.folder,
        chapters=options.chapter,
        options=ExportOptions(
            rate=options.rate, bits=options.bits, partial=options.partial, to=options.to
        ),
    )


def _verify(options: argparse.Namespace) -> Reply:
    from studio.commands.verifying import verify

    return verify(options.folder, sample=options.sample, quiet=options.json)


def _hear(options: argparse.Namespace) -> Reply:
    from studio.commands.hearing import hear

    return hear(options.file, options.language)


def _doctor(options: argparse.Namespace) -> Reply:
    from studio.commands.wishes import problems
    from studio.tools.doctor import doctor

    return doctor(options.folder, fix=options.fix, wishes=problems())


def _completion(options: argparse.Namespace) -> Reply:
    from studio.commands.completing import completion

    return completion(build_parser(), options.shell)


def _clean(options: argparse.Namespace) -> Reply:
    from studio.commands.cleaning import clean

    return clean(options.folder, yes=options.yes)


def _bench(options: argparse.Namespace) -> Reply:
    raise BadInput("Name what is measured: llm, stages, sampler, engines or identity.")


def _soak(options: argparse.Namespace) -> Reply:
    from studio.commands.soaking import SoakOptions, compare, soak
    from studio.tools.soak.plan import Limits

    wanted = SoakOptions(
        clips=options.clips,
        seed=options.seed,
        workers=options.workers,
        limits=Limits(budget_mb=options.budget_mb, max_clips=options.max_clips),
        every=options.every,
        again=options.again,
        expect=options.expect,
        record=options.record,
        chart=options.chart,
        keep=options.keep,
    )
    if options.compare:
        lone = {"budget_mb": None, "record": None, "chart": None, "keep": None, "expect": ""}
        given = [name for name, unset in lone.items() if getattr(options, name) != unset]
        if given:
            names = ", ".join(f"--{name.replace('_', '-')}" for name in given)
            raise BadInput(f"--compare has nothing to do with {names}; leave one of them out.")
        return compare(options.folder, wanted, spare=options.spare, quiet=options.json)
    if options.spare:
        raise BadInput("--spare belongs to --compare; add it, or leave --spare out.")
    return soak(options.folder, wanted, quiet=options.json)


if __name__ == "__main__":
    sys.exit(main())
