"""`rhapsode blind`: what came of blind comparisons, and how sure it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from studio.commands.reply import Reply, table
from studio.project.project import Project
from studio.review.blind import ASPECTS, Test, by_guessing, verdict, verdict_of
from studio.wording import number_runs


def blind(folder: Path) -> Reply:
    """All blind comparisons of a book that have an answer, the newest first."""
    with Project.open(folder, read_only=True) as project:
        tests = project.blind_tests()[::-1]
        uids = {it.segment for test in tests for it in test.answered}
        numbers = {uid: it.number for uid, it in project.segments_by_uid(uids).items()}
    together = _together(tests)
    data = {
        "project": str(folder),
        "tests": [_facts(test, numbers) for test in tests],
        "together": together,
    }
    if not tests:
        lines = ["No blind comparison has been answered yet; the studio’s palette begins one."]
        return Reply(data, lines)
    rows = [("when", "differ in", "A", "B", "right", "by guessing", "segments")]
    for test in tests:
        heard = sorted({numbers[it.segment] for it in test.answered if it.segment in numbers})
        rows.append(
            (
                test.made[:10],
                ASPECTS.get(test.what, test.what),
                test.a,
                test.b,
                f"{test.right} of {len(test.answered)}",
                f"{test.p:.1%}",
                number_runs(heard) if heard else "gone",
            )
        )
    lines = [*table(rows), "", f"The newest: {verdict(tests[0])}"]
    for it in together:
        told = verdict_of(it["right"], it["answered"])
        lines.append(f"{it['first']} and {it['second']}, {it['tests']} tests together: {told}")
    return Reply(data, lines)


def _facts(test: Test, numbers: Mapping[str, int]) -> dict[str, Any]:
    """A comparison for programs."""
    return {
        "id": test.id,
        "made": test.made,
        "seed": test.seed,
        "differ_in": test.what,
        "a": test.a,
        "b": test.b,
        "questions": len(test.trials),
        "answered": len(test.answered),
        "right": test.right,
        "p": test.p,
        "verdict": verdict(test),
        "answers": [
            {
                "question": it.number,
                "segment": numbers.get(it.segment),
                "uid": it.segment,
                "take_a": it.a,
                "take_b": it.b,
                "x": it.x,
                "answer": it.answer,
                "right": it.right,
            }
            for it in test.answered
        ],
    }


def _together(tests: Sequence[Test]) -> list[dict[str, Any]]:
    """Comparisons of the same two things, counted as one where there are several."""
    of: dict[tuple[str, str, str], list[Test]] = defaultdict(list)
    for test in tests:
        of[test.what, min(test.a, test.b), max(test.a, test.b)].append(test)
    found = []
    for (what, first, second), alike in of.items():
        if len(alike) > 1 and what != "take":  # the newest takes are others each time
            answers = sum(len(test.answered) for test in alike)
            right = sum(test.right for test in alike)
            told = {"differ_in": what, "first": first, "second": second, "tests": len(alike)}
            told |= {"answered": answers, "right": right, "p": by_guessing(right, answers)}
            found.append(told)
    return found
