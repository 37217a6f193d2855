"""Installing and pulling where the disk runs full; runs where it may mount a small one.

``python engines_on_a_small_disk.py install|pull FOLDER``: mounts it at the folder.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import loopback_hub
import loopback_index
from tiny_engine import REPOSITORY, tiny

BIG = random.Random(1).randbytes(3_000_000)


def mount(folder: Path, size: str) -> None:
    """Mount a disk of some megabytes."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", folder], check=True)


def full(said: str, disk: Path) -> None:
    """One sentence says that it is the disk, and what to do."""
    assert "disk" in said, said
    assert "is full; make room" in said, said


def install(disk: Path) -> None:
    """It fills up while pip is unpacking; nothing is left."""
    mount(disk, "8m")
    with loopback_index.serving(disk.parent / "wheels") as index:
        index.add("torch", "1.0", loopback_index.CPU_TORCH)
        index.add("torchaudio", "1.0", loopback_index.TORCHAUDIO)
        given = {"cwd": disk.parent, "env": {"PIP_INDEX_URL": index.url}, "code": 6}
        seen = tiny("install", "tiny", room=1 << 24, **given)
        assert "needs about 17 MB" in seen["error"]
        failed = tiny("install", "tiny", blind=True, **given)
        full(failed["error"], disk)
    assert not list((disk / "data" / "engines" / "tiny").iterdir())


def pull(disk: Path) -> None:
    """It fills up in the middle of a file; what came is kept, and gone on with."""
    mount(disk, "4m")
    files = {"big.bin": BIG, "folder/small.json": b"{}"}
    with loopback_hub.serving(REPOSITORY, files) as hub:
        env = {"HF_ENDPOINT": hub.endpoint}
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(shutil.disk_usage(disk).free - 1_200_000))
        failed = tiny("pull", "tiny", cwd=disk.parent, env=env, code=6, blind=True)
        full(failed["error"], disk)
        assert "goes on where it was" in failed["error"]
        assert not (disk / "data" / "models" / "tiny").exists()
        ballast.unlink()
        tiny("pull", "tiny", cwd=disk.parent, env=env, blind=True)
        assert hub.requests[1][1].startswith("bytes=1")
    assert (disk / "data" / "models" / "tiny" / "big.bin").read_bytes() == BIG


if __name__ == "__main__":
    place = Path(sys.argv[2])
    os.environ["RHAPSODE_HOME"] = str(place)
    {"install": install, "pull": pull}[sys.argv[1]](place)
    print("done")
