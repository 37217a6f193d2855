"""`rhapsode soak` against scripted engines: bounded memory, nothing lost, the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rhapsode import Ran, done, rhapsode

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"
MB = 1024 * 1024
STEP = 6
"""MB that the scripted worker grows with every clip."""

Soak = Callable[..., Ran]


def configure(home: Path, *switches: str, **settings: Any) -> None:
    """Put the scripted engine, which calls itself otherwise, in place of the embedded one."""
    command = [sys.executable, str(ENGINE), "--clip-time", "0", *switches]
    lines = ["[engines.hibari]", f"command = {json.dumps(command)}"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def book(tmp_path: Path) -> Path:
    """A book of forty short lines of different lengths."""
    words = "the ferry was late and the bell rang twice over the dark water again".split()
    lines = (f"Line {n}: {' '.join(words[: 1 + n % 6])}." for n in range(40))
    (tmp_path / "short.txt").write_text("\n\n".join(lines), encoding="utf-8")
    done("new", tmp_path / "short.txt", "--to", tmp_path / "book", cwd=tmp_path)
    return tmp_path / "book"


@pytest.fixture
def soak(book: Path, tmp_path: Path) -> Soak:
    """Runs the command on the book, with temporary folders of its own."""
    (tmp_path / "tmp").mkdir()

    def run(*arguments: object) -> Ran:
        return rhapsode(
            "soak", book, *arguments, "--json", cwd=tmp_path, env={"TMPDIR": str(tmp_path / "tmp")}
        )

    return run


@pytest.mark.slow
def test_a_growing_engine_stays_within_its_budget_and_changes_no_byte(
    soak: Soak, home: Path, tmp_path: Path
) -> None:
    record, chart = tmp_path / "soak.jsonl", tmp_path / "soak.svg"
    configure(home, "--grow-mb", str(STEP), workers=1, budget_mb=128)
    ran = soak("--clips", 500, "--record", record, "--chart", chart)
    assert ran.code == 0, ran.err + ran.out
    data = ran.data
    assert (data["asked"], data["made"], data["lost"], data["doubled"]) == (500, 500, [], [])
    assert (data["checked"], data["differences"], data["crashes"]) == (20, [], 0)
    assert data["recycles"] >= 15
    assert data["recycle_reasons"] == {"for growth": data["recycles"]}
    assert data["worker"]["growth"] <= (128 + STEP) * MB
    assert data["worker"]["step"] == pytest.approx(STEP * MB, rel=0.1)
    assert data["studio_growth"] < 5 * MB

    lines = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
    assert [lines[0]["event"], lines[-1]["event"]] == ["start", "verdict"]
    samples = [line for line in lines if line["event"] == "sample"]
    assert samples[-1]["clips"] == 500
    assert [s["clips"] for s in samples] == sorted(s["clips"] for s in samples)
    assert sum(line["event"] == "recycle" for line in lines) == data["recycles"]
    assert all(
        worker["footprint"] <= worker["baseline"] + (128 + STEP) * MB
        for sample in samples
        for worker in sample["workers"]
        if worker["baseline"]
    )
    words = " ".join(ElementTree.parse(chart).getroot().itertext())
    for label in ("Worker footprint (MB)", "Studio footprint (MB)", "swap in use", "RTF", "time"):
        assert label in words

    configure(home, workers=1)
    calm = soak("--clips", 500, "--budget-mb", "off", "--expect", data["digest"])
    assert calm.code == 0, calm.err + calm.out
    assert calm.data["recycles"] == 0
    assert calm.data["digest"] == data["digest"]


def test_an_engine_that_remembers_is_found_out(soak: Soak, home: Path) -> None:
    """What it made before can be heard in its clips: a fresh worker gives other bytes."""
    configure(home, "--fault", "impure", workers=1)
    ran = soak("--clips", 40, "--again", 10)
    assert ran.code == 4
    assert ran.data["well"] is False
    assert len(ran.data["differences"]) >= 8
    assert "gave other bytes" in ran.data["differences"][0]


def test_another_digest_than_expected(soak: Soak, home: Path) -> None:
    configure(home)
    ran = soak("--clips", 10, "--again", 0, "--expect", "0" * 64)
    assert ran.code == 4
    assert ran.data["made"] == 10
    assert ran.data["differences"] == []
    other = soak("--clips", 10, "--seed", 2)
    assert other.code == 0
    assert other.data["digest"] != ran.data["digest"]


def test_a_line_that_is_refused_counts_as_lost(soak: Soak, home: Path) -> None:
    configure(home, "--fault", "refuse", "--text", "Line seven:")
    ran = soak("--clips", 80)
    assert ran.code == 4
    assert len(ran.data["lost"]) == 2, "once in each pass over the book"
    assert ran.data["doubled"] == []
    assert all("another script" in reason for reason in ran.data["failures"])


def test_the_book_is_only_read_and_nothing_is_left(soak: Soak, book: Path, home: Path) -> None:
    def fingerprint() -> dict[str, str]:
        files = (path for path in book.rglob("*") if path.is_file())
        return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in files}

    configure(home)
    before = fingerprint()
    assert soak("--clips", 12).code == 0
    assert fingerprint() == before
    assert list((book.parent / "tmp").iterdir()) == []
    kept = book.parent / "kept"
    assert soak("--clips", 12, "--keep", kept).code == 0
    segments = done("segments", kept, cwd=book.parent)["segments"]
    assert [row["takes"] for row in segments] == [1] * 12


def test_an_interrupted_soak_keeps_its_record_and_leaves_nothing(
    book: Path, home: Path, tmp_path: Path
) -> None:
    configure(home, "--clip-time", "0.1", workers=1)
    (tmp_path / "tmp").mkdir()
    record, chart = tmp_path / "r.jsonl", tmp_path / "c.svg"
    command = [sys.executable, "-m", "studio", "soak", str(book), "--clips", "2000"]
    run = subprocess.Popen(
        [*command, "--record", str(record), "--chart", str(chart)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path / "tmp")},
    )
    deadline = time.monotonic() + 30
    while not (record.exists() and '"clips": 5' in record.read_text(encoding="utf-8")):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=30)
    assert run.returncode == 130, err
    assert "of 2000 clips were made" in err
    assert out == ""
    assert chart.read_text(encoding="utf-8").startswith("<svg")
    assert list((tmp_path / "tmp").iterdir()) == []


def test_the_cost_of_recycling(soak: Soak, home: Path) -> None:
    configure(home, "--clip-time", "0.02", "--load-time", "0.1", workers=1, max_clips=20)
    ran = soak("--clips", 18, "--compare", "--max-clips", 3, "--spare")
    assert ran.code == 0, ran.err + ran.out
    assert ran.data["same_bytes"] is True
    by_name = {policy["policy"]: policy for policy in ran.data["policies"]}
    assert list(by_name) == [
        "budget off",
        "as configured, spare",
        "as configured, no spare",
        "every 3 clips, spare",
        "every 3 clips, no spare",
    ]
    assert by_name["budget off"]["recycles"] == 0
    assert by_name["every 3 clips, no spare"]["recycles"] >= 3
    assert by_name["every 3 clips, no spare"]["cost_steady"] > 1
    assert len({policy["digest"] for policy in by_name.values()}) == 1


def test_policies_that_differ_are_told(soak: Soak, home: Path) -> None:
    configure(home, "--fault", "impure", workers=1)
    ran = soak("--clips", 12, "--compare")
    assert ran.code == 4
    names = [policy["policy"] for policy in ran.data["policies"]]
    assert names == ["budget off", "as configured", "every 2 clips, no spare"]
    assert ran.data["same_bytes"] is False


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--clips", "5", "--chart", "c.png"], 5, ".svg"),
        (["--clips", "5", "--spare"], 5, "--compare"),
        (["--clips", "5", "--compare", "--chart", "c.svg"], 5, "--chart"),
        (["--clips", "0"], 2, "no whole number"),
        (["--clips", "5", "--budget-mb", "much"], 2, "no whole number"),
        (["--clips", "5", "--every", "0"], 2, "no number of seconds"),
        (["--clips", "5", "--record", "/no/such/folder/r.jsonl"], 6, "/no/such/folder/r.jsonl"),
    ],
)
def test_what_cannot_be_is_said_at_once(
    soak: Soak, home: Path, arguments: list[str], code: int, words: str
) -> None:
    configure(home)
    ran = soak(*arguments)
    assert ran.code == code
    assert words in ran.err


def test_a_chart_that_cannot_be_written_costs_no_verdict(soak: Soak, home: Path) -> None:
    configure(home)
    ran = soak("--clips", 5, "--chart", "/no/such/folder/c.svg")
    assert ran.code == 6
    assert "/no/such/folder/c.svg" in ran.data["unwritten"]
    assert ran.data["made"] == 5
    assert ran.data["well"] is True


def test_an_engine_that_cannot_run_is_no_verdict(soak: Soak, home: Path) -> None:
    configure(home, "--fault", "fail-load")
    ran = soak("--clips", 5)
    assert ran.code == 6
    assert "weights are missing" in ran.err
