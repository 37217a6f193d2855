"""What an installed engine is to the catalogue, and what is said of one that is not there."""

from __future__ import annotations

import dataclasses
import re
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import soundfile

sys.path.insert(0, str(Path(__file__).parents[1] / "cli"))
from rhapsode import done, rhapsode

from studio.engines.catalogue import Catalogue, EngineSpec
from studio.engines.installed import (
    ENVIRONMENT_NOTE,
    MODEL_NOTE,
    Environment,
    Model,
    engine_folder,
    model_folder,
    states,
    write_note,
)
from studio.engines.known import COSYVOICE3, QWEN3_TTS, KnownEngine
from studio.errors import MachineFault
from studio.project.folders import config_folder, data_folder

NAME = "cosyvoice3"


def environment(folder: str = "venv-1") -> Path:
    """An environment that is finished; returns its interpreter."""
    python = engine_folder(NAME) / folder / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to(sys.executable)
    note = Environment(folder, "3.11.0", "cpu", ("torch==1",), {"torch": "1"}, 1000)
    write_note(engine_folder(NAME) / ENVIRONMENT_NOTE, note)
    return python


def model() -> Path:
    """A model that is whole; returns its folder."""
    folder = model_folder(NAME)
    folder.mkdir(parents=True)
    (folder / "llm.pt").write_bytes(b"weights")
    write_note(folder / MODEL_NOTE, Model("someone/model", "f" * 40, {"llm.pt": "0" * 64}, 7))
    return folder


def configured(text: str) -> None:
    """The user's configuration."""
    config_folder().mkdir(parents=True, exist_ok=True)
    (config_folder() / "config.toml").write_text(text, encoding="utf-8")


def why_not() -> str:
    """The sentence about an engine that cannot be used."""
    catalogue = Catalogue.of_user()
    assert NAME not in catalogue
    assert NAME not in list(catalogue)
    with pytest.raises(MachineFault) as error:
        catalogue[NAME]
    assert catalogue.missing[NAME] == str(error.value)
    return str(error.value)


def test_the_command_that_helps_is_named_step_by_step() -> None:
    assert "is not installed; rhapsode engines install cosyvoice3" in why_not()
    python = environment()
    assert "no weights yet; rhapsode engines pull cosyvoice3" in why_not()
    folder = model()
    spec = Catalogue.of_user()[NAME]
    assert spec.command[0] == str(python)
    assert spec.command[-2:] == ("--narrator", NAME)
    assert spec.options == {
        "model": str(folder),
        "cache": str(data_folder() / "voices" / NAME),
    }
    assert (spec.workers, spec.spare) == (1, False)
    assert NAME not in Catalogue.of_user().missing
    python.unlink()
    assert "rhapsode engines install cosyvoice3 --upgrade" in why_not()
    environment("venv-2")
    (folder / "llm.pt").unlink()
    assert "no weights yet" in why_not()


def test_the_users_settings_lie_on_top() -> None:
    configured("[engines.cosyvoice3]\nworkers = 2\n[engines.cosyvoice3.options]\nsteps = 6\n")
    assert "is not installed" in why_not(), "a table alone installs nothing"
    python = environment()
    folder = model()
    spec = Catalogue.of_user()[NAME]
    assert (spec.workers, spec.options["steps"], spec.options["model"]) == (2, 6, str(folder))
    assert spec.command[0] == str(python)
    configured("[engines.cosyvoice3]\npython = '/mine'\noptions = { model = '/weights' }\n")
    spec = Catalogue.of_user()[NAME]
    assert (spec.command[0], spec.options["model"]) == ("/mine", "/weights")


def test_ones_own_interpreter_and_weights_need_no_installation() -> None:
    configured("[engines.cosyvoice3]\npython = '/mine'\n")
    assert "no weights yet" in why_not()
    configured("[engines.cosyvoice3]\npython = '/mine'\noptions = { model = '/weights' }\n")
    assert Catalogue.of_user()[NAME].options["model"] == "/weights"


