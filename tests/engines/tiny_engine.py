"""The real command with an engine that is small enough to be installed in a test.

Run as a program it is ``rhapsode`` that knows one more engine, ``tiny``; its first argument is JSON
with the engine's pins and what else differs. It is run in a process of its own, for what it tells,
how it ends and what it leaves are what is tested.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = "someone/tiny"
PINS = ("torch==1.0", "torchaudio==1.0")
FILES = ("big.bin", "folder/small.json")


def run(given: dict[str, Any], arguments: list[str]) -> int:
    """Be the command."""
    from studio.cli import main
    from studio.engines import known

    pins = given.get("pins", PINS)
    known.requires = lambda _: [f"{pin}; extra == 'tiny'" for pin in pins]  # type: ignore[assignment]
    known.ENGINES["tiny"] = known.KnownEngine(
        name="tiny",
        extra="tiny",
        python=tuple(given.get("python", (3, 11))),
        imports=("torch", "torchaudio"),
        sometimes={"extra_of_some": "extra_of_some.core"},
        room={"cpu": given.get("room", 1), "cuda": 1},
        weights=known.Weights(
            repository=REPOSITORY,
            revision=given.get("revision", "main"),
            files=FILES,
            bytes=12_000,
            licence="Tiny by Nobody, for tests",
        ),
    )
    if given.get("blind"):  # Believes every disk to be large, so that it meets the end of this one.
        shutil.disk_usage = lambda _: shutil._ntuple_diskusage(1 << 40, 0, 1 << 40)  # type: ignore
    if given.get("hub_waits"):
        from studio.engines import hub

        hub.Hub.__init__.__defaults__ = (given["hub_waits"],)  # type: ignore[misc]
    return main(arguments)


def start(
    *arguments: object, cwd: Path, env: dict[str, str] | None = None, **given: Any
) -> subprocess.Popen[str]:
    """Start it; the caller waits for it."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("PIP_")}
    variables |= {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_NO_CACHE_DIR": "1",
        "PIP_RETRIES": "1",
        "NO_PROXY": "127.0.0.1",
        "no_proxy": "127.0.0.1",
        "HF_HUB_ETAG_TIMEOUT": "5",
    }
    variables.pop("HF_TOKEN", None)
    return subprocess.Popen(
        [sys.executable, __file__, json.dumps(given), "engines", *map(str, arguments)],
        cwd=cwd,
        env={**variables, "HF_HOME": str(cwd / "hf"), **(env or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def tiny(
    *arguments: object, cwd: Path, env: dict[str, str] | None = None, code: int = 0, **given: Any
) -> Any:
    """Run it with ``--json``, insist on an exit code, and return the object and standard error."""
    process = start(*arguments, "--json", cwd=cwd, env=env, **given)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, out + err
    assert "Traceback" not in err
    return json.loads(out)


if __name__ == "__main__":
    sys.exit(run(json.loads(sys.argv[1]), sys.argv[2:]))
