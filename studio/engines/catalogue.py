"""Which engines this machine has: built in, installed, and of the user's configuration.

Commands come from the user's own ``config.toml`` and from nowhere else; a project names an engine
and can never say how to start it.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from studio.engines.installed import State, states
from studio.errors import BadInput, MachineFault
from studio.project.folders import config_folder


@dataclass(frozen=True, slots=True)
class EngineSpec:
    """How one engine is started and what its workers may use."""

    name: str
    command: tuple[str, ...]
    """Program and arguments."""
    workers: int = 1
    """Processes that narrate side by side."""
    budget_mb: int = 0
    """Growth in MB above the baseline after which a worker is recycled; 0 for no limit."""
    ceiling_mb: int = 0
    """Footprint in MB at which a worker is recycled; 0 for no limit."""
    max_clips: int = 0
    """Clips after which a worker is recycled; 0 for no limit."""
    spare: bool = True
    """Whether a successor is loaded before the old worker leaves, where memory allows."""
    grace: float = 4.0
    """Seconds a worker gets to leave of its own accord."""
    load_deadline: float = 300.0
    """Seconds until the model must be loaded."""
    idle_seconds: float = 0.0
    """Seconds without work after which the engine is unloaded; 0 for never."""
    drift: float = 1.3
    """Slowdown over a worker's life that is reported."""
    recycle_on_drift: bool = False
    """Whether that slowdown recycles the worker."""
    stall_seconds: float = 30.0
    """The shortest time without progress after which a busy worker counts as stalled."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Handed to the engine when it loads."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables set for the engine beside the inherited ones."""


TABLES = frozenset({"engines", "keys", "sound", "ui"})
"""Tables of ``config.toml``; the interface reads its own three."""

BUILT_IN = "hibari"
"""The engine that comes with the studio."""
LISTENER = "whisper"
"""What recognises speech, and comes with the studio too."""

_WHOLE = frozenset({"workers", "budget_mb", "ceiling_mb", "max_clips"})
_SECONDS = frozenset({"grace", "load_deadline", "idle_seconds", "drift", "stall_seconds"})
_SWITCHES = frozenset({"spare", "recycle_on_drift"})
_OTHERS = frozenset({"command", "python", "options", "environment"})

_OVERRIDES = sorted(_WHOLE | _SECONDS | _SWITCHES)
"""Settings that ``RHAPSODE_<ENGINE>_<SETTING>`` overrides."""


class Catalogue:
    """Engines by name."""

    def __init__(
        self,
        engines: Mapping[str, EngineSpec],
        missing: Mapping[str, str] | None = None,
        weightless: Mapping[str, EngineSpec] | None = None,
    ) -> None:
        """Hold these engines.

        Args:
            engines: By name.
            missing: Engines that this version knows and this machine has not, or not all of: by
                name, a sentence that says what to do.
            weightless: Those of them that have an interpreter and lack weights.
        """
        self._engines = dict(engines)
        self._missing = dict(missing or {})
        self._weightless = dict(weightless or {})

    @classmethod
    def load(
        cls, config_path: Path | None = None, known: Mapping[str, State] | None = None
    ) -> Catalogue:
        """Read ``[engines.*]`` of the user's configuration.

        Args:
            config_path: The ``config.toml``; one that is not there counts as empty. None for the
                built-in engine alone.
            known: The engines that can be installed, as they stand on this machine; the
                configuration's settings lie on top of theirs.

        Raises:
            BadInput: The file, or something in it, cannot be used.
        """
        known = known or {}
        engines = {BUILT_IN: built_in(), **{name: _installed(it) for name, it in known.items()}}
        table = _read(config_path) if config_path is not None else {}
        where = str(config_path)
        for name, settings in table.items():
            if not isinstance(settings, dict):
                raise BadInput(f"{where}: [engines.{name}] must be a table of settings.")
            engines[name] = _spec(name, settings, engines.get(name), where)
        missing = {
            name: why
            for name, it in known.items()
            if (why := it.missing(engines[name].options, bool(engines[name].command)))
        }
        ready = {name: _overridden(spec) for name, spec in engines.items() if spec.command}
        usable = {name: spec for name, spec in ready.items() if name not in missing}
        return cls(usable, missing, {name: ready[name] for name in missing if name in ready})

    @classmethod
    def of_user(cls) -> Catalogue:
        """The engines of this machine: built in, installed, and of the user's ``config.toml``.

        Raises:
            BadInput: The file, or something in it, cannot be used.
        """
        return cls.load(config_folder() / "config.toml", states())

    def __getitem__(self, name: str) -> EngineSpec:
        """The engine of this name.

        Raises:
            MachineFault: This machine has no such engine.
        """
        try:
            return self._engines[name]
        except KeyError:
            if name in self._missing:
                raise MachineFault(self._missing[name]) from None
            raise MachineFault(
                f"This machine has no engine named {name}; "
                f"add [engines.{name}] to config.toml, or choose another voice."
            ) from None

    def with_or_without_weights(self, name: str) -> EngineSpec:
        """The engine of this name, where what is wanted of it needs no model.

        Raises:
            MachineFault: This machine has no interpreter for it.
        """
        return self._weightless.get(name) or self[name]

    def __contains__(self, name: object) -> bool:
        """Whether the engine is known here."""
        return name in self._engines

    def __iter__(self) -> Iterator[str]:
        """Names of the engines that can be started, the built-in one first."""
        return iter(self._engines)

    @property
    def missing(self) -> Mapping[str, str]:
        """Engines that could be here, by name: what to do, in a sentence."""
        return self._missing


