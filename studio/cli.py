"""The command `rhapsode`: parse, call, print.

Its commands and their options stand in `studio.command_line`, what they do in `studio.commands`.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import traceback
from collections.abc import Sequence

from studio.command_line import books
from studio.command_line.parser import Run, Usage
from studio.command_line.root import build_parser
from studio.errors import StudioError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns its exit code."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    try:
        options = build_parser().parse_args(given)
    except Usage as wrong:
        return _say(argparse.Namespace(json="--json" in given), str(wrong), 2)
    try:
        run: Run = options.run
        if run not in (books.library, books.on_screen):
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


if __name__ == "__main__":
    sys.exit(main())
