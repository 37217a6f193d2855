"""Starts one engine process: ``PYTHON -P /path/to/engine/__main__.py --narrator NAME``.

With ``--listener NAME`` it recognises speech instead.

Started by path, in a working directory of its own. It makes the package importable under its name
without putting the folder above it on the module path: what else lies there (the studio, or a book
project with an ``engine`` folder in it) must not become importable.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib.util
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

QUIET = {
    "ORT_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "DO_NOT_TRACK": "1",
}
"""Libraries that report their use to somebody are told not to, before any of them is imported.

onnxruntime reads its variable when it is loaded; its own call for the same is too late by then, and
has left an identity of the device in the user's cache.
"""


def adopt_package() -> None:
    """Make ``engine`` importable from where this file lies, and from nowhere else."""
    folder = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        "engine", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"{folder} is no package")
    package = importlib.util.module_from_spec(spec)
    sys.modules["engine"] = package
    spec.loader.exec_module(package)


def own_streams() -> tuple[int, int]:
    """Take stdin and stdout for the wire, and leave harmless ones in their place.

    Anything that prints, in Python or in native code, then writes to stderr instead, and a library
    or child process that reads stdin finds it empty instead of eating a request.

    Returns:
        File descriptors to read requests from and to write events to; children inherit neither.
    """
    sys.stdout.flush()
    requests, events = os.dup(0), os.dup(1)
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return requests, events


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the named narrator or listener until the requests end."""
    requests, events = own_streams()
    os.environ.update(QUIET)
    faulthandler.enable()  # a crash in native code leaves at least a stack on stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the studio's to handle
    from engine import lifeline, registry, server

    lifeline.tie(requests)
    parser = argparse.ArgumentParser(prog="engine", description=__doc__)
    hosts = parser.add_mutually_exclusive_group(required=True)
    hosts.add_argument("--narrator", choices=sorted(registry.NARRATORS))
    hosts.add_argument("--listener", choices=sorted(registry.LISTENERS))
    named = parser.parse_args(arguments)
    if named.listener:
        host = registry.create_listener(named.listener)
    else:
        host = registry.create(named.narrator)
    server.Server(host, requests, events).run()


if __name__ == "__main__":
    adopt_package()
    main()
