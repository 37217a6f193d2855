"""`rhapsode engines install`, `pull` and `remove`: engines that are not built in."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from studio.commands.reply import Reply
from studio.commands.transfer import Transfer
from studio.engines import environments, weights
from studio.engines.catalogue import BUILT_IN
from studio.engines.environments import Wish
from studio.engines.installed import Model, State, model_folder, state
from studio.engines.known import ENGINES, KnownEngine, pins
from studio.engines.room import amount
from studio.errors import BadInput, MachineFault


def install(name: str, wish: Wish, *, upgrade: bool, quiet: bool) -> Reply:
    """Make an engine's environment.

    Raises:
        BadInput: No such engine, or the Python or accelerator cannot be used.
        MachineFault: It cannot be made, or does not work once it is there.
        KeyboardInterrupt: Interrupted; nothing is left of it.
    """
    engine = known(name)
    with Transfer(quiet=quiet) as transfer:
        made = environments.install(engine, wish, transfer.tell, upgrade=upgrade)
    now = state(engine)
    environment = now.environment
    if environment is None or now.interpreter is None:
        raise MachineFault(
            f"The Python that {name} was installed with is gone; "
            f"rhapsode engines install {name} --upgrade makes its environment again."
        )
    lines = [
        f"{name} {'is installed' if made else 'was installed already'}: "
        f"{_versions(engine, environment.versions)}, Python {environment.python}, "
        f"for {'CUDA' if environment.accelerator == 'cuda' else 'the processor'}, "
        f"{amount(environment.bytes)}.",
        f"  {now.interpreter}",
    ]
    if not made and set(environment.pins) != set(pins(engine)):
        lines.append(
            "It was made for another version of Rhapsode; "
            f"rhapsode engines install {name} --upgrade makes it anew."
        )
    lines.append(_onward(now))
    return Reply({"made": made, **_data(now)}, lines)


def pull(name: str, *, revision: str, folder: Path | None, quiet: bool) -> Reply:
    """Download an engine's weights, or take them from a folder.

    Raises:
        BadInput: No such engine, revision or folder.
        MachineFault: No connection, no room, or a file that is not what it should be.
        KeyboardInterrupt: Interrupted; what was downloaded is kept for the next time.
    """
    engine = known(name)
    if folder is not None and revision:
        raise BadInput("--from takes the files as they are; leave --revision or --from out.")
    if not quiet:
        print(f"{engine.weights.licence}.", file=sys.stderr, flush=True)
    model: Model | None
    with Transfer(quiet=quiet) as transfer:
        if folder is not None:
            model = weights.take(engine, folder, transfer.tell, transfer.meter)
        else:
            from studio.engines.pulling import pull as download

            model = download(engine, revision, transfer.tell, transfer.meter)
    now = state(engine)
    assert now.model is not None
    size = amount(now.model.bytes)
    if model is None:
        lines = [f"{name} had its weights already: {size} in {model_folder(name)}"]
    elif folder is not None:
        how = "linked from" if model.linked else "copied from"
        lines = [f"{name} has its weights, {how} {folder}: {size} in {model_folder(name)}"]
        lines.append("They were not compared with anything; rhapsode engines check tells more.")
    else:
        lines = [f"{name} has its weights, every file checked: {size} in {model_folder(name)}"]
    lines.append(_onward(now))
    return Reply({"pulled": model is not None, **_data(now)}, lines)


def remove(name: str, *, with_weights: bool, yes: bool) -> Reply:
    """Take an engine's environment away, and with ``with_weights`` its weights.

    Raises:
        BadInput: No such engine, or nobody is there to be asked.
        MachineFault: It is running, or cannot be removed.
    """
    engine = known(name)
    before = state(engine)
    sizes = []
    if before.environment is not None:
        sizes.append(f"the environment ({amount(before.environment.bytes)})")
    if before.model is not None and with_weights:
        sizes.append(f"the weights ({amount(before.model.bytes)})")
    if sizes and not yes and not _agreed(name, " and ".join(sizes)):
        return Reply({"removed": [], **_data(before)}, ["Nothing was removed."])
    removed = []
    if environments.remove(name):
        removed.append("environment")
    if with_weights and weights.remove(name):
        removed.append("weights")
    now = state(engine)
    one = removed == ["environment"]
    lines = [
        f"{name}: its {' and its '.join(removed)} {'is' if one else 'are'} gone."
        if removed
        else f"{name} has nothing here to remove."
    ]
    if now.model is not None:
        lines.append(
            f"Its weights stay ({amount(now.model.bytes)} in {model_folder(name)}); "
            "--weights removes them, too."
        )
    return Reply({"removed": removed, **_data(now)}, lines)


def known(name: str) -> KnownEngine:
    """The engine of a name.

    Raises:
        BadInput: It is none that is installed so.
    """
    if name == BUILT_IN:
        raise BadInput(f"{name} is built in: there is nothing to install, pull or remove.")
    if name not in ENGINES:
        raise BadInput(
            f"There is no engine {name} to install; there is {', '.join(sorted(ENGINES))}."
        )
    return ENGINES[name]


def _agreed(name: str, what: str) -> bool:
    """Ask a person.

    Raises:
        BadInput: There is nobody to ask.
    """
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise BadInput(f"This removes {what} of {name}; say --yes, for there is nobody to ask.")
    print(f"Remove {what} of {name}? [y/N] ", end="", file=sys.stderr, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def _versions(engine: KnownEngine, versions: Mapping[str, str]) -> str:
    """The libraries that matter most, as they were installed."""
    found = {name.lower(): version for name, version in versions.items()}
    # A package is called as its module is, but for the hyphen.
    names = [module.partition(".")[0].replace("_", "-") for module in engine.imports]
    return ", ".join(f"{name} {found.get(name, '?')}" for name in [*dict.fromkeys(names)][:2])


def _onward(now: State) -> str:
    """What to do next."""
    name = now.engine.name
    if now.interpreter is None:
        return f"Next: rhapsode engines install {name}"
    if now.model is None:
        size = amount(now.engine.weights.bytes)
        return f"Next: rhapsode engines pull {name} (about {size}, once)"
    return f"Next: rhapsode engines check {name}"


def _data(now: State) -> dict[str, Any]:
    """The state for programs."""
    environment, model = now.environment, now.model
    return {
        "engine": now.engine.name,
        "interpreter": str(now.interpreter or ""),
        "accelerator": environment.accelerator if environment else "",
        "versions": dict(environment.versions) if environment else {},
        "pins": list(environment.pins) if environment else [],
        "native_files_removed": list(environment.removed) if environment else [],
        "environment_bytes": environment.bytes if environment else 0,
        "model": str(model_folder(now.engine.name)) if model else "",
        "revision": model.revision if model else "",
        "source": model.source if model else "",
        "files": dict(model.files) if model else {},
        "linked": model.linked if model else False,
        "model_bytes": model.bytes if model else 0,
    }
