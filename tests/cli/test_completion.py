"""Shells complete our commands: bash is asked itself, the others where they are installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rhapsode import done, rhapsode

from studio.command_line.root import build_parser

ASK = """
source "$1"; shift
function=$(complete -p rhapsode | sed 's/.*-F \\([^ ]*\\).*/\\1/')
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
"$function" rhapsode "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}"
"""


def commands() -> list[str]:
    """Every command there is."""
    (choices,) = [action.choices for action in build_parser()._actions if action.choices]
    return sorted(choices)


@pytest.fixture(scope="module")
def script(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("completion") / "rhapsode.bash"
    ran = rhapsode("completion", "bash", cwd=path.parent)
    assert ran.code == 0, ran.err
    path.write_text(ran.out)
    return path


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with something to complete."""
    (tmp_path / "ferry").mkdir()
    (tmp_path / "ferry.epub").touch()
    (tmp_path / "the book").mkdir()
    return tmp_path


def offered(script: Path, place: Path, *words: str) -> list[str]:
    """What bash would offer behind these words, the last one begun."""
    ran = subprocess.run(
        ["bash", "--norc", "-c", ASK, "bash", str(script), "rhapsode", *words],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=30,
        check=True,
    )
    assert ran.stderr == ""
    return sorted(ran.stdout.splitlines())


def test_bash_completes(script: Path, place: Path) -> None:
    assert offered(script, place, "") == commands()
    assert offered(script, place, "na") == ["narrate"]
    assert offered(script, place, "un") == ["unpack"]
    assert offered(script, place, "narrate", "ferry", "--cha") == ["--chapter"]
    assert offered(script, place, "export", "ferry", "--bits", "") == ["16", "24"]
    assert offered(script, place, "completion", "") == ["bash", "fish", "zsh"]
    assert offered(script, place, "open", "fe") == ["ferry"], "a project is a folder"
    assert offered(script, place, "new", "fe") == ["ferry", "ferry.epub"]
    assert offered(script, place, "unpack", "fe") == ["ferry", "ferry.epub"]
    assert offered(script, place, "new", "ferry.epub", "--to", "the") == ["the book"]
    parts = ["add", "check", "keep", "library", "list", "remove", "rename"]
    parts += ["restore", "set", "take"]
    assert offered(script, place, "voices", "") == parts
    assert offered(script, place, "voices", "add", "fe") == ["ferry"]
    assert offered(script, place, "engines", "check", "") == ["cosyvoice3", "hibari", "qwen3-tts"]
    assert offered(script, place, "engines", "install", "") == ["cosyvoice3", "qwen3-tts"]
    assert offered(script, place, "engines", "remove", "q") == ["qwen3-tts"]
    assert offered(script, place, "bench", "engines", "cosy") == ["cosyvoice3"]
    assert offered(script, place, "bench", "engines", "hibari", "cosy") == ["cosyvoice3"]
    words = ("voices", "add", "ferry", "miller", "--engine", "hi")
    assert offered(script, place, *words) == ["hibari"]
    words = ("voices", "set", "ferry", "miller", "--reference", "fe")
    assert offered(script, place, *words) == ["ferry", "ferry.epub"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_the_other_shells_can_read_theirs(shell: str, tmp_path: Path) -> None:
    script = done("completion", shell, cwd=tmp_path)["script"]
    for name in commands():
        assert name in script
    if shutil.which(shell):  # Where it is installed it reads the script as well.
        (tmp_path / "script").write_text(script)
        subprocess.run([shell, "-n", str(tmp_path / "script")], check=True, timeout=30)


def test_another_shell_is_refused_in_words(tmp_path: Path) -> None:
    ran = rhapsode("completion", "tcsh", cwd=tmp_path)
    assert ran.code == 2
    assert "bash" in ran.err


def test_no_other_command_waits_for_it(tmp_path: Path) -> None:
    code = "import sys, studio.cli as c; c.build_parser(); sys.exit('shtab' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0


def test_the_version(tmp_path: Path) -> None:
    ran = rhapsode("--version", cwd=tmp_path)
    assert ran.code == 0
    assert ran.out.startswith("rhapsode ")


def test_an_engine_of_ones_own_is_offered_and_a_broken_table_stops_nothing(
    tmp_path: Path, home: Path
) -> None:
    config = home / "config" / "config.toml"
    config.parent.mkdir(exist_ok=True)
    config.write_text('[engines.mine]\ncommand = ["true"]\n')
    script = tmp_path / "script"
    script.write_text(done("completion", "bash", cwd=tmp_path)["script"])
    assert offered(script, tmp_path, "engines", "check", "m") == ["mine"]
    config.write_text("[engines.mine]\n")
    script.write_text(done("completion", "bash", cwd=tmp_path)["script"])
    assert offered(script, tmp_path, "engines", "check", "") == [
        "cosyvoice3",
        "hibari",
        "qwen3-tts",
    ]
