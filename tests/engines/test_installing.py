"""Environments from a package index on this machine: whole or not there, whatever goes wrong."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import loopback_index
import pytest
from loopback_index import CPU_TORCH, TORCHAUDIO, Index
from packaging import markers
from tiny_engine import start, tiny

from studio.commands import installing
from studio.engines import building, environments
from studio.engines.building import Builder, Plan, configured
from studio.engines.environments import chosen_accelerator
from studio.engines.known import COSYVOICE3, QWEN3_TTS, extra, modules, pins
from studio.engines.pip_says import progress, reason
from studio.engines.running import environment
from studio.errors import BadInput


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """An index that has what the tiny engine asks for."""
    with loopback_index.serving(tmp_path / "wheels") as index:
        index.add("torch", "1.0", CPU_TORCH)
        index.add("torchaudio", "1.0", TORCHAUDIO)
        index.add("extra_of_some", "1.0", {"extra_of_some/__init__.py": "# its core is missing\n"})
        yield index


def left(home: Path) -> list[str]:
    """What there is of the engine's environments."""
    folder = home / "data" / "engines" / "tiny"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def at(index: Index) -> dict[str, str]:
    """Variables that lead pip to the index, as a person's own configuration would."""
    return {"PIP_INDEX_URL": index.url}


@pytest.mark.slow
def test_an_environment_from_its_making_to_its_end(
    home: Path, tmp_path: Path, index: Index
) -> None:
    process = start("install", "tiny", cwd=tmp_path, env=at(index))
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    assert "tiny is installed: torch 1.0, torchaudio 1.0" in out
    assert "pip is configured (index-url), and is left to it" in err
    assert "removed 3 native files of torchaudio" in err
    first = left(home)
    assert first[0] == "installed.json"
    assert len(first) == 2
    note = json.loads((home / "data" / "engines" / "tiny" / "installed.json").read_text())
    assert note["accelerator"] == "cpu"
    assert (note["versions"]["torch"], note["bytes"] > 1000) == ("1.0", True)
    python = home / "data" / "engines" / "tiny" / first[1] / "bin" / "python"
    subprocess.run([python, "-c", "import torchaudio"], check=True)
    assert "Installing collected packages" in (home / "logs" / "install-tiny.log").read_text()
    assert not (python.parents[1] / "tmp").exists()

    again = tiny("install", "tiny", cwd=tmp_path)
    assert not again["made"], "and no index was needed"
    assert again["interpreter"] == str(python)
    listed = next(it for it in tiny(cwd=tmp_path)["engines"] if it["name"] == "tiny")
    assert (listed["state"], listed["weights"]) == ("installed", "missing")
    assert "rhapsode engines pull tiny" in listed["notes"][0]

    running = subprocess.Popen([python, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        busy = tiny("remove", "tiny", "--yes", cwd=tmp_path, code=6)
        assert f"tiny is running (process {running.pid})" in busy["error"]
    finally:
        running.communicate(b"\n")

    index.add("torch", "2.0", CPU_TORCH)
    newer = ["torch==2.0", "torchaudio==1.0"]
    listed = next(it for it in tiny(cwd=tmp_path, pins=newer)["engines"] if it["name"] == "tiny")
    assert "--upgrade makes it anew" in listed["notes"][1]
    failed = tiny(
        "install", "tiny", "--upgrade", cwd=tmp_path, code=6, env=at(index), pins=["torch==3"]
    )
    assert "has no torch==3 for this Python" in failed["error"]
    assert left(home) == first, "the one that was there stays"
    made = tiny("install", "tiny", "--upgrade", cwd=tmp_path, env=at(index), pins=newer)
    assert made["versions"]["torch"] == "2.0"
    assert len(left(home)) == 2
    assert left(home) != first

    asked = tiny("remove", "tiny", cwd=tmp_path, code=5)
    assert "say --yes" in asked["error"]
    assert tiny("remove", "tiny", "--yes", cwd=tmp_path)["removed"] == ["environment"]
    assert left(home) == []
    assert tiny("remove", "tiny", "--yes", cwd=tmp_path)["removed"] == []


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_one_that_is_killed_leaves_nothing_that_counts(
    home: Path, tmp_path: Path, index: Index, how: signal.Signals
) -> None:
    index.go_on.clear()
    process = start("install", "tiny", cwd=tmp_path, env=at(index))
    assert index.asked.wait(60)
    (folder,) = (home / "data" / "engines" / "tiny").iterdir()
    for part in ("install", "remove"):  # two at once
        second = tiny(part, "tiny", *["--yes"] * (part == "remove"), cwd=tmp_path, code=6)
        assert "Another rhapsode is installing or removing tiny" in second["error"]
    process.send_signal(how)
    _, err = process.communicate(timeout=30)
    if how is signal.SIGKILL:
        assert process.returncode == -how
        deadline = time.monotonic() + 10
        while still_there(folder):  # pip goes with us, whatever it is at
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert not any(it["state"] == "installed" for it in tiny(cwd=tmp_path)["engines"])
        assert left(home) == [folder.name]
        tiny("install", "tiny", cwd=tmp_path, code=5, python=[4, 0])
        assert left(home) == [], "and the next try takes it away"
    else:
        assert process.returncode == 130
        assert "nothing is left of the new environment of tiny" in err
        assert left(home) == []


def still_there(folder: Path) -> bool:
    """Whether a process runs from an environment."""
    found = subprocess.run(["pgrep", "-f", f"{folder}/bin/python"], capture_output=True)
    return found.returncode == 0


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"pins": ["torchaudio==1.0"]}, "does not work here (torch: ModuleNotFoundError"),
        (
            {"pins": ["torch==1.0", "torchaudio==1.0", "extra_of_some==1.0"]},
            "does not work here (extra_of_some.core: ModuleNotFoundError",
        ),
        ({"room": 1 << 60}, "needs about 1,152,921,505 GB"),
    ],
)
def test_what_cannot_be_installed(
    home: Path, tmp_path: Path, index: Index, given: dict[str, object], words: str
) -> None:
    failed = tiny("install", "tiny", cwd=tmp_path, code=6, env=at(index), **given)
    assert words in failed["error"]
    assert left(home) == []