def built_in() -> EngineSpec:
    """The engine that needs no installation."""
    return EngineSpec(
        name=BUILT_IN,
        command=package_command(sys.executable, BUILT_IN),
        workers=usable_cores(),
        budget_mb=512,
        ceiling_mb=2048,
        load_deadline=120.0,
    )


def listener() -> EngineSpec:
    """The listener that comes with the studio; no voice names it, so it is not in a catalogue."""
    return EngineSpec(
        name=LISTENER,
        command=package_command(sys.executable, LISTENER, listens=True),
        load_deadline=120.0,
    )


def _installed(state: State) -> EngineSpec:
    """An engine that can be installed, as far as it is."""
    name = state.engine.name
    python = state.interpreter
    return EngineSpec(
        name=name,
        command=package_command(str(python), name) if python is not None else (),
        options=dict(state.options),
        **state.engine.settings,
    )


def package_command(python: str, name: str, *, listens: bool = False) -> tuple[str, ...]:
    """The command that starts a narrator, or a listener, of the engine package.

    Args:
        python: The interpreter, with the engine's libraries in its environment.
        name: A name of the engine's registry.
        listens: Whether it is a listener's.

    Raises:
        MachineFault: The engine package is not installed beside the studio.
    """
    found = importlib.util.find_spec("engine")
    if found is None or not found.submodule_search_locations:
        raise MachineFault("The package “engine” is missing: install rhapsode again.")
    main = Path(next(iter(found.submodule_search_locations))) / "__main__.py"
    return (python, "-P", str(main), "--listener" if listens else "--narrator", name)


def usable_cores() -> int:
    """Processor cores this process may use."""
    if sys.platform == "linux":
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


def engine_environment(spec: EngineSpec) -> dict[str, str]:
    """All of the environment an engine process gets.

    The user's own, without what steers a Python interpreter: those variables belong to the
    studio's environment and would leak its packages into the engine's.
    """
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTHON") and name not in {"VIRTUAL_ENV", "__PYVENV_LAUNCHER__"}
    }
    return {**inherited, **spec.environment}


def _read(path: Path) -> dict[str, Any]:
    """The ``engines`` table of a configuration file."""
    try:
        with path.open("rb") as file:
            whole = tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadInput(f"{path} cannot be read: {error}. Correct it or move it away.") from error
    unknown = sorted(set(whole) - TABLES)
    if unknown:
        raise BadInput(
            f"{path}: [{unknown[0]}] is not a table of this file; it has "
            f"{', '.join(f'[{name}]' for name in sorted(TABLES))}."
        )
    table = whole.get("engines", {})
    if not isinstance(table, dict):
        raise BadInput(f"{path}: “engines” must hold tables such as [engines.{BUILT_IN}].")
    return table


def _spec(
    name: str, settings: Mapping[str, Any], base: EngineSpec | None, where: str
) -> EngineSpec:
    """One engine's settings, checked, on top of the built-in ones of that name."""
    values: dict[str, Any] = {}
    for key, value in settings.items():
        if key not in _WHOLE | _SECONDS | _SWITCHES | _OTHERS:
            raise BadInput(f"{where}: [engines.{name}] has no setting “{key}”.")
        values[key] = _checked(key, value, f"{where}: [engines.{name}] {key}")
    python = values.pop("python", None)
    if python is not None:
        if "command" in values:
            raise BadInput(f"{where}: [engines.{name}] takes “python” or “command”, not both.")
        values["command"] = package_command(python, name)
    if base is not None:
        values["options"] = {**base.options, **values.get("options", {})}
        return replace(base, **values)
    if "command" not in values:
        raise BadInput(f"{where}: [engines.{name}] must say “python” or “command”.")
    return EngineSpec(name=name, **values)


def _checked(key: str, value: Any, where: str) -> Any:
    """One setting, of the right type and range."""
    if key in _WHOLE:
        least = 1 if key == "workers" else 0
        if isinstance(value, int) and not isinstance(value, bool) and value >= least:
            return value
        raise BadInput(f"{where} must be a whole number of at least {least}.")
    if key in _SECONDS:
        if isinstance(value, (int, float)) and not isinstance(value, bool) and value >= 0:
            return float(value)
        raise BadInput(f"{where} must be a number that is not negative.")
    if key in _SWITCHES:
        if isinstance(value, bool):
            return value
        raise BadInput(f"{where} must be true or false.")
    if key == "python":
        if isinstance(value, str) and value:
            return os.path.expanduser(value)
        raise BadInput(f"{where} must be the path of an interpreter.")
    if key == "command":
        if isinstance(value, list) and value and all(isinstance(item, str) for item in value):
            return (os.path.expanduser(value[0]), *value[1:])
        raise BadInput(f"{where} must be a list of words: the program and its arguments.")
    if not isinstance(value, dict):
        raise BadInput(f"{where} must be a table.")
    if key == "environment" and not all(isinstance(item, str) for item in value.values()):
        raise BadInput(f"{where} must hold texts only.")
    return value


def _overridden(spec: EngineSpec) -> EngineSpec:
    """The engine with what environment variables say about it."""
    prefix = f"RHAPSODE_{spec.name.upper().replace('-', '_')}_"
    values: dict[str, Any] = {}
    for key in _OVERRIDES:
        name = prefix + key.upper()
        text = os.environ.get(name)
        if text is not None:
            values[key] = _checked(key, _of_text(key, text), name)
    return replace(spec, **values) if values else spec


def _of_text(key: str, text: str) -> Any:
    """A variable's text as the configuration file would hold it; what fits nothing stays text."""
    if key in _SWITCHES:
        return {"true": True, "1": True, "false": False, "0": False}.get(text.lower(), text)
    try:
        return int(text) if key in _WHOLE else float(text)
    except ValueError:
        return text
