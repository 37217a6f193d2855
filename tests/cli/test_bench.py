"""`rhapsode bench` over engines that are scripted: real processes, counts and no times."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import psutil
import pytest
from rhapsode import done, rhapsode

from studio.engines import cards

ENGINE = Path(__file__).parents[1] / "fakes" / "scripted_engine.py"
LINES = "The lamp went out.\nNobody came.\nThe ferry was late again that night.\n"


def configure(home: Path, **engines: list[str]) -> None:
    """Let this machine have scripted engines, by name, with these switches."""
    told = []
    for name, switches in engines.items():
        command = [sys.executable, str(ENGINE), "--clip-time", "0", "--name", name, *switches]
        told += [f"[engines.{name}]", f"command = {json.dumps(command)}"]
    (home / "config").mkdir(exist_ok=True)
    (home / "config" / "config.toml").write_text("\n".join(told) + "\n", encoding="utf-8")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with three sentences."""
    (tmp_path / "lines.txt").write_text(LINES, encoding="utf-8")
    return tmp_path


def bench(place: Path, *arguments: object) -> Any:
    """What a bench says, with its exit code."""
    said = ("--sentences", "lines.txt", "--no-words")
    ran = rhapsode("bench", *arguments, *said, "--json", cwd=place)
    return {**ran.data, "code": ran.code, "err": ran.err}


def test_two_engines_say_the_same_sentences_in_turns(place: Path, home: Path) -> None:
    tally = place / "tally.txt"
    configure(
        home,
        one=["--tally", str(tally)],
        two=["--tally", str(tally), "--steps", "14", "--grow-mb", "3"],
    )
    found = bench(place, "engines", "one", "two", "--rounds", "2", "--chart", "bars.svg")
    assert found["code"] == 0, found["err"]
    assert found["sentences"] == LINES.splitlines()
    one, two = found["engines"]
    assert [it["engine"] for it in (one, two)] == ["one", "two"]
    assert [it["sentences"] for it in (one, two)] == [6, 6]
    assert one["audio_seconds"] == two["audio_seconds"] > 0
    assert two["peak"] > two["baseline"] > 0
    assert cards.last_baseline("two") == two["baseline"], "the list of engines says so, too"
    assert one["model_bytes"] is None
    assert (one["words"], one["word_errors"]) == (None, None)
    assert "--no-words" in one["not_heard_because"]
    # Turns: each sentence is said by both before the next one.
    said = tally.read_text(encoding="utf-8").splitlines()
    assert said[::2] == said[1::2] == LINES.splitlines() * 2
    texts = [it.text for it in ElementTree.parse(place / "bars.svg").getroot().iter()]
    assert {"one", "two", "MB", "Engines side by side"} <= set(texts)


def test_what_one_engine_does_not_say_is_told(place: Path, home: Path) -> None:
    configure(home, one=[], two=["--fault", "refuse", "--text", "lamp"])
    said = ("--sentences", "lines.txt", "--no-words")
    ran = rhapsode("bench", "engines", "one:steps=6", "two", *said, cwd=place)
    assert ran.code == 3, ran.err
    assert cards.remembered("two") is not None
    assert cards.remembered("one") is None, "it was not as books are narrated with it"
    assert "two did not say “The lamp went out.”: The text holds a word" in ran.out
    head = next(line for line in ran.out.splitlines() if line.startswith("engine "))
    assert head.split()[-2:] == ["words", "wrong"]


