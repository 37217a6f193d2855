"""Making one environment: an interpreter, the pinned libraries in it, and a trial of them."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from studio.engines import pip_says
from studio.engines.installed import Environment
from studio.engines.known import KnownEngine, modules
from studio.engines.room import size_of
from studio.engines.running import ask, environment, run_module
from studio.engines.trying_imports import Imported, try_imports
from studio.errors import MachineFault
from studio.project.folders import log_folder

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""Where PyTorch publishes its builds without CUDA for Linux."""

Told = Callable[[str], None]
"""Told how far it is, in plain words."""

PLACES = {"index-url", "extra-index-url", "find-links", "no-index"}
"""Settings of pip that say where packages come from."""

_CONFIGURATION = """
import runpy, sys
sys.argv = ["pip", "config", "list"]
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be made."""

    engine: KnownEngine
    python: Path
    """The interpreter to make it with."""
    version: str
    """Of that interpreter."""
    pins: tuple[str, ...]
    accelerator: str
    """``cpu`` or ``cuda``."""
    insisted: bool
    """Whether a person asked for that accelerator."""
    index: str
    """The package index; empty for the one that pip uses anyway."""
    small_torch: bool
    """Whether torch's build without CUDA is another package than the common one: on Linux."""


class Builder:
    """Makes one environment."""

    def __init__(self, plan: Plan, folder: Path, told: Told) -> None:
        """Prepare; nothing is made yet.

        Args:
            plan: What to make.
            folder: Where; it does not exist yet.
            told: Told each step.
        """
        self._plan = plan
        self._folder = folder
        self._told = told
        self._log = log_folder() / f"install-{plan.engine.name}.log"

    def build(self) -> Environment:
        """Make it.

        Returns:
            What its note will say.

        Raises:
            MachineFault: It cannot be made, or does not work.
            OSError: The disk is full, or cannot be written to.
        """
        plan = self._plan
        self._log.parent.mkdir(parents=True, exist_ok=True)
        self._log.write_bytes(b"")
        self._told(f"making an environment with {plan.python}, Python {plan.version}")
        bare = ["venv", "--without-pip", str(self._folder)]
        self._run(plan.python, bare, environment(), "making the environment")
        # What is downloaded lies beside what it becomes, so that nothing is left elsewhere.
        temporary = self._folder / "tmp"
        temporary.mkdir()
        variables = environment(TMPDIR=str(temporary))
        python = self._folder / "bin" / "python"
        # A step of its own: inside the one before, what goes wrong with it would not be told.
        self._run(python, ["ensurepip"], variables, "installing pip")
        self._run(python, self._pip(python, variables), variables, "installing")
        shutil.rmtree(temporary)
        self._told("importing each library once")
        tried = try_imports(python, modules(plan.engine, plan.pins), environment())
        self._judge(tried)
        return Environment(
            folder=self._folder.name,
            python=plan.version,
            accelerator="cuda" if tried.cuda else "cpu",
            pins=plan.pins,
            versions=tried.versions,
            bytes=size_of(self._folder),
            removed=tried.removed,
        )

    def _pip(self, python: Path, variables: dict[str, str]) -> list[str]:
        """What pip is given."""
        plan = self._plan
        given = ["pip", "install", "--no-input", "--disable-pip-version-check", "--no-user"]
        given += ["--progress-bar", "off", "--prefer-binary"]
        if plan.index:
            given += ["--index-url", plan.index]
        elif plan.small_torch and plan.accelerator == "cpu":
            if places := configured(python, variables):
                self._told(f"pip is configured ({', '.join(sorted(places))}), and is left to it")
            else:
                self._told(f"taking torch from {CPU_INDEX}, where its build without CUDA is")
                given += ["--extra-index-url", CPU_INDEX]
        return [*given, *plan.pins]

    def _run(
        self, python: Path, arguments: Sequence[str], variables: dict[str, str], doing: str
    ) -> None:
        """Run a module of Python's, with all that it says in the log."""
        lines: list[str] = []
        with self._log.open("a", encoding="utf-8") as log:
            log.write(f"{python} -m {' '.join(arguments)}\n")

            def said(line: str) -> None:
                if line:
                    lines.append(line)
                    log.write(line + "\n")
                    if step := pip_says.progress(line):
                        self._told(step)

            code = run_module(python, arguments, variables, said)
        if code:
            name = self._plan.engine.name
            raise MachineFault(
                f"{name} cannot be installed: {pip_says.reason(lines)}. "
                f"Nothing is left of it; all that was said {doing} is in {self._log}."
            )

    def _judge(self, tried: Imported) -> None:
        """Refuse an environment that does not work, and say what is particular about it."""
        plan = self._plan
        name = plan.engine.name
        if tried.error:
            raise MachineFault(
                f"{name} cannot be installed: it was, and does not work here ({tried.error}). "
                "Nothing is left of it."
            )
        if tried.removed:
            self._told(
                f"removed {len(tried.removed)} native files of torchaudio that want a torch with "
                "CUDA; what the engine uses of it needs none of them"
            )
        if not plan.small_torch or (plan.accelerator == "cuda") == bool(tried.cuda):
            return
        if plan.accelerator == "cpu":
            self._told(
                "this torch is the build with CUDA, for that is what the package index has; it "
                f"works without a graphics card, too, and is larger: --index-url {CPU_INDEX}"
            )
        elif plan.insisted:
            raise MachineFault(
                f"{name} cannot be installed: the package index has a torch without CUDA; "
                "name one that has CUDA with --index-url (pytorch.org lists them)."
            )
        else:
            self._told("this torch is a build without CUDA; the graphics card will not be used")


def configured(python: Path, variables: dict[str, str]) -> set[str]:
    """Which settings of pip's own configuration say where packages come from."""
    try:
        lines = ask(python, _CONFIGURATION, variables).splitlines()
    except (OSError, subprocess.SubprocessError):
        return set()
    return PLACES & {line.partition("=")[0].rpartition(".")[2] for line in lines}