@pytest.mark.parametrize(
    "note",
    ["", "{", "[]", "{}", '{"folder": "venv-1"}', '{"folder": 3, "pins": [], "removed": []}'],
)
def test_a_note_that_cannot_be_read_says_nothing(note: str) -> None:
    environment()
    model()
    (engine_folder(NAME) / ENVIRONMENT_NOTE).write_text(note)
    assert "is not installed" in why_not()
    environment("venv-2")
    (model_folder(NAME) / MODEL_NOTE).write_text(note)
    assert "no weights yet" in why_not()


@pytest.mark.parametrize("folder", ["../../elsewhere", "..", "", "/bin", "venv-1/../.."])
def test_a_note_leads_nowhere_else(folder: str) -> None:
    environment()
    note = Environment(folder, "3.11.0", "cpu", (), {}, 1)
    write_note(engine_folder(NAME) / ENVIRONMENT_NOTE, note)
    assert states()[NAME].environment is None


def test_folders_are_whole_paths(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RHAPSODE_HOME", "here")
    environment()
    model()
    spec = Catalogue.of_user()[NAME]
    for path in (spec.command[0], spec.options["model"], spec.options["cache"]):
        assert Path(path).is_absolute()


def documented(name: str) -> str:
    """The example of docs/engines.md for an engine."""
    page = (Path(__file__).parents[2] / "docs" / "engines.md").read_text(encoding="utf-8")
    examples = [part.split("```")[0] for part in page.split("```toml\n")[1:]]
    return next(it for it in examples if f"[engines.{name}]" in it)


def options_of(example: str) -> set[str]:
    """The options that an example names."""
    return set(re.findall(r"^(?:# )?(\w+) = ", example.split(".options]")[1], re.M))


def test_the_documented_settings_are_the_defaults() -> None:
    environment()
    model()
    plain = Catalogue.of_user()[NAME]
    configured(documented(NAME))
    spec = Catalogue.of_user()[NAME]
    options = spec.options
    assert dataclasses.replace(spec, options=plain.options) == plain
    assert set(tomllib.loads(documented(NAME))["engines"][NAME]) - {"options"} == {
        "workers",
        *COSYVOICE3.settings,
    }
    assert set(options) == options_of(documented(NAME))
    assert isinstance(spec, EngineSpec)


@pytest.mark.parametrize("known", [COSYVOICE3, QWEN3_TTS], ids=lambda known: known.name)
def test_every_option_of_an_engine_is_documented(known: KnownEngine) -> None:
    options = import_module(f"engine.narrators.{known.name.replace('-', '_')}.options")
    example = documented(known.name)
    assert options_of(example) == set(options.Options.__slots__)
    given = tomllib.loads(example)["engines"][known.name]["options"]
    assert options.read(given) == options.read({}), "what is documented is the default"


def test_what_the_engine_needs_of_a_model_is_what_is_pulled() -> None:
    from engine.narrators.cosyvoice3.config import MODEL_FILES

    assert set(COSYVOICE3.weights.files) == set(MODEL_FILES)
    assert re.fullmatch(r"[0-9a-f]{40}", COSYVOICE3.weights.revision)


def test_a_book_that_names_it_says_what_helps(tmp_path: Path) -> None:
    (tmp_path / "book.txt").write_text("One line of a book.\n")
    soundfile.write(tmp_path / "r.wav", np.full(48_000, 0.1, np.float32), 24_000)
    done("new", "book.txt", "--to", "p", cwd=tmp_path)
    voice = ["--engine", NAME, "--reference", "r.wav", "--transcript", "Words."]
    done("voices", "add", "p", "miller", *voice, cwd=tmp_path)
    done("voices", "p", "--assign", "miller", "--segments", "1-1", cwd=tmp_path)
    for command in (["narrate", "p"], ["voices", "check", "p", "miller"]):
        ran = rhapsode(*command, "--json", cwd=tmp_path)
        assert ran.code == 6
        assert "rhapsode engines install cosyvoice3" in ran.data["error"]