def test_no_index_is_one_sentence(home: Path, tmp_path: Path) -> None:
    gone = ["--index-url", "http://127.0.0.1:1/simple/"]
    failed = tiny("install", "tiny", *gone, cwd=tmp_path, code=6)
    assert "the package index cannot be reached" in failed["error"]
    assert str(home / "logs" / "install-tiny.log") in failed["error"]
    assert "127.0.0.1" in (home / "logs" / "install-tiny.log").read_text()
    assert left(home) == []


@pytest.mark.parametrize(
    ("arguments", "given", "words"),
    [
        (["--python", "/nowhere/python"], {}, "/nowhere/python is no Python that works"),
        (["--python", "/bin/cat"], {}, "/bin/cat is no Python that works"),
        ([], {"python": [4, 0]}, "tiny needs Python 4.0 or newer"),
    ],
)
def test_a_python_that_cannot_be_used(
    home: Path, tmp_path: Path, arguments: list[str], given: dict[str, object], words: str
) -> None:
    failed = tiny("install", "tiny", *arguments, cwd=tmp_path, code=5, **given)
    assert words in failed["error"]
    assert left(home) == []


def test_a_python_without_its_parts_is_said(home: Path, tmp_path: Path) -> None:
    """Debian's own, until its package python3-venv is there."""
    bare = tmp_path / "python"
    bare.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'ensurepip'\" >&2\nexit 1\n"
    )
    bare.chmod(0o755)
    failed = tiny("install", "tiny", "--python", bare, cwd=tmp_path, code=6)
    assert "apt install python3-venv" in failed["error"]


