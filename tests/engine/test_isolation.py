"""What an engine process can import, and what its modules drag in."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from engine_process import REPOSITORY, EngineProcess

from engine import wire

REPORT = """
import json, sys
print(json.dumps({"modules": sorted(sys.modules), "path": sys.path}), file=sys.__stderr__)
"""


def modules_after(code: str) -> set[str]:
    """What is imported in a fresh process after some code."""
    script = f"import sys; sys.path.insert(0, {str(REPOSITORY)!r})\n{code}\n{REPORT}"
    done = subprocess.run(
        [sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stderr.splitlines()[-1])["modules"])


def test_the_engine_does_not_import_the_studio() -> None:
    modules = modules_after("import engine.server, engine.registry, engine.narrators.hibari")
    assert {"engine.server", "engine.narrators.hibari"} <= modules
    assert not [name for name in modules if name.split(".")[0] == "studio"]


def test_wire_and_memory_are_stdlib_only() -> None:
    before = modules_after("")  # what this environment's start-up files import anyway
    new = modules_after("import engine.wire, engine.memory") - before
    assert {name for name in new if name.split(".")[0] == "engine"} == {
        "engine",
        "engine.wire",
        "engine.wire.messages",
        "engine.wire.stream",
        "engine.memory",
    }
    foreign = {name.split(".")[0] for name in new} - set(sys.stdlib_module_names) - {"engine"}
    assert foreign == set()


@pytest.mark.parametrize("name", ["hibari", "cosyvoice3"])
def test_no_library_is_imported_before_the_hello(name: str) -> None:
    modules = modules_after(
        f"import engine.server\nfrom engine import registry\nregistry.create({name!r})"
    )
    heavy = {"numpy", "onnx", "onnxruntime", "scipy", "hibari", "torch", "tokenizers"}
    assert not heavy & {name.split(".")[0] for name in modules}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The engine in a folder of its own, where a module of the folder would be importable.

    A copy, because an editable installation puts the repository itself on every path.
    """
    root = tmp_path / "elsewhere"
    shutil.copytree(REPOSITORY / "engine", root / "engine")
    (root / "neighbour_of_the_engine.py").write_text("")
    (root / "engine" / "narrators" / "probing.py").write_text(
        """
import importlib.util, sys
from engine.wire import Card
class Probe:
    def __init__(self):
        import engine
        found = importlib.util.find_spec("neighbour_of_the_engine") is not None
        self.card = Card("probing", engine.__file__, "", 1, tuple(sys.path), 1, threads=int(found))
"""
    )
    registry = root / "engine" / "registry.py"
    line = '"hibari": "engine.narrators.hibari:Hibari"'
    text = registry.read_text()
    assert line in text
    registry.write_text(text.replace(line, line + ', "probing": "engine.narrators.probing:Probe"'))
    return root


def test_started_by_path_the_folder_above_is_not_importable(copy: Path, tmp_path: Path) -> None:
    decoy = tmp_path / "cwd"
    (decoy / "engine").mkdir(parents=True)
    (decoy / "engine" / "__init__.py").write_text("raise SystemExit('a project ran')")
    entry = copy / "engine" / "__main__.py"
    with EngineProcess(decoy, "probing", entry=entry) as process:
        hello, _ = process.until(wire.Hello)
    card = hello.card
    assert card.version == str(copy / "engine" / "__init__.py")
    paths = {str(Path(path or ".").resolve()) for path in card.languages}
    assert not paths & {str(copy), str(copy / "engine"), str(decoy)}
    assert card.threads == 0, "a module beside the engine package can be imported"