def test_the_embedded_voice_is_heard_and_weighed(place: Path) -> None:
    (place / "lines.txt").write_text("The lamp went out.", encoding="utf-8")
    found = done("bench", "engines", "hibari", "hibari", "--sentences", "lines.txt", cwd=place)
    for it in found["engines"]:
        assert (it["words"], it["not_heard_because"]) == (4, "")
        assert it["word_errors"] <= 1
        assert it["heard"][0]
        assert it["model_bytes"] > 5_000_000


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        ((), 5, "Name what is measured"),
        (("engines", "one"), 5, "Name two engines"),
        (("engines", "one", "nobody"), 6, "no engine named nobody"),
        (("engines", "one", "one:steps"), 5, "sets nothing"),
        (("engines", "one", "one", "--chart", "bars.png"), 5, "ends in .svg"),
        (("engines", "one", "one", "--reference", "no.wav"), 5, "what is said in it"),
        (("engines", "one", "one", "--reference", "n", "--transcript", "x"), 5, "no reference"),
        (("identity", "one"), 5, "--record FILE"),
        (("identity", "--record", "x.set"), 5, "Name the engine"),
        (("identity", "--against", "no.set"), 5, "There is no set"),
        (("llm", "--random", "tiny"), 6, "cosyvoice3 is not installed"),
        (("stages", "--tokens", "0"), 2, "no whole number"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_sentence(
    place: Path, home: Path, arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    configure(home, one=[])
    ran = rhapsode("bench", *arguments, "--json", cwd=place)
    assert ran.code == code, ran.err
    assert sentence in ran.data["error"]


def test_an_interpreter_without_the_libraries_is_told(place: Path, home: Path) -> None:
    (home / "config").mkdir()
    (home / "config" / "config.toml").write_text(
        f"[engines.cosyvoice3]\npython = {json.dumps(sys.executable)}\n"
        f'[engines.cosyvoice3.options]\nmodel = "{place}"\n',
        encoding="utf-8",
    )
    ran = rhapsode("bench", "llm", "--json", cwd=place)
    assert ran.code == 6
    assert "lacks" in ran.data["error"]


# ---- identity ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A set of three lines, which nobody writes to."""
    folder = tmp_path_factory.mktemp("kept")
    (folder / "lines.txt").write_text(LINES, encoding="utf-8")
    configure(folder, one=["--tokens"])
    said = ("identity", "one", "--record", "lines.set", "--sentences", "lines.txt")
    made = done("bench", *said, cwd=folder, env={"RHAPSODE_HOME": str(folder)})
    assert (made["lines"], made["not_repeated"]) == (3, [])
    return folder / "lines.set"


def test_the_same_engine_gives_the_same_bytes(kept: Path, place: Path, home: Path) -> None:
    configure(home, one=["--tokens"])
    found = bench(place, "identity", "--against", kept)
    assert (found["code"], found["same"], found["differences"]) == (0, 3, [])
    assert found["sampler_cases"] == 0


def test_another_second_stage_is_seen_and_told_from_other_tokens(
    kept: Path, place: Path, home: Path
) -> None:
    configure(home, one=["--tokens", "--steps", "11"])
    found = bench(place, "identity", "--against", kept)
    assert (found["code"], found["same"]) == (4, 0)
    for line in found["differences"]:
        assert line["first_token"] is None
        assert line["log_spectral_distance_db"] > 0
        assert line["frames"][0] == line["frames"][1]
    ran = rhapsode("bench", "identity", "--against", kept, "--no-words", cwd=place)
    assert ran.code == 4
    assert "what voices them has changed" in ran.out


def test_other_tokens_are_seen_where_they_begin(kept: Path, place: Path, home: Path) -> None:
    configure(home, one=["--tokens", "--fault", "impure"])
    found = bench(place, "identity", "--against", kept)
    assert (found["code"], found["same"]) == (4, 1), "the first line has nothing before it"
    assert [line["first_token"] for line in found["differences"]] == [1, 1]


def test_a_line_that_is_not_said_any_more_differs(kept: Path, place: Path, home: Path) -> None:
    configure(home, one=["--tokens", "--fault", "refuse", "--text", "lamp"])
    found = bench(place, "identity", "--against", kept)
    assert (found["code"], found["same"]) == (4, 2)
    assert "another script" in found["differences"][0]["failure"]


def test_an_engine_that_does_not_repeat_itself_leaves_no_set(place: Path, home: Path) -> None:
    configure(home, one=["--fault", "impure"])
    found = bench(place, "identity", "one", "--record", "moody.set")
    assert found["code"] == 4
    assert found["not_repeated"] == LINES.splitlines()[::-1]
    assert not (place / "moody.set").exists()


def test_engines_end_with_an_interrupted_bench(place: Path, home: Path) -> None:
    configure(home, one=["--clip-time", "100"], two=["--clip-time", "100"])
    command = subprocess.Popen(
        [sys.executable, "-m", "studio", "bench", "engines", "one", "two"],
        cwd=place,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + 60
    try:
        while len(engines := psutil.Process(command.pid).children(recursive=True)) < 2:
            assert time.monotonic() < end
            time.sleep(0.02)
        command.send_signal(signal.SIGINT)
        assert command.wait(60) == 130
        assert not any(it.is_running() for it in engines)
    finally:
        command.kill()
        command.wait(60)


def test_why_nobody_listened_stands_below_the_table(place: Path, home: Path) -> None:
    configure(home, one=[], two=[])
    said = ("--sentences", "lines.txt", "--language", "fr")
    ran = rhapsode("bench", "engines", "one", "two", *said, cwd=place)
    assert ran.code == 0, ran.err
    (row,) = (line for line in ran.out.splitlines() if line.startswith("one "))
    assert row.split()[-1] == "–"
    assert "No words of one, two: " in ran.out


def test_lengths_that_no_engine_takes_are_refused_at_once(place: Path) -> None:
    bounds = {"--tokens": 10_000, "--prefix": 10_000, "--threads": 256, "--steps": 100}
    for option, most in bounds.items():
        ran = rhapsode("bench", "stages", "--random", "tiny", option, most + 1, cwd=place)
        assert ran.code == 2
        assert f"“{most + 1}” is more than {most:,}" in ran.err