def test_a_folder_that_no_environment_can_be_in_is_said(tmp_path: Path) -> None:
    odd = {"RHAPSODE_HOME": str(tmp_path / f"a{os.pathsep}b")}
    failed = tiny("install", "tiny", cwd=tmp_path, env=odd, code=6)
    assert f"its path holds “{os.pathsep}”" in failed["error"]
    assert "RHAPSODE_HOME" in failed["error"]


def test_an_engine_that_nobody_knows(tmp_path: Path) -> None:
    for part in ("install", "pull", "remove"):
        failed = tiny(part, "espeak", cwd=tmp_path, code=5)
        there = "there is cosyvoice3, qwen3-tts, tiny."
        assert f"There is no engine espeak to install; {there}" in failed["error"]
        failed = tiny(part, "hibari", cwd=tmp_path, code=5)
        assert "hibari is built in" in failed["error"]


# What is decided without making anything.


def plan(**changed: object) -> Plan:
    """A plan for CosyVoice3 on Linux."""
    given = {
        "engine": COSYVOICE3,
        "python": Path(sys.executable),
        "version": "3.11.0",
        "pins": ("torch==1.0",),
        "accelerator": "cpu",
        "insisted": False,
        "index": "",
        "small_torch": True,
    }
    return Plan(**{**given, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("changed", "settings", "ends"),
    [
        ({}, set(), ["--extra-index-url", building.CPU_INDEX, "torch==1.0"]),
        ({}, {"find-links"}, ["--prefer-binary", "torch==1.0"]),
        ({"index": "http://x"}, set(), ["--index-url", "http://x", "torch==1.0"]),
        ({"accelerator": "cuda"}, set(), ["--prefer-binary", "torch==1.0"]),
        ({"small_torch": False}, set(), ["--prefer-binary", "torch==1.0"]),
    ],
)
def test_where_torch_comes_from(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    changed: dict[str, object],
    settings: set[str],
    ends: list[str],
) -> None:
    monkeypatch.setattr(building, "configured", lambda *_: settings)
    builder = Builder(plan(**changed), tmp_path / "new", lambda _: None)
    assert builder._pip(Path(sys.executable), {})[-len(ends) :] == ends


def test_what_pip_is_configured_to_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in [name for name in os.environ if name.startswith("PIP_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_TIMEOUT", "9")
    python = Path(sys.executable)
    assert configured(python, environment()) == set()
    (tmp_path / "pip.conf").write_text("[install]\nextra-index-url = http://x\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(tmp_path / "pip.conf"))
    monkeypatch.setenv("PIP_FIND_LINKS", "/wheels")
    assert configured(python, environment()) == {"extra-index-url", "find-links"}


def test_which_accelerator(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(environments.sys, "platform", "linux")
    monkeypatch.setattr(environments, "DRIVERS", (str(tmp_path / "driver"),))
    assert chosen_accelerator("auto") == "cpu"
    assert chosen_accelerator("cuda") == "cuda"
    (tmp_path / "driver").touch()
    assert chosen_accelerator("auto") == "cuda"
    assert chosen_accelerator("cpu") == "cpu"
    monkeypatch.setattr(environments.sys, "platform", "darwin")
    assert chosen_accelerator("auto") == "cpu"
    with pytest.raises(BadInput, match="CUDA is for Linux"):
        chosen_accelerator("cuda")


def test_the_pins_are_those_of_the_package() -> None:
    wanted = pins(COSYVOICE3)
    assert all("==" in pin for pin in wanted), "another version may give other samples"
    names = {pin.partition("==")[0] for pin in wanted}
    assert names == {module.partition(".")[0] for module in modules(COSYVOICE3, wanted)}
    assert names - {*COSYVOICE3.sometimes} == {*COSYVOICE3.imports}


def test_qwen_has_pins_of_its_own_and_no_build_for_cuda(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = pins(QWEN3_TTS)
    assert all("==" in pin for pin in wanted)
    assert ("mlx[cpu]==0.32.4" in wanted) == (sys.platform == "linux")
    assert "mlx-audio==0.6.2" in wanted
    assert not {"torch"} & {pin.partition("==")[0] for pin in wanted}
    assert "torch" in {pin.partition("==")[0] for pin in pins(COSYVOICE3)}, (
        "one wants what one lacks"
    )
    monkeypatch.setattr(environments, "DRIVERS", (str(tmp_path),))
    monkeypatch.setattr(environments.sys, "platform", "linux")
    plan = environments._plan(QWEN3_TTS, environments.Wish())
    assert (plan.accelerator, plan.small_torch) == ("cpu", False)
    there = {"mlx": "0.32.4", "mlx-audio": "0.6.2"}
    assert installing._versions(QWEN3_TTS, there) == "mlx 0.32.4, mlx-audio 0.6.2"
    with pytest.raises(BadInput, match="no build for cuda; leave --accelerator out"):
        environments._plan(QWEN3_TTS, environments.Wish(accelerator="cuda"))


@pytest.mark.parametrize(
    ("system", "machine", "engine", "tests"),
    [
        ("darwin", "arm64", True, "mlx=="),
        ("darwin", "x86_64", False, ""),
        ("linux", "x86_64", False, "mlx[cpu]=="),
        ("linux", "aarch64", False, "mlx[cpu]=="),
    ],
)
def test_mlx_comes_along_on_apple_silicon_alone(
    monkeypatch: pytest.MonkeyPatch, system: str, machine: str, engine: bool, tests: str
) -> None:
    here = {**markers.default_environment(), "sys_platform": system, "platform_machine": machine}
    monkeypatch.setattr(markers, "default_environment", lambda: here)
    wanted = pins(COSYVOICE3)
    found = [pin.rstrip("0123456789.") for pin in wanted if pin.startswith("mlx")]
    assert found == (["mlx=="] if engine else [])
    assert ("mlx.core" in modules(COSYVOICE3, wanted)) == engine
    assert len(wanted) == len(COSYVOICE3.imports) + engine
    assert [pin.rstrip("0123456789.") for pin in extra("mlx")] == ([tests] if tests else [])


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Collecting torch==2.13.0", ""),
        (
            "  Downloading torch-2.13.0%2Bcpu-cp311-cp311-linux_x86_64.whl (191.1 MB)",
            "downloading torch 2.13.0+cpu (191.1 MB)",
        ),
        ("  Downloading h11-0.16.0-py3-none-any.whl (37 kB)", ""),
        (
            "Processing /opt/torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl",
            "taking torch 2.13.0+cpu from this machine",
        ),
        ("Installing collected packages: mpmath, torch", "unpacking 2 packages"),
        ("Installing collected packages: torch", "unpacking 1 package"),
    ],
)
def test_how_far_pip_is(line: str, told: str) -> None:
    assert progress(line) == told


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (["ERROR: Could not install packages due to an OSError: [Errno 28] No space left"], "full"),
        (
            [
                "WARNING: Retrying ... NewConnectionError(...)",
                "ERROR: Could not find a version that satisfies it (from versions: none)",
                "ERROR: No matching distribution found for torch",
            ],
            "reached",
        ),
        (
            [
                "WARNING: Retrying ... NewConnectionError(...)",
                "ERROR: Could not find a version that satisfies it (from versions: 1.0, 1.1)",
                "ERROR: No matching distribution found for torch==9",
            ],
            "has no torch==9 ",
        ),
        (["ERROR: No matching distribution found for torch==9 (from x)"], "has no torch==9 "),
        (["ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE INDEX"], "did not arrive"),
        (
            ["ERROR: Cannot install a and b", "ERROR: ResolutionImpossible: see"],
            "exclude each other",
        ),
        (["ERROR: Something else entirely."], "pip says: Something else entirely"),
        ([], "without saying why"),
    ],
)
def test_why_pip_failed(said: list[str], words: str) -> None:
    assert words in reason(said)
