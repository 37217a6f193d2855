"""What the user's configuration may say of engines."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from studio.engines.catalogue import Catalogue, EngineSpec, engine_environment, usable_cores
from studio.errors import BadInput, MachineFault


def load(tmp_path: Path, text: str) -> Catalogue:
    path = tmp_path / "config.toml"
    path.write_text(text)
    return Catalogue.load(path)


def test_hibari_is_built_in(tmp_path: Path) -> None:
    catalogue = Catalogue.load(tmp_path / "none.toml")
    spec = catalogue["hibari"]
    assert spec.command[0] == sys.executable
    assert spec.command[1] == "-P"
    assert Path(spec.command[2]).name == "__main__.py"
    assert Path(spec.command[2]).is_file()
    assert spec.command[3:] == ("--narrator", "hibari")
    assert spec.workers == usable_cores()
    assert list(catalogue) == ["hibari"]


def test_the_user_may_change_and_add(tmp_path: Path) -> None:
    catalogue = load(
        tmp_path,
        """
        [ui]
        theme = "dark"
        [engines.hibari]
        workers = 1
        budget_mb = 64
        spare = false
        [engines.cosyvoice3]
        python = "~/venv/bin/python"
        load_deadline = 90
        options = { device = "cuda" }
        environment = { HF_HUB_OFFLINE = "1" }
        [engines.mine]
        command = ["/opt/mine", "--serve"]
        """,
    )
    assert (catalogue["hibari"].workers, catalogue["hibari"].budget_mb) == (1, 64)
    assert not catalogue["hibari"].spare
    cosy = catalogue["cosyvoice3"]
    assert cosy.command[0] == str(Path("~/venv/bin/python").expanduser())
    assert cosy.command[-1] == "cosyvoice3"
    assert cosy.workers == 1
    assert cosy.options == {"device": "cuda"}
    assert engine_environment(cosy)["HF_HUB_OFFLINE"] == "1"
    assert catalogue["mine"].command == ("/opt/mine", "--serve")
    assert "mine" in catalogue


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[engines.hibari]\ncolour = 1", "no setting “colour”"),
        ("[engines.hibari]\nworkers = 0", "at least 1"),
        ("[engines.hibari]\nworkers = true", "whole number"),
        ("[engines.hibari]\nbudget_mb = -1", "at least 0"),
        ("[engines.hibari]\ngrace = 'long'", "must be a number"),
        ("[engines.hibari]\nspare = 1", "true or false"),
        ("[engines.hibari]\ncommand = 'x'", "list of words"),
        ("[engines.hibari]\ncommand = []", "list of words"),
        ("[engines.hibari]\npython = 3", "interpreter"),
        ("[engines.hibari]\npython = 'p'\ncommand = ['x']", "not both"),
        ("[engines.hibari]\nenvironment = { A = 1 }", "texts only"),
        ("[engines.hibari]\noptions = 3", "must be a table"),
        ("[engines.other]\nworkers = 2", "must say “python” or “command”"),
        ("[engines]\nhibari = 3", "must be a table"),
        ("engines = 3", "must hold tables"),
        ("[engines", "cannot be read"),
    ],
)
def test_what_cannot_be_used_is_said_with_its_place(tmp_path: Path, text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words) as error:
        load(tmp_path, text)
    assert "config.toml" in str(error.value)


def test_the_environment_overrides(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RHAPSODE_HIBARI_BUDGET_MB", "7")
    monkeypatch.setenv("RHAPSODE_HIBARI_MAX_CLIPS", "25")
    monkeypatch.setenv("RHAPSODE_HIBARI_CEILING_MB", "900")
    monkeypatch.setenv("RHAPSODE_HIBARI_WORKERS", "3")
    spec = load(tmp_path, "[engines.hibari]\nbudget_mb = 64")["hibari"]
    assert (spec.budget_mb, spec.max_clips, spec.ceiling_mb, spec.workers) == (7, 25, 900, 3)
    monkeypatch.setenv("RHAPSODE_HIBARI_WORKERS", "many")
    with pytest.raises(BadInput, match="RHAPSODE_HIBARI_WORKERS"):
        load(tmp_path, "")


def test_an_engine_that_is_not_here(tmp_path: Path) -> None:
    with pytest.raises(MachineFault, match=r"no engine named qwen3_tts; add \[engines.qwen3_tts\]"):
        load(tmp_path, "")["qwen3_tts"]


def test_finding_the_engine_imports_nothing_of_it() -> None:
    code = (
        "import sys; from studio.engines.catalogue import Catalogue; Catalogue.load()['hibari'];"
        "print(sorted(m for m in sys.modules if m.split('.')[0] in"
        " {'engine', 'hibari', 'onnxruntime', 'textual', 'scipy'}))"
    )
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert seen.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("setting", "text", "value"),
    [
        ("workers", "3", 3),
        ("budget_mb", "7", 7),
        ("ceiling_mb", "900", 900),
        ("max_clips", "25", 25),
        ("grace", "1.5", 1.5),
        ("load_deadline", "90", 90.0),
        ("idle_seconds", "600", 600.0),
        ("drift", "1.2", 1.2),
        ("stall_seconds", "12", 12.0),
        ("spare", "false", False),
        ("recycle_on_drift", "1", True),
    ],
)
def test_every_number_and_switch_has_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, text: str, value: object
) -> None:
    monkeypatch.setenv(f"RHAPSODE_HIBARI_{setting.upper()}", text)
    assert getattr(load(tmp_path, "")["hibari"], setting) == value
    monkeypatch.setenv(f"RHAPSODE_HIBARI_{setting.upper()}", "many")
    with pytest.raises(BadInput, match=f"RHAPSODE_HIBARI_{setting.upper()} must be"):
        load(tmp_path, "")


def documented() -> str:
    """The example of docs/configuration.md."""
    page = Path(__file__).parents[2] / "docs" / "configuration.md"
    return page.read_text(encoding="utf-8").split("```toml\n")[1].split("```")[0]


def test_what_is_documented_is_there_and_what_is_there_is_documented() -> None:
    """Settings without a default of their own stand in the example as comments."""
    example = documented().split("[engines.hibari]")[1]
    named = set(re.findall(r"^(?:# )?([a-z_]+) = ", example, re.M))
    fields = {field.name for field in dataclasses.fields(EngineSpec)} - {"name"}
    assert named == fields | {"python"}


def test_the_documented_example_can_be_used_and_names_the_defaults(tmp_path: Path) -> None:
    settings = tomllib.loads(documented())["engines"]["hibari"]
    spec = load(tmp_path, documented())["hibari"]
    assert spec.workers == settings.pop("workers")  # By default as many as there are cores.
    plain = load(tmp_path, "")["hibari"]
    assert {name: getattr(plain, name) for name in settings} == settings
    assert replace(spec, workers=plain.workers) == plain
