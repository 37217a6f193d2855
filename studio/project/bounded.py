"""A lexicon at work where it can be stopped: a process of its own, for patterns that may be slow.

Python's matcher holds the interpreter while it works, so a pattern that never ends would freeze the
studio. In the other process a timer of processor time breaks in and names the pattern.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import astuple
from types import FrameType
from typing import Any

from studio.book.lexicon import Lexicon, Rule, reworded
from studio.errors import BadInput, MachineFault

CPU_SECONDS = 4.0
"""Processor time that a lexicon may take for one book."""

WALL_SECONDS = 60.0
"""Time after which the process is ended in any case."""


def reworded_in_time(changed: Lexicon, whole: Lexicon, texts: Sequence[str]) -> dict[int, str]:
    """The same as `studio.book.lexicon.reworded`, bounded where a pattern may be slow.

    Args:
        changed: The rules that came, went or became others.
        whole: All rules in force.
        texts: What the reading rules have made.

    Raises:
        BadInput: A pattern takes longer than `CPU_SECONDS`; the sentence names it.
    """
    if not texts or not (changed.slow or whole.slow):
        return reworded(changed, whole, texts)
    order = {
        "changed": [astuple(rule) for rule in changed.rules],
        "whole": [astuple(rule) for rule in whole.rules],
        "texts": list(texts),
        "seconds": CPU_SECONDS,
    }
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "studio.project.bounded"],
            input=json.dumps(order).encode(),
            capture_output=True,
            timeout=WALL_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise BadInput(_too_slow(whole.slow or changed.slow, "")) from error
    except OSError as error:
        raise MachineFault(
            f"The lexicon's patterns cannot be tried: {error.strerror}; try again."
        ) from error
    if done.returncode:
        raise MachineFault(
            "The process that tries the lexicon's patterns ended early "
            f"(exit code {done.returncode}); try again."
        )
    answer = json.loads(done.stdout)
    if "slow" in answer:
        raise BadInput(_too_slow([Rule(answer["slow"], "")], answer["text"]))
    return {int(place): text for place, text in answer["texts"].items()}


def _too_slow(rules: Sequence[Rule], text: str) -> str:
    """Which pattern takes too long, and on what."""
    named = ", ".join(f"“{rule.word}”" for rule in rules)
    on = f" on “{text[:40]}…”" if text else ""
    return f"The pattern {named} takes too long{on}; make it more exact, with fewer + and *."


class _Late(Exception):
    """The time is over."""


def _serve() -> None:
    """Do what standard input asks, and say it on standard output."""
    order: dict[str, Any] = json.load(sys.stdin)
    changed, whole = (
        Lexicon(Rule(*values) for values in order[name]) for name in ("changed", "whole")
    )

    def late(number: int, frame: FrameType | None) -> None:
        raise _Late

    signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, order["seconds"])
    try:
        answer: dict[str, Any] = {"texts": reworded(changed, whole, order["texts"])}
    except _Late:
        at_work = changed.at_work or whole.at_work
        answer = {"slow": at_work[0], "text": at_work[1]} if at_work else {"slow": "", "text": ""}
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    _serve()
