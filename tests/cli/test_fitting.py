"""A book is cut as the engine of its voice takes it, and what does not fit is told beforehand."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine import wire
from engine.narrators.hibari import MAX_CHARS
from studio.book.limits import Limits
from studio.commands.fitting import BUILT_IN_CHARS, fitting, limits_of, too_long
from studio.commands.importing import VOICES, new
from studio.commands.narrating import narrate
from studio.commands.updating import update
from studio.engines import cards, hello
from studio.engines.catalogue import EngineSpec
from studio.project.folders import config_folder
from studio.project.model import Voice
from studio.project.project import Project

CARD = wire.Card("small", "1", "m", 24_000, ("en",), 80)
SMALL = Voice(id="anna", engine="small")
LONG = (
    "The ferryman, who had seen many such nights, said nothing at all about it, and the river rose "
    "slowly, without a sound, until it stood at the door."
)
GREETS = """
import json, sys, time
print(json.dumps({{"kind": "hello", "protocol": {protocol}, "pid": 1, "card": {card}}}), flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def greeter(folder: Path, protocol: int = wire.PROTOCOL, said: str = "") -> EngineSpec:
    """An engine that says who it is and waits."""
    card = json.dumps(json.loads(wire.encode(wire.Hello(1, 1, CARD)))["card"])
    script = folder / "greeter.py"
    card = card.replace("false", "False").replace("true", "True")
    script.write_text(said or GREETS.format(protocol=protocol, card=card))
    return EngineSpec("small", (sys.executable, str(script)))


def test_the_limit_of_the_built_in_engine_is_its_own() -> None:
    assert BUILT_IN_CHARS == MAX_CHARS
    assert limits_of("hibari") == Limits.for_engine(MAX_CHARS)


def test_the_built_in_engine_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hello, "card_of", lambda *_: pytest.fail("it was started"))
    assert not fitting(VOICES["heart"]).notices


def test_a_card_that_is_remembered_decides() -> None:
    cards.remember(replace(CARD, max_cost=40, cost="tokens"))
    limits = limits_of("small")
    assert limits is not None
    assert (limits.max_chars, limits.max_spoken, limits.max_cost) == (80, 80, 40)
    assert limits.cost is not None


def test_an_engine_that_was_never_loaded_is_asked(here: Path) -> None:
    spec = greeter(here)
    config_folder().mkdir(parents=True)
    command = json.dumps(list(spec.command))
    (config_folder() / "config.toml").write_text(f"[engines.small]\ncommand = {command}\n")
    assert limits_of("small") == Limits.for_engine(80)


def test_what_it_says_of_itself(here: Path) -> None:
    assert hello.card_of(greeter(here)) == CARD
    assert hello.card_of(greeter(here, protocol=999)) is None
    assert hello.card_of(greeter(here, said="print('good evening')")) is None
    assert hello.card_of(greeter(here, said="raise SystemExit(3)")) is None
    assert hello.card_of(EngineSpec("small", (str(here / "nothing"),))) is None
    assert hello.card_of(greeter(here, said="import sys; sys.stdin.read()"), 0.3) is None


def test_an_engine_that_is_not_here_is_told(here: Path) -> None:
    fit = fitting(VOICES["heart"], [SMALL])
    assert fit.by_voice["anna"] == Limits()
    assert fit.notices == (
        "how much the engine small of the voice anna takes at once is not known here; "
        "the text is cut to the usual lengths",
    )


def test_new_text_of_an_edition_is_cut_for_the_voice_that_reads_it(here: Path) -> None:
    cards.remember(CARD)
    source = here / "book.md"
    source.write_text(f"# One\n\n{LONG}\n")
    folder = Path(new(source, to=here / "book", voice=None, language="en").data["project"])
    with Project.open(folder) as project:
        assert max(len(segment.spoken) for segment in project.segments()) > 80
        project.put_voice(SMALL)
    more = (
        LONG.replace("ferryman", "miller").replace("river", "mill stream").replace("slowly", "so")
    )
    source.write_text(f"# One\n\n{LONG}\n\n[[voice: anna]]\n\n{more.replace('night', 'year')}\n")
    update(folder, source)
    with Project.open(folder) as project:
        by_voice = {
            name: [len(s.spoken) for s in project.segments() if s.voice == name]
            for name in ("heart", "anna")
        }
    assert max(by_voice["heart"]) > 80 >= max(by_voice["anna"])
    assert len(by_voice["anna"]) > 1


def test_what_another_voice_will_refuse_is_told_before(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cards.remember(CARD)
    source = here / "book.md"
    source.write_text(f"# One\n\n{LONG}\n\nYes.\n")
    folder = Path(new(source, to=here / "book", voice=None, language="en").data["project"])
    with Project.open(folder) as project:
        project.put_voice(SMALL)
        segments, voices = project.segments(), project.voices()
        assert too_long(segments, voices) == []
        project.set_voice([segment.uid for segment in segments], "anna")
        (found,) = too_long(project.segments(), voices)
        assert (found.engine, found.most, found.numbers) == ("small", 80, (2,))
    with pytest.raises(Exception, match="small"):
        narrate(folder, quiet=True)
    said = capsys.readouterr().err
    assert "note: 1 segment is longer than the 80 characters that small reads at a time" in said
